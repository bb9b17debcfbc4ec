"""The last model calls, in memory only, as a text that the user may copy into a report of a problem.

Secrets are taken out when the text is made, so that those learned after a call are known too.
"""

from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from webbrain.agent.exchanges import MARGIN, Asked, failure_view, message_view, reply_view
from webbrain.core.messages import ModelReply
from webbrain.host.protocols import Clock
from webbrain.policy.redaction import StrictRedactor
from webbrain.policy.taint import Secret

KEPT: Final = 200
"""Model calls."""
TEXT_CHARS: Final = 4_000
"""Of one message or answer."""
EXCHANGE_CHARS: Final = 40_000
"""Of all messages of one request together; what is older goes first."""
LOG_CHARS: Final = 6_000_000
"""Of the whole text: a screen gets it in one piece."""

Secrets = Callable[[], Collection[Secret]]


@dataclass(slots=True)
class _Exchange:
    number: int
    at: float
    secrets: Secrets
    about: str
    request: list[str]
    """Parts of the request, each cut with ``MARGIN`` to spare."""
    began: float
    answer: str = "(no answer yet)"
    took: float | None = None


class DebugLog:
    """One per app. :meth:`of` gives the witness of one run or test."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._exchanges: deque[_Exchange] = deque(maxlen=KEPT)
        self._count = 0

    def of(self, secrets: Secrets) -> "DebugWitness":
        """A witness whose calls are shown without these secrets."""
        return DebugWitness(self, secrets)

    def add(self, asked: Asked, secrets: Secrets) -> _Exchange:
        """A call begins."""
        self._count += 1
        info = asked.info
        about = (
            f"{info.provider_id} {info.model}"
            f"{' (describes pictures)' if asked.kind == 'vision' else ''}, {len(asked.tools)} tools, "
            f"temperature {asked.temperature}, at most {asked.max_tokens} tokens"
            f"{', held to a schema' if asked.schema else ''}"
        )
        parts = [_cut(_lines(message_view(message)), TEXT_CHARS + MARGIN) for message in asked.fresh]
        if asked.kept:
            parts.insert(0, f"({asked.kept} messages as in the call before)")
        exchange = _Exchange(
            self._count, self._clock.now(), secrets, about, _newest(parts), self._clock.monotonic()
        )
        self._exchanges.append(exchange)
        return exchange

    def end(self, exchange: _Exchange, answer: dict[str, Any]) -> None:
        """The call ended so."""
        exchange.answer = _cut(_lines(answer), 2 * TEXT_CHARS + MARGIN)
        exchange.took = self._clock.monotonic() - exchange.began

    def text(self, version: str, browser: str, secrets: Collection[Secret]) -> str:
        """Everything, the oldest call first, without any of ``secrets`` and those of each call's run."""
        head = (
            f"WebBrain {version}, {browser}: the last {len(self._exchanges)} of {self._count} model calls "
            f"since the agent started. Passwords and keys that are known, or look like one, are taken out.\n"
        )
        cleaners: dict[int, StrictRedactor] = {}
        parts: list[str] = []
        room = LOG_CHARS - len(head)
        for exchange in reversed(self._exchanges):
            known = cleaners.setdefault(
                id(exchange.secrets), StrictRedactor(_joined(exchange.secrets, secrets))
            )
            part = _told(exchange, known)
            room -= len(part)
            if room < 0:
                break
            parts.append(part)
        return head + "".join(reversed(parts))


class DebugWitness:
    """An ``exchanges.Witness`` for the log."""

    def __init__(self, log: DebugLog, secrets: Secrets) -> None:
        self._log = log
        self._secrets = secrets

    def asked(self, asked: Asked) -> object:
        """A request goes out."""
        return self._log.add(asked, self._secrets)

    def answered(self, token: object, reply: ModelReply) -> None:
        """It was answered."""
        assert isinstance(token, _Exchange)
        self._log.end(token, reply_view(reply))

    def failed(self, token: object, error: BaseException) -> None:
        """There is no answer."""
        assert isinstance(token, _Exchange)
        self._log.end(token, {"failed": failure_view(error)})


def _joined(secrets: Secrets, more: Collection[Secret]) -> Secrets:
    return lambda: [*secrets(), *more]


def _told(exchange: _Exchange, redactor: StrictRedactor) -> str:
    at = datetime.fromtimestamp(exchange.at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    took = "" if exchange.took is None else f", {round(exchange.took * 1000)} ms"
    request = "\n".join(_cut(redactor.text(part), TEXT_CHARS) for part in exchange.request)
    answer = _cut(redactor.text(exchange.answer), 2 * TEXT_CHARS)
    return (
        f"\n=== {exchange.number}. {at}, {exchange.about}{took}\n"
        f"--- request\n{request}\n--- answer\n{answer}\n"
    )


def _lines(view: dict[str, Any]) -> str:
    """A message or an answer, a line or more for each of its fields."""
    return "\n".join(f"{key}: {value}" for key, value in view.items() if value not in ("", None))


def _newest(parts: list[str]) -> list[str]:
    """The last parts that have room together."""
    room = EXCHANGE_CHARS
    for index in range(len(parts) - 1, -1, -1):
        room -= len(parts[index])
        if room < 0:
            return [f"({index + 1} earlier parts left out)", *parts[index + 1 :]]
    return parts


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"
