"""Speech to text: ``POST {base}/audio/transcriptions``, the interface that came with Whisper.

OpenAI documents it, other services and local servers serve the same. Azure has it below a deployment. One
call, one answer: ``{"text": ...}``.
"""

import json
import secrets
from collections.abc import Iterable
from typing import Final
from urllib.parse import quote

from webbrain.core.errors import BridgeError, ProviderFailed
from webbrain.host.protocols import Clock, Http, HttpRequest, HttpResponse
from webbrain.providers import errors, refusals
from webbrain.providers.config import Endpoint

ANSWER_BYTES: Final = 1_000_000
FALLBACK_MINUTE: Final = 0.006
"""Dollars per minute of a paid service whose price nobody told us: that of OpenAI's first model for it."""
FILE_NAME: Final = "speech.wav"


async def transcribe(http: Http, clock: Clock, endpoint: Endpoint, sound: bytes) -> str:
    """The words in a WAV file, ``""`` if there are none. Raises ``ProviderFailed``."""
    boundary = f"----webbrain{secrets.token_hex(16)}"
    headers = {
        **endpoint.headers(),
        "Accept": "application/json",
        "Content-Type": f"multipart/form-data; boundary={boundary}",
    }
    request = HttpRequest(
        method="POST",
        url=_url(endpoint),
        headers=headers,
        body=_form(boundary, _fields(endpoint), sound),
        headers_timeout=endpoint.headers_timeout,
    )
    try:
        response = await http.send(request)
        try:
            status, body = response.status, await _read(response)
        finally:
            await response.close()
    except BridgeError as error:
        raise errors.network_failure(endpoint, error) from error
    if not 200 <= status < 300:
        raise _refused(
            endpoint, errors.http_failure(endpoint, status, response.headers, body, now=clock.now())
        )
    return _text(endpoint, body)


def dollars(endpoint: Endpoint, seconds: float) -> float | None:
    """What transcribing so much costs; ``None`` for a service that costs nothing."""
    if endpoint.info.prices is None:
        return None
    return (endpoint.entry.cost_audio_minute or FALLBACK_MINUTE) * seconds / 60


def _url(endpoint: Endpoint) -> str:
    if endpoint.wire != "azure":
        return endpoint.url("/audio/transcriptions")
    deployment = quote(endpoint.info.model, safe="")
    version = quote(endpoint.parameters.get("apiVersion", ""), safe="")
    return f"{endpoint.base_url}/openai/deployments/{deployment}/audio/transcriptions?api-version={version}"


def _fields(endpoint: Endpoint) -> Iterable[tuple[str, str]]:
    # The deployment is the model.
    if endpoint.info.model and endpoint.wire != "azure":
        yield "model", endpoint.info.model
    yield "response_format", "json"


def _form(boundary: str, fields: Iterable[tuple[str, str]], sound: bytes) -> bytes:
    """RFC 7578: the fields, then the file."""
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in fields
    ]
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{FILE_NAME}"\r\n'
        "Content-Type: audio/wav\r\n\r\n"
    )
    return b"".join([*parts, head.encode(), sound, f"\r\n--{boundary}--\r\n".encode()])


async def _read(response: HttpResponse) -> str:
    return (await response.read(ANSWER_BYTES)).decode("utf-8", "replace")


def _refused(endpoint: Endpoint, failure: ProviderFailed) -> ProviderFailed:
    """The same, but a service without this interface is called that."""
    if failure.code != "wrong_address" and failure.status != 501:
        return failure
    return _not_there(endpoint, str(failure.data.get("detail", "")))


def _not_there(endpoint: Endpoint, detail: str) -> ProviderFailed:
    return ProviderFailed(
        f"{endpoint.info.label} does not turn speech into text at {endpoint.base_url}.",
        code="no_transcription",
        data={
            "detail": detail,
            "hint": "Choose another service for it, or start a server that has /audio/transcriptions.",
        },
    )


def _text(endpoint: Endpoint, body: str) -> str:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict) and value.get("error"):
        raise errors.stated_failure(endpoint, value["error"])
    text = value.get("text") if isinstance(value, dict) else None
    if not isinstance(text, str):
        detail = refusals.redact(body[: errors.BODY_CHARS], endpoint.api_key)
        if refusals.is_html("", body):
            raise _not_there(endpoint, refusals.words_of_page(detail))
        raise errors.bad_response(endpoint, "there is no text in it", detail)
    return text.strip()
