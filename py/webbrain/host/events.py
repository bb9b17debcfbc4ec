"""Browser events as the supervisor hands them on: checked, completed and told to who listens."""

import logging
import re
from collections.abc import Callable, Mapping
from typing import Any, Final, get_args

from webbrain.host.reach import BrowserEvent, EventKind

KINDS: Final = frozenset(get_args(EventKind))
NOBODY: Final = -1
"""Opener of a tab that came from no page."""
OWN_PAGES: Final = re.compile(
    r"(chrome|edge|brave|vivaldi|opera|chrome-[a-z]+|moz-extension|devtools):"
    r"|about:(newtab|home|welcome|privatebrowsing|preferences|addons)"
)
"""Addresses of tabs that people open, such as an empty new tab. Chrome names the tab they came from as their
opener, but no page opened them."""

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
        tab_id = params.get("tabId")
        event = BrowserEvent(kind, NOBODY if tab_id is None else int(tab_id), dict(params.get("data") or {}))
        if kind == "tab_opened" and OWN_PAGES.match(str(event.data.get("url", ""))):
            event = BrowserEvent(kind, NOBODY, event.data)
        for hear in list(self._hearers):
            try:
                hear(event)
            except Exception:  # noqa: BLE001 - one listener's fault must not keep an event from the others
                _log.exception("A listener failed at %s", kind)
