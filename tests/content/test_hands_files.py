# ruff: noqa: E501 (markup of the pages under test is more readable unwrapped)
"""Files put into a page, judged by the bytes and names the page got."""

import base64
import hashlib
from typing import Any

import pytest

from tests.content.harness import Tab


def put(
    tab: Tab, name: str, data: bytes, *, kind: str = "text/plain", piece: int = 100_000, **where: Any
) -> dict[str, Any]:
    """Send a file piece by piece and return the last answer, or the first refusal."""
    pieces = [data[i : i + piece] for i in range(0, len(data), piece)] or [b""]
    answer: dict[str, Any] = {}
    for index, part in enumerate(pieces):
        answer = tab.call(
            "upload_file",
            upload="u1",
            name=name,
            type=kind,
            size=len(data),
            index=index,
            data=base64.b64encode(part).decode(),
            last=index == len(pieces) - 1,
            **where,
        )
        if not answer["success"]:
            return answer
    return answer


def test_87_a_menu_item_over_a_hidden_field(tab: Tab) -> None:
    tab.case("87-upload-menu")
    tab.call("click", text="New")
    answer = put(tab, "notes.txt", b"first line", ref_id=tab.ref('menuitem "Upload files"'))
    assert (answer["success"], answer["matchCount"], answer["shown"]) == (True, 1, ["notes.txt"]), answer
    assert tab.js("[...list.children].map((li) => li.textContent)") == ["notes.txt"]
    assert tab.js("contents['notes.txt']") == [10, "text/plain", "first line"]


def test_87_several_files_at_once(tab: Tab) -> None:
    tab.case("87-upload-menu")
    assert put(tab, "a.txt", b"a", more=True)["kept"]
    answer = put(tab, "b.txt", b"b")
    assert answer["shown"] == ["a.txt", "b.txt"]
    assert tab.js("Object.keys(contents)") == ["a.txt", "b.txt"]


def test_87_files_of_a_lot_that_was_broken_off_do_not_join_the_next(tab: Tab) -> None:
    tab.case("87-upload-menu")
    assert put(tab, "private.txt", b"a", more=True, lot="l1")["kept"]
    assert put(tab, "b.txt", b"b", more=True, lot="l2")["kept"]
    answer = put(tab, "c.txt", b"c", lot="l2")
    assert answer["shown"] == ["b.txt", "c.txt"]
    assert tab.js("Object.keys(contents)") == ["b.txt", "c.txt"]


def test_88_a_field_that_never_reaches_the_page_is_explained(tab: Tab) -> None:
    tab.case("88-detached-input")
    answer = put(tab, "photo.png", b"x", ref_id=tab.ref("button"))
    assert (answer["success"], answer["code"]) == (False, "no_file_input")
    assert "never puts it on the page" in answer["error"]
    assert tab.js("log.textContent") == ""


def test_a_big_file_arrives_whole(tab: Tab) -> None:
    tab.show(
        """<input type=file id=f aria-label=File><script>f.onchange = async () => { const b = await f.files[0].arrayBuffer();
        window.sum = [...new Uint8Array(await crypto.subtle.digest("SHA-256", b))].map((x) => x.toString(16).padStart(2, "0")).join(""); }</script>"""
    )
    data = bytes(i * 7 % 251 for i in range(3_000_000))
    answer = put(tab, "big.bin", data, kind="application/octet-stream", piece=512 * 1024, selector="#f")
    assert answer["files"] == [{"name": "big.bin", "size": 3_000_000}]
    tab.until("window.sum")
    assert tab.js("window.sum") == hashlib.sha256(data).hexdigest()


def test_a_label_and_a_field_in_a_shadow_root(tab: Tab) -> None:
    tab.show(
        """<label>Choose picture<input type=file hidden id=f></label><x-a></x-a><script>
        document.querySelector("x-a").attachShadow({mode: "open"}).innerHTML = "<input type=file id=s>";</script>"""
    )
    assert put(tab, "p.png", b"x", ref_id=tab.ref_of("Choose picture"))["success"]
    assert tab.js("f.files[0].name") == "p.png"
    assert put(tab, "s.png", b"x", selector="#s")["success"]
    assert tab.js("document.querySelector('x-a').shadowRoot.querySelector('input').files[0].name") == "s.png"


