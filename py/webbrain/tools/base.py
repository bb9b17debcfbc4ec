"""What a tool is: arguments, a specification, and one coroutine.

A tool is one module of this package. It defines ``Args`` (a pydantic model whose docstring and field descriptions
are what the model reads), ``SPEC`` (made by :func:`spec`) and ``async def run(ctx, args) -> ToolResult``.
Discovery is the directory: ``registry.load()`` imports every module that is not listed as shared there.
"""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict

from webbrain.core.limits import PAGE_ACTION_TIMEOUT
from webbrain.core.messages import ToolSchema
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.host.protocols import Host


class ToolArgs(BaseModel):
    """Base of every tool's arguments: unknown properties are refused."""

    model_config = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a running tool may use. ``tab_id`` is the run's tab, never the one the user looks at."""

    host: Host
    tab_id: int
    mode: Mode
    tier: Tier
    context_window: int

    async def page(
        self, action: str, args: dict[str, Any], *, effect: bool = False, timeout: float = PAGE_ACTION_TIMEOUT
    ) -> dict[str, Any]:
        """Send one message to the run's page; see ``host.protocols.Page.call``."""
        return await self.host.page.call(self.tab_id, action, args, timeout=timeout, effect=effect)


Run = Callable[[ToolContext, Any], Awaitable[ToolResult]]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """Everything the agent, the gate, the panel and the docs need to know about a tool."""

    name: str
    modes: frozenset[Mode]
    tiers: frozenset[Tier]
    capability: Capability
    untrusted: bool
    """True if the result may carry text written by a page, a file or a server: it is wrapped for the model."""
    effect: bool
    """True if the tool changes something outside the agent; such a call is never repeated by itself."""
    label: str
    """For people, with ``{argument}`` places, e.g. ``Open {url}``."""
    acts_on: str
    """Which elements its ``ref_id`` may name in constrained calls: ``click``, ``type``, ``any`` or empty."""
    requires: frozenset[str]
    """Host capabilities (attributes of ``Capabilities``) without which it is not offered."""
    timeout: float
    args: type[ToolArgs]
    run: Run
    terminal: bool = False
    example: str = ""
    """One JSON line of arguments that shows a typical call, for small models."""

    def schema(self) -> ToolSchema:
        """The closed JSON schema offered to models (titles removed, they only cost tokens)."""
        return ToolSchema(
            name=self.name, description=(self.args.__doc__ or "").strip(), parameters=_tidy(self.args.model_json_schema())
        )


class ToolModule(Protocol):
    """The shape of a module in this package."""

    SPEC: ToolSpec


def spec(
    name: str,
    *,
    args: type[ToolArgs],
    run: Run,
    modes: Iterable[Mode],
    tiers: Iterable[Tier],
    capability: Capability,
    untrusted: bool,
    effect: bool,
    label: str,
    acts_on: str = "",
    requires: Iterable[str] = (),
    timeout: float = PAGE_ACTION_TIMEOUT,
    terminal: bool = False,
    example: str = "",
) -> ToolSpec:
    """Make a specification. The security class (``capability``, ``untrusted``, ``effect``) has no default."""
    if not args.__doc__:
        raise TypeError(f"{name}: Args needs a docstring, it is what the model reads")
    return ToolSpec(
        name=name,
        modes=frozenset(modes),
        tiers=frozenset(tiers),
        capability=capability,
        untrusted=untrusted,
        effect=effect,
        label=label,
        acts_on=acts_on,
        requires=frozenset(requires),
        timeout=timeout,
        args=args,
        run=run,
        terminal=terminal,
        example=example,
    )


def _tidy(schema: Any) -> Any:
    """Drop ``title`` annotations at every level and refuse unknown properties of every object."""
    if isinstance(schema, dict):
        out = {
            key: ({k: _tidy(v) for k, v in value.items()} if key in ("properties", "$defs") else _tidy(value))
            for key, value in schema.items()
            if not (key == "title" and isinstance(value, str))
        }
        if out.get("type") == "object" and "properties" in out:
            out.setdefault("additionalProperties", False)
        return out
    if isinstance(schema, list):
        return [_tidy(item) for item in schema]
    return schema
