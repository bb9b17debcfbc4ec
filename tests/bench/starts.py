"""How long Python takes to start, and what a question costs once it runs."""

import os

from tests.bench.builds import ask, forget_copies, open_builds, ready, wait_for_copies
from tests.bench.table import BEFORE, NOW, PLAIN, Table

TIMES = int(os.environ.get("TIMES", "7"))
"""How often everything is measured; fewer for a quick look."""
CALLS = 50
WARM_UP = 10
START_TARGET = 400.0
SHARE_TARGET = 1 / 8
"""Of the plain start's time."""
RESTART_TARGET = 500.0

API_ROUND_TRIP = """async (host) => {
  const times = [];
  for (let i = 0; i < %(count)d; i++) {
    const start = host.performance.now();
    if (host.browser?.tabs) await host.browser.tabs.query({});
    else await host.chrome.runtime.sendMessage({target: 'executor', epoch: 1, kind: 'call', id: `b${i}`,
      method: 'tabs.query', params: {queryInfo: {windowType: 'normal'}}, deadline: Date.now() + 10000});
    times.push(host.performance.now() - start);
  }
  return times;
}"""


def measure(table: Table, name: str) -> None:
    """Starts of all builds in turns, then restarts and questions of those that have a snapshot."""
    start = table.row("start, the Worker's script to Python's readiness", "ms", START_TARGET)
    share = table.row("  as a part of the plain start", "", SHARE_TARGET)
    first = table.row("  the first one of all, from packaged files", "ms")
    restart = table.row("start again in the place of a Worker that died", "ms", RESTART_TARGET)
    with open_builds(name, plain=True) as browsers:
        phases: dict[str, list[float]] = {}
        for _ in range(TIMES):
            for build, browser in browsers.items():
                forget_copies(browser)
                browser.reload_extension()
                first.add(build, float(ready(browser)["totalMs"]))
        for browser in browsers.values():
            wait_for_copies(browser)
            browser.reload_extension()
        for _ in range(TIMES):
            for build, browser in browsers.items():
                status = ready(browser)
                start.add(build, float(status["totalMs"]))
                if build == NOW:
                    for phase in status["phases"]:
                        phases.setdefault(str(phase["name"]), []).append(float(phase["ms"]))
                browser.reload_extension()
            share.add(NOW, start.cells[NOW][-1] / start.cells[PLAIN][-1])
        for phase, values in phases.items():
            table.row(f"  of it: {phase}").add(NOW, *values)
        for _ in range(TIMES):
            for build in (NOW, BEFORE):
                if build not in browsers:
                    continue
                browser = browsers[build]
                epoch = ready(browser)["epoch"]
                browser.kill_python()
                restart.add(build, float(ready(browser, lambda s, old=epoch: s["epoch"] > old)["totalMs"]))  # type: ignore[misc]
                # Short lives in a row count as a failure to start; a life begins anew with the extension.
                browser.reload_extension()
        for build in (NOW, BEFORE):
            if build not in browsers:
                continue
            browser = browsers[build]
            ready(browser)
            for what, target, method in (
                ("question to the supervisor page", "host", "boot.status"),
                ("question to Python", "python", "providers.list"),
            ):
                ask(browser, target, method, WARM_UP)
                times = ask(browser, target, method, CALLS)["times"]
                table.row(what).add(build, *map(float, times))
            browser.eval_in_host(API_ROUND_TRIP % {"count": WARM_UP})
            times = browser.eval_in_host(API_ROUND_TRIP % {"count": CALLS})
            table.row("call of the browser's API and back").add(build, *map(float, times))
