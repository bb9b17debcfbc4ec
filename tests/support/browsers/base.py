"""What a scenario may do with a browser, whichever it is.

Input is real: clicks and keys go through the browser's own event path at screen coordinates, so a covered or
disabled element cannot be clicked here either.
"""

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DEADLINE = 30.0
"""Seconds a wait lasts at most unless a test says otherwise; generous, for a busy machine is no fault."""
POLL = 0.05

FIND = """
(css, text) => {
  const wanted = text.trim().toLowerCase();
  const own = (el) => (el.innerText || el.value || el.getAttribute('aria-label') || '').trim().toLowerCase();
  const shown = (el) => el.getClientRects().length > 0 && getComputedStyle(el).visibility !== 'hidden';
  const all = [...document.querySelectorAll(css)].filter((el) => shown(el) && own(el).includes(wanted));
  return all.find((el) => own(el) === wanted) || all[0];
}
"""
"""The shown element for a selector, narrowed by its text where one is given."""

AIM = """
(() => {
  const find = %s;
  const el = find(%s, %s);
  if (!el) return {problem: 'not there'};
  el.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});
  const box = el.getBoundingClientRect();
  const x = box.x + box.width / 2, y = box.y + box.height / 2;
  if (!box.width || !box.height) return {problem: 'has no size'};
  if (el.matches(':disabled')) return {problem: 'disabled'};
  let hit = document.elementFromPoint(x, y);
  while (hit && hit.shadowRoot && hit.shadowRoot.elementFromPoint(x, y) !== hit) {
    const inner = hit.shadowRoot.elementFromPoint(x, y);
    if (!inner) break;
    hit = inner;
  }
  const label = hit && hit.closest && hit.closest('label');
  if (!hit || !(el.contains(hit) || hit.contains(el) || (label && label.control === el)))
    return {problem: 'covered by ' + (hit ? hit.outerHTML.slice(0, 80) : 'nothing')};
  return {x, y};
})()
"""


class BrowserMissing(RuntimeError):
    """The browser, or the build to load into it, is not there. The message says what to do."""


class ScriptFailed(RuntimeError):
    """A script in a page threw."""


class Page(ABC):
    """A page in a browser tab."""

    @property
    @abstractmethod
    def url(self) -> str:
        """The address now."""

    @abstractmethod
    def goto(self, url: str, *, wait: bool = True) -> None:
        """Load an address; with ``wait`` until its load event."""

    @abstractmethod
    def reload(self) -> None:
        """Load the page again and wait for it."""

    @abstractmethod
    def eval(self, expression: str, timeout: float = DEADLINE) -> Any:
        """Return the JSON value of an expression, awaited; raise ``ScriptFailed`` if it throws."""

    @abstractmethod
    def click_at(self, x: float, y: float) -> None:
        """Press and release the mouse at a point of the viewport."""

    @abstractmethod
    def keys(self, text: str) -> None:
        """Type a text into what has the focus."""

    @abstractmethod
    def press(self, key: str, *modifiers: str) -> None:
        """Press a named key (``Enter``, ``Tab``, ``Escape``, ``ArrowDown``, ``a``) with modifiers held."""

    @abstractmethod
    def screenshot(self, path: Path) -> None:
        """Write what the viewport shows as PNG."""

    @abstractmethod
    def set_viewport(self, width: int, height: int) -> None:
        """Set the size of the viewport in CSS pixels."""

    @abstractmethod
    def activate(self) -> None:
        """Bring the tab to the front."""

    @abstractmethod
    def close(self) -> None:
        """Close the tab."""

    @abstractmethod
    def close_dialog(self, *, accept: bool) -> None:
        """Answer the JavaScript dialog that is open, as a person does."""

    def wait(self, expression: str, timeout: float = DEADLINE, what: str = "") -> Any:
        """Return the expression's value once it is true; raise ``TimeoutError``.

        A script that throws counts as not yet: the page may be loading.
        """
        last: list[str] = []

        def ready() -> Any:
            try:
                return self.eval(expression)
            except ScriptFailed as error:
                last[:] = [str(error)]
                return None

        return wait_until(ready, timeout, lambda: f"{what or expression} at {self.url} {' '.join(last)}")

    def exists(self, css: str, text: str = "") -> bool:
        """An element with that text is shown."""
        return bool(self.eval(f"!!({FIND})({json.dumps(css)}, {json.dumps(text)})"))

    def wait_for(self, css: str, text: str = "", timeout: float = DEADLINE) -> None:
        """Return once an element with that text is shown."""
        self.wait(f"!!({FIND})({json.dumps(css)}, {json.dumps(text)})", timeout, f"{css} “{text}”")

    def text(self, css: str = "body") -> str:
        """The text that is shown in the first match; empty if there is none."""
        return str(self.eval(f"document.querySelector({json.dumps(css)})?.innerText ?? ''"))

    def click(self, css: str, text: str = "", timeout: float = DEADLINE) -> None:
        """Click the middle of the shown element, once it is there, enabled and not covered."""
        problem = ""

        def aim() -> Any:
            nonlocal problem
            point = self.eval(AIM % (FIND, json.dumps(css), json.dumps(text)))
            problem = point.get("problem", "")
            return None if problem else point

        point = wait_until(
            aim, timeout, lambda: f"click on {css} “{text}”: {problem}; page: {self.text()[:300]}"
        )
        self.click_at(point["x"], point["y"])

    def type(self, css: str, text: str) -> None:
        """Click into a field, take its text away and type another."""
        self.click(css)
        self.press("a", "Control")
        self.press("Delete")
        self.keys(text)


