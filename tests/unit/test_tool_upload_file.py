"""``upload_file``: downloaded and attached files handed to a page, one or several."""

import base64
from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

from tests.support.agent import Bench, end
from tests.support.toolbox import TAB, context, page_host
from webbrain.agent.attachments import BYTES_AT_HAND, FILES_AT_HAND, AtHand, Attached, Form
from webbrain.core.results import ToolResult
from webbrain.host.memory import MemoryHost, Reply
from webbrain.host.reach import Download
from webbrain.testing.scripted import call as call_of
from webbrain.tools import registry
from webbrain.tools.upload_file import CHUNK_BYTES


async def call(host: MemoryHost, name: str, **args: Any) -> ToolResult:
    spec = registry.get(name)
    assert spec
    return await spec.run(context(host), spec.args.model_validate(args))


def downloaded(url: str, **more: Any) -> MemoryHost:
    host = page_host()
    host.downloads.add(Download(9, url, more.pop("final_url", url), "/x/tea.bin", "complete", **more))
    return host


async def test_upload_in_pieces() -> None:
    body = bytes(range(256)) * 4_000
    host = downloaded("https://shop.example/x")
    host.http.on("GET", "https://shop.example/x", Reply(headers={"content-type": "image/png"}, chunks=[body]))
    result = await call(host, "upload_file", downloadId=9, selector="#file")
    assert result.success
    sent = [one for one in host.page.calls if one.action == "upload_file"]
    assert len(sent) == -(-len(body) // CHUNK_BYTES) == 3
    assert b"".join(base64.b64decode(one.args["data"]) for one in sent) == body
    assert [one.args["index"] for one in sent] == [0, 1, 2]
    assert [one.args["last"] for one in sent] == [False, False, True]
    assert [one.effect for one in sent] == [False, False, True]
    assert len({one.args["upload"] for one in sent}) == 1
    assert {(one.args["selector"], one.args["name"], one.args["type"], one.args["size"]) for one in sent} == {
        ("#file", "tea.bin", "image/png", len(body))
    }


async def test_an_empty_file_is_one_piece() -> None:
    host = downloaded("data:text/plain,")
    assert (await call(host, "upload_file", downloadId=9)).success
    assert [one.args["last"] for one in host.page.calls if one.action == "upload_file"] == [True]


async def test_a_refused_piece_ends_it() -> None:
    host = downloaded("data:application/x;base64," + base64.b64encode(bytes(CHUNK_BYTES + 1)).decode())
    host.page.on(
        "upload_file", {"success": False, "code": "ambiguous", "error": "Two fields.", "matchCount": 2}
    )
    result = await call(host, "upload_file", downloadId=9, selector="input")
    assert result.data["code"] == "ambiguous"
    assert result.data["matchCount"] == 2
    assert len([one for one in host.page.calls if one.action == "upload_file"]) == 1


async def test_too_large_for_a_page() -> None:
    host = downloaded("https://shop.example/x")
    host.http.on("GET", "https://shop.example/x", Reply(chunks=[bytes(5_000_000)] * 6))
    result = await call(host, "upload_file", downloadId=9)
    assert result.data["code"] == "too_large"
    assert "25 MB" in result.data["error"]


def several(*bodies: bytes) -> MemoryHost:
    """Downloads from id 20 on, one for each body."""
    host = page_host()
    for number, body in enumerate(bodies, 20):
        url = f"https://shop.example/{number}.bin"
        host.downloads.add(Download(number, url, url, f"/x/{number}.bin", "complete"))
        host.http.on("GET", url, Reply(headers={"content-type": "image/png"}, chunks=[body]))
    return host


async def test_several_files_are_handed_over_in_one_act() -> None:
    """All but the last wait in the page for the last piece of the last file, which alone is the effect."""
    host = several(b"one", bytes(CHUNK_BYTES + 1), b"three")
    result = await call(host, "upload_file", downloadIds=[20, 21, 22, 20], ref_id="ref_3")
    assert result.success, result.data
    sent = [one for one in host.page.calls if one.action == "upload_file"]
    assert [
        (one.args["name"], one.args["index"], one.args["last"], one.args.get("more")) for one in sent
    ] == [
        ("20.bin", 0, True, True),
        ("21.bin", 0, False, None),
        ("21.bin", 1, True, True),
        ("22.bin", 0, True, None),
    ]
    assert [one.effect for one in sent] == [False, False, False, True]
    assert {one.args["ref_id"] for one in sent} == {"ref_3"}
    assert len({one.args["lot"] for one in sent}) == 1
    assert len({one.args["upload"] for one in sent}) == 3


async def test_one_file_that_cannot_be_had_keeps_all_from_the_page() -> None:
    host = several(b"one", b"two")
    result = await call(host, "upload_file", downloadIds=[20, 99])
    assert (result.data["code"], result.data["downloadId"]) == ("no_download", 99)
    assert "upload_file" not in host.page.actions()


async def test_a_refused_piece_of_the_first_file_ends_it_for_all() -> None:
    host = several(b"one", b"two")
    host.page.on("upload_file", {"success": False, "code": "ambiguous", "error": "Two fields."})
    assert (await call(host, "upload_file", downloadIds=[20, 21])).data["code"] == "ambiguous"
    assert host.page.actions().count("upload_file") == 1


async def test_together_they_are_not_too_large() -> None:
    host = several(bytes(15_000_000), bytes(15_000_000))
    result = await call(host, "upload_file", downloadIds=[20, 21])
    assert result.data["code"] == "too_large"
    assert "upload_file" not in host.page.actions()


@pytest.mark.parametrize(
    "args",
    [{}, {"downloadIds": []}, {"downloadIds": list(range(11))}, {"downloadIds": [-1]}, {"downloadId": -1}],
)
def test_files_to_upload_are_needed_and_capped(args: dict[str, Any]) -> None:
    spec = registry.get("upload_file")
    assert spec
    with pytest.raises(ValidationError):
        spec.args.model_validate(args)


async def test_a_second_call_that_takes_the_place_of_the_first_says_so() -> None:
    """A field holds what it was given last. Nobody may think that it holds both."""
    host = several(b"one", b"two")
    spec = registry.get("upload_file")
    assert spec
    ctx = context(host)

    async def upload(number: int, ref: str = "ref_3") -> ToolResult:
        held = [{"name": f"{number}.bin", "size": 3}]
        host.page.on("upload_file", {"ref_id": ref, "files": held, "changed": ["files"]})
        return await spec.run(ctx, spec.args.model_validate({"downloadIds": [number]}))

    first = await upload(20)
    assert "replaced" not in first.data
    second = await upload(21)
    assert second.data["replaced"] == ["20.bin"]
    assert any("in one call" in note for note in second.notes)
    elsewhere = await upload(20, "ref_9")
    assert "replaced" not in elsewhere.data, "another field"
    host.page.on("upload_file", {"ref_id": "ref_3", "files": [], "changed": ["list"]})
    taken = await spec.run(ctx, spec.args.model_validate({"downloadIds": [20]}))
    assert "replaced" not in taken.data, "the page takes each over, so it may have both"


# --- what the user attached ---


def file(name: str, body: bytes, form: Form = "text", mime: str = "text/plain") -> Attached:
    return Attached(name, mime, len(body), form, body=body)


def at_hand(*files: Attached) -> AtHand:
    made = AtHand()
    made.add(files)
    return made


async def upload(host: MemoryHost, files: AtHand | None, **args: Any) -> ToolResult:
    spec = registry.get("upload_file")
    assert spec
    ctx = replace(context(host), attached=files)
    return await spec.run(ctx, spec.args.model_validate(args))


def handed(host: MemoryHost) -> list[tuple[str, str, bytes]]:
    """Name, type and content of every file of one piece that the page got."""
    return [
        (one.args["name"], one.args["type"], base64.b64decode(one.args["data"]))
        for one in host.page.calls
        if one.action == "upload_file"
    ]


async def test_an_attached_file_goes_as_it_came_and_beside_downloads() -> None:
    """No network is needed for it: its bytes are at hand, whatever the model got to read of it."""
    host = several(b"one")
    files = at_hand(
        file("notes.txt", b"\xef\xbb\xbfTea"), file("cv.pdf", b"%PDF-1.7", "document", "application/pdf")
    )
    result = await upload(host, files, attachments=["cv.pdf"], downloadIds=[20], ref_id="ref_3")
    assert result.success, result.data
    assert handed(host) == [("cv.pdf", "application/pdf", b"%PDF-1.7"), ("20.bin", "image/png", b"one")]
    assert not result.notes
    alone = page_host()
    assert (await upload(alone, files, attachments=["notes.txt"])).success
    assert handed(alone) == [("notes.txt", "text/plain", b"\xef\xbb\xbfTea")]
    assert not alone.http.requests


@pytest.mark.parametrize("form", ["picture", "unseen", "described"])
async def test_a_picture_is_said_to_be_a_copy(form: Form) -> None:
    host = page_host()
    result = await upload(
        host, at_hand(file("face.jpg", b"jpeg", form, "image/jpeg")), attachments=["face.jpg"]
    )
    assert result.success
    assert any("as the panel made it" in note for note in result.notes)


async def test_a_file_that_is_not_at_hand_is_not_guessed() -> None:
    for files in (None, at_hand(), at_hand(file("other.txt", b"x"))):
        host = page_host()
        result = await upload(host, files, attachments=["cv.pdf"])
        assert (result.success, result.data["code"]) == (False, "no_attachment")
        assert "attach the file again" in result.data["error"]
        assert "upload_file" not in host.page.actions()
    assert result.data["attached"] == "other.txt"


async def test_two_files_of_one_name_are_not_chosen_among_but_a_newer_message_counts() -> None:
    host = page_host()
    files = at_hand(file("scan.pdf", b"1"), file("scan.pdf", b"2"))
    assert (await upload(host, files, attachments=["scan.pdf"])).data["code"] == "ambiguous"
    files.add([file("scan.pdf", b"3")])
    assert (await upload(host, files, attachments=["scan.pdf"])).success
    assert [body for _, _, body in handed(host)] == [b"3"]


async def test_a_name_is_no_path_and_long_names_are_found_by_what_the_model_was_told() -> None:
    host = page_host()
    long = f"../{'n' * 200}.txt"
    told = file(long, b"x").told_name
    assert len(told) < len(long)
    assert (await upload(host, at_hand(file(long, b"x")), attachments=[told])).success
    assert handed(host)[0][0] == f"{'n' * 200}.txt"


def test_only_the_newest_files_are_kept() -> None:
    files = AtHand()
    for number in range(FILES_AT_HAND + 2):
        files.add([file(f"{number}.txt", b"x")])
    assert len(files.names()) == FILES_AT_HAND
    assert files.names()[0] == f"{FILES_AT_HAND + 1}.txt"
    files.add([file("large.bin", bytes(BYTES_AT_HAND))])
    assert files.names() == ["large.bin"]
    files.add([])
    assert files.named("large.bin")


async def test_attached_files_and_downloads_together_have_a_limit() -> None:
    host = several(bytes(15_000_000))
    result = await upload(
        host, at_hand(file("a.bin", bytes(15_000_000))), attachments=["a.bin"], downloadIds=[20]
    )
    assert result.data["code"] == "too_large"
    spec = registry.get("upload_file")
    assert spec
    with pytest.raises(ValidationError):
        spec.args.model_validate({"downloadIds": list(range(6)), "attachments": list("abcde")})


async def test_a_run_has_what_was_attached_to_any_message_until_the_agent_starts_anew() -> None:
    host = page_host()
    upload_it = call_of("upload_file", attachments=["cv.txt"], selector="#file")
    bench = Bench(end(), upload_it, end(), host=host)
    sent = {"name": "cv.txt", "mediaType": "", "data": base64.b64encode(b"Ada, engineer").decode()}
    params = {"tabId": TAB, "text": "Keep this", "mode": "act", "requestId": "r1", "files": [sent]}
    await bench.app.handle_ui("chat.start", params)
    await bench.end()
    await bench.start("Now upload it")
    card = await bench.until("clarify")
    assert "cv.txt" in str(card)
    await bench.app.handle_ui("card.answer", {"tabId": TAB, "cardId": card["cardId"], "answer": "once"})
    await bench.end()
    assert handed(host) == [("cv.txt", "text/plain", b"Ada, engineer")]
    anew = Bench(upload_it, end(), host=host)
    await anew.run("Once more")
    assert any("no_attachment" in message.content for message in anew.history)
    assert len(handed(host)) == 1
