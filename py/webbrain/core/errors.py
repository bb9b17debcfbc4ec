"""Errors say whose turn it is next. Each has a stable code and one clear sentence.

``ModelMayRetry``   the model made a mistake it can mend: it is told and goes on.
``ToolFailed``      the action did not work: the model sees why and may try something else.
``NeedsPerson``     a person must decide or do something; the run pauses or ends.
``ProviderFailed``  the model service did not answer properly.
``Bug``             our own mistake.
"""

from typing import Any


class WebBrainError(Exception):
    """Base of every error we raise on purpose.

    ``code`` is snake_case and stable (the UI and tests key on it); ``message`` is one sentence for a person;
    ``data`` is small JSON with details.
    """

    code = "error"

    def __init__(self, message: str, *, code: str | None = None, data: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or type(self).code
        self.data = data or {}


class ModelMayRetry(WebBrainError):
    """Bad arguments, an unknown tool or ref: tell the model, go on."""

    code = "invalid_tool_arguments"


class ToolFailed(WebBrainError):
    """The action was tried or refused for a reason the model should see."""

    code = "tool_failed"


class OutcomeUnknown(ToolFailed):
    """The action may or may not have happened; it is never silently repeated."""

    code = "outcome_unknown"


class NeedsPerson(WebBrainError):
    """Only a person can go on from here."""

    code = "needs_person"


class CostLimit(NeedsPerson):
    """The user's allowance is used up: no paid call is made until a person raises or resets it."""

    code = "cost_limit"


class ProviderFailed(WebBrainError):
    """The model service refused, stalled or answered nonsense.

    ``transient`` is true where one silent repeat is allowed (nothing was billed or shown).
    """

    code = "provider_failed"

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        data: dict[str, Any] | None = None,
        transient: bool = False,
        status: int | None = None,
    ) -> None:
        super().__init__(message, code=code, data=data)
        self.transient = transient
        self.status = status


class BridgeError(WebBrainError):
    """The bridge or the browser refused a call. Codes are listed in docs/protocol.md."""

    code = "bridge_error"


class Bug(WebBrainError):
    """An assumption of ours did not hold."""

    code = "internal_error"
