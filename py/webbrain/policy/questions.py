"""The questions about one call, drawn from its validated arguments and from what the page said of it."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

from webbrain.core.events import Card, CardField
from webbrain.core.types import Capability
from webbrain.host.reach import Download
from webbrain.policy.asking import (
    CONTROL_CHARS,
    FRESH_OPTIONS,
    GRANT_OPTIONS,
    PRESS_OPTIONS,
    STANDING_OPTIONS,
    TASK_OPTIONS,
    Ask,
    card,
    detail,
)
from webbrain.policy.credentials import MASK, names_secret
from webbrain.policy.grants import Need
from webbrain.policy.origins import is_local, known_key, quoted
from webbrain.policy.place import Place
from webbrain.policy.repeats import Press
from webbrain.policy.sites import cookies_for
from webbrain.tools.base import ToolContext, ToolSpec
from webbrain.tools.saving import base_name
from webbrain.tools.state import Dialog

WORK: Final = (Capability.CLICK, Capability.TYPE, Capability.NAVIGATE)
"""What one card grants together: working on a host."""
OPENS_A_TAB: Final = frozenset({"research_url"})
"""Tools that read as a tab does: with the cookies of whatever site it is."""
REFS: Final = ("ref_id", "fromRefId", "toRefId")

Destination = tuple[str, list[str]]
"""A host (key of ``policy.origins``), and the addresses a call opens there if it is not the page's own."""


@dataclass(slots=True)
class Question:
    """A card, and what a yes to it is worth."""

    card: Card
    grants: tuple[Need, ...] = ()
    """What is granted until the user's next message; nothing: the yes counts for this call only."""
    standing: tuple[Need, ...] = ()
    """What is granted or denied if the person says so for good."""


@dataclass(slots=True)
class Call:
    """The call that is being asked about."""

    args: Mapping[str, Any]
    ctx: ToolContext
    spec: ToolSpec
    name_of: Callable[[str], str] = str
    place: Place | None = None
    control: str = ""
    """The name of what would be pressed, as the page says."""
    dialog: Dialog | None = None
    """The page's dialog that would be answered."""
    files: Sequence[Download] = ()
    """The downloads that would be uploaded."""
    attached: Sequence[str] = ()
    """And the names of the files that the person attached."""
    targets: Sequence[str] = ()
    """The addresses that it would open, as they were shown."""
    approved: frozenset[str] | None = None
    """The addresses that the page named for what would be saved."""
    inside: bool = False
    """Something would be saved that exists only in the page."""
    questions: list[Question] = field(default_factory=list)
    asked: Question | None = None
    """The question whose card is shown."""
    answered: bool = False
    """At least one card was shown for it."""
    submit_shown: bool = False
    press: Press | None = None
    writes: bool = False
    replayed: Sequence[CardField] = ()
    """What a request of the page's own carries that would be sent again, as a person may see it."""

    @property
    def confirms(self) -> bool:
        """It says yes to something that the page asks. An alert asks nothing, and whoever leaves a page is
        told of it elsewhere."""
        asks = self.dialog is not None and self.dialog.type in ("confirm", "prompt")
        return asks and bool(self.args.get("accept"))

    @property
    def page(self) -> str:
        """The address of the tab."""
        return self.place.url if self.place else ""

    def same_question(self, asked: Card) -> str:
        """What makes a question, once refused, the same question again."""
        call = f"{self.spec.name} {json.dumps(self.args, sort_keys=True, default=str)}"
        values = [(line.label, line.value) for line in (*asked.details, *asked.fields)]
        return f"{call} {self.place.key if self.place else ''} {asked.title} {values}"


def ordinary(call: Call, key: str, urls: Sequence[str]) -> Question:
    """The question whose yes is a grant for the host ``key``."""
    capability = call.spec.capability
    needs = tuple(Need(one, key) for one in WORK) if capability in WORK else (Need(capability, key),)
    lines = [detail("Address", url) for url in urls]
    if capability is Capability.WINDOW:
        size = ", ".join(f"{name} {value}" for name, value in call.args.items() if value is not None)
        return Question(card(Ask.WINDOW, "", TASK_OPTIONS, details=[detail("Size", size)]), needs)
    if capability is Capability.NETWORK:
        return Question(
            card(Ask.READ, key, GRANT_OPTIONS, details=lines, warnings=_of_reading(call, urls)), needs, needs
        )
    ask, lines = (Ask.OPEN, lines) if urls else (Ask.WORK, action(call))
    warnings = plain_text(urls or [call.page])
    return Question(card(ask, key, GRANT_OPTIONS, details=lines, warnings=warnings), needs, needs)


