"""A tree only reads: however large the page, it has it laid out at most once."""

import pytest
from playwright.sync_api import CDPSession

from tests.content.bench_tree import PAGES, ask
from tests.content.harness import Tab

DIRTY = "document.body.style.paddingTop = (Math.random() * 9) + 'px'"
FILTERS = ("all", "interactive", "visible")


@pytest.fixture
def cdp(tab: Tab) -> CDPSession:
    """Where the browser says how often it has laid out."""
    session = tab.page.context.new_cdp_session(tab.page)
    session.send("Performance.enable")
    return session


def layouts(cdp: CDPSession) -> int:
    """How often so far."""
    metrics = cdp.send("Performance.getMetrics")["metrics"]
    return int(next(m["value"] for m in metrics if m["name"] == "LayoutCount"))


@pytest.mark.parametrize("name", PAGES)
def test_one_layout_for_a_tree(tab: Tab, cdp: CDPSession, name: str) -> None:
    """The page is changed in the same breath as it is read: the browser has no time of its own between."""
    tab.show(PAGES[name])
    before = layouts(cdp)
    tab.isolated(f"for (let i = 0; i < 3; i++) {{ {DIRTY}; document.body.offsetHeight }}")
    assert layouts(cdp) - before >= 3, "the figure counts what is measured here"
    for given in FILTERS:
        before = layouts(cdp)
        answer = tab.isolated(f"{DIRTY}; {ask(given)}")
        assert answer["totalChars"] > 1_000 or given == "visible", answer
        assert layouts(cdp) - before <= 1, given
