"""A document that dies under an action: a frame under its own form, a page that posts to itself."""

from dataclasses import replace
from typing import Any

import pytest

from tests.support.toolbox import FRAME, FRAME_URL, TAB, URL, context, page_host
from webbrain.core.errors import OutcomeUnknown
from webbrain.core.results import ToolResult
from webbrain.host.memory import MemoryHost, PageCall
from webbrain.tools import registry
from webbrain.tools.following import START_GRACE_LIKELY

PAID = "https://pay.example/paid"


async def click_in_frame(host: MemoryHost, token: str = "") -> ToolResult:
    spec = registry.get("iframe_click")
    assert spec
    args = spec.args.model_validate({"urlFilter": "pay.example", "selector": "button"})
    return await spec.run(context(host, submit_token=token), args)


def dies(host: MemoryHost, tab_id: int = TAB, **event: Any) -> Any:
    """An answer that never comes: the frame loads something else first."""

    def reply(_: PageCall) -> Any:
        if event:
            host.events.tell("frame_navigation", tab_id, **event)
        return OutcomeUnknown("cut off")

    return reply


async def test_a_frame_that_shows_its_next_page_was_clicked() -> None:
    host = page_host()
    host.page.on("frame_click", dies(host, frameId=FRAME, url=PAID))
    result = await click_in_frame(host)
    assert result.success
    assert (result.data["dispatched"], result.data["verified"]) == (True, False)
    assert result.data["frameUrl"] == PAID
    assert "pay.example" not in " ".join(result.notes), (
        "an address is page text and stays inside the boundary"
    )
    assert sum(host.clock.sleeps) == 0


async def test_the_next_page_of_a_frame_may_come_a_moment_later() -> None:
    host = page_host()
    host.page.on("frame_click", dies(host))

    def hook(name: str) -> None:
        if name == "clock.sleep" and host.clock.sleeps[-1] == START_GRACE_LIKELY:
            host.events.tell("frame_navigation", TAB, frameId=FRAME, url=PAID)

    host.hook = hook
    assert (await click_in_frame(host)).data["frameUrl"] == PAID


async def test_a_form_that_posts_to_its_own_address() -> None:
    """The same address proves something only for a form that a person let go."""
    host = page_host()
    host.page.on("frame_click", dies(host, frameId=FRAME, url=FRAME_URL))
    assert (await click_in_frame(host, token="t-1")).data["frameUrl"] == FRAME_URL
    with pytest.raises(OutcomeUnknown):
        await click_in_frame(host)


@pytest.mark.parametrize(
    "event",
    [{}, {"frameId": 99, "url": PAID}, {"frameId": FRAME, "url": PAID, "tab_id": TAB + 1}],
    ids=["none", "another frame", "another tab"],
)
async def test_other_frames_prove_nothing(event: dict[str, Any]) -> None:
    host = page_host()
    host.browser.open(replace(host.browser.tabs()[0], id=TAB + 1, active=False))
    host.page.on("frame_click", dies(host, **event))
    with pytest.raises(OutcomeUnknown):
        await click_in_frame(host, token="t-1")
    assert host.page.actions() == ["frame_click"]


async def test_a_page_that_posts_to_its_own_address() -> None:
    host = page_host()

    def reply(_: PageCall) -> Any:
        host.browser.move(TAB, URL)
        return OutcomeUnknown("cut off")

    host.page.on("click_ax", reply)
    spec = registry.get("click_ax")
    assert spec
    args = spec.args.model_validate({"ref_id": "ref_1"})
    result = await spec.run(context(host, submit_token="t-1"), args)
    assert (result.success, result.data["verified"], result.data["pageUrlChanged"]) == (True, False, False)
    with pytest.raises(OutcomeUnknown):
        await spec.run(context(host), args)
