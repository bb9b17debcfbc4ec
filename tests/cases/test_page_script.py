"""Rows 90 and 92: tools that run a model's JavaScript in a page, and fail on strict sites with a raw message.

They cannot occur. No tool runs script that a model wrote: pages are read and worked by the content script,
which lives in a world of its own, so neither the policy of a page nor trusted types apply to it
(``test_hostile.py::test_strict_policies_of_pages`` does it on such pages). What would have to change for the
rows to occur is held here. Row 91, the extension's own policy without ``unsafe-eval``, is a check of every
build (``build/checks.py``, ``tests/arch/test_build_checks.py``).
"""

import json
from pathlib import Path

from webbrain.core.types import Capability
from webbrain.tools import registry

ROWS = json.loads((Path(__file__).resolve().parents[2] / "js/bridge/methods.json").read_text())
SCRIPT_COMMANDS = ("Runtime.", "Page.addScript", "Page.createIsolatedWorld", "Debugger.")


def test_90_92_no_tool_runs_script_in_a_page() -> None:
    """None has the capability, and none takes script by its name."""
    for spec in registry.load().all():
        assert spec.capability is not Capability.EXECUTE_JS, spec.name
        assert not {"code", "script", "expression", "javascript"} & set(spec.args.model_fields), spec.name


def test_90_92_the_bridge_has_no_way_to_run_one() -> None:
    """What is injected is one file of ours, named in the table; the debugger has no command for script."""
    injection = ROWS["scripting.executeScript"]["params"]["properties"]["injection"]["properties"]
    assert injection["files"]["items"] == {"type": "string", "const": "js/content.js"}
    assert not {"func", "code", "args", "world"} & set(injection)
    commands = ROWS["debugger.sendCommand"]["params"]["properties"]["method"]["enum"]
    assert not [command for command in commands if command.startswith(SCRIPT_COMMANDS)]
