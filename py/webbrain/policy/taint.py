"""What a conversation's model has seen: page text by the origin it came from, the user's own words, secrets.

``policy.outgoing`` asks this memory whether an address or a text that is about to leave carries something
which its destination did not know. Text is kept squashed (letters and digits only, without case), so that
neither separators nor a split over parameters hide it. Everything is bounded: what is older than
``MOST_CHARS`` of a conversation has long left the model's window.
"""

import json
import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final
from urllib.parse import urlsplit

from webbrain.core.bounded_json import loads
from webbrain.core.messages import Message, ToolCall
from webbrain.policy import egress
from webbrain.policy.common_words import COMMON
from webbrain.policy.sites import site_of
from webbrain.policy.untrusted import TAG
from webbrain.policy.written import Written

GRAM: Final = 6
"""Letters and digits of the shortest piece of text that is recognised."""
MOST_CHARS: Final = 400_000
"""Squashed characters remembered of all origins together; of the site that has most the oldest go."""
KEPT_SHARE: Final = 0.95
"""Of them that stays when some must go."""
MOST_PIECE_CHARS: Final = 40_000
"""Characters learned of one text: no result is longer, and what the user attached comes in pieces."""
OVERLAP: Final = 400
"""Characters that two pieces of a longer text have in common, so that nothing falls between them."""
MOST_WORDS: Final = 20_000
"""Different words of the user's that count as theirs."""
MOST_LINKS: Final = 20_000
MOST_SEEN: Final = 20_000
"""Pieces known by their hash. What is forgotten would only be kept a second time."""
MOST_TOLD: Final = 2_000
"""Origins that are offered in links. What is forgotten is asked about."""
MOST_SECRETS: Final = 200
SHORTEST_SECRET: Final = 4
SENSITIVE: Final = '"sensitiveField":true'
"""How a result says that its call was about a field for credentials (``policy.credentials.guard_result``). By
it a password that was entered is known again from the history, after a death."""
UNKNOWN: Final = "?"
"""The origin of text whose page is not known; it is foreign everywhere."""
TOLD: Final = "→"
"""Before an origin: what it may be told without a question."""
ECHO: Final = "="
"""Before an origin: what results about it only repeated."""
FILES: Final = "your files"
"""The origin of what the user attached or downloaded."""

_SLOTS: Final = 1 << 20
"""Bytes of the table of what was seen. A full memory leaves a third of them set, and what is found is looked
up in the text itself afterwards."""
_MASK: Final = _SLOTS - 1

_NOT_WORD: Final = re.compile(r"[\W_]+")
_WORDS: Final = re.compile(r"[^\W_]+")
_JSON_ESCAPE: Final = re.compile(r'\\[nrtbf"/\\]')
_JSON_KEY: Final = re.compile(r'[{,]"[A-Za-z_]{1,40}":')
_VALUES: Final = re.compile(
    r"""value=\\"(?:\\\\(?:\\["\\]|[^\\"])|[^"\\])*"""  # of a tree, in JSON
    r"""|value="(?:\\.|[^"\\])*"""
    r"""|"(?:value|actual)":"(?:\\.|[^"\\])*"""
)
"""What fields hold was entered, by whomever: no page offers the addresses in it."""
_LINK: Final = re.compile(r"""https?://[^\s"'<>\\\]\u2026]+""", re.IGNORECASE)
_BLOCK: Final = re.compile(rf'<{TAG} id="(\w+)">\n?(.*?)\n?</{TAG} id="\1">', re.DOTALL)
_HEAD_END: Final = "\n\n"
"""Between the facts of a user's turn and the user's own words (``agent.enrich.user_turn``)."""
_NOTE: Final = "[Note from the extension"

NAMES_PAGES: Final = ("[Open page, as it names itself:]", "[Tabs that earlier tasks left open:]")
"""The lines of ``agent.enrich`` behind which addresses and titles of pages stand; a test compares them."""

USERS_TOOLS: Final = frozenset({"clarify"})
"""Tools whose result is what the user answered, if its ``source`` says so. An answer that the model offered
stays the model's: to choose it is not to say that others may have it."""
OWN_NOTES: Final = frozenset({"progress_read", "progress_update", "scratchpad_write"})
"""Tools whose result is what the model wrote itself (``ToolSpec.own_notes``; a test compares them)."""


def squash(text: str) -> str:
    """Letters and digits only, without case and width."""
    return _NOT_WORD.sub("", unicodedata.normalize("NFKC", text).casefold())


