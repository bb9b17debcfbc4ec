"""Conversations for the screens: events of made-up runs, written with the package's own event models.

So there is no picture of something that Python cannot say. Times are milliseconds before the page was opened.
"""

import copy
import json
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any, Self
from urllib.parse import quote

from webbrain.core import events as ev

TAB = 7
CONVERSATION = "c-1"


class Run:
    """Writes the events of a conversation, run by run."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self._seq = count(1)
        self._runs = count(1)
        self._calls = count(1)
        self._step = 0
        self._at = -90_000
        self._run = ""

    def ask(
        self,
        text: str,
        mode: str = "act",
        *,
        ago: int = 40_000,
        continued: bool = False,
        files: Sequence[ev.AttachedFile] = (),
    ) -> Self:
        """A person begins a run."""
        self._run, self._step, self._at = f"r-{next(self._runs)}", 0, -ago
        return self._add(ev.UserMessage(text=text, mode=mode, continued=continued, files=list(files)))

    def think(self, ms: int = 900) -> Self:
        """A model call."""
        self._step += 1
        self._add(ev.Thinking(step=self._step))
        self._at += ms
        return self

    def say(self, text: str, *, final: bool = False) -> Self:
        """Text, whole."""
        return self._add(ev.Text(content=text, final=final))

    def stream(self, text: str) -> Self:
        """Text, in pieces."""
        for start in range(0, len(text), 24):
            self._add(ev.TextDelta(delta=text[start : start + 24]))
        return self

    def tool(
        self,
        name: str,
        label: str,
        args: Mapping[str, Any],
        result: Mapping[str, Any] | None = None,
        *,
        ok: bool = True,
        unknown: bool = False,
        summary: str = "",
        ms: int = 240,
    ) -> Self:
        """A tool call, and its result if it has one."""
        call = f"call-{next(self._calls)}"
        self._add(
            ev.ToolCallStarted(call_id=call, name=name, label=label, args=json.dumps(args), step=self._step)
        )
        if result is None:
            return self
        self._at += ms
        return self._add(
            ev.ToolCallFinished(
                call_id=call,
                name=name,
                ok=ok,
                summary=summary,
                result=json.dumps(result),
                duration_ms=ms,
                unknown=unknown,
            )
        )

    def copy(self) -> Self:
        """The same so far, to go on differently from here."""
        return copy.deepcopy(self)

    def add(self, event: Any) -> Self:
        """Any other event."""
        return self._add(event)

    def end(self, status: str = "completed", outcome: str = "", *, ms: int = 12_400, **usage: Any) -> Self:
        """The run is over."""
        took: dict[str, Any] = {"prompt_tokens": 4_210 * self._step, "completion_tokens": 130, **usage}
        return self._add(
            ev.RunComplete(status=status, outcome=outcome, steps=self._step, duration_ms=ms, **took)
        )

    def _add(self, event: Any) -> Self:
        data = event.model_dump(mode="json", by_alias=True)
        run_event = ev.RunEvent(
            tab_id=TAB,
            conversation_id=CONVERSATION,
            run_id=self._run,
            request_id=f"q-{self._run}",
            seq=next(self._seq),
            type=ev.NAMES[type(event)],
            at=self._at,
            data=data,
        )
        self.events.append(run_event.model_dump(mode="json", by_alias=True))
        return self


LONG_ANSWER = """\
Three of the eleven jackets fit what you asked for: **waterproof**, under **150 €**, and in stock in size M.

| Jacket | Price | Water column | Weight |
| :-- | --: | --: | --: |
| Fjord Shell | 129.00 € | 10,000 mm | 410 g |
| Tarn Light | 99.50 € | 8,000 mm | 280 g |
| Moor Parka | 149.00 € | 15,000 mm | 720 g |

### What speaks for which

1. **Fjord Shell** has taped seams and pit zips; two reviews mention a short hood.
2. **Tarn Light** packs into its own pocket, but is only *water resistant* at the zip.
3. **Moor Parka** is the warmest, and the heaviest.

