"""The grants that hold for good, as the settings page lists and revokes them."""

from typing import Any

from webbrain.core.types import Capability
from webbrain.host.protocols import Host
from webbrain.policy import grants
from webbrain.policy.origins import shown


class PermissionService:
    """Lists and revokes; granting is a person's answer to a card."""

    def __init__(self, host: Host) -> None:
        self._host = host

    async def view(self) -> dict[str, Any]:
        """``{sites: [{host, shown, grants: [{capability, action, ts}]}]}``, by name."""
        sites: dict[str, list[dict[str, Any]]] = {}
        for grant in await grants.stored(self._host):
            entry = {"capability": grant.capability.value, "action": grant.action, "ts": grant.ts}
            sites.setdefault(grant.host, []).append(entry)
        return {
            "sites": [{"host": host, "shown": shown(host), "grants": sites[host]} for host in sorted(sites)]
        }

    async def revoke(self, host: str, capability: Capability | None) -> dict[str, Any]:
        """Take a host's grants back, or one of them; return the view as it is then."""
        await grants.forget(self._host, capability, host)
        now = await self.view()
        self._host.ui.emit("permissions_changed", now)
        return now
