"""Any stored conversation made acceptable: what every provider refuses is mended before sending.

A refused history is refused for ever, so nothing here depends on how the damage came about (abort, trim,
crash, a model that invents). After :func:`normalise`:

- system messages are one text, apart from the turns;
- the first turn is the user's, the last is the user's or a tool's, no two user or plain assistant turns in
  a row;
- every tool call has a usable name, an id of its own, arguments that are a JSON object, and exactly one
  result, right after the turn that made it; a result without a call is dropped;
- no text is empty, no text holds half a surrogate pair, pictures and documents are only where they may be.
"""

import functools
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from webbrain.core.bounded_json import loads
from webbrain.core.messages import Message, ToolCall

TOOL_NAME_CHARS: Final = 64
ID_CHARS: Final = 56
"""Of the 64 some services allow, so that there is room to make an id unique."""

LOST_BEGINNING: Final = "[The beginning of this conversation is no longer available.]"
GO_ON: Final = "Please go on."
NOTHING_SAID: Final = "(no text)"
NO_OUTPUT: Final = "(no output)"
REMEMBERED_CHARS: Final = 2_000
"""Of arguments of which is remembered whether they are an object."""
PICTURE_LEFT_OUT: Final = "[A picture was left out: this model does not read pictures.]"
DOCUMENT_LEFT_OUT: Final = "[A document was left out: this model does not read files.]"
PDF: Final = "data:application/pdf;base64,"
"""How documents begin that can be sent: no wire takes other ones in the same way."""
DOCUMENT_GONE: Final = "[An earlier document was left out to save room.]"
PICTURE_GONE: Final = "[An earlier picture was left out to save room.]"
NO_RESULT: Final = json.dumps(
    {
        "success": False,
        "code": "outcome_unknown",
        "error": "No result: the run was interrupted before this call ended; its outcome is unknown.",
    }
)

_NAME = re.compile(rf"[a-zA-Z0-9_-]{{1,{TOOL_NAME_CHARS}}}")
_NAME_REST = re.compile(r"[^a-zA-Z0-9_-]+")
_SURROGATE = re.compile("[\ud800-\udfff]")


Part = TypeVar("Part", Message, ToolCall)


@dataclass(frozen=True, slots=True)
class Conversation:
    """A sendable conversation."""

    system: str
    turns: list[Message]


def normalise(
    messages: Sequence[Message], *, pictures: bool, documents: bool = False, plain_ids: bool = False
) -> Conversation:
    """Return the nearest conversation that every provider accepts. The input is not changed.

    ``plain_ids``: ids of calls are at most 64 letters, digits, ``_`` and ``-``.
    """
    system = "\n\n".join(clean(m.content) for m in messages if m.role == "system" and m.content.strip())
    turns = [_cleaned(m, pictures=pictures, documents=documents) for m in messages if m.role != "system"]
    turns = _merged(_paired(_with_unique_ids(turns, plain=plain_ids)))
    if not turns or turns[0].role != "user":
        turns.insert(0, Message(role="user", content=LOST_BEGINNING if turns else NOTHING_SAID))
    if turns[-1].role == "assistant":
        turns.append(Message(role="user", content=GO_ON))
    return Conversation(system, turns)


def without_calls(turns: Sequence[Message]) -> list[Message]:
    """The same turns with calls and results told in words, for requests that may not speak of tools."""
    out: list[Message] = []
    for turn in turns:
        if turn.role == "tool":
            words = f"[Result of {turn.name or 'a tool'}] {turn.content}"
            turn = Message(role="user", content=words)
        elif turn.tool_calls:
            words = "\n".join(f"[Called {call.name} with {call.arguments}]" for call in turn.tool_calls)
            turn = Message(role="assistant", content=f"{turn.content}\n{words}".strip())
        out.append(turn)
    return _merged(out)


