"""Anthropic Messages, read strictly and answered faithfully."""

import json
import re
from collections.abc import Iterator
from typing import Any

from webbrain.testing.chat import BadRequest, Call, ModelCall, Reply, Turn
from webbrain.testing.openai_wire import TOOL_NAME, check_parameters

PATH = "/v1/messages"
VERSION = "2023-06-01"
CACHE_MARKS = 4
SIGNED = "c2lnbmVk-"
"""Begins the signatures of thoughts that were made here; the place in their answer follows."""

NO_TEMPERATURE = re.compile(r"claude-(?:opus-4-[7-9]|[a-z]+-[5-9])(?!\d)")
"""Names of models that take none."""
FIELDS = {
    "model", "messages", "max_tokens", "system", "tools", "tool_choice", "temperature", "stream",
    "stop_sequences", "metadata", "thinking", "top_k", "top_p", "output_config",
}  # fmt: skip


def read(body: Any, headers: dict[str, str]) -> ModelCall:
    """Return the call, or raise ``BadRequest`` with what a strict service would say."""
    if headers.get("anthropic-version") != VERSION:
        raise BadRequest("anthropic-version: header is required")
    return read_body(body, headers)


def read_body(body: Any, headers: dict[str, str]) -> ModelCall:
    """As :func:`read`, wherever the version is told."""
    if not isinstance(body, dict):
        raise BadRequest("the body is not a JSON object")
    if unknown := set(body) - FIELDS:
        raise BadRequest(f"{sorted(unknown)[0]}: Extra inputs are not permitted")
    if not isinstance(body.get("model"), str) or not body["model"]:
        raise BadRequest("model: Field required")
    if not isinstance(body.get("max_tokens"), int) or body["max_tokens"] < 1:
        raise BadRequest("max_tokens: Field required")
    if not isinstance(body.get("messages"), list) or not body["messages"]:
        raise BadRequest("messages: Field required")
    temperature = body.get("temperature")
    if temperature is not None and not 0 <= temperature <= 1:
        raise BadRequest("temperature: range 0..1")
    if temperature is not None and NO_TEMPERATURE.search(body["model"]):
        raise BadRequest("`temperature` is deprecated for this model.")
    _check_thinking(body)
    _check_choice(body)
    _check_marks(body)
    _check_thoughts(body)
    system = body.get("system", "")
    turns = [Turn("system", "\n".join(_texts(system)))] if system else []
    turns += _turns(body["messages"])
    tools = tuple(_tool(tool) for tool in body.get("tools", ()))
    _check_tools(turns, tools)
    return ModelCall(
        wire="anthropic",
        turns=tuple(turns),
        tools=tools,
        stream=bool(body.get("stream")),
        body=body,
        headers=headers,
    )


def _check_choice(body: dict[str, Any]) -> None:
    if "tool_choice" not in body:
        return
    if not body.get("tools"):
        raise BadRequest("tool_choice may only be specified while providing tools.")
    known = {"type", "disable_parallel_tool_use"}
    match body["tool_choice"]:
        case {"type": "auto" | "any" | "none"}:
            pass
        case {"type": "tool", "name": str(name)}:
            known.add("name")
            if name not in [tool.get("name") for tool in body["tools"]]:
                raise BadRequest(f"tool_choice: tool '{name}' not found")
        case _:
            raise BadRequest("tool_choice: Input tag does not match any of the expected tags")
    if unknown := set(body["tool_choice"]) - known:
        raise BadRequest(f"tool_choice.{sorted(unknown)[0]}: Extra inputs are not permitted")


def _check_marks(body: dict[str, Any]) -> None:
    """At most four cache marks, each of the form that is known, none on thoughts."""
    marked = [block for block in _objects(body) if "cache_control" in block]
    if len(marked) > CACHE_MARKS:
        raise BadRequest(
            f"A maximum of {CACHE_MARKS} blocks with cache_control may be provided. Found {len(marked)}."
        )
    for block in marked:
        if str(block.get("type")).endswith("thinking"):
            raise BadRequest("cache_control cannot be set for thinking blocks")
        match block["cache_control"]:
            case {"type": "ephemeral", **rest} if not rest or rest in ({"ttl": "5m"}, {"ttl": "1h"}):
                pass
            case _:
                raise BadRequest("cache_control: Input should be a valid dictionary")


