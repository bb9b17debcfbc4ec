"""PDFs with the built extension: read in a Worker of their own, while the agent goes on."""

import time
from collections.abc import Iterator

import pytest

from tests.support.file_site import File, FileSite
from tests.support.outside import HostOutside
from tests.support.pdf_files import encrypted, pdf, prose
from tests.support.script import call, done, last_result
from tests.support.stage import Stage
from tests.support.tool_runs import allow_local_network, use
from tests.support.whole import WHOLE
from webbrain.testing.chat import Answer, ModelCall

PAGES = 300
READ_ON = 60 if WHOLE else 20
"""Pages that are read one part after the other."""
MIME = "application/pdf"
LONG = pdf([prose(number) for number in range(1, PAGES + 1)], title="Tea in 300 pages", ballast=5_000_000)

FILES: dict[str, File | bytes | str] = {
    "/": "<!doctype html><title>Home</title><h1>Papers</h1>",
    "/long.pdf": File(LONG, MIME),
    "/broken.pdf": File(LONG[:3_000], MIME),
    "/locked.pdf": File(encrypted(pdf(["A secret"]), "word"), MIME),
    "/scanned.pdf": File(pdf(["", ""], image=True), MIME),
}


@pytest.fixture(scope="module")
def site(module_stage: Stage) -> Iterator[FileSite]:
    allow_local_network(module_stage.browser)
    with FileSite(FILES) as running:
        yield running


def epoch(stage: Stage) -> int:
    """The number of the agent's Worker: another one means that it was held up and replaced."""
    status = stage.browser.control.eval(
        """new Promise((done) => {
          const port = (globalThis.browser ?? chrome).runtime.connect({name: 'wb-ui'});
          port.onMessage.addListener((frame) => {
            if (frame.kind === 'reply') { port.disconnect(); done(frame.result.epoch); }
          });
          port.postMessage({target: 'host', kind: 'call', id: 'e', method: 'boot.status', params: {}});
        })"""
    )
    return int(status)


def test_the_tabs_own_document_is_read_from_its_first_page_to_its_last(stage: Stage, site: FileSite) -> None:
    """By the tab alone, without a card: what it shows is read."""
    tab = stage.open_tab(f"{site.url}/long.pdf", wait=False)
    panel = stage.open_panel(tab)
    before = epoch(stage)
    first = use(stage, panel, "read_pdf")
    assert first.ok, first.result
    assert first.result["title"] == "Tea in 300 pages"
    assert first.result["totalPages"] == PAGES
    assert first.result["pages"][0]["text"].startswith("Page 1\nsteam0 teapot1")
    assert first.result["truncated"] is True
    last = use(stage, panel, "read_pdf", fromPage=PAGES - 1)
    assert [page["page"] for page in last.result["pages"]] == [PAGES - 1, PAGES]
    assert last.result["truncated"] is False
    assert epoch(stage) == before
    hint = use(stage, panel, "read_page")
    assert hint.result.get("useTool") == "read_pdf", hint.result


def test_all_pages_one_after_the_other(stage: Stage, site: FileSite) -> None:
    """Following the continuation to the end, the agent keeps answering."""
    tab = stage.open_tab(f"{site.url}/")
    panel = stage.open_panel(tab)
    before = epoch(stage)
    seen: set[int] = set()
    fetched = len(site.asked("/long.pdf"))

    def go_on(model_call: ModelCall) -> Answer:
        step = last_result(model_call)
        assert step.ok, step.result
        seen.update(page["page"] for page in step.result["pages"])
        if not step.result["truncated"] or len(seen) >= READ_ON:
            return done("Read.")
        stage.plan(go_on)
        return call("read_pdf", **step.result["continuationArgs"])

    stage.plan(call("read_pdf", url="/long.pdf"), go_on)
    start = time.monotonic()
    panel.send("Read the paper.", "act")
    panel.wait_card()
    panel.answer("once")
    panel.wait_over(240)
    print(f"{stage.browser.name}: {len(seen)} pages in {time.monotonic() - start:.1f} s")
    assert seen >= set(range(1, READ_ON))
    assert epoch(stage) == before
    assert len(site.asked("/long.pdf")) - fetched <= 5, "most parts come from what was read before"


def test_three_hundred_pages_at_once_hold_nothing_up(stage: Stage) -> None:
    """While the reader works on the whole document, the extension answers other calls as ever."""
    before = epoch(stage)
    outside = HostOutside(stage.browser)
    try:
        pdfs, tabs = outside.host.pdfs, outside.host.browser
        start = time.monotonic()
        work = pdfs.read(LONG, from_page=1, to_page=PAGES, max_chars=1_000_000, timeout=150)
        reading = outside.begin(work)
        slowest = 0.0
        while not reading.done():
            asked = time.monotonic()
            outside.run(tabs.active_tab())
            slowest = max(slowest, time.monotonic() - asked)
        result = reading.result()
        took = time.monotonic() - start
    finally:
        outside.close()
    print(f"{stage.browser.name}: {PAGES} pages in {took:.1f} s, other calls at most {slowest:.2f} s")
    assert [page["page"] for page in result["pages"]] == list(range(1, PAGES + 1))
    assert result["truncated"] is False
    assert sum(len(page["text"]) for page in result["pages"]) > 500_000
    assert slowest < 5, "the heart beat would have given up"
    assert epoch(stage) == before


@pytest.mark.parametrize(
    ("path", "code", "words"),
    [
        ("/broken.pdf", "pdf_broken", "damaged"),
        ("/locked.pdf", "pdf_encrypted", "needs a password"),
        ("/", "no_pdf", "text/html"),
    ],
)
def test_what_cannot_be_read_is_said(stage: Stage, site: FileSite, path: str, code: str, words: str) -> None:
    tab = stage.open_tab(f"{site.url}/")
    step = use(stage, stage.open_panel(tab), "read_pdf", answers=("once",), url=path)
    assert step.result["code"] == code
    assert words in step.result["error"]


def test_a_scanned_document_says_so(stage: Stage, site: FileSite) -> None:
    tab = stage.open_tab(f"{site.url}/")
    step = use(stage, stage.open_panel(tab), "read_pdf", answers=("once",), url="/scanned.pdf")
    assert step.ok
    assert step.result["hasExtractableText"] is False
    assert "scanned" in step.result["note"]
