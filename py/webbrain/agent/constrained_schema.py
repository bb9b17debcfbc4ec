"""The JSON schema of one turn: only calls that make sense on the page as it is now.

One object, ``{"finished": ..., "element": ..., "tool": ..., ...}``, as alternatives by tool. ``element`` is
an enumeration of what the tool can act on; a select takes only its own options, a date field only dates.
What was done already, or tried twice in vain, is left out.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from webbrain.agent import constrained_words
from webbrain.agent.constrained_ends import Ends
from webbrain.agent.constrained_page import Element, describe, label, plain_text
from webbrain.agent.constrained_steps import Step
from webbrain.agent.constrained_values import PATTERNS, named, unused_names, unused_quotes, unused_secret
from webbrain.agent.turns import Control, TurnState
from webbrain.tools.base import ToolSpec

REFS: Final = 200
SELECTS: Final = 12
OPTIONS: Final = 80
TEXT_CHARS: Final = 400
SUMMARY_CHARS: Final = 300
IN_VAIN: Final = 2
"""A call that changed nothing this often is not offered again."""
IN_A_ROW: Final = 4
"""Nor is one that was made this often in a row, whatever it changed."""

SELECT_TOOL: Final = "type_ax"
"""The tool that chooses in a native select; on text fields ``set_field`` does all it can."""
FIELD_TOOL: Final = "set_field"
NEVER: Final = frozenset(
    {
        "clarify",
        "click",
        "close_tab",
        "extract_data",
        "fetch_url",
        "find_text",
        "get_accessibility_tree",
        "get_interactive_elements",
        "get_window_info",
        "inspect_viewport",
        "list_downloads",
        "progress_read",
        "progress_update",
        "read_pdf",
        "research_url",
        "scratchpad_write",
        "set_checked",
        "type_text",
        "wait_for_element",
        "wait_for_stable",
    }
)
"""Tools that make a small model worse: a fresh tree is in every prompt, selectors are beyond it, and of two
ways to do the same it takes the wrong one as often as not."""
SWITCH_TOOL: Final = "switch_tab"
"""Offered once an action opened a tab, with the numbers of the tabs it opened."""
DIALOG_TOOL: Final = "answer_dialog"
"""Offered while a dialog keeps the page from going on, and then alone."""

_URL = re.compile(
    r"https?://|www\.|(?<![@\w.-])(?:[\w-]+\.)+(?:com|org|net|io|dev|edu|gov|de|fr|uk|eu)\b|\blocalhost\b",
    re.IGNORECASE,
)
"""An address in a task; the host of an e-mail address is none."""
_OPTIONAL = re.compile(r"\b(?:optional\w*|facultati\w*|opcional\w*|opzional\w*)\b", re.IGNORECASE)
"""How fields are marked that may stay empty, in the six languages."""
FINISHED: Final = "finished"
"""The first key of every answer: the model judges the task before it picks a tool. Without it a small model
acts on for ever.
"""
ELEMENT: Final = "element"
"""The key that names the element a tool is for, in place of the tool's ``ref_id``."""
ENDS: Final = frozenset({"done", "answer"})
AIMLESS: Final = frozenset({"scroll", "press_keys"})

Schema = dict[str, Any]


