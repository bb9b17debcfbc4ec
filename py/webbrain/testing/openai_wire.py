"""OpenAI Chat Completions, read strictly and answered faithfully."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from jsonschema import Draft202012Validator, SchemaError

from webbrain.testing import strict_rules
from webbrain.testing.chat import BadRequest, Call, ModelCall, Reply, Turn

PATH = "/v1/chat/completions"

FIELDS = {
    "model", "messages", "tools", "tool_choice", "temperature", "max_tokens", "max_completion_tokens",
    "stream", "stream_options", "response_format", "parallel_tool_calls", "top_p", "stop", "seed", "user",
    "reasoning_effort",
}  # fmt: skip
MESSAGE_FIELDS = {
    "system": {"role", "content", "name"},
    "developer": {"role", "content", "name"},
    "user": {"role", "content", "name"},
    "assistant": {"role", "content", "name", "tool_calls", "refusal"},
    "tool": {"role", "content", "tool_call_id"},
}


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a service takes besides OpenAI's own fields. Source: the documentation of each."""

    body: frozenset[str] = frozenset()
    assistant: frozenset[str] = frozenset()
    """Of assistant messages."""
    call: frozenset[str] = frozenset()
    """Of tool calls in them."""
    tool: Callable[[Any], None] | None = None
    """Refuses what the service does not take of a tool's schema."""
    own_models: bool = False
    """Serves OpenAI's own models, some of which refuse fields that all others take."""


def _dialect(body: str = "", assistant: str = "", call: str = "") -> Dialect:
    return Dialect(frozenset(body.split()), frozenset(assistant.split()), frozenset(call.split()))


OPENAI = Dialect(own_models=True)
THINKING = re.compile(r"gpt-5(?!.*chat)|o[134]\b")
"""Names of models that think before they answer."""
LOCAL = _dialect("chat_template_kwargs", "reasoning_content")
DIALECTS = {
    "openai": OPENAI,
    "azure": OPENAI,
    "local": LOCAL,
    "llamacpp": _dialect(
        "chat_template_kwargs cache_prompt id_slot json_schema grammar", "reasoning_content"
    ),
    "openrouter": _dialect("reasoning", "reasoning_details"),
    "deepseek": _dialect("thinking", "reasoning_content"),
    "moonshot": _dialect("thinking", "reasoning_content"),
    "zhipu": _dialect("thinking tool_stream", "reasoning_content"),
    "dashscope": _dialect("enable_thinking"),
    "minimax": _dialect("", "reasoning_details"),
    "gemini": replace(_dialect("", "", "extra_content"), tool=strict_rules.check_gemini),
}
TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def read(body: Any, headers: dict[str, str], dialect: Dialect = LOCAL) -> ModelCall:
    """Return the call, or raise ``BadRequest`` with what a strict service would say."""
    if not isinstance(body, dict):
        raise BadRequest("the body is not a JSON object")
    if unknown := set(body) - FIELDS - dialect.body:
        raise BadRequest(f"unrecognized request argument: {', '.join(sorted(unknown))}")
    if not isinstance(body.get("model"), str) or not body["model"]:
        raise BadRequest("you must provide a model parameter")
    if not isinstance(body.get("messages"), list) or not body["messages"]:
        raise BadRequest("messages must be a non-empty array")
    if dialect.own_models:
        refuse_sampling(body, "max_tokens", "temperature")
    if "stream_options" in body and not body.get("stream"):
        raise BadRequest("stream_options is only allowed when stream is true")
    if "tools" in body and (not isinstance(body["tools"], list) or not body["tools"]):
        raise BadRequest("tools must be a non-empty array")
    if "stream" in body and not isinstance(body["stream"], bool):
        raise BadRequest("stream must be a boolean")
    _check_choice(body)
    if "tool_choice" in body and "tools" not in body:
        raise BadRequest("tool_choice is only allowed when tools are specified")
    _check_format(body.get("response_format", {"type": "text"}))
    return ModelCall(
        wire="openai",
        turns=tuple(_turns(body["messages"], dialect)),
        tools=tuple(_tool(tool, dialect) for tool in body.get("tools", ())),
        stream=bool(body.get("stream")),
        body=body,
        headers=headers,
    )


