"""A page whose every effect a server counts, and a model that would do everything twice.

The model reads the page, presses what the task names, reads again and ends. Told that it was interrupted, it
presses at once: that this makes no second effect is the product's doing, not its own.
"""

import re
import threading
from types import TracebackType
from typing import Final, Self

from aiohttp import web

from tests.support.script import done, see, tree
from webbrain.testing.chat import Answer, ModelCall
from webbrain.testing.demo.history import Step, steps
from webbrain.testing.local_server import LocalServer
from webbrain.testing.model_server import call

BUTTON: Final = "Ring the bell"
FORM: Final = "Hand in the note"
TASKS: Final = {"button": "Ring the bell once.", "form": "Hand in the note once."}
NAMES: Final = {TASKS["button"]: BUTTON, TASKS["form"]: FORM}
INTERRUPTED: Final = "You were interrupted"
TOTAL: Final = re.compile(r"Total: (\d+)")

PAGE: Final = """<!doctype html><title>Counter</title>
<h1>Total: {total}</h1>
<button id="ring">{button}</button>
<form method="post" action="/effect"><label>Note <input name="note" value="tea"></label>
<button>{form}</button></form>
<script>
document.querySelector('#ring').onclick = async () => {{
  const answer = await fetch('/effect', {{method: 'POST'}});
  document.querySelector('h1').textContent = 'Total: ' + answer.headers.get('X-Total');
}};
</script>"""


class Counter:
    """Counts effects, for each address of a page its own: ``/page/NAME``."""

    def __init__(self) -> None:
        self.effects: dict[str, int] = {}
        self._changed = threading.Condition()
        self._server = LocalServer(self._app)

    @property
    def url(self) -> str:
        """Without a slash at the end."""
        return self._server.url

    def count(self, name: str) -> int:
        """How many effects a page had."""
        with self._changed:
            return self.effects.get(name, 0)

    def wait_for(self, name: str, timeout: float = 20.0) -> None:
        """Return once there was one."""
        with self._changed:
            if not self._changed.wait_for(lambda: self.effects.get(name, 0) > 0, timeout):
                raise TimeoutError(f"no effect on {name}")

    def _app(self) -> web.Application:
        app = web.Application()
        app.add_routes([web.get("/page/{name}", self._page), web.post("/effect", self._effect)])
        return app

    async def _page(self, request: web.Request) -> web.Response:
        total = self.count(request.match_info["name"])
        text = PAGE.format(total=total, button=BUTTON, form=FORM)
        return web.Response(text=text, content_type="text/html", headers={"Cache-Control": "no-store"})

    async def _effect(self, request: web.Request) -> web.Response:
        name = request.headers.get("Referer", "").rpartition("/")[2]
        with self._changed:
            self.effects[name] = self.effects.get(name, 0) + 1
            self._changed.notify_all()
        if "form" in request.headers.get("Content-Type", ""):
            raise web.HTTPSeeOther(f"/page/{name}")
        return web.Response(headers={"X-Total": str(self.effects[name])})

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.stop()


def think(model_call: ModelCall) -> Answer:
    """The model: see the module's docstring."""
    done_so_far = steps(model_call, -1)
    last = model_call.turns[-1]
    if INTERRUPTED in last.text and (again := _press(model_call)):
        return again
    newest = done_so_far[-1] if done_so_far and last.role == "tool" else None
    if newest is None or newest.call.name != "get_accessibility_tree" or not newest.ok:
        return see(filter="all")
    if _total(newest):
        return done("It is done.")
    return _press(model_call) or see(filter="all")


def _press(model_call: ModelCall) -> Answer | None:
    users = "\n".join(turn.text for turn in model_call.turns if turn.role == "user")
    name = next((NAMES[task] for task in NAMES if task in users), BUTTON)
    found = [node for node in tree(model_call) if node.ref and node.name == name and node.role == "button"]
    return call("click_ax", ref_id=found[0].ref) if found else None


def _total(step: Step) -> int:
    found = TOTAL.search(step.text)
    return int(found[1]) if found else 0
