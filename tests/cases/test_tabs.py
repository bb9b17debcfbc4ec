# ruff: noqa: E501 (markup of the pages under test is more readable unwrapped)
"""Tabs, dialogs and files."""

import pytest

from tests.support.browsers.base import wait_until
from tests.support.player import Player

TARGET = "<!doctype html><title>Target</title><body><button onclick=\"document.title='done'\">Finish</button>"


def opened(player: Player) -> list[str]:
    """Addresses of the tabs beside ours."""
    return [
        tab["url"] for tab in player.browser.tabs() if "/made/" in tab["url"] and tab["id"] != player.tab.id
    ]


@pytest.mark.parametrize(
    "markup",
    [
        '<a target="_blank" href="{url}">Open it</a>',
        '<a target="_blank" rel="noopener" href="{url}">Open it</a>',
        "<button onclick=\"window.open('{url}')\">Open it</button>",
        "<button onclick=\"window.open('{url}', '', 'width=400,height=300,noopener')\">Open it</button>",
    ],
    ids=["blank", "noopener", "script", "pop-up"],
)
def test_75_a_link_opens_a_new_tab(player: Player, markup: str) -> None:
    """The result names the new tab, and the run can go on in it."""
    url = player.site.page(TARGET)
    player.show(markup.format(url=url))
    answer = player.call("click", text="Open it")
    assert answer["success"], answer
    if "newTab" not in answer and player.browser.name == "firefox" and "button" in markup:
        # A script may open a window only after a real press, and pages can tell ours from one.
        assert not opened(player)
        assert "popup" in str(answer).lower() or answer["changed"] == ["nothing"]
        return
    assert answer["newTab"]["url"].startswith(url), answer
    number = answer["newTab"]["tabId"]
    moved = player.call("switch_tab", tab_id=number)
    assert moved["success"], moved
    assert player.click('button "Finish"')["success"]
    assert next(tab["title"] for tab in player.browser.tabs() if tab["id"] == number) == "done"
    assert player.call("close_tab", tab_id=number)["success"]
    assert not opened(player)
    assert "Open it" in player.tree()


def test_76_one_tab_although_it_loads_slowly(player: Player) -> None:
    """The answer names the tab before it has loaded, and the same click once more opens no second one."""
    slow = f"{player.origin}/slow?seconds=2"
    player.show(f'<a target="_blank" href="{slow}">Open it</a>')
    before = {tab["id"] for tab in player.browser.tabs()}
    answer = player.call("click", text="Open it")
    number = answer["newTab"]["tabId"]
    again = player.call("click", text="Open it")
    assert again["success"] is False, again
    assert str(number) in again["error"], again
    assert {tab["id"] for tab in player.browser.tabs()} - before == {number}
    wait_until(
        lambda: any(tab["id"] == number and tab["url"] == slow for tab in player.browser.tabs()),
        10,
        lambda: "the slow page to load",
    )
    assert {tab["id"] for tab in player.browser.tabs()} - before == {number}


def test_77_the_tab_goes_to_the_background(player: Player) -> None:
    """The run goes on in its own tab, whatever is in front."""
    player.case("28-card")
    player.tree()
    other = player.browser.open_tab(player.site.page("<!doctype html><title>Other</title><p>Other"))
    try:
        other.page.activate()
        ref = player.ref_in(player.tree(filter="interactive"))
        assert player.call("click_ax", ref_id=ref)["success"]
        assert player.js("log.textContent") == "card opened"
        assert other.page.eval("document.title") == "Other"
    finally:
        player.browser.close_tab(other)


def test_80_tabs_left_open_are_listed(player: Player) -> None:
    """At the end the person is told which tabs came out of the run."""
    url = player.site.page(TARGET)
    player.show("<p>Home")
    assert player.call("new_tab", url=url)["success"]
    run = player.run
    player.end()
    told = [event for event in player.port.told(run) if event["type"] == "warning"]
    assert any(url in str(event["data"]) for event in told), told


