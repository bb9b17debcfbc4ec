"""What a tool is: arguments, a specification, and one coroutine.

A tool is one module of this package. It defines ``Args`` (a pydantic model whose docstring and field
descriptions are what the model reads), ``SPEC`` (made by :func:`spec`) and ``async def run(ctx, args) ->
ToolResult``. Discovery is the directory: ``registry.load()`` imports every module that is not listed as
shared there.
"""

import functools
import string
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict

from webbrain.core.errors import BridgeError, OutcomeUnknown, ToolFailed
from webbrain.core.limits import PAGE_ACTION_TIMEOUT
from webbrain.core.messages import ToolSchema
from webbrain.core.refs import RefNumbers
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.host.protocols import Host
from webbrain.tools import frame_refs
from webbrain.tools.attached import Attachments
from webbrain.tools.notebook import Notebook
from webbrain.tools.person import Person
from webbrain.tools.problems import explain, named_as_pdf, pdf_tab
from webbrain.tools.sight import Sight
from webbrain.tools.state import RunState, unless_dialog

LABEL_CHARS: Final = 140
LABEL_ARGUMENT_CHARS: Final = 80
GENEROUS: Final = 10_000
"""An upper limit of a number from here on is met by nobody who is not told of it."""
PAGE: Final = "page"
DOWNLOADS: Final = "downloads"
"""The places that tools look at."""
Shows = Literal["", "page", "downloads"]
UNTOLD: Final = "untold"
"""Marks (``json_schema_extra``) an argument that is taken where a model sends it, but never described."""


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
    submit_token: str = ""
    """What ``policy.submit`` got from the page for this call; the action carries it (docs/protocol.md)."""
    refs: RefNumbers = field(default_factory=RefNumbers)
    """References the conversation has met; the tree tool goes on numbering from there."""
    state: RunState = field(default_factory=lambda: RunState(home=-1, tab_id=-1))
    """What this run knows of its tabs."""
    frame_id: int | None = None
    """The frame that a person was asked about for this call; it then goes to no other."""
    allow_api: bool = False
    """A person has allowed this very request that may change data (``policy.gate``)."""
    approved: frozenset[str] | None = None
    """Of a call whose addresses only the page knows: those that the person's answer was about
    (``tools.carrying``); ``None`` where nobody was asked."""
    sight: Sight | None = None
    """The run's eyes, if there are any."""
    person: Person | None = None
    """Whoever sits before the panel; ``None`` where nobody can be asked."""
    notebook: Notebook | None = None
    """Where the run writes down what it must not forget; ``None`` where nothing is kept."""
    attached: Attachments | None = None
    """What the person attached to messages of the conversation."""

    def __post_init__(self) -> None:
        if self.state.tab_id < 0:
            self.state.home = self.state.tab_id = self.tab_id

    async def page(
        self,
        action: str,
        args: Mapping[str, Any],
        *,
        effect: bool = False,
        timeout: float = PAGE_ACTION_TIMEOUT,
        frame_id: int | None = None,
    ) -> dict[str, Any]:
        """Send one message to the run's page; see ``host.protocols.Page.call``. Raise ``DialogOpen`` once a
        JavaScript dialog keeps the page from answering.

        Without ``frame_id`` it goes where :meth:`frame_of` says. On the way it is seen to that no two
        documents of the run give the same reference.
        """
        frame = self.frame_of(args) if frame_id is None else frame_id
        used = self.refs.highest
        sent = {**args, "refs_after": used} if frame else dict(args)
        call = self.host.page.call(self.tab_id, action, sent, timeout=timeout, effect=effect, frame_id=frame)
        answer = await unless_dialog(self.state, call)
        self.refs.learn(answer)
        if frame and self.refs.highest > used:
            frame_refs.learn(self.state, self.tab_id, frame, used, self.refs.highest)
        answer.pop("lastRef", None)
        return answer

    def frame_of(self, args: Mapping[str, Any]) -> int:
        """The frame that a call with these arguments is for: the one whose tree gave the reference."""
        if self.frame_id is not None:
            return self.frame_id
        return frame_refs.frame_of(self.state, self.tab_id, args)


