"""``make bench``: figures of the built extension in both browsers. They inform; nothing here fails on a time.

    python -m tests.bench [chromium] [firefox]

Every figure is a median of at least seven with the range beside it. Run it on a quiet machine.
"""

import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.support.browsers import Browser, BrowserMissing, open_browser
from tests.support.browsers.base import ScriptFailed, wait_until
from tests.support.browsers.open import extension_folder
from tests.support.screens import Panel
from tests.support.script import call, done
from tests.support.stage import choose_model
from webbrain.testing.chat import Answer, ModelCall
from webbrain.testing.model_server import ModelServer
from webbrain.testing.site import Shop

TIMES = 7
CALLS = 50
STEPS = 60
EDGE = 10
"""So many steps at the beginning and at the end of a run are compared."""

ASK = """(() => new Promise((resolve, reject) => {
  const api = globalThis.browser ?? chrome, port = api.runtime.connect({name: 'wb-ui'}), times = [];
  let sent = 0;
  const next = () => {
    sent = performance.now();
    port.postMessage({target: %(target)s, epoch: 0, kind: 'call', id: 'b' + times.length,
      method: %(method)s, params: %(params)s});
  };
  port.onDisconnect.addListener(() => reject(new Error('port closed')));
  port.onMessage.addListener((frame) => {
    if (frame.id !== 'b' + times.length) return;
    times.push(performance.now() - sent);
    if (times.length < %(count)d) return next();
    port.disconnect();
    resolve({times, result: frame.result ?? frame.error});
  });
  next();
}))()"""

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


def main() -> int:
    """Measure the browsers named on the command line, or both."""
    names = sys.argv[1:] or ["chromium", "firefox"]
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the start")
    for name in names:
        try:
            measure(name)
        except BrowserMissing as error:
            print(f"{name}: {error}", file=sys.stderr)
            return 1
    return 0


def measure(name: str) -> None:
    """All figures of one browser."""
    print(f"\n{name}")
    with running(name) as browser:
        report("start from the snapshot", boots(browser), "ms")
        report("start again after the Worker died", restarts(browser), "ms")
        report("question to the supervisor page", ask(browser, "host", "boot.status"), "ms")
        report("question to Python", ask(browser, "python", "providers.list"), "ms")
        report("call of the browser's API and back", api(browser), "ms")
        steps(browser)
    with (
        tempfile.TemporaryDirectory() as directory,
        running(name, without_snapshot(name, directory)) as browser,
    ):
        report("start without the snapshot", boots(browser), "ms")


@contextmanager
def running(name: str, extension: Path | None = None) -> Iterator[Browser]:
    """A browser, closed in the end."""
    browser = open_browser(name, extension=extension)
    try:
        yield browser
    finally:
        browser.close()


def without_snapshot(name: str, directory: str) -> Path:
    """A copy of the build whose snapshot is empty, so that it boots the plain way."""
    copy = Path(directory) / "extension"
    shutil.copytree(extension_folder(name), copy)
    (copy / "py" / "snapshot.bin").write_bytes(b"")
    return copy


def boots(browser: Browser) -> list[float]:
    """Times from the supervisor's start to Python's readiness."""
    times = []
    for _ in range(TIMES):
        times.append(float(_ready(browser)["totalMs"]))
        browser.reload_extension()
    return times


def restarts(browser: Browser) -> list[float]:
    """Times of a new Worker's start, after the old one was ended; noticing it takes 5 s more."""
    times = []
    for _ in range(TIMES):
        epoch = _ready(browser)["epoch"]
        browser.kill_python()
        times.append(float(_ready(browser, lambda status, old=epoch: status["epoch"] > old)["totalMs"]))
        # Short lives in a row count as a failure to start; a life begins anew with the extension.
        browser.reload_extension()
    return times


def _ready(browser: Browser, condition: Callable[[dict[str, Any]], bool] = lambda _: True) -> dict[str, Any]:
    def look() -> dict[str, Any] | None:
        try:
            status = _ask(browser, "host", "boot.status", 1)["result"]
        except ScriptFailed:
            return None  # the supervisor page is not there yet
        return status if status["state"] == "ready" and condition(status) else None

    found: dict[str, Any] = wait_until(look, 90, lambda: "Python to be ready")
    return found


def ask(browser: Browser, target: str, method: str) -> list[float]:
    """Round trips from a screen."""
    _ready(browser)
    _ask(browser, target, method, EDGE)
    return [float(ms) for ms in _ask(browser, target, method, CALLS)["times"]]


def _ask(browser: Browser, target: str, method: str, count: int) -> dict[str, Any]:
    values = {"target": json.dumps(target), "method": json.dumps(method), "params": "{}", "count": count}
    found: dict[str, Any] = browser.control.eval(ASK % values)
    return found


def api(browser: Browser) -> list[float]:
    """Round trips from the supervisor page to the browser's API."""
    browser.eval_in_host(API_ROUND_TRIP % {"count": EDGE})
    return [float(ms) for ms in browser.eval_in_host(API_ROUND_TRIP % {"count": CALLS})]


def steps(browser: Browser) -> None:
    """What a step costs: from the model's answer to its next request, with a tool that only asks the page."""
    asked: list[float] = []

    def think(_: ModelCall) -> Answer:
        asked.append(time.perf_counter())
        return done("Enough.") if len(asked) > STEPS else call("get_selection")

    with Shop() as shop, ModelServer(think) as model:
        choose_model(browser, model)
        tab = browser.open_tab(f"{shop.url}/about")
        panel = Panel(browser, tab)
        panel.send("Go on until told to stop.", "act")
        panel.wait_over(300)
        panel.close()
        tab.page.close()
    costs = [(after - before) * 1000 for before, after in pairwise(asked)]
    if len(costs) < 2 * EDGE:
        print(f"  steps: the run ended after {len(costs)}")
        return
    report("a step, all of it but the model", costs, "ms")
    report(f"  the first {EDGE}", costs[:EDGE], "ms")
    report(f"  the last {EDGE} of {len(costs)}", costs[-EDGE:], "ms")


def report(what: str, values: list[float], unit: str) -> None:
    """One line: median and range."""
    middle, low, high = statistics.median(values), min(values), max(values)
    print(f"  {what:<38} {middle:8.1f} {unit}  ({low:.1f} to {high:.1f}, {len(values)} times)", flush=True)


if __name__ == "__main__":
    sys.exit(main())
