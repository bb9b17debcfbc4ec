"""An app over a memory host with a scripted model, and short ways to ask and to look."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.support.approve import granting
from tests.support.toolbox import TAB, page_host
from webbrain.agent.parts import AgentParts
from webbrain.app import App
from webbrain.app_parts import agent_parts
from webbrain.core.ids import new_id
from webbrain.core.messages import Message, ModelRequest, ToolCall
from webbrain.host.memory import MemoryHost
from webbrain.providers.base import ModelInfo
from webbrain.services.providers import ProviderService
from webbrain.testing.scripted import ScriptedModel, call
from webbrain.tools.base import ToolSpec

PROBE_NO = {"submits": False, "token": "t0"}
PROBE_YES = {
    "submits": True,
    "host": "shop.example",
    "action": "https://shop.example/order",
    "method": "post",
    "control": "Order",
    "fields": [{"label": "Name", "value": "Ada", "masked": False}],
    "token": "t1",
}


HOSTS = ("shop.example", "pay.example", "forms.example", "news.example", "example.com", "a.example")
"""Where the bench may click, type and open pages without a question; ``webbrain.policy.gate`` has tests of
its own."""


class OneModel:
    """Stands in for the provider service: one model, or none."""

    def __init__(self, model: ScriptedModel | None) -> None:
        self.model = model
        self.headers_timeout: float | None = None

    async def active(self, headers_timeout: float | None = None) -> ScriptedModel:
        assert self.model is not None
        self.headers_timeout = headers_timeout
        return self.model

    async def active_info(self) -> ModelInfo | None:
        return self.model.info if self.model else None


class Bench:
    """An app, its host and its model."""

    def __init__(
        self,
        *steps: Any,
        host: MemoryHost | None = None,
        model: ScriptedModel | None = None,
        parts: AgentParts | None = None,
        providers: ProviderService | None = None,
        resumes: bool = False,
        **changes: Any,
    ) -> None:
        self.host = host or page_host()
        self.host.page.on("submit_probe", PROBE_NO)
        self.model = model or ScriptedModel(*steps)
        # Without plans, unless a test is about them: each would be one more request.
        self.parts = replace(granting(parts or agent_parts(), *HOSTS), **{"plans": False, **changes})
        one: Any = OneModel(self.model)
        self.app = App(self.host, parts=self.parts, providers=providers or one)
        # Only a test about it has a script for a run that goes on by itself.
        self.app.resumes = resumes

    async def start(self, text: str = "Buy tea", mode: str = "act", tab: int = TAB) -> dict[str, Any]:
        """Accept a task; do not wait for it."""
        params = {"tabId": tab, "text": text, "mode": mode, "requestId": new_id("req")}
        return await self.app.handle_ui("chat.start", params)

    async def run(self, text: str = "Buy tea", mode: str = "act", tab: int = TAB) -> list[dict[str, Any]]:
        """Do a task to its end; return the events of its run."""
        accepted = await self.start(text, mode, tab)
        await self.end(tab)
        return self.events(run_id=accepted["runId"])

    async def go_on(self, tab: int = TAB) -> list[dict[str, Any]]:
        """Continue, to the end."""
        params = {"tabId": tab, "requestId": new_id("req")}
        accepted = await self.app.handle_ui("chat.continue", params)
        await self.end(tab)
        return self.events(run_id=accepted["runId"])

    async def end(self, tab: int = TAB) -> None:
        """Wait for the run's end."""
        async with asyncio.timeout(30):
            await self.app.runs.wait(tab)
            await self.app.settled()

    async def stop(self, tab: int = TAB) -> bool:
        """Press Stop."""
        return bool((await self.app.handle_ui("chat.abort", {"tabId": tab}))["stopped"])

    def events(self, kind: str = "", run_id: str = "", tab: int = TAB) -> list[dict[str, Any]]:
        """What screens were told, by type, run and tab."""
        return [
            event
            for event in self.host.ui.named("agent_update")
            if event["tabId"] == tab and kind in ("", event["type"]) and run_id in ("", event["runId"])
        ]

    def last(self, kind: str) -> dict[str, Any]:
        """The data of the newest event of a type."""
        data: dict[str, Any] = self.events(kind)[-1]["data"]
        return data

    async def until(
        self, kind: str, check: Callable[[dict[str, Any]], bool] = lambda data: True
    ) -> dict[str, Any]:
        """Wait for an event of a type; return its data."""
        event = await self.host.ui.until(
            lambda name, params: name == "agent_update" and params["type"] == kind and check(params["data"])
        )
        data: dict[str, Any] = event["data"]
        return data

    async def stored(self, kind: str) -> None:
        """Wait until an event of a type is in the store."""
        async with asyncio.timeout(20):
            while not any(
                record.get("event", {}).get("type") == kind
                for records in self.host.store.data.values()
                for _, record in records
            ):
                await asyncio.sleep(0)

    @property
    def history(self) -> list[Message]:
        """The messages models see of the tab's conversation."""
        conversation = self.app.conversations.at_hand(TAB)
        assert conversation is not None
        return conversation.journal.messages

    @property
    def request(self) -> ModelRequest:
        """The newest request."""
        return self.model.requests[-1]


def end(summary: str = "Done.", outcome: str = "partial") -> ToolCall:
    """How a model ends a task in which it did something; a part needs no proof."""
    return call("done", summary=summary, outcome=outcome)


def types(events: list[dict[str, Any]]) -> list[str]:
    """The events' types in order."""
    return [event["type"] for event in events]


def well_formed(messages: list[Message]) -> bool:
    """Whether a provider would take this history: every call answered, right after it, once."""
    waiting: list[str] = []
    for message in messages:
        if message.role == "tool":
            if message.tool_call_id not in waiting:
                return False
            waiting.remove(message.tool_call_id)
        elif waiting:
            return False
        else:
            waiting = [call.id for call in message.tool_calls]
    return not waiting


def offering(*specs: ToolSpec) -> Any:
    """A ``tools_for`` that offers these tools always."""
    return lambda mode, tier, capabilities: list(specs)
