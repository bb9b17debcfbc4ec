"""Downloads, and what becomes of them: saving, listing, reading."""

import asyncio
import base64
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tests.support.toolbox import context, page_host
from webbrain.core.errors import BridgeError, OutcomeUnknown
from webbrain.core.results import ToolResult
from webbrain.host.memory import MemoryHost, Reply
from webbrain.host.reach import Download
from webbrain.policy import egress
from webbrain.policy.results import cap_for, render_result
from webbrain.tools import registry
from webbrain.tools.saving import AT_ONCE, WAIT, clean_name

FORBIDDEN = "http://169.254.169.254/"


async def call(host: MemoryHost, name: str, **args: Any) -> ToolResult:
    spec = registry.get(name)
    assert spec
    return await spec.run(context(host), spec.args.model_validate(args))


def finishing(host: MemoryHost, **changes: Any) -> MemoryHost:
    """Downloads end as soon as somebody looks at them."""
    fields = {"state": "complete", "bytes_received": 5, **changes}
    search = host.downloads.search

    async def ended(**asked: Any) -> list[Download]:
        return [replace(row, **fields) if row.id > 1 else row for row in await search(**asked)]

    host.downloads.search = ended  # type: ignore[method-assign]
    return host


# --- download_files ---


async def test_one_file() -> None:
    host = finishing(page_host())
    result = await call(host, "download_files", url="/list.pdf", filename="my list.pdf")
    assert result.success
    assert host.downloads.started == [("https://shop.example/list.pdf", "my list.pdf")]
    assert result.data["downloadId"] == 2
    assert result.data["files"][0]["state"] == "complete"
    assert result.data["files"][0]["filename"] == "my list.pdf", "the folder stays private"
    assert "home" not in str(result.data)


async def test_many_files_a_few_at_once() -> None:
    host = page_host()
    under_way = most = 0
    start, search = host.downloads.start, host.downloads.search

    async def started(url: str, *, filename: str | None = None) -> int:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        return await start(url, filename=filename)

    async def ended(**asked: Any) -> list[Download]:
        nonlocal under_way
        await asyncio.sleep(0)
        under_way -= 1
        return [replace(row, state="complete") for row in await search(**asked)]

    host.downloads.start, host.downloads.search = started, ended  # type: ignore[method-assign]
    urls = [f"https://a.example/{number}" for number in range(10)]
    result = await call(host, "download_files", urls=[*urls, urls[0]], filename="ignored")
    assert result.data["completed"] == 10, "the same address twice is one file"
    assert [url for url, _ in host.downloads.started] == urls
    assert {name for _, name in host.downloads.started} == {None}
    assert most == AT_ONCE
    spec = registry.get("download_files")
    assert spec
    assert len(render_result(spec, result, cap=cap_for(spec, result), nonce="0123abcd")) <= 8_000


async def test_a_slow_one_goes_on_by_itself() -> None:
    host = page_host()
    result = await call(host, "download_files", url="https://a.example/large")
    assert result.success
    assert result.data["inProgress"] == 1
    assert result.notes
    assert WAIT <= host.clock.monotonic() < WAIT + 1


async def test_an_interrupted_one_is_a_failure_beside_the_others() -> None:
    host = page_host()
    host.downloads.refuse("https://a.example/bad")
    search = host.downloads.search

    async def ended(**asked: Any) -> list[Download]:
        rows = await search(**asked)
        return [
            replace(row, state="interrupted", error="NETWORK_FAILED")
            if "cut" in row.url
            else replace(row, state="complete")
            for row in rows
        ]

    host.downloads.search = ended  # type: ignore[method-assign]
    urls = [f"https://a.example/{name}" for name in ("good", "cut", "bad")]
    result = await call(host, "download_files", urls=urls)
    assert not result.success
    assert [entry["state"] for entry in result.data["files"]] == ["complete", "failed", "failed"]
    assert "NETWORK_FAILED" in result.data["files"][1]["error"]
    assert result.data["files"][2]["code"] == "download_refused"
    assert result.summary == "1 of 3 saved, 2 failed"


async def test_one_forbidden_address_stops_all() -> None:
    host = page_host()
    result = await call(host, "download_files", urls=["https://a.example/", FORBIDDEN])
    assert result.data["code"] == "forbidden_address"
    assert not host.downloads.started


