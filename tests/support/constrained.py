"""A page, a task and the schema that constrained calls make of them, for tests."""

# ruff: noqa: E501 - trees and answers are read by the line

import json
from typing import Any

import jsonschema

from webbrain.agent import enrich
from webbrain.agent.constrained import ConstrainedTurns
from webbrain.agent.constrained_page import elements
from webbrain.agent.turns import Control, PageView, TurnState
from webbrain.core.ids import nonce
from webbrain.core.messages import Message, ModelReply
from webbrain.core.results import ToolResult
from webbrain.core.types import Mode, Tier
from webbrain.host.protocols import Capabilities
from webbrain.policy.results import render_result
from webbrain.tools import registry

TREE = """navigation "Main" [ref_1]
 link "News" [ref_2] href="/news"
heading "Order" [ref_3]
 textbox "Name" [ref_4] type="text"
 textbox "Day" [ref_5] type="date"
 spinbutton "Pieces" [ref_6] type="number" min="1"
 combobox "Small" [ref_7] label="Size"
  option "Small" (selected)
  option "Extra \\"large\\""
 checkbox "Gift" [ref_8] type="checkbox" checked="false"
 button "Order" [ref_9]
 text "Sent within two days" """
CAN = {"ref_2": "click", "ref_4": "type", "ref_5": "type", "ref_6": "type", "ref_7": "select", "ref_8": "toggle click",
       "ref_9": "click"}  # fmt: skip
TASK = "Order 2 pieces for Ada."


def page(tree: str = TREE, *, url: str = "https://shop.example/order", truncated: bool = False) -> PageView:
    found = elements(PageView(url, "", tree))
    controls = tuple(
        Control(ref, found[ref].role, shown(ref, found[ref].name), frozenset(can.split()))
        for ref, can in CAN.items()
        if ref in found
    )
    return PageView(url, "Order", tree, controls, truncated)


def shown(ref: str, name: str) -> str:
    """A select is listed with its label and what is chosen in it."""
    return f"Size ({name})" if CAN[ref] == "select" else name


class Run:
    """A run that is told what each call came to."""

    def __init__(
        self, task: str = TASK, *, mode: Mode = Mode.ACT, tree: str = TREE, truncated: bool = False
    ) -> None:
        self.turns = ConstrainedTurns()
        self.messages = [Message(role="user", content=enrich.user_turn(task, "Sunday", None))]
        self.task, self.mode = task, mode
        self.page = page(tree, truncated=truncated)
        self.tools = registry.tools_for(mode, Tier.COMPACT, Capabilities(browser="memory"))

    @property
    def state(self) -> TurnState:
        return TurnState(
            system="You operate a page.",
            task=self.task,
            messages=self.messages,
            tools=self.tools,
            mode=self.mode,
            tier=Tier.COMPACT,
            page=self.page,
        )

    def step(self, answer: dict[str, Any], tree: str | None = None, **data: Any) -> None:
        """The model answers, the tool does it, the page is perhaps another one."""
        assert self.allows(answer), answer
        (call,) = self.turns.read(ModelReply(text=json.dumps(answer)), self.state).calls
        spec = next(tool for tool in self.state.tools if tool.name == call.name)
        result = ToolResult(data.pop("success", True), {"changed": ["value"], **data})
        self.messages.append(Message(role="assistant", tool_calls=[call]))
        content = render_result(spec, result, nonce=nonce())
        self.messages.append(Message(role="tool", content=content, tool_call_id=call.id, name=call.name))
        if tree is not None:
            self.page = page(tree)

    @property
    def schema(self) -> dict[str, Any]:
        request = self.turns.request(self.state)
        assert request.response_schema is not None
        return request.response_schema

    @property
    def prompt(self) -> str:
        return self.turns.request(self.state).messages[-1].content

    def allows(self, answer: dict[str, Any]) -> bool:
        return bool(jsonschema.Draft7Validator(self.schema).is_valid(answer))


NAMES = {"ref_1": "Main", "ref_2": "News", "ref_22": "News", "ref_3": "Order", "ref_4": "Name", "ref_5": "Day",
         "ref_6": "Pieces", "ref_7": "Size (Small)", "ref_8": "Gift", "ref_9": "Order", "ref_99": "Gone",
         "ref_31": "Lima", "ref_32": "Linz"}  # fmt: skip


def label_of(ref: str) -> str:
    return f"{NAMES[ref]} [{ref}]"


def click(ref: str) -> dict[str, Any]:
    return {"finished": "no", "element": label_of(ref), "tool": "click_ax"}


def fill(ref: str, text: str, tool: str = "set_field") -> dict[str, Any]:
    return {"finished": "no", "element": label_of(ref), "tool": tool, "text": text}


def done(outcome: str = "success") -> dict[str, Any]:
    return {"finished": "yes", "tool": "done", "outcome": outcome, "summary": "x"}


def names(schema: dict[str, Any]) -> set[str]:
    return {branch["properties"]["tool"]["const"] for branch in schema["anyOf"]}
