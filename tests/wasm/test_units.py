"""The unit tests pass in the interpreter that the extension ships, on the package as built."""

import json
import re
import sysconfig
from pathlib import Path

import pytest

from build.layout import ROOT
from tests.wasm.conftest import Boot

pytestmark = pytest.mark.dist

RUNNER = Path(__file__).with_name("run_units.py")

NEEDS_A_MACHINE = re.compile(
    r"\b(aiohttp|hypothesis|multiprocessing|node|playwright|SelectorEventLoop|socket|subprocess|threading|websockets)\b"
    r"|webbrain\.testing\.(demo|model_server|site)|tests\.bench"
)
"""Marks of test files that need native code, processes or a network, or test what is not shipped."""

FEWEST_FILES, FEWEST_TESTS = 75, 3_000
"""Somewhat fewer than there are: if the selection goes wrong, the test says little."""


def selection() -> list[str]:
    """Return the unit test files that can run there, by their path in the checkout."""
    files = sorted((ROOT / "tests/unit").glob("test_*.py"))
    return [str(path.relative_to(ROOT)) for path in files if not NEEDS_A_MACHINE.search(path.read_text())]


def test_unit_tests_pass_in_the_interpreter_of_the_browser(boot: Boot) -> None:
    files = selection()
    assert len(files) >= FEWEST_FILES
    code = RUNNER.read_text() + f"\nrun(json.loads({json.dumps(json.dumps(files))}))"
    mounts = {"/repository": str(ROOT), "/environment": sysconfig.get_paths()["purelib"]}
    answer = boot(code, mounts=mounts, synchronous=True)
    assert answer.get("error") is None
    result = answer["result"]
    assert result["failures"] == [], "\n".join(result["failures"])
    assert result["status"] == 0
    assert result["outcomes"]["passed"] >= FEWEST_TESTS
    print(f"{result['outcomes']} in {len(files)} files")


def test_a_failing_test_is_reported(boot: Boot, tmp_path: Path) -> None:
    (tmp_path / "test_wrong.py").write_text("async def test_wrong():\n    assert 1 == 2\n")
    code = RUNNER.read_text() + '\nrun(["/wrong/test_wrong.py"])'
    mounts = {
        "/repository": str(ROOT),
        "/environment": sysconfig.get_paths()["purelib"],
        "/wrong": str(tmp_path),
    }
    result = boot(code, mounts=mounts, synchronous=True)["result"]
    assert result["outcomes"] == {"failed": 1}
    assert "assert 1 == 2" in result["failures"][0]
