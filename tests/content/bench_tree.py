# ruff: noqa: E501 (markup of the pages under test is more readable unwrapped)
"""Cost and size of a tree beside Playwright's aria snapshot with refs: ``python -m tests.content.bench_tree``.

Both read the same page in the same run, in turns. Time is what the page's main thread was busy with (CDP
``Performance.getMetrics``, TaskDuration in ticks of the thread) on a page at rest; layouts are those of one reading more
of a page that was just changed. Characters are those of the whole tree, unpaged. ``lost`` counts controls by role and
name that the snapshot lists and our tree of controls does not.
"""

import json
import re
import statistics
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import CDPSession, Page, sync_playwright

from tests.content.harness import ASK, CHROMIUM, FLAGS, ROOT, Site, Tab

ROUNDS = 9
TIME_TARGET = 1 / 3
"""Our time as a part of the snapshot's."""
SIZE_TARGET = 2 / 3
"""Characters of our tree of controls as a part of the snapshot's."""
WINDOW = 12_000
ACTIVE = frozenset(
    re.findall(
        r"\w+",
        "button link textbox searchbox checkbox radio combobox listbox slider spinbutton switch tab menuitem option treeitem",
    )
)
PAGES = {
    "form": "<form>"
    + "".join(f"<label>Field {i} <input name=f{i} value=v{i}></label>" for i in range(20))
    + "<label>Size <select><option>S<option selected>M</select></label><label><input type=checkbox> Gift</label>"
    + "<button>Save</button></form>",
    "1,000 controls": "".join(
        f"<p>Row {i} <a href='#{i}'>Open {i}</a> <button>Edit {i}</button></p>" for i in range(500)
    ),
    "10,000 nodes": "".join(
        f"<div class=card><h3>Card {i}</h3><p>Some <b>text</b> here</p><ul><li>one<li>two</ul><a href='#{i}'>more</a></div>"
        for i in range(1250)
    ),
    "overlay": "<div role=dialog aria-label=Ask><button>Yes</button></div>"
    + "".join(f"<p>Text {i} <a href='#{i}'>link</a></p>" for i in range(300)),
}


@dataclass(frozen=True, slots=True)
class Reading:
    """One page with one filter: milliseconds of our tree and of the snapshot, characters, layouts, controls
    lost.
    """

    page: str
    filter: str
    ours: list[float]
    theirs: list[float]
    chars: int
    snapshot_chars: int
    layouts: int
    lost: int | None

    @property
    def line(self) -> str:
        """All of it, and what is worse than it should be."""
        ours, theirs = statistics.median(self.ours), statistics.median(self.theirs)
        marks = " slow" if ours > TIME_TARGET * theirs else ""
        if self.filter == "interactive" and self.chars > SIZE_TARGET * self.snapshot_chars:
            marks += " large"
        lost = "" if self.lost is None else f"{self.lost:>5}"
        return (
            f"{self.page:15} {self.filter:12} {ours:7.1f} {theirs:9.1f} {ours / theirs:6.2f} {self.chars:11,}"
            f" {self.snapshot_chars:9,} {self.chars / self.snapshot_chars:6.2f} {self.layouts:8} {lost}{marks}"
        )


def main() -> None:
    """Measure every page and print one line for each."""
    print(
        f"{'page':15} {'filter':12} {'ms':>7} {'snapshot':>9} {'ratio':>6} {'characters':>11} {'snapshot':>9} {'ratio':>6} {'layouts':>8} {'lost':>5}"
    )
    with tempfile.TemporaryDirectory() as folder:
        script = bundled(Path(folder) / "content.js")
    for reading in measure(script):
        print(reading.line)


