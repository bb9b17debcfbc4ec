"""The package's own host, run by a test outside of the browser, in the place of Python's Worker.

What the agent may ask of a browser is asked here one call at a time, of the finished build: frames are put in
where the Worker's come in, and taken out where they would reach it. Supervisor, executor, service worker and
content scripts are the real ones; so is the host, on the test's own Python. The real Worker goes on living,
sees the same events, and is not told of answers that are not for it.
"""

import asyncio
import base64
import json
import queue
import threading
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar

from tests.support.browsers import Browser
from tests.support.browsers.base import DEADLINE, wait_until
from webbrain.host.bridge import BridgeHost
from webbrain.host.protocols import Capabilities
from webbrain.host.reach import BrowserEvent
from webbrain.host.rpc import Connection

POLL = 0.02
OURS = "test-"
"""Begin of the ids of our calls, so that they are not those of the real Worker."""

TAKE_PLACE = """async (host) => {
  const PIECE = 30_000;
  const proto = host.Worker.prototype, send = proto.postMessage;
  const [worker, epoch] = await new Promise((found) => {
    proto.postMessage = function (message, ...rest) {
      if (message.text) found([this, JSON.parse(message.text).epoch]);
      return send.call(this, message, ...rest);
    };
  });
  proto.postMessage = send;
  const place = { worker, out: [] };
  worker.postMessage = (message, ...rest) => {
    const frame = JSON.parse(message.text);
    const ours = String(frame.id).startsWith("OURS");
    if (ours || frame.method === "browser_event") {
      const texts = message.buffers.map((buffer) => {
        let text = "";
        const bytes = new host.Uint8Array(buffer);
        for (let n = 0; n < bytes.length; n += PIECE)
          text += String.fromCharCode(...bytes.subarray(n, n + PIECE));
        return host.btoa(text);
      });
      place.out.push({ text: message.text, buffers: texts });
    }
    if (!ours) send.call(worker, message, ...rest);
  };
  host.testPlace = place;
  return epoch;
}""".replace("OURS", OURS)

LEAVE_PLACE = "(host) => { delete host.testPlace.worker.postMessage; delete host.testPlace; return true; }"

EXCHANGE = """(host) => {
  for (const { text, buffers } of FRAMES) {
    const made = buffers.map((one) => host.Uint8Array.from(host.atob(one), (c) => c.charCodeAt(0)).buffer);
    host.testPlace.worker.onmessage({ data: { text, buffers: made } });
  }
  return host.testPlace.out.splice(0);
}"""

T = TypeVar("T")


class HostOutside:
    """The host of a running extension. ``events`` are those told so far."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._outgoing: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._over = threading.Event()
        self._loop = asyncio.new_event_loop()
        self.events: list[BrowserEvent] = []
        epoch = int(browser.eval_in_host(TAKE_PLACE))
        chrome = browser.name == "chromium"
        self.capabilities = Capabilities(
            browser="chrome" if chrome else "firefox", cdp=chrome, captures_background_tabs=not chrome
        )
        self._runner = threading.Thread(target=self._loop.run_forever, daemon=True, name="host-loop")
        self._runner.start()
        self.host: BridgeHost = self.run(self._make(epoch))
        self._carrier = threading.Thread(target=self._carry, daemon=True, name="host-frames")
        self._carrier.start()

    def run(self, work: Coroutine[Any, Any, T], timeout: float = DEADLINE) -> T:
        """Return what a call of the host answers, or raise what it raises."""
        return self.begin(work).result(timeout)

    def begin(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Start a call, to look at something else while it is under way."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def wait_event(
        self, kind: str, check: Callable[[BrowserEvent], bool] = lambda _: True, timeout: float = DEADLINE
    ) -> BrowserEvent:
        """The first event of that kind, past or future, that passes ``check``."""

        def look() -> BrowserEvent | None:
            return next((event for event in self.events if event.kind == kind and check(event)), None)

        found: BrowserEvent = wait_until(look, timeout, lambda: f"an event {kind}: {self.events}")
        return found

    def close(self) -> None:
        """Give the place back."""
        self._over.set()
        self._carrier.join(DEADLINE)
        with suppress(Exception):
            self._browser.eval_in_host(LEAVE_PLACE)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._runner.join(DEADLINE)

    def send(self, text: str, buffers: Sequence[bytes]) -> None:
        """The transport of the connection."""
        frame = json.loads(text)
        if "id" in frame:
            frame["id"] = OURS + frame["id"]
        texts = [base64.b64encode(one).decode() for one in buffers]
        self._outgoing.put({"text": json.dumps(frame), "buffers": texts})

    async def _make(self, epoch: int) -> BridgeHost:
        self._connection = Connection(self, epoch, self._handle)
        host = BridgeHost(self._connection, self.capabilities)
        host.events.listen(self.events.append)
        return host

    async def _handle(self, method: str, params: dict[str, Any]) -> None:
        assert method == "browser_event"
        self.host.events.receive(params)

    def _carry(self) -> None:
        while not self._over.wait(POLL):
            frames = []
            while not self._outgoing.empty():
                frames.append(self._outgoing.get())
            for frame in self._browser.eval_in_host(EXCHANGE.replace("FRAMES", json.dumps(frames))):
                text = frame["text"].replace(f'"{OURS}', '"', 1)
                buffers = [base64.b64decode(one) for one in frame["buffers"]]
                self._loop.call_soon_threadsafe(self._connection.receive, text, buffers)
