"""The run so far, in one line per step, read off the messages it left behind."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final
from urllib.parse import urlsplit

from webbrain.agent import enrich
from webbrain.agent.planner_text import is_agreed, is_plan, plan_lines
from webbrain.core.messages import Message, ToolCall
from webbrain.policy.results import NOTE
from webbrain.providers.loose_json import leading_object

OUTCOME_CHARS: Final = 120
VALUE_CHARS: Final = 80
PATH_CHARS: Final = 60
TEXT_CHARS: Final = 1_500
EARLIER_TURNS: Final = 4
EARLIER_CHARS: Final = 300
STEPS_SHOWN: Final = 24

ROLES: Final = {"a": "link", "input": "textbox", "textarea": "textbox", "select": "combobox"}
"""By tag, where the role is called otherwise."""
TICKED: Final = ("checkbox", "radio")
TELLING: Final = ("message:", "opened:", "closed:", "invalid")
"""How entries of ``changed`` begin that are worth a model's attention."""
LEAVING: Final = frozenset({"navigate", "go_back", "go_forward", "switch_tab"})

_JSON_START = re.compile(r"^\{", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Step:
    """One call and what came of it. ``data`` is empty while there is no readable result."""

    call: ToolCall
    args: dict[str, Any]
    data: dict[str, Any] = field(default_factory=dict)
    target: str = ""
    """The element in words, e.g. ``link "Help"``."""

    @property
    def ref(self) -> str:
        """The element it was about, or an empty string."""
        ref = self.args.get("ref_id")
        return ref if isinstance(ref, str) else ""

    @property
    def ok(self) -> bool:
        """True if the tool says that it worked."""
        return self.data.get("success") is True

    @property
    def new_page(self) -> bool:
        """True if the tab shows another page after it."""
        return "currentUrl" in self.data or (self.ok and self.call.name in LEAVING)

    @property
    def new_tabs(self) -> list[int]:
        """Numbers of the tabs that it opened."""
        one, several = self.data.get("newTab"), self.data.get("newTabs")
        opened = several if isinstance(several, list) else [one]
        return [tab["tabId"] for tab in opened if isinstance(tab, dict) and isinstance(tab.get("tabId"), int)]

    @property
    def idle(self) -> bool:
        """True if it failed, or worked and nothing on the page changed."""
        if not self.ok:
            return True
        if self.new_tabs or "dialog" in self.data:
            return False
        if self.target.startswith("link "):
            # The link of the page we are on: it loads, and nothing is different.
            before, after = self.data.get("previousUrl"), self.data.get("currentUrl")
            if after is not None:
                return _page(after) == _page(before)
            return all(_nothing(text) for text in self.data.get("changed") or [])
        return not self.new_page and self.data.get("changed") in ([], ["nothing"])


def _page(url: Any) -> str:
    return str(url).partition("#")[0].rstrip("/")


def _nothing(change: Any) -> bool:
    return isinstance(change, str) and change.startswith(("nothing", "leaving", "focus"))


def split(messages: Sequence[Message]) -> tuple[list[Message], list[Message]]:
    """Messages before the newest words of the user, and those from there on."""
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if message.role == "user" and not message.content.startswith(enrich.NOTE):
            return list(messages[:index]), list(messages[index:])
    return [], list(messages)


def steps(run: Sequence[Message], known: dict[str, Step] | None = None) -> list[Step]:
    """The calls of this run, oldest first. ``known`` keeps those that have a result, by the call's id: a long
    run reads each result once.
    """
    known = {} if known is None else known
    results = {message.tool_call_id: message.content for message in run if message.role == "tool"}
    out = []
    for message in run:
        for call in message.tool_calls:
            step = known.get(call.id)
            if step is None:
                step = Step(call, _arguments(call), _data(results.get(call.id, "")))
                if call.id in results:
                    known[call.id] = step
            out.append(step)
    return out


def earlier(before: Sequence[Message]) -> list[str]:
    """What was said before this task, a line per turn, the newest few."""
    lines = []
    for message in before:
        if message.role == "user" and not message.content.startswith(enrich.NOTE):
            lines.append(f"User: {_short(enrich.own_words(message.content))}")
        elif message.role == "assistant" and message.content.strip() and not message.tool_calls:
            lines.append(f"You: {_short(message.content)}")
    return lines[-EARLIER_TURNS:]


def notes(run: Sequence[Message]) -> list[str]:
    """What we told the model after its last call, e.g. that its answer was empty."""
    out: list[str] = []
    for message in reversed(run):
        if message.role == "tool":
            break
        if message.role == "user" and message.content.startswith(enrich.NOTE) and not is_plan(message):
            out.append(message.content)
    return out[::-1][-2:]


def agreed(run: Sequence[Message]) -> list[str]:
    """The lines of the plan that the person has agreed to, perhaps in words of their own. A plan that nobody
    looked at is left out: what a small model thought of before it saw the page misleads it as often as not.
    """
    return next((plan_lines(message) for message in run if is_agreed(message)), [])


def named(step: Step, target: str) -> Step:
    """The step with its element in words: ``target``, or what its result says, if another run took it."""
    return replace(step, target=target or _told_target(step.data) or step.ref)


def _told_target(data: dict[str, Any]) -> str:
    meta = data.get("fieldMeta")
    field = {**(meta if isinstance(meta, dict) else {}), **data}
    names = (field.get(key) for key in ("name", "labelText", "ariaLabel", "placeholder"))
    name = next((name for name in names if isinstance(name, str) and name.strip()), "")
    tag = str(field.get("tag") or "").lower()
    role = str(field.get("type")) if field.get("type") in TICKED else ROLES.get(tag, tag)
    return f'{enrich.clean(role, PATH_CHARS)} "{enrich.clean(name, PATH_CHARS)}"' if name and tag else ""


def line(step: Step) -> str:
    """A step in one line. Words of the page in it have lost whatever could pass for structure."""
    args = step.args
    text = args.get("text")
    if step.target and isinstance(text, str):
        return f'{step.call.name} {step.target} = "{enrich.clean(text, VALUE_CHARS)}" -> {_outcome(step)}'
    rest = {key: value for key, value in args.items() if key != "ref_id"}
    plain = " ".join(enrich.clean(str(value), VALUE_CHARS) for value in rest.values())
    said = " ".join(part for part in (step.call.name, step.target, plain) if part)
    return f"{said} -> {_outcome(step)}"


def text_read(run_steps: Sequence[Step]) -> str:
    """The page text that the last ``read_page`` brought, if no step left that page since."""
    for step in reversed(run_steps):
        text = step.data.get("text")
        if step.call.name == "read_page" and isinstance(text, str):
            return text[:TEXT_CHARS]
        if step.new_page:
            return ""
    return ""


def _outcome(step: Step) -> str:
    data = step.data
    if not data:
        return "no result"
    if not step.ok:
        return "failed: " + enrich.clean(str(data.get("error", "unknown reason")), OUTCOME_CHARS)
    if step.new_page:
        path = urlsplit(str(data.get("currentUrl") or data.get("url") or "")).path
        return f"ok, now at {enrich.clean(path, PATH_CHARS) or 'a new page'}"
    if data.get("verified") is False:
        return "ok, the field shows: " + enrich.clean(str(data.get("actual", "nothing")), OUTCOME_CHARS)
    if isinstance(dialog := data.get("dialog"), dict):
        return "ok, the page asks: " + enrich.clean(str(dialog.get("message", "")), OUTCOME_CHARS)
    if step.new_tabs:
        return f"ok, opened tab {step.new_tabs[-1]}"
    if step.idle:
        return "ok, no visible change"
    return ", ".join(["ok", *_telling(data.get("changed"))])


def _telling(changed: Any) -> list[str]:
    """The first change that says how it went: a message of the page, something that opened or closed."""
    for text in changed if isinstance(changed, list) else []:
        if isinstance(text, str) and text.startswith(TELLING):
            return [enrich.clean(text, OUTCOME_CHARS)]
    return []


def _arguments(call: ToolCall) -> dict[str, Any]:
    try:
        value = json.loads(call.arguments)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _data(content: str) -> dict[str, Any]:
    """The JSON of a tool result, whatever stands around it."""
    match = _JSON_START.search(content)
    if not match:
        return {}
    data = leading_object(content[match.start() :])[0] or {}
    if data.get("success") is False and "error" not in data:
        # What we refused is said behind the page's words.
        data["error"] = content.partition(NOTE)[2].partition("\n")[0] or "refused"
    return data


def _short(text: str) -> str:
    return enrich.clean(text, EARLIER_CHARS)
