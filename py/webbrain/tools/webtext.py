"""HTML that was fetched, as text: what a person would read, in order, without a browser."""

import asyncio
import re
from html.parser import HTMLParser
from typing import Final

TITLE_CHARS: Final = 500
PIECE: Final = 32_768
"""Characters parsed at a stretch; between two pieces the event loop turns."""
PENDING: Final = 4 * PIECE
PENDING_AT_END: Final = 4_096
"""Characters of an unfinished tag that are kept, while there is more to come and at the end."""
KEPT: Final = 16
"""Enough to know the end of a script again."""

_INLINE: Final = re.compile(r"data:[\w/+.-]{1,100};base64,[A-Za-z0-9+/=]{200,}")
_SKIPPED: Final = frozenset(
    ("script", "style", "noscript", "template", "svg", "math", "iframe", "object", "head")
)
_BLOCKS: Final = frozenset(
    re.findall(
        r"\w+",
        """address article aside blockquote body br center dd details dialog div dl dt fieldset figcaption
        figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol option p pre section summary table tbody
        tfoot thead tr ul""",
    )
)
_HEADINGS: Final = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_VOID: Final = frozenset(re.findall(r"\w+", "area base br col embed hr img input link meta source track wbr"))
_BLANKS: Final = re.compile(r"[ \t\r\f\v\u00a0]+")
_RAGGED: Final = re.compile(r" ?\n ?")
_GAPS: Final = re.compile(r"\n{3,}")


class _Reader(HTMLParser):
    """Collects text. Tags that are never closed do no harm: skipping ends with the skipped element."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title = ""
        self.out: list[str] = []
        self._skip = ""
        self._depth = 0
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "title" and not self.title:
            self._in_title = True
        elif self._skip:
            if tag == self._skip and tag not in _VOID:
                self._depth += 1
            elif self._skip == "head" and tag == "body":
                self._skip = ""
        elif tag in _SKIPPED:
            self._skip, self._depth = tag, 1
        else:
            self._begin(tag, dict(attrs))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if not self._skip and tag not in _SKIPPED:
            self._begin(tag, dict(attrs))

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self._in_title = False
        elif self._skip:
            if tag == self._skip:
                self._depth -= 1
                self._skip = self._skip if self._depth else ""
        elif tag in _BLOCKS:
            self.out.append("\n")

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data[:TITLE_CHARS]
        elif not self._skip:
            self.out.append(data.replace("\n", " "))

    def forget(self, *, beyond: int) -> None:
        """Drop the start of a tag or comment that grows and grows: each look at it takes longer."""
        if len(self.rawdata) > beyond:
            self.rawdata = self.rawdata[-KEPT:]

    def _begin(self, tag: str, attributes: dict[str, str | None]) -> None:
        if tag in _BLOCKS:
            self.out.append("\n")
        if tag in _HEADINGS:
            self.out.append(_HEADINGS[tag])
        elif tag == "li":
            self.out.append("- ")
        elif tag in ("td", "th"):
            self.out.append(" | ")
        elif tag == "img" and (alt := (attributes.get("alt") or "").strip()):
            self.out.append(f"[{alt}]")


async def html_text(html: str) -> tuple[str, str]:
    """``(title, text)`` of an HTML document."""
    reader = _Reader()
    # Browsers take marked sections for comments; some versions of the parser give up on them.
    html = _INLINE.sub("", html).replace("<![", "<! [")
    for start in range(0, len(html), PIECE):
        reader.feed(html[start : start + PIECE])
        reader.forget(beyond=PENDING)
        await asyncio.sleep(0)
    reader.forget(beyond=PENDING_AT_END)
    reader.close()
    text = _BLANKS.sub(" ", "".join(reader.out))
    text = _GAPS.sub("\n\n", _RAGGED.sub("\n", text)).strip()
    return " ".join(reader.title.split())[:TITLE_CHARS], text
