"""The text of a PDF. Runs in a Worker of its own, which is started for one document and thrown away.

``js/bridge/pdfworker.js`` calls :func:`answer` once. pypdf is imported there and then, so that neither the
snapshot nor the agent's own Worker carries it. A document is hostile input: whatever it makes the reader do,
it does it to this Worker alone.
"""

import io
import json
import logging
from typing import Any, Final

from webbrain.core.errors import BridgeError
from webbrain.pdf import aes

BROKEN: Final = "pdf_broken"
ENCRYPTED: Final = "pdf_encrypted"

TITLE_CHARS: Final = 300
HEAD_BYTES: Final = 1_024
"""Where the mark of a PDF may stand, by custom."""
MARK: Final = b"%PDF-"

NO_PDF: Final = "This is not a PDF."
UNREADABLE: Final = "The PDF is damaged and cannot be read."
LOCKED: Final = "The PDF is encrypted and needs a password."
STILL_LOCKED: Final = "This is not the password of the PDF."
UNKNOWN_CIPHER: Final = "The PDF is encrypted with a cipher that cannot be opened here."


def answer(data: Any, options: str) -> str:
    """The whole exchange with the Worker's script: a JavaScript buffer and JSON in, JSON out.

    ``options`` is ``{from_page, to_page, max_chars, password}``; the answer is ``{result}`` or
    ``{error: {code, message}}``.
    """
    try:
        result = read(data.to_bytes(), **json.loads(options))
    except BridgeError as error:
        return json.dumps({"error": {"code": error.code, "message": error.message}})
    return json.dumps({"result": result}, ensure_ascii=False)


def read(data: bytes, *, from_page: int, to_page: int, max_chars: int, password: str = "") -> dict[str, Any]:
    """Read pages ``from_page`` to ``to_page`` (from 1) until ``max_chars`` characters are together.

    Return ``{title, totalPages, fromPage, toPage, pages: [{page, text}], truncated, encrypted}``; ``toPage``
    is the last page read, ``truncated`` says that the text of that page was cut or that pages of the range
    are missing. A page that cannot be read is ``{page, text: "", failed: true}``. Raise
    ``BridgeError`` with ``pdf_broken`` or ``pdf_encrypted``.
    """
    if MARK not in data[:HEAD_BYTES]:
        raise BridgeError(NO_PDF, code=BROKEN)
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    reader = _open(data, password)
    total = _count(reader)
    if total == 0:
        raise BridgeError(UNREADABLE, code=BROKEN)
    last = min(to_page, total)
    pages: list[dict[str, Any]] = []
    left = max_chars
    for number in range(from_page, last + 1):
        page = _page(reader, number)
        cut = len(page["text"]) > left
        page["text"] = page["text"][:left]
        pages.append(page)
        left -= len(page["text"])
        if cut or (left <= 0 and number < last):
            return _result(reader, total, from_page, pages, truncated=True)
    return _result(reader, total, from_page, pages, truncated=False)


def _open(data: bytes, password: str) -> Any:
    from pypdf import PdfReader
    from pypdf.errors import DependencyError, WrongPasswordError

    aes.install()
    try:
        reader = PdfReader(io.BytesIO(data))
        opened = not reader.is_encrypted or bool(reader.decrypt(password) or reader.decrypt(""))
    except DependencyError as error:
        raise BridgeError(UNKNOWN_CIPHER, code=ENCRYPTED) from error
    except WrongPasswordError as error:
        raise BridgeError(STILL_LOCKED if password else LOCKED, code=ENCRYPTED) from error
    except NotImplementedError as error:
        raise BridgeError(UNKNOWN_CIPHER, code=ENCRYPTED) from error
    except Exception as error:  # a hostile file may raise anything, and the one thing to say is the same
        raise BridgeError(UNREADABLE, code=BROKEN) from error
    if not opened:
        raise BridgeError(STILL_LOCKED if password else LOCKED, code=ENCRYPTED)
    return reader


def _count(reader: Any) -> int:
    from pypdf.errors import DependencyError

    try:
        return len(reader.pages)
    except DependencyError as error:
        raise BridgeError(UNKNOWN_CIPHER, code=ENCRYPTED) from error
    except Exception as error:
        raise BridgeError(UNREADABLE, code=BROKEN) from error


def _page(reader: Any, number: int) -> dict[str, Any]:
    """One page; one that makes the reader fail is marked, and the others still count."""
    from pypdf.errors import DependencyError

    try:
        text = str(reader.pages[number - 1].extract_text())
    except DependencyError as error:
        raise BridgeError(UNKNOWN_CIPHER, code=ENCRYPTED) from error
    except Exception as error:  # noqa: BLE001 - as above
        logging.getLogger(__name__).warning("Page %d cannot be read: %r", number, error)
        return {"page": number, "text": "", "failed": True}
    # Lone halves of a character pair could not be sent on as JSON.
    text = text.encode("utf-8", "replace").decode()
    return {"page": number, "text": text.replace("\x00", "").strip()}


def _result(
    reader: Any, total: int, from_page: int, pages: list[dict[str, Any]], *, truncated: bool
) -> dict[str, Any]:
    return {
        "title": _title(reader),
        "totalPages": total,
        "fromPage": from_page,
        "toPage": pages[-1]["page"] if pages else from_page - 1,
        "pages": pages,
        "truncated": truncated,
        "encrypted": bool(reader.is_encrypted),
    }


def _title(reader: Any) -> str:
    try:
        title = str((reader.metadata or {}).get("/Title") or "")
    except Exception as error:  # noqa: BLE001 - as above
        logging.getLogger(__name__).warning("The title cannot be read: %r", error)
        return ""
    return " ".join(title.encode("utf-8", "replace").decode().split())[:TITLE_CHARS]
