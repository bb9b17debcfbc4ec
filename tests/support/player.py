"""The test in the model's place: it calls the built extension's tools one by one and looks at the page.

What it calls becomes the model's next answer; what it gets is the result as a model reads it, in the
conversation of the next request. Everything between is the product: the loop in Pyodide, the bridge, the
content script, the browser.
"""

import json
import re
from itertools import count
from queue import Empty, SimpleQueue
from typing import Any

from tests.content.harness import Site
from tests.support.browsers import Browser, Tab
from tests.support.port import Port
from webbrain.testing.chat import Answer, ModelCall
from webbrain.testing.demo.history import Step, steps
from webbrain.testing.model_server import ModelServer, call

PATIENCE = 45.0
"""Seconds until the extension asks the model again; more than any tool may take."""
REF = re.compile(r"\[(ref_\d+)\]")


class Live:
    """A model that says what it is told to say, when it is told."""

    server: ModelServer
    """Where it is to be had, once it is."""

    def __init__(self) -> None:
        self.requests: SimpleQueue[ModelCall] = SimpleQueue()
        self.answers: SimpleQueue[Answer] = SimpleQueue()

    def __call__(self, request: ModelCall) -> Answer:
        self.requests.put(request)
        return self.answers.get(timeout=PATIENCE * 2)

    def forget(self) -> None:
        """Drop what a run before has left."""
        for queue in (self.requests, self.answers):
            while not queue.empty():
                queue.get_nowait()


class Player:
    """A run on one tab whose every step the test decides."""

    _numbers = count(1)

    def __init__(self, browser: Browser, port: Port, live: Live, tab: Tab, site: Site) -> None:
        self.browser = browser
        self.port = port
        self.tab = tab
        self.site = site
        self.origin = site.origin
        self.step: Step | None = None
        """The newest call with its result."""
        self.request: ModelCall | None = None
        """What the model was sent last."""
        self.run = ""
        """The request id of the run under way."""
        self._live = live

    # --- the page ---

    def open(self, url: str, *, wait: bool = True) -> "Player":
        """Show an address; a path is one of the pages folder."""
        self.tab.page.goto(url if "://" in url else f"{self.origin}/{url}", wait=wait)
        return self

    def case(self, name: str) -> "Player":
        """Show a page of tests/pages/cases."""
        return self.open(f"cases/{name}.html")

    def show(self, body: str, head: str = "", *, wait: bool = True) -> "Player":
        """Show a page made of this body."""
        return self.open(self.site.page(f"<!doctype html><title>Test</title>{head}<body>{body}"), wait=wait)

    def js(self, expression: str) -> Any:
        """What the page itself says."""
        return self.tab.page.eval(expression)

    def until(self, expression: str) -> Any:
        """Wait for the page's own state."""
        return self.tab.page.wait(expression)

    # --- the agent ---

    def begin(self, text: str = "Do what is needed.", mode: str = "act") -> None:
        """Start the run, if it is not under way."""
        if self.run:
            return
        self._live.forget()
        run = f"player-{next(self._numbers)}"
        self.port.call("chat.start", tabId=self.tab.id, text=text, mode=mode, requestId=run)
        self.run = run
        self.request = self._next()

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool; return its result as the model reads it."""
        self.begin()
        self._live.answers.put(call(tool, **arguments))
        self.request = self._next()
        asked = [index for index, turn in enumerate(self.request.turns) if turn.calls]
        self.step = steps(self.request, asked[-1] - 1)[-1]
        return self.step.result or {"success": False, "text": self.step.text}

    def end(self) -> None:
        """Have the run end, and forget it."""
        if not self.run:
            return
        run, self.run = self.run, ""
        self._live.answers.put(call("done", summary="Ended.", outcome="partial"))
        self.browser.control.wait(
            f"heldPort.told.some((t) => t.requestId === {json.dumps(run)} && t.type === 'run_complete')",
            PATIENCE,
            "the run to end",
        )
        self.port.call("conversation.clear", tabId=self.tab.id)

    def events(self, kind: str) -> list[dict[str, Any]]:
        """The data of the run's events of that type."""
        return [event["data"] for event in self.port.told(self.run) if event["type"] == kind]

    # --- short ways ---

    def tree(self, **arguments: Any) -> str:
        """The text of the tree, or of one page of it."""
        arguments.setdefault("maxChars", 6_000)
        answer = self.call("get_accessibility_tree", **arguments)
        assert answer.get("success"), answer
        return str(answer["pageContent"])

    def ref(self, start: str, nth: int = 0, **arguments: Any) -> str:
        """The reference of the nth line that begins so, indentation aside."""
        text = self.tree(**arguments)
        hits = [line for line in text.splitlines() if line.strip().startswith(start)]
        assert len(hits) > nth, f"no line starts with {start!r} in:\n{text}"
        return self.ref_in(hits[nth])

    @staticmethod
    def ref_in(line: str) -> str:
        """The first reference in a line."""
        found = REF.search(line)
        assert found, line
        return found[1]

    def line(self, part: str, **arguments: Any) -> str:
        """The first line of the tree with these words in it."""
        text = self.tree(**arguments)
        hits = [line for line in text.splitlines() if part in line]
        assert hits, f"no line with {part!r} in:\n{text}"
        return hits[0]

    def click(self, start: str, **arguments: Any) -> dict[str, Any]:
        """Press what the line that begins so stands for."""
        return self.call("click_ax", ref_id=self.ref(start), **arguments)

    def fill(self, start: str, text: str, **arguments: Any) -> dict[str, Any]:
        """``set_field`` on the line that begins so."""
        return self.call("set_field", ref_id=self.ref(start), text=text, **arguments)

    def type(self, start: str, text: str, **arguments: Any) -> dict[str, Any]:
        """``type_ax`` on the line that begins so."""
        return self.call("type_ax", ref_id=self.ref(start), text=text, **arguments)

    def _next(self) -> ModelCall:
        try:
            return self._live.requests.get(timeout=PATIENCE)
        except Empty:
            told = self.port.told(self.run)[-4:]
            raise AssertionError(f"the model was not asked again; the run said last: {told}") from None
