"""The user's services: stored configurations, the active one, tests and model lists.

``storage.local`` holds ``providers`` (id to configuration) and ``activeProvider``. Nothing is active until
the user chooses; saving a form does not choose.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from webbrain.agent.exchanges import Witness
from webbrain.agent.spending import Account, PaidClient, Purse
from webbrain.core.errors import NeedsPerson, ProviderFailed
from webbrain.host.protocols import Host
from webbrain.providers import catalog as catalogs
from webbrain.providers.base import ModelClient, ModelInfo
from webbrain.providers.builtin import STATES
from webbrain.providers.catalog import Catalog, CatalogEntry
from webbrain.providers.config import (
    CONTEXT_MAX,
    CONTEXT_MIN,
    Endpoint,
    Live,
    ModelFacts,
    ProviderConfig,
    missing,
    resolve,
)
from webbrain.providers.connect import connect
from webbrain.providers.discovery import Listed, find_models, live
from webbrain.providers.entered import merge
from webbrain.providers.form import form_keys, view
from webbrain.providers.probe import probe
from webbrain.providers.scan import Found, facts_of, scan
from webbrain.services.learned import LearnedStore

PROVIDERS_KEY: Final = "providers"
ACTIVE_KEY: Final = "activeProvider"
FIELD_OF: Final = {
    "wrong_key": "apiKey",
    "model_not_found": "model",
    "tools_unsupported": "model",
    "schema_refused": "constrained",
    "wrong_address": "baseUrl",
    "server_not_running": "baseUrl",
}
"""Where a form shows what a service complained about."""
LIVE_SECONDS: Final = 60.0
"""How long what a local server said about itself is believed."""

# At import, so that the catalogue is part of the memory snapshot and no start waits for it.
catalogs.load()
SILENT_SECONDS: Final = 5.0
"""The same for one that said nothing: it may be starting."""


class ProviderService:
    """One per app. Its answers to screens are the JSON of docs/protocol.md."""

    def __init__(
        self,
        host: Host,
        catalog: Catalog | None = None,
        *,
        purse: Purse | None = None,
        witnesses: Sequence[Witness] = (),
    ) -> None:
        self._host = host
        self._catalog = catalog or catalogs.load()
        self._purse = purse
        self._witnesses = witnesses
        self._writing = asyncio.Lock()
        self.learned = LearnedStore(host)
        self._listed: dict[tuple[str, str], dict[str, Listed]] = {}
        """What lists said, by provider and address."""
        self._live: dict[tuple[str, str, str], tuple[float, Live]] = {}

    async def active(self, headers_timeout: float | None = None) -> ModelClient:
        """A fresh client of the active service, for one run.

        ``headers_timeout`` is the user's own patience in seconds, in place of the catalogue's.
        Raises ``NeedsPerson(code="no_provider")`` if none is chosen or it lacks something.
        """
        chosen = await self._active_config()
        if chosen is None:
            raise NeedsPerson("No model is chosen yet. Open the settings and choose one.", code="no_provider")
        entry, config = chosen
        endpoint = await self._endpoint(entry, config)
        if headers_timeout is not None:
            endpoint = replace(endpoint, headers_timeout=headers_timeout)
        learned = await self.learned.of(endpoint)
        return connect(self._host, endpoint, learned)

    async def active_info(self) -> ModelInfo | None:
        """Facts about the active service without asking its server, or ``None``."""
        chosen = await self._active_config()
        return resolve(self._catalog, *chosen).info if chosen else None

    async def usable(self, provider_id: str) -> bool:
        """Whether that service is set up."""
        return await self._ready(provider_id) is not None

    async def seeing(self, provider_id: str, model: str = "") -> ModelClient:
        """A client of a service, or of another model of it, that is sent pictures: the user says it sees.

        Raises ``NeedsPerson(code="not_configured")``.
        """
        chosen = await self._ready(provider_id)
        if chosen is None:
            raise NeedsPerson("Set this service up and save it first.", code="not_configured")
        entry, config = chosen
        update = {"vision_mode": "on", **({"model": model} if model else {})}
        endpoint = await self._endpoint(entry, config.model_copy(update=update))
        return connect(self._host, endpoint)

    async def endpoint(self, provider_id: str) -> Endpoint:
        """How a service that is set up is called. Raises ``NeedsPerson(code="not_configured")``."""
        chosen = await self._ready(provider_id)
        if chosen is None:
            raise NeedsPerson("Set this service up and save it first.", code="not_configured")
        return resolve(self._catalog, *chosen)

    async def transcribes(self, provider_id: str) -> bool:
        """Whether that service is set up and turns speech into text."""
        entry = self._catalog.entries.get(provider_id)
        return entry is not None and entry.transcribes and await self._ready(provider_id) is not None

    def transcribers(self) -> Sequence[str]:
        """The services to take by themselves for it, the best first."""
        able = [entry for entry in self._catalog.entries.values() if entry.transcription_choice]
        return [entry.id for entry in sorted(able, key=lambda entry: entry.transcription_choice)]

    async def list(self) -> dict[str, Any]:
        """``providers.list``: every service of the catalogue with its form."""
        stored, active = await self._stored()
        views = [
            view(self._catalog, entry, _config(entry, stored), active=entry.id == active)
            for entry in self._catalog.entries.values()
        ]
        return {
            "active": active if any(v["active"] and v["configured"] for v in views) else None,
            "providers": views,
        }

    async def save(self, provider_id: str, entered: Mapping[str, Any]) -> dict[str, Any]:
        """``providers.save``. Raises ``NeedsPerson(code="invalid_field", data={"field"})``; nothing is
        saved half."""
        entry = self._entry(provider_id)
        async with self._writing:
            stored, active = await self._stored()
            config = self._with_facts(entry, self._merged(entry, stored, entered))
            if problem := missing(entry, config) or await self._absent(entry):
                raise problem
            config = config.model_copy(update={"configured": True})
            await self._host.settings.set({PROVIDERS_KEY: {**stored, entry.id: config.stored()}})
        await self._forget(entry.id)
        self._changed(active)
        return {"ok": True, "provider": view(self._catalog, entry, config, active=entry.id == active)}

    async def activate(self, provider_id: str) -> dict[str, Any]:
        """``providers.activate``. Raises ``NeedsPerson(code="not_configured")`` before the first save."""
        entry = self._entry(provider_id)
        if problem := await self._absent(entry):
            raise problem
        async with self._writing:
            stored, _ = await self._stored()
            config = _config(entry, stored)
            if not config.configured or missing(entry, config):
                raise NeedsPerson(f"Save {entry.label} before choosing it.", code="not_configured")
            await self._host.settings.set({ACTIVE_KEY: entry.id})
        self._changed(entry.id)
        return {"ok": True, "active": entry.id}

    async def remove(self, provider_id: str) -> dict[str, Any]:
        """``providers.remove``: forget the configuration, its key included."""
        async with self._writing:
            stored, active = await self._stored()
            rest = {key: value for key, value in stored.items() if key != provider_id}
            await self._host.settings.set({PROVIDERS_KEY: rest})
            if active == provider_id:
                await self._host.settings.remove([ACTIVE_KEY])
                active = None
        await self._forget(provider_id)
        self._changed(active)
        return {"ok": True}

    async def test(self, provider_id: str, entered: Mapping[str, Any]) -> dict[str, Any]:
        """``providers.test``: a real tiny call with unsaved form values; nothing is stored."""
        try:
            # What a server says of its loaded model decides whether it is shown a picture.
            endpoint = await self._endpoint(*await self._unsaved(provider_id, entered))
            result = await probe(self._host.clock, endpoint, self._fresh)
        except (ProviderFailed, NeedsPerson) as failure:
            return {
                "ok": False,
                "model": "",
                "latencyMs": 0,
                "calledTool": False,
                "readPicture": None,
                "baseUrl": "",
                "moved": False,
                "notes": [],
                "error": failure_view(failure),
            }
        return {
            "ok": True,
            "model": result.model,
            "latencyMs": result.latency_ms,
            "calledTool": result.called_tool,
            "readPicture": result.read_picture,
            "baseUrl": result.base_url,
            "moved": result.base_url != endpoint.base_url,
            "notes": list(result.notes),
            "error": None,
        }

    async def models(self, provider_id: str, entered: Mapping[str, Any]) -> dict[str, Any]:
        """``providers.models``: what the service offers, with unsaved form values."""
        try:
            chosen = await self._unsaved(provider_id, entered, for_models=True)
            endpoint = resolve(self._catalog, *chosen)
            base_url, found = await find_models(self._host.http, self._host.clock, endpoint)
        except (ProviderFailed, NeedsPerson) as failure:
            error = failure_view(failure)
            return {"ok": False, "models": [], "facts": {}, "baseUrl": "", "moved": False, "error": error}
        self._listed[endpoint.entry.id, base_url] = {model.id: model for model in found}
        return {
            "ok": True,
            "models": [model.id for model in found],
            "facts": {model.id: told for model in found if (told := facts_of(model))},
            "baseUrl": base_url,
            "moved": base_url != endpoint.base_url,
            "error": None,
        }

    async def scan(self) -> dict[str, Any]:
        """``providers.scan``: model servers that run on this machine; nothing is stored."""
        stored, active = await self._stored()
        found = await scan(self._host.http, self._host.clock, self._catalog)
        return {"found": [self._found(server, stored, active) for server in found]}

    def _found(self, server: Found, stored: Mapping[str, Any], active: str | None) -> dict[str, Any]:
        info, base_url = server.endpoint.info, server.endpoint.base_url
        mine = resolve(self._catalog, server.endpoint.entry, _config(server.endpoint.entry, stored))
        return {
            "id": info.provider_id,
            "label": info.label,
            "baseUrl": base_url,
            "model": info.model,
            "needsModel": server.endpoint.entry.requires_model,
            "contextWindow": info.context_window,
            "supportsVision": info.supports_vision,
            "models": [model.id for model in server.models],
            "facts": {model.id: told for model in server.models if (told := facts_of(model))},
            "active": info.provider_id == active and mine.base_url == base_url,
            "problem": failure_view(server.problem) if server.problem else None,
        }

    async def _unsaved(
        self, provider_id: str, entered: Mapping[str, Any], *, for_models: bool = False
    ) -> tuple[CatalogEntry, ProviderConfig]:
        entry = self._entry(provider_id)
        stored, _ = await self._stored()
        config = self._with_facts(entry, self._merged(entry, stored, entered))
        problem = missing(entry, config)
        if problem and not (for_models and problem.data.get("field") == "model"):
            raise problem
        return entry, config

    def _merged(
        self, entry: CatalogEntry, stored: Mapping[str, Any], entered: Mapping[str, Any]
    ) -> ProviderConfig:
        allowed = form_keys(entry)
        form = {key: value for key, value in entered.items() if key in allowed}
        return merge(entry, _config(entry, stored).stored(), form)

    def _with_facts(self, entry: CatalogEntry, config: ProviderConfig) -> ProviderConfig:
        """The same with what the list said of the chosen model, if there was one."""
        endpoint = resolve(self._catalog, entry, config)
        listed = self._listed.get((entry.id, endpoint.base_url), {}).get(endpoint.info.model)
        if listed is None:
            return config
        window = listed.context_window
        facts = ModelFacts(
            model=listed.id,
            context_window=min(window, CONTEXT_MAX) if window and window >= CONTEXT_MIN else None,
            vision=listed.vision,
        )
        return config.model_copy(update={"model_facts": facts})

    async def _absent(self, entry: CatalogEntry) -> NeedsPerson | None:
        """Why a model of the browser itself cannot be used now; ``None`` for every other service."""
        if entry.wire != "builtin":
            return None
        state = (await self._host.builtin.status()).availability
        if state == "available":
            return None
        message, hint = STATES[state]
        return NeedsPerson(message, code="builtin_unavailable", data={"hint": hint})

    async def _endpoint(self, entry: CatalogEntry, config: ProviderConfig) -> Endpoint:
        endpoint = resolve(self._catalog, entry, config)
        if endpoint.wire == "builtin":
            window = (await self._host.builtin.status()).context_window
            return resolve(self._catalog, entry, config, Live(context_window=window))
        if not endpoint.info.local:
            return endpoint
        key, now = _identity(endpoint), self._host.clock.monotonic()
        known = self._live.get(key)
        believed = LIVE_SECONDS if known and known[1] != Live() else SILENT_SECONDS
        if known is None or now - known[0] > believed:
            known = self._live[key] = (now, await live(self._host.http, self._host.clock, endpoint))
        return resolve(self._catalog, entry, config, known[1])

    async def _active_config(self) -> tuple[CatalogEntry, ProviderConfig] | None:
        _, active = await self._stored()
        return await self._ready(active or "")

    async def _ready(self, provider_id: str) -> tuple[CatalogEntry, ProviderConfig] | None:
        stored, _ = await self._stored()
        entry = self._catalog.entries.get(provider_id)
        if entry is None:
            return None
        config = _config(entry, stored)
        return (entry, config) if config.configured and missing(entry, config) is None else None

    async def _stored(self) -> tuple[dict[str, Any], str | None]:
        values = await self._host.settings.get([PROVIDERS_KEY, ACTIVE_KEY])
        stored, active = values.get(PROVIDERS_KEY), values.get(ACTIVE_KEY)
        return stored if isinstance(stored, dict) else {}, active if isinstance(active, str) else None

    def _entry(self, provider_id: str) -> CatalogEntry:
        entry = self._catalog.entries.get(provider_id)
        if entry is None:
            raise NeedsPerson(f"There is no provider “{provider_id}”.", code="unknown_provider")
        return entry

    def paid(self, client: ModelClient) -> ModelClient:
        """The same client, its calls allowed and booked like those of a run: tests cost money too."""
        return PaidClient(client, Account(self._purse, self._witnesses)) if self._purse else client

    def _fresh(self, endpoint: Endpoint) -> ModelClient:
        """A client that knows nothing yet, for a test."""
        return self.paid(connect(self._host, endpoint))

    async def _forget(self, provider_id: str) -> None:
        await self.learned.forget(provider_id)
        for key in [key for key in self._live if key[0] == provider_id]:
            del self._live[key]

    def _changed(self, active: str | None) -> None:
        self._host.ui.emit("providers_changed", {"active": active})


def _config(entry: CatalogEntry, stored: Mapping[str, Any]) -> ProviderConfig:
    """The stored configuration; fields that no longer pass are left out, the rest stays usable."""
    raw = stored.get(entry.id)
    values = dict(raw) if isinstance(raw, dict) else {}
    values["configured"] = values.get("configured") is True
    while True:
        try:
            return merge(entry, values, {})
        except NeedsPerson as problem:
            if values.pop(str(problem.data.get("field", "")), None) is None:
                return ProviderConfig()


def _identity(endpoint: Endpoint) -> tuple[str, str, str]:
    return endpoint.entry.id, endpoint.base_url, endpoint.info.model


def failure_view(failure: ProviderFailed | NeedsPerson) -> dict[str, Any]:
    """A failure as the settings page shows it."""
    error = {"code": failure.code, "message": failure.message, "hint": str(failure.data.get("hint", ""))}
    for key in ("detail", "field", "retry_after"):
        if key in failure.data:
            error[key] = failure.data[key]
    if failure.code in FIELD_OF:
        error.setdefault("field", FIELD_OF[failure.code])
    return error
