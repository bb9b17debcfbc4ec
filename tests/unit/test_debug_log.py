"""The last model calls as a text: what it holds, what it forgets, and that no secret is in it."""

from typing import Any

import pytest

from tests.support.agent import Bench
from tests.support.toolbox import TAB
from webbrain.agent import debug_log
from webbrain.core.errors import ProviderFailed
from webbrain.core.messages import Message, ModelReply, ModelRequest
from webbrain.policy import redaction
from webbrain.testing.scripted import call

KEY = "sk-canary-7f3a9c51e8d24b60"


async def text_of(bench: Bench) -> str:
    return str((await bench.app.handle_ui("debuglog.get", {}))["text"])


async def test_every_call_stands_in_it_recorded_or_not() -> None:
    bench = Bench(call("read_page"), "It costs 4 euros.")
    await bench.run("What does tea cost?", "ask")
    text = await text_of(bench)
    assert "the last 2 of 2 model calls" in text
    assert text.count("\n=== ") == 2
    assert "What does tea cost?" in text
    assert "read_page" in text
    assert text.index("=== 1.") < text.index("=== 2.") < text.index("It costs 4 euros.")
    assert "(2 messages as in the call before)" in text


async def test_failures_are_told() -> None:
    bench = Bench(ProviderFailed("The key is wrong.", code="bad_key", data={"hint": "Enter it again."}))
    await bench.run()
    assert "bad_key" in await text_of(bench)


async def test_only_so_many_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(*[f"Answer {n}." for n in range(205)])
    client = await bench.app.providers.active()
    witness = bench.app.records.log.of(tuple)
    account = debug_account(bench, witness)
    for n in range(205):
        await account.complete(ModelRequest(messages=[Message(role="user", content=f"Question {n}?")]))
    text = await text_of(bench)
    assert client.info.model in text
    assert "the last 200 of 205 model calls" in text
    assert "Question 4?" not in text
    assert "Question 5?" in text
    monkeypatch.setattr(debug_log, "LOG_CHARS", 2_000)
    short = await text_of(bench)
    assert len(short) <= 2_000
    assert "Answer 204." in short


def debug_account(bench: Bench, witness: Any) -> Any:
    from webbrain.agent.spending import Account, PaidClient

    return PaidClient(bench.model, Account(bench.app.spending, [witness]))


async def test_long_texts_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench("w" * 30_000)
    await bench.run("q" * 30_000, "ask")
    text = await text_of(bench)
    assert "q" * 3_000 in text
    assert "q" * 4_001 not in text
    assert "w" * 8_001 not in text


@pytest.mark.parametrize("cleaned", [True, False])
async def test_no_secret_is_in_it(monkeypatch: pytest.MonkeyPatch, cleaned: bool) -> None:
    """The second case is the control: without redaction the same search finds them."""
    if not cleaned:
        monkeypatch.setattr(redaction.StrictRedactor, "_clean", lambda self, text: text)
    bench = Bench(ModelReply(text=f"Your key is {KEY[::-1]}."), host=None)
    bench.host.settings.values["providers"] = {"openai": {"apiKey": "Entered-Later-2031"}}
    conversation = await bench.app.conversations.of(TAB)
    # At the place where the text is cut, too.
    await bench.run(f"{'x' * 3_700}{KEY} is mine, and Entered-Later-2031", "ask")
    conversation.journal.taint.note_secret(KEY, "a key")
    text = await text_of(bench)
    found = [secret for secret in (KEY, KEY[::-1], KEY[:18], "Entered-Later-2031") if secret in text]
    assert found == ([] if cleaned else [KEY, KEY[::-1], KEY[:18], "Entered-Later-2031"])


async def test_pictures_are_not_held_by_it() -> None:
    bench = Bench("Fine.")
    client = debug_account(bench, bench.app.records.log.of(tuple))
    image = "data:image/png;base64,AAAA"
    message = Message.model_validate({"role": "user", "content": "Look", "images": [{"data_url": image}]})
    await client.complete(ModelRequest(messages=[message]))
    text = await text_of(bench)
    assert image not in text
    assert "images: 1" in text
