"""A tool hangs Python's thread: it is noticed, the panel answers all the while, and the run goes on.

The test build (``build/crash.py``) lets a tool get stuck; what is shipped cannot.
"""

import time
from collections.abc import Iterator

import pytest

from build import crash
from tests.support.approve import allow_in
from tests.support.browsers import Browser, open_browser
from tests.support.script import call, done, see
from tests.support.stage import Stage, choose_model
from webbrain.testing.model_server import ModelServer, Script
from webbrain.testing.site import Shop
from webbrain.testing.stuck import STUCK, WAYS

NOTICED = 5.0
"""Seconds; the product's promise."""
SLACK = 3.0
"""More of them for a busy machine."""
ANSWERED_MS = 200.0
BACK = 60.0

WATCH = """(() => {
  const port = chrome.runtime.connect({name: 'wb-ui'});
  const watch = globalThis.watch = {times: [], late: [], epoch: 0, changedAt: 0};
  let sent = 0, ticked = performance.now();
  const ask = () => {
    sent = performance.now();
    const id = 'w' + watch.times.length;
    port.postMessage({target: 'host', epoch: 0, kind: 'call', id, method: 'boot.status', params: {}});
  };
  port.onMessage.addListener((frame) => {
    if (frame.kind !== 'reply' || frame.id !== 'w' + watch.times.length) return;
    watch.times.push(performance.now() - sent);
    watch.epoch ||= frame.result.epoch;
    if (frame.result.epoch !== watch.epoch && !watch.changedAt) watch.changedAt = Date.now();
    setTimeout(ask, 50);
  });
  setInterval(() => {
    watch.late.push(performance.now() - ticked - 50);
    ticked = performance.now();
  }, 50);
  ask();
})()"""


CASES = [("chromium", way) for way in WAYS] + [("firefox", "loop")]
"""What the Worker hangs in makes no difference to who watches it, so Firefox tries one way."""


@pytest.fixture(params=CASES, ids="-".join)
def case(request: pytest.FixtureRequest) -> tuple[str, str]:
    """A browser and a way of getting stuck."""
    name, way = request.param
    return str(name), str(way)


@pytest.fixture
def browser(case: tuple[str, str]) -> Iterator[Browser]:
    """A browser with the test build. Each test has its own: several deaths in a row are another matter."""
    engine, _ = case
    crash.build()
    running = open_browser(engine, extension=crash.TARGET / ("chrome" if engine == "chromium" else engine))
    try:
        yield running
    finally:
        running.close()


@pytest.fixture
def stage(browser: Browser) -> Iterator[Stage]:
    """A stage over it."""
    script = Script()
    with Shop() as shop, ModelServer(script) as model:
        choose_model(browser, model)
        allow_in(browser, shop.url)
        stage = Stage(browser, shop, model, script)
        yield stage
        stage.clear()


@pytest.mark.dist
def test_a_stuck_tool_is_noticed_and_the_run_goes_on(stage: Stage, case: tuple[str, str]) -> None:
    way = case[1]
    _, panel = stage.open("/about")
    stage.plan(see(), call("get_selection"), see(), done("It is done."))
    panel.page.eval(WATCH)
    panel.page.wait("watch.times.length > 5", what="the panel to be answered")
    calm = max(panel.page.eval("watch.times.slice(2)"))
    stage.browser.control.eval(f"chrome.storage.session.set({{{STUCK}: '{way}'}})")
    panel.send("Read what is marked.", "act")
    started = time.time()
    panel.page.wait("watch.changedAt || document.querySelector('[data-status=completed]')", BACK)
    changed = float(panel.page.eval("watch.changedAt")) / 1000
    if changed:
        assert changed - started < NOTICED + SLACK, changed - started
    turn = panel.wait_turn("turn.status === 'completed'", BACK, "the run to go on and to end")
    assert turn.status == "completed", turn
    assert "It is done." in "".join(turn.answers)
    times, late = panel.page.eval("[watch.times, watch.late]")
    slow = [ms for ms in times if ms > ANSWERED_MS]
    noticed = f"noticed after {changed - started:.1f} s" if changed else "nothing had to be replaced"
    print(f"{way}: {noticed}; answers at most {max(times):.0f} ms, before {calm:.0f}")
    assert len(slow) <= len(times) * 0.03, sorted(times)[-10:]
    assert len([ms for ms in late if ms > ANSWERED_MS]) <= len(late) * 0.03, sorted(late)[-10:]
    stage.settled()