def leading(host: MemoryHost, url: str, final: str, *, heads: Reply | None = None) -> MemoryHost:
    """``url`` leads to ``final``; the server answers a HEAD with ``heads`` if that is given."""
    host.http.on("HEAD", url, heads or Reply(url=final))
    host.http.on("GET", url, Reply(url=final, chunks=[b"whatever lies there"]))
    return host


REFUSES_HEAD = Reply(405)


@pytest.mark.parametrize("heads", [None, REFUSES_HEAD], ids=["head", "get"])
@pytest.mark.parametrize("final", [FORBIDDEN, "http://192.168.1.1/backup.cfg", "http://printer.local/scan"])
async def test_no_download_begins_that_a_redirect_leads_to_a_forbidden_address(
    final: str, heads: Reply | None
) -> None:
    host = leading(page_host(), "https://a.example/get", final, heads=heads)
    result = await call(host, "download_files", url="https://a.example/get")
    assert not host.downloads.started
    assert result.data["files"][0] | {"error": ""} == {
        "url": "https://a.example/get",
        "state": "failed",
        "code": "forbidden_address",
        "error": "",
        "finalUrl": final,
    }
    assert all(response.closed for response in host.http.responses), "nothing of it is read"


async def test_without_the_guard_it_would_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    async def off(host: object, capability: object = None) -> egress.Guard:
        return egress.Guard(enabled=False)

    monkeypatch.setattr(egress, "guard", off)
    host = finishing(leading(page_host(), "https://a.example/get", FORBIDDEN))
    result = await call(host, "download_files", url="https://a.example/get")
    assert result.success
    assert host.downloads.started == [(FORBIDDEN, None)]


async def test_it_begins_where_the_redirects_end_and_cookies_go_along() -> None:
    """As in the browser's own download, which meets the same servers with the same cookies."""
    host = finishing(leading(page_host(), "https://a.example/get", "https://files.example/signed?k=1"))
    result = await call(host, "download_files", url="https://a.example/get", filename="a.txt")
    assert host.downloads.started[-1] == ("https://files.example/signed?k=1", "a.txt")
    assert result.data["files"][0]["finalUrl"] == "https://files.example/signed?k=1"
    assert [(one.method, one.cookies, one.follow) for one in host.http.requests[-1:]] == [
        ("HEAD", True, True)
    ]


async def test_a_link_that_works_once_is_not_used_up() -> None:
    host = finishing(page_host())
    result = await call(host, "download_files", url="https://a.example/once")
    assert result.success
    assert [one.method for one in host.http.requests] == ["HEAD"]
    assert "finalUrl" not in result.data["files"][0]


async def test_what_does_not_answer_is_not_saved() -> None:
    """Firefox itself refuses some forbidden addresses, and says no more than that."""
    host = page_host()
    host.http.on("HEAD", "https://dead.example/*", BridgeError("No.", code="net_refused"))
    result = await call(host, "download_files", url="https://dead.example/a")
    assert result.data["files"][0]["code"] == "net_refused"
    assert [one.method for one in host.http.requests] == ["HEAD", "GET"]
    assert not host.downloads.started


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("in_progress", "was stopped"),
        ("complete", "complete before it could be stopped"),
    ],
)
async def test_a_download_that_was_led_astray_all_the_same(state: Any, said: str) -> None:
    """A server may lead the second request elsewhere than the first. What is said of it is true."""
    host = page_host()
    start = host.downloads.start

    async def redirected(url: str, *, filename: str | None = None) -> int:
        number = await start(url, filename=filename)
        host.downloads._rows[number] = replace(host.downloads._rows[number], final_url=FORBIDDEN, state=state)
        return number

    host.downloads.start = redirected  # type: ignore[method-assign]
    result = await call(host, "download_files", url="https://a.example/")
    assert result.data["files"][0]["code"] == "forbidden_address"
    assert said in result.data["files"][0]["error"]
    assert host.downloads.cancelled == [2]
    assert ("tell the user to delete it" in result.data["files"][0]["error"]) == (state == "complete")


