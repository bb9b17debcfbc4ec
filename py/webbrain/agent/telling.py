"""How a tool call is told to screens: its label with names for references, its arguments without secrets."""

import json
from collections.abc import Iterable
from typing import Any, Final

from webbrain.agent.enrich import clean
from webbrain.agent.evidence import changes
from webbrain.agent.journal import Journal
from webbrain.agent.turns import Control
from webbrain.core.events import ToolCallFinished, ToolCallStarted
from webbrain.core.limits import UI_ARGUMENT_CHARS, UI_RESULT_CHARS
from webbrain.core.messages import ToolCall
from webbrain.core.results import ToolResult
from webbrain.host.protocols import Clock
from webbrain.policy.credentials import MASK, names_secret
from webbrain.tools.base import LABEL_CHARS, ToolSpec

NAME_CHARS: Final = 64
SUMMARY_CHARS: Final = 140
LABEL_NAME_CHARS: Final = 60
NAMES_KEPT: Final = 2_000

REF_ARGUMENTS: Final = ("ref_id", "fromRefId", "toRefId")
"""Arguments that hold a reference of the tree."""
FIELD_ARGUMENTS: Final = ("ref_id", "selector")
"""Arguments that say into which field the argument ``text`` goes."""


class Teller:
    """Tells screens of the calls of one run."""

    def __init__(self, journal: Journal, clock: Clock) -> None:
        self._journal = journal
        self._clock = clock
        self._names: dict[str, str] = {}
        """What the elements that were read are called, for the labels of steps."""

    def learn_names(self, controls: Iterable[Control]) -> None:
        """Remember how people know these elements."""
        for control in controls:
            called = clean(control.name, LABEL_NAME_CHARS) or clean(control.role, LABEL_NAME_CHARS)
            if called:
                self._names[control.ref] = f"“{called}”"
        for ref in list(self._names)[:-NAMES_KEPT]:
            del self._names[ref]

    def name_of(self, ref: str) -> str:
        """What people call the element behind a reference; the reference itself if nothing is known."""
        return self._names.get(ref, ref)

    def label_of(self, spec: ToolSpec, args: dict[str, Any]) -> str:
        """How a person is told of a call. A tool that reads says so, and a request that changes data is
        another thing."""
        method = str(args.get("method") or "")
        if not spec.effect and changes(spec, args):
            return cut(
                f"{clean(method, NAME_CHARS)} {clean(str(args.get('url') or ''), LABEL_CHARS)}", LABEL_CHARS
            )
        return spec.label_for(self._named(args))

    def begin(
        self,
        call: ToolCall,
        spec: ToolSpec | None,
        args: dict[str, Any] | None,
        step: int,
        *,
        effect: bool = False,
        place: str = "",
    ) -> None:
        """A call is about to run. ``args`` is ``None`` where the model's own text could not be read;
        ``effect`` and ``place`` are those of ``Journal.emit``."""
        name = spec.name if spec else clean(call.name, NAME_CHARS)
        shown = call.arguments if args is None else json.dumps(self._masked(args), ensure_ascii=False)
        self._journal.emit(
            ToolCallStarted(
                call_id=call.id,
                name=name,
                label=self.label_of(spec, args or {}) if spec else name,
                args=cut(shown, UI_ARGUMENT_CHARS),
                step=step,
            ),
            effect=effect,
            place=place,
            whole=shown,
        )

    def finish(
        self,
        call: ToolCall,
        spec: ToolSpec | None,
        result: ToolResult,
        started: float,
        *,
        unknown: bool = False,
        seen: str = "",
    ) -> None:
        """A call has its result. ``started`` is a time of the monotonic clock, ``seen`` the place that was
        looked at."""
        text = plain_text(result)
        self._journal.emit(
            ToolCallFinished(
                call_id=call.id,
                name=spec.name if spec else clean(call.name, NAME_CHARS),
                ok=result.success,
                summary=result.summary[:SUMMARY_CHARS],
                result=cut(text, UI_RESULT_CHARS),
                duration_ms=round((self._clock.monotonic() - started) * 1000),
                unknown=unknown,
            ),
            place=seen,
            whole=text,
        )

    def _masked(self, args: dict[str, Any]) -> dict[str, Any]:
        """Arguments without a text that goes into a field known as one for a credential."""
        fields = [str(args.get(key) or "") for key in FIELD_ARGUMENTS]
        secret = any(names_secret(self._names.get(field, field)) for field in fields if field)
        return {**args, "text": MASK} if args.get("text") and secret else args

    def _named(self, args: dict[str, Any]) -> dict[str, Any]:
        """Arguments with the elements' names in the place of their references."""
        refs = {key: args[key] for key in REF_ARGUMENTS if isinstance(args.get(key), str)}
        return {**args, **{key: self._names.get(ref, ref) for key, ref in refs.items()}}


def plain_text(result: ToolResult) -> str:
    """A result of our own making as JSON, unwrapped."""
    return json.dumps({"success": result.success, **result.data}, ensure_ascii=False, default=str)


def error_text(message: str, code: str) -> str:
    """A failed result as JSON."""
    return plain_text(ToolResult.error(message, code=code))


def cut(text: str, limit: int) -> str:
    """At most ``limit`` characters, with an ellipsis where something is missing."""
    return text if len(text) <= limit else text[: limit - 1] + "…"