Run = Callable[[ToolContext, Any], Awaitable[ToolResult]]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """Everything the agent, the gate, the panel and the docs need to know about a tool."""

    name: str
    modes: frozenset[Mode]
    tiers: frozenset[Tier]
    capability: Capability
    untrusted: bool
    """True if the result may carry text of a page, a file or a server: it is wrapped for the model."""
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
    act_args: type[ToolArgs] | None = None
    """Stricter arguments where the tool may act (Act and Dev); the registry swaps them in."""
    dev_tiers: frozenset[Tier] = frozenset()
    """Tiers that get it in Dev besides ``tiers``."""
    needs_sight: bool = False
    """True if it is of no use where neither the model nor a vision model reads pictures."""
    asks: bool = False
    """True if all it does is ask the person: it is no evidence that anything was done."""
    own_notes: bool = False
    """True if it only reads or writes the run's own notes: it looks at nothing and proves nothing."""
    shows: Shows = ""
    """What a successful call lets the model see: what the page shows now, or the browser's downloads. Only
    that is a look at what came of an action; a list of frames, a scroll or a selection is none."""
    keeps_dialog: bool = False
    """True if a JavaScript dialog that is open is this tool's business; before other acting tools it is put
    away."""

    def label_for(self, args: Mapping[str, Any]) -> str:
        """The label with its ``{argument}`` places filled in, on one line of at most 140 characters."""
        places = {
            field: " ".join(str(args.get(field, "")).split())[:LABEL_ARGUMENT_CHARS]
            for _, field, _, _ in string.Formatter().parse(self.label)
            if field
        }
        return " ".join(self.label.format(**places).split())[:LABEL_CHARS]

    def schema(self) -> ToolSchema:
        """The JSON schema offered to models, without what only costs tokens."""
        return _schema(self.name, self.args)


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
    act_args: type[ToolArgs] | None = None,
    dev_tiers: Iterable[Tier] = (),
    keeps_dialog: bool = False,
    needs_sight: bool = False,
    asks: bool = False,
    own_notes: bool = False,
    shows: Shows = "",
) -> ToolSpec:
    """Make a specification. The security class (``capability``, ``untrusted``, ``effect``) has no default.

    ``run`` is wrapped: a ``BridgeError`` or ``ToolFailed`` it lets through becomes a failed result with a
    sentence for the model, so that a closed tab or a restricted page needs no code in a tool.
    """
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
        run=_explained(run),
        terminal=terminal,
        example=example,
        act_args=act_args,
        dev_tiers=frozenset(dev_tiers),
        keeps_dialog=keeps_dialog,
        needs_sight=needs_sight,
        asks=asks,
        own_notes=own_notes,
        shows=shows,
    )


def _explained(run: Run) -> Run:
    @functools.wraps(run)
    async def wrapped(ctx: ToolContext, args: Any) -> ToolResult:
        try:
            return await run(ctx, args)
        except BridgeError as error:
            if error.code == "restricted_page" and await _shows_pdf(ctx):
                return pdf_tab()
            return explain(error, sees_dialogs=ctx.tab_id in ctx.state.debugged)
        except OutcomeUnknown:
            raise
        except ToolFailed as error:
            return ToolResult.error(error.message, error.code, **error.data)

    return wrapped


async def _shows_pdf(ctx: ToolContext) -> bool:
    """Some browsers show a PDF by a page of their own, which is closed to extensions."""
    try:
        return named_as_pdf((await ctx.host.browser.get_tab(ctx.tab_id)).url)
    except BridgeError:
        return False


@functools.cache
def _schema(name: str, args: type[ToolArgs]) -> ToolSchema:
    """Every step of a run asks for it, so it is made once; nobody may change it."""
    return ToolSchema(
        name=name, description=" ".join((args.__doc__ or "").split()), parameters=_parameters(args)
    )


def _parameters(args: type[ToolArgs]) -> dict[str, Any]:
    """The arguments as one schema without references, titles, null alternatives, limits of texts and
    ``additionalProperties``.

    What is left out would only cost tokens, or is refused by one provider or another; arguments are checked
    against the closed model all the same.
    """
    whole = args.model_json_schema()
    definitions = whole.pop("$defs", {})
    whole.pop("description", None)
    tidied: dict[str, Any] = _tidy(whole, definitions)
    return tidied


def _tidy(schema: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_tidy(item, definitions) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        target = dict(definitions[schema["$ref"].rsplit("/", 1)[-1]])
        target.pop("description", None)
        return _tidy({**target, **{k: v for k, v in schema.items() if k != "$ref"}}, definitions)
    out: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "properties":
            told = {name: item for name, item in value.items() if not item.get(UNTOLD)}
            out[key] = {name: _tidy(item, definitions) for name, item in told.items()}
        elif _untold(key, value):
            continue
        elif key == "anyOf":
            out |= _any_of([_tidy(item, definitions) for item in value if item != {"type": "null"}])
        else:
            out[key] = _tidy(value, definitions)
    return out


def _untold(key: str, value: Any) -> bool:
    """Whether a keyword only costs tokens: it goes without saying, and arguments are checked all the same."""
    return (
        (key == "title" and isinstance(value, str))
        or (key == "default" and (value is None or value is False or value in ("", [])))
        or (key == "maximum" and isinstance(value, int) and value >= GENEROUS)
        or (key == "default" and value in (0, 1) and value is not True)
        or key in ("minimum", "minItems", "minLength", "maxLength", "pattern", "additionalProperties")
    )


def _any_of(choices: list[Any]) -> dict[str, Any]:
    return choices[0] if len(choices) == 1 else {"anyOf": choices}
