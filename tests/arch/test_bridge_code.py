"""The bridge stays small, its platform files alike, and its caps the same on both sides."""

import re
from pathlib import Path

import pytest

from webbrain.host import rpc

ROOT = Path(__file__).resolve().parents[2]
BRIDGE = ROOT / "js/bridge"
BUDGET = 2_020
"""Lines of code (without comments, blank lines and the boot recipe). It was 900 until the bridge had to hear
what browsers do by themselves (events.js) and to lend Python a document for pictures, saving and PDFs
(media.js, pdf.js), and 1,150 until files came with messages (uploads.js), secrets went where content scripts
cannot read (vault.js), and the browser's own model was asked (builtin.js), and 1,600 until the database got
tables beside its records (store.js), and 1,680 until requests of pages were kept where Python does not see
what they carry (requests.js), and 1,940 until screens were told of events some at a time (screens.js), and
1,990 until the page read ahead for Python's start (host.js, assets.js): none of these can be a row of the
table."""
BOOT = ("boot.js", "ahead.js", "copies.js")
"""The boot recipe, which asks the browser for files alone."""


def code_lines(file: Path) -> int:
    text = re.sub(r"/\*.*?\*/", "", file.read_text(), flags=re.DOTALL)
    return sum(1 for line in text.splitlines() if line.strip() and not line.strip().startswith("//"))


def sources() -> list[Path]:
    return sorted({*BRIDGE.glob("*.js"), *(ROOT / "js/background").glob("*.js")})


def test_budget() -> None:
    total = sum(code_lines(file) for file in sources() if file.name not in BOOT)
    assert 500 < total <= BUDGET, f"{total} lines"


def exports(browser: str) -> list[str]:
    source = (BRIDGE / f"platform.{browser}.js").read_text()
    return sorted(re.findall(r"^export (?:async )?(?:const|function) (\w+)", source, re.MULTILINE))


def test_platform_files_have_the_same_exports() -> None:
    assert exports("chrome") == exports("firefox")
    assert "callExecutor" in exports("chrome")


@pytest.mark.parametrize("browser", ["chrome", "firefox"])
def test_platform_files_import_nothing(browser: str) -> None:
    assert not re.search(r"^import ", (BRIDGE / f"platform.{browser}.js").read_text(), re.MULTILINE)


def test_nobody_else_asks_for_the_browsers_name() -> None:
    for file in sources():
        if not file.name.startswith("platform."):
            assert not re.search(r"isFirefox|isChrome|navigator\.userAgent", file.read_text()), file.name


@pytest.mark.parametrize("word", ["eval(", "new Function", "onMessageExternal", "onConnectExternal"])
def test_banned(word: str) -> None:
    for file in sources():
        assert word not in file.read_text(), file.name


def test_frames_have_one_size_limit() -> None:
    found = re.search(r"FRAME_CHARS = ([\d_]+)", (BRIDGE / "rpc.js").read_text())
    assert found
    assert int(found[1]) == rpc.FRAME_CHARS
