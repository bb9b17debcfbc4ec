"""What a service tells about itself: its models, and for local servers what is loaded right now.

Everything here is optional knowledge: short time-outs, and silence simply means that defaults apply.
"""

import json
from dataclasses import dataclass
from typing import Any, Final

from webbrain.core.errors import BridgeError, ProviderFailed
from webbrain.host.protocols import Clock, Http, HttpRequest
from webbrain.providers import anthropic, errors, refusals
from webbrain.providers.config import Endpoint, Live

LIST_TIMEOUT: Final = 15.0
LIVE_TIMEOUT: Final = 3.0
LIST_BYTES: Final = 5_000_000
MODELS_MAX: Final = 2_000
MODEL_ID_CHARS: Final = 200

_WINDOWS: Final = (
    "loaded_context_length",
    "context_length",
    "context_window",
    "max_model_len",
    "max_context_length",
    "max_input_tokens",
)
_NOT_CHAT: Final = ("embed", "whisper", "tts-", "dall-e", "moderation", "rerank", "transcribe", "-image-")


@dataclass(frozen=True, slots=True)
class Listed:
    """A model as its service lists it; ``None`` where the list does not say."""

    id: str
    context_window: int | None = None
    vision: bool | None = None
    owner: str = ""
    """Lower-case; local servers put their own name here."""


async def list_models(
    http: Http, clock: Clock, endpoint: Endpoint, timeout: float = LIST_TIMEOUT
) -> list[Listed]:
    """Models a chat can use, in the service's own order. Raises ``ProviderFailed``."""
    kind = endpoint.entry.models
    if kind == "none":
        return [Listed(endpoint.info.model)] if endpoint.info.model else []
    if kind == "ollama":
        body = await _get(http, clock, endpoint, f"{endpoint.root}/api/tags", timeout)
        return _listed(body.get("models"), "name")
    if kind == "lmstudio":
        try:
            body = await _get(http, clock, endpoint, f"{endpoint.root}/api/v0/models", timeout)
            chat = [row for row in _rows(body.get("data")) if row.get("type") in ("llm", "vlm")]
            # Loaded ones first: choosing another makes the server load it, which takes a while.
            chat.sort(key=lambda row: row.get("state") != "loaded")
            if chat:
                return _listed(chat, "id")
        except ProviderFailed as failure:
            if failure.code in ("server_not_running", "unreachable", "offline", "timeout", "wrong_key"):
                raise
    body = await _get(http, clock, endpoint, endpoint.url("/models"), timeout)
    return _listed(body.get("data", body.get("models")), "id")


async def find_models(http: Http, clock: Clock, endpoint: Endpoint) -> tuple[str, list[Listed]]:
    """The models, and the address at which they were found: the endpoint's own or another likely form of it.

    Raises the ``ProviderFailed`` of the endpoint's own address if there is none at any.
    """
    first: ProviderFailed | None = None
    for candidate in endpoint.addresses():
        try:
            found = await list_models(http, clock, candidate)
        except ProviderFailed as failure:
            first = first or failure
            if failure.code not in errors.NEXT_ADDRESS:
                break
            continue
        if found:
            return candidate.base_url, found
    if first is not None:
        raise first
    return endpoint.base_url, []


async def live(http: Http, clock: Clock, endpoint: Endpoint) -> Live:
    """Ask a local server about the loaded model; an empty answer if it says nothing in time."""
    try:
        if endpoint.entry.live == "llamacpp":
            return await _llamacpp(http, clock, endpoint)
        if endpoint.entry.live == "ollama":
            return await _ollama(http, clock, endpoint)
        if endpoint.entry.live == "lmstudio":
            return await _lmstudio(http, clock, endpoint)
        if endpoint.entry.live == "localai":
            return await _localai(http, clock, endpoint)
        return await _from_list(http, clock, endpoint)
    except ProviderFailed:
        return Live()


async def _from_list(http: Http, clock: Clock, endpoint: Endpoint) -> Live:
    """What the list says of the chosen model, or of the only one (vLLM names its window there)."""
    models = await list_models(http, clock, endpoint, LIVE_TIMEOUT)
    wanted = endpoint.info.model or (models[0].id if len(models) == 1 else "")
    found = next((model for model in models if model.id == wanted), None)
    return Live(found.id, found.context_window, found.vision) if found else Live()


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


async def _localai(http: Http, clock: Clock, endpoint: Endpoint) -> Live:
    """Its list of models with what each can do; the usual list from a version that has none."""
    try:
        body = await _get(http, clock, endpoint, endpoint.url("/models/capabilities"), LIVE_TIMEOUT)
    except ProviderFailed:
        return await _from_list(http, clock, endpoint)
    for row in _rows(body.get("data")):
        if row.get("id") == endpoint.info.model:
            able = row.get("capabilities")
            named = {str(one).lower() for one in able} if isinstance(able, list) else set()
            seen = _eyes(row) if not named else any("vision" in one for one in named)
            return Live(model=endpoint.info.model, context_window=_window(row), vision=seen)
    return Live()


async def _get(
    http: Http, clock: Clock, endpoint: Endpoint, url: str, timeout: float, payload: bytes | None = None
) -> dict[str, Any]:
    headers = anthropic.headers(endpoint) if endpoint.wire == "anthropic" else endpoint.headers()
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
            endpoint, refusals.redact(text[: errors.BODY_CHARS], endpoint.api_key)
        ) from None
    if isinstance(body, list):
        return {"data": body}
    return body if isinstance(body, dict) else {}


def _rows(value: Any) -> list[dict[str, Any]]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def _listed(rows: Any, key: str) -> list[Listed]:
    seen: dict[str, Listed] = {}
    for row in _rows(rows):
        name = str(row.get(key) or row.get("id") or row.get("name") or "").removeprefix("models/")
        usable = name and len(name) <= MODEL_ID_CHARS and not any(word in name.lower() for word in _NOT_CHAT)
        if usable:
            owner = str(row.get("owned_by") or "").lower()
            seen.setdefault(name, Listed(name, _window(row), _eyes(row), owner))
        if len(seen) >= MODELS_MAX:
            break
    return list(seen.values())


def _window(row: dict[str, Any]) -> int | None:
    """The context window in a row of a list, under the names that services give it."""
    return next((size for key in _WINDOWS if (size := _size(row.get(key))) is not None), None)


def _eyes(row: dict[str, Any]) -> bool | None:
    """Whether a row of a list says that the model reads pictures: OpenRouter's modalities, Mistral's and
    LM Studio's capabilities, LM Studio's type."""
    architecture = row.get("architecture")
    inputs = architecture.get("input_modalities") if isinstance(architecture, dict) else None
    inputs = inputs if isinstance(inputs, list) else row.get("input_modalities")
    if isinstance(inputs, list):
        return "image" in inputs
    able = row.get("capabilities")
    if isinstance(able, dict) and isinstance(able.get("vision"), bool):
        return bool(able["vision"])
    return {"vlm": True, "llm": False}.get(str(row.get("type")))


def _size(value: Any) -> int | None:
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if 256 <= number <= 100_000_000 else None
