"""Network and files with the built extension: what may be reached, with which cookies, and what it leaves."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.browsers import Tab
from tests.support.browsers.base import wait_until
from tests.support.file_site import File, FileSite
from tests.support.screens import Panel
from tests.support.stage import Stage
from tests.support.tool_runs import allow_local_network, use

TEXT = "text/plain; charset=utf-8"
PICTURE = (
    b'<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200"><rect width="300" height="200"/></svg>'
)
HOME = """<!doctype html><title>Home</title><h1>Files</h1>
<input type="file" id="file"><p id="shown"></p>
<img id="drawn" width="300" height="200"><main><img id="photo" src="/photo.svg" alt="A photo"></main>
<script>
file.onchange = async () => { shown.textContent = file.files[0].name + ': ' + await file.files[0].text(); };
drawn.src = URL.createObjectURL(new Blob([`SVG`], {type: 'image/svg+xml'}));
</script>""".replace("SVG", PICTURE.decode())
DRAWN = """<!doctype html><title>Drawn</title><nav>menu</nav><main id="main"></main>
<script>setTimeout(() => {
  document.cookie = 'seen=1';
  main.innerHTML = '<h1>Drawn by a script</h1><p>' + 'tea '.repeat(80) + '</p><a href="/next">Next page</a>';
}, 300);</script>"""

FILES: dict[str, File | bytes | str] = {
    "/": HOME,
    "/data": File("Tée, 4 francs".encode(), TEXT),
    "/secret": File(b"a secret of the local network", TEXT),
    "/drawn": DRAWN,
    "/away": "<!doctype html><script>location = 'http://0.0.0.0:PORT/secret'</script>",
    "/list.txt": File(b"Tea, 4 francs", TEXT, saved=True),
    "/led.txt": File(b"Led here", TEXT, saved=True),
    "/photo.svg": File(PICTURE, "image/svg+xml"),
}


@pytest.fixture(scope="module")
def module_site() -> Iterator[FileSite]:
    files = dict(FILES)
    with FileSite(files) as site:
        files["/away"] = str(files["/away"]).replace("PORT", str(site.port))
        yield site


@pytest.fixture(scope="module")
def local_network(module_stage: Stage) -> None:
    """Local servers stand for the web here, so the setting is switched on."""
    allow_local_network(module_stage.browser)


@pytest.fixture
def site(module_site: FileSite) -> FileSite:
    module_site.hits.clear()
    return module_site


@pytest.fixture
def opened(stage: Stage, site: FileSite) -> tuple[Tab, Panel]:
    tab = stage.open_tab(f"{site.url}/")
    panel = stage.open_panel(tab)
    site.hits.clear()
    return tab, panel


def test_the_local_network_is_off_by_default(stage: Stage, site: FileSite, opened: tuple[Tab, Panel]) -> None:
    """Runs first: the setting is as it was installed."""
    _, panel = opened
    for tool, url in (("fetch_url", "/data"), ("research_url", "/drawn"), ("download_files", "/list.txt")):
        step = use(stage, panel, tool, url=url)
        assert step.result["code"] == "forbidden_address", tool
    assert not site.hits


@pytest.mark.usefixtures("local_network")
class TestAllowed:
    """With the setting on."""

    def test_cookies_go_to_the_same_site_only(
        self, stage: Stage, site: FileSite, opened: tuple[Tab, Panel]
    ) -> None:
        _, panel = opened
        own = use(stage, panel, "fetch_url", answers=("once",), url="/data")
        assert own.ok, own.result
        assert own.result["text"] == "Tée, 4 francs"
        assert site.asked("/data") == ["who=user"]
        other = use(stage, panel, "fetch_url", answers=("once",), url=f"{site.other}/data")
        assert other.ok, other.result
        assert site.asked("/data") == ["who=user", ""]

    def test_a_no_is_a_no(self, stage: Stage, site: FileSite, opened: tuple[Tab, Panel]) -> None:
        _, panel = opened
        step = use(stage, panel, "fetch_url", answers=("deny",), url="/data")
        assert step.result["code"] == "denied"
        assert not site.hits

    def test_a_redirect_to_a_forbidden_address_is_thrown_away(
        self, stage: Stage, site: FileSite, opened: tuple[Tab, Panel]
    ) -> None:
        _, panel = opened
        forbidden = f"http://0.0.0.0:{site.port}/secret"
        step = use(stage, panel, "fetch_url", answers=("once",), url=f"{site.other}/to?{forbidden}")
        assert not step.ok
        assert "a secret" not in step.text
        if stage.browser.name == "firefox":
            # Firefox itself goes to no such address, and no other forbidden one leads to this machine.
            assert step.result["code"] == "net_refused"
        else:
            assert step.result["code"] == "forbidden_address"
            assert step.result["finalUrl"] == forbidden
            assert site.asked("/secret"), "it was reached, and its answer not used"

    def test_a_redirect_away_after_cookies_is_thrown_away(
        self, stage: Stage, site: FileSite, opened: tuple[Tab, Panel]
    ) -> None:
        _, panel = opened
        step = use(stage, panel, "fetch_url", answers=("once",), url=f"/to?{site.other}/secret")
        assert step.result["code"] == "redirected_away"
        assert step.result["finalUrl"] == f"{site.other}/secret"
        assert "a secret" not in step.text
        followed = use(stage, panel, "fetch_url", answers=("once",), url=f"{site.other}/to?{site.url}/data")
        assert followed.result["text"] == "Tée, 4 francs", "without cookies it may go anywhere public"

    def test_research_reads_what_scripts_draw_and_closes_its_tab(
        self, stage: Stage, site: FileSite, opened: tuple[Tab, Panel]
    ) -> None:
        _, panel = opened
        before = {tab["id"] for tab in stage.browser.tabs()}
        step = use(stage, panel, "research_url", answers=("once",), url="/drawn")
        assert step.ok, step.result
        assert "Drawn by a script" in step.result["text"]
        assert "menu" not in step.result["text"]
        assert step.result["links"] == [{"text": "Next page", "url": f"{site.url}/next"}]
        assert {tab["id"] for tab in stage.browser.tabs()} == before

    def test_research_that_is_led_to_a_forbidden_address_shows_nothing(
        self, stage: Stage, site: FileSite, opened: tuple[Tab, Panel]
    ) -> None:
        _, panel = opened
        before = {tab["id"] for tab in stage.browser.tabs()}
        step = use(stage, panel, "research_url", answers=("once",), url="/away")
        assert not step.ok
        assert "a secret" not in step.text
        assert {tab["id"] for tab in stage.browser.tabs()} == before

    def test_a_stopped_research_closes_its_tab(
        self, stage: Stage, site: FileSite, opened: tuple[Tab, Panel]
    ) -> None:
        from tests.support.script import call

        _, panel = opened
        before = {tab["id"] for tab in stage.browser.tabs()}
        stage.plan(call("research_url", url="/drawn"))
        panel.send("Research.", "act")
        panel.wait_card()
        panel.answer("once")
        wait_until(lambda: site.asked("/drawn"), 30, lambda: "the hidden tab to load")
        panel.stop()
        wait_until(
            lambda: {tab["id"] for tab in stage.browser.tabs()} == before, 30, lambda: "the tab to be closed"
        )

    def test_a_download_can_be_listed_read_and_handed_to_a_page(
        self, stage: Stage, site: FileSite, opened: tuple[Tab, Panel]
    ) -> None:
        tab, panel = opened
        saved = use(stage, panel, "download_files", answers=("once",), url="/list.txt")
        assert saved.ok, saved.result
        assert saved.result["completed"] == 1
        number = saved.result["downloadId"]
        listed = use(stage, panel, "list_downloads", limit=5)
        row = next(row for row in listed.result["downloads"] if row["id"] == number)
        assert (row["state"], row["bytes"]) == ("complete", 13)
        read = use(stage, panel, "read_downloaded_file", answers=("once",), downloadId=number)
        assert read.result["text"] == "Tea, 4 francs"
        handed = use(stage, panel, "upload_file", answers=("once",), downloadId=number, selector="#file")
        assert handed.ok, handed.result
        tab.page.wait("document.querySelector('#shown').textContent.endsWith(': Tea, 4 francs')")

    def test_a_download_is_not_begun_where_a_redirect_leads_astray(
        self, stage: Stage, site: FileSite, opened: tuple[Tab, Panel]
    ) -> None:
        """Neither browser has a row for it afterwards. Where redirects may lead, it begins at their end."""
        _, panel = opened
        before = rows(stage)
        forbidden = f"http://0.0.0.0:{site.port}/secret"
        step = use(stage, panel, "download_files", answers=("once",), url=f"{site.other}/to?{forbidden}")
        assert not step.ok
        # Firefox itself goes to no such address.
        refused = "net_refused" if stage.browser.name == "firefox" else "forbidden_address"
        assert step.result["files"][0]["code"] == refused, step.result
        assert rows(stage) == before
        kept = use(
            stage, panel, "download_files", answers=("once",), url=f"{site.other}/to?{site.url}/led.txt"
        )
        assert kept.ok, kept.result
        assert saved_bytes(kept.result) == len(b"Led here")
        assert rows(stage) - before == {f"{site.url}/led.txt"}
        sent = site.asked("/led.txt")
        assert sent
        assert all("who=user" in cookies.split("; ") for cookies in sent), "the cookies of where it led"
        assert len(site.asked("/to")) >= 2

    def test_files_that_exist_only_in_the_page(
        self, stage: Stage, site: FileSite, opened: tuple[Tab, Panel]
    ) -> None:
        _, panel = opened
        step = use(
            stage,
            panel,
            "download_resource_from_page",
            answers=("once",),
            selector="#drawn",
            filename="a.svg",
        )
        assert step.ok, step.result
        assert saved_bytes(step.result) == len(PICTURE)

    def test_the_picture_a_page_is_about(
        self, stage: Stage, site: FileSite, opened: tuple[Tab, Panel]
    ) -> None:
        _, panel = opened
        step = use(stage, panel, "download_social_media", answers=("once",), target="image", mode="main")
        assert step.ok, step.result
        assert step.result["found"] == 2
        assert step.result["files"][0]["url"] == f"{site.url}/photo.svg"
        assert saved_bytes(step.result) == len(PICTURE)


def saved_bytes(result: dict[str, Any]) -> int:
    file = result["files"][0]
    assert file["state"] == "complete", file
    return int(file["bytes"])


def rows(stage: Stage) -> set[str]:
    """Addresses of all downloads that the browser knows."""
    script = "(globalThis.browser ?? chrome).downloads.search({}).then((all) => all.map((one) => one.url))"
    return set(stage.browser.control.eval(script))
