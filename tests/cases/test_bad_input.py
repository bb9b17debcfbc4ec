# ruff: noqa: E501 (markup of the pages under test is more readable unwrapped)
"""Arguments that mean nothing, or several things: an error that says what to do instead, and no effect."""

from typing import Any

import pytest

from tests.support.player import Player

PAGE = """<button onclick="document.title = 'pressed'">Buy</button><input id=i aria-label=Name>
<script>addEventListener('input', () => { document.title = 'typed' })</script>"""
FORBIDDEN = "http://169.254.169.254/latest/meta-data"


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "advice"),
    [
        ("click_ax", {"ref_id": "Buy"}, "bad_ref", "as the accessibility tree shows it"),
        ("click_ax", {"ref_id": "[ref_1]"}, "bad_ref", "as the accessibility tree shows it"),
        ("click_ax", {"ref_id": "ref_98765"}, "unknown_ref", "read the accessibility tree"),
        ("set_field", {"ref_id": "ref_98765", "text": "x"}, "unknown_ref", "read the accessibility tree"),
        ("hover", {"ref_id": "ref_98765"}, "unknown_ref", "read the accessibility tree"),
        ("click", {"selector": "#["}, "bad_selector", "selector"),
        ("click", {"selector": "button:contains('Buy')"}, "bad_selector", "text"),
        ("click", {"selector": "#nowhere"}, "not_found", "matches"),
        ("click", {"text": "Sell"}, "not_found", ""),
        ("click", {"x": 0.5, "y": 0.25}, "normalised_coordinates", "pixels"),
        ("click", {"x": 5_000, "y": 20}, "outside_viewport", "Scroll first"),
        ("click", {"index": 77}, "unknown_index", "get_interactive_elements"),
        ("type_text", {"selector": "#[", "text": "x"}, "bad_selector", "selector"),
        ("verify_form", {"selector": ":has-text(x)"}, "bad_selector", "selector"),
        ("wait_for_element", {"selector": "#["}, "bad_selector", "selector"),
        ("iframe_click", {"urlFilter": "pay.example", "selector": "button"}, "no_frames", "ordinary tools"),
        ("upload_file", {"downloadId": 987_654}, "no_download", "list_downloads"),
        ("read_downloaded_file", {"downloadId": 987_654}, "no_download", "list_downloads"),
        ("fetch_url", {"url": FORBIDDEN}, "forbidden_address", ""),
        ("research_url", {"url": FORBIDDEN}, "forbidden_address", ""),
        ("read_pdf", {"url": FORBIDDEN}, "forbidden_address", ""),
        ("fetch_url", {"url": "file:///etc/passwd"}, "bad_url", "http"),
        ("navigate", {"url": "javascript:document.title='run'"}, "bad_url", ""),
        ("navigate", {"url": "file:///etc/passwd"}, "bad_url", ""),
        ("switch_tab", {"tab_id": 987_654}, "", ""),
    ],
)
def test_what_means_nothing_here(
    player: Player, tool: str, arguments: dict[str, Any], code: str, advice: str
) -> None:
    player.show(PAGE)
    player.tree()
    answer = player.call(tool, **arguments)
    assert not answer["success"], answer
    if code:
        assert answer["code"] == code, answer
    assert advice in answer["error"], answer
    assert player.js("[document.title, i.value, location.protocol]") == ["Test", "", "http:"]


def test_a_text_that_means_several_things(player: Player) -> None:
    """Candidates with what tells them apart, never a guess; each of them can be pressed by its reference."""
    player.show(
        "".join(
            f"<section aria-label=Lamp-{n}><h2>Lamp {n}</h2><button onclick='document.title = {n}'>Buy</button></section>"
            for n in (1, 2, 3)
        )
    )
    answer = player.call("click", text="Buy")
    assert (answer["success"], answer["code"], answer["matchCount"]) == (False, "ambiguous", 3)
    assert player.js("document.title") == "Test"
    second = answer["candidates"][1]
    assert "Lamp-2" in second["ancestor"], answer
    assert player.call("click_ax", ref_id=second["ref_id"])["success"]
    assert player.js("document.title") == "2"


def test_a_download_that_is_refused(player: Player) -> None:
    """Each file has its own outcome; what the guard forbids is not asked for."""
    player.port.call("settings.set", values={"agentAllowLocalNetwork": True})
    player.show(PAGE)
    good = player.site.page("lamp", "text/plain")
    forbidden = player.call("download_files", urls=[FORBIDDEN, good])
    assert (forbidden["success"], forbidden["code"]) == (False, "forbidden_address"), forbidden
    assert "files" not in forbidden, "nothing is begun beside it"
    answer = player.call("download_files", urls=[player.origin + "/made/none", good])
    assert not answer["success"], answer
    assert [one["state"] == "complete" for one in answer["files"]] == [False, True], answer
    assert "1 of 2 downloads" in answer["error"]
    assert player.js("document.title") == "Test"
