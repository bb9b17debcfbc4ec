"""The builds that are compared, each in a browser of its own that stays open, so that they can take turns."""

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tests.bench.table import BEFORE, NOW, PLAIN
from tests.support.browsers import Browser, BrowserMissing, open_browser
from tests.support.browsers.base import ScriptFailed, wait_until
from tests.support.browsers.open import FOLDERS, extension_folder

READY_TIMEOUT = 90.0
COPIED_TIMEOUT = 90.0
SNAPSHOT = "py/snapshot.bin"

COPIES = """(async () => {
  const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('start', {create: true});
  let whole = 0;
  for await (const file of folder.values()) {
    // What is being written has a name of its own, until all of it is there.
    const found = await file.getFile().catch(() => null);
    if (found && found.size > 0) whole += 1;
  }
  return whole;
})()"""
FORGET = """(async () => {
  const root = await navigator.storage.getDirectory();
  await root.removeEntry('start', {recursive: true}).catch(() => {});
  return true;
})()"""

ASK = """(() => new Promise((resolve, reject) => {
  const api = globalThis.browser ?? chrome, port = api.runtime.connect({name: 'wb-ui'}), times = [];
  let sent = 0;
  const next = () => {
    sent = performance.now();
    port.postMessage({target: %(target)s, epoch: 0, kind: 'call', id: 'b' + times.length,
      method: %(method)s, params: {}});
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


def earlier(name: str) -> Path | None:
    """The folder of an earlier build (``BASE``: a ``dist`` folder) for a browser, if there is one."""
    base = os.environ.get("BASE")
    if not base:
        return None
    folder = Path(base).expanduser() / FOLDERS[name]
    if not (folder / "manifest.json").is_file():
        raise BrowserMissing(f"BASE names no build: there is no {folder}")
    return folder


def columns(names: list[str]) -> list[str]:
    """The builds that will be measured."""
    return [NOW, PLAIN, *([BEFORE] if any(earlier(name) for name in names) else [])]


def folders(name: str) -> dict[str, Path]:
    """The folders of this build and, if there is one, the earlier one."""
    before = earlier(name)
    return {NOW: extension_folder(name)} | ({BEFORE: before} if before else {})


@contextmanager
def opened(name: str, folder: Path) -> Iterator[Browser]:
    """A browser with a build in it, closed in the end."""
    browser = open_browser(name, extension=folder)
    try:
        yield browser
    finally:
        browser.close()


@contextmanager
def open_builds(name: str, *, plain: bool = False) -> Iterator[dict[str, Browser]]:
    """Browsers by build, closed in the end. ``plain`` adds a copy of this build without its snapshot."""
    with ExitStack() as stack:
        found = folders(name)
        if plain:
            directory = stack.enter_context(tempfile.TemporaryDirectory())
            found[PLAIN] = without_snapshot(found[NOW], Path(directory))
        yield {build: stack.enter_context(opened(name, folder)) for build, folder in found.items()}


def without_snapshot(build: Path, directory: Path) -> Path:
    """A copy of a build that names no snapshot, so that it starts the plain way at once."""
    copy = directory / "extension"
    shutil.copytree(build, copy)
    named = copy / "py" / "boot.json"
    manifest = json.loads(named.read_text()) | {"snapshot": None}
    manifest.get("files", {}).pop(SNAPSHOT, None)
    named.write_text(json.dumps(manifest))
    (copy / SNAPSHOT).unlink()
    return copy


def ready(browser: Browser, condition: Callable[[dict[str, Any]], bool] = lambda _: True) -> dict[str, Any]:
    """What the supervisor says of the start, once Python runs."""

    def look() -> dict[str, Any] | None:
        try:
            status = ask(browser, "host", "boot.status")["result"]
        except ScriptFailed:
            return None  # the supervisor page is not there yet
        return status if status["state"] == "ready" and condition(status) else None

    found: dict[str, Any] = wait_until(look, READY_TIMEOUT, lambda: "Python to be ready")
    return found


def forget_copies(browser: Browser) -> None:
    """Have the next start be like the first one: there are no copies of what Python starts from."""
    browser.control.eval(FORGET)


def wait_for_copies(browser: Browser) -> None:
    """Until the next start can use copies; at once if this build makes none."""
    manifest = browser.control.eval("fetch('/py/boot.json').then((answer) => answer.json())")
    files = manifest.get("files")
    if files:
        wait_until(
            lambda: browser.control.eval(COPIES) == len(files), COPIED_TIMEOUT, lambda: "copies to be made"
        )


def ask(browser: Browser, target: str, method: str, count: int = 1) -> dict[str, Any]:
    """Call a method from a screen, ``count`` times in a row."""
    values = {"target": json.dumps(target), "method": json.dumps(method), "count": count}
    found: dict[str, Any] = browser.control.eval(ASK % values)
    return found