The size chart is on [the maker's page](https://maker.example/sizes). To compare them yourself, run:

```python
jackets = [j for j in page.products if j.waterproof and j.price < 150 and "M" in j.sizes]
for jacket in sorted(jackets, key=lambda j: j.price):
    print(f"{jacket.name:<16} {jacket.price:>8.2f} €   {jacket.weight} g")
```

> Prices are as shown today, without shipping.

- [x] waterproof
- [x] under 150 €
- [ ] delivery before Friday: the page does not say
"""

CARD = ev.Card(
    card_id="card-1",
    kind="submit",
    title="Send this form?",
    question="The agent wants to place the order with the button “Order now”.",
    host="shop.example",
    fields=[
        ev.CardField(label="Product", value="Fjord Shell, size M"),
        ev.CardField(label="Name", value="Ada Lind"),
        ev.CardField(label="Delivery on", value="2026-12-04"),
        ev.CardField(label="Gift note", value=""),
        ev.CardField(label="Voucher PIN", value="••••", masked=True),
    ],
    options=[
        ev.CardOption(id="once", label="Send once", style="primary"),
        ev.CardOption(id="deny", label="Do not send", style="secondary"),
    ],
)
LONG_CARD = CARD.model_copy(
    update={"fields": [ev.CardField(label=f"Guest {n}", value=f"Name of guest {n}") for n in range(1, 25)]}
)
PICTURE = "data:image/svg+xml," + quote(
    """<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="700" font-family="sans-serif">
<rect width="1000" height="700" fill="#f4f7fa"/><rect width="1000" height="72" fill="#20435c"/>
<text x="32" y="46" font-size="26" fill="#fff">Field &amp; Fjord</text>
<rect x="32" y="110" width="380" height="380" fill="#c9dbe6"/>
<path d="M120 430 220 190 320 430Z" fill="#2f6f8f"/>
<text x="450" y="160" font-size="34" fill="#16242e">Fjord Shell</text>
<text x="450" y="205" font-size="24" fill="#16242e">129.00 EUR</text>
<rect x="450" y="250" width="220" height="56" rx="8" fill="#c0562a"/>
<text x="488" y="286" font-size="22" fill="#fff">Put in basket</text></svg>"""
)
"""What the page looks like, as a data URL."""


def picture(number: int, reason: ev.PictureReason, description: str = "") -> ev.Picture:
    """A picture of that page."""
    return ev.Picture(
        picture_id=f"pic_{number}", reason=reason, width=1_000, height=700, description=description
    )


def shopping() -> Run:
    """The first steps of a run in Act."""
    return (
        Run()
        .ask("Order the Fjord Shell in size M, delivered next Friday")
        .think()
        .say("I'll look at the page first.")
        .tool(
            "get_accessibility_tree",
            "Read the page",
            {"filter": "interactive"},
            {"pageContent": "button “Fjord Shell”"},
        )
        .think()
        .tool(
            "click_ax",
            "Click “Fjord Shell”",
            {"ref_id": "ref_12"},
            {"success": True, "changed": ["url"]},
            ms=610,
        )
        .tool(
            "set_field",
            "Set “Size” to M",
            {"ref_id": "ref_31", "value": "M"},
            {"verified": True, "actual": "M"},
            ms=85,
        )
    )


def many_steps() -> Run:
    """A long run, with a failure on the way."""
    run = shopping()
    for number in range(1, 9):
        run.think(400).tool(
            "scroll", f"Scroll down, part {number}", {"direction": "down"}, {"success": True}, ms=64
        )
    run.think().tool(
        "click_ax",
        "Click “Check out”",
        {"ref_id": "ref_77"},
        {"success": False, "error": "covered"},
        ok=False,
        summary="The cookie banner “We value your privacy” covers it.",
        ms=132,
    )
    return run


def error_run(code: str, message: str, detail: str = "", *, retryable: bool = True) -> Run:
    """A run that ends with an error."""
    return (
        Run()
        .ask("What does this shop charge for delivery?", "ask")
        .think()
        .add(ev.RunError(code=code, message=message, detail=detail, retryable=retryable))
        .end("failed", ms=1200)
    )


SEEN = (
    "A shop's page for one jacket. At the top a dark blue bar with the name Field & Fjord. On the left a "
    "picture of a blue jacket; on the right its name, Fjord Shell, the price 129.00 EUR, and an orange "
    "button, Put in basket."
)


def following(*, ended: bool = True) -> Run:
    """A run that keeps a list of its items."""
    names = [
        "Ada Lovelace",
        "Bo Diddley",
        "Chidi Anagonye",
        "Donaudampfschifffahrtsgesellschaftskapitän Ernst",
    ]
    states: list[ev.RowStatus] = ["processed", "acted", "failed", "pending"]
    rows = [
        ev.ProgressRow(
            id=name, label=name, status=status, reason="the profile is private" if status == "failed" else ""
        )
        for name, status in zip(names, states, strict=True)
    ]
    run = Run().ask("Follow everybody on this list").think()
    run.tool("progress_update", "Update the progress list", {"items": []}, {"updated": 4}).add(
        ev.Progress(session="1", rows=rows)
    )
    run.think().tool("click_ax", "Click “Follow”", {"ref_id": "ref_12"}, {"success": True}, ms=610)
    if not ended:
        return run.think()
    undone = [
        ev.Undone(label=row.label, status=row.status, reason=row.reason)
        for row in rows
        if row.status != "processed"
    ]
    undone.append(ev.Undone(label="Click “Follow”", status="unknown"))
    return run.add(ev.Text(content="I followed Ada Lovelace.", final=True, undone=undone))


def looking(description: str = "") -> Run:
    """A run that takes pictures: at the start, after a change, and because the agent asked."""
    return (
        Run()
        .ask("Put the blue jacket into the basket")
        .add(picture(1, "first", description))
        .think()
        .tool("click_ax", "Click “Fjord Shell”", {"ref_id": "ref_12"}, {"success": True}, ms=610)
        .add(picture(2, "auto", description))
        .think()
        .tool("inspect_viewport", "Look at the page", {}, {"captureId": "cap_1"}, ms=190)
        .add(picture(3, "asked", description))
        .think()
        .tool("click", "Click Put in basket", {"text": "Put in basket"}, {"success": True}, ms=420)
    )
