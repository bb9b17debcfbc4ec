"""The allow-list is well-formed, and Python calls nothing that is not in it."""

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest

from webbrain.host.rpc import SUPERVISOR_CALLS

ROOT = Path(__file__).resolve().parents[2]
ROWS: dict[str, dict[str, Any]] = json.loads((ROOT / "js/bridge/methods.json").read_text())
HOST = ROOT / "py/webbrain/host"

ROW_FIELDS = {"api", "args", "params", "result", "browsers", "idempotent", "cap", "permission"}
KEYWORDS = {
    "type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "const", "pattern",
    "minLength", "maxLength", "maxItems", "maxProperties", "minimum", "maximum",
}  # fmt: skip
"""What the checker in rpc.js understands. A keyword it does not know would be a check that is not made."""
TYPES = {"object", "array", "string", "integer", "number", "boolean", "null"}
CAP_MAX = 16_000_000
ARGUMENT_FREE = {"args", "items"}
"""Objects whose properties are not ours to name: arguments of a content action, a user's settings."""


def schemas(schema: dict[str, Any], path: str) -> list[tuple[str, dict[str, Any]]]:
    found = [(path, schema)]
    for key, child in schema.get("properties", {}).items():
        found += schemas(child, f"{path}.{key}")
    if "items" in schema:
        found += schemas(schema["items"], f"{path}[]")
    for number, child in enumerate(schema.get("anyOf", [])):
        found += schemas(child, f"{path}|{number}")
    return found


@pytest.mark.parametrize("name", ROWS)
def test_row(name: str) -> None:
    row = ROWS[name]
    assert set(row) == ROW_FIELDS
    assert re.fullmatch(r"[a-zA-Z]+(\.[a-zA-Z]+){1,2}", row["api"])
    assert row["browsers"]
    assert set(row["browsers"]) <= {"chrome", "firefox"}
    assert isinstance(row["idempotent"], bool)
    assert 0 < row["cap"] < CAP_MAX
    assert row["result"] in (None, "*") or all(isinstance(field, str) for field in row["result"])
    assert set(row["args"]) == set(row["params"]["properties"]), "every parameter has its place"
    for path, schema in schemas(row["params"], name):
        assert set(schema) <= KEYWORDS, path
        assert "anyOf" in schema or schema["type"] in TYPES, f"{path} has no type"
        if schema.get("type") == "object" and path.split(".")[-1] not in ARGUMENT_FREE:
            assert schema["additionalProperties"] is False, f"{path} is open"
        if schema.get("type") == "array":
            assert "maxItems" in schema, f"{path} has no cap"
        if schema.get("type") == "string" and not schema.keys() & {"const", "enum"}:
            assert "maxLength" in schema, f"{path} has no cap"


def test_permissions_are_those_of_the_manifests() -> None:
    for browser in ("chrome", "firefox"):
        needed = {row["permission"] for row in ROWS.values() if browser in row["browsers"]} - {None}
        granted = set(json.loads((ROOT / f"manifests/{browser}/patch.json").read_text())["permissions"])
        assert needed <= granted, browser


def called_methods() -> set[str]:
    """Names of calls in the host, as patterns."""
    found = set()
    for file in HOST.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
                continue
            if node.func.attr not in ("call", "call_stream", "act", "_step", "_call"):
                continue
            for argument in node.args:
                if isinstance(argument, ast.Constant) and "." in str(argument.value):
                    found.add(re.escape(str(argument.value)))
                elif isinstance(argument, ast.JoinedStr):
                    found.add("".join(
                        re.escape(str(part.value)) if isinstance(part, ast.Constant) else "(local|session)"
                        for part in argument.values
                    ))  # fmt: skip
    return found


def test_python_calls_only_what_exists() -> None:
    known = [*ROWS, *SUPERVISOR_CALLS]
    called = called_methods()
    assert {r"tabs\.get", r"http\.send", r"storage\.(local|session)\.get", r"tabs\.goBack"} <= called
    for pattern in called:
        assert any(re.fullmatch(pattern, name) for name in known), pattern


def test_supervisor_calls_are_answered_by_the_supervisor() -> None:
    files = ("host.js", "store.js", "media.js", "pdf.js", "requests.js")
    source = "".join((ROOT / "js/bridge" / file).read_text() for file in files)
    for name in SUPERVISOR_CALLS:
        assert f'"{name}"' in source, name
        assert name not in ROWS


def test_every_row_is_used_or_announced() -> None:
    """A row nobody calls is an open door nobody watches."""
    announced = {"runtime.getPlatformInfo"}
    called = called_methods()
    unused = {name for name in ROWS if not any(re.fullmatch(pattern, name) for pattern in called)}
    assert unused <= announced


def test_the_debugger_can_do_what_hands_need_and_no_more() -> None:
    """No script, no storage, no cookies, no intercepted requests: what is not listed cannot be sent."""
    methods = ROWS["debugger.sendCommand"]["params"]["properties"]["method"]["enum"]
    assert {method.split(".")[0] for method in methods} == {"Page", "Network", "Input", "DOM"}
    assert {method for method in methods if method.startswith("DOM.")} == {
        "DOM.getDocument", "DOM.pushNodesByBackendIdsToFrontend", "DOM.moveTo", "DOM.disable"
    }, "nodes are found and moved; nothing of them is read, written or run"  # fmt: skip
    assert not {"Page.navigate", "Page.addScriptToEvaluateOnNewDocument", "Network.getCookies"} & set(methods)
    source = "".join(file.read_text() for file in (ROOT / "py/webbrain").rglob("*.py"))
    announced = {"Input.insertText"}
    assert {method for method in methods if f'"{method}"' not in source} <= announced, "an unused door"


def test_the_debugger_takes_no_path_of_the_disk() -> None:
    """A command that puts any file into a page by its name would put every file of the user at risk."""
    params = ROWS["debugger.sendCommand"]["params"]["properties"]["commandParams"]["properties"]
    assert not {"files", "path", "filePath", "downloadPath", "url"} & set(params)
    assert params["depth"] == {"type": "integer", "const": 2}, "the document down to its head, and no further"


def test_the_debugger_does_not_reach_the_clipboard() -> None:
    """Editing commands of a key, such as paste, would put into a page what the user has copied elsewhere."""
    assert (
        "commands" not in ROWS["debugger.sendCommand"]["params"]["properties"]["commandParams"]["properties"]
    )
