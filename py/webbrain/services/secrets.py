"""The secrets of the user's that are stored here, keys of services: known so that they can be kept out of
everything else.
"""

from collections.abc import Mapping
from typing import Any, Final

from webbrain.host.protocols import Host
from webbrain.providers import catalog as catalogs
from webbrain.services.providers import PROVIDERS_KEY

KEY_FIELD: Final = "apiKey"
SHORTEST: Final = 8
"""Shorter values are no keys: local servers take any word for one."""


async def stored_secrets(host: Host) -> list[str]:
    """Every key and secret parameter of every service that is set up."""
    stored = (await host.settings.get([PROVIDERS_KEY])).get(PROVIDERS_KEY)
    if not isinstance(stored, Mapping):
        return []
    return [
        secret
        for provider_id, config in stored.items()
        if isinstance(config, Mapping)
        for secret in _secrets_of(str(provider_id), config)
        if len(secret) >= SHORTEST
    ]


def _secrets_of(provider_id: str, config: Mapping[str, Any]) -> list[str]:
    entry = catalogs.load().entries.get(provider_id)
    names = [KEY_FIELD, *(one.key for one in entry.parameters if one.secret)] if entry else [KEY_FIELD]
    return [value.strip() for name in names if isinstance(value := config.get(name), str)]
