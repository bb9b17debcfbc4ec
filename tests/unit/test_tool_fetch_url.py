"""fetch_url: what goes out, where it may lead, and what comes back."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tests.support.toolbox import context, page_host
from webbrain.core.errors import BridgeError, OutcomeUnknown
from webbrain.core.limits import TOOL_RESULT_CHARS
from webbrain.core.results import ToolResult
from webbrain.host.memory import CUT, STALL, MemoryHost, Reply
from webbrain.policy import egress
from webbrain.policy.results import cap_for, render_result
from webbrain.tools.fetch_url import SPEC, Args, found_in
from webbrain.tools.fetching import decoded, window
from webbrain.tools.webtext import html_text

OWN = "https://api.shop.example/tea"
OTHER = "https://news.example/tea"
FORBIDDEN = "http://169.254.169.254/latest/"


def serving(body: bytes | str, mime: str = "text/plain", url: str = OWN, **more: Any) -> MemoryHost:
    host = page_host()
    content = body.encode() if isinstance(body, str) else body
    headers = {"content-type": mime, "content-length": str(len(content)), **more.pop("headers", {})}
    host.http.on("*", url, Reply(headers=headers, chunks=[content], **more))
    for method in ("GET", "HEAD"):
        host.http.on(method, url, Reply(headers=headers, chunks=[content], **more))
    return host


async def fetch(host: MemoryHost, url: str = OWN, **args: Any) -> ToolResult:
    return await SPEC.run(context(host), Args.model_validate({"url": url, **args}))


async def test_text() -> None:
    result = await fetch(serving("Tea, 4 francs"))
    assert result.success
    assert result.data == {
        "status": 200,
        "contentType": "text/plain",
        "url": OWN,
        "text": "Tea, 4 francs",
        "offset": 0,
        "returnedLength": 13,
        "originalLength": 13,
        "hasMore": False,
    }
    assert result.summary == "status 200, 13 characters"


async def test_a_long_text_comes_in_parts_that_fit_together() -> None:
    text = "".join(f'line {number} "quoted"\n' for number in range(3_000))
    host = serving(text)
    parts, offset = [], 0
    while True:
        result = await fetch(host, offset=offset)
        assert (
            len(render_result(SPEC, result, cap=cap_for(SPEC, result), nonce="0123abcd")) <= TOOL_RESULT_CHARS
        )
        assert "more characters cut" not in json.dumps(result.data)
        parts.append(result.data["text"])
        if not result.data["hasMore"]:
            break
        offset = result.data["nextOffset"]
    assert "".join(parts) == text
    assert len(parts) > 5


async def test_find() -> None:
    text = "tea\n" * 30 + "Black TEA is tea"
    result = await fetch(serving(text), find="Tea")
    assert result.data["matchCount"] == 32
    assert len(result.data["matches"]) == 20
    assert [match["line"] for match in result.data["matches"][:3]] == [1, 2, 3]
    assert "text" not in result.data
    missing = await fetch(serving(text), find="coffee")
    assert (missing.data["matches"], missing.data["matchCount"]) == ([], 0)


async def test_html_is_read_as_what_it_says() -> None:
    html = (
        "<html><head><title> Tea &amp; co </title><style>p {}</style><script>alert('x')</script></head>"
        "<body><h1>Tea</h1><p>Black<br>or <b>green</b></p><ul><li>one<li>two</ul>"
        "<script>var a = '<p>no</p>'</script><img alt='A pot'><noscript>no</noscript></body></html>"
    )
    result = await fetch(serving(html, "text/html; charset=utf-8"))
    assert result.data["title"] == "Tea & co"
    assert result.data["text"] == "# Tea\n\nBlack\nor green\n\n- one\n- two\n[A pot]"


async def test_json_is_laid_out() -> None:
    result = await fetch(serving('{"tea":[1,2]}', "application/json"))
    assert result.data["text"] == '{\n "tea": [\n  1,\n  2\n ]\n}'
    broken = await fetch(serving("{not json", "application/vnd.tea+json"))
    assert broken.data["text"] == "{not json"
    deep = await fetch(serving("[" * 100_000, "application/json"))
    assert deep.success


async def test_binary_is_not_read() -> None:
    host = serving(b"\x89PNG", "image/png")
    result = await fetch(host)
    assert result.success
    assert result.data["sizeBytes"] == 4
    assert "download_files" in result.data["note"]
    assert host.http.responses[-1].closed
    nameless = await fetch(serving(b"\x00\x01\x02", ""))
    assert "note" in nameless.data


async def test_an_error_of_the_server_is_a_failure_with_its_body() -> None:
    result = await fetch(serving("no tea here", status=404))
    assert not result.success
    assert result.data["code"] == "http_error"
    assert result.data["text"] == "no tea here"
    assert "404" in result.data["error"]


WRITES = ["POST", "PUT", "PATCH", "DELETE"]


async def write(host: MemoryHost, url: str = OWN, **args: Any) -> ToolResult:
    """A request that a person has allowed."""
    ctx = replace(context(host), allow_api=True)
    return await SPEC.run(ctx, Args.model_validate({"url": url, **args}))


@pytest.mark.parametrize("method", WRITES)
async def test_writing_needs_leave(method: str) -> None:
    host = serving("x")
    result = await fetch(host, method=method, body="a=1")
    assert result.data["requiresApiAllow"] is True
    assert "/allow-api" in result.data["error"]
    assert not host.http.requests


@pytest.mark.parametrize("method", WRITES)
@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ('{"tea": 4}', "application/json"),
        ("tea=4&cups=2", "application/x-www-form-urlencoded"),
        ("Four cups, please", "text/plain;charset=UTF-8"),
    ],
)
async def test_writing_with_leave(method: str, body: str, kind: str) -> None:
    host = serving("stored")
    host.http.on(method, OWN, Reply(headers={"content-type": "text/plain"}, chunks=[b"stored"]))
    result = await write(host, method=method, body=body)
    assert result.success
    assert result.data["text"] == "stored"
    (sent,) = host.http.requests
    assert (sent.method, sent.body, sent.headers["Content-Type"]) == (method, body.encode(), kind)
    assert not sent.follow, "a redirect would send it once more, elsewhere"


@pytest.mark.parametrize("code", ["net_timeout", "net_refused", "net_cut"])
async def test_a_write_without_an_answer_may_have_happened(code: str) -> None:
    host = page_host()
    host.http.on("POST", OWN, BridgeError("Gone.", code=code))
    with pytest.raises(OutcomeUnknown, match="not known"):
        await write(host, method="POST", body="{}")


async def test_a_write_that_never_left_did_not_happen() -> None:
    host = page_host()
    host.http.on("POST", OWN, BridgeError("This computer is offline.", code="offline"))
    assert (await write(host, method="POST", body="{}")).data["code"] == "offline"
    assert (await write(host, FORBIDDEN, method="POST")).data["code"] == egress.FORBIDDEN


async def test_reading_carries_no_body() -> None:
    host = serving("x")
    assert (await fetch(host, body="a=1")).data["code"] == "bad_body"
    assert not host.http.requests


async def test_head() -> None:
    host = serving("Tea")
    result = await fetch(host, method="HEAD")
    assert result.data["sizeBytes"] == 3
    assert "text" not in result.data
    assert host.http.requests[-1].method == "HEAD"


async def test_headers_are_few_and_named() -> None:
    host = serving("Tea", status=206, headers={"content-range": "bytes 0-2/9"})
    result = await fetch(host, headers={"Accept": "text/plain", "Range": "bytes=0-2"})
    assert result.data["contentRange"] == "bytes 0-2/9"
    assert host.http.requests[-1].headers == {"Accept": "text/plain", "Range": "bytes=0-2"}
    for name in ("Cookie", "Authorization", "X-Api-Key", "Host", "Origin", "cookie"):
        with pytest.raises(ValidationError):
            Args.model_validate({"url": OWN, "headers": {name: "x"}})
    with pytest.raises(ValidationError):
        Args.model_validate({"url": OWN, "headers": {"Accept": "a\r\nCookie: b"}})


# --- where it may go ---


async def test_cookies_go_to_the_tabs_own_site_only() -> None:
    own = serving("x")
    await fetch(own)
    assert own.http.requests[-1].cookies is True
    other = serving("x", url=OTHER)
    await fetch(other, OTHER)
    assert other.http.requests[-1].cookies is False
    plain = serving("x", url="http://api.shop.example/tea")
    await fetch(plain, "http://api.shop.example/tea")
    assert plain.http.requests[-1].cookies is False, "never from https to http"


@pytest.mark.parametrize("url", [FORBIDDEN, "http://localhost/", "file:///etc/passwd", "http://2130706433/"])
async def test_a_forbidden_address_is_not_asked(url: str) -> None:
    host = page_host()
    result = await fetch(host, url)
    assert result.data["code"] in ("forbidden_address", "bad_url")
    assert not host.http.requests


@pytest.mark.parametrize("asked", [OWN, OTHER])
async def test_a_redirect_to_a_forbidden_address_is_thrown_away(asked: str) -> None:
    host = serving("secret", url=asked)
    host.http.on("GET", asked, Reply(chunks=[b"secret"], url=FORBIDDEN))
    result = await fetch(host, asked)
    assert result.data["code"] == "forbidden_address"
    assert result.data["finalUrl"] == FORBIDDEN
    assert "secret" not in str(result.data)
    assert host.http.responses[-1].closed


async def test_without_the_guard_it_would_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control of the test above."""

    async def off(_host: Any) -> egress.Guard:
        return egress.Guard(enabled=False)

    monkeypatch.setattr(egress, "guard", off)
    host = page_host()
    host.http.on(
        "GET", OTHER, Reply(chunks=[b"secret"], headers={"content-type": "text/plain"}, url=FORBIDDEN)
    )
    assert (await fetch(host, OTHER)).data["text"] == "secret"


