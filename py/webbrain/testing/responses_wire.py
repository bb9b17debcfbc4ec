"""OpenAI Responses, read strictly and answered faithfully. Nothing is stored, so items must come whole."""

import json
from collections.abc import Iterator
from typing import Any

from webbrain.testing import strict_rules
from webbrain.testing.chat import BadRequest, Call, ModelCall, Reply, Turn
from webbrain.testing.openai_wire import TOOL_NAME, check_parameters, refuse_sampling
from webbrain.testing.openai_wire import error as error

PATH = "/v1/responses"
OUTPUT_MIN = 16

FIELDS = {
    "model", "input", "instructions", "tools", "tool_choice", "temperature", "top_p", "max_output_tokens",
    "stream", "store", "include", "reasoning", "text", "parallel_tool_calls", "truncation", "metadata",
}  # fmt: skip
ITEM_FIELDS = {
    "message": {"type", "id", "role", "status", "content", "phase"},
    "reasoning": {"type", "id", "summary", "content", "encrypted_content", "status"},
    "function_call": {"type", "id", "call_id", "name", "arguments", "status"},
    "function_call_output": {"type", "id", "call_id", "output", "status"},
}
PARTS = {
    "user": {
        "input_text": {"text"},
        "input_image": {"image_url", "detail"},
        "input_file": {"filename", "file_data"},
    },
    "assistant": {"output_text": {"text", "annotations", "logprobs"}, "refusal": {"refusal"}},
}
STAND_INS = {"input_image": "[image]", "input_file": "[document]"}
EFFORTS = {"none", "minimal", "low", "medium", "high", "xhigh", "max"}
ENCRYPTED = "gAAAAAB-thought-"
"""Begins what our reasoning items carry; anything else was not made here."""


def read(body: Any, headers: dict[str, str]) -> ModelCall:
    """Return the call, or raise ``BadRequest`` with what the strict service would say."""
    if not isinstance(body, dict):
        raise BadRequest("the body is not a JSON object")
    if unknown := set(body) - FIELDS:
        raise BadRequest(f"Unknown parameter: '{sorted(unknown)[0]}'.")
    if not isinstance(body.get("model"), str) or not body["model"]:
        raise BadRequest("Missing required parameter: 'model'.")
    refuse_sampling(body, "temperature", "top_p")
    if not isinstance(body.get("input"), list) or not body["input"]:
        raise BadRequest("'input' must be a non-empty array")
    limit = body.get("max_output_tokens", OUTPUT_MIN)
    if not isinstance(limit, int) or limit < OUTPUT_MIN:
        raise BadRequest(f"'max_output_tokens' must be at least {OUTPUT_MIN}")
    if set(body.get("reasoning", {})) - {"effort", "summary"}:
        raise BadRequest("Unknown parameter in 'reasoning'.")
    if body.get("reasoning", {}).get("effort", "low") not in EFFORTS:
        raise BadRequest("Invalid value: 'reasoning.effort'.")
    if body.get("store") is not False:
        raise BadRequest("these tests store nothing: 'store' must be false")
    if body.get("include") != ["reasoning.encrypted_content"]:
        raise BadRequest("without 'reasoning.encrypted_content' no item could be given back")
    if "tool_choice" in body and "tools" not in body:
        raise BadRequest("'tool_choice' is only allowed when 'tools' are specified")
    _check_format(body.get("text", {}))
    instructions = body.get("instructions", "")
    if not isinstance(instructions, str):
        raise BadRequest("'instructions' must be a string")
    system = [Turn("system", instructions)] if instructions else []
    return ModelCall(
        wire="responses",
        turns=(*system, *_turns(body["input"])),
        tools=tuple(_tool(tool) for tool in body.get("tools", ())),
        stream=bool(body.get("stream")),
        body=body,
        headers=headers,
    )


def _check_format(text: Any) -> None:
    if not isinstance(text, dict) or set(text) - {"format", "verbosity"}:
        raise BadRequest("Unknown parameter in 'text'.")
    form = text.get("format", {"type": "text"})
    if not isinstance(form, dict) or form.get("type") not in ("text", "json_object", "json_schema"):
        raise BadRequest("Invalid value: 'text.format.type'.")
    if form["type"] == "json_schema":
        strict_rules.described({key: value for key, value in form.items() if key != "type"})


