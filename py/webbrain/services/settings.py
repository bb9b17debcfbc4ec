"""The user's settings. A setting is one field of :class:`Settings`; storage, checks and the page follow
from it.

Each value is stored under its own key of ``storage.local``: the field's name in camelCase. A stored value
that no longer fits is read as the default, and left alone until the user saves that setting again.
"""

import contextlib
import functools
from collections.abc import Mapping
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel
from pydantic.fields import FieldInfo

from webbrain.agent import clarify
from webbrain.agent.pictures import PictureRules
from webbrain.agent.planner import PlanRules
from webbrain.core.errors import WebBrainError
from webbrain.core.limits import MAX_STEPS_DEFAULT, MAX_STEPS_MAX, MAX_STEPS_MIN
from webbrain.host.protocols import Host

REQUEST_TIMEOUT_MS: Final = 120_000
REQUEST_TIMEOUT_MS_MIN: Final = 5_000
REQUEST_TIMEOUT_MS_MAX: Final = 600_000
IMAGE_SIDE: Final = 1_568
IMAGE_SIDE_MIN: Final = 256
IMAGE_SIDE_MAX: Final = 4_096
SCREENSHOTS_MAX: Final = 1_000

PLAN_THRESHOLD: Final = 75
"""Per cent."""
PLAN_THRESHOLD_MIN: Final = 50
PLAN_THRESHOLD_MAX: Final = 99

COST_ALLOWANCE_USD: Final = 10.0
COST_ALLOWANCE_USD_MAX: Final = 100_000

Kind = Literal["enum", "bool", "int", "money", "text"]


def _setting(
    default: Any,
    kind: Kind,
    section: str,
    label: str,
    help_text: str,
    *,
    options: Mapping[str, str] | None = None,
    **bounds: Any,
) -> Any:
    """A field with what the settings page needs to draw it. ``options`` maps values to labels."""
    extra: dict[str, Any] = {"kind": kind, "section": section}
    if options:
        extra["options"] = [{"value": value, "label": name} for value, name in options.items()]
    return Field(default, title=label, description=help_text, json_schema_extra=extra, **bounds)