def measure(script: str) -> Iterator[Reading]:
    """Every page with every filter, read by this content script."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page()
        cdp = page.context.new_cdp_session(page)
        cdp.send("Performance.enable", {"timeDomain": "threadTicks"})
        tab = Tab(page, cdp, script, Site("about:blank"))
        for name, html in PAGES.items():
            yield from compare(tab, cdp, name, html)
        browser.close()


def bundled(out: Path) -> str:
    """The content script as the build makes it."""
    command = ["npx", "esbuild", "js/content/index.js", "--bundle", "--format=iife", "--target=es2022"]
    subprocess.run([*command, f"--outfile={out}", "--log-level=error"], cwd=ROOT, check=True)
    return out.read_text()


def compare(tab: Tab, cdp: CDPSession, name: str, html: str) -> Iterator[Reading]:
    """The readings of one page."""
    page = tab.page
    page.goto("about:blank")
    page.set_content(f"<!doctype html><title>Bench</title><body>{html}")
    tab.inject()
    snapshot = page.locator("body").aria_snapshot(mode="ai")
    for given in ("all", "interactive", "visible"):
        read(tab, given)
    times: dict[str, list[float]] = {key: [] for key in ("snapshot", "all", "interactive", "visible")}
    timed = {key: f"({ask(key)}).then((answer) => answer.pageContent)" for key in times}
    for _ in range(ROUNDS):
        for key in times:
            busy, _ = metrics(cdp)
            if key == "snapshot":
                page.locator("body").aria_snapshot(mode="ai")
            else:
                tab.isolated(timed[key])
            after, _ = metrics(cdp)
            times[key].append((after - busy) * 1000)
    for given in ("all", "interactive", "visible"):
        dirty(page)
        _, before = metrics(cdp)
        chars = read(tab, given)["totalChars"]
        layouts = metrics(cdp)[1] - before
        lost = len(missing(tab, snapshot)) if given == "interactive" else None
        yield Reading(name, given, times[given], times["snapshot"], chars, len(snapshot), layouts, lost)


def ask(given: str, **more: Any) -> str:
    """The call of one page of a tree of everything."""
    args = {"filter": given, "maxChars": WINDOW, "maxDepth": 60, "refs_after": 0} | more
    message = {"target": "content", "action": "tree", "args": args}
    return ASK % json.dumps([message, {"id": "webbrain-test"}])


def read(tab: Tab, given: str, **more: Any) -> dict[str, Any]:
    """One page of a tree of everything."""
    answer = tab.isolated(ask(given, **more))
    assert answer["success"], answer
    return dict(answer)


def dirty(page: Page) -> None:
    """Change the page, so that the next reading finds no layout made."""
    page.evaluate("document.body.style.paddingTop = (Math.random() * 9) + 'px'")


def metrics(cdp: CDPSession) -> tuple[float, int]:
    """Seconds of tasks on the main thread, and layouts, so far."""
    found = {m["name"]: m["value"] for m in cdp.send("Performance.getMetrics")["metrics"]}
    return float(found["TaskDuration"]), int(found["LayoutCount"])


def missing(tab: Tab, snapshot: str) -> Counter[tuple[str, str]]:
    """Controls of the snapshot, by role and name, that are not in our tree of controls."""
    lines = re.findall(r'^\s*- (\w+)(?: "((?:[^"\\]|\\.)*)")?(?= |:|$)', snapshot, re.MULTILINE)
    theirs = Counter((role, name) for role, name in lines if role in ACTIVE)
    ours: Counter[tuple[str, str]] = Counter()
    answer = read(tab, "interactive")
    while True:
        for line in answer["pageContent"].splitlines():
            found = re.match(r'\s*(\w+)(?: "((?:[^"\\]|\\.)*)")?', line)
            if not found:
                continue
            label = re.search(r' label="((?:[^"\\]|\\.)*)"', line)
            ours[found[1], (label[1] if label else found[2] or "")] += 1
        if not answer["hasMore"]:
            return theirs - ours
        more = answer["continuationArgs"]
        answer = read(tab, "interactive", page=more["page"], tree_revision=more["tree_revision"])


if __name__ == "__main__":
    main()
