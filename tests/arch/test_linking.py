"""The runtime's script gets of its WebAssembly what somebody uses, and that is little."""

import json
import re

import pytest

from build import linking
from build.errors import BuildError
from build.files import sha256
from build.layout import DIST, ROOT, RUNTIME

SCRIPT = (
    "var _one,_two," + ",".join(f"_n{i}" for i in range(120)) + ";"
    'function assignWasmExports(wasmExports){_one=Module["_one"]=wasmExports["one"];_two=wasmExports["two"]}'
    "run=()=>_one()+wasmExports.plain"
)


def section(kind: int, content: bytes) -> bytes:
    return bytes([kind, len(content)]) + content


def text(name: str) -> bytes:
    return bytes([len(name)]) + name.encode()


def runtime(**kinds: int) -> bytes:
    entries = b"".join(text(name) + bytes([kind, 0]) for name, kind in kinds.items())
    # A section of another kind comes first, as in every real module.
    return b"\0asm\1\0\0\0" + section(1, b"\0") + section(7, bytes([len(kinds)]) + entries)


LIBRARY = b"\0asm\1\0\0\0" + section(
    2,
    bytes([6])
    + (text("env") + text("memory") + bytes([2, 1, 2, 10]))
    + (text("env") + text("table") + bytes([1, 0x70, 0, 3]))
    + (text("env") + text("base") + bytes([3, 0x7F, 0]))
    + (text("env") + text("tag") + bytes([4, 0, 1]))
    + (text("env") + text("linked") + bytes([0, 1]))
    + (text("GOT.func") + text("pointed") + bytes([3, 0x7F, 1])),
)


def test_what_a_library_imports_is_read_whatever_its_kind() -> None:
    assert linking.imports(LIBRARY) == {"memory", "table", "base", "tag", "linked", "pointed"}


def test_functions_that_nobody_names_are_left_out() -> None:
    module = runtime(one=0, two=0, plain=0, linked=0, pointed=0, n5=0, data=3, memory=2)
    assert linking.used_exports(SCRIPT, module, [LIBRARY]) == [
        "data",
        "linked",
        "memory",
        "one",
        "plain",
        "pointed",
    ]


def test_names_that_nobody_uses_leave_the_script_and_nothing_else_does() -> None:
    shorter = linking.without_unused(SCRIPT, ["two", "n5"])
    assert '"one"' not in shorter
    assert "var _two,_n0," in shorter
    assert (
        shorter.replace("var _two", "var _one,_two").replace(
            "{_two=", '{_one=Module["_one"]=wasmExports["one"];_two='
        )
        == SCRIPT
    )


def test_a_script_of_another_shape_is_an_error() -> None:
    with pytest.raises(BuildError, match="script has changed"):
        linking.used_exports("run=()=>_one()", runtime(one=0), [])
    with pytest.raises(BuildError, match="script has changed"):
        linking.without_unused("run=()=>_one()", [])


@pytest.mark.dist
def test_what_is_lent_has_a_recorded_hash() -> None:
    """A file without one would never be copied, and every start would read it the slow way."""
    named = json.loads((DIST / "chrome/py/boot.json").read_text())["files"]
    source = (ROOT / "js/bridge/ahead.js").read_text()
    lent = set(re.findall(r'"((?:py|pyodide)/[\w.]+)"', source)) - {"py/boot.json"}
    assert lent == set(named)
    for path, recorded in named.items():
        assert sha256(DIST / "chrome" / path) == recorded, path


@pytest.mark.dist
def test_of_the_runtime_little_is_left_and_all_of_it_exists() -> None:
    kinds = linking.exports((RUNTIME / "pyodide.asm.wasm").read_bytes())
    named = json.loads((DIST / "chrome/py/boot.json").read_text())["exports"]
    assert set(named) < set(kinds)
    functions = [name for name in named if kinds[name] == 0]
    assert {"malloc", "PyObject_GetAttr", "_pyproxy_apply_promising"} <= set(functions)
    assert len(functions) < 500