class Settings(BaseModel):
    """Every setting there is. Labels and help are the English texts; screens translate them by key."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, populate_by_name=True)

    theme_mode: Literal["system", "light", "dark"] = _setting(
        "system",
        "enum",
        "appearance",
        "Theme",
        "Follow the system, or always light or dark.",
        options={"system": "System", "light": "Light", "dark": "Dark"},
    )
    wb_locale: Literal["auto", "en", "de"] = _setting(
        "auto",
        "enum",
        "appearance",
        "Language",
        "The language of these screens. The agent answers in the language you write in.",
        options={"auto": "Browser language", "en": "English", "de": "Deutsch"},
    )
    verbose_mode: bool = _setting(
        False,
        "bool",
        "appearance",
        "Show details of every step",
        "Tool steps open by themselves and show their arguments and results.",
    )
    max_agent_steps: int = _setting(
        MAX_STEPS_DEFAULT,
        "int",
        "agent",
        "Steps before asking",
        "After so many model calls the agent stops and offers to continue: "
        f"{MAX_STEPS_MIN} to {MAX_STEPS_MAX}, or 0 for no limit.",
        ge=0,
        le=MAX_STEPS_MAX,
    )
    request_timeout_ms: int = _setting(
        REQUEST_TIMEOUT_MS,
        "int",
        "agent",
        "Patience with a model (milliseconds)",
        "How long a model may take to begin its answer. Local models get five minutes until you change it.",
        ge=REQUEST_TIMEOUT_MS_MIN,
        le=REQUEST_TIMEOUT_MS_MAX,
    )
    openai_ask_streaming_enabled: bool = _setting(
        True,
        "bool",
        "agent",
        "Stream answers in Ask",
        "Show the answer while it is being written. Off: it appears when it is complete.",
    )
    ask_before_consequential_actions: bool = _setting(
        True,
        "bool",
        "permissions",
        "Ask before acting",
        "Ask before the agent works on a site, sends a form, downloads or changes data. Off, it acts at "
        "once; what a page talks it into happens unasked.",
    )
    plan_before_act_mode: Literal["off", "try", "strict"] = _setting(
        "try",
        "enum",
        "planning",
        "Plan before acting",
        "In Act the agent first makes a plan, with one more call of the model. If it does not manage one: "
        "Try lets it only read in that turn, Strict stops. Off makes no plan; a short check of what kind of "
        "request it is remains.",
        options={"off": "Off", "try": "Try", "strict": "Strict"},
    )
    plan_review_mode: Literal["confidence", "always", "never"] = _setting(
        "confidence",
        "enum",
        "planning",
        "Show me the plan",
        "Whether a plan waits for you before anything is done. Forms, downloads and the like are asked about "
        "either way.",
        options={"confidence": "When the agent is unsure", "always": "Always", "never": "Never"},
    )
    plan_review_confidence_threshold: int = _setting(
        PLAN_THRESHOLD,
        "int",
        "planning",
        "Sure enough (percent)",
        "A plan the agent is at least this sure of goes ahead without you: "
        f"{PLAN_THRESHOLD_MIN} to {PLAN_THRESHOLD_MAX}.",
        ge=PLAN_THRESHOLD_MIN,
        le=PLAN_THRESHOLD_MAX,
    )
    clarify_timeout_sec: int = _setting(
        clarify.DEFAULT,
        "int",
        "planning",
        "Patience with questions (seconds)",
        f"How long a question of the agent waits before its first answer is taken: 1 to {clarify.LONGEST}. "
        f"0: you are not asked, {clarify.NEVER}: it waits until you answer. An answer that is not yours "
        "never allows anything.",
        ge=clarify.NEVER,
        le=clarify.LONGEST + 5,
    )
    agent_allow_local_network: bool = _setting(
        False,
        "bool",
        "network",
        "Let the agent reach the local network",
        "Allow its own requests and downloads to go to this computer and to private addresses such as "
        "192.168.x.x. Off, it reaches public addresses only.",
    )

    api_observer_enabled: bool = _setting(
        False,
        "bool",
        "network",
        "Notice requests behind repeated clicks",
        "While the agent clicks, WebBrain keeps the last 40 requests of that tab in memory, so that it can "
        "suggest one request in place of many clicks. Requests that change data still need /allow-api and "
        "your yes each time.",
    )

    auto_screenshot: Literal["off", "navigation", "state_change", "every_step"] = _setting(
        "state_change",
        "enum",
        "pictures",
        "Pictures of the page",
        "When the agent takes a picture of the visible part of the page by itself while it acts. It goes to "
        "your model if that reads pictures, else to the vision model if you chose one.",
        options={
            "off": "Never",
            "navigation": "On every new page",
            "state_change": "After every change",
            "every_step": "After every step",
        },
    )
    screenshot_fallback: bool = _setting(
        True,
        "bool",
        "pictures",
        "Picture where there is hardly any text",
        "Take one also when a page that was read has next to no text, such as a drawing or a map.",
    )
    max_screenshots_per_turn: int = _setting(
        0,
        "int",
        "pictures",
        "Most pictures per request",
        f"From your message to the end of the run: 1 to {SCREENSHOTS_MAX}, or 0 for no limit. "
        "Every picture costs about as much as a page of text.",
        ge=0,
        le=SCREENSHOTS_MAX,
    )
    max_image_dimension: int = _setting(
        IMAGE_SIDE,
        "int",
        "pictures",
        "Longest side of a picture (pixels)",
        "Larger pictures are made smaller before they are sent.",
        ge=IMAGE_SIDE_MIN,
        le=IMAGE_SIDE_MAX,
    )
    image_detail: Literal["auto", "low", "high"] = _setting(
        "auto",
        "enum",
        "pictures",
        "How closely to look",
        "For services with OpenAI's interface that know the choice. Low is cheaper, high reads small print.",
        options={"auto": "The service decides", "low": "Low", "high": "High"},
    )

    screenshot_redaction: bool = _setting(
        False,
        "bool",
        "pictures",
        "Blur private things in pictures",
        "Passwords, what stands in text fields, e-mail addresses, telephone numbers and embedded frames of "
        "other sites are made unreadable in the agent's pictures as well as can be. The page stays as it is.",
    )

    strict_secret_mode: bool = _setting(
        False,
        "bool",
        "secrets",
        "Never quote passwords and keys",
        "An answer that holds a password, code or key is withheld, and the agent is told not to repeat one.",
    )

    tracing_enabled: bool = _setting(
        False,
        "bool",
        "records",
        "Record runs",
        "Keep what the agent does on this computer, to look into it later: your message, what the model was "
        "sent and answered, page texts and pictures, tools, cost. Known passwords and keys are taken out; "
        "what is private on a page is not. Nothing is sent anywhere.",
    )

    voice_input_enabled: bool = _setting(
        True,
        "bool",
        "voice",
        "Microphone button",
        "Show it beside the message box once a service for speech is chosen above.",
    )

    cost_allowance_session_usd: float = _setting(
        COST_ALLOWANCE_USD,
        "money",
        "cost",
        "Allowance per browser session (US dollars)",
        "When so much was spent since the browser started, no paid call is made any more. 0 for no limit.",
        ge=0,
        le=COST_ALLOWANCE_USD_MAX,
        allow_inf_nan=False,
    )
    cost_allowance_total_usd: float = _setting(
        COST_ALLOWANCE_USD,
        "money",
        "cost",
        "Allowance in total (US dollars)",
        "The same over all sessions, until you reset what was spent. 0 for no limit.",
        ge=0,
        le=COST_ALLOWANCE_USD_MAX,
        allow_inf_nan=False,
    )

    def headers_timeout(self) -> float | None:
        """Seconds a model may take to begin its answer; ``None`` if the user never said."""
        return self.request_timeout_ms / 1000 if "request_timeout_ms" in self.model_fields_set else None

    def picture_rules(self) -> PictureRules:
        """When pictures of the page are taken, and how large."""
        return PictureRules(
            auto=self.auto_screenshot,
            fallback=self.screenshot_fallback,
            per_turn=self.max_screenshots_per_turn,
            longest=self.max_image_dimension,
            detail=self.image_detail,
            redact=self.screenshot_redaction,
        )

    def plan_rules(self) -> PlanRules:
        """How tasks are planned."""
        return PlanRules(
            mode=self.plan_before_act_mode,
            review=self.plan_review_mode,
            threshold=self.plan_review_confidence_threshold / 100,
            locale="" if self.wb_locale == "auto" else self.wb_locale,
        )

    def step_limit(self) -> int:
        """Steps of a run; 0 means no limit. Values too small to get anything done count as the smallest."""
        return max(self.max_agent_steps, MAX_STEPS_MIN) if self.max_agent_steps else 0


FIELDS: Final[Mapping[str, FieldInfo]] = {
    to_camel(name): info for name, info in Settings.model_fields.items()
}
"""Storage key to field."""


class SettingsService:
    """Reads and writes :class:`Settings`."""

    def __init__(self, host: Host) -> None:
        self._host = host

    async def load(self) -> Settings:
        """The settings as stored, each unusable value replaced by its default."""
        stored = await self._host.settings.get(list(FIELDS))
        # Mostly all of it is usable; only else each value is looked at by itself.
        with contextlib.suppress(ValidationError):
            return Settings.model_validate(stored)
        good: dict[str, Any] = {}
        for key, value in stored.items():
            try:
                Settings.model_validate({key: value})
            except ValidationError:
                continue
            good[key] = value
        return Settings.model_validate(good)

    async def view(self) -> dict[str, Any]:
        """``{values, fields}`` for the settings page."""
        drawn, now = fields(), values(await self.load())
        return {"values": {field["key"]: now[field["key"]] for field in drawn}, "fields": drawn}

    async def save(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        """Store the given settings and return all values; raise ``bad_setting`` if one of them does not
        fit.
        """
        unknown = sorted(set(changes) - set(FIELDS))
        if unknown:
            raise WebBrainError(f"There is no setting {unknown[0][:60]}.", code="bad_setting")
        try:
            checked = Settings.model_validate(dict(changes))
        except ValidationError as error:
            problem = error.errors(include_url=False, include_input=False)[0]
            key = to_camel(str(problem["loc"][0])) if problem["loc"] else ""
            label = FIELDS[key].title if key in FIELDS else key
            raise WebBrainError(
                f"{label}: {problem['msg']}.", code="bad_setting", data={"key": key}
            ) from None
        fresh = values(checked)
        await self._host.settings.set({key: fresh[key] for key in changes})
        now = values(await self.load())
        self._host.ui.emit("settings_changed", {"values": now})
        return now


def values(settings: Settings) -> dict[str, Any]:
    """All settings by storage key."""
    return settings.model_dump(mode="json", by_alias=True)


@functools.cache
def fields() -> list[dict[str, Any]]:
    """What the settings page is drawn from, one ``SettingField`` of docs/protocol.md each. Made once; nobody
    may change it."""
    properties = Settings.model_json_schema()["properties"]
    out = []
    for key, info in FIELDS.items():
        schema = properties[key]
        drawn = {
            "key": key,
            "section": schema["section"],
            "kind": schema["kind"],
            "label": info.title,
            "help": info.description,
            "default": schema["default"],
            "options": schema.get("options"),
            "min": schema.get("minimum"),
            "max": schema.get("maximum"),
        }
        out.append({name: value for name, value in drawn.items() if value is not None})
    return out
