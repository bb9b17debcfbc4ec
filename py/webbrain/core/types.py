"""Small closed vocabularies: mode, tier, capability."""

from enum import StrEnum


class Mode(StrEnum):
    """What kind of task the user allows."""

    ASK = "ask"
    ACT = "act"
    DEV = "dev"


class Tier(StrEnum):
    """How many tools and how long a prompt the model can be trusted with."""

    COMPACT = "compact"
    MID = "mid"
    FULL = "full"

    @property
    def rank(self) -> int:
        """0 for compact, 1 for mid, 2 for full."""
        return (Tier.COMPACT, Tier.MID, Tier.FULL).index(self)


class Capability(StrEnum):
    """What a tool needs leave for. ``NONE`` is for reads and for the agent's own bookkeeping."""

    NONE = "none"
    NAVIGATE = "navigate"
    CLICK = "click"
    TYPE = "type"
    NETWORK = "network_write"
    DOWNLOAD = "download"
    UPLOAD = "upload"
    WINDOW = "window"
    SCHEDULE = "schedule"
    EXECUTE_JS = "execute_js"
    DEV_PATCH = "dev_patch"