def refuse_sampling(body: dict[str, Any], *fields: str) -> None:
    """Raise ``BadRequest`` for fields that OpenAI's thinking models do not take."""
    if THINKING.match(body["model"]) and (refused := sorted(set(fields) & set(body))):
        raise BadRequest(f"Unsupported parameter: '{refused[0]}' is not supported with this model.")


def _check_choice(body: dict[str, Any]) -> None:
    match body.get("tool_choice", "auto"):
        case "auto" | "none" | "required":
            pass
        case {"type": "function", "function": {"name": str()}}:
            pass
        case _:
            raise BadRequest("Invalid value: 'tool_choice'.")


def _check_format(form: Any) -> None:
    match form:
        case {"type": "text" | "json_object"} if len(form) == 1:
            pass
        case {"type": "json_schema", "json_schema": held} if len(form) == 2:
            strict_rules.described(held)
        case _:
            raise BadRequest("Invalid value: 'response_format'.")


def _tool(tool: Any, dialect: Dialect) -> str:
    if not isinstance(tool, dict) or set(tool) - {"type", "function"} or tool.get("type") != "function":
        raise BadRequest("a tool must be {type: 'function', function: {...}}")
    function = tool["function"]
    if unknown := set(function) - {"name", "description", "parameters", "strict"}:
        raise BadRequest(f"unrecognized function field: {', '.join(sorted(unknown))}")
    if not isinstance(function.get("name"), str) or not TOOL_NAME.fullmatch(function["name"]):
        raise BadRequest("a function name must match [A-Za-z0-9_-]{1,64}")
    parameters = function.get("parameters", {"type": "object"})
    check_parameters(parameters)
    if dialect.tool is not None:
        dialect.tool(parameters)
    return str(function["name"])


def check_parameters(schema: Any) -> None:
    """Raise ``BadRequest`` unless ``schema`` is a JSON schema of an object."""
    if not isinstance(schema, dict) or schema.get("type") != "object":
        raise BadRequest("tool parameters must be a JSON schema of type 'object'")
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise BadRequest(f"tool parameters are not a JSON schema: {error.message}") from error


def _turns(messages: list[Any], dialect: Dialect) -> Iterator[Turn]:
    open_calls: set[str] = set()
    for index, message in enumerate(messages):
        role = message.get("role") if isinstance(message, dict) else None
        if role not in MESSAGE_FIELDS:
            raise BadRequest(f"messages[{index}] has no known role")
        known = MESSAGE_FIELDS[role] | (dialect.assistant if role == "assistant" else frozenset())
        if unknown := set(message) - known:
            raise BadRequest(f"messages[{index}]: unrecognized field {', '.join(sorted(unknown))}")
        if role != "tool" and open_calls:
            raise BadRequest(
                "an assistant message with 'tool_calls' must be followed by tool messages responding to each"
                f" 'tool_call_id'; missing: {', '.join(sorted(open_calls))}"
            )
        text = _text(message.get("content"), index)
        calls = tuple(_call(call, index, dialect) for call in message.get("tool_calls") or ())
        _check_thoughts(message, index)
        if "tool_calls" in message and not calls:
            raise BadRequest(f"messages[{index}].tool_calls must be a non-empty array")
        if role == "tool":
            if message.get("tool_call_id") not in open_calls:
                raise BadRequest(
                    "messages with role 'tool' must answer a call of the assistant message before"
                )
            open_calls.discard(message["tool_call_id"])
        elif not text and not calls:
            raise BadRequest(f"messages[{index}] is empty")
        open_calls |= {call.id for call in calls}
        yield Turn(
            role="system" if role == "developer" else role,
            text=text,
            calls=calls,
            call_id=message.get("tool_call_id", ""),
        )
    if open_calls:
        raise BadRequest(f"no tool message answers {', '.join(sorted(open_calls))}")
    if messages[-1]["role"] == "assistant":
        raise BadRequest("the last message must not be the assistant's")


