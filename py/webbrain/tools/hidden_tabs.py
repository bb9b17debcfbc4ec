"""Tabs that a tool opens for itself and closes again, whatever becomes of the Worker in between.

Which ones are open is kept in the session's storage: it outlives Python and ends with the browser, as the
tabs do. All stand under one key, because every start reads it and the rest of that storage is large.
"""

import asyncio
import contextlib
import weakref
from typing import Final

from webbrain.core.errors import BridgeError
from webbrain.host.protocols import Host, Tab

KEY: Final = "hiddenTabs"

_LOCKS: weakref.WeakKeyDictionary[Host, asyncio.Lock] = weakref.WeakKeyDictionary()
"""One writer at a time, or two that begin at once would lose one of their tabs."""


async def open_tab(host: Host, url: str, *, beside: int) -> Tab:
    """Open a tab in the background and note that it is ours to close."""
    tab = await host.browser.open_tab(url, beside=beside)
    # A tab that cannot be noted is no worse than one that is: it is closed all the same if all goes well.
    with contextlib.suppress(BridgeError):
        await _note(host, tab.id, here=True)
    return tab


async def close_tab(host: Host, tab_id: int) -> None:
    """Close such a tab; nothing happens if it is gone."""
    try:
        await host.browser.close_tab(tab_id)
    except BridgeError as error:
        if error.code != "no_tab":
            raise
    with contextlib.suppress(BridgeError):
        await _note(host, tab_id, here=False)


async def close_left_behind(host: Host) -> None:
    """Close what a Worker that died left open. A tab that a person has brought to the front is theirs now."""
    for tab_id in await _noted(host):
        with contextlib.suppress(BridgeError):
            if (await host.browser.get_tab(tab_id)).active:
                await _note(host, tab_id, here=False)
                continue
        await close_tab(host, tab_id)


async def _noted(host: Host) -> list[int]:
    stored = (await host.session.get([KEY])).get(KEY)
    return [tab_id for tab_id in stored if type(tab_id) is int] if isinstance(stored, list) else []


async def _note(host: Host, tab_id: int, *, here: bool) -> None:
    async with _LOCKS.setdefault(host, asyncio.Lock()):
        others = [other for other in await _noted(host) if other != tab_id]
        tabs = [*others, tab_id] if here else others
        if tabs:
            await host.session.set({KEY: tabs})
        else:
            await host.session.remove([KEY])
