"""An aiohttp application served from a thread of its own, for tests that are not asynchronous themselves."""

import asyncio
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Self

from aiohttp import web

START_TIMEOUT = 10.0
STOP_TIMEOUT = 10.0


class Startable(ABC):
    """Something that serves while in its ``with`` block."""

    @abstractmethod
    def start(self) -> Self:
        """Listen."""

    @abstractmethod
    def stop(self) -> None:
        """Stop listening."""

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


class LocalServer(Startable):
    """Serves what ``make_app`` builds on 127.0.0.1 and a free port, while in its ``with`` block.

    The application is built inside the server's own event loop, so it may create asyncio objects. Requests
    that are still open when the server stops are cancelled.
    """

    def __init__(self, make_app: Callable[[], web.Application], *, port: int = 0) -> None:
        self._make_app = make_app
        self._requested_port = port
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._runner: web.AppRunner | None = None
        self._failure: BaseException | None = None
        self.port = 0

    @property
    def url(self) -> str:
        """The server's address without a slash at the end."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The loop that serves; raise ``RuntimeError`` when not started."""
        if self._loop is None:
            raise RuntimeError("the server is not running")
        return self._loop

    def start(self) -> Self:
        """Listen; raise what made it fail."""
        ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, args=(ready,), daemon=True, name="local-server")
        self._thread.start()
        if not ready.wait(START_TIMEOUT):
            raise TimeoutError("the local server did not start")
        if self._failure is not None:
            raise self._failure
        return self

    def stop(self) -> None:
        """Close every connection and end the thread; harmless when not running."""
        loop, thread = self._loop, self._thread
        if loop is None or thread is None:
            return
        loop.call_soon_threadsafe(loop.stop)
        thread.join(STOP_TIMEOUT)
        self._loop = self._thread = None

    def call(self, function: Callable[[], Any]) -> None:
        """Run ``function`` in the server's loop soon; for waking its events from a test's thread."""
        self.loop.call_soon_threadsafe(function)

    def run(self, work: Coroutine[Any, Any, Any], timeout: float = 10.0) -> Any:
        """Run a coroutine in the server's loop and return its result."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(timeout)

    def _serve(self, ready: threading.Event) -> None:
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        self._loop = loop
        try:
            loop.run_until_complete(self._listen())
        except OSError as error:
            self._failure = error
            self._loop = None
            loop.close()
            return
        finally:
            ready.set()
        try:
            loop.run_forever()
        finally:
            loop.run_until_complete(self._close())
            loop.close()

    async def _listen(self) -> None:
        self._runner = web.AppRunner(
            self._make_app(), access_log=None, shutdown_timeout=0.1, handler_cancellation=True
        )
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._requested_port)
        await site.start()
        self.port = self._runner.addresses[0][1]

    async def _close(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class Hosted(Startable):
    """What answers through a :class:`LocalServer` of its own."""

    _server: LocalServer

    def start(self) -> Self:
        """Listen."""
        self._server.start()
        return self

    def stop(self) -> None:
        """Stop listening; what is open is cut, what is held let go."""
        self._server.stop()
