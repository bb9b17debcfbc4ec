# ruff: noqa: E501 (markup of the pages under test is more readable unwrapped)
"""Print how long a tree takes and how large it is: ``python -m tests.content.bench_tree``. Not part of the suite.

Beside it, on the same page in the same run: Playwright's own snapshot with refs. Times are medians, in the page.
"""

import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.content.harness import ASK, CHROMIUM, FLAGS, ROOT, Site, Tab

ROUNDS = 7
PAGES = {
    "form": "<form>"
    + "".join(f"<label>Field {i} <input name=f{i} value=v{i}></label>" for i in range(20))
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


def main() -> None:
    """Measure every page and print one line for each."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        bundle = Path(folder) / "content.js"
        command = [
            "npx",
            "esbuild",
            "js/content/index.js",
            "--bundle",
            "--format=iife",
            f"--outfile={bundle}",
            "--log-level=error",
        ]
        subprocess.run(command, cwd=ROOT, check=True)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page()
        cdp = page.context.new_cdp_session(page)
        cdp.send("Performance.enable")
        tab = Tab(page, cdp, bundle.read_text(), Site("about:blank"))
        print(
            f"{'page':16} {'filter':12} {'ms':>8} {'characters':>11} {'layouts':>8}   aria snapshot: ms, characters"
        )
        for name, html in PAGES.items():
            page.goto("about:blank")
            page.set_content(html)
            tab.inject()
            snapshot = ""
            times = []
            for _ in range(ROUNDS):
                start = time.perf_counter()
                snapshot = page.locator("body").aria_snapshot(mode="ai")
                times.append((time.perf_counter() - start) * 1000)
            for given in ("all", "interactive", "visible"):
                page.evaluate("document.body.append(document.createElement('i'))")
                ours, chars, layouts = measure(tab, cdp, given)
                print(
                    f"{name:16} {given:12} {ours:8.1f} {chars:11,} {layouts:8}   {statistics.median(times):.1f}, {len(snapshot):,}"
                )
        browser.close()


def measure(tab: Tab, cdp: object, given: str) -> tuple[float, int, int]:
    """Median milliseconds inside the page, characters of the whole tree, and layouts one tree caused."""
    times = []
    chars = 0
    before = counter(cdp)
    message = {"target": "content", "action": "tree", "args": {"filter": given, "maxChars": 12_000}}
    ask = ASK % json.dumps([message, {"id": "webbrain-test"}])
    timed = f"(async () => {{ const t = performance.now(); const a = await {ask}; return [performance.now() - t, a.totalChars]; }})()"
    for _ in range(ROUNDS):
        took, chars = tab.isolated(timed)
        times.append(took)
    return statistics.median(times), chars, counter(cdp) - before


def counter(cdp: object) -> int:
    """Layouts so far."""
    metrics = cdp.send("Performance.getMetrics")["metrics"]  # type: ignore[attr-defined]
    return int(next(m["value"] for m in metrics if m["name"] == "LayoutCount"))


if __name__ == "__main__":
    main()
