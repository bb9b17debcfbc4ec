"""read_pdf: which document, which pages, and what fits into a result."""

from typing import Any

import pytest

from tests.support.toolbox import TAB, context, example, page_host
from webbrain.core.errors import BridgeError
from webbrain.core.results import ToolResult
from webbrain.host.memory import MemoryHost, Reply
from webbrain.policy.results import cap_for, render_result
from webbrain.tools import registry
from webbrain.tools.base import ToolContext
from webbrain.tools.read_pdf import PAGES, READ_CHARS, SPEC, Args

URL = "https://shop.example/guide.pdf"
FORBIDDEN = "http://169.254.169.254/x.pdf"


def paper(total: int, text: str = "Page {page} of tea. " * 20) -> Any:
    """A reader's answers about a document of so many pages."""

    def read(call: dict[str, Any]) -> dict[str, Any]:
        pages, left = [], call["max_chars"]
        for page in range(call["from_page"], min(call["to_page"], total) + 1):
            whole = text.format(page=page)
            pages.append({"page": page, "text": whole[:left]})
            left -= len(whole)
            if left <= 0:
                break
        last = pages[-1]["page"] if pages else total
        return {
            "title": "Guide",
            "totalPages": total,
            "fromPage": call["from_page"],
            "toPage": last,
            "pages": pages,
            "truncated": left <= 0,
            "encrypted": False,
        }

    return read


def pdf_host(total: int = 3, url: str = URL, **how: Any) -> MemoryHost:
    host = page_host(url)
    host.http.on("GET", url, Reply(headers={"content-type": "application/pdf"}, chunks=[b"%PDF-1.7"]))
    host.pdfs.on(paper(total, **how))
    return host


async def read(ctx: ToolContext, **args: Any) -> ToolResult:
    return await SPEC.run(ctx, Args.model_validate(args))


async def test_the_tabs_own_document() -> None:
    host = pdf_host(text="Short {page}, and a little longer than that")
    result = await read(context(host))
    assert result.success
    assert host.http.requests[-1].url == URL
    assert host.http.requests[-1].cookies is True
    assert host.pdfs.reads[-1]["data"] == b"%PDF-1.7"
    assert (result.data["fromPage"], result.data["toPage"], result.data["totalPages"]) == (1, 3, 3)
    assert result.data["pages"][1] == {"page": 2, "text": "Short 2, and a little longer than that"}
    assert result.data["hasExtractableText"] is True
    assert result.data["truncated"] is False
    assert "continuationArgs" not in result.data
    assert result.data["byteLength"] == 8
    assert result.summary == "3 of 3 pages"


async def test_a_long_one_is_read_to_its_end_by_following_the_continuation() -> None:
    host = pdf_host(300)
    ctx = context(host)
    seen: dict[int, str] = {}
    arguments: dict[str, Any] = {}
    for _ in range(300):
        result = await read(ctx, **arguments)
        assert len(render_result(SPEC, result, cap=cap_for(SPEC, result), nonce="0123abcd")) <= 8_000
        for page in result.data["pages"]:
            seen[page["page"]] = seen.get(page["page"], "") + page["text"]
        if not result.data["truncated"]:
            break
        arguments = result.data["continuationArgs"]
    assert list(seen) == list(range(1, 301))
    assert all(text == f"Page {page} of tea. " * 20 for page, text in seen.items())
    assert len(host.pdfs.reads) == 300 // PAGES, "the rest came from what was read before"
    assert {call["max_chars"] for call in host.pdfs.reads} == {READ_CHARS}


async def test_a_page_longer_than_a_result_is_continued_within() -> None:
    host = pdf_host(2, text="word " * 3_000)
    ctx = context(host)
    first = await read(ctx)
    go_on = first.data["continuationArgs"]
    assert go_on["fromPage"] == 1
    second = await read(ctx, **go_on)
    assert (
        first.data["pages"][0]["text"] + second.data["pages"][0]["text"]
        == ("word " * 3_000)[: go_on["offset"] + len(second.data["pages"][0]["text"])]
    )


async def test_a_range() -> None:
    host = pdf_host(30)
    result = await read(context(host), fromPage=10, toPage=11)
    assert [page["page"] for page in result.data["pages"]] == [10, 11]
    assert result.data["truncated"] is False
    assert (host.pdfs.reads[-1]["from_page"], host.pdfs.reads[-1]["to_page"]) == (10, 11)


