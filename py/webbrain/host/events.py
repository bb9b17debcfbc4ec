"""Browser events as the supervisor hands them on: checked and told to who listens."""

import logging
from collections.abc import Callable, Mapping
from typing import Any, Final, cast, get_args

from webbrain.host.reach import BrowserEvent, EventKind

KINDS: Final = frozenset(get_args(EventKind))
NO_TAB: Final = -1
"""The tab of an event that concerns none."""

_log = logging.getLogger(__name__)


class BridgeEvents:
    """Who listens, and what is told to them."""

    def __init__(self) -> None:
        self._hearers: list[Callable[[BrowserEvent], None]] = []

    def listen(self, hear: Callable[[BrowserEvent], None]) -> Callable[[], None]:
        self._hearers.append(hear)

        def end() -> None:
            if hear in self._hearers:
                self._hearers.remove(hear)

        return end

    def receive(self, params: Mapping[str, Any]) -> None:
        """Take ``{kind, tabId, data}`` from the supervisor. A kind nobody knows is left alone."""
        kind = params.get("kind")
        if kind not in KINDS:
            _log.warning("The browser told of %r, which nobody here knows", kind)
            return
        event = BrowserEvent(
            cast(EventKind, kind), int(params.get("tabId", NO_TAB)), dict(params.get("data") or {})
        )
        for hear in list(self._hearers):
            try:
                hear(event)
            except Exception:  # noqa: BLE001 - one listener's fault must not keep an event from the others
                _log.exception("A listener failed at %s", kind)
