"""Messages typed while a task runs: they wait, survive, and are sent after a good end only."""

from typing import Any

import pytest

from tests.support.agent import Bench
from tests.support.toolbox import TAB, page_host
from webbrain.core.errors import WebBrainError
from webbrain.host.memory import Gate, MemoryHost
from webbrain.services import queue
from webbrain.testing.scripted import ScriptedModel, Stream, call


async def add(bench: Bench, id_: str, text: str = "", mode: str = "ask", tab: int = TAB) -> dict[str, Any]:
    params = {"tabId": tab, "id": id_, "text": text or f"Text of {id_}", "mode": mode}
    return await bench.app.handle_ui("queue.add", params)


async def shown(bench: Bench, tab: int = TAB) -> list[tuple[str, bool]]:
    opened = await bench.app.handle_ui("panel.open", {"tabId": tab})
    return [(queued["id"], queued["held"]) for queued in opened["queue"]]


def asked(bench: Bench, tab: int = TAB) -> list[str]:
    return [event["data"]["text"] for event in bench.events("user_message", tab=tab)]


async def over(bench: Bench) -> None:
    """Wait for the task, for the message behind it, and for the one behind that."""
    for _ in range(3):
        await bench.end()


async def busy(*steps: Any) -> tuple[Bench, Gate]:
    """A task that goes on until its gate opens; then the steps follow."""
    gate = Gate()
    bench = Bench(gate, *steps)
    await bench.start("First.", "ask")
    await gate.reached()
    return bench, gate


async def test_they_are_sent_one_after_the_other_once_the_task_is_done() -> None:
    bench, gate = await busy("One.", "Two.", "Three.")
    assert await add(bench, "a") == {"ok": True, "waits": True}
    assert await add(bench, "b", mode="act") == {"ok": True, "waits": True}
    assert await shown(bench) == [("a", False), ("b", False)]
    gate.release()
    await over(bench)
    assert asked(bench) == ["First.", "Text of a", "Text of b"]
    assert [event["data"]["mode"] for event in bench.events("user_message")] == ["ask", "ask", "act"]
    assert await shown(bench) == []


async def test_the_message_keeps_its_id_so_that_it_is_sent_once() -> None:
    bench, gate = await busy("One.", "Two.")
    await add(bench, "a")
    gate.release()
    await over(bench)
    assert bench.events("user_message")[-1]["requestId"] == "a"
    assert await add(bench, "a") == {"ok": True, "waits": False}
    assert asked(bench) == ["First.", "Text of a"]


@pytest.mark.parametrize("ending", ["stop", "failure", "said to have failed"])
async def test_after_a_bad_end_they_stay_and_are_not_sent_by_themselves(ending: str) -> None:
    last = {
        "stop": "Never.",
        "failure": WebBrainError("Broken.", code="internal"),
        "said to have failed": call("done", summary="It did not work.", outcome="failed"),
    }[ending]
    bench, gate = await busy(last, "Other.", "Sent.")
    await add(bench, "a")
    if ending == "stop":
        await bench.stop()
        bench.model.steps.pop(0)
    gate.release()
    await over(bench)
    assert asked(bench) == ["First."]
    assert await shown(bench) == [("a", True)]
    await bench.run("Something else.", "ask")
    assert asked(bench) == ["First.", "Something else."]
    params = {"tabId": TAB, "text": "Text of a", "mode": "ask", "requestId": "a"}
    await bench.app.handle_ui("chat.start", params)
    await over(bench)
    assert asked(bench)[-1] == "Text of a"
    assert await shown(bench) == []


async def test_a_held_one_may_be_put_in_again_behind_a_task() -> None:
    bench, gate = await busy("Never.")
    await add(bench, "a")
    await bench.stop()
    gate.release()
    assert await shown(bench) == [("a", True)]
    again = Gate()
    bench.model.steps[:] = [again, "Second.", "Sent."]
    await bench.start("Second.", "ask")
    await add(bench, "a")
    assert await shown(bench) == [("a", False)]
    again.release()
    await over(bench)
    assert asked(bench) == ["First.", "Second.", "Text of a"]


async def test_after_the_step_limit_they_wait_for_the_continued_task() -> None:
    gate = Gate()
    reads = [call("scroll", direction="down", amount=number) for number in range(1, 6)]
    bench = Bench(gate, *reads, "Now done.", "Sent.")
    await bench.app.settings.save({"maxAgentSteps": 5})
    await bench.start("First.", "act")
    await add(bench, "a")
    gate.release()
    await over(bench)
    assert bench.last("run_complete")["status"] == "max_steps"
    assert await shown(bench) == [("a", False)]
    await bench.go_on()
    assert asked(bench)[-1] == "Text of a"