async def test_a_redirect_away_after_cookies_is_thrown_away() -> None:
    host = page_host()
    host.http.on("GET", OWN, Reply(chunks=[b"secret"], url=OTHER))
    result = await fetch(host)
    assert result.data["code"] == "redirected_away"
    assert result.data["finalUrl"] == OTHER
    assert host.http.responses[-1].closed


async def test_a_redirect_within_the_site_or_without_cookies_is_followed() -> None:
    host = page_host()
    text = {"content-type": "text/plain"}
    host.http.on("GET", OWN, Reply(chunks=[b"tea"], headers=text, url="https://www.shop.example/x"))
    result = await fetch(host)
    assert result.data["text"] == "tea"
    assert result.data["redirected"] is True
    assert result.data["url"] == "https://www.shop.example/x"
    host.http.on("GET", OTHER, Reply(chunks=[b"news"], headers=text, url="https://elsewhere.example/"))
    assert (await fetch(host, OTHER)).data["text"] == "news"


async def test_relative_addresses_count_from_the_page() -> None:
    host = serving("x", url="https://shop.example/prices.csv")
    assert (await fetch(host, "/prices.csv")).success


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (BridgeError("no", code="net_refused"), "net_refused"),
        (BridgeError("no", code="net_timeout"), "net_timeout"),
        (Reply(headers={"content-type": "text/plain"}, chunks=[b"x", CUT]), "net_cut"),
        (Reply(headers={"content-type": "text/plain"}, chunks=[b"x", STALL]), "net_stalled"),
        (Reply(headers={"content-type": "text/plain"}, chunks=[bytes(1_000_000)] * 5), "too_large"),
    ],
)
async def test_what_goes_wrong_on_the_way_is_told(answer: Any, code: str) -> None:
    host = page_host()
    host.http.on("GET", OWN, answer)
    result = await fetch(host)
    assert not result.success
    assert result.data["code"] == code
    assert len(result.data["error"]) > 20


