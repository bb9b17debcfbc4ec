"""AWS Bedrock Converse, read strictly and answered faithfully, with every signature checked."""

import hashlib
import hmac
import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from webbrain.providers.event_stream import encode_event
from webbrain.testing.chat import BadRequest, Call, ModelCall, Reply, Turn
from webbrain.testing.openai_wire import TOOL_NAME, check_parameters

PATH = "/model/{model}/{verb:converse|converse-stream}"
STREAM_TYPE = "application/vnd.amazon.eventstream"
SKEW = 300
"""Seconds that the clocks of caller and service may be apart."""
ACCESS_KEY = "AKIAIOSFODNN7EXAMPLE"

FIELDS = {"messages", "system", "inferenceConfig", "toolConfig", "additionalModelRequestFields"}
ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
DOCUMENT_NAME = re.compile(r"(?! )(?:[a-zA-Z0-9()\[\]-]| (?! )){1,200}")
_AUTHORIZATION = re.compile(
    r"AWS4-HMAC-SHA256 Credential=(?P<key>\w+)/(?P<day>\d{8})/(?P<region>[a-z0-9-]+)/bedrock/aws4_request, "
    r"SignedHeaders=(?P<names>[a-z0-9;-]+), Signature=(?P<signature>[0-9a-f]{64})"
)


def check_signature(
    path: str, headers: Mapping[str, str], body: bytes, secret: str, *, now: float | None = None
) -> None:
    """Raise ``BadRequest`` unless the request was signed with ``secret``, and lately if ``now`` is given (in
    seconds since 1970). ``path`` is as it was sent."""
    match = _AUTHORIZATION.fullmatch(headers.get("authorization", ""))
    if not match:
        raise BadRequest("The request signature does not conform to AWS standards.")
    names = match["names"].split(";")
    if names != sorted(names) or not {"host", "x-amz-date", "content-type"} <= set(names):
        raise BadRequest("host, x-amz-date and content-type must be signed, in order")
    stamp = headers.get("x-amz-date", "")
    if not stamp.startswith(match["day"]):
        raise BadRequest("the day of the credential is not that of the request")
    if now is not None and abs(now - _time(stamp)) > SKEW:
        raise BadRequest(f"Signature expired: {stamp} is more than {SKEW} seconds away")
    lines = ["POST", quote(path, safe="/-_.~"), ""]
    lines += [f"{name}:{' '.join(headers.get(name, '').split())}" for name in names]
    lines += ["", match["names"], hashlib.sha256(body).hexdigest()]
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    scope = "/".join([match["day"], match["region"], "bedrock", "aws4_request"])
    key = b"AWS4" + secret.encode()
    for part in scope.split("/"):
        key = hmac.new(key, part.encode(), "sha256").digest()
    wanted = hmac.new(key, f"AWS4-HMAC-SHA256\n{stamp}\n{scope}\n{digest}".encode(), "sha256").hexdigest()
    if match["key"] != ACCESS_KEY or not hmac.compare_digest(wanted, match["signature"]):
        raise BadRequest("The request signature we calculated does not match the signature you provided.")


def _time(stamp: str) -> float:
    try:
        return datetime.strptime(stamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC).timestamp()
    except ValueError as error:
        raise BadRequest("x-amz-date must be in ISO 8601 basic format") from error


