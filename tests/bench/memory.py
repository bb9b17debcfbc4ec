"""What the extension's process holds for itself in Chromium on Linux, with one panel open.

There is one start of each build; the figures are so many looks at it, a second apart.
"""

import os
import re
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from tests.bench.builds import folders, opened, ready, wait_for_copies
from tests.bench.starts import TIMES
from tests.bench.steps import Stand
from tests.bench.table import Table
from tests.support.screens import Panel
from tests.support.script import call, done, see
from webbrain.testing.chat import Answer, ModelCall

IDLE_TARGET: Final = 150.0
AFTER_TARGET: Final = 180.0
TASK_STEPS: Final = 20
REST_SECONDS: Final = 8.0
"""After which the browser has given back what it needed for a moment."""
BLANK: Final = "about:blank"
PROC: Final = Path("/proc")
EXTENSION_PROCESS: Final = b"--extension-process"


def measure(table: Table, name: str) -> None:
    """Idle and after a task, one build after the other; nothing where the system does not tell."""
    if name != "chromium" or not (PROC / "self/smaps_rollup").exists():
        return
    idle = table.row(
        f"private memory of the extension's process, idle, {TIMES} looks at one start", "MB", IDLE_TARGET
    )
    after = table.row(f"  after a task of {TASK_STEPS} steps, {TIMES} looks", "MB", AFTER_TARGET)
    for build, folder in folders(name).items():
        with opened(name, folder) as browser, ExitStack() as stack:
            ready(browser)
            # What makes them is let go at once, but it would be seen.
            wait_for_copies(browser)
            panel = Panel(browser, browser.open_tab(BLANK))
            # Only the panel is to be open; the page for our own questions is one of the extension's too.
            control = browser.control.url
            browser.control.goto(BLANK)
            idle.add(build, *_samples())
            browser.control.goto(control)
            panel.close()
            stand = Stand(browser, stack)
            browser.control.goto(BLANK)
            _task(stand)
            after.add(build, *_samples())


def _task(stand: Stand) -> None:
    count = 0

    def think(_: ModelCall) -> Answer:
        nonlocal count
        count += 1
        if count >= TASK_STEPS:
            return done("Enough.", "partial")
        return call("click", text=f"Show {count // 2}") if count % 2 == 0 else see()

    stand.think = think
    stand.run("Go on until told to stop.")


def _samples() -> list[float]:
    """Private dirty megabytes of the extension's process, several times over."""
    time.sleep(REST_SECONDS)
    found = []
    for _ in range(TIMES):
        found.append(sum(private_dirty(pid) for pid in extension_processes()))
        time.sleep(1)
    return found


def extension_processes() -> list[int]:
    """The processes of extensions in browsers that this process started."""
    parents: dict[int, int] = {}
    marked = []
    for entry in PROC.iterdir():
        if not entry.name.isdigit():
            continue
        try:
            stat = (entry / "stat").read_text()
            command = (entry / "cmdline").read_bytes()
        except OSError:
            continue  # it ended meanwhile
        parents[int(entry.name)] = int(stat.rpartition(")")[2].split()[1])
        if EXTENSION_PROCESS in command:
            marked.append(int(entry.name))
    return [pid for pid in marked if _descends(pid, parents)]


def _descends(pid: int, parents: dict[int, int]) -> bool:
    while pid > 1:
        if pid == os.getpid():
            return True
        pid = parents.get(pid, 0)
    return False


def private_dirty(pid: int) -> float:
    """Megabytes (of 1024 x 1024 bytes) that a process shares with no other and would have to be swapped."""
    text = (PROC / str(pid) / "smaps_rollup").read_text()
    found = re.search(r"^Private_Dirty:\s+(\d+) kB", text, re.MULTILINE)
    return int(found[1]) / 1024 if found else 0.0
