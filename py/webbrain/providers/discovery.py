"""What a service tells about itself: its models, and for local servers what is loaded right now.

Everything here is optional knowledge: short time-outs, and silence simply means that defaults apply.
"""

import json
from typing import Any, Final

from webbrain.core.errors import BridgeError, ProviderFailed
from webbrain.host.protocols import Clock, Http, HttpRequest
from webbrain.providers import anthropic, errors
from webbrain.providers.config import Endpoint, Live

LIST_TIMEOUT: Final = 15.0
LIVE_TIMEOUT: Final = 3.0
LIST_BYTES: Final = 5_000_000
MODELS_MAX: Final = 2_000
MODEL_ID_CHARS: Final = 200

_NOT_CHAT: Final = ("embed", "whisper", "tts-", "dall-e", "moderation", "rerank", "transcribe", "-image-")


async def list_models(http: Http, clock: Clock, endpoint: Endpoint) -> list[str]:
    """Model ids a chat can use, in the service's own order. Raises ``ProviderFailed``."""
    kind = endpoint.entry.models
    if kind == "ollama":
        body = await _get(http, clock, endpoint, f"{endpoint.root}/api/tags", LIST_TIMEOUT)
        return _ids(body.get("models"), "name")
    if kind == "lmstudio":
        try:
            body = await _get(http, clock, endpoint, f"{endpoint.root}/api/v0/models", LIST_TIMEOUT)
            chat = [row for row in _rows(body.get("data")) if row.get("type") in ("llm", "vlm")]
            # Loaded ones first: choosing another makes the server load it, which takes a while.
            chat.sort(key=lambda row: row.get("state") != "loaded")
            if chat:
                return _ids(chat, "id")
        except ProviderFailed as failure:
            if failure.code in ("server_not_running", "unreachable", "offline", "timeout", "wrong_key"):
                raise
    body = await _get(http, clock, endpoint, endpoint.url("/models"), LIST_TIMEOUT)
    return _ids(body.get("data", body.get("models")), "id")


async def live(http: Http, clock: Clock, endpoint: Endpoint) -> Live:
    """Ask a local server about the loaded model; an empty answer if it says nothing in time."""
    try:
        if endpoint.entry.live == "llamacpp":
            return await _llamacpp(http, clock, endpoint)
        if endpoint.entry.live == "ollama":
            return await _ollama(http, clock, endpoint)
        if endpoint.entry.live == "lmstudio":
            return await _lmstudio(http, clock, endpoint)
    except ProviderFailed:
        return Live()
    return Live()


async def _llamacpp(http: Http, clock: Clock, endpoint: Endpoint) -> Live:
    body = await _get(http, clock, endpoint, f"{endpoint.root}/props", LIVE_TIMEOUT)
    settings = body.get("default_generation_settings")
    modalities = body.get("modalities")
    path = body.get("model_alias") or body.get("model_path")
    return Live(
        model=str(path).replace("\\", "/").rsplit("/", 1)[-1] if path else None,
        context_window=_size(settings.get("n_ctx") if isinstance(settings, dict) else None),
        vision=bool(modalities.get("vision")) if isinstance(modalities, dict) else None,
    )


async def _ollama(http: Http, clock: Clock, endpoint: Endpoint) -> Live:
    model = endpoint.info.model
    context: int | None = None
    running = _rows(
        (await _get(http, clock, endpoint, f"{endpoint.root}/api/ps", LIVE_TIMEOUT)).get("models")
    )
    for row in running:
        if not model or str(row.get("name", "")).split(":")[0] == model.split(":")[0]:
            model = model or str(row.get("name", ""))
            context = _size(row.get("context_length"))
            break
    if not model:
        return Live()
    payload = json.dumps({"model": model}).encode()
    shown = await _get(http, clock, endpoint, f"{endpoint.root}/api/show", LIVE_TIMEOUT, payload)
    if context is None:
        for line in str(shown.get("parameters", "")).splitlines():
            name, _, value = line.strip().partition(" ")
            if name == "num_ctx":
                context = _size(value.strip())
    able = shown.get("capabilities")
    return Live(
        model=model, context_window=context, vision="vision" in able if isinstance(able, list) else None
    )


async def _lmstudio(http: Http, clock: Clock, endpoint: Endpoint) -> Live:
    body = await _get(http, clock, endpoint, f"{endpoint.root}/api/v0/models", LIVE_TIMEOUT)
    for row in _rows(body.get("data")):
        wanted = row.get("id") == endpoint.info.model if endpoint.info.model else row.get("state") == "loaded"
        if wanted and row.get("type") in ("llm", "vlm"):
            return Live(
                model=str(row.get("id", "")) or None,
                context_window=_size(row.get("loaded_context_length")),
                vision=row.get("type") == "vlm",
            )
    return Live()


async def _get(
    http: Http, clock: Clock, endpoint: Endpoint, url: str, timeout: float, payload: bytes | None = None
) -> dict[str, Any]:
    headers = anthropic.headers(endpoint) if endpoint.entry.wire == "anthropic" else endpoint.headers()
    request = HttpRequest(
        method="POST" if payload else "GET",
        url=url,
        headers=headers,
        body=payload,
        headers_timeout=timeout,
        stall_timeout=timeout,
    )
    try:
        response = await http.send(request)
        try:
            raw = await response.read(LIST_BYTES)
        finally:
            await response.close()
    except BridgeError as error:
        raise errors.network_failure(endpoint, error) from error
    text = raw.decode("utf-8", "replace")
    if not 200 <= response.status < 300:
        raise errors.http_failure(endpoint, response.status, response.headers, text, now=clock.now())
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        raise errors.wrong_address(
            endpoint, errors.redact(text[: errors.BODY_CHARS], endpoint.api_key)
        ) from None
    if isinstance(body, list):
        return {"data": body}
    return body if isinstance(body, dict) else {}


def _rows(value: Any) -> list[dict[str, Any]]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def _ids(rows: Any, key: str) -> list[str]:
    seen: dict[str, None] = {}
    for row in _rows(rows):
        name = str(row.get(key) or row.get("id") or row.get("name") or "").removeprefix("models/")
        usable = name and len(name) <= MODEL_ID_CHARS and not any(word in name.lower() for word in _NOT_CHAT)
        if usable:
            seen[name] = None
        if len(seen) >= MODELS_MAX:
            break
    return list(seen)


def _size(value: Any) -> int | None:
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if 256 <= number <= 100_000_000 else None