async def test_one_can_be_taken_out() -> None:
    bench, gate = await busy("One.", "Two.")
    await add(bench, "a")
    await add(bench, "b")
    remove = {"tabId": TAB, "id": "a"}
    assert await bench.app.handle_ui("queue.remove", remove) == {"ok": True, "removed": True}
    assert await bench.app.handle_ui("queue.remove", remove) == {"ok": True, "removed": False}
    gate.release()
    await over(bench)
    assert asked(bench) == ["First.", "Text of b"]


async def test_they_outlive_python() -> None:
    bench, _ = await busy("Never.")
    await add(bench, "a")
    await bench.stored("queued_message")
    again = Bench(host=survivor(bench.host), model=ScriptedModel("Continued.", "Sent."))
    again.app.resumes = False
    await again.app.start()
    assert await shown(again) == [("a", False)]
    await again.go_on()
    assert asked(again)[-1] == "Text of a"


async def test_an_answer_under_way_is_kept_whole_when_python_dies() -> None:
    gate = Gate()
    bench = Bench(Stream("One half, ", "the other half, ", "and no more", gate=gate))
    await bench.start("First.", "ask")
    await bench.until("text_delta")
    await add(bench, "a")
    conversation = bench.app.conversations.at_hand(TAB)
    assert conversation is not None
    conversation.journal.delta("and a rest")
    conversation.journal._close_delta()
    await conversation.journal.saved()
    again = Bench(host=survivor(bench.host), model=ScriptedModel())
    again.app.resumes = False
    await again.app.start()
    opened = await again.app.handle_ui("panel.open", {"tabId": TAB})
    said = [event["data"]["content"] for event in opened["events"] if event["type"] == "text"]
    assert said == ["One half, the other half, and a rest"]
    gate.release()


async def test_what_nobody_would_send_any_more_is_held() -> None:
    """Python dies between the good end of a task and the next message."""
    bench, gate = await busy("One.")
    await add(bench, "a")

    async def dead(*_: Any) -> None:
        raise WebBrainError("Python is gone.", code="run_active")

    bench.app.queue._start = dead
    gate.release()
    await over(bench)
    again = Bench(host=survivor(bench.host), model=ScriptedModel("Other."))
    await again.app.start()
    assert await shown(again) == [("a", True)]
    await again.run("Other?", "ask")
    assert asked(again) == ["Other?"]


async def test_with_nothing_running_it_is_sent_at_once() -> None:
    bench = Bench("One.", "Two.")
    await bench.run("First.", "ask")
    assert await add(bench, "a") == {"ok": True, "waits": False}
    await over(bench)
    assert asked(bench) == ["First.", "Text of a"]


async def test_one_that_cannot_be_sent_is_held() -> None:
    bench, gate = await busy("One.")
    await add(bench, "a")
    providers: Any = bench.app.providers
    model, providers.model = providers.model, None
    gate.release()
    await over(bench)
    providers.model = model
    assert await shown(bench) == [("a", True)]


async def test_the_queue_has_a_limit() -> None:
    bench, _ = await busy("Never.")
    for number in range(queue.MOST):
        await add(bench, f"m{number}")
    with pytest.raises(WebBrainError) as refused:
        await add(bench, "one-more")
    assert refused.value.code == "queue_full"
    await add(bench, "m0", "Said better.")
    assert (await shown(bench))[-1] == ("m0", False)
    await bench.stop()


async def test_a_cleared_conversation_takes_them_along() -> None:
    bench, _ = await busy("Never.")
    await add(bench, "a")
    await bench.app.handle_ui("conversation.clear", {"tabId": TAB})
    await bench.app.settled()
    assert await shown(bench) == []
    assert asked(bench) == ["First."]


async def test_a_secret_in_one_is_sent_and_not_recorded() -> None:
    bench, gate = await busy("One.", "Two.")
    conversation = bench.app.conversations.at_hand(TAB)
    assert conversation is not None
    conversation.journal.taint.note_secret("correct-horse-battery", "a key")
    await add(bench, "a", "My key is correct-horse-battery")
    assert "correct-horse-battery" not in str(bench.host.store.data)
    gate.release()
    await over(bench)
    assert "correct-horse-battery" in bench.request.messages[-1].content


def survivor(host: MemoryHost) -> MemoryHost:
    """The browser after Python died: what was stored is there, and the tab."""
    fresh = page_host()
    fresh.store.data = {name: list(records) for name, records in host.store.data.items()}
    fresh.session.values = dict(host.session.values)
    return fresh
