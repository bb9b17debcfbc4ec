"""Tabs that a tool opens for itself and closes again, whatever becomes of the Worker in between.

Which ones are open is kept in the session's storage: it outlives Python and ends with the browser, as the
tabs do. All stand under one key, because every start reads it and the rest of that storage is large. A tab
is noted twice: as one to come before the browser is asked for it, and by its id once it has one, so that no
moment is left in which a death would forget it.
"""

import asyncio
import contextlib
import weakref
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from webbrain.core.errors import BridgeError
from webbrain.host.protocols import Host, Tab

KEY: Final = "hiddenTabs"

Note: TypeAlias = int | dict[str, Any]
"""A tab's id; or, of one to come, its address, the tab it is opened from, and which that one had opened."""

_LOCKS: weakref.WeakKeyDictionary[Host, asyncio.Lock] = weakref.WeakKeyDictionary()
"""One writer at a time, or two that begin at once would lose one of their tabs."""


async def open_tab(host: Host, url: str, *, beside: int) -> Tab:
    """Open a tab in the background and note that it is ours to close."""
    coming: Note | None = None
    # A tab that cannot be noted is no worse than one that is: it is closed all the same if all goes well.
    with contextlib.suppress(BridgeError):
        known = [tab.id for tab in await host.browser.opened_from(beside)]
        coming = {"url": url, "beside": beside, "known": known}
        await _note(host, lambda notes: [*notes, coming])
    try:
        tab = await host.browser.open_tab(url, beside=beside)
    except BridgeError:  # there is none; when it is unknown whether there is, the note stays
        with contextlib.suppress(BridgeError):
            await _forget(host, coming)
        raise
    with contextlib.suppress(BridgeError):
        await _note(host, lambda notes: [*_without(notes, coming), tab.id])
    return tab


async def close_tab(host: Host, tab_id: int) -> None:
    """Close such a tab; nothing happens if it is gone."""
    try:
        await host.browser.close_tab(tab_id)
    except BridgeError as error:
        if error.code != "no_tab":
            raise
    with contextlib.suppress(BridgeError):
        await _forget(host, tab_id)


async def close_left_behind(host: Host) -> None:
    """Close what a Worker that died left open. A tab that a person has brought to the front is theirs now."""
    for note in await _noted(host):
        for tab_id in [note] if isinstance(note, int) else await _came(host, note):
            with contextlib.suppress(BridgeError):
                if (await host.browser.get_tab(tab_id)).active:
                    continue
            await close_tab(host, tab_id)
        with contextlib.suppress(BridgeError):
            await _forget(host, note)


async def _forget(host: Host, note: Note | None) -> None:
    await _note(host, lambda notes: _without(notes, note))


async def _came(host: Host, note: dict[str, Any]) -> list[int]:
    """Which tab the one noted as to come became, if it came: one that its opener opened since, at its
    address. One that a redirect led elsewhere by now stays; better that than to close a person's own."""
    tabs = await host.browser.opened_from(note["beside"])
    return [tab.id for tab in tabs if tab.id not in note["known"] and tab.url == note["url"]]


async def _noted(host: Host) -> list[Note]:
    stored = (await host.session.get([KEY])).get(KEY)
    return [note for note in stored if _is_note(note)] if isinstance(stored, list) else []


def _is_note(value: Any) -> bool:
    match value:
        case bool():
            return False
        case int():
            return True
        case {"url": str(), "beside": int(), "known": list()}:
            return True
    return False


def _without(notes: list[Note], gone: Note | None) -> list[Note]:
    """The notes but one that equals ``gone``; two to come may be the same."""
    place = notes.index(gone) if gone in notes else len(notes)
    return [*notes[:place], *notes[place + 1 :]]


async def _note(host: Host, change: Callable[[list[Note]], list[Note]]) -> None:
    async with _LOCKS.setdefault(host, asyncio.Lock()):
        before = await _noted(host)
        notes = change(before)
        if notes == before:
            return
        if notes:
            await host.session.set({KEY: notes})
        else:
            await host.session.remove([KEY])
