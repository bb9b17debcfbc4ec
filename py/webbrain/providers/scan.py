"""Which model servers run on this machine? The usual ports are asked, all at once, and only on loopback.

A port says little about who listens, so whoever answers is asked for its models: the list names the server,
or the port's usual server is what it is taken for. What does not answer like a model server is passed over.
"""

import asyncio
import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from webbrain.core.errors import ProviderFailed
from webbrain.host.protocols import Clock, Http
from webbrain.providers.catalog import Catalog, CatalogEntry
from webbrain.providers.config import Endpoint, Live, ProviderConfig, resolve
from webbrain.providers.discovery import Listed, list_models, live

SCAN_TIMEOUT: Final = 3.0
"""Seconds for one port, whatever is asked there."""

OWNERS: Final = {
    "llamacpp": "llamacpp",
    "llama.cpp": "llamacpp",
    "library": "ollama",
    "vllm": "vllm",
    "sglang": "sglang",
    "jan": "jan",
}
"""How servers sign the models in their list, and which service of the catalogue that is."""
TELLING: Final = frozenset({"origin_refused", "wrong_key"})
"""Refusals that prove that a model server listens, and that its user can mend."""


@dataclass(frozen=True, slots=True)
class Found:
    """A server that answered. ``endpoint.info`` says what is known of the model that would be used."""

    endpoint: Endpoint
    models: tuple[Listed, ...]
    problem: ProviderFailed | None = None
    """Why it cannot be used yet."""


async def scan(http: Http, clock: Clock, catalog: Catalog) -> list[Found]:
    """Ask every usual port; in the catalogue's order."""
    ports: dict[str, list[CatalogEntry]] = {}
    for entry in catalog.entries.values():
        if entry.category == "local" and entry.key != "required" and is_loopback(entry.base_url):
            ports.setdefault(_origin(entry.base_url), []).append(entry)
    answers = await asyncio.gather(*(_ask(http, clock, catalog, usual) for usual in ports.values()))
    return [found for found in answers if found is not None]


def is_loopback(url: str) -> bool:
    """True for an address of this very machine; names other than ``localhost`` are not looked up."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


async def _ask(http: Http, clock: Clock, catalog: Catalog, usual: Iterable[CatalogEntry]) -> Found | None:
    try:
        async with asyncio.timeout(SCAN_TIMEOUT):
            return await _identify(http, clock, catalog, list(usual))
    except TimeoutError:
        return None


async def _identify(http: Http, clock: Clock, catalog: Catalog, usual: list[CatalogEntry]) -> Found | None:
    """The first of the port's usual servers that this can be."""
    for entry in usual:
        endpoint = resolve(catalog, entry, ProviderConfig())
        try:
            models = await list_models(http, clock, endpoint, SCAN_TIMEOUT)
        except ProviderFailed as failure:
            if failure.code in TELLING:
                return Found(endpoint, (), failure)
            continue
        signed = catalog.entries.get(next((OWNERS[m.owner] for m in models if m.owner in OWNERS), ""))
        if signed is not None and signed.id != entry.id:
            endpoint = _moved(catalog, signed, endpoint.root)
        elif signed is None and len(usual) > 1 and entry.id in OWNERS.values():
            # Several kinds of server like this port, and this kind would have signed.
            continue
        if models:
            return await _with_facts(http, clock, catalog, endpoint, models)
    return None


async def _with_facts(
    http: Http, clock: Clock, catalog: Catalog, endpoint: Endpoint, models: list[Listed]
) -> Found:
    """Ask the server about the model that comes first: the loaded one, where it says which that is."""
    config = ProviderConfig(base_url=endpoint.base_url, model=models[0].id)
    endpoint = resolve(catalog, endpoint.entry, config)
    known = await live(http, clock, endpoint)
    facts = Live(
        known.model,
        known.context_window or models[0].context_window,
        models[0].vision if known.vision is None else known.vision,
    )
    return Found(resolve(catalog, endpoint.entry, config, facts), tuple(models))


def _moved(catalog: Catalog, entry: CatalogEntry, root: str) -> Endpoint:
    """A service at a port that is not its usual one."""
    return resolve(catalog, entry, ProviderConfig(base_url=root + urlsplit(entry.base_url).path))


def _origin(url: str) -> str:
    parts = urlsplit(url)
    host = "localhost" if is_loopback(url) else parts.hostname
    return f"{host}:{parts.port}"


def facts_of(model: Listed) -> dict[str, Any]:
    """What a list says of a model, for screens; empty where it says nothing."""
    told = {"contextWindow": model.context_window, "supportsVision": model.vision}
    return {key: value for key, value in told.items() if value is not None}
