# ruff: noqa: E501 (markup of the pages under test is more readable unwrapped)
"""resource, media, links: what a page shows besides text."""

import base64
from typing import Any

import pytest

from tests.content.harness import Tab

DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
PIXEL = f"data:image/png;base64,{DOT}"
SIZE = "width=300 height=200"


def whole(tab: Tab, **args: Any) -> bytes:
    """A resource by all its pieces."""
    body, offset = b"", 0
    while True:
        answer = tab.call("resource", **args, offset=offset)
        assert answer["success"], answer
        assert answer["offset"] == len(body)
        body += base64.b64decode(answer["data"])
        assert answer["size"] >= len(body)
        if answer["nextOffset"] is None:
            return body
        offset = answer["nextOffset"]


@pytest.mark.parametrize(
    ("html", "selector", "path"),
    [
        ("<img id=a src=/pic.png>", "#a", "/pic.png"),
        ("<div id=a><p>x<img src=/pic.png></div>", "#a", "/pic.png"),
        ("<a id=a href=/list.pdf>List</a>", "#a", "/list.pdf"),
        ("<video id=a><source src=/film.mp4></video>", "#a", "/film.mp4"),
        ("<object id=a data=/x.bin></object>", "#a", "/x.bin"),
        ("<iframe id=a src=/frame></iframe>", "#a", "/frame"),
    ],
)
def test_what_has_an_address_is_told_by_it(tab: Tab, html: str, selector: str, path: str) -> None:
    answer = tab.show(html).call("resource", selector=selector)
    assert answer == {"success": True, "kind": "url", "url": tab.site.origin + path}


@pytest.mark.parametrize(
    ("html", "selector"),
    [
        ("<img src=/one.png alt=One><img src=/two.png alt=Two>", "img"),
        ("<figure id=a><img src=/one.png alt=One><div><img src=/two.png alt=Two></div></figure>", "#a"),
        ("<ul><li><a href=/one.png>One</a><li><a href=/two.png>Two</a></ul>", "ul"),
    ],
)
def test_of_several_files_none_is_guessed(tab: Tab, html: str, selector: str) -> None:
    answer = tab.show(html).call("resource", selector=selector)
    assert (answer["code"], answer["matchCount"]) == ("ambiguous", 2)
    assert [c["text"] for c in answer["candidates"]] == ["One", "Two"]
    for each in answer["candidates"]:
        assert tab.call("resource", selector=each["selector"])["url"] == each["url"]


@pytest.mark.parametrize(
    ("html", "path"),
    [
        ("<img src=/one.png><img src=/one.png>", "/one.png"),
        ("<img src=/one.png><img hidden src=/two.png>", "/one.png"),
        ("<p><img src=/one.png><a href=/page>More</a></p>", "/one.png"),
    ],
)
def test_what_can_mean_one_file_only_is_no_question(tab: Tab, html: str, path: str) -> None:
    answer = tab.show(html).call("resource", selector="p" if "<p>" in html else "img")
    assert answer["url"] == tab.site.origin + path


def test_files_of_shadow_roots_and_frames(tab: Tab) -> None:
    tab.site.made["/inner/page"] = (
        f"<!doctype html><img id=deep src=pic.png {SIZE}><a href=more>More</a>",
        "text/html",
    )
    tab.show(f"<x-box></x-box><iframe src=/inner/page {SIZE}></iframe>")
    tab.js(
        "document.querySelector('x-box').attachShadow({mode: 'open'}).innerHTML ="
        f" '<img id=pic src=/box.png {SIZE}><a href=/boxed>Boxed</a>'"
    )
    tab.until("frames[0].document.querySelector('a')")
    origin = tab.site.origin
    assert tab.call("resource", selector="#pic")["url"] == f"{origin}/box.png"
    assert tab.call("resource", selector="x-box")["url"] == f"{origin}/box.png"
    assert tab.call("resource", selector="#deep")["url"] == f"{origin}/inner/pic.png"
    found = {item["url"] for item in tab.call("media")["items"]}
    assert found == {f"{origin}/box.png", f"{origin}/inner/pic.png"}
    assert [link["url"] for link in tab.call("links")["links"]] == [f"{origin}/boxed", f"{origin}/inner/more"]
    several = tab.call("resource", selector="img")
    assert [c["selector"] for c in several["candidates"]] == ["#pic", "#deep"]


def test_what_is_in_the_page_only_comes_whole(tab: Tab) -> None:
    tab.show(f"<img id=data src='{PIXEL}'><img id=blob><canvas id=canvas width=20 height=10></canvas>")
    assert whole(tab, selector="#data") == base64.b64decode(DOT)
    size = tab.page.evaluate(
        "() => { const b = new Blob([new Uint8Array(1_000_000).map((_, n) => n % 251)], {type: 'image/x'}); blob.src = URL.createObjectURL(b); return b.size }"
    )
    assert size == 1_000_000
    body = whole(tab, selector="#blob")
    assert body == bytes(n % 251 for n in range(1_000_000))
    assert whole(tab, selector="#canvas").startswith(b"\x89PNG")
    url = tab.page.evaluate("blob.src")
    assert whole(tab, url=url) == body, "by its address too, as media tells it"


