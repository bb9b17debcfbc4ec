"""Which tools there are, and which of them a model sees.

Every module of this package is a tool unless it is named in ``SHARED``. A tool from elsewhere comes in
through ``Registry.register``, the same door that the directory uses.
"""

import dataclasses
import importlib
import pkgutil
from functools import cache
from typing import Final

from webbrain import tools
from webbrain.core.types import Mode, Tier
from webbrain.host.protocols import Capabilities
from webbrain.tools.base import ToolSpec

SHARED: Final = frozenset(
    {
        "acting",
        "attached",
        "base",
        "carrying",
        "choosing",
        "debugging",
        "dialogs",
        "fetching",
        "following",
        "frame_refs",
        "frames",
        "hidden_tabs",
        "history",
        "leaving",
        "notebook",
        "opening",
        "person",
        "pointing",
        "problems",
        "registry",
        "saving",
        "sight",
        "signals",
        "silence",
        "sources",
        "state",
        "structure",
        "trees",
        "trusted",
        "webtext",
    }
)
"""Modules of this package that are no tools."""

RESERVED: Final = frozenset(
    {
        "activate_tab",
        "full_page_screenshot",
        "list_tabs",
        "record_tab",
        "screenshot",
        "stop_recording",
    }
)
"""Names of user commands; no tool may take one."""

ORDER: Final = (
    "get_accessibility_tree",
    "read_page",
    "get_selection",
    "scroll",
    "wait_for_element",
    "click_ax",
    "set_field",
    "type_ax",
    "press_keys",
    "navigate",
    "click",
    "type_text",
    "set_checked",
    "find_text",
    "extract_data",
    "get_window_info",
    "go_back",
    "go_forward",
    "wait_for_stable",
    "get_interactive_elements",
    "verify_form",
    "iframe_read",
    "iframe_click",
    "iframe_type",
    "promote_iframe",
    "hover",
    "drag_drop",
    "select_text",
)
"""The order in which models see them: what is used most comes first, ``done`` last, the rest by name
between."""


class Registry:
    """A set of tools and the rules of who sees which."""

    def __init__(self) -> None:
        self._specs: dict[str, ToolSpec] = {}
        self._lists: dict[tuple[Mode, Tier, Capabilities], tuple[ToolSpec, ...]] = {}

    def register(self, spec: ToolSpec) -> None:
        """Add a tool. Raise ``ValueError`` if its name is taken or reserved."""
        if spec.name in self._specs:
            raise ValueError(f"there is already a tool named {spec.name}")
        if spec.name in RESERVED:
            raise ValueError(f"{spec.name} is reserved for a command of the user")
        self._specs[spec.name] = spec
        self._lists.clear()

    def get(self, name: str) -> ToolSpec | None:
        """The tool of that name, whoever may see it."""
        return self._specs.get(name)

    def all(self) -> list[ToolSpec]:
        """Every tool, in the order models see them."""
        return sorted(self._specs.values(), key=_place)

    def tools_for(self, mode: Mode, tier: Tier, capabilities: Capabilities) -> list[ToolSpec]:
        """What a model of that tier sees in that mode, in this browser.

        Ask does not ask for the tier. Dev is Act of the same tier and more, and does not exist for compact.
        """
        key = (mode, tier, capabilities)
        if key not in self._lists:
            self._lists[key] = tuple(
                _for_mode(spec, mode)
                for spec in self.all()
                if _offered(spec, mode, tier) and all(getattr(capabilities, name) for name in spec.requires)
            )
        return list(self._lists[key])


def _for_mode(spec: ToolSpec, mode: Mode) -> ToolSpec:
    if spec.act_args is None or mode is Mode.ASK:
        return spec
    return dataclasses.replace(spec, args=spec.act_args)


def _offered(spec: ToolSpec, mode: Mode, tier: Tier) -> bool:
    if mode is Mode.ASK:
        return Mode.ASK in spec.modes
    if mode is Mode.DEV:
        offered = tier in spec.tiers | spec.dev_tiers
        return tier is not Tier.COMPACT and offered and bool(spec.modes & {Mode.ACT, Mode.DEV})
    return Mode.ACT in spec.modes and tier in spec.tiers


def _place(spec: ToolSpec) -> tuple[bool, int, str]:
    rank = ORDER.index(spec.name) if spec.name in ORDER else len(ORDER)
    return (spec.terminal, rank, spec.name)


def module_names() -> list[str]:
    """Names of the tool modules in this package's directory."""
    return sorted(info.name for info in pkgutil.iter_modules(tools.__path__) if info.name not in SHARED)


@cache
def load() -> Registry:
    """The registry of all tools of this package; imports them on the first call."""
    registry = Registry()
    for name in module_names():
        spec: ToolSpec | None = getattr(importlib.import_module(f"{tools.__name__}.{name}"), "SPEC", None)
        if spec is None:
            raise ValueError(f"tools/{name}.py defines no SPEC; a module that is no tool is named in SHARED")
        if spec.name != name:
            raise ValueError(f"tools/{name}.py defines a tool named {spec.name}; the two must agree")
        registry.register(spec)
    return registry


def get(name: str) -> ToolSpec | None:
    """``Registry.get`` of the package's own tools."""
    return load().get(name)


def tools_for(mode: Mode, tier: Tier, capabilities: Capabilities) -> list[ToolSpec]:
    """``Registry.tools_for`` of the package's own tools."""
    return load().tools_for(mode, tier, capabilities)