def test_85_an_alert_on_load(player: Player) -> None:
    """Answered by the model where the debugger sees it; where not, said to be in the way, in time."""
    url = player.site.page(
        "<!doctype html><title>Loaded</title><script>alert('Read this')</script><p>After it"
    )
    player.show("<p>Home")
    player.browser.hold_dialogs()
    answer = player.call("navigate", url=url)
    if player.browser.name == "firefox":
        # Nobody reports dialogs there; that the page's timers stand still gives it away.
        assert answer["silent"], answer
        assert [event for event in player.events("warning") if event["code"] == "page_silent"]
        player.tab.page.close_dialog(accept=True)
    else:
        assert answer["dialog"] == {"type": "alert", "message": "Read this"}, answer
        assert player.call("answer_dialog", accept=True)["success"]
    assert "After it" in str(player.call("read_page"))


MENU = """<button onclick="menu.hidden = false">Attach</button>
<div id=menu hidden role=menu><div role=menuitem style="cursor:pointer" onclick="files.click()">From computer</div></div>
<input id=files type=file multiple style="display:none"><ul id=names></ul>
<script>files.onchange = () => { names.innerHTML = [...files.files].map((f) => `<li>${f.name} ${f.size}`).join('') }</script>"""


def test_87_a_hidden_field_behind_a_menu(player: Player) -> None:
    """The file reaches the hidden input, and the page shows its name."""
    player.port.call("settings.set", values={"agentAllowLocalNetwork": True})
    url = player.site.page("name,price\nlamp,20\n", "text/csv")
    player.show(MENU)
    saved = player.call("download_files", url=url, filename="prices.csv")
    assert saved["success"], saved
    listed = player.call("list_downloads", limit=1)
    newest = listed["downloads"][0]
    answer = player.call("upload_file", downloadId=newest["id"])
    assert answer["success"], answer
    # A browser under a test's control may keep its downloads under names of its own.
    assert player.js("names.innerText.trim()") == f"{newest['filename']} 19"


def test_87_several_files_for_one_field(player: Player) -> None:
    """Given together they arrive together. One by one the second takes the place of the first, and says so."""
    player.port.call("settings.set", values={"agentAllowLocalNetwork": True})
    urls = [player.site.page(text, "text/csv") for text in ("name\nlamp\n", "name,price\nrug,9\n")]
    player.show(MENU)
    saved = player.call("download_files", urls=urls)
    assert saved["success"], saved
    numbers = [file["downloadId"] for file in saved["files"]]
    both = player.call("upload_file", downloadIds=numbers)
    assert both["success"], both
    names = [file["name"] for file in both["files"]]
    assert [file["size"] for file in both["files"]] == [10, 17]
    assert player.js("[...document.querySelectorAll('#names li')].map((li) => li.textContent)") == [
        f"{names[0]} 10",
        f"{names[1]} 17",
    ]
    one = player.call("upload_file", downloadIds=numbers[:1])
    assert (one["success"], one["replaced"]) == (True, names[1:]), one
    assert player.js("files.files.length") == 1


def saved_file(player: Player) -> tuple[int, str]:
    """The id and the name of a small file that the browser has downloaded."""
    player.port.call("settings.set", values={"agentAllowLocalNetwork": True})
    url = player.site.page("a picture of a lamp", "text/plain")
    assert player.call("download_files", url=url, filename="photo.txt")["success"]
    newest = player.call("list_downloads", limit=1)["downloads"][0]
    return newest["id"], newest["filename"]


def test_88_a_file_field_that_is_never_in_the_page(player: Player) -> None:
    """Where the debugger can hand it over the page gets the file; where not, the user is asked to choose it."""
    number, name = saved_file(player)
    player.case("88-detached-input")
    answer = player.call("upload_file", downloadId=number, ref_id=player.ref('button "Upload photo"'))
    if player.browser.name == "firefox":
        # No page script reaches an element that is nowhere, and Firefox has no debugger for extensions.
        assert (answer["success"], answer["code"]) == (False, "no_file_input")
        assert f"Ask the user to press it and choose the file {name}" in answer["error"]
        assert player.js("log.textContent") == ""
        return
    assert answer["success"], answer
    assert player.js("log.textContent") == name
    assert answer["shown"] == [name]
    assert player.js("document.querySelector('input')") is None, "nothing of it stays in the page"
    again = player.call("upload_file", downloadId=number, ref_id=player.ref('button "Upload photo"'))
    assert again["success"], again


