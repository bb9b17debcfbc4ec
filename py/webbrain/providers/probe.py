"""Does this service work? A real, tiny call that asks for a tool, as the agent will, and one with a picture
if the model is said to read them."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from webbrain.core.errors import ProviderFailed
from webbrain.core.messages import Message, ModelReply, ModelRequest, ToolSchema
from webbrain.host.protocols import Clock
from webbrain.providers.base import ModelClient, model_differs
from webbrain.providers.config import Endpoint
from webbrain.providers.errors import NEXT_ADDRESS
from webbrain.providers.loose_json import parse_object
from webbrain.providers.room import NO_ROOM, with_room
from webbrain.providers.seeing import reads_pictures

PROBE_TOKENS: Final = 64
PROBE_TOKENS_THINKING: Final = 1_024
"""Cloud models may think before they call; thoughts count."""

TOOL: Final = "report_status"
_QUESTION: Final = f"Call the tool {TOOL} with the word ready."
_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"word": {"type": "string", "enum": ["ready", "busy"]}},
    "required": ["word"],
    "additionalProperties": False,
}
_CONSTRAINED_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"tool": {"const": TOOL}, "word": {"type": "string", "enum": ["ready", "busy"]}},
    "required": ["tool", "word"],
    "additionalProperties": False,
}
PICTURE_NOT_READ: Final = (
    "It could not read the number in a test picture. Set “Reads pictures” to No, or choose another model."
)


@dataclass(frozen=True, slots=True)
class Probe:
    """What the call showed. ``base_url`` is the address that worked, perhaps not the one entered."""

    model: str
    latency_ms: int
    called_tool: bool
    base_url: str
    notes: tuple[str, ...]
    read_picture: bool | None = None
    """``None`` if the model is not said to read pictures, so that none was sent."""


async def probe(clock: Clock, endpoint: Endpoint, connect: Callable[[Endpoint], ModelClient]) -> Probe:
    """Make the call, at other likely addresses too if nothing speaks our language at the first.

    ``connect`` makes a client that knows nothing of earlier calls. Raises the ``ProviderFailed`` of the
    address that was entered.
    """
    first: ProviderFailed | None = None
    for candidate in endpoint.addresses():
        started = clock.monotonic()
        client = connect(candidate)
        try:
            reply, cut = await with_room(client, _request(candidate), partial(_called, candidate))
        except ProviderFailed as failure:
            first = first or failure
            if failure.code not in NEXT_ADDRESS:
                break
            continue
        result = _result(candidate, reply, clock.monotonic() - started, cut=cut)
        return await _with_picture(client, result)
    assert first is not None
    raise first


async def _with_picture(client: ModelClient, result: Probe) -> Probe:
    """Show the model a picture, if it is said to read them."""
    if not client.info.supports_vision:
        return result
    try:
        read, _, cut = await reads_pictures(client)
        note = NO_ROOM if cut else PICTURE_NOT_READ
    except ProviderFailed as failure:
        read, note = False, f"A test picture was refused: {failure.message}"
    return replace(result, read_picture=read, notes=result.notes if read else (*result.notes, note))


def _request(endpoint: Endpoint) -> ModelRequest:
    limit = PROBE_TOKENS if endpoint.info.constrained else PROBE_TOKENS_THINKING
    if endpoint.info.constrained:
        return ModelRequest(
            messages=[Message(role="user", content=_QUESTION + " Answer as JSON.")],
            temperature=0.0,
            max_tokens=limit,
            response_schema=_CONSTRAINED_SCHEMA,
            thinking="off",
        )
    tool = ToolSchema(name=TOOL, description="Tell the user whether you are ready.", parameters=_SCHEMA)
    return ModelRequest(messages=[Message(role="user", content=_QUESTION)], tools=[tool], max_tokens=limit)


def _called(endpoint: Endpoint, reply: ModelReply) -> bool:
    if not endpoint.info.constrained:
        return any(call.name == TOOL for call in reply.tool_calls)
    answer = parse_object(reply.text)
    return answer is not None and answer.get("tool") == TOOL and set(answer) == {"tool", "word"}


def _result(endpoint: Endpoint, reply: ModelReply | None, seconds: float, *, cut: bool) -> Probe:
    asked = endpoint.info.model
    model = (reply.model if reply else "") or asked
    called = reply is not None and _called(endpoint, reply)
    notes = []
    if reply and model_differs(asked, reply.model):
        notes.append(f"The server answered with the model “{reply.model}”, not with “{asked}”.")
    if not called:
        notes.append(NO_ROOM if cut else _not_called(endpoint))
    return Probe(model, round(seconds * 1000), called, endpoint.base_url, tuple(notes))


def _not_called(endpoint: Endpoint) -> str:
    """What it means that the model answered, and did not call the tool."""
    if endpoint.info.constrained:
        return "The server ignored the schema: constrained calls will not work here."
    if endpoint.entry.structured and endpoint.entry.category != "cloud":
        return "The model did not call the tool. Turn on constrained calls, or choose a model made for tools."
    return "The model did not call the tool. Choose a model made for tools."
