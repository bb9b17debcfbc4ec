"""The person who says yes, for tests of everything else.

In memory the hosts of the bench are allowed beforehand, for each task, so that its runs are asked about
forms, downloads and the network only; in scenarios in a browser it is the shop's site, for good. Elsewhere
every card is answered: over the port (``port.py``) or by clicking in the panel (:func:`approve`).
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from webbrain.agent.parts import AgentParts, ConfirmPolicy
from webbrain.core.types import Capability
from webbrain.host.memory import MemoryHost
from webbrain.policy.asking import ALWAYS, ONCE
from webbrain.policy.grants import PERMISSIONS, Grant, Leave, Need
from webbrain.policy.origins import key_of
from webbrain.policy.questions import WORK

if TYPE_CHECKING:  # unit tests run where there is no browser to be driven
    from tests.support.browsers import Browser
    from tests.support.screens import Panel

YES = (ONCE, ALWAYS, "approved")
"""Options that allow, best first."""


def allow(host: MemoryHost, *places: str, capabilities: Iterable[Capability] = WORK) -> None:
    """Store that these hosts (``shop.example``) are allowed for good."""
    kept = [*host.settings.values.get(PERMISSIONS, [])]
    kept += [
        Grant(capability=capability, host=place, action="allow").model_dump(mode="json")
        for place in places
        for capability in capabilities
    ]
    host.settings.values[PERMISSIONS] = kept


def granting(parts: AgentParts, *places: str) -> AgentParts:
    """``parts`` whose runs may work on these hosts without a question."""

    def confirm(leave: Leave) -> Sequence[ConfirmPolicy]:
        for place in places:
            for capability in WORK:
                leave.once.setdefault(Need(capability, place), True)
        return parts.confirm(leave)

    return replace(parts, confirm=confirm)


STORE: Final = """(async (wanted) => {
  const {wb_permissions: kept = []} = await chrome.storage.local.get('wb_permissions');
  await chrome.storage.local.set({wb_permissions: [...kept, ...wanted]});
  return true;
})"""
STORE_IN_VAULT: Final = """(async (wanted) => {
  const done = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const database = await done(indexedDB.open('webbrain_settings'));
  const values = database.transaction('values', 'readwrite').objectStore('values');
  const kept = (await done(values.get('wb_permissions'))) ?? [];
  await done(values.put([...kept, ...wanted], 'wb_permissions'));
  database.close();
  return true;
})"""
"""Firefox keeps settings where content scripts cannot reach them (``js/bridge/vault.js``)."""


def allow_in(browser: "Browser", *urls: str) -> None:
    """Store in a browser's extension that the sites of these addresses may be worked on for good."""
    wanted = [
        Grant(capability=capability, host=key_of(url), action="allow").model_dump(mode="json")
        for url in urls
        for capability in WORK
    ]
    store = STORE_IN_VAULT if browser.name == "firefox" else STORE
    browser.control.eval(f"{store}({json.dumps(wanted)})")


def approve(panel: "Panel") -> str:
    """Click the yes of the card that is open; return its text."""
    text = panel.wait_card()
    offered = panel.options()
    panel.answer(next((option for option in YES if option in offered), offered[0]))
    return text
