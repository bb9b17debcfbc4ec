"""The measure of small models, with models that are none: one knows the way, one does nothing.

With the real model it is ``make test-llm``.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.bench.llm.driver import Driver
from tests.bench.llm.generator import choose, tasks
from tests.bench.llm.models import Perfect, idle
from tests.bench.llm.report import Row
from tests.bench.llm.site import Site
from tests.bench.llm.tasks import Task
from tests.support.browsers import Browser
from tests.support.stage import CHROMIUM_ONLY
from webbrain.testing.model_server import ModelServer, Think

SEED = 7
ONE_OF_EACH = "1,6,8,10,11,13,15,16,17,20"
SECONDS = 60.0


@pytest.fixture(scope="module", params=CHROMIUM_ONLY)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def played(
    browser: Browser, folder: Path, make: Callable[[Sequence[Task]], Think], mode: str, wish: str
) -> list[Row]:
    chosen = choose(tasks(SEED), wish)
    with ModelServer(make(chosen)) as server, Site(chosen) as site:
        driver = Driver(browser, site, SECONDS, list, folder)
        driver.choose(server.url.removesuffix("/v1") + "/llamacpp", mode)
        rows = [driver.play(task, str(task.number)) for task in chosen]
    assert not server.refused
    return rows


@pytest.mark.parametrize(("mode", "wish"), [("constrained", ONE_OF_EACH), ("native", "4,9,17,19")])
def test_who_knows_the_way_arrives(browser: Browser, tmp_path: Path, mode: str, wish: str) -> None:
    """Whatever the tasks need is offered by the schema of each turn, and by the native tools."""
    rows = played(browser, tmp_path, Perfect, mode, wish)
    assert [(row.number, row.reason, row.detail) for row in rows if not row.ok] == []
    assert (tmp_path / f"{rows[0].number}.txt").exists()


@pytest.mark.parametrize("mode", ["constrained", "native"])
def test_who_does_nothing_does_not(browser: Browser, tmp_path: Path, mode: str) -> None:
    rows = played(browser, tmp_path, lambda _: idle, mode, "1,11,15")
    assert [row.ok for row in rows] == [False] * 3
    assert {row.reason for row in rows} <= {"gave up", "run failed", "wrong state", "wrong answer"}
