"""The transcription interface, read as strictly as the real one reads it: a form with a sound file in it.

Source of the fields: OpenAI's reference of ``POST /v1/audio/transcriptions``.
"""

import email.policy
import io
import wave
from dataclasses import dataclass
from email.message import EmailMessage
from email.parser import BytesParser

from webbrain.testing.chat import BadRequest

PATH = "/v1/audio/transcriptions"
AZURE_PATH = "/openai/deployments/{deployment}/audio/transcriptions"
SHORTEST = 0.1
"""Seconds; less is refused."""
_FIELDS = frozenset(
    {
        "model",
        "language",
        "prompt",
        "response_format",
        "temperature",
        "timestamp_granularities[]",
        "include[]",
        "stream",
        "chunking_strategy",
    }
)
_FORMATS = frozenset({"json", "text", "srt", "verbose_json", "vtt"})


@dataclass(frozen=True, slots=True)
class SpeechCall:
    """A request that was found to be well formed."""

    fields: dict[str, str]
    seconds: float
    rate: int
    sound: bytes
    headers: dict[str, str]


def read(body: bytes, headers: dict[str, str], *, azure: bool = False) -> SpeechCall:
    """Take a form apart. Raises ``BadRequest``."""
    kind = headers.get("content-type", "")
    if not kind.startswith("multipart/form-data; boundary="):
        raise BadRequest("the request must be multipart/form-data")
    message = BytesParser(policy=email.policy.HTTP).parsebytes(
        b"Content-Type: " + kind.encode() + b"\r\n\r\n" + body
    )
    fields: dict[str, str] = {}
    sound: bytes | None = None
    for part in message.iter_parts() if message.is_multipart() else ():
        assert isinstance(part, EmailMessage)
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        assert isinstance(content, bytes)
        if name == "file":
            if not part.get_filename() or part.get_content_maintype() != "audio":
                raise BadRequest("the file needs a name and a type that is audio")
            sound = content
        elif name not in _FIELDS:
            raise BadRequest(f"Unrecognized request argument supplied: {name}")
        elif name in fields:
            raise BadRequest(f"{name} is given twice")
        else:
            fields[str(name)] = content.decode()
    if sound is None:
        raise BadRequest("file: field required")
    if azure == ("model" in fields):
        raise BadRequest("model: " + ("the deployment says it" if azure else "field required"))
    if fields.get("response_format", "json") not in _FORMATS:
        raise BadRequest("response_format: not one of ours")
    return SpeechCall(fields, *_length(sound), sound, headers)


def whole(words: str) -> dict[str, object]:
    """The answer."""
    return {"text": words, "usage": {"type": "duration", "seconds": 1}}


def _length(sound: bytes) -> tuple[float, int]:
    try:
        with wave.open(io.BytesIO(sound)) as file:
            seconds, rate = file.getnframes() / file.getframerate(), file.getframerate()
    except (wave.Error, EOFError) as error:
        raise BadRequest("Invalid file format.") from error
    if seconds < SHORTEST:
        raise BadRequest("Audio file is too short. Minimum audio length is 0.1 seconds.")
    return seconds, rate
