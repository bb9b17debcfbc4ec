"""Starting: from the snapshot, without it when it does not fit, and on tabs that were there before."""

import json
import shutil
from pathlib import Path

from tests.support.browsers import open_browser
from tests.support.browsers.base import wait_until
from tests.support.browsers.open import extension_folder
from tests.support.screens import Panel, Settings
from tests.support.script import done, see
from tests.support.stage import Stage, choose_model
from webbrain.testing.model_server import ModelServer, Script
from webbrain.testing.site import Shop

FAILS_WITHIN = 45.0
"""Seconds; a boot that hangs takes 90 before it is given up."""

STATUS = """(() => new Promise((resolve, reject) => {
  const api = globalThis.browser ?? chrome;
  const port = api.runtime.connect({name: 'wb-ui'});
  port.onDisconnect.addListener(() => reject(new Error('port closed')));
  port.onMessage.addListener((frame) => {
    if (frame.id !== 'test-1') return;
    port.disconnect();
    resolve(frame.result ?? frame.error);
  });
  port.postMessage({target: 'host', epoch: 0, kind: 'call', id: 'test-1', method: 'boot.status', params: {}});
}))()"""

READY = f"{STATUS}.then((status) => status.state === 'ready' && status)"

COPIES = """(async () => {
  const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('start', {create: true});
  const sizes = {};
  for await (const [name, file] of folder.entries()) {
    // What is being written has a name of its own, until all of it is there.
    const found = await file.getFile().catch(() => null);
    if (found) sizes[name] = found.size;
  }
  return sizes;
})()"""

DAMAGE = """(async () => {
  const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('start');
  const file = await (await folder.getFileHandle('%s')).createWritable({keepExistingData: true});
  await file.write({type: 'write', position: 1_000_000, data: new Uint8Array(4096)});
  await file.close();
  return true;
})()"""

COPIED_WITHIN = 60.0
"""Seconds; it begins ten seconds after the start."""


def test_boots_from_the_snapshot(stage: Stage) -> None:
    """The built snapshot fits this browser, and every phase says how long it took."""
    status = stage.browser.control.wait(STATUS)
    assert status["state"] == "ready"
    assert status["mode"] == "snapshot", status
    assert status["phases"]
    assert all(phase["ms"] >= 0 for phase in status["phases"])


def test_damaged_snapshot_means_a_plain_boot(engine: str, tmp_path: Path) -> None:
    """The extension notices, starts the slow way and works."""
    copy = tmp_path / "extension"
    shutil.copytree(extension_folder(engine), copy)
    snapshot = copy / "py" / "snapshot.bin"
    content = bytearray(snapshot.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 4096] = bytes(4096)
    snapshot.write_bytes(content)
    browser = open_browser(engine, extension=copy)
    try:
        with Shop() as shop, ModelServer(Script([see(), done("Works.")])) as model:
            choose_model(browser, model)
            status = browser.control.wait(STATUS)
            assert status["mode"] == "plain", status
            tab = browser.open_tab(shop.url)
            panel = Panel(browser, tab)
            panel.send("Look.", "act")
            assert "Works." in panel.wait_over().text
    finally:
        browser.close()


def test_a_damaged_copy_gives_way_to_the_packaged_file(engine: str) -> None:
    """What Python starts from is copied for the next start, and a copy that changed since is not believed."""
    folder = extension_folder(engine)
    files = json.loads((folder / "py" / "boot.json").read_text())["files"]
    sizes = {name: (folder / path).stat().st_size for path, name in files.items()}
    browser = open_browser(engine)
    try:
        browser.control.wait(READY)
        wait_until(
            lambda: browser.control.eval(COPIES) == sizes, COPIED_WITHIN, lambda: "copies of packaged files"
        )
        damaged = files["py/snapshot.bin"]
        browser.control.eval(DAMAGE % damaged)
        browser.reload_extension()
        status = browser.control.wait(READY)
        assert status["mode"] == "snapshot", status
        left = browser.control.eval(COPIES)
        assert left == {name: size for name, size in sizes.items() if name != damaged}
    finally:
        browser.close()


def test_damaged_runtime_is_said_at_once(engine: str, tmp_path: Path) -> None:
    """Nothing can start then; it is told in seconds and not when the time for a slow boot is over."""
    copy = tmp_path / "extension"
    shutil.copytree(extension_folder(engine), copy)
    runtime = copy / "pyodide" / "pyodide.asm.wasm"
    runtime.write_bytes(runtime.read_bytes()[: 1 << 20])
    browser = open_browser(engine, extension=copy)
    try:
        failed = f"{STATUS}.then((status) => status.state === 'failed' && status)"
        status = browser.control.wait(failed, timeout=FAILS_WITHIN)
        assert status["reason"]
    finally:
        browser.close()


def test_tab_older_than_the_extension(stage: Stage) -> None:
    """The extension is loaded anew while a tab is open: the tab need not be, and leftovers are silent."""
    tab, panel = stage.open("/about")
    stage.plan(see(), done("Seen."))
    panel.send("Look.", "act")
    panel.wait_over()
    stage.panels.clear()
    stage.browser.reload_extension()
    again = stage.open_panel(tab)
    stage.plan(see(), done("Seen again."))
    again.send("Look again.", "act")
    turn = again.wait_turn("turn.answers.join().includes('Seen again')")
    assert [step["state"] for step in turn.steps] == ["ok", "ok"], turn
    assert stage.model.calls[-1].turns[-1].text.count("About the shop")
    stage.settled()


def test_settings_survive_a_reload_of_the_extension(stage: Stage) -> None:
    """What was chosen is still chosen."""
    stage.browser.reload_extension()
    settings = Settings(stage.browser)
    settings.page.wait_for(".provider.active")
    settings.close()