def test_a_stream_is_no_file(tab: Tab) -> None:
    tab.show(f"<video id=v {SIZE}></video>")
    tab.page.evaluate("v.src = URL.createObjectURL(new MediaSource())")
    answer = tab.call("resource", selector="#v")
    assert answer["code"] == "stream"
    tab.page.evaluate(
        "{ const url = URL.createObjectURL(new Blob(['x'])); v.src = url; URL.revokeObjectURL(url) }"
    )
    assert tab.call("resource", selector="#v")["code"] == "stream"


@pytest.mark.parametrize(
    ("args", "code"),
    [
        ({"selector": "#none"}, "not_found"),
        ({"selector": "p["}, "bad_selector"),
        ({"selector": ""}, "bad_selector"),
        ({}, "bad_selector"),
        ({"selector": "p"}, "no_resource"),
        ({"url": "https://elsewhere.example/"}, "bad_url"),
        ({"url": "blob:https://elsewhere.example/1"}, "stream"),
    ],
)
def test_bad_input(tab: Tab, args: dict[str, str], code: str) -> None:
    assert tab.show("<p>Text").call("resource", **args)["code"] == code


def test_the_picture_a_page_is_about_comes_first(tab: Tab) -> None:
    pic = tab.site.page("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>", "image/svg+xml")
    tab.show(
        f"""<nav><img src={pic}?logo {SIZE}></nav><img src={pic}?icon width=40 height=40>
        <img src={pic}?side {SIZE}><main><img src={pic}?main {SIZE} alt="Tea"></main>
        <video src=/film?film width=200 height=180></video><img src={pic}?hidden {SIZE} style="display:none">
        <img src={pic}?side {SIZE}><aside><img src={pic}?advert {SIZE}></aside>"""
    )
    answer = tab.call("media", target="media")
    assert [item["url"].rsplit("?", 1)[-1] for item in answer["items"]] == ["main", "film", "side"]
    about = {"kind": "image", "url": f"{pic}?main", "width": 300, "height": 200, "alt": "Tea"}
    assert answer["items"][0] == about
    assert [item["kind"] for item in tab.call("media", target="video")["items"]] == ["video"]
    assert answer["total"] == 3
    assert len(tab.call("media", target="media", limit=1)["items"]) == 1


def test_the_largest_size_is_taken(tab: Tab) -> None:
    tab.show(
        f"""<picture><source srcset="/l.webp 1600w, /m.webp 800w"><img src=/s.jpg srcset="/s.jpg 1x, /s2.jpg 2x" {SIZE}></picture>"""
    )
    assert tab.call("media")["items"][0]["url"].endswith("/l.webp")


def test_without_pictures_the_page_s_own_word_counts(tab: Tab) -> None:
    head = '<meta property="og:video" content="/film.mp4"><meta property="og:image" content="javascript:1">'
    answer = tab.show("<p>Only text", head).call("media")
    assert [(item["kind"], item["url"]) for item in answer["items"]] == [
        ("video", f"{tab.site.origin}/film.mp4")
    ]


def test_links_of_the_main_part(tab: Tab) -> None:
    tab.show(
        """<nav><a href=/menu>Menu</a></nav><main><a href=/one>One</a><a href=/one#x>One again</a><a href=#here>Here</a>
        <a href="javascript:void 0">Script</a><a href=mailto:a@b.example>Mail</a><a href=/empty></a>
        <a href=/hidden style="display:none">Hidden</a><a href=/two><b>Two</b> words</a></main><a href=/after>After</a>"""
    )
    origin = tab.site.origin
    assert tab.call("links")["links"] == [
        {"text": "One", "url": f"{origin}/one"},
        {"text": "Two words", "url": f"{origin}/two"},
    ]
    assert len(tab.call("links", limit=1)["links"]) == 1


def test_without_a_main_part_surroundings_are_left_out(tab: Tab) -> None:
    tab.show(
        "<header><a href=/menu>Menu</a></header><a href=/one>One</a><footer><a href=/imprint>Imprint</a></footer>"
    )
    assert [link["text"] for link in tab.call("links")["links"]] == ["One"]


def test_a_hostile_page(tab: Tab) -> None:
    """Clobbered names, patched prototypes and thousands of elements change nothing."""
    tab.show(
        f"<form><input name=querySelectorAll><input name=baseURI></form><img name=URL><img name=querySelector>"
        f"<main><img src=/main.png {SIZE}>{'<a href=/x>x</a>' * 20_000}{'<img src=/i.png>' * 5_000}</main>"
    )
    tab.page.evaluate(
        "Document.prototype.querySelectorAll = Element.prototype.getAttribute = () => { throw 1 }; 0"
    )
    assert tab.call("media")["items"][0]["url"].endswith("/main.png")
    assert len(tab.call("links")["links"]) == 1
    assert tab.call("resource", selector="main img")["code"] == "ambiguous"
    assert tab.call("resource", selector="[src='/main.png']")["url"].endswith("/main.png")