def read(body: Any, headers: dict[str, str]) -> ModelCall:
    """Return the call, or raise ``BadRequest`` with what the strict service would say."""
    if not isinstance(body, dict):
        raise BadRequest("the body is not a JSON object")
    if unknown := set(body) - FIELDS:
        raise BadRequest(f"extraneous key [{sorted(unknown)[0]}] is not permitted")
    inference = body.get("inferenceConfig", {})
    if set(inference) - {"maxTokens", "temperature", "topP", "stopSequences"}:
        raise BadRequest("extraneous key in inferenceConfig")
    if not isinstance(body.get("messages"), list) or not body["messages"]:
        raise BadRequest("A conversation must start with a user message.")
    tools = [_tool(tool) for tool in body.get("toolConfig", {}).get("tools", ())]
    if "toolConfig" in body and not tools:
        raise BadRequest("toolConfig.tools must have at least one member")
    turns = list(_turns(body["messages"]))
    if not tools and any(turn.calls or turn.role == "tool" for turn in turns):
        raise BadRequest(
            "The toolConfig field must be defined when using toolUse and toolResult content blocks."
        )
    system = [Turn("system", _only(block, "text")) for block in body.get("system", ())]
    return ModelCall(
        wire="bedrock",
        turns=(*system, *turns),
        tools=tuple(tools),
        stream=headers.get("accept") == STREAM_TYPE,
        body=body,
        headers=headers,
    )


def _tool(tool: Any) -> str:
    spec = tool.get("toolSpec") if isinstance(tool, dict) and set(tool) == {"toolSpec"} else None
    if not isinstance(spec, dict) or set(spec) - {"name", "description", "inputSchema"}:
        raise BadRequest("a tool must be {toolSpec: {name, description, inputSchema}}")
    if not isinstance(spec.get("name"), str) or not TOOL_NAME.fullmatch(spec["name"]):
        raise BadRequest("toolSpec.name must satisfy the pattern [a-zA-Z0-9_-]+")
    if not isinstance(spec.get("inputSchema"), dict) or set(spec["inputSchema"]) != {"json"}:
        raise BadRequest("toolSpec.inputSchema must be {json: ...}")
    check_parameters(spec["inputSchema"]["json"])
    return str(spec["name"])


def _turns(messages: list[Any]) -> Iterator[Turn]:
    open_calls: list[str] = []
    used: set[str] = set()
    for index, message in enumerate(messages):
        wanted = "assistant" if index % 2 else "user"
        if set(message) != {"role", "content"} or message["role"] != wanted:
            raise BadRequest(f"messages.{index}: roles must alternate between user and assistant, user first")
        blocks = message["content"]
        if not isinstance(blocks, list) or not blocks:
            raise BadRequest(f"messages.{index}: content must not be empty")
        results = [block["toolResult"].get("toolUseId") for block in blocks if "toolResult" in block]
        if sorted(results) != sorted(open_calls):
            raise BadRequest(
                f"messages.{index}: Expected toolResult blocks for the Ids: {', '.join(open_calls)}"
            )
        turns = list(_blocks(wanted, blocks, index))
        open_calls = [call.id for turn in turns for call in turn.calls]
        if set(open_calls) & used or len(set(open_calls)) < len(open_calls):
            raise BadRequest(f"messages.{index}: duplicate Ids in toolUse blocks")
        used |= set(open_calls)
        yield from turns
    if len(messages) % 2 == 0:
        raise BadRequest("the last message must be the user's")


def _blocks(role: str, blocks: list[Any], index: int) -> Iterator[Turn]:
    texts: list[str] = []
    calls: list[Call] = []
    documents: set[str] = set()
    for block in blocks:
        match block:
            case {"text": str(text)} if len(block) == 1:
                if not text.strip():
                    raise BadRequest(f"messages.{index}: The text field in the ContentBlock object is blank.")
                texts.append(text)
            case {"toolUse": {"toolUseId": str(id_), "name": str(name), "input": dict(value)}} if (
                role == "assistant"
            ):
                if not ID.fullmatch(id_):
                    raise BadRequest(f"messages.{index}: toolUseId must satisfy [a-zA-Z0-9_-]{{1,64}}")
                calls.append(Call(name, json.dumps(value), id_))
            case {"toolResult": {"toolUseId": str(id_), "content": list(content)}} if (
                role == "user" and content
            ):
                yield Turn("tool", "\n".join(_only(part, "text") for part in content), call_id=id_)
            case {"reasoningContent": {"reasoningText": {"text": str(), "signature": str()}}} if (
                role == "assistant"
            ):
                pass
            case {"reasoningContent": {"redactedContent": str()}} if role == "assistant":
                pass
            case {"image": {"format": "jpeg" | "png" | "gif" | "webp", "source": {"bytes": str()}}} if (
                role == "user"
            ):
                texts.append("[image]")
            case {"document": {"format": "pdf", "name": str(name), "source": {"bytes": str()}}} if (
                role == "user"
            ):
                if not DOCUMENT_NAME.fullmatch(name) or name in documents:
                    raise BadRequest(f"messages.{index}: document names must be plain, and unique")
                documents.add(name)
            case _:
                raise BadRequest(f"messages.{index}: a content block is not valid here")
    if documents and not texts:
        raise BadRequest(f"messages.{index}: a text must stand beside a document")
    texts += ["[document]"] * len(documents)
    if texts or calls:
        yield Turn("user" if role == "user" else "assistant", "\n".join(texts), tuple(calls))