# --- text ---


@pytest.mark.parametrize(
    ("body", "content_type", "text"),
    [
        ("tée".encode(), "text/plain", "tée"),
        ("tée".encode("latin-1"), "text/plain; charset=ISO-8859-1", "tée"),
        ("tée".encode("utf-16"), "text/plain", "tée"),
        (b"\xef\xbb\xbft\xc3\xa9e", "text/plain; charset=latin-1", "tée"),
        (b'<meta charset="windows-1252"><p>t\xe9e', "text/html", '<meta charset="windows-1252"><p>tée'),
        (b"t\xe9e", "text/plain; charset=no-such", "t�e"),
        (b"abc", "text/plain; charset=zlib", "abc"),
        (b"\xff\xfe\xff", "text/plain", "�"),
    ],
)
def test_decoding(body: bytes, content_type: str, text: str) -> None:
    assert decoded(body, content_type) == text


@given(st.binary(max_size=200), st.text(max_size=30))
def test_decoding_never_fails(body: bytes, charset: str) -> None:
    assert isinstance(decoded(body, f"text/plain; charset={charset}"), str)


@given(st.text(), st.integers(0, 300), st.integers(1, 100), st.integers(20, 200))
def test_windows_cover_a_text(text: str, offset: int, limit: int, room: int) -> None:
    part = window(text, offset, limit, room)
    assert part["text"] == text[part["offset"] : part["offset"] + part["returnedLength"]]
    assert part["returnedLength"] <= limit
    assert len(json.dumps(part["text"], ensure_ascii=False)) <= room
    assert part["hasMore"] is (part["offset"] + part["returnedLength"] < len(text))
    if part["hasMore"]:
        assert part["nextOffset"] > part["offset"], "there is always progress"