async def test_a_download_that_cannot_be_stopped_is_not_called_stopped() -> None:
    host = page_host()
    start = host.downloads.start

    async def redirected(url: str, *, filename: str | None = None) -> int:
        number = await start(url, filename=filename)
        host.downloads._rows[number] = replace(host.downloads._rows[number], final_url=FORBIDDEN)
        return number

    async def kept_on(download_id: int) -> None:
        return None

    host.downloads.start, host.downloads.cancel = redirected, kept_on  # type: ignore[method-assign]
    result = await call(host, "download_files", url="https://a.example/")
    assert "could not be stopped" in result.data["files"][0]["error"]


async def test_an_unknown_start_is_not_called_a_failure_nor_repeated() -> None:
    host = page_host()

    async def lost(url: str, *, filename: str | None = None) -> int:
        raise OutcomeUnknown("The answer was lost.")

    host.downloads.start = lost  # type: ignore[method-assign]
    result = await call(host, "download_files", url="https://a.example/")
    assert result.data["files"][0]["state"] == "unknown"


@pytest.mark.parametrize("args", [{}, {"urls": []}, {"urls": ["https://a.example/"] * 51}, {"url": ""}])
def test_addresses_are_needed_and_capped(args: dict[str, Any]) -> None:
    spec = registry.get("download_files")
    assert spec
    with pytest.raises(ValidationError):
        spec.args.model_validate(args)


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("a.pdf", "a.pdf"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Windows\\a.exe", "a.exe"),
        (".bashrc", "bashrc"),
        ('a<b>:"c|?*.txt', "a_b_c_.txt"),
        ("con.txt", "_con.txt"),
        ("photo\u202egpj.exe", "photo_gpj.exe"),
        ("a\x00b\n.txt", "a_b_.txt"),
        ("..", None),
        ("", None),
        (None, None),
        ("a/", None),
        ("x" * 300 + ".pdf", "x" * 116 + ".pdf"),
    ],
)
def test_names(given: str | None, name: str | None) -> None:
    assert clean_name(given) == name


@given(st.text(max_size=300))
def test_a_name_is_no_path(text: str) -> None:
    name = clean_name(text)
    assert name is None or (0 < len(name) <= 121 and "/" not in name and "\\" not in name and name[0] != ".")


# --- list_downloads, read_downloaded_file ---


async def test_list() -> None:
    host = page_host()
    host.downloads.add(Download(4, "https://a.example/x", "", "C:\\Users\\ada\\x.zip", "in_progress", 5, 50))
    result = await call(host, "list_downloads", limit=5)
    assert [row["id"] for row in result.data["downloads"]] == [4, 1]
    assert result.data["downloads"][0] == {
        "id": 4,
        "filename": "x.zip",
        "state": "in_progress",
        "bytes": 5,
        "url": "https://a.example/x",
        "totalBytes": 50,
    }
    assert "ada" not in str(result.data)


def downloaded(url: str, **more: Any) -> MemoryHost:
    host = page_host()
    host.downloads.add(Download(9, url, more.pop("final_url", url), "/x/tea.bin", "complete", **more))
    return host


async def test_text_is_fetched_again_with_the_rules_of_the_network() -> None:
    host = page_host()
    result = await call(host, "read_downloaded_file", downloadId=1)
    assert result.data["text"] == "Tea, 4 francs"
    assert result.data["filename"] == "price-list.txt"
    assert host.http.requests[-1].cookies is True


async def test_a_data_address_needs_no_network() -> None:
    host = downloaded("data:text/plain;base64," + base64.b64encode("Tée".encode()).decode())
    result = await call(host, "read_downloaded_file", downloadId=9)
    assert result.data["text"] == "Tée"
    assert not host.http.requests


async def test_binary() -> None:
    host = downloaded("https://a.example/x")
    host.http.on(
        "GET", "https://a.example/x", Reply(headers={"content-type": "image/png"}, chunks=[b"\x89PNG"])
    )
    result = await call(host, "read_downloaded_file", downloadId=9)
    assert base64.b64decode(result.data["base64"]) == b"\x89PNG"
    large = Reply(headers={"content-type": "image/png"}, chunks=[bytes(6_000)])
    host.http.on("GET", "https://a.example/x", large)
    result = await call(host, "read_downloaded_file", downloadId=9)
    assert "base64" not in result.data
    assert "upload_file" in result.data["note"]