def _only(block: Any, key: str) -> str:
    if (
        not isinstance(block, dict)
        or set(block) != {key}
        or not isinstance(block[key], str)
        or not block[key].strip()
    ):
        raise BadRequest(f"a block must be {{{key}: text}} and not blank")
    return str(block[key])


def stop_reason(reply: Reply) -> str:
    """Why the answer ended."""
    return reply.finish or ("tool_use" if reply.calls else "end_turn")


def whole(reply: Reply, call: ModelCall, number: int) -> dict[str, Any]:
    """The answer as one JSON object; broken argument text cannot travel whole on this wire."""
    content: list[dict[str, Any]] = [{"text": reply.text}] if reply.text else []
    for i, made in enumerate(reply.calls):
        try:
            value = json.loads(made.arguments)
        except ValueError:
            value = {}
        content.append({"toolUse": {"toolUseId": _id(made, number, i), "name": made.name, "input": value}})
    return {
        "output": {"message": {"role": "assistant", "content": content}},
        "stopReason": stop_reason(reply),
        "usage": _usage(reply),
        "metrics": {"latencyMs": 1},
    }


def pieces(reply: Reply, call: ModelCall, number: int, words: list[str]) -> Iterator[bytes]:
    """The answer in Amazon's framing; ``words`` are the pieces of its text."""
    yield _frame("messageStart", {"role": "assistant"})
    index = 0
    if words:
        for word in words:
            yield _frame("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": word}})
        yield _frame("contentBlockStop", {"contentBlockIndex": 0})
        index = 1
    for i, made in enumerate(reply.calls):
        start = {"toolUse": {"toolUseId": _id(made, number, i), "name": made.name}}
        yield _frame("contentBlockStart", {"contentBlockIndex": index, "start": start})
        for at in range(0, len(made.arguments), 12):
            delta = {"toolUse": {"input": made.arguments[at : at + 12]}}
            yield _frame("contentBlockDelta", {"contentBlockIndex": index, "delta": delta})
        yield _frame("contentBlockStop", {"contentBlockIndex": index})
        index += 1
    yield _frame("messageStop", {"stopReason": stop_reason(reply)})
    yield _frame("metadata", {"usage": _usage(reply), "metrics": {"latencyMs": 1}})


def error(message: str, kind: str = "ValidationException", code: str | None = None) -> dict[str, Any]:
    """An error body of this wire."""
    return {"message": message}


def _frame(kind: str, data: dict[str, Any]) -> bytes:
    headers = {":event-type": kind, ":content-type": "application/json", ":message-type": "event"}
    return encode_event(headers, json.dumps(data, ensure_ascii=False).encode())


def _id(call: Call, number: int, index: int) -> str:
    return call.id or f"tooluse_{number}_{index}"


def _usage(reply: Reply) -> dict[str, int]:
    answer = len(reply.text) // 4 + 1
    return {"inputTokens": 10, "outputTokens": answer, "totalTokens": 10 + answer}