@given(st.text(alphabet="aAİßtea \n", max_size=100), st.text(alphabet="aAİtea", min_size=1, max_size=3))
def test_hits_are_where_they_say(text: str, wanted: str) -> None:
    result = found_in(text, wanted)
    for match in result["matches"]:
        hit = text[match["offset"] : match["offset"] + len(wanted)]
        assert hit.lower() == wanted.lower() or "İ" in hit + wanted
        assert match["line"] == text[: match["offset"]].count("\n") + 1


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("plain", "plain"),
        ("<p>a</p><p>b</p>", "a\n\nb"),
        ("<table><tr><th>A<th>B<tr><td>1<td>2</table>", "| A | B\n| 1 | 2"),
        ("a<script>b</script>c", "ac"),
        ("a<script>b", "a"),
        ("<head><title>T</title></head>x", "x"),
        ("<head><title>T</title><body>x", "x"),
        ("<svg><title>no</title><text>no</text></svg>x", "x"),
        ("a &lt;b&gt; &#x41;", "a <b> A"),
        ("<p>one\n   two</p>", "one two"),
        ("<div><div><div>", ""),
        ("a<![/>b<![if x]>c", "abc"),
        ("</p></p>x", "x"),
        ("<!-- <p>no</p> -->x<![CDATA[y]]>", "x"),
    ],
)
async def test_html(html: str, text: str) -> None:
    assert (await html_text(html))[1] == text


@pytest.mark.parametrize("start", ["<!", "<a ", "<!--", "<a href='", "<![", "</a ", '<a x="', "&#"])
async def test_a_tag_that_never_ends_is_dropped(start: str) -> None:
    """Without that each of these megabytes takes the parser minutes."""
    _, text = await html_text("<p>before</p>" + start * (1_000_000 // len(start)))
    assert text.startswith("before")


async def test_a_file_within_the_page_is_no_text() -> None:
    inline = f"<img src='data:image/png;base64,{'A' * 500_000}'><script>{'x' * 500_000}</script>end"
    assert (await html_text(inline))[1] == "end"


@given(st.text(alphabet="<>/!-[]&;ab \"'=scriptheadbody", max_size=300))
async def test_any_html_is_read(html: str) -> None:
    title, text = await html_text(html)
    assert len(title) <= 500
    assert "\n\n\n" not in text
