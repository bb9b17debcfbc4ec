"""Harmless tasks: how often people are asked, and that no task fails because of it.

Sixty tasks of everyday kinds, played by a scripted model against the real loop, gate and planner. Somebody
answers every question with yes, and counts them: plans included.
"""

import asyncio
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Any, Final

import pytest

from tests.support.agent import PROBE_NO, PROBE_YES, Bench
from tests.support.toolbox import TAB, page_host
from webbrain.app_parts import agent_parts
from webbrain.host.memory import PageCall, Reply
from webbrain.policy.gate import Gate
from webbrain.policy.grants import Need
from webbrain.testing.scripted import call
from webbrain.tools import registry

MOST: Final = 4
MEDIAN: Final = 2
REFUSALS: Final = ("denied", "no_host", "blocked_duplicate_submit", "requires_api_allow", "needs_answer")
"""Codes with which the gate keeps a call from being made."""
SURE, UNSURE = 0.9, 0.5
"""Of a plan: above and below what needs a look as delivered."""
SEND: Final = "ref_9"
"""The reference of the button that sends the page's form."""

STEPS: Final[dict[str, Any]] = {
    "tree": lambda _: call("get_accessibility_tree"),
    "read": lambda _: call("read_page"),
    "scroll": lambda _: call("scroll", direction="down"),
    "find": lambda words: call("find_text", text=words),
    "tables": lambda _: call("extract_data", type="tables"),
    "window": lambda _: call("get_window_info"),
    "hover": lambda _: call("hover", ref_id="ref_1"),
    "mark": lambda words: call("select_text", ref_id="ref_1", text=words),
    "click": lambda ref: call("click_ax", ref_id=ref or "ref_1"),
    "press": lambda words: call("click", text=words),
    "fill": lambda words: call("set_field", ref_id="ref_2", text=words),
    "search": lambda words: call("set_field", ref_id="ref_2", text=words, submit=True),
    "tick": lambda _: call("set_checked", ref_id="ref_3", checked=True),
    "drag": lambda _: call("drag_drop", fromRefId="ref_1", toRefId="ref_2"),
    "key": lambda key: call("press_keys", key=key),
    "send": lambda _: call("click_ax", ref_id=SEND),
    "open": lambda url: call("navigate", url=f"https://{url}"),
    "back": lambda _: call("go_back"),
    "fetch": lambda url: call("fetch_url", url=f"https://{url}"),
    "save": lambda urls: call("download_files", urls=[f"https://{url}" for url in urls.split(",")]),
    "frame": lambda words: call("iframe_type", urlFilter="pay.example", selector="input", text=words),
}

READING: Final = (
    "What is on this page? | tree",
    "Summarise the article. | read",
    "Which of these is cheapest? | tree tables",
    "Is there a phone number? | tree find:phone",
    "What do the reviews say? | tree scroll read scroll read",
    "How large is the window? | window",
    "Which languages are offered? | tree",
    "Is the shop open on Sunday? | read find:Sunday",
    "Translate the second paragraph. | read",
    "List the headings. | tree read",
    "How many results are there? | tree scroll tree",
    "What does the note beside the price mean? | tree hover tree",
    "Mark the sentence about delivery. | tree mark:delivery",
    "Compare the two tables. | tables read",
    "Is tea in stock? | tree find:stock",
    "Who wrote this? | read",
    "What changed since 2020? | read scroll read",
    "Close the pop-up by Escape and read on. | key:Escape read",
    "Is my name spelt right in the form? | tree",
    "What are the terms of return? | tree find:return read",
)
WORKING: Final = (
    "Open the menu. | tree click",
    "Unfold the details. | tree click:ref_4 tree",
    "Show the next page of results. | tree click tree click:ref_5",
    "Sort by price. | tree click read",
    "Tick the filter for green tea. | tree tick tree",
    "Go to the second tab. | tree press:Details read",
    "Play the video. | tree click",
    "Set the slider to 5. | tree key:ArrowRight key:ArrowRight",
    "Move the card to Done. | tree drag tree",
    "View my portfolio. | tree press:Portfolio read",
    "Search for tea. | tree search:tea tree",
    "Search for a kettle under 40. | tree search:kettle tick read",
    "Look for trains to Basel. | tree fill:Basel fill:Zurich search:18:00 tree",
    "Find Ada in the directory. | search:Ada click read",
    "Look tea up and open the first hit. | search:tea tree click read",
    "Write to the shop that the parcel is late. | tree fill:late fill:Ada send tree",
    "Order two packets. | tree fill:2 tick send tree",
    "Sign up for the newsletter. | fill:ada send",
    "Book a table for two. | tree fill:2 fill:19:00 tick send read",
    "Answer the survey. | tree tick click fill:Good fill:Ada send",
    "Put three kinds into the form, do not send it. | fill:green fill:black fill:white tree",
    "Fill in my address. | tree fill:Ada fill:Lane fill:Town tree",
    "Open news.example and say what is new. | open:news.example/ read",
    "Open https://news.example/tea and read it. | open:news.example/tea read scroll read",
    "Compare news.example and prices.example. | open:news.example/ read open:prices.example/ read",
    "Go to prices.example and search for tea. | open:prices.example/ tree search:tea tree",
    "Go to prices.example and open the menu. | open:prices.example/ tree click read",
    "Find the maker's own site and read about it. | tree open:maker.example/ read",
    "Find the maker's site and open its shop. | open:maker.example/ tree click read",
    "See whether the maker sells it cheaper. | read open:maker.example/ search:tea tree back read",
    "Go back. | back read",
    "Look at the next article and come back. | click read back read",
    "What does the API say about tea? | fetch:api.example/tea",
    "Read both pages of the manual. | fetch:docs.example/1 fetch:docs.example/2",
    "Compare the price here with that at the maker. | read fetch:maker.example/price",
    "Save the manual. | tree save:shop.example/guide.pdf",
    "Save all three papers. | save:a.example/1.pdf,a.example/2.pdf,a.example/3.pdf",
    "Open the list and save it. | tree click save:shop.example/price-list.txt",
    "Type the name into the card form. | tree frame:Ada",
    "Fill in the form and the card's frame. | tree fill:Ada frame:Ada",
)