def _tool(tool: Any) -> str:
    if not isinstance(tool, dict) or tool.get("type") != "function":
        raise BadRequest("a tool must be a function")
    if unknown := set(tool) - {"type", "name", "description", "parameters", "strict"}:
        raise BadRequest(f"Unknown parameter: 'tools[0].{sorted(unknown)[0]}'.")
    if not isinstance(tool.get("name"), str) or not TOOL_NAME.fullmatch(tool["name"]):
        raise BadRequest("Invalid 'tools[0].name'")
    check_parameters(tool.get("parameters"))
    return str(tool["name"])


def _turns(items: list[Any]) -> Iterator[Turn]:
    made: set[str] = set()
    open_calls: set[str] = set()
    reasoning = False
    first = True
    for index, item in enumerate(items):
        kind = _kind(item, index)
        if reasoning and kind not in ("reasoning", "message", "function_call"):
            raise BadRequest(
                f"Item {index - 1} of type 'reasoning' was provided without its required following item."
            )
        if kind == "function_call_output":
            if item.get("call_id") not in open_calls:
                raise BadRequest(
                    f"No tool call found for function call output with call_id {item.get('call_id')}."
                )
            open_calls.discard(item["call_id"])
            yield Turn("tool", _output(item.get("output"), index), call_id=item["call_id"])
        elif kind == "function_call":
            call = _call(item, index)
            if call.id in made:
                raise BadRequest(f"input[{index}]: the call_id {call.id} is there twice")
            made.add(call.id)
            open_calls.add(call.id)
            yield Turn("assistant", calls=(call,))
        elif kind == "message":
            role = item["role"]
            if role == "user" and open_calls:
                raise BadRequest(f"No tool output found for function call {sorted(open_calls)[0]}.")
            if first and role != "user":
                raise BadRequest("the first message must be the user's")
            first = False
            yield Turn(role, _text(role, item.get("content"), index))
        else:
            _reasoning(item, index)
        reasoning = kind == "reasoning"
    if open_calls:
        raise BadRequest(f"No tool output found for function call {sorted(open_calls)[0]}.")
    if reasoning or (_kind(items[-1], 0) == "message" and items[-1]["role"] == "assistant"):
        raise BadRequest("the last item must be the user's or a tool's")


def _kind(item: Any, index: int) -> str:
    if not isinstance(item, dict):
        raise BadRequest(f"input[{index}] must be an object")
    kind = item.get("type", "message" if "role" in item else "")
    if kind not in ITEM_FIELDS or (kind == "message" and item.get("role") not in PARTS):
        raise BadRequest(f"Invalid value: 'input[{index}]'.")
    if unknown := set(item) - ITEM_FIELDS[kind]:
        raise BadRequest(f"Unknown parameter: 'input[{index}].{sorted(unknown)[0]}'.")
    if any(value is None for value in item.values()):
        raise BadRequest(f"Invalid type for 'input[{index}]': got null instead.")
    return str(kind)


def _reasoning(item: dict[str, Any], index: int) -> None:
    if not str(item.get("encrypted_content", "")).startswith(ENCRYPTED):
        raise BadRequest(
            f"Item with id '{item.get('id')}' not found. Items are not persisted when `store` is false."
        )
    if not isinstance(item.get("summary"), list):
        raise BadRequest(f"Missing required parameter: 'input[{index}].summary'.")


def _call(item: dict[str, Any], index: int) -> Call:
    for key in ("call_id", "name", "arguments"):
        if not isinstance(item.get(key), str) or not item[key]:
            raise BadRequest(f"Missing required parameter: 'input[{index}].{key}'.")
    try:
        fine = isinstance(json.loads(item["arguments"]), dict)
    except ValueError:
        fine = False
    if not fine:
        raise BadRequest(f"input[{index}].arguments is not a JSON object")
    return Call(item["name"], item["arguments"], item["call_id"])


