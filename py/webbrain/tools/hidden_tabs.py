"""Tabs that a tool opens for itself and closes again, whatever becomes of the Worker in between.

Which ones are open is kept in the session's storage, a key each: it outlives Python and ends with the
browser, as the tabs do.
"""

import contextlib
from typing import Final

from webbrain.core.errors import BridgeError
from webbrain.host.protocols import Host, Tab

KEY: Final = "hiddenTab:"


async def open_tab(host: Host, url: str, *, beside: int) -> Tab:
    """Open a tab in the background and note that it is ours to close."""
    tab = await host.browser.open_tab(url, beside=beside)
    # A tab that cannot be noted is no worse than one that is: it is closed all the same if all goes well.
    with contextlib.suppress(BridgeError):
        await host.session.set({f"{KEY}{tab.id}": url})
    return tab


async def close_tab(host: Host, tab_id: int) -> None:
    """Close such a tab; nothing happens if it is gone."""
    try:
        await host.browser.close_tab(tab_id)
    except BridgeError as error:
        if error.code != "no_tab":
            raise
    with contextlib.suppress(BridgeError):
        await host.session.remove([f"{KEY}{tab_id}"])


async def close_left_behind(host: Host) -> None:
    """Close what a Worker that died left open. A tab that a person has brought to the front is theirs now."""
    stored = await host.session.get()
    for key in stored:
        number = key.removeprefix(KEY)
        if key == number or not number.isdigit():
            continue
        with contextlib.suppress(BridgeError):
            if (await host.browser.get_tab(int(number))).active:
                await host.session.remove([key])
                continue
        await close_tab(host, int(number))