def test_several_fields_are_not_chosen_among(tab: Tab) -> None:
    tab.show(
        "<label>Passport <input type=file id=a accept='.pdf'></label><label>Photo <input type=file id=b></label><input type=file id=c disabled>"
    )
    answer = put(tab, "x.pdf", b"x")
    assert (answer["code"], answer["matchCount"]) == ("ambiguous", 2)
    assert [c["name"] for c in answer["candidates"]] == ["Passport", "Photo"]
    assert tab.js("[a.files.length, b.files.length]") == [0, 0]
    assert put(tab, "x.pdf", b"x", ref_id=answer["candidates"][1]["ref_id"])["success"]
    assert tab.js("[a.files.length, b.files[0].name]") == [0, "x.pdf"]


def test_an_area_to_drop_on(tab: Tab) -> None:
    tab.show(
        """<div id=z style="width:300px;height:100px;background:#eee">Drop here</div><div id=y style="height:50px">Not here</div><script>
        z.ondragover = (e) => e.preventDefault();
        z.ondrop = async (e) => { e.preventDefault(); z.textContent = e.dataTransfer.files[0].name + ": " + await e.dataTransfer.files[0].text(); };</script>"""
    )
    answer = put(tab, "d.txt", b"dropped", ref_id=tab.ref_of("Drop here"))
    assert (answer["success"], answer["method"], answer["shown"]) == (True, "upload_drop", ["d.txt"]), answer
    assert tab.js("z.textContent") == "d.txt: dropped"
    assert put(tab, "d.txt", b"x", ref_id=tab.ref_of("Not here"))["code"] == "no_file_input"


def test_a_field_that_throws_the_file_out(tab: Tab) -> None:
    tab.show("<input type=file id=f aria-label=File><script>f.onchange = () => f.value = ''</script>")
    answer = put(tab, "x.txt", b"x")
    assert (answer["success"], answer["code"]) == (False, "not_verified")


def test_what_the_field_asks_for(tab: Tab) -> None:
    tab.show("<input type=file id=f accept='image/*,.pdf'>")
    assert "may be refused" in put(tab, "x.txt", b"x")["warning"]
    assert "warning" not in put(tab, "x.pdf", b"x", kind="application/pdf")
    assert "warning" not in put(tab, "x.png", b"x", kind="image/png")
    put(tab, "1.png", b"x", more=True)
    assert put(tab, "2.png", b"x")["code"] == "single_file"


@pytest.mark.parametrize(
    ("args", "code"),
    [
        ({"upload": "u", "index": 1, "data": "eA==", "last": True}, "bad_upload"),
        ({"upload": "u", "index": 0, "data": "***", "last": True}, "bad_upload"),
        ({"upload": "../u", "index": 0, "data": "eA==", "last": True}, "bad_upload"),
        ({"upload": "u", "index": 0, "data": "eA==", "last": True, "size": 7}, "bad_upload"),
        ({"upload": "u", "index": 0, "data": "eA==", "last": True, "selector": "#no"}, "not_found"),
        ({"upload": "u", "index": 0, "data": "eA==", "last": True, "selector": "#["}, "bad_selector"),
    ],
)
def test_pieces_that_are_none(tab: Tab, args: dict[str, Any], code: str) -> None:
    tab.show("<input type=file id=f>")
    answer = tab.call("upload_file", name="x", **args)
    assert (answer["success"], answer["code"]) == (False, code)
    assert tab.js("f.files.length") == 0


def test_a_name_has_no_folders(tab: Tab) -> None:
    tab.show("<input type=file id=f>")
    assert put(tab, "../../etc/x.txt", b"x")["success"]
    assert tab.js("f.files[0].name") == "x.txt"