@dataclass(frozen=True, slots=True)
class Tab:
    """A page with the number by which the extension knows it."""

    page: Page
    id: int


class Browser(ABC):
    """A running browser with the extension in it."""

    name: str
    origin: str
    """Scheme and host of the extension's pages, without a slash at the end."""
    control: Page
    """An extension page of ours that stays open, for asking the browser's own API."""

    @abstractmethod
    def open_page(self, url: str, *, window: bool = False, wait: bool = True) -> Page:
        """Open an address in a new tab, or in a window of its own."""

    @abstractmethod
    def close(self) -> None:
        """End the browser and remove its profile."""

    @abstractmethod
    def eval_in_host(self, function: str, timeout: float = DEADLINE) -> Any:
        """Call a JavaScript function with the supervisor page's window and return its JSON value, awaited."""

    @abstractmethod
    def log(self) -> str:
        """What the extension's consoles said so far."""

    @abstractmethod
    def reload_extension(self) -> None:
        """Load the extension anew, as an update does: its pages close, tabs stay."""

    @abstractmethod
    def hold_dialogs(self) -> None:
        """From now on leave JavaScript dialogs open, as they are when a person looks at the browser."""

    def open_tab(self, url: str, *, wait: bool = True) -> Tab:
        """Open a page for the agent to work on."""
        before = {tab["id"] for tab in self.tabs()}
        page = self.open_page("about:blank")
        new = [tab["id"] for tab in self.tabs() if tab["id"] not in before]
        if len(new) != 1:
            raise RuntimeError(f"opened one tab and found {new}")
        page.goto(url, wait=wait)
        return Tab(page, new[0])

    def open_panel(self, tab: Tab | int) -> Page:
        """Open the side panel for a tab, in a window of its own so that the tab stays in front."""
        number = tab.id if isinstance(tab, Tab) else tab
        page = self.open_page(f"{self.origin}/sidepanel.html?tabId={number}", window=True)
        page.set_viewport(400, 760)
        return page

    def open_settings(self) -> Page:
        """Open the settings page."""
        return self.open_page(f"{self.origin}/settings.html", window=True)

    def tabs(self) -> list[dict[str, Any]]:
        """All tabs as the extension sees them: ``id``, ``url``, ``title``."""
        found: list[dict[str, Any]] = self.control.eval(
            "(globalThis.browser ?? chrome).tabs.query({})"
            ".then((all) => all.map(({id, url, title}) => ({id, url, title})))"
        )
        return found

    def close_tab(self, tab: Tab) -> None:
        """Close a tab through the browser's own API."""
        self.control.eval(f"(globalThis.browser ?? chrome).tabs.remove({tab.id}).then(() => true)")

    def kill_python(self) -> None:
        """End the Worker that Python runs in, from outside, as a crash would.

        The Worker is caught through the next message the supervisor sends it (its heart beat), so the
        extension needs no hook for this.
        """
        self.eval_in_host(
            """async (host) => {
              const proto = host.Worker.prototype, send = proto.postMessage;
              const worker = await new Promise((found) => {
                proto.postMessage = function (...args) { found(this); return send.apply(this, args); };
              });
              proto.postMessage = send;
              worker.terminate();
              return true;
            }"""
        )


def wait_until(ready: Callable[[], Any], timeout: float, what: Callable[[], str]) -> Any:
    """Return the first true value of ``ready``, or raise ``TimeoutError`` that names ``what``."""
    end = time.monotonic() + timeout
    while True:
        value = ready()
        if value:
            return value
        if time.monotonic() > end:
            raise TimeoutError(f"waited {timeout:.0f} s for {what()}")
        time.sleep(POLL)