def _objects(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What may carry a cache mark: tools, blocks of the system text and of messages, blocks in results."""
    parts = [*body.get("tools", ()), *_listed(body.get("system"))]
    for message in body["messages"]:
        parts += _listed(message.get("content") if isinstance(message, dict) else None)
    for part in parts:
        if isinstance(part, dict):
            yield part
            yield from (inner for inner in _listed(part.get("content")) if isinstance(inner, dict))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _check_thinking(body: dict[str, Any]) -> None:
    thinking = body.get("thinking") or {"type": "disabled"}
    if thinking.get("type") == "disabled":
        return
    if "temperature" in body:
        raise BadRequest("temperature may only be set to 1 when thinking is enabled")
    if thinking.get("budget_tokens", 0) >= body["max_tokens"]:
        raise BadRequest("max_tokens must be greater than thinking.budget_tokens")
    if body.get("tool_choice", {}).get("type") in ("any", "tool"):
        raise BadRequest("Thinking may not be enabled when tool_choice forces tool use.")


def _check_thoughts(body: dict[str, Any]) -> None:
    """Where thinking has a budget, the turn whose calls are being answered must begin with a thought."""
    if (body.get("thinking") or {}).get("type") != "enabled":
        return
    messages = [message for message in body["messages"] if isinstance(message, dict)]
    last = next((message for message in reversed(messages) if message.get("role") == "assistant"), {})
    kinds = [block.get("type") for block in _listed(last.get("content"))]
    answers = [block.get("type") for block in _listed(messages[-1].get("content"))]
    if "tool_use" in kinds and "tool_result" in answers and "thinking" not in str(kinds[0]):
        raise BadRequest(f"messages: Expected `thinking` or `redacted_thinking`, but found `{kinds[0]}`.")


def _tool(tool: Any) -> str:
    if not isinstance(tool, dict):
        raise BadRequest("tools: Input should be an object")
    if unknown := set(tool) - {"name", "description", "input_schema", "cache_control", "type"}:
        raise BadRequest(f"tools.{sorted(unknown)[0]}: Extra inputs are not permitted")
    if not isinstance(tool.get("name"), str) or not TOOL_NAME.fullmatch(tool["name"]):
        raise BadRequest("tools.name: String should match pattern")
    check_parameters(tool.get("input_schema"))
    return str(tool["name"])


def _turns(messages: list[Any]) -> Iterator[Turn]:
    open_calls: set[str] = set()
    for index, message in enumerate(messages):
        role = message.get("role")
        if role not in ("user", "assistant") or set(message) != {"role", "content"}:
            raise BadRequest(f"messages.{index}: role and content are required, and nothing else")
        if index == 0 and role != "user":
            raise BadRequest("messages: first message must use the user role")
        blocks = message["content"]
        if isinstance(blocks, str):
            blocks = [{"type": "text", "text": blocks}]
        if not isinstance(blocks, list) or not blocks:
            raise BadRequest(f"messages.{index}: content must be non-empty")
        answered = {block.get("tool_use_id") for block in blocks if block.get("type") == "tool_result"}
        if open_calls - answered:
            raise BadRequest(
                f"messages.{index}: tool_use ids were found without tool_result blocks immediately after: "
                f"{', '.join(sorted(open_calls - answered))}"
            )
        if answered - open_calls:
            raise BadRequest(f"messages.{index}: unexpected tool_use_id found in tool_result blocks")
        yield from _blocks(role, blocks, index)
        open_calls = {block["id"] for block in blocks if block.get("type") == "tool_use"}
    if open_calls or messages[-1]["role"] != "user":
        raise BadRequest("messages: the last message must be the user's")


def _check_tools(turns: list[Turn], tools: tuple[str, ...]) -> None:
    if not tools and any(turn.calls or turn.role == "tool" for turn in turns):
        raise BadRequest("Requests which include `tool_use` or `tool_result` blocks must define tools")


def _blocks(role: str, blocks: list[Any], index: int) -> Iterator[Turn]:
    texts: list[str] = []
    calls: list[Call] = []
    for place, block in enumerate(blocks):
        match block:
            case {"type": "text", "text": str(text)}:
                if not text.strip():
                    raise BadRequest(f"messages.{index}: text content blocks must be non-empty")
                texts.append(text)
            case {"type": "tool_use", "id": str(id_), "name": str(name), "input": dict(value)} if (
                role == "assistant"
            ):
                calls.append(Call(name, json.dumps(value), id_))
            case {"type": "tool_result", "tool_use_id": str(id_)} if role == "user":
                if texts:
                    raise BadRequest(f"messages.{index}: tool_result blocks must come before text")
                yield Turn("tool", "\n".join(_texts(block.get("content", ""))), call_id=id_)
            case {"type": "thinking", "thinking": str(), "signature": str(signature)} if role == "assistant":
                if signature.startswith(SIGNED):
                    if signature != f"{SIGNED}{place}":
                        raise BadRequest(
                            f"messages.{index}: `thinking` blocks in the latest assistant message cannot be "
                            "modified. These blocks must remain as they were in the original response."
                        )
                elif not signature or texts or calls:
                    raise BadRequest(f"messages.{index}: thinking must be signed and come first")
            case {"type": "redacted_thinking", "data": str()} if role == "assistant":
                pass
            case {"type": "image" | "document" as kind, "source": {"type": "base64", "data": str()}} if (
                role == "user"
            ):
                texts.append(f"[{kind}]")
            case _:
                raise BadRequest(f"messages.{index}: a content block is not valid here")
    if texts or calls:
        yield Turn("user" if role == "user" else "assistant", "\n".join(texts), tuple(calls))


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
        return
    for block in content:
        match block:
            case {"type": "text", "text": str(text)}:
                yield text
            case {"type": "image"}:
                yield "[image]"
            case _:
                raise BadRequest("a text block is not valid")


def stop_reason(reply: Reply) -> str:
    """Why the answer ended."""
    return reply.finish or ("tool_use" if reply.calls else "end_turn")


def whole(reply: Reply, call: ModelCall, number: int) -> dict[str, Any]:
    """The answer as one JSON object; broken argument text cannot travel whole on this wire."""
    content: list[dict[str, Any]] = []
    thinks = bool(reply.thought) and (call.body.get("thinking") or {}).get("type") in ("enabled", "adaptive")

    def think() -> None:
        if thinks:
            signature = f"{SIGNED}{len(content)}"
            content.append({"type": "thinking", "thinking": reply.thought, "signature": signature})

    if reply.text:
        think()
        content.append({"type": "text", "text": reply.text})
    if reply.calls:
        think()
    for i, item in enumerate(reply.calls):
        try:
            value = json.loads(item.arguments)
        except ValueError:
            value = {}
        content.append({"type": "tool_use", "id": _id(item, number, i), "name": item.name, "input": value})
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": call.body["model"],
        "content": content,
        "stop_reason": stop_reason(reply),
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": len(reply.text) // 4 + 1},
    }


def pieces(reply: Reply, call: ModelCall, number: int, words: list[str]) -> Iterator[str]:
    """The answer as server-sent events; ``words`` are the pieces of its text."""
    start = {**whole(Reply(), call, number), "stop_reason": None}
    yield _event("message_start", {"message": start})
    calls = iter(reply.calls)
    for index, block in enumerate(whole(reply, call, number)["content"]):
        kind = block["type"]
        bare: dict[str, dict[str, Any]] = {
            "text": {"text": ""},
            "thinking": {"thinking": "", "signature": ""},
            "tool_use": {"input": {}},
        }
        yield _event("content_block_start", {"index": index, "content_block": {**block, **bare[kind]}})
        if kind == "text":
            deltas: list[dict[str, Any]] = [{"type": "text_delta", "text": word} for word in words]
        elif kind == "thinking":
            deltas = [
                {"type": "thinking_delta", "thinking": block["thinking"]},
                {"type": "signature_delta", "signature": block["signature"]},
            ]
        else:
            text = next(calls).arguments
            parts = [text[at : at + 12] for at in range(0, len(text), 12)]
            deltas = [{"type": "input_json_delta", "partial_json": part} for part in parts]
        for delta in deltas:
            yield _event("content_block_delta", {"index": index, "delta": delta})
        yield _event("content_block_stop", {"index": index})
    end = {"stop_reason": stop_reason(reply), "stop_sequence": None}
    yield _event("message_delta", {"delta": end, "usage": {"output_tokens": len(reply.text) // 4 + 1}})
    yield _event("message_stop", {})


def error(message: str, kind: str = "invalid_request_error", code: str | None = None) -> dict[str, Any]:
    """An error body of this wire."""
    return {"type": "error", "error": {"type": code or kind, "message": message}}


def _id(call: Call, number: int, index: int) -> str:
    return call.id or f"toolu_{number}_{index}"


def _event(kind: str, data: dict[str, Any]) -> str:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **data}, ensure_ascii=False)}\n\n"