def words_of(text: str) -> list[str]:
    """The words of a text, as :func:`squash` writes them."""
    return _WORDS.findall(unicodedata.normalize("NFKC", text).casefold())


def origin_of(url: str) -> str:
    """The origin of an http(s) address: host without ``www.``, and the port unless it is the usual one.

    A bare host is taken as one. :data:`UNKNOWN` for everything else.
    """
    address = url if "://" in url else f"https://{url}"
    try:
        host = egress.host_of(address[: egress.MOST_URL_CHARS])
        port = urlsplit(address).port
    except (egress.Refused, ValueError):
        return UNKNOWN
    host = host.removeprefix("www.")
    return host if port in (None, 80, 443) else f"{host}:{port}"


@dataclass(frozen=True, slots=True)
class Secret:
    """Something that must not leave. ``what`` names it for people, never with its value. ``home`` is the
    origin at which it was entered: there it may be entered again.
    """

    text: str
    squashed: str
    what: str
    home: str = ""


@dataclass(slots=True)
class Taint:
    """The memory of one conversation. Learning is what costs; asking is cheap."""

    _texts: dict[str, str] = field(default_factory=dict)
    """Squashed text by origin, the newest at the end."""
    _order: list[tuple[str, int]] = field(default_factory=list)
    """Origin and length of every piece learned, oldest first."""
    _chars: int = 0
    _told: int = 0
    """Origins that something was offered of."""
    _slots: bytearray = field(default_factory=bytearray)
    _unmarked: list[str] = field(default_factory=list)
    """Pieces whose slots are not set yet."""
    _seen: set[int] = field(default_factory=set)
    """Hashes of pieces that were learned already."""
    _links: set[int] = field(default_factory=set)
    """Hashes of addresses that a page offered or the user wrote."""
    _written: Written = field(default_factory=lambda: Written(squash))
    _users_words: set[str] = field(default_factory=set)
    _users_text: str = ""
    _secrets: dict[str, Secret] = field(default_factory=dict)
    _messages: int = 0

    # --- learning ---

    def catch_up(self, messages: list[Message]) -> None:
        """Learn what stands in the history and was not learned yet."""
        if self._messages > len(messages):
            self._messages = 0  # the history was shortened; what is known already is passed over below
        for message in messages[self._messages :]:
            self.take(message)
        self._messages = len(messages)

    def take(self, message: Message) -> None:
        """Learn one message: what stands between tags is a page's, what a user wrote is the user's, and what
        a model wrote is neither."""
        for call in message.tool_calls:
            self._written.take(call)
        if message.role not in ("user", "tool"):
            return
        turn = message.role == "user" and not message.content.startswith(_NOTE)
        for found in _BLOCK.finditer(message.content):
            if message.role == "tool" and message.name in OWN_NOTES:
                self.learn(found[2], UNKNOWN, links=False)
            elif turn and not message.content[: found.start()].rstrip().endswith(NAMES_PAGES):
                self._learn_attached(found[2], message.origin)
            else:
                self.learn(found[2], message.origin or UNKNOWN, call_id=message.tool_call_id)
        outside = _BLOCK.sub(" ", message.content)
        if message.role == "tool":
            answer = _answered(message.content) if message.name in USERS_TOOLS else ""
            if answer and not self._written.offered(message.tool_call_id, answer):
                self.learn_user(answer)
        elif turn:
            facts, ended, own = outside.partition(_HEAD_END)
            if ended:
                self.learn(facts, message.origin or UNKNOWN)
            self.learn_user(own if ended else outside)

    def learn(self, text: str, origin: str, *, call_id: str | None = None, links: bool = True) -> None:
        """Page text of an origin came before the model, as the result of the call ``call_id`` if there was
        one. ``links``: the addresses in it are offered by that page.
        """
        text = text[:MOST_PIECE_CHARS]
        if links:
            self._learn_links(_plain(_VALUES.sub(" ", text)))
        piece = squash(_plain(text))
        if len(piece) < GRAM or not self._is_new(origin, piece):
            return
        self._add(origin, self._split_off(origin, piece, call_id))

    def _split_off(self, origin: str, piece: str, call_id: str | None) -> str:
        """A new piece without what only repeats the call: that is remembered apart, as no word of the
        origin's. What the page had shown before stays its own.
        """
        shown = self._texts.get(origin, "")
        for echo in self._written.repeated(call_id, piece):
            if echo in piece and echo not in shown:
                piece = piece.replace(echo, "\n")
                self._add(f"{ECHO}{origin}", echo)
        return piece

    def _learn_attached(self, text: str, origin: str) -> None:
        """A file that the user attached while a page was open: for that page, and for no other."""
        for start in range(0, len(text), MOST_PIECE_CHARS - OVERLAP):
            piece = text[start : start + MOST_PIECE_CHARS]
            self.learn(piece, FILES)
            if origin:
                self._tell(origin, squash(_plain(piece)))

    def _tell(self, host: str, piece: str) -> None:
        """From now on the host may be told this much without a question."""
        origin = f"{TOLD}{host}"
        if not self._is_new(origin, piece):
            return
        if origin not in self._texts:
            self._told += 1
            if self._told > MOST_TOLD:
                self._forget_told()
        self._add(origin, piece)

    def _is_new(self, origin: str, piece: str) -> bool:
        """Whether this was not learned yet; from now on it counts as learned."""
        mark = hash((origin, piece))
        if mark in self._seen:
            return False
        if len(self._seen) >= MOST_SEEN:
            self._seen.clear()
        self._seen.add(mark)
        return True

    def _forget_told(self) -> None:
        """Forget the older half of what links offered, so that pages with countless hosts push out nothing
        else."""
        told = [origin for origin in self._texts if origin.startswith(TOLD)]
        forgotten = set(told[: len(told) // 2])
        self._chars -= sum(len(self._texts.pop(origin)) for origin in forgotten)
        self._order = [piece for piece in self._order if piece[0] not in forgotten]
        self._told = len(told) - len(forgotten) + 1

    def learn_user(self, text: str) -> None:
        """The user's own words are never a reason to ask."""
        if len(self._users_words) < MOST_WORDS:
            self._users_words.update(words_of(text[:MOST_PIECE_CHARS]))
        self._users_text = (self._users_text + " " + squash(text[:MOST_PIECE_CHARS]))[-MOST_PIECE_CHARS:]
        for link in _LINK.findall(text):
            self._note_link(link)

    def note_secret(self, text: str, what: str = "a secret", home: str = "") -> None:
        """Something that must never leave without a question: a password, a key."""
        text = text.strip()
        if len(text) >= SHORTEST_SECRET and len(self._secrets) < MOST_SECRETS:
            self._secrets.setdefault(text, Secret(text, squash(text), what, home))

    def note_entered(self, args: Mapping[str, Any], origin: str) -> None:
        """A text went into a field for credentials of a page of ``origin``. What a page shows openly is no
        secret of the user's.
        """
        text = str(args.get("text") or "").strip()
        if text and not any(squash(text) in seen for seen in self._texts.values()):
            self.note_secret(text, "a password", origin)

    def learn_entered(self, messages: Sequence[Message]) -> None:
        """Know again what went into fields for credentials in a history that somebody else kept: before
        anything of it is sent, told or recorded once more.
        """
        calls: dict[str, ToolCall] = {}
        shown: list[str] = []
        for message in messages:
            calls |= {call.id: call for call in message.tool_calls}
            if message.role != "tool":
                continue
            call = calls.get(message.tool_call_id or "")
            text = _entered(call) if call is not None and SENSITIVE in message.content else ""
            if text and not any(text in content for content in shown):
                self.note_secret(text, "a password", message.origin)
            shown.append(message.content)

    def _learn_links(self, text: str) -> None:
        for link in _LINK.findall(text):
            if self._written.wrote(link):
                continue
            self._note_link(link)
            host = origin_of(link)
            if host != UNKNOWN:
                # Whoever offers an address knows what it says; its destination may be told that much.
                self._tell(host, squash(link))

    def _note_link(self, link: str) -> None:
        if len(self._links) < MOST_LINKS:
            link = link.rstrip(".,;:!?)")
            self._links.add(hash(canonical(link)))
            self._links.add(hash(canonical(link.partition("#")[0])))

    def _add(self, origin: str, piece: str) -> None:
        self._texts[origin] = self._texts.get(origin, "") + piece + "\n"
        self._order.append((origin, len(piece) + 1))
        self._chars += len(piece) + 1
        self._unmarked.append(piece)
        if self._chars > MOST_CHARS:
            self._forget()

    def _forget(self) -> None:
        """Make room: of the site that has most, the oldest, so that no site's flood pushes out another's."""
        sizes: dict[str, int] = {}
        for origin, text in self._texts.items():
            site = _site(origin)
            sizes[site] = sizes.get(site, 0) + len(text)
        while self._chars > MOST_CHARS * KEPT_SHARE and len(self._order) > 1:
            largest = max(sizes, key=sizes.__getitem__)
            place = next(at for at, (origin, _) in enumerate(self._order) if _site(origin) == largest)
            oldest, length = self._order.pop(place)
            self._texts[oldest] = self._texts[oldest][length:]
            self._chars -= length
            sizes[largest] -= length
            if not self._texts[oldest]:
                del self._texts[oldest]
                self._told -= oldest.startswith(TOLD)

    def settle(self) -> None:
        """Mark what was learned since the last time. It is what costs most of learning, and only
        :meth:`hits` needs it, which sees to it itself: whoever calls this does so while nothing else waits.
        """
        if self._unmarked and not self._slots:
            self._slots = bytearray(_SLOTS)
        slots, mask = self._slots, _MASK
        pieces, self._unmarked = self._unmarked, []
        for piece in pieces:
            for start in range(len(piece) - GRAM + 1):
                slots[hash(piece[start : start + GRAM]) & mask] = 1

    # --- asking ---

    @property
    def secrets(self) -> Collection[Secret]:
        """Everything that is known to be one."""
        return self._secrets.values()

    def offered(self, url: str) -> bool:
        """Whether a page or the user gave exactly this address."""
        return hash(canonical(url)) in self._links

    def hits(self, squashed: str) -> list[tuple[int, int]]:
        """Where ``squashed`` may be text that was seen: stretches of at least ``GRAM`` characters."""
        self.settle()
        if not self._slots:
            return []
        slots, mask = self._slots, _MASK
        found: list[tuple[int, int]] = []
        begin = -1
        last = len(squashed) - GRAM
        for start in range(last + 1):
            if slots[hash(squashed[start : start + GRAM]) & mask]:
                if begin < 0:
                    begin = start
            elif begin >= 0:
                found.append((begin, start - 1 + GRAM))
                begin = -1
        if begin >= 0:
            found.append((begin, last + GRAM))
        return found

    def foreign(self, destination: str) -> list[tuple[str, str]]:
        """``(origin, squashed text)`` of everything that is not the destination's own."""
        return [
            (origin.removeprefix(ECHO), text)
            for origin, text in self._texts.items()
            if text and origin.removeprefix(ECHO) != destination and not origin.startswith(TOLD)
        ]

    def known_to(self, destination: str, squashed: str) -> bool:
        """Whether the destination knows this text already, or the user wrote it."""
        told = self._texts.get(f"{TOLD}{destination}", "")
        own = self._texts.get(destination, "") if destination != UNKNOWN else ""
        return squashed in own or squashed in told or squashed in self._users_text

    def is_plain_word(self, word: str) -> bool:
        """Whether a word tells nothing: everybody uses it, or the user did."""
        return word in COMMON or word in self._users_words


@lru_cache(maxsize=4_000)
def _site(origin: str) -> str:
    """Whose text it is where there is no room for all: hosts of one site share theirs."""
    return site_of(origin.lstrip(TOLD + ECHO).partition(":")[0])


def canonical(url: str) -> str:
    """An address as it is compared: what browsers change by themselves is made the same."""
    try:
        url = url.strip()
        parts = urlsplit(url)
        on_web = parts.scheme in egress.SCHEMES
        host = egress.host_of(url.partition("#")[0]) if on_web else parts.netloc
        port = f":{parts.port}" if parts.port not in (None, 80, 443) else ""
    except (egress.Refused, ValueError):
        return url
    query = f"?{parts.query}" if parts.query else ""
    fragment = f"#{parts.fragment}" if parts.fragment else ""
    return f"{host}{port}{parts.path.rstrip('/') or ''}{query}{fragment}"


def _plain(text: str) -> str:
    """A result's JSON as the text in it: without the names of its fields and without escapes."""
    return _JSON_ESCAPE.sub(" ", _JSON_KEY.sub(" ", text))


def _entered(call: ToolCall) -> str:
    """The text that a call was to enter."""
    try:
        args = loads(call.arguments)
    except (ValueError, RecursionError):
        return ""
    text = args.get("text") if isinstance(args, dict) else None
    return text.strip() if isinstance(text, str) else ""


def _answered(result: str) -> str:
    """What the user answered to a question of the model's. What the clock answered is the model's own."""
    try:
        told, _ = json.JSONDecoder().raw_decode(result)
    except ValueError:
        return ""
    answered = isinstance(told, dict) and told.get("source") == "user"
    return str(told.get("answer") or "") if answered else ""