def clean(text: str) -> str:
    """Replace lone surrogates, which have no UTF-8 form."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text


def tool_name(name: str) -> str:
    """The nearest name every provider accepts."""
    if _NAME.fullmatch(name):
        return name
    return _NAME_REST.sub("_", name.strip())[:TOOL_NAME_CHARS] or "unknown_tool"


def object_arguments(arguments: str) -> str:
    """``arguments`` if it is a JSON object, else an empty one: most servers parse it again and refuse the
    rest."""
    # Every step of a run asks this of all calls so far.
    known = len(arguments) <= REMEMBERED_CHARS
    is_object = _is_object(arguments) if known else _is_object.__wrapped__(arguments)
    return clean(arguments) if is_object else "{}"


@functools.lru_cache(maxsize=256)
def _is_object(arguments: str) -> bool:
    try:
        return isinstance(loads(arguments), dict)
    except (ValueError, RecursionError):
        return False


def _cleaned(message: Message, *, pictures: bool, documents: bool) -> Message:
    content = clean(message.content)
    attached = message.documents if message.role == "user" else []
    files = [document for document in attached if document.data_url.startswith(PDF)] if documents else []
    if len(files) < len(attached):
        left_out = DOCUMENT_GONE if documents else DOCUMENT_LEFT_OUT
        content = f"{content}\n\n{left_out}".strip()
    images = message.images if message.role == "user" else []
    shown = [image for image in images if image.data_url] if pictures else []
    if len(shown) < len(images):
        left_out = PICTURE_GONE if pictures else PICTURE_LEFT_OUT
        content = f"{content}\n\n{left_out}".strip()
    calls = list(map(_cleaned_call, message.tool_calls)) if message.role == "assistant" else []
    if message.role == "tool":
        content = content if content.strip() else NO_OUTPUT
    return _with(
        message,
        content=content,
        images=shown,
        documents=files,
        tool_calls=calls,
        tool_call_id=clean(message.tool_call_id) if message.tool_call_id else None,
    )


def _cleaned_call(call: ToolCall) -> ToolCall:
    return _with(
        call, id=clean(call.id), name=tool_name(call.name), arguments=object_arguments(call.arguments)
    )


def _with(part: Part, **fields: Any) -> Part:
    """``part`` with these fields; itself if it has them already, as nearly all have in every step."""
    changed = {name: value for name, value in fields.items() if getattr(part, name) != value}
    return part.model_copy(update=changed) if changed else part


def _with_unique_ids(turns: Iterable[Message], *, plain: bool) -> list[Message]:
    """Give every call an id of its own; results follow the newest call that had their id."""
    out: list[Message] = []
    used: set[str] = set()
    renamed: dict[str, str] = {}
    for turn in turns:
        if turn.tool_calls:
            calls = []
            for call in turn.tool_calls:
                base = (_NAME_REST.sub("_", call.id)[:ID_CHARS] if plain else call.id) or "call"
                new, serial = base, 1
                while new in used:
                    serial += 1
                    new = f"{base}_{serial}"
                used.add(new)
                renamed[call.id] = new
                calls.append(call if new == call.id else call.model_copy(update={"id": new}))
            if any(new is not old for new, old in zip(calls, turn.tool_calls, strict=True)):
                turn = turn.model_copy(update={"tool_calls": calls})
        elif turn.role == "tool" and turn.tool_call_id in renamed:
            known = renamed[turn.tool_call_id]
            if known != turn.tool_call_id:
                turn = turn.model_copy(update={"tool_call_id": known})
        out.append(turn)
    return out


def _paired(turns: Sequence[Message]) -> list[Message]:
    """Put each result right behind its call's turn; invent what is missing, drop what belongs to nothing."""
    results: dict[str, Message] = {}
    for turn in turns:
        if turn.role == "tool" and turn.tool_call_id:
            results.setdefault(turn.tool_call_id, turn)
    out: list[Message] = []
    for turn in turns:
        if turn.role == "tool":
            continue
        out.append(turn)
        for call in turn.tool_calls:
            result = results.get(call.id) or Message(role="tool", content=NO_RESULT, tool_call_id=call.id)
            out.append(result if result.name == call.name else result.model_copy(update={"name": call.name}))
    return out


def _merged(turns: Sequence[Message]) -> list[Message]:
    """Drop empty turns and join neighbours of the same role."""
    out: list[Message] = []
    for turn in turns:
        attached = turn.images or turn.documents
        empty = not turn.content.strip() and not attached and not turn.tool_calls
        if empty and turn.role == "assistant":
            continue
        if empty and turn.role == "user":
            turn = turn.model_copy(update={"content": NOTHING_SAID})
        last = out[-1] if out else None
        if last and last.role == turn.role and turn.role in ("user", "assistant") and not last.tool_calls:
            out[-1] = _join(last, turn)
        else:
            out.append(turn)
    return out


def _join(first: Message, second: Message) -> Message:
    texts = [m.content for m in (first, second) if m.content.strip() and m.content != NOTHING_SAID]
    content = "\n\n".join(texts)
    images = [*first.images, *second.images]
    documents = [*first.documents, *second.documents]
    if not content and not images and not documents and not second.tool_calls:
        content = NOTHING_SAID
    return second.model_copy(update={"content": content, "images": images, "documents": documents})
