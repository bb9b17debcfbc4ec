"""What a file is, told by its bytes: neither its name nor the type it claims is believed."""

import codecs
import re
from typing import Final, Literal

Kind = Literal["picture", "pdf", "text", ""]

PDF_TYPE: Final = "application/pdf"
TEXT_TYPE: Final = "text/plain"

_PICTURES: Final[tuple[tuple[bytes, str], ...]] = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)
"""The formats that every service with eyes takes; WebP, the fifth, has its mark further in."""
_PDF_MARK_WITHIN: Final = 1_024
"""Bytes among which the mark of a PDF may stand (ISO 32000, annex H.3.4.1)."""
_BOMS: Final[tuple[tuple[bytes, str], ...]] = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_NO_TEXT: Final = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f]")
"""Control characters that texts do not have; escape is left out, which logs with colours have."""
_STRANGE_SHARE: Final = 0.001
_PAGE: Final = re.compile(rb"/Type\s*/Page(?![a-zA-Z])")
_PACKED: Final = b"/ObjStm"
PACKED_PAGE_BYTES: Final = 50_000
"""A page of a PDF whose page objects are packed and cannot be counted, as a rule of thumb."""


def kind_of(data: bytes) -> tuple[Kind, str]:
    """The kind and the media type; ``("", "")`` for anything a model could not be given."""
    picture = next((media for mark, media in _PICTURES if data.startswith(mark)), "")
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        picture = "image/webp"
    if picture:
        return "picture", picture
    if b"%PDF-" in data[:_PDF_MARK_WITHIN]:
        return "pdf", PDF_TYPE
    return ("text", TEXT_TYPE) if decoded(data) is not None else ("", "")


def decoded(data: bytes) -> str | None:
    """The text of a file, ``None`` if it is none: UTF-8, UTF-16 with its mark, or else Windows-1252."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _as_text(data, encoding)
    text = _as_text(data, "utf-8")
    return text if text is not None or b"\x00" in data else _as_text(data, "cp1252")


def _as_text(data: bytes, encoding: str) -> str | None:
    try:
        text = data.decode(encoding)
    except UnicodeError:
        return None
    strange = sum(1 for _ in _NO_TEXT.finditer(text))
    return text if strange <= len(text) * _STRANGE_SHARE else None


def is_locked(pdf: bytes) -> bool:
    """Whether a PDF is encrypted, be it with an empty password: services do not take it then."""
    return b"/Encrypt" in pdf


def page_count(pdf: bytes) -> int:
    """About how many pages a PDF has, without reading it."""
    counted = sum(1 for _ in _PAGE.finditer(pdf))
    if counted == 0 or _PACKED in pdf:
        counted = max(counted, len(pdf) // PACKED_PAGE_BYTES)
    return max(1, counted)
