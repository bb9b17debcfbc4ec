"""The part of the composition root whose calls one service answers by itself."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from webbrain.app_params import (
    HistoryDeleteParams,
    HistoryListParams,
    HistoryParams,
    NoParams,
    Params,
    PictureParams,
    ProviderConfigParams,
    ProviderId,
    RevokeParams,
    SettingsParams,
    SoundParams,
    VisionParams,
)
from webbrain.core.types import Capability
from webbrain.services.history import History
from webbrain.services.permissions import PermissionService
from webbrain.services.pictures import PictureStore
from webbrain.services.providers import ProviderService
from webbrain.services.settings import SettingsService
from webbrain.services.spending import SpendingService
from webbrain.services.transcription import TranscriptionService
from webbrain.services.vision import VisionService

Answer = dict[str, Any]
Methods = Mapping[str, tuple[type[Params], Callable[[Any], Awaitable[Answer]]]]


def of_providers(providers: ProviderService) -> Methods:
    """The services that models are asked through."""

    async def list_(_: NoParams) -> Answer:
        return await providers.list()

    async def save(params: ProviderConfigParams) -> Answer:
        return await providers.save(params.id, params.config)

    async def activate(params: ProviderId) -> Answer:
        return await providers.activate(params.id)

    async def remove(params: ProviderId) -> Answer:
        return await providers.remove(params.id)

    async def test(params: ProviderConfigParams) -> Answer:
        return await providers.test(params.id, params.config)

    async def models(params: ProviderConfigParams) -> Answer:
        return await providers.models(params.id, params.config)

    async def scan(_: NoParams) -> Answer:
        return await providers.scan()

    return {
        "providers.list": (NoParams, list_),
        "providers.save": (ProviderConfigParams, save),
        "providers.activate": (ProviderId, activate),
        "providers.remove": (ProviderId, remove),
        "providers.test": (ProviderConfigParams, test),
        "providers.models": (ProviderConfigParams, models),
        "providers.scan": (NoParams, scan),
    }


def of_auxiliary(vision: VisionService, transcription: TranscriptionService) -> Methods:
    """The models that see and hear for the one that answers."""

    async def vision_get(_: NoParams) -> Answer:
        return await vision.view()

    async def vision_set(params: VisionParams) -> Answer:
        return await vision.choose(params.provider, params.model)

    async def vision_test(params: VisionParams) -> Answer:
        return await vision.test(params.provider, params.model)

    async def transcription_get(_: NoParams) -> Answer:
        return await transcription.view()

    async def transcription_set(params: VisionParams) -> Answer:
        return await transcription.choose(params.provider, params.model)

    async def transcription_test(params: VisionParams) -> Answer:
        return await transcription.test(params.provider, params.model)

    async def transcription_run(params: SoundParams) -> Answer:
        return await transcription.run(params.files[0].data)

    return {
        "vision.get": (NoParams, vision_get),
        "vision.set": (VisionParams, vision_set),
        "vision.test": (VisionParams, vision_test),
        "transcription.get": (NoParams, transcription_get),
        "transcription.set": (VisionParams, transcription_set),
        "transcription.test": (VisionParams, transcription_test),
        "transcription.run": (SoundParams, transcription_run),
    }


def of_settings(
    settings: SettingsService,
    spending: SpendingService,
    permissions: PermissionService,
    pictures: PictureStore,
) -> Methods:
    """What the user set, spent and allowed, and the pictures that events speak of."""

    async def pictures_get(params: PictureParams) -> Answer:
        return {"dataUrl": await pictures.get(params.id)}

    async def spending_get(_: NoParams) -> Answer:
        return await spending.view()

    async def spending_reset(_: NoParams) -> Answer:
        return await spending.reset()

    async def permissions_list(_: NoParams) -> Answer:
        return await permissions.view()

    async def permissions_revoke(params: RevokeParams) -> Answer:
        capability = Capability(params.capability) if params.capability else None
        return {"ok": True, **await permissions.revoke(params.host, capability)}

    async def settings_get(_: NoParams) -> Answer:
        return await settings.view()

    async def settings_set(params: SettingsParams) -> Answer:
        return {"ok": True, "values": await settings.save(params.values)}

    return {
        "pictures.get": (PictureParams, pictures_get),
        "spending.get": (NoParams, spending_get),
        "spending.reset": (NoParams, spending_reset),
        "permissions.list": (NoParams, permissions_list),
        "permissions.revoke": (RevokeParams, permissions_revoke),
        "settings.get": (NoParams, settings_get),
        "settings.set": (SettingsParams, settings_set),
    }


def of_history(history: History) -> Methods:
    """Earlier conversations; opening one is the composition root's, because a tab is then taken."""

    async def list_(params: HistoryListParams) -> Answer:
        before = (params.before.updated_at, params.before.id) if params.before else None
        return await history.entries(params.query, before, params.limit)

    async def export(params: HistoryParams) -> Answer:
        return await history.export(params.id)

    async def delete(params: HistoryDeleteParams) -> Answer:
        return await (history.delete_all() if params.all else history.delete(params.id))

    return {
        "history.list": (HistoryListParams, list_),
        "history.export": (HistoryParams, export),
        "history.delete": (HistoryDeleteParams, delete),
    }
