# ruff: noqa: E501 (markup of the pages under test is more readable unwrapped)
"""How long the page's half of an action takes, watch included: ``python -m tests.content.bench_hands``.

Time is that of the answer as the extension gets it, on a page of a thousand controls: an action with an effect should be
answered in less than 150 ms, a press without one in less than 500 ms.
"""

import json
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from tests.content.harness import ASK, CHROMIUM, FLAGS, ROOT, Site, Tab

ROUNDS = 7
ROWS = "".join(f"<p>Row {i} <a href='#{i}'>Open {i}</a> <button>Edit {i}</button></p>" for i in range(500))
BODY = f"""<button id=own onclick="s.textContent = 'Saved ' + ++n">Save</button><p role=status id=s></p><div role=button tabindex=0 id=idle>Idle</div>
<input type=checkbox id=c aria-label=Box><input id=f aria-label=Field><select id=o aria-label=List><option>One<option>Two</select>
<div id=late role=button tabindex=0 onclick="setTimeout(() => s.textContent = 'Late ' + ++n, 100)">Later</div>{ROWS}<script>let n = 0;</script>"""
"""A thousand controls and what the actions below press."""


def actions(tab: Tab) -> dict[str, tuple[str, dict[str, Any]]]:
    """What is measured: a name, the action and its arguments."""
    refs = {name: tab.ref(start) for name, start in STARTS.items()}
    return {
        "click_ax, effect": ("click_ax", {"ref_id": refs["save"]}),
        "click_ax, effect after 100 ms": ("click_ax", {"ref_id": refs["late"]}),
        "click_ax, no effect": ("click_ax", {"ref_id": refs["idle"]}),
        "click by text": ("click", {"text": "Save"}),
        "click by text, no such": ("click", {"text": "No such text anywhere"}),
        "set_checked": ("set_checked", {"ref_id": refs["box"], "checked": True}),
        "set_field, 20 characters": ("set_field", {"ref_id": refs["field"], "text": "twenty characters ok"}),
        "set_field, list": ("set_field", {"ref_id": refs["list"], "text": "Two"}),
        "hover, no effect": ("hover", {"ref_id": refs["idle"]}),
        "press_keys": ("press_keys", {"key": "Tab"}),
        "scroll": ("scroll", {"direction": "down", "amount": 100}),
    }


STARTS = {
    "save": 'button "Save"',
    "late": 'button "Later"',
    "idle": 'button "Idle"',
    "box": 'checkbox "Box"',
    "field": 'textbox "Field"',
    "list": "combobox",
}


def main() -> None:
    """Measure every action and print one line for each."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page()
        out = Path(folder) / "content.js"
        command = ["npx", "esbuild", "js/content/index.js", "--bundle", "--format=iife", "--target=es2022"]
        subprocess.run([*command, f"--outfile={out}", "--log-level=error"], cwd=ROOT, check=True)
        tab = Tab(page, page.context.new_cdp_session(page), out.read_text(), Site("about:blank"))
        page.set_content(BODY)
        tab.inject()
        print(f"{'action':32} {'median ms':>9} {'worst ms':>9}  changed")
        for name, (action, args) in actions(tab).items():
            times = []
            changed: Any = None
            for _ in range(ROUNDS):
                page.evaluate("scrollTo(0, 0); c.checked = false; f.value = ''; o.value = 'One'")
                took, changed = timed(tab, action, args)
                times.append(took)
            print(f"{name:32} {statistics.median(times):9.0f} {max(times):9.0f}  {changed}")
        browser.close()


def timed(tab: Tab, action: str, args: dict[str, Any]) -> tuple[float, Any]:
    """Milliseconds of one answer, measured where it is made, and what it says changed."""
    message = json.dumps([{"target": "content", "action": action, "args": args}, {"id": "webbrain-test"}])
    took, answer = tab.isolated(
        f"(async () => {{ const t = performance.now(); const a = await {ASK % message}; return [performance.now() - t, a]; }})()"
    )
    return took, answer.get("changed", answer.get("code", answer.get("moved")))


if __name__ == "__main__":
    main()