class TurnSchema:
    """Builds the alternatives of one turn."""

    def __init__(
        self,
        state: TurnState,
        elements: Mapping[str, Element],
        done_steps: Sequence[Step],
        seen: Collection[str] = (),
    ) -> None:
        """``seen``: names of what could be clicked before the last form was sent."""
        self._state = state
        self._elements = elements
        self._steps = done_steps
        self._controls = state.page.controls[:REFS] if state.page else ()
        self._in_vain = _in_vain(done_steps)
        self._ends = Ends(state.task, self._controls, done_steps, seen, plain_text(state.page))

    def build(self) -> Schema:
        """The schema for the answer."""
        waiting = [tool for tool in self._state.tools if tool.name == DIALOG_TOOL and self._dialog_open()]
        tools = waiting or self._state.tools
        if not waiting and self._ends.over():
            tools = [tool for tool in tools if tool.name in ENDS]
        branches = [branch for tool in tools for branch in self._branches(tool)]
        if not waiting and self._ends.arrived() and not self._cut_short():
            useful = [branch for branch in branches if not _aimless(branch)]
            branches = useful if all(_ends(branch) for branch in useful) else branches
        if not waiting and not (branches and any(tool.name == "done" for tool in self._state.tools)):
            branches.append(_object("answer", {"text": _text(SUMMARY_CHARS)}))
        return {"anyOf": branches} if len(branches) > 1 else branches[0]

    def _branches(self, tool: ToolSpec) -> list[Schema]:
        if tool.name in NEVER or self._senseless(tool.name):
            return []
        if tool.name == "done":
            return self._done(tool)
        if tool.name == SWITCH_TOOL:
            tabs = self._new_tabs()
            return [_object(tool.name, {"tab_id": {"enum": tabs}})] if tabs else []
        if tool.acts_on == "click":
            return self._referring(tool, self._clickable())
        if tool.name == FIELD_TOOL:
            return self._fields(tool, self._typeable())
        if tool.name == SELECT_TOOL:
            return self._selects(tool) or self._fields_without_field_tool(tool)
        if tool.acts_on == "type":
            return self._fields(tool, self._typeable())
        if tool.acts_on == "any":
            return self._referring(tool, list(self._controls))
        return self._plain(tool)

    def _senseless(self, name: str) -> bool:
        task = self._state.task
        words = constrained_words.of(task)
        if name == DIALOG_TOOL:
            return not self._dialog_open()
        if name == "navigate":
            return not _URL.search(task)
        if name == "get_selection":
            return not words.selection.search(task)
        if name == "go_back":
            return not words.back.search(task)
        if name == "go_forward":
            return not words.forward.search(task)
        if name == "read_page":
            return not self._cut_short() or self._read_already()
        if name == "scroll" and self._state.page and not self._state.page.truncated:
            return any(
                step.call.name == "scroll" and step.data.get("moved") is False for step in self._steps[-2:]
            )
        return False

    def _dialog_open(self) -> bool:
        """The last step left a JavaScript dialog open."""
        return bool(self._steps) and isinstance(self._steps[-1].data.get("dialog"), Mapping)

    def _new_tabs(self) -> list[int]:
        """Tabs that the steps opened and none went to."""
        found: list[int] = []
        for step in self._steps:
            if step.call.name == SWITCH_TOOL and step.ok:
                found = [tab for tab in found if tab != step.args.get("tab_id")]
            found += [tab for tab in step.new_tabs if tab not in found]
        return found

    def _cut_short(self) -> bool:
        """The tree does not hold all text of the page."""
        page = self._state.page
        return page is None or page.truncated or "…" in page.tree or not page.controls

    def _read_already(self) -> bool:
        for step in reversed(self._steps):
            if step.call.name == "read_page" and step.ok:
                return True
            if step.new_page:
                return False
        return False

    def _clickable(self) -> list[Control]:
        """Links, buttons and boxes; a box that we ticked stays ticked; an open list of ours is answered
        first."""
        found = []
        for control in self._controls:
            element = self._elements.get(control.ref)
            if not control.can & {"click", "toggle"} or "type" in control.can or "select" in control.can:
                continue
            if {control.ref, describe(control, control.ref)} & self._in_vain["click_ax"]:
                continue
            ticked = (
                element is not None and element.checked and element.role in ("checkbox", "radio", "switch")
            )
            if ticked and any(s.ref == control.ref and s.ok for s in self._steps):
                continue
            if self._ends.useless(control, overlay=element is not None and element.overlay):
                continue
            found.append(control)
        pending = self._pending_options()
        if pending:
            return [control for control in found if control.ref in pending] or found
        if self._value_missing():
            # Neither send what is not complete nor leave it.
            return [control for control in found if control.role not in ("button", "link")]
        if self._not_sent_yet():
            # Links lead away from what was entered.
            return [control for control in found if control.role != "link"] or found
        early = self._buttons_too_early()
        return [control for control in found if control.ref not in early]

    def _buttons_too_early(self) -> set[str]:
        """Buttons right behind fields of which one is empty that the task has a value for.

        Numbers do not count before a form was begun: a task has them for many reasons.
        """
        used = {str(step.args["text"]) for step in self._steps if step.ok and "text" in step.args}
        empty = {
            control.ref
            for control in self._typeable()
            if self._lacks_typed(control, used) and self._elements[control.ref].kind != "number"
        }
        found: set[str] = set()
        lacking = after_button = False
        for control in self._controls:
            if control.role == "link":
                lacking = False
            elif control.role == "button":
                after_button = True
                if lacking:
                    found.add(control.ref)
            else:
                lacking = (lacking and not after_button) or control.ref in empty
                after_button = False
        return found

    def _lacks_typed(self, control: Control, used: Collection[str]) -> bool:
        """An empty field whose type says that a value of the task belongs there, which is not used yet."""
        element = self._elements.get(control.ref)
        if element is None:
            return False
        if element.kind == "password":
            return unused_secret(self._state.task, used)
        if element.value or element.kind not in ("date", "number", "email"):
            return False
        return bool(set(named(element.kind, self._state.task) or ()) - set(used))

    def _value_missing(self) -> bool:
        """A form was begun, and a typed field is empty for which the task names a value not yet used."""
        used = {str(step.args["text"]) for step in self._steps if step.ok and "text" in step.args}
        begun = any(step.ok and "text" in step.args and not step.new_page for step in self._steps)
        words = constrained_words.of(self._state.task)
        shown = [name for element in self._elements.values() for name in (element.name, *element.options)]
        shown += [control.name.partition(" (")[0] for control in self._controls]
        for control in self._typeable() if begun else []:
            element = self._elements.get(control.ref)
            if self._lacks_typed(control, used):
                return True
            if element is not None and not element.value and element.kind not in PATTERNS:
                if words.naming.search(control.name) and unused_names(self._state.task, used, shown):
                    return True
                if not _OPTIONAL.search(control.name) and unused_quotes(self._state.task, used, shown):
                    return True
        return False

    def _pending_options(self) -> set[str]:
        """Options of a list that opened because of the last step."""
        if not self._steps or not self._steps[-1].ok or self._steps[-1].new_page:
            return set()
        return {e.ref for e in self._elements.values() if e.overlay and e.role in ("option", "menuitem")}

    def _typeable(self) -> list[Control]:
        """Text fields, without those that hold what we put there."""
        return [
            control
            for control in self._controls
            if "type" in control.can and "select" not in control.can and not self._settled(control)
        ]

    def _settled(self, control: Control) -> bool:
        if control.ref in self._in_vain[FIELD_TOOL] | self._in_vain[SELECT_TOOL]:
            return True
        written = [s for s in self._steps if s.ref == control.ref and isinstance(s.args.get("text"), str)]
        if not written or not written[-1].ok:
            return False
        element = self._elements.get(control.ref)
        text = str(written[-1].args["text"]).strip()
        if element is None:
            return False
        if element.kind == "password" or control.can & {"select"}:
            return True
        shown = element.value.strip()
        if written[-1].data.get("verified") is False and shown:
            # The page writes the value in its own way; that is as good as it gets.
            return shown == str(written[-1].data.get("actual", "")).strip()
        return shown == text or (shown.endswith("…") and text.startswith(shown[:-1]))

    def _not_sent_yet(self) -> bool:
        """Something was entered for a task that asks to send it, and no button was pressed since."""
        words = constrained_words.of(self._state.task)
        if not words.sending.search(words.not_sending.sub("", self._state.task)):
            return False
        for step in reversed(self._steps):
            if step.new_page or (step.ok and step.target.startswith(("button ", "link "))):
                return False
            if step.call.name == "press_keys" and not step.idle:
                return False
            if step.ok and isinstance(step.args.get("text"), str):
                return any(control.role == "button" for control in self._controls)
        return False

    def _referring(self, tool: ToolSpec, controls: Iterable[Control]) -> list[Schema]:
        labels = [label(control) for control in controls]
        return [_object(tool.name, self._required(tool, {"ref_id"}), labels)] if labels else []

    def _fields(self, tool: ToolSpec, controls: Iterable[Control]) -> list[Schema]:
        """One alternative per kind of field. What calls itself optional is offered if the task speaks of it.

        A typed field takes what the task names of its kind; if that is nothing, it is offered only once the
        page insists on it.
        """
        kinds: dict[str, list[str]] = {}
        for control in controls:
            if _OPTIONAL.search(control.name) and not self._ends.mentions(_OPTIONAL.sub("", control.name)):
                continue
            element = self._elements.get(control.ref)
            kind = element.kind if element and element.kind in PATTERNS else ""
            kinds.setdefault(kind, []).append(label(control))
        out = []
        for kind, labels in kinds.items():
            values = named(kind, self._state.task) if kind else None
            if values == [] and not self._page_insists():
                continue
            text = {"enum": values} if values else _text(TEXT_CHARS, PATTERNS.get(kind, ""))
            out.append(_object(tool.name, {"text": text}, labels))
        return out

    def _page_insists(self) -> bool:
        """A button was pressed and we are still on the page: it may want more than the task says."""
        for step in reversed(self._steps):
            if step.new_page:
                return False
            if step.target.startswith("button "):
                return True
        return False

    def _fields_without_field_tool(self, tool: ToolSpec) -> list[Schema]:
        if any(other.name == FIELD_TOOL for other in self._state.tools):
            return []
        return self._fields(tool, self._typeable())

    def _selects(self, tool: ToolSpec) -> list[Schema]:
        out = []
        selects = [control for control in self._controls if "select" in control.can]
        offered = {
            control.ref: list(element.options[:OPTIONS])
            if (element := self._elements.get(control.ref))
            else []
            for control in selects
        }
        for control in self._ends.only_named(selects, offered):
            if self._settled(control):
                continue
            options = offered[control.ref]
            text: Schema = {"enum": options} if options else _text(TEXT_CHARS)
            out.append(_object(tool.name, {"text": text}, [label(control)]))
        return out[:SELECTS]

    def _plain(self, tool: ToolSpec) -> list[Schema]:
        if "" in self._in_vain[tool.name]:
            return []
        properties = self._required(tool, set())
        if tool.name == "press_keys":
            keys = self._keys()
            return [_object(tool.name, {**properties, "key": {"enum": keys}})] if keys else []
        if tool.name == "scroll" and not any(
            s.call.name == "scroll" and s.data.get("moved") for s in self._steps
        ):
            properties["direction"] = {"enum": ["down", "bottom"]}
        return [_object(tool.name, properties)]

    def _keys(self) -> list[str]:
        """Keys that mean something now: Enter after typing, Escape for what lies over the page."""
        last = self._steps[-1] if self._steps else None
        typed = last is not None and last.ok and isinstance(last.args.get("text"), str)
        keys = ["Enter"] if typed and not self._value_missing() else []
        return [*keys, "Escape"] if any(e.overlay for e in self._elements.values()) else keys

    def _done(self, tool: ToolSpec) -> list[Schema]:
        properties = self._required(tool, {"summary"})
        if "outcome" in properties and (
            self._nothing_done_yet() or self._not_sent_yet() or self._ends.button_left()
        ):
            # While all goes well there is no reason to give up, which small models like better than a button.
            all_well = all(s.ok and not s.idle and s.data.get("moved") is not False for s in self._steps)
            left = self._clickable() or self._value_missing() if self._steps else self._controls
            if all_well and left:
                return []
            properties["outcome"] = {"enum": ["partial", "failed"]}
        return [_object(tool.name, {**properties, "summary": _text(SUMMARY_CHARS)})]

    def _nothing_done_yet(self) -> bool:
        """A task that is no question cannot be over before anything was done for it; small models say so."""
        effects = {tool.name for tool in self._state.tools if tool.effect}
        question = constrained_words.of(self._state.task).question
        return not question.search(self._state.task) and not any(s.call.name in effects for s in self._steps)

    @staticmethod
    def _required(tool: ToolSpec, without: set[str]) -> dict[str, Schema]:
        """The arguments a tool cannot do without, as plain as they can be put."""
        args = tool.schema().parameters
        needed = [name for name in args.get("required", []) if name not in without]
        return {name: _simple(args["properties"].get(name, {}), args.get("$defs", {})) for name in needed}


