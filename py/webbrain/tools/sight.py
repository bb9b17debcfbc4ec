"""What a tool may ask of the run's eyes: a look at the viewport of a tab.

Who looks is the agent (``agent.pictures``): a model that sees gets the picture right behind the results of
its calls, another one gets the description of the separate vision model. A tool only hands on what it may
say about it.
"""

from dataclasses import dataclass
from typing import Any, Final, Protocol

from webbrain.core.errors import BridgeError, ModelMayRetry, ToolFailed
from webbrain.tools.state import RunState

MEMORY: Final = "pictures"
"""Where ``RunState.memory`` holds the captures that coordinates may refer to."""
CAPTURES_KEPT: Final = 8


@dataclass(frozen=True, slots=True)
class Look:
    """A look at a viewport.

    ``width`` and ``height`` are pixels of the picture, ``scale`` is picture pixels per CSS pixel.
    ``description`` is the vision model's text, and as little to be trusted as the page itself; it is empty
    where the model sees the picture.
    """

    capture_id: str
    tab_id: int
    width: int
    height: int
    scale: float
    description: str = ""

    def as_data(self) -> dict[str, Any]:
        """The look as a tool result shows it."""
        if self.description:
            return {"description": self.description}
        data: dict[str, Any] = {"captureId": self.capture_id, "width": self.width, "height": self.height}
        if self.scale != 1.0:
            data["scale"] = round(self.scale, 4)
        return data


class Sight(Protocol):
    """The run's eyes, as far as tools may use them."""

    @property
    def shows_end(self) -> bool:
        """Whether a picture of how a task ended is wanted: the model reads pictures, and the user wants some
        to be taken unasked."""
        ...

    @property
    def taken(self) -> int:
        """How many pictures were taken so far."""
        ...

    def show_document(self, pdf: bytes, url: str) -> bool:
        """Put a PDF from ``url`` before the model, right behind the results of its calls; say whether it is
        there then. It is not where the model reads no documents, none of that size, or has too many."""
        ...

    async def look(self, tab_id: int) -> Look:
        """Take a picture now, and show it to the model or have it described.

        Raises ``ToolFailed`` (``cannot_see``, ``picture_limit``, ``no_description``) or ``BridgeError``
        (``not_visible``, ``restricted_page``, ...).
        """
        ...


async def glance(sight: Sight | None, tab_id: int) -> Look | None:
    """A look for a tool that can do without; ``None`` if there is none to be had."""
    if sight is None:
        return None
    try:
        return await sight.look(tab_id)
    except (BridgeError, ToolFailed):
        return None


def remember(state: RunState, look: Look) -> None:
    """Let later coordinates refer to this picture; the newest few are kept."""
    captures: dict[str, Look] = state.memory.setdefault(MEMORY, {})
    captures[look.capture_id] = look
    for old in list(captures)[:-CAPTURES_KEPT]:
        del captures[old]


def to_css(state: RunState, capture_id: str, x: float, y: float) -> tuple[float, float]:
    """CSS pixels of the viewport for a place in a picture; raise ``ModelMayRetry`` for an unknown picture."""
    captures: dict[str, Look] = state.memory.get(MEMORY, {})
    look = captures.get(capture_id)
    if look is None or look.tab_id != state.tab_id:
        known = ", ".join(key for key, value in captures.items() if value.tab_id == state.tab_id)
        raise ModelMayRetry(
            f"There is no picture {capture_id[:40]} of this tab. "
            + (f"Known: {known}." if known else "Take one with inspect_viewport first."),
            code="unknown_capture",
        )
    if not (0 <= x < look.width and 0 <= y < look.height):
        raise ModelMayRetry(
            f"({x:g}, {y:g}) lies outside the picture, which is {look.width} x {look.height}.",
            code="outside_picture",
        )
    return x / look.scale, y / look.scale
