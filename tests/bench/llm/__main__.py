"""``make test-llm``: twenty small tasks with a real small model behind the built extension's own panel.

    make test-llm                       constrained calls and native tools, one run of twenty tasks each
    make test-llm MODE=constrained RUNS=3        the median of three runs, which the target is for
    make test-llm SEED=1234             the pages of that run once more
    make test-llm TASKS=1-5,fact        only these, by number or kind
    make test-llm PATIENCE=600          more patience with each task, on a slow or busy machine
    make test-llm THREADS=1             on a machine that has other work to do
    make test-llm MODEL=http://127.0.0.1:8080    a llama.cpp server you have, with its model
    make test-llm MODEL=perfect         no real model: one that knows the way, or MODEL=idle

The model is fetched once (about 1.2 GB). Conversations are in test-results/llm. Exit status: 0 when the
target is met or nothing was asked of it, 1 when it is missed, 2 when something is not there.
"""

import os
import secrets
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.bench.llm import report
from tests.bench.llm.driver import MODES, Driver
from tests.bench.llm.generator import choose, tasks
from tests.bench.llm.models import Perfect, idle
from tests.bench.llm.recorder import Recorder
from tests.bench.llm.report import Row
from tests.bench.llm.site import Site
from tests.bench.llm.tasks import Task
from tests.support.browsers import Browser, BrowserMissing, open_browser
from tests.support.llm import MODEL_NAME, THREADS, LlamaServer, NoLocalModel, fetch
from tests.support.machine import ensure_browser
from webbrain.testing.chat import Answer, ModelCall
from webbrain.testing.model_server import ModelServer

RESULTS = Path(__file__).resolve().parents[3] / "test-results" / "llm"
PATIENCE = 240.0
"""Seconds for one task. A quiet machine needs ten to sixty."""
SEEDS = 100_000
MISSED, UNUSABLE = 1, 2


@dataclass(frozen=True, slots=True)
class Options:
    """What the environment says."""

    modes: tuple[str, ...]
    runs: int
    seed: int
    wish: str
    seconds: float
    model: str
    threads: int


class Scripted:
    """A model of :mod:`tests.bench.llm.models`, told anew for each seed."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.tasks: list[Task] = []

    def __call__(self, request: ModelCall) -> Answer:
        """Its answer."""
        return Perfect(self.tasks)(request) if self._name == "perfect" else idle(request)


def main() -> int:
    """Play, print, compare with the target."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(MISSED))
    try:
        options = read_options()
        choose(tasks(options.seed), options.wish)
        ensure_browser("chromium")
        with (
            serving(options) as (address, scripted),
            Recorder(address) as recorder,
            opened() as browser,
        ):
            runs = play(options, browser, recorder, scripted)
    except (BrowserMissing, NoLocalModel, ValueError) as error:
        print(f"Cannot run: {error}", file=sys.stderr)
        return UNUSABLE
    except KeyboardInterrupt:
        return MISSED
    print(f"\n{report.summary(runs)}\nConversations: {RESULTS}")
    missed = report.shortcoming(runs)
    print(missed or ("The target is met." if report.JUDGED in runs else ""))
    return MISSED if missed else 0


def read_options() -> Options:
    """Read the environment; raise ``ValueError`` for what makes no sense."""
    mode = os.environ.get("MODE") or "both"
    if mode not in (*MODES, "both"):
        raise ValueError(f"MODE must be {', '.join(MODES)} or both, not {mode!r}")
    model = os.environ.get("MODEL", "")
    if model not in ("", "perfect", "idle") and not model.startswith(("http://", "https://")):
        raise ValueError(f"MODEL must be an address, perfect, idle or nothing, not {model!r}")
    return Options(
        modes=tuple(MODES) if mode == "both" else (mode,),
        runs=int(os.environ.get("RUNS") or 1),
        seed=int(os.environ.get("SEED") or secrets.randbelow(SEEDS)),
        wish=os.environ.get("TASKS", ""),
        seconds=float(os.environ.get("PATIENCE") or PATIENCE),
        model=model,
        threads=int(os.environ.get("THREADS") or THREADS),
    )


def play(
    options: Options, browser: Browser, recorder: Recorder, scripted: Scripted | None
) -> dict[str, list[list[Row]]]:
    """All runs; prints as it goes."""
    runs: dict[str, list[list[Row]]] = {mode: [] for mode in options.modes}
    for number in range(options.runs):
        seed = options.seed + number
        chosen = choose(tasks(seed), options.wish)
        if scripted is not None:
            scripted.tasks = chosen
        with Site(chosen) as site:
            for mode in options.modes:
                print(f"\n{mode}, seed {seed} (SEED={seed} makes these pages again)", flush=True)
                driver = Driver(browser, site, options.seconds, recorder.take, RESULTS)
                driver.choose(recorder.url, mode)
                rows = []
                for task in chosen:
                    rows.append(driver.play(task, f"{mode}-{seed}-{task.number:02}"))
                    print(report.line(rows[-1]), flush=True)
                runs[mode].append(rows)
                report.save(RESULTS / f"{mode}-{seed}.json", mode, seed, options.model or MODEL_NAME, rows)
                print(report.total(mode, seed, rows), flush=True)
    return runs


@contextmanager
def serving(options: Options) -> Iterator[tuple[str, Scripted | None]]:
    """The address of a model server, and the model itself if it is a scripted one."""
    if "://" in options.model:
        yield options.model.rstrip("/").removesuffix("/v1"), None
        return
    if options.model:
        scripted = Scripted(options.model)
        with ModelServer(scripted) as server:
            yield server.url.removesuffix("/v1") + "/llamacpp", scripted
            if server.refused:
                raise RuntimeError(f"a strict service would refuse: {server.refused[:3]}")
        return
    started = time.monotonic()
    with LlamaServer(*fetch(), options.threads) as llama:
        print(f"{MODEL_NAME}, ready after {time.monotonic() - started:.0f} s", flush=True)
        yield llama.url, None


@contextmanager
def opened() -> Iterator[Browser]:
    """Chromium with the built extension."""
    browser = open_browser("chromium")
    try:
        yield browser
    finally:
        browser.close()


if __name__ == "__main__":
    sys.exit(main())