def _in_vain(done_steps: Sequence[Step]) -> defaultdict[str, set[str]]:
    """By tool: refs, and elements in words, whose call was tried often enough without any effect.

    Refs are forgotten when the page changes, words are not: the same useless link is there again.
    """
    tries: Counter[tuple[str, str, str]] = Counter()
    out: defaultdict[str, set[str]] = defaultdict(set)
    for step in done_steps:
        words = step.target.startswith("link ")
        if step.new_page and not step.idle:
            tries.clear()
            out.clear()
        key = (
            step.call.name,
            step.target if words else step.ref,
            str(sorted(step.args.values(), key=str)) * (not words),
        )
        if step.idle:
            tries[key] += 1
            if tries[key] >= (1 if words else IN_VAIN):
                out[step.call.name].add(key[1])
    last = done_steps[-IN_A_ROW:]
    if len(last) == IN_A_ROW and len({(step.call.name, step.ref, step.call.arguments) for step in last}) == 1:
        out[last[0].call.name].add(last[0].ref)
    return out


def _ends(branch: Schema) -> bool:
    return branch["properties"]["tool"]["const"] in ENDS


def _aimless(branch: Schema) -> bool:
    """It moves about and does nothing on the page."""
    return branch["properties"]["tool"]["const"] in AIMLESS


