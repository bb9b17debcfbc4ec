"""Notes of the model to itself, which stay in its sight however long a task takes."""

from dataclasses import dataclass
from typing import Final

from webbrain.tools.notebook import Written

SCRATCHPAD_CHARS: Final = 8_000
AUTO: Final = "[auto]"
"""How a line begins that the extension wrote, not the model."""


@dataclass(slots=True)
class Scratchpad:
    """At most ``SCRATCHPAD_CHARS``; what is oldest goes first, whole lines where it can."""

    text: str = ""

    def write(self, text: str, *, replace: bool = False) -> Written:
        """Add ``text`` as lines of its own, or let it stand alone."""
        text = text.strip()
        whole = text if replace or not self.text else f"{self.text}\n{text}"
        self.text = _newest(whole)
        return Written(len(self.text), len(whole) - len(self.text))


def _newest(text: str) -> str:
    if len(text) <= SCRATCHPAD_CHARS:
        return text
    kept = text[-SCRATCHPAD_CHARS:]
    line_end = kept.find("\n")
    # A half line at the top misleads, unless it is all there is.
    whole_lines = text[-SCRATCHPAD_CHARS - 1] == "\n" or not 0 <= line_end < len(kept) - 1
    return kept if whole_lines else kept[line_end + 1 :]