@dataclass
class Played:
    """How one task went."""

    questions: int
    status: str
    refused: list[str] = field(default_factory=list)


def probe(asked: PageCall) -> dict[str, Any]:
    """What the page says of a call: the form's own button and Enter in its field send it."""
    args = asked.args["args"]
    sends = args.get("ref_id") == SEND or args.get("submit") is True
    return dict(PROBE_YES) if sends else {**PROBE_NO, "commits": False, "control": "Details"}


async def play(task: str, confirm: Any = None, confidence: float = SURE) -> Played:
    """Do one task; answer every question with its yes. ``confirm`` takes the place of the real gate,
    ``confidence`` is what the model says of its plan.
    """
    text, _, plan = task.partition(" | ")
    # At the end it looks: nobody is believed a success that was not seen.
    words = [*plan.split(), "tree"]
    steps = [STEPS[name](rest) for name, _, rest in (step.partition(":") for step in words)]
    host = page_host()
    host.browser.move(TAB, "https://shop.example/teas")  # there is a page to go back to
    for place in ("api.example", "docs.example", "maker.example"):
        reply = Reply(headers={"content-type": "text/plain"}, chunks=[b"Tea"])
        host.http.on("GET", f"https://{place}/*", reply)
    end = call("done", summary="Done.", outcome="success")
    # The bench allows its hosts beforehand; here nothing is.
    bench = Bench(*steps, end, host=host, plans=True, confirm=confirm or agent_parts().confirm)
    bench.model.plan = {"confidence": confidence, "requires_state_change": task in WORKING and acts(steps)}
    host.page.on("submit_probe", probe)
    person = asyncio.ensure_future(answer_all(bench))
    events = await bench.run(text)
    person.cancel()
    refused = [
        event["data"]["result"]
        for event in events
        if event["type"] == "tool_result" and any(code in event["data"]["result"] for code in REFUSALS)
    ]
    kinds = [event["type"] for event in events]
    return Played(
        kinds.count("clarify") + kinds.count("plan_review"), bench.last("run_complete")["status"], refused
    )


def acts(steps: list[Any]) -> bool:
    """Whether a task's calls change something."""
    return any(spec.effect for step in steps if (spec := registry.get(step.name)))


async def answer_all(bench: Bench) -> None:
    """The person."""
    answered = 0
    while True:
        questions = [event for event in bench.events() if event["type"] in ("clarify", "plan_review")]
        for event in questions[answered:]:
            data = event["data"]
            if event["type"] == "clarify":
                yes = {"cardId": data["cardId"], "answer": data["options"][0]["id"]}
                await bench.app.handle_ui("card.answer", {"tabId": TAB, **yes})
            else:
                yes = {"planId": data["planId"], "decision": "approved"}
                await bench.app.handle_ui("plan.answer", {"tabId": TAB, **yes})
        answered = len(questions)
        await asyncio.sleep(0)


def test_there_are_sixty() -> None:
    assert len({*READING, *WORKING}) == 60


@pytest.mark.parametrize("task", READING, ids=lambda task: task.split(" | ")[0])
async def test_reading_the_open_page_asks_nothing(task: str) -> None:
    played = await play(task)
    assert played == Played(0, "completed")


@pytest.mark.parametrize("confidence", [SURE, UNSURE])
async def test_working_asks_rarely_and_fails_never(confidence: float) -> None:
    """Also where the model is so unsure of every single task that each plan waits for a look."""
    counts = {}
    for task in WORKING:
        played = await play(task, confidence=confidence)
        counts[task] = played.questions
        assert played.status == "completed", task
        assert played.refused == [], task
    assert max(counts.values()) <= MOST, {task: count for task, count in counts.items() if count > MOST}
    assert median(counts.values()) <= MEDIAN
    assert min(counts.values()) == (confidence == UNSURE), "what the user named needs no question of the gate"
    print(f"questions in {len(counts)} tasks: median {median(counts.values())}, most {max(counts.values())}")


async def test_control_a_reading_task_that_the_model_is_unsure_of_would_be_counted() -> None:
    assert (await play(READING[0], confidence=UNSURE)).questions == 1


class Forgetful(dict[Need, bool]):
    """Answers of a gate that grants nothing for a task."""

    def __setitem__(self, need: Need, answer: bool) -> None:
        """Forget it."""


async def test_control_without_grants_people_would_be_asked_too_often() -> None:
    counts = [
        (await play(task, lambda leave: (Gate(replace(leave, once=Forgetful())),))).questions
        for task in WORKING
    ]
    assert max(counts) > MOST or median(counts) > MEDIAN
