"""A tool hangs Python's thread: it is noticed, the panel answers all the while, and the run goes on.

The test build (``build/crash.py``) lets a tool get stuck; what is shipped cannot.
"""

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

NOTICED = 8.0
"""Seconds from the moment the Worker stops answering until another one is started in its place. The product's
promise is 5; the rest is for a busy machine, on which the supervisor itself is late."""
ANSWERED_MS = 200.0
"""Within which the panel is answered, and gets its own turn, but for a few times on a busy machine."""
FEW = 0.03
WORST_MS = 1_500.0
"""No answer, and no turn of the panel's, is ever later than this."""
ENOUGH = 20
"""So many questions at least are asked while the Worker hangs."""
BACK = 60.0

WATCH = """(() => {
  const port = chrome.runtime.connect({name: 'wb-ui'});
  const watch = globalThis.watch = {times: [], late: [], epoch: 0, stuckAt: 0, changedAt: 0, whileStuck: 0};
  let sent = 0, ticked = performance.now();
  // The tool takes the order off before it obeys: from then on Python answers nobody.
  chrome.storage.onChanged.addListener((changes) => {
    if (changes.STUCK && changes.STUCK.newValue === undefined) watch.stuckAt ||= Date.now();
  });
  const ask = () => {
    sent = performance.now();
    const id = 'w' + watch.times.length;
    port.postMessage({target: 'host', epoch: 0, kind: 'call', id, method: 'boot.status', params: {}});
  };
  port.onMessage.addListener((frame) => {
    if (frame.kind !== 'reply' || frame.id !== 'w' + watch.times.length) return;
    watch.times.push(performance.now() - sent);
    watch.epoch ||= frame.result.epoch;
    if (watch.stuckAt && !watch.changedAt) watch.whileStuck += 1;
    if (frame.result.epoch !== watch.epoch && !watch.changedAt) watch.changedAt = Date.now();
    setTimeout(ask, 50);
  });
  setInterval(() => {
    watch.late.push(performance.now() - ticked - 50);
    ticked = performance.now();
  }, 50);
  ask();
})()""".replace("STUCK", STUCK)
"""Asks the supervisor again and again over the panel's own port, as the panel does, and notes when another
Worker answers for the one that was there."""


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
    panel.page.wait("watch.stuckAt", BACK, "the tool to get stuck")
    panel.page.wait("watch.changedAt", BACK, "another Worker to be started")
    noticed = panel.page.eval("(watch.changedAt - watch.stuckAt) / 1000")
    turn = panel.wait_turn("turn.status === 'completed'", BACK, "the run to go on and to end")
    assert "It is done." in "".join(turn.answers)
    times, late, while_stuck = panel.page.eval("[watch.times, watch.late, watch.whileStuck]")
    print(
        f"{way}: noticed after {noticed:.1f} s, {while_stuck} answers meanwhile; of {len(times)} answers the"
        f" latest after {max(times):.0f} ms (before: {calm:.0f} ms); turns {max(late):.0f} ms late at most"
    )
    assert noticed < NOTICED
    assert while_stuck >= ENOUGH or noticed < 1
    for waits in (times, late):
        assert max(waits) < WORST_MS, sorted(waits)[-10:]
        assert sum(ms > ANSWERED_MS for ms in waits) <= len(waits) * FEW, sorted(waits)[-10:]
    stage.settled()
