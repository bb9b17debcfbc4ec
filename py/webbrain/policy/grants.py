"""What a person has allowed or denied: for the task at hand, and for good.

What holds for good lies in ``storage.local`` under ``wb_permissions`` and is read afresh before every
decision, so that what is revoked in the settings, or changed by whatever else writes there, counts at once.
What holds for the task is a small table that the tab keeps until the user's next message.
"""

import asyncio
import weakref
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from webbrain.core.types import Capability
from webbrain.host.protocols import Host

PERMISSIONS: Final = "wb_permissions"
"""Storage key of the grants."""
SWITCH: Final = "askBeforeConsequentialActions"
"""Storage key of ``Settings.ask_before_consequential_actions``; a test pins the two to each other."""
MOST_GRANTS: Final = 2_000
"""Oldest ones go first."""


@dataclass(frozen=True, slots=True)
class Need:
    """One thing to be allowed: a capability at a host (``policy.origins.key_of``; empty for the window)."""

    capability: Capability
    host: str


class Grant(BaseModel):
    """A grant for good, as it is stored."""

    model_config = ConfigDict(extra="ignore")

    capability: Capability
    host: str = Field(min_length=1, max_length=300)
    action: Literal["allow", "deny"]
    duration: Literal["always"] = "always"
    ts: int = 0
    """When it was given, in milliseconds since 1970."""

    @property
    def need(self) -> Need:
        """What it is about."""
        return Need(self.capability, self.host)


@dataclass(frozen=True, slots=True)
class Standing:
    """What is stored at this moment."""

    asks: bool
    """The master switch. Off: nothing is asked at all."""
    answers: Mapping[Need, bool]


@dataclass(slots=True)
class Leave:
    """What one run has leave for before anybody is asked, and what it needs to put a question."""

    asks: bool = True
    """False for an unattended run whose owner waived questions when it was set up."""
    allow_api: bool = False
    """``/allow-api`` was given in this conversation."""
    once: dict[Need, bool] = field(default_factory=dict)
    """Answers that count until the user's next message in this tab."""
    said: Callable[[], str] = str
    """What the user typed for this task: an address in it is one they asked for."""
    name_of: Callable[[str], str] = str
    """What people call the element behind a reference."""


_LOCKS: weakref.WeakKeyDictionary[Host, asyncio.Lock] = weakref.WeakKeyDictionary()
"""One writer at a time, or a grant that was revoked meanwhile would come back."""


async def standing(host: Host) -> Standing:
    """What holds for good, as stored now. A denial wins over an allowance for the same."""
    stored = await host.settings.get([PERMISSIONS, SWITCH])
    answers: dict[Need, bool] = {}
    for grant in parsed(stored.get(PERMISSIONS)):
        answers[grant.need] = answers.get(grant.need, True) and grant.action == "allow"
    return Standing(stored.get(SWITCH) is not False, answers)


async def stored(host: Host) -> list[Grant]:
    """All grants, oldest first."""
    return parsed((await host.settings.get([PERMISSIONS])).get(PERMISSIONS))


async def remember(host: Host, needs: Iterable[Need], *, allow: bool) -> None:
    """Store an answer for good, in the place of an earlier one about the same."""
    wanted = [need for need in needs if need.host]
    now = round(host.clock.now() * 1000)
    async with _lock(host):
        kept = [grant for grant in await stored(host) if grant.need not in wanted]
        kept += [
            Grant(capability=need.capability, host=need.host, action="allow" if allow else "deny", ts=now)
            for need in wanted
        ]
        await _write(host, kept[-MOST_GRANTS:])


async def forget(host: Host, capability: Capability | None, place: str) -> int:
    """Revoke the grants of a host, or one of them; return how many there were."""
    async with _lock(host):
        grants = await stored(host)
        kept = [
            grant
            for grant in grants
            if grant.host != place or (capability is not None and grant.capability is not capability)
        ]
        if len(kept) != len(grants):
            await _write(host, kept)
    return len(grants) - len(kept)


def parsed(value: Any) -> list[Grant]:
    """The grants in a stored value; what is none is left out, so that it grants nothing."""
    found = []
    for entry in value if isinstance(value, list) else []:
        try:
            found.append(Grant.model_validate(entry))
        except ValidationError:
            continue
    return found


async def _write(host: Host, grants: list[Grant]) -> None:
    await host.settings.set({PERMISSIONS: [grant.model_dump(mode="json") for grant in grants]})


def _lock(host: Host) -> asyncio.Lock:
    return _LOCKS.setdefault(host, asyncio.Lock())
