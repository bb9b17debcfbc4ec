"""A client of the browser's own model: no address, no key, no bytes, and yet a ``ModelClient`` like others.

It takes no tools, so it always works by constrained calls. It has no output limit of its own, so answers are
stopped here.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from webbrain.core.errors import BridgeError, ProviderFailed
from webbrain.core.limits import STALL_TIMEOUT
from webbrain.core.messages import ModelReply, ModelRequest, Usage
from webbrain.host.builtin import Availability, BuiltinAnswer, BuiltinModel
from webbrain.providers.base import SCHEMA_REFUSED
from webbrain.providers.config import Endpoint
from webbrain.providers.history import normalise, without_calls

CHARS_PER_TOKEN: Final = 5
"""A generous guess, for stopping an answer."""
DOWNLOAD_HINT: Final = "Open this provider in the settings and press Download."

STATES: Final[dict[Availability, tuple[str, str]]] = {
    "unsupported": (
        "This browser has no built-in model.",
        "Chrome 138 and later have one, on desktop computers. Choose another provider here.",
    ),
    "unavailable": (
        "The built-in model cannot be used on this computer.",
        "Chrome wants 22 GB of free disk space, and 4 GB of graphics memory or 16 GB of memory. Other "
        "browsers built on Chromium may not ship it. Choose another provider.",
    ),
    "downloadable": ("The built-in model is not downloaded yet.", DOWNLOAD_HINT),
    "downloading": ("The built-in model is still being downloaded.", "Wait until the download has ended."),
}
"""What is told, and what can be done, where there is no model to talk to. Source of the figures:
developer.chrome.com, "The Prompt API"."""


class BuiltinClient:
    """See ``ModelClient``."""

    def __init__(self, model: BuiltinModel, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.info = endpoint.info
        self._model = model

    async def complete(
        self,
        request: ModelRequest,
        on_delta: Callable[[str], None] | None = None,
        on_reset: Callable[[], None] | None = None,
    ) -> ModelReply:
        """See ``ModelClient.complete``."""
        conversation = normalise(request.messages, pictures=False)
        turns = without_calls(conversation.turns)
        messages = [{"role": turn.role, "content": turn.content} for turn in turns]
        if conversation.system:
            messages.insert(0, {"role": "system", "content": conversation.system})
        try:
            answer = await self._model.prompt(
                messages,
                schema=request.response_schema if self.info.structured else None,
                temperature=request.temperature,
                first_timeout=self.endpoint.headers_timeout,
                stall_timeout=STALL_TIMEOUT,
            )
            return await self._read(answer, request, on_delta if request.stream else None)
        except BridgeError as error:
            raise self._failure(error) from error

    async def _read(
        self, answer: BuiltinAnswer, request: ModelRequest, on_delta: Callable[[str], None] | None
    ) -> ModelReply:
        if answer.context_window and answer.context_window != self.info.context_window:
            self.info = replace(self.info, context_window=answer.context_window)
        text, used, cut = "", None, False
        try:
            async for piece in answer.pieces():
                text += piece.text
                used = piece.used if piece.used is not None else used
                if piece.text and on_delta is not None:
                    on_delta(piece.text)
                if len(text) > request.max_tokens * CHARS_PER_TOKEN:
                    cut = True
                    break
        finally:
            await answer.close()
        written = min(len(text) // 4 + 1, used) if used else None
        usage = Usage(prompt_tokens=used - written if used and written else None, completion_tokens=written)
        return ModelReply(text=text, usage=usage, finish="length" if cut else "stop", model=self.info.model)

    def _failure(self, error: BridgeError) -> ProviderFailed:
        label = self.info.label
        data = {"detail": f"{error.code}: {error.message}"}
        if error.code in ("builtin_unavailable", "builtin_not_downloaded"):
            usual: Availability = "unavailable" if error.code == "builtin_unavailable" else "downloadable"
            message, data["hint"] = STATES.get(error.data.get("availability", usual), STATES[usual])
            return ProviderFailed(message, code="builtin_unavailable", data=data)
        if error.code == "builtin_too_long":
            data["hint"] = "Work on a shorter page, or choose a model with more room."
            return ProviderFailed(f"This is too long for {label}.", code="context_too_small", data=data)
        if error.code == "builtin_schema":
            self.info = replace(self.info, structured=False, constrained=False)
            return ProviderFailed(
                f"{label} does not take this JSON schema for its answer.", code=SCHEMA_REFUSED, data=data
            )
        if error.code == "builtin_filtered":
            data["hint"] = "Rephrase the task, or choose another model."
            return ProviderFailed(f"{label} withheld its answer.", code="content_filter", data=data)
        if error.code in ("net_stalled", "timeout"):
            return ProviderFailed(f"{label} did not answer in time.", code="stalled", data=data)
        return ProviderFailed(f"{label} could not answer.", code="provider_error", data=data)
