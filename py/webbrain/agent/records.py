"""Records of a conversation as the store gives them back: perhaps cut short, garbled, older or newer.

Whatever is read here was written by some version of ours, on a disk that may have failed since. A record that
cannot be understood is left out by itself; it never costs the records around it.
"""

from collections.abc import Mapping
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from webbrain.core.events import EVENTS, RunEvent
from webbrain.core.messages import Message

MOST_AHEAD: Final = 2_000
"""How far a number may be ahead of the one before it: streamed text uses up numbers without a record each."""
MOST_FOLDED: Final = 1_000_000


class Order:
    """Watches over numbers that grow. One that is far ahead of the last is a damaged one, and believing it
    would void all that comes after; unless the next goes on from it, because what was between is lost.
    """

    def __init__(self) -> None:
        self._far = 0

    def fits(self, number: int, last: int) -> bool:
        """Whether a record with ``number`` is to be believed behind one with ``last``."""
        if number <= last + MOST_AHEAD or self._far < number <= self._far + MOST_AHEAD:
            return number > 0
        self._far = number
        return False


def event_of(value: Any) -> RunEvent | None:
    """The event in ``value``, or ``None`` if it is none.

    A type that is not known is a newer version's and kept as it is. Of a known one the fields that are not
    known are left out, and those that an older version did not have get their defaults.
    """
    if not isinstance(value, Mapping):
        return None
    try:
        event = RunEvent.model_validate(_known(RunEvent, value))
        kind = EVENTS.get(event.type)
        if kind is not None:
            data = kind.model_validate(_known(kind, event.data)).model_dump(mode="json", by_alias=True)
            event = event.model_copy(update={"data": data})
    except (ValidationError, ValueError, RecursionError):
        return None
    return event


def message_of(record: Mapping[str, Any]) -> tuple[int, str, Message] | None:
    """``(number, run id, message)`` of a record, or ``None`` if it holds no message."""
    number, run_id, value = record.get("n"), record.get("runId"), record.get("message")
    if type(number) is not int or not isinstance(run_id, str) or not isinstance(value, Mapping):
        return None
    try:
        return number, run_id, Message.model_validate(_known(Message, value))
    except (ValidationError, ValueError, RecursionError):
        return None


def folding_of(record: Mapping[str, Any]) -> dict[str, Any] | None:
    """What ``ContextGuard.restore`` takes, or ``None``."""
    upto, kept = record.get("upto"), record.get("kept")
    summary, block = record.get("summary"), record.get("block")
    if type(upto) is not int or not 0 <= upto <= MOST_FOLDED or not isinstance(kept, list):
        return None
    if not all(type(index) is int and 0 <= index < upto for index in kept):
        return None
    if not isinstance(summary, str) or not isinstance(block, str):
        return None
    return {"upto": upto, "kept": kept, "summary": summary, "block": block}


def _known(model: type[BaseModel], value: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of ``value`` that this version of ``model`` has."""
    names = {info.alias or name for name, info in model.model_fields.items()}
    return {key: value[key] for key in names if key in value}
