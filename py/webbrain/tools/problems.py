"""What a page or the browser could not do, said so that a model knows what to do next.

One table for every tool: error codes of the bridge (docs/protocol.md) to one sentence. A code that is not
here is shown with the browser's own message, cleaned of addresses inside the extension.
"""

import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from webbrain.core.errors import BridgeError, OutcomeUnknown
from webbrain.core.results import ToolResult

RAW_MESSAGE_CHARS: Final = 200

SENTENCES: Final[Mapping[str, str]] = {
    "no_tab": "The tab of this task is closed. Nothing more can be done in it: finish and tell the user.",
    "no_window": "The window of this task is closed. Finish and tell the user.",
    "restricted_page": (
        "The browser keeps extensions out of this page (its own pages, the extension store, some viewers). "
        "It can be neither read nor changed: for a PDF use read_pdf, else go to an ordinary web page or "
        "tell the user."
    ),
    "page_busy": (
        "The page did not answer in time. It may still be loading or be stuck. "
        "Try once more; if it stays silent, tell the user."
    ),
    "no_frame": "This frame is no longer in the page. Read the page again before you go on.",
    "page_gone": "The page was replaced while this ran. Read the new page before you go on.",
    "no_history": "There is no further page in this tab's history in that direction.",
    "timeout": "The browser did not answer in time. Read the page to see how things stand.",
    "too_large": "The answer was too large to carry. Ask for less: a smaller part or a narrower filter.",
    "offline": "The computer is offline.",
}

PDF: Final = "This tab shows a PDF, which has no page to read. Use read_pdf without an address."

PERHAPS_DIALOG: Final = (
    "Perhaps it shows a dialog of its own (alert, confirm): then only the user can close it; ask them to."
)
"""Said of a silent page in a tab whose dialogs are not reported."""

_EXTENSION_ADDRESS: Final = re.compile(r"\b[a-z]+-extension://\S*", re.IGNORECASE)


def explain(error: BridgeError, *, sees_dialogs: bool = True) -> ToolResult:
    """Turn a refusal of the bridge into a failed result; an unknown outcome is raised on as such.

    ``sees_dialogs`` says whether a dialog of the page would have been reported.
    """
    if error.code == OutcomeUnknown.code:
        raise OutcomeUnknown(error.message, data=error.data) from error
    said = sentence(error)
    if error.code == "page_busy" and not sees_dialogs:
        said = f"{said} {PERHAPS_DIALOG}"
    return ToolResult.error(said, code=error.code)


def pdf_tab() -> ToolResult:
    """The result of a tool for pages in a tab whose PDF the browser shows in a viewer of its own."""
    return ToolResult.error(PDF, code="pdf_tab", useTool="read_pdf")


def named_as_pdf(url: str) -> bool:
    """Whether an address is, by its name, that of a PDF."""
    try:
        return urlsplit(url).path.lower().endswith(".pdf")
    except ValueError:
        return False


def sentence(error: BridgeError) -> str:
    """One sentence for the model."""
    known = SENTENCES.get(error.code)
    if known:
        return known
    raw = " ".join(_EXTENSION_ADDRESS.sub("the extension", error.message).split())[:RAW_MESSAGE_CHARS]
    return f"The browser refused: {raw}" if raw else "The browser refused and gave no reason."


def from_page(answer: Mapping[str, Any], summary: str) -> ToolResult:
    """Pass on what the page said. Only a literal ``success: true`` counts; silence is a failure."""
    data = {key: value for key, value in answer.items() if key != "success" and value is not None}
    if answer.get("success") is True:
        return ToolResult(True, data, summary=summary)
    data.setdefault("error", "The page gave no usable answer. Read the page to see how things stand.")
    code = str(data.setdefault("code", "no_answer"))
    return ToolResult(False, data, summary=_plain(code))


def _plain(code: str) -> str:
    """A code as words for the panel; anything that is not a code of ours is not repeated."""
    return code.replace("_", " ") if re.fullmatch(r"[a-z_]{1,40}", code) else "failed"
