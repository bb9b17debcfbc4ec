"""Pictures with private places drawn over, where the user wants that."""

from typing import Any

import pytest

from tests.support.toolbox import TAB, jpeg, page_host
from webbrain.agent.capture import capture
from webbrain.core.errors import BridgeError
from webbrain.host.memory import MemoryHost

REGION = {"x": 10, "y": 20, "width": 100, "height": 30}
OTHER = {"x": 10, "y": 80, "width": 100, "height": 30}


def host_with(*answers: Any) -> MemoryHost:
    host = page_host()
    host.pictures.on(jpeg())
    host.page.on("redaction_regions", *answers)
    return host


async def test_the_places_the_page_names_are_drawn_over() -> None:
    host = host_with({"regions": [REGION, OTHER]})
    shot = await capture(host, TAB, longest=1_568, redact=True)
    assert host.pictures.masked == [[REGION, OTHER]]
    assert shot.data_url != jpeg()
    asked = [call for call in host.page.calls if call.action == "redaction_regions"]
    assert all(call.args == {"textInputs": True} and not call.effect for call in asked)


async def test_off_unless_wanted() -> None:
    host = host_with({"regions": [REGION]})
    shot = await capture(host, TAB, longest=1_568)
    assert host.pictures.masked == []
    assert shot.data_url == jpeg()


async def test_where_something_was_before_and_is_now_are_both_covered() -> None:
    host = host_with({"regions": [REGION]}, {"regions": [OTHER]})
    await capture(host, TAB, longest=1_568, redact=True)
    assert host.pictures.masked == [[REGION, OTHER]]


@pytest.mark.parametrize(
    "answer",
    [
        BridgeError("busy", code="page_busy"),
        {"success": False, "code": "odd", "error": "no"},
        {"regions": "all"},
        {"regions": [{"x": "1"}, 7, {"x": 1}]},
        {"regions": []},
    ],
)
async def test_what_cannot_be_measured_leaves_the_picture_as_it_is(answer: Any) -> None:
    host = host_with(answer)
    shot = await capture(host, TAB, longest=1_568, redact=True)
    assert shot.data_url == jpeg()


async def test_what_cannot_be_drawn_leaves_the_picture_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    host = host_with({"regions": [REGION]})

    async def refuse(*_: Any, **__: Any) -> str:
        raise BridgeError("no canvas", code="api_error")

    monkeypatch.setattr(host.pictures, "mask", refuse)
    assert (await capture(host, TAB, longest=1_568, redact=True)).data_url == jpeg()