def fresh(call: Call, key: str, urls: Sequence[str]) -> Question:
    """The question about a download or an upload: for this call, or for good."""
    need = (Need(call.spec.capability, key),)
    if call.spec.capability is Capability.DOWNLOAD:
        lines = [detail("Address", url) for url in urls]
        if not urls or (call.inside and call.place is not None and key == call.place.key):
            lines += action(call)
        if call.args.get("filename"):
            lines.append(detail("File", str(call.args["filename"])))
        asked = card(Ask.DOWNLOAD, key, STANDING_OPTIONS, details=lines, warnings=plain_text(urls))
        return Question(asked, standing=need)
    lines = []
    for file in call.files:
        lines += [detail("File", base_name(file.filename)), detail("Address", file.final_url or file.url)]
    lines += [detail("File", name) for name in call.attached]
    return Question(card(Ask.UPLOAD, key, STANDING_OPTIONS, details=[*lines, *action(call)]), standing=need)


def confirming(call: Call, key: str) -> Question:
    """The question about a yes to what a page's dialog asks."""
    lines, warnings = action(call), plain_text([call.page])
    return Question(card(Ask.CONFIRM, key, PRESS_OPTIONS, details=lines, warnings=warnings))


def writing(call: Call, key: str, url: str) -> Question:
    """The question about a request that may change something: all of it."""
    lines = [detail("Request", f"{str(call.args.get('method') or 'GET').upper()} {url}")]
    if call.args.get("body") is not None:
        lines.append(detail("Body", str(call.args["body"])))
    lines += call.replayed
    return Question(card(Ask.API, key, FRESH_OPTIONS, details=lines, warnings=plain_text([url])))


def carrying(call: Call, key: str, urls: Sequence[str], carried: Sequence[CardField]) -> Question:
    """The question about text of elsewhere that leaves for ``key``: that text first, then how it leaves."""
    lines = [*carried]
    if call.writes:
        lines.append(detail("Request", str(call.args.get("method") or "GET").upper()))
    lines += [detail("Address", url) for url in urls] or action(call)
    if call.args.get("body") is not None:
        lines.append(detail("Body", str(call.args["body"])))
    lines += call.replayed
    ask = Ask.HIDDEN if any(line.masked for line in carried) else Ask.CARRY
    return Question(card(ask, key, FRESH_OPTIONS, details=lines, warnings=plain_text(urls)))


def action(call: Call) -> list[CardField]:
    """What a call does to the page."""
    args = dict(call.args)
    for name in REFS:
        if isinstance(args.get(name), str):
            args[name] = quoted(call.name_of(args[name]) or args[name], CONTROL_CHARS)
    if call.control:
        args["ref_id"] = f"“{quoted(call.control, CONTROL_CHARS)}”"
    lines = [detail("Action", call.spec.label_for(args))]
    if call.dialog is not None:
        lines.append(detail("Dialog", call.dialog.message))
    text = call.args.get("text")
    if (call.spec.capability is Capability.TYPE or call.dialog is not None) and isinstance(text, str):
        named = (str(args.get("ref_id") or ""), str(args.get("selector") or ""))
        secret = bool(text) and any(names_secret(part) for part in named)
        lines.append(detail("Enter", MASK if secret else text, masked=secret))
    return lines


def plain_text(urls: Sequence[str]) -> list[str]:
    """The warning for addresses whose traffic could be read on the way."""
    unsafe = (urlsplit(url).scheme.lower() == "http" and not is_local(known_key(url)) for url in urls)
    return ["plain_text"] if any(unsafe) else []


def _of_reading(call: Call, urls: Sequence[str]) -> list[str]:
    as_user = call.spec.name in OPENS_A_TAB or any(cookies_for(url, call.page) for url in urls)
    return [*(["as_user"] if as_user else []), *plain_text(urls)]