@pytest.mark.parametrize(
    ("host", "number", "code"),
    [
        (page_host(), 5, "no_download"),
        (downloaded("https://a.example/x", final_url=FORBIDDEN), 9, "forbidden_address"),
        (downloaded("blob:https://a.example/1"), 9, "not_readable"),
        (downloaded("file:///x"), 9, "not_readable"),
        (downloaded("data:text/plain;base64,%%%"), 9, "bad_url"),
        (downloaded("https://gone.example/x"), 9, "net_refused"),
    ],
)
@pytest.mark.parametrize("tool", ["read_downloaded_file", "upload_file"])
async def test_why_not(host: MemoryHost, number: int, code: str, tool: str) -> None:
    result = await call(host, tool, downloadId=number)
    assert not result.success
    assert result.data["code"] == code


async def test_an_unfinished_download_is_not_read() -> None:
    host = page_host()
    host.downloads.add(Download(4, "https://a.example/x", "", "/x", "in_progress"))
    assert (await call(host, "read_downloaded_file", downloadId=4)).data["code"] == "download_not_complete"
    host.downloads.end(4)
    host.http.on("GET", "https://a.example/x", Reply(status=403))
    assert (await call(host, "read_downloaded_file", downloadId=4)).data["code"] == "http_error"


# --- download_resource_from_page, download_social_media ---


def pieces(*parts: bytes, mime: str = "image/png") -> list[dict[str, Any]]:
    sizes = [sum(map(len, parts[:number])) for number in range(len(parts) + 1)]
    return [
        {
            "kind": "data",
            "mime": mime,
            "size": sizes[-1],
            "offset": sizes[number],
            "data": base64.b64encode(part).decode(),
            "nextOffset": sizes[number + 1] if number + 1 < len(parts) else None,
        }
        for number, part in enumerate(parts)
    ]


async def test_a_resource_with_an_address() -> None:
    host = finishing(page_host())
    result = await call(host, "download_resource_from_page", selector="img", filename="a.jpg")
    assert result.success
    assert host.downloads.started == [("https://shop.example/tea.jpg", "a.jpg")]


async def test_a_resource_inside_the_page_is_carried_out_whole() -> None:
    host = finishing(page_host())
    host.page.on("resource", *pieces(b"one", b"two"))
    result = await call(host, "download_resource_from_page", selector="canvas")
    assert result.success
    url, name = host.downloads.started[0]
    assert url == "data:image/png;base64," + base64.b64encode(b"onetwo").decode()
    assert name == "shop.example.png"
    assert [one.args["offset"] for one in host.page.calls] == [0, 3]
    assert len(str(result.data)) < 600


async def test_a_resource_of_another_site_is_left_to_download_files() -> None:
    host = page_host()
    host.page.on("resource", {"kind": "url", "url": "https://cdn.example/tea.jpg"})
    result = await call(host, "download_resource_from_page", selector="img")
    assert result.data["code"] == "other_site"
    assert result.data["useTool"] == "download_files"
    assert not host.downloads.started


@pytest.mark.parametrize(
    ("answers", "code"),
    [
        ([{"success": False, "code": "stream", "error": "A stream."}], "stream"),
        ([{"kind": "url", "url": FORBIDDEN}], "forbidden_address"),
        ([{"kind": "url", "url": "javascript:1"}], "bad_url"),
        ([{**pieces(b"abc")[0], "data": "?"}], "no_answer"),
        ([{**pieces(b"abc", b"d")[0], "nextOffset": 7}], "no_answer"),
        ([{}], "no_answer"),
    ],
)
async def test_what_a_page_may_answer(answers: list[dict[str, Any]], code: str) -> None:
    host = page_host()
    host.page.on("resource", *answers)
    result = await call(host, "download_resource_from_page", selector="img")
    assert result.data["code"] == code
    assert not host.downloads.started


async def test_several_files_are_told_to_choose_from() -> None:
    host = page_host()
    several = {"matchCount": 2, "candidates": [{"selector": "#one"}, {"selector": "#two"}]}
    host.page.on("resource", {"success": False, "code": "ambiguous", "error": "Two.", **several})
    result = await call(host, "download_resource_from_page", selector="img")
    assert result.data["code"] == "ambiguous"
    assert {key: result.data[key] for key in several} == several
    assert not host.downloads.started