def _text(content: Any, index: int) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list) or not content:
        raise BadRequest(f"messages[{index}].content must be a string or a non-empty array of parts")
    texts = []
    for part in content:
        match part:
            case {"type": "text", "text": str(text)} if set(part) == {"type", "text"}:
                texts.append(text)
            case {"type": "image_url", "image_url": {"url": str()} as image} if set(image) <= {
                "url",
                "detail",
            }:
                texts.append("[image]")
            case {"type": "file", "file": {"filename": str(name), "file_data": str(data)}}:
                if not name or not data.startswith("data:application/pdf;base64,"):
                    raise BadRequest(f"messages[{index}].content: a file must be a named PDF")
                texts.append("[document]")
            case _:
                raise BadRequest(f"messages[{index}].content has a part that is not known")
    return "\n".join(texts)


def _check_thoughts(message: dict[str, Any], index: int) -> None:
    if not isinstance(message.get("reasoning_content", ""), str):
        raise BadRequest(f"messages[{index}].reasoning_content must be a string")
    details = message.get("reasoning_details", [])
    if not isinstance(details, list) or not all(isinstance(detail, dict) for detail in details):
        raise BadRequest(f"messages[{index}].reasoning_details must be an array of objects")


def _call(call: Any, index: int, dialect: Dialect) -> Call:
    if isinstance(call, dict) and (unknown := set(call) - {"id", "type", "function"} - dialect.call):
        raise BadRequest(f"messages[{index}].tool_calls: unrecognized field {', '.join(sorted(unknown))}")
    match call:
        case {
            "id": str(id_),
            "type": "function",
            "function": {"name": str(name), "arguments": str(text)},
        } if id_:
            try:
                fine = isinstance(json.loads(text), dict)
            except ValueError:
                fine = False
            if not fine:
                raise BadRequest(f"messages[{index}]: arguments of {name} are not a JSON object")
            return Call(name, text, id_)
        case _:
            raise BadRequest(f"messages[{index}] has a malformed tool call")


def finish_reason(reply: Reply) -> str:
    """Why the answer ended."""
    return reply.finish or ("tool_calls" if reply.calls else "stop")


def whole(reply: Reply, call: ModelCall, number: int) -> dict[str, Any]:
    """The answer as one JSON object."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    if reply.calls:
        message["tool_calls"] = [_call_json(item, number, i) for i, item in enumerate(reply.calls)]
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 0,
        "model": reply.model or call.body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason(reply)}],
        "usage": _usage(call, reply),
    }


def pieces(reply: Reply, call: ModelCall, number: int, words: list[str]) -> Iterator[str]:
    """The answer as server-sent events; ``words`` are the pieces of its text."""
    call = replace(call, body={**call.body, "model": reply.model or call.body["model"]})
    yield _event(call, number, {"role": "assistant", "content": ""})
    for word in words:
        yield _event(call, number, {"content": word})
    for i, item in enumerate(reply.calls):
        whole_call = _call_json(item, number, i)
        text = whole_call["function"]["arguments"]
        head = {**whole_call, "index": i, "function": {"name": item.name, "arguments": ""}}
        yield _event(call, number, {"tool_calls": [head]})
        for start in range(0, len(text), 12):
            part = {"index": i, "function": {"arguments": text[start : start + 12]}}
            yield _event(call, number, {"tool_calls": [part]})
    yield _event(call, number, {}, finish_reason(reply))
    if (call.body.get("stream_options") or {}).get("include_usage"):
        usage = {"id": f"chatcmpl-{number}", "choices": [], "usage": _usage(call, reply)}
        yield f"data: {json.dumps(usage)}\n\n"
    yield "data: [DONE]\n\n"


def error(message: str, kind: str = "invalid_request_error", code: str | None = None) -> dict[str, Any]:
    """An error body of this wire."""
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def _event(call: ModelCall, number: int, delta: dict[str, Any], finish: str | None = None) -> str:
    chunk = {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": call.body["model"],
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }
    return f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n"


def _call_json(call: Call, number: int, index: int) -> dict[str, Any]:
    return {
        "id": call.id or f"call_{number}_{index}",
        "type": "function",
        "function": {"name": call.name, "arguments": call.arguments},
    }


def _usage(call: ModelCall, reply: Reply) -> dict[str, int]:
    prompt = sum(len(turn.text) for turn in call.turns) // 4 + 1
    answer = (len(reply.text) + sum(len(item.arguments) for item in reply.calls)) // 4 + 1
    return {"prompt_tokens": prompt, "completion_tokens": answer, "total_tokens": prompt + answer}
