"""A disk without room: the panel says so within two seconds, the task goes on, nothing is missing later."""

from typing import Final

from tests.e2e.kill.records import faults, stored
from tests.support.browsers.base import DEADLINE, wait_until
from tests.support.script import done, on_ref, say, see
from tests.support.stage import Stage, browser, engine, module_stage, stage

__all__ = ["browser", "engine", "module_stage", "stage"]

FILL: Final = """(host) => {
  const proto = host.IDBObjectStore.prototype;
  host.realPut ??= proto.put;
  host.refusedAt = 0;
  proto.put = function (...args) {
    if (this.name !== 'records') return host.realPut.apply(this, args);
    host.refusedAt ||= Date.now();
    throw new host.DOMException('There is no room.', 'QuotaExceededError');
  };
  return true;
}"""
EMPTY: Final = "(host) => { host.IDBObjectStore.prototype.put = host.realPut; return true; }"
REFUSED: Final = "(host) => host.refusedAt"
WATCH: Final = """(() => {
  globalThis.noticedAt = {};
  const look = () => {
    for (const {dataset} of document.querySelectorAll('.warning')) noticedAt[dataset.code] ??= Date.now();
  };
  new MutationObserver(look).observe(document.body, {childList: true, subtree: true});
  return true;
})()"""
NOTICE_MS: Final = 2_000


def test_a_full_disk(stage: Stage) -> None:
    tab, panel = stage.open("/order?product=oak-stool")
    stage.plan(say("Before."))
    panel.send("First?", "ask")
    panel.wait_turn("turn.answers.join().includes('Before')")
    panel.page.eval(WATCH)
    stage.browser.eval_in_host(FILL)
    stage.plan(see(), on_ref("set_field", "Full name", text="Ada Lovelace"), see(), done("The name is in."))
    try:
        panel.send("Fill in the name.", "act")
        panel.wait_turn("turn.warnings.length", what="the notice")
        noticed = panel.page.eval("noticedAt.journal_failed")
        assert noticed - stage.browser.eval_in_host(REFUSED) < NOTICE_MS
        turn = panel.wait_over()
    finally:
        stage.browser.eval_in_host(EMPTY)
    assert turn.status == "completed", turn
    assert tab.page.eval("document.querySelector('#f-name').value") == "Ada Lovelace"
    stage.plan(say("After."))
    panel.send("Once more?", "ask")
    panel.wait_turn("turn.answers.join().includes('After')")
    wait_until(
        lambda: not faults(stored(stage.browser)), DEADLINE, lambda: str(faults(stored(stage.browser)))
    )
    # A new start reads all of it.
    stage.browser.kill_python()
    panel.reload()
    panel.wait_turn("turn.answers.join().includes('After')")
    assert [one.text for one in panel.turns()] == ["Before.", "The name is in.", "After."]
    stage.settled()