async def test_an_endless_resource_ends() -> None:
    host = page_host()

    def endless(asked: Any) -> dict[str, Any]:
        offset = asked.args["offset"]
        data = base64.b64encode(bytes(400_000)).decode()
        return {"kind": "data", "mime": "x/y", "data": data, "nextOffset": offset + 400_000}

    host.page.on("resource", endless)
    result = await call(host, "download_resource_from_page", selector="img")
    assert result.data["code"] == "too_large"


ITEMS = [
    {"kind": "video", "url": "https://cdn.example/a/clip.mp4?x=1"},
    {"kind": "image", "url": "blob:https://shop.example/1"},
    {"kind": "image", "url": "https://cdn.example/b/photo%20one.jpg"},
]


async def test_the_media_of_a_page() -> None:
    host = finishing(page_host())
    host.page.on("media", {"total": 3, "items": ITEMS})
    host.page.on("resource", *pieces(b"pic", mime="image/webp"))
    result = await call(host, "download_social_media", limit=3, filename="post.dat", mode="all")
    assert result.success
    assert (result.data["found"], result.data["triggered"], result.data["completed"]) == (3, 3, 3)
    assert sorted(str(name) for _, name in host.downloads.started) == [
        "post-1.dat",
        "post-2.dat",
        "post-3.dat",
    ]
    one = finishing(page_host())
    one.page.on("media", {"total": 3, "items": ITEMS})
    await call(one, "download_social_media", limit=3, mode="main")
    assert one.downloads.started == [(ITEMS[0]["url"], "clip.mp4")]


async def test_a_streamed_video_fails_closed_beside_the_rest() -> None:
    host = finishing(page_host())
    host.page.on("media", {"total": 2, "items": ITEMS[1:]})
    host.page.on("resource", {"success": False, "code": "stream", "error": "It is a stream."})
    result = await call(host, "download_social_media", limit=2)
    assert not result.success
    assert [entry["state"] for entry in result.data["files"]] == ["complete", "failed"]
    assert result.data["files"][1]["code"] == "stream"


async def test_scrolling_for_more() -> None:
    host = finishing(page_host())
    host.page.on("media", {"total": 1, "items": ITEMS[:1]}, {"total": 2, "items": [ITEMS[0], ITEMS[2]]})
    result = await call(host, "download_social_media", limit=2, scroll=True)
    assert result.data["completed"] == 2
    assert host.page.actions() == ["media", "scroll", "media"]


async def test_nothing_to_save() -> None:
    host = page_host()
    host.page.on("media", {"total": 0, "items": []})
    assert (await call(host, "download_social_media")).data["code"] == "no_media"
    host.page.on("media", {"total": 1, "items": [{"kind": "image", "url": FORBIDDEN}]})
    result = await call(host, "download_social_media")
    assert result.data["files"][0]["code"] == "forbidden_address"
    assert not host.downloads.started


async def test_a_closed_tab_under_the_way() -> None:
    host = page_host()
    host.page.on("media", BridgeError("gone", code="no_tab"))
    assert (await call(host, "download_social_media")).data["code"] == "no_tab"


async def test_what_was_not_saved_comes_with_advice() -> None:
    """More than the limit, a stream that has no file of its own, and nothing at all."""
    host = finishing(page_host())
    shown = [{"kind": "image", "url": f"https://shop.example/{number}.jpg"} for number in range(3)]
    host.page.on("media", {"total": 5, "items": shown})
    result = await call(host, "download_social_media", limit=3)
    assert (result.data["strategy"], result.data["recommendation"]["kind"]) == ("dom", "more")
    assert result.data["recommendation"]["message"].startswith("2 more")
    main = await call(host, "download_social_media", mode="main")
    assert "recommendation" not in main.data, "one was asked for"
    host.page.on("media", {"total": 1, "items": [{"kind": "video", "url": "blob:https://shop.example/1"}]})
    host.page.on("resource", {"success": False, "code": "stream", "error": "A stream."})
    streamed = await call(host, "download_social_media", target="video")
    assert not streamed.success
    assert (streamed.data["triggered"], streamed.data["completed"]) == (0, 0)
    assert streamed.data["recommendation"]["kind"] == "streamed"
    host.page.on("media", {"total": 0, "items": []})
    nothing = await call(host, "download_social_media")
    assert nothing.data["recommendation"]["kind"] == "open_post"
