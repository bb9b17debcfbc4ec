"""The server of the generated pages. It remembers what it was told; that is what tasks are judged by."""

import threading
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Self

from aiohttp import web

from tests.bench.llm.tasks import Effect, Task, sent
from webbrain.testing.local_server import LocalServer

SEND = "send-"


class Site(LocalServer):
    """Every task has its pages below ``/t/NUMBER/``. Use as a context manager to listen on 127.0.0.1."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        super().__init__(self._app)
        self._tasks = {task.number: task for task in tasks}
        self._effects: dict[int, list[Effect]] = defaultdict(list)
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self.start()

    def address(self, task: Task) -> str:
        """Where a task begins."""
        return f"{self.url}/t/{task.number}/{task.start}"

    def effects(self, task: Task) -> tuple[Effect, ...]:
        """What it was told since the last ``forget``, oldest first."""
        with self._lock:
            return tuple(self._effects[task.number])

    def forget(self, task: Task) -> None:
        """Begin a task anew."""
        with self._lock:
            self._effects[task.number].clear()

    def show(self, number: int, path: str, query: Mapping[str, str]) -> str | None:
        """A page of a task, or ``None``."""
        task = self._tasks.get(number)
        made = task.pages.get(path) if task else None
        return made(query) if callable(made) else made

    def told(self, number: int, path: str, form: Mapping[str, str]) -> None:
        """Take a form or a press of a button."""
        effect = (
            sent(path.removeprefix(SEND), form)
            if path.startswith(SEND)
            else Effect("pressed", form.get("name", ""))
        )
        with self._lock:
            self._effects[number].append(effect)

    def _app(self) -> web.Application:
        app = web.Application()
        app.router.add_get(r"/t/{number:\d+}/{path}", self._get)
        app.router.add_post(r"/t/{number:\d+}/{path}", self._post)
        return app

    async def _get(self, request: web.Request) -> web.Response:
        number, path = int(request.match_info["number"]), request.match_info["path"]
        text = self.show(number, path, request.query)
        if text is None:
            raise web.HTTPNotFound
        return web.Response(text=text, content_type="text/html", headers={"Cache-Control": "no-store"})

    async def _post(self, request: web.Request) -> web.Response:
        number, path = int(request.match_info["number"]), request.match_info["path"]
        if not (path == "press" or path.startswith(SEND)):
            raise web.HTTPNotFound
        self.told(number, path, {key: str(value) for key, value in (await request.post()).items()})
        if path == "press":
            return web.Response(status=204)
        raise web.HTTPSeeOther(f"/t/{number}/sent")
