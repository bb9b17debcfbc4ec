"""What a run asks the browser for while somebody waits: each is a way to the service worker and back."""

from dataclasses import replace
from typing import Any

import pytest

from tests.support.agent import Bench
from tests.support.toolbox import ANSWERS, page_host
from webbrain.host.memory import MemoryHost
from webbrain.testing.scripted import INFO, ScriptedModel, call


class Looks:
    """Counts how often a host's tab is looked at."""

    def __init__(self, host: MemoryHost) -> None:
        self.count = 0
        get_tab = host.browser.get_tab

        async def counted(tab_id: int) -> Any:
            self.count += 1
            return await get_tab(tab_id)

        host.browser.get_tab = counted  # type: ignore[method-assign]


@pytest.mark.parametrize(("mode", "plans"), [("ask", False), ("act", False), ("act", True)])
async def test_the_tab_is_looked_at_once_before_the_first_request(mode: str, plans: bool) -> None:
    """Two asked at once share an answer: the one that wakes the service worker, and the run's own."""
    host = page_host()
    looks, before = Looks(host), list[int]()

    def noted(_: Any) -> str:
        before.append(looks.count)
        return "Tea."

    model = ScriptedModel(noted, plan=[noted])
    await Bench(host=host, model=model, plans=plans).run("What is this?", mode)
    assert before[0] == 2


@pytest.mark.parametrize(("auto", "asked"), [("off", 2), ("navigation", 3)])
async def test_a_step_asks_where_the_tab_is_only_where_a_picture_depends_on_it(auto: str, asked: int) -> None:
    """Besides it asks whose page it is, for the origin of what was read, and the memory host looks itself."""
    host = page_host()
    host.page.on("tree", {**ANSWERS["tree"], "pageContent": 'button "Kettle" [ref_1]\n' * 20})
    looks, counts = Looks(host), list[int]()

    def read(_: Any) -> Any:
        counts.append(looks.count)
        return call("get_accessibility_tree")

    def answer(_: Any) -> str:
        counts.append(looks.count)
        return "Tea."

    model = ScriptedModel(read, read, answer, info=replace(INFO, supports_vision=True))
    bench = Bench(host=host, model=model)
    await bench.app.settings.save({"autoScreenshot": auto})
    await bench.run("What is this?", "ask")
    assert counts[2] - counts[1] == asked
