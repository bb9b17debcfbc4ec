"""What calls of screens carry: one closed model for each method of docs/protocol.md.

A value that does not fit is refused as ``bad_params`` before anybody acts on it.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator
from pydantic.alias_generators import to_camel

from webbrain.agent.cards import TEXT_CHARS
from webbrain.agent.planner_model import STEPS, SUMMARY_CHARS
from webbrain.agent.planner_text import EDITED_CHARS
from webbrain.core.errors import WebBrainError
from webbrain.core.limits import USER_MESSAGE_CHARS
from webbrain.core.types import Capability
from webbrain.services.attachments import FILES_TOLD, Upload
from webbrain.services.history import BATCH, PAGE, PREFIX
from webbrain.services.vision import MODEL_CHARS

ID_CHARS: Final = 128
CONVERSATION_ID: Final = rf"^{PREFIX}[0-9A-Za-z_]{{1,64}}$"
"""No other stream of the store has such a name. A counted ``\\w`` knows Unicode and would take megabytes."""
QUERY_CHARS: Final = 200


class Params(BaseModel):
    """Base of all of them."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, populate_by_name=True)


class NoParams(Params):
    """A call without parameters."""


class TabParams(Params):
    """A call about one tab."""

    tab_id: int = Field(ge=0)


class StartParams(TabParams):
    """``chat.start``"""

    text: str = Field(min_length=1, max_length=USER_MESSAGE_CHARS)
    mode: Literal["ask", "act", "dev"]
    request_id: str = Field(min_length=1, max_length=ID_CHARS)
    files: list[Upload] = Field(default_factory=list, max_length=FILES_TOLD)


class ContinueParams(TabParams):
    """``chat.continue``"""

    request_id: str = Field(min_length=1, max_length=ID_CHARS)


class QueueAddParams(TabParams):
    """``queue.add``"""

    id: str = Field(min_length=1, max_length=ID_CHARS)
    text: str = Field(min_length=1, max_length=USER_MESSAGE_CHARS)
    mode: Literal["ask", "act"]


class QueueRemoveParams(TabParams):
    """``queue.remove``"""

    id: str = Field(min_length=1, max_length=ID_CHARS)


class ModeParams(TabParams):
    """``mode.set``"""

    mode: Literal["ask", "act", "dev"]


class AnswerParams(TabParams):
    """``card.answer``"""

    card_id: str = Field(min_length=1, max_length=ID_CHARS)
    answer: str = Field(max_length=ID_CHARS)
    text: str = Field("", max_length=TEXT_CHARS)


class PlanAnswerParams(TabParams):
    """``plan.answer``: ``text`` is the whole plan rewritten, else ``summary`` and ``steps`` where changed."""

    plan_id: str = Field(min_length=1, max_length=ID_CHARS)
    decision: Literal["approved", "edited", "rejected"]
    summary: str | None = Field(None, max_length=SUMMARY_CHARS)
    steps: list[str] | None = Field(None, max_length=STEPS)
    text: str | None = Field(None, max_length=EDITED_CHARS)


class ProviderId(Params):
    """A call about one provider."""

    id: str = Field(min_length=1, max_length=ID_CHARS)


class ProviderConfigParams(ProviderId):
    """A call about one provider with form values; the service checks those."""

    config: dict[str, Any] = Field(default_factory=dict, max_length=100)


class VisionParams(Params):
    """An auxiliary model: a provider's id, empty for none, and a model of it, empty for its own."""

    provider: str = Field(max_length=ID_CHARS)
    model: str = Field(default="", max_length=MODEL_CHARS)


class SoundParams(Params):
    """``transcription.run``: one recording."""

    files: list[Upload] = Field(min_length=1, max_length=1)


class PictureParams(Params):
    """``pictures.get``"""

    id: str = Field(min_length=1, max_length=ID_CHARS)


class RevokeParams(Params):
    """``permissions.revoke``: a host's grant, all of them without a capability."""

    host: str = Field(min_length=1, max_length=300)
    capability: str = Field(default="", max_length=ID_CHARS)

    @field_validator("capability")
    @classmethod
    def _known(cls, value: str) -> str:
        return Capability(value).value if value else ""


class CommandParams(TabParams):
    """``commands.run``"""

    text: str = Field(min_length=1, max_length=USER_MESSAGE_CHARS)


class HistoryPlace(Params):
    """The last conversation of a list, behind which the next part begins."""

    updated_at: float
    id: str = Field(min_length=1, max_length=ID_CHARS)


class HistoryListParams(Params):
    """``history.list``"""

    query: str = Field(default="", max_length=QUERY_CHARS)
    before: HistoryPlace | None = None
    limit: int = Field(default=PAGE, ge=1, le=BATCH)


class HistoryParams(Params):
    """``history.export``"""

    id: str = Field(pattern=CONVERSATION_ID, max_length=ID_CHARS)


class HistoryOpenParams(TabParams):
    """``history.open``"""

    id: str = Field(pattern=CONVERSATION_ID, max_length=ID_CHARS)


class HistoryDeleteParams(Params):
    """``history.delete``: one by its id, or all."""

    id: str = Field(default="", pattern=rf"{CONVERSATION_ID}|^$", max_length=ID_CHARS)
    all: bool = False

    @model_validator(mode="after")
    def _one_or_all(self) -> Self:
        if bool(self.id) is self.all:
            raise ValueError("say either which one or all")
        return self


class SettingsParams(Params):
    """``settings.set``; the service checks each value."""

    values: dict[str, Any] = Field(max_length=100)


def checked(model: type[Params], params: Mapping[str, Any]) -> Any:
    """``params`` as that model; raise ``bad_params`` with the first problem."""
    try:
        return model.model_validate(dict(params))
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in problem["loc"])
        raise WebBrainError(f"{place}: {problem['msg']}", code="bad_params") from None