@pytest.mark.parametrize("held", ["in the page", "in a shadow root"])
def test_88_a_file_field_that_is_made_and_attached_by_the_press(player: Player, held: str) -> None:
    """The other half of such pages: found once the press has put it somewhere."""
    if player.browser.name == "firefox":
        pytest.skip("Without a real press the page makes no field, as the test before shows")
    place = {
        "in the page": "document.body",
        "in a shadow root": "document.body.appendChild(document.createElement('x-a')).attachShadow({mode: 'closed'})",
    }[held]
    number, name = saved_file(player)
    player.show(
        f'<button onclick="ask()">Choose</button><p id=log></p><script>function ask() {{ const i ='
        f" document.createElement('input'); i.type = 'file'; i.hidden = true; {place}.append(i); i.onchange = () => {{"
        f" log.textContent = i.files[0].name + ' ' + i.files[0].size }}; i.click(); }}</script>"
    )
    answer = player.call("upload_file", downloadId=number, ref_id=player.ref('button "Choose"'))
    assert answer["success"], answer
    assert player.js("log.textContent") == f"{name} 19"


def test_88_a_button_without_a_chooser(player: Player) -> None:
    """Pressed or not, the answer says that no chooser opened, and a form is never sent to find out."""
    number, _ = saved_file(player)
    player.show(
        "<button onclick=\"document.title = 'pressed'\">Menu</button>"
        "<form onsubmit=\"document.title = 'sent'; return false\"><button>Send</button></form>"
    )
    answer = player.call("upload_file", downloadId=number, ref_id=player.ref('button "Menu"'))
    assert (answer["success"], answer["code"]) == (False, "no_file_input")
    assert player.js("document.title") == ("pressed" if player.browser.name == "chromium" else "Test")
    sends = player.call("upload_file", downloadId=number, ref_id=player.ref('button "Send"'))
    assert not sends["success"]
    assert player.js("document.title") != "sent"


def test_79_own_pages_are_no_target(player: Player) -> None:
    """A page of the extension is neither left nor operated, and the run says so."""
    settings = f"{player.browser.origin}/settings.html"
    player.open(settings)
    url = player.site.page("<!doctype html><title>Elsewhere</title>")
    answer = player.call("navigate", url=url)
    assert (answer["success"], answer["code"]) == (False, "own_page"), answer
    assert not player.call("get_accessibility_tree")["success"]
    assert player.js("location.href") == settings


def test_back_and_forward(player: Player) -> None:
    """The tab's own history, both ways, and an end that is said."""
    first = player.site.page("<!doctype html><title>One</title><p>First")
    player.open(first)
    player.call("navigate", url=player.site.page("<!doctype html><title>Two</title><p>Second"))
    assert player.call("go_back")["success"]
    assert player.js("document.title") == "One"
    assert player.call("go_forward")["success"]
    assert player.js("document.title") == "Two"
    end = player.call("go_forward")
    assert (end["success"], end["code"]) == (False, "no_history")
    assert player.js("document.title") == "Two"


def test_the_window_gets_another_size(player: Player) -> None:
    """What it became is what the browser says."""
    player.show("<p>Home")
    number = f"(await api.tabs.get({player.tab.id})).windowId"
    size = f"(async (api) => {{ const w = await api.windows.get({number}); return [w.width, w.height] }})"
    size += "(globalThis.browser ?? chrome)"
    before = player.browser.control.eval(size)
    answer = player.call("resize_window", width=930, height=710)
    assert answer["success"], answer
    assert (
        [answer["window"]["width"], answer["window"]["height"]]
        == player.browser.control.eval(size)
        == [930, 710]
    )
    assert player.call("resize_window", width=before[0], height=before[1])["success"]