def _output(output: Any, index: int) -> str:
    if not isinstance(output, str) or not output:
        raise BadRequest(f"input[{index}].output must be a non-empty string")
    return output


def _text(role: str, content: Any, index: int) -> str:
    if not isinstance(content, list) or not content:
        raise BadRequest(f"input[{index}].content must be a non-empty array of parts")
    texts = []
    for part in content:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind not in PARTS[role]:
            raise BadRequest(f"Invalid value: '{kind}' in input[{index}] of the {role}.")
        if unknown := set(part) - {"type"} - PARTS[role][kind]:
            raise BadRequest(f"Unknown parameter: 'input[{index}].content.{sorted(unknown)[0]}'.")
        if kind == "input_file" and not str(part.get("file_data")).startswith("data:application/pdf;base64,"):
            raise BadRequest(f"Invalid value: 'input[{index}].content.file_data'.")
        texts.append(part.get("text") or part.get("refusal") or STAND_INS.get(kind, ""))
    return "\n".join(texts)


def whole(reply: Reply, call: ModelCall, number: int) -> dict[str, Any]:
    """The answer as one response object."""
    return _response(reply, call, number, _output_items(reply, number))


def _response(
    reply: Reply, call: ModelCall, number: int, output: list[Any], status: str = ""
) -> dict[str, Any]:
    cut = reply.finish in ("max_output_tokens", "content_filter")
    answer = len(reply.text) // 4 + 1
    return {
        "id": f"resp_{number}",
        "object": "response",
        "status": status or ("incomplete" if cut else "completed"),
        "error": None,
        "incomplete_details": {"reason": reply.finish} if cut and not status else None,
        "model": call.body["model"],
        "output": output,
        "usage": {"input_tokens": 10, "output_tokens": answer, "total_tokens": 10 + answer},
    }


def _output_items(reply: Reply, number: int) -> list[dict[str, Any]]:
    thought: dict[str, Any] = {
        "id": f"rs_{number}",
        "type": "reasoning",
        "summary": [],
        "encrypted_content": f"{ENCRYPTED}{number}",
        "status": None,
    }
    items: list[dict[str, Any]] = [thought]
    if reply.text:
        part = {"type": "output_text", "text": reply.text, "annotations": []}
        message = {"id": f"msg_{number}", "type": "message", "role": "assistant", "content": [part]}
        items.append({**message, "status": "completed"})
    for i, made in enumerate(reply.calls):
        items.append(
            {
                "id": f"fc_{number}_{i}",
                "type": "function_call",
                "call_id": made.id or f"call_{number}_{i}",
                "name": made.name,
                "arguments": made.arguments,
                "status": "completed",
            }
        )
    return items


def pieces(reply: Reply, call: ModelCall, number: int, words: list[str]) -> Iterator[str]:
    """The answer as server-sent events; ``words`` are the pieces of its text."""
    items = _output_items(reply, number)
    yield _event("response.created", {"response": _response(reply, call, number, [], "in_progress")})
    for index, item in enumerate(items):
        at = {"output_index": index}
        yield _event("response.output_item.added", {**at, "item": {**item, **_empty(item)}})
        if item["type"] == "message":
            for word in words:
                yield _event("response.output_text.delta", {**at, "content_index": 0, "delta": word})
        elif item["type"] == "function_call":
            text = item["arguments"]
            for start in range(0, len(text), 12):
                yield _event(
                    "response.function_call_arguments.delta", {**at, "delta": text[start : start + 12]}
                )
            yield _event("response.function_call_arguments.done", {**at, "arguments": text})
        yield _event("response.output_item.done", {**at, "item": item})
    last = _response(reply, call, number, items)
    yield _event(f"response.{last['status']}", {"response": last})


def _empty(item: dict[str, Any]) -> dict[str, Any]:
    if item["type"] == "message":
        return {"content": [], "status": "in_progress"}
    return {"arguments": "", "status": "in_progress"} if item["type"] == "function_call" else {}


def _event(kind: str, data: dict[str, Any]) -> str:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **data}, ensure_ascii=False)}\n\n"