async def test_beyond_the_end() -> None:
    result = await read(context(pdf_host(3)), fromPage=4)
    assert not result.success
    assert result.data["totalPages"] == 3
    assert "only 3 pages" in result.data["error"]


async def test_a_scanned_one_says_so() -> None:
    result = await read(context(pdf_host(2, text="")))
    assert result.success
    assert result.data["hasExtractableText"] is False
    assert "scanned" in result.data["note"]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (BridgeError("The PDF is encrypted and needs a password.", code="pdf_encrypted"), "Tell the user"),
        (BridgeError("The PDF is damaged and cannot be read.", code="pdf_broken"), "damaged"),
        (BridgeError("No answer", code="timeout"), "fewer pages"),
    ],
)
async def test_what_cannot_be_read(error: BridgeError, words: str) -> None:
    host = pdf_host()
    host.pdfs.on(error)
    result = await read(context(host))
    assert result.data["code"] == error.code
    assert words in result.data["error"]


async def test_another_address_is_under_the_guard_and_the_cookie_rule() -> None:
    host = page_host("https://shop.example/list")
    other = "https://papers.example/a.pdf"
    host.http.on(
        "GET", other, Reply(headers={"content-type": "application/octet-stream"}, chunks=[b"%PDF-1.7"])
    )
    assert (await read(context(host), url=other)).success
    assert host.http.requests[-1].cookies is False
    assert (await read(context(host), url=FORBIDDEN)).data["code"] == "forbidden_address"
    host.http.on("GET", other, Reply(chunks=[b"%PDF-1.7"], url=FORBIDDEN))
    assert (await read(context(host), url=other)).data["code"] == "forbidden_address"
    local = await read(context(host), url="http://127.0.0.1/a.pdf")
    assert local.data["code"] == "forbidden_address"


async def test_what_the_tab_shows_may_be_local_but_leads_nowhere_else() -> None:
    host = pdf_host(url="http://192.168.1.5/a.pdf")
    assert (await read(context(host))).success
    answer = Reply(
        headers={"content-type": "application/pdf"}, chunks=[b"%PDF-1.7"], url="http://10.0.0.1/b.pdf"
    )
    host.http.on("GET", "http://192.168.1.5/a.pdf", answer)
    assert (await read(context(host))).data["code"] in ("forbidden_address", "redirected_away")
    assert (await read(context(pdf_host(url=FORBIDDEN)))).data["code"] == "forbidden_address"


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("file:///home/ada/a.pdf", "local_file"),
        ("chrome://settings/", "restricted_page"),
        ("about:blank", "restricted_page"),
    ],
)
async def test_tabs_that_show_none(url: str, code: str) -> None:
    assert (await read(context(page_host(url)))).data["code"] == code


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (Reply(headers={"content-type": "text/html"}, chunks=[b"<p>"]), "no_pdf"),
        (Reply(status=404), "http_error"),
        (Reply(headers={"content-type": "application/pdf"}, chunks=[bytes(8_000_000)] * 5), "too_large"),
    ],
)
async def test_what_a_server_may_answer(reply: Reply, code: str) -> None:
    host = pdf_host()
    host.http.on("GET", URL, reply)
    result = await read(context(host))
    assert result.data["code"] == code
    assert not host.pdfs.reads


@pytest.mark.parametrize("name", ["read_page", "get_accessibility_tree", "find_text", "click_ax"])
async def test_tools_for_pages_point_here(name: str) -> None:
    """Where the browser shows a PDF by a page of its own, its name tells what it is."""
    spec = registry.get(name)
    assert spec
    host = page_host("https://shop.example/Guide.PDF#page=2")
    for action in ("read_page", "tree", "find_text", "click_ax"):
        host.page.on(action, BridgeError("closed", code="restricted_page"))
    result = await spec.run(context(host), example(spec))
    assert (result.data["code"], result.data["useTool"]) == ("pdf_tab", "read_pdf")
    host.browser.move(TAB, "https://shop.example/list")
    result = await spec.run(context(host), example(spec))
    assert result.data["code"] == "restricted_page"
    assert "for a PDF use read_pdf" in result.data["error"]


async def test_a_page_that_failed_is_marked() -> None:
    host = pdf_host()
    found = paper(1)({"from_page": 1, "to_page": 1, "max_chars": 9})
    host.pdfs.on({**found, "pages": [{"page": 1, "text": "", "failed": True}], "truncated": False})
    result = await read(context(host))
    assert result.data["pages"] == [{"page": 1, "text": "", "failed": True}]