def _object(tool: str, properties: Mapping[str, Schema], labels: Sequence[str] = ()) -> Schema:
    """Key order is the order of writing: the verdict, the element, the tool, and what depends on both.

    The element comes before the tool, because finding it is what a small model does best: it then cannot take
    the wrong tool for it.
    """
    keys: dict[str, Schema] = {FINISHED: {"const": "yes" if tool in ENDS else "no"}}
    if labels:
        keys[ELEMENT] = {"enum": list(labels)}
    keys |= {"tool": {"const": tool}, **properties}
    return {"type": "object", "properties": keys, "required": list(keys), "additionalProperties": False}


def _text(limit: int, pattern: str = "") -> Schema:
    if pattern:
        return {"type": "string", "pattern": pattern}
    return {"type": "string", "minLength": 1, "maxLength": limit}


def _simple(schema: Schema, definitions: Mapping[str, Schema]) -> Schema:
    """A property without prose and defaults."""
    if isinstance(ref := schema.get("$ref"), str):
        schema = definitions.get(ref.rsplit("/", 1)[-1], {})
    kept = {k: v for k, v in schema.items() if k in ("type", "enum", "const", "minimum", "maximum")}
    if kept.get("type") == "string" and "enum" not in kept:
        return _text(TEXT_CHARS)
    return kept or {"type": "string"}
