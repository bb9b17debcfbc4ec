"""What the agent adds, in its own voice, to the conversation: the first message's facts and its notes."""

import re
from collections.abc import Sequence
from typing import Final

from webbrain.core.events import OpenTab
from webbrain.core.ids import nonce
from webbrain.core.limits import PAGE_TITLE_CHARS, PAGE_URL_CHARS
from webbrain.host.protocols import Tab
from webbrain.policy.untrusted import TAG, wrap

_UNSAFE: Final = re.compile(r"[\[\](){}<>\"'`\u2018-\u201f\u00ab\u00bb]")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+")


def clean(text: str, limit: int) -> str:
    """Make page-controlled text harmless: one line, no brackets, quotes, control or direction characters."""
    return " ".join(_UNSAFE.sub("", _CONTROL.sub(" ", text)).split())[:limit]


def plain(text: str) -> str:
    """One line without control and direction characters; brackets and quotes stay."""
    return " ".join(_CONTROL.sub(" ", text).split())


NOTE: Final = "[Note from the extension: "
"""How every sentence begins that we put in the user's place. What the user typed always comes after its
facts.
"""


TIME: Final = "[Local time: "
"""How every turn of the user begins."""
OPEN_PAGE: Final = "[Open page, as it names itself:]"
LEFT_TABS: Final = "[Tabs that earlier tasks left open:]"


def note(text: str) -> str:
    """A sentence of ours for the model, marked as such."""
    return f"{NOTE}{text}]"


def user_turn(
    text: str, local_time: str, tab: Tab | None, others: Sequence[OpenTab] = (), attached: str = ""
) -> str:
    """The user's words with the facts of the moment. Addresses and titles are written by pages, and stand
    inside the untrusted boundary. ``others`` are tabs that earlier tasks of the conversation left open,
    ``attached`` is what is said of files.
    """
    lines = [f"{TIME}{local_time}]"]
    if tab is not None:
        address, title = clean(tab.url, PAGE_URL_CHARS), clean(tab.title, PAGE_TITLE_CHARS) or "none"
        lines += [OPEN_PAGE, wrap(f"address {address} - title {title}", nonce())]
    if others:
        listed = "; ".join(f"tab {other.tab_id} at {clean(other.url, PAGE_URL_CHARS)}" for other in others)
        lines += [LEFT_TABS, wrap(listed, nonce())]
    if attached:
        lines.append(attached)
    return "\n".join([*lines, "", text])


def own_words(content: str) -> str:
    """What the user typed, of a turn that :func:`user_turn` made; any other text as it is."""
    if not content.startswith(TIME):
        return content
    lines = content.split("\n")
    place = 0
    while place < len(lines) and lines[place]:
        if lines[place].startswith(f"<{TAG} "):
            closing = f"</{lines[place][1:]}"
            place = lines.index(closing, place) if closing in lines[place:] else len(lines)
        place += 1
    return "\n".join(lines[place + 1 :])
