"""Attaching files in the panel: by paperclip, by pasting, by dropping; what is sent, and what comes back."""

import base64
import re
import zlib
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import FilePayload, Page, expect

from tests.support.ui_files import DRAG, sent_files
from tests.support.ui_pages import ROOT
from tests.support.ui_runs import TAB, Run
from tests.ui.conftest import Open
from tests.ui.steering import asked, play, wait_for_call
from webbrain.agent.capture import BASE64_CHARS
from webbrain.agent.pictures import LONGEST_SIDE
from webbrain.core import events as ev
from webbrain.services import attachments as service

PDF = b"%PDF-1.7\n" + b"x" * 1_000_000


def payload(name: str, data: bytes, media_type: str = "") -> FilePayload:
    return {"name": name, "mimeType": media_type, "buffer": data}


def choose(page: Page, *files: FilePayload) -> None:
    page.set_input_files("#attach-files", list(files))


def picture(page: Page, width: int, height: int, media_type: str = "image/png", noise: bool = False) -> bytes:
    """A picture drawn by the browser; ``noise`` makes it as large as it can be."""
    drawn: str = page.evaluate(
        """async ([width, height, type, noise]) => {
          const canvas = new OffscreenCanvas(width, height), pen = canvas.getContext('2d');
          pen.fillStyle = '#2f6f8f';
          pen.fillRect(0, 0, width / 2, height);
          if (noise) {
            const image = pen.getImageData(0, 0, width, height);
            for (let i = 0; i < image.data.length; i++)
              image.data[i] = i % 4 === 3 ? 255 : Math.random() * 256;
            pen.putImageData(image, 0, 0);
          }
          const bytes = new Uint8Array(await (await canvas.convertToBlob({type})).arrayBuffer());
          let text = '';
          for (const byte of bytes) text += String.fromCharCode(byte);
          return btoa(text);
        }""",
        [width, height, media_type, noise],
    )
    return base64.b64decode(drawn)


def sent_bytes(page: Page, index: int = 0) -> bytes:
    """A file as it went over the port before the newest start."""
    pieces: list[str] = page.evaluate(
        """(index) => {
          const call = wb.calls.findLast((frame) => frame.method === 'chat.start');
          const mine = (frame) => frame.kind === 'chunk' && frame.id === call.id && frame.file === index;
          return wb.calls.filter(mine).map((frame) => frame.data);
        }""",
        index,
    )
    return b"".join(base64.b64decode(piece) for piece in pieces)


def size_of(page: Page, data: bytes) -> list[Any]:
    """Width, height and type of a picture."""
    found: list[Any] = page.evaluate(
        """async (data) => {
          const blob = await (await fetch(`data:application/octet-stream;base64,${data}`)).blob();
          const head = new Uint8Array(await blob.slice(0, 2).arrayBuffer());
          const bitmap = await createImageBitmap(blob);
          return [bitmap.width, bitmap.height, head[0] === 0xff ? 'jpeg' : 'png'];
        }""",
        base64.b64encode(data).decode(),
    )
    return found


def send(page: Page, text: str = "See?") -> dict[str, Any]:
    page.fill("#composer", text)
    page.press("#composer", "Enter")
    return wait_for_call(page, "chat.start")


class TestChoosing:
    def test_chips_show_what_will_go(self, open_state: Open) -> None:
        page = open_state("attached")
        chips = page.get_by_role("list", name="Attached files").get_by_role("listitem")
        expect(chips).to_have_count(3)
        expect(chips.nth(0)).to_contain_text("rain jacket.png")
        expect(chips.nth(0).locator("img")).to_have_js_property("naturalWidth", 1_200)
        expect(chips.nth(1)).to_contain_text("1.3 MB")
        expect(page.get_by_role("status").filter(has_text="3 files attached")).to_have_count(1)

    def test_the_call_names_them_and_they_go_before_it(self, open_state: Open) -> None:
        page = open_state("attached")
        page.press("#composer", "Enter")
        call = wait_for_call(page, "chat.start")
        assert call["text"] == "Does it come in my size?"
        assert call["files"] == [
            {"name": "rain jacket.png", "mediaType": "image/png", "buffer": 0},
            {
                "name": "Invoice 2026-11 for the tea shop in the harbour.pdf",
                "mediaType": "application/pdf",
                "buffer": 1,
            },
            {"name": "sizes.csv", "mediaType": "text/plain", "buffer": 2},
        ]
        assert sent_bytes(page, 0).startswith(b"\x89PNG")
        assert len(sent_bytes(page, 1)) == 1_340_009
        assert sent_bytes(page, 2).decode().count("M,96") == 40
        expect(page.locator(".chips")).to_have_count(0)
        # The message on its way shows them.
        expect(page.locator(".question .chip")).to_have_count(3)

    def test_files_alone_can_be_sent(self, open_state: Open) -> None:
        page = open_state("empty-act")
        expect(page.locator("#send")).to_be_disabled()
        choose(page, payload("a.txt", b"hello"))
        expect(page.locator("#send")).to_be_enabled()
        page.click("#send")
        assert wait_for_call(page, "chat.start")["text"] == "Please look at what I attached."

    def test_one_is_removed_by_keyboard_and_the_focus_stays_there(self, open_state: Open) -> None:
        page = open_state("attached")
        page.get_by_role("button", name="Remove rain jacket.png").focus()
        page.keyboard.press("Enter")
        expect(page.locator(".chip")).to_have_count(2)
        expect(page.get_by_role("button", name=re.compile("^Remove Invoice"))).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator(".chip")).to_have_count(1)
        expect(page.locator(".chip button")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator(".chip")).to_have_count(0)
        expect(page.locator("#composer")).to_be_focused()

    def test_the_paperclip_opens_the_chooser_by_keyboard(self, open_state: Open) -> None:
        page = open_state("empty-act")
        with page.expect_file_chooser() as chooser:
            page.locator("#attach").press("Space")
        assert chooser.value.is_multiple()

    def test_each_tab_has_its_own(self, open_state: Open) -> None:
        page = open_state("attached")
        page.evaluate("wb.activate(8)")
        expect(page.locator(".chip")).to_have_count(0)
        page.evaluate(f"wb.activate({TAB})")
        expect(page.locator(".chip")).to_have_count(3)

    def test_files_that_cannot_go_are_told_at_once(self, open_state: Open) -> None:
        page = open_state("attached-bad")
        told = page.get_by_role("alert").filter(has_text="holiday.zip")
        expect(told).to_contain_text("holiday.zip is of a kind that cannot be attached.")
        expect(told).to_contain_text("empty.txt is empty.")
        expect(told).to_contain_text("book.pdf is too large: a PDF may have 16 MB.")
        expect(page.locator(".chip")).to_have_count(0)

    def test_too_many_and_too_much(self, open_state: Open) -> None:
        page = open_state("empty-act")
        choose(page, *(payload(f"{n}.txt", b"x") for n in range(12)))
        expect(page.locator(".chip")).to_have_count(10)
        expect(page.locator(".attach-problems")).to_contain_text("11.txt is too many: at most 10 files")
        page = open_state("empty-act")
        page.evaluate(
            """() => {
              const chosen = new DataTransfer();
              for (const name of ['a.pdf', 'b.pdf'])
                chosen.items.add(new File(['%PDF-', new Uint8Array(12_000_000)], name));
              const input = document.querySelector('#attach-files');
              input.files = chosen.files;
              input.dispatchEvent(new Event('change'));
            }"""
        )
        expect(page.locator(".attach-problems")).to_contain_text("b.pdf is too much")
        expect(page.locator(".chip")).to_have_count(1)

    def test_nothing_is_sent_while_a_file_is_read(self, open_state: Open) -> None:
        page = open_state("empty-act")
        page.evaluate(
            """() => {
              const whole = File.prototype.arrayBuffer;
              let open;
              const gate = new Promise((resolve) => { open = resolve; });
              wb.go = open;
              File.prototype.arrayBuffer = async function () { await gate; return whole.call(this); };
            }"""
        )
        choose(page, payload("a.txt", b"x"))
        expect(page.locator(".chip-reading")).to_have_text("Reading a file…")
        page.fill("#composer", "Now")
        expect(page.locator("#send")).to_be_disabled()
        page.press("#composer", "Enter")
        assert asked(page, "chat.start") == []
        page.evaluate("wb.go()")
        expect(page.locator("#send")).to_be_enabled()
        expect(page.locator(".chip")).to_have_count(1)


class TestPictures:
    @pytest.mark.parametrize(
        ("width", "height", "media_type", "noise", "wanted"),
        [
            (800, 600, "image/png", False, [800, 600, "png"]),
            (4_000, 1_000, "image/png", False, [1_568, 392, "png"]),
            (1_000, 2_000, "image/jpeg", False, [784, 1_568, "jpeg"]),
            (300, 200, "image/webp", False, [300, 200, "png"]),
            (2_000, 2_000, "image/png", True, [1_568, 1_568, "jpeg"]),
        ],
    )
    def test_they_are_scaled_down(
        self, open_state: Open, width: int, height: int, media_type: str, noise: bool, wanted: list[Any]
    ) -> None:
        page = open_state("empty-act")
        choose(page, payload("a.bin", picture(page, width, height, media_type, noise), media_type))
        expect(page.locator(".chip-picture")).to_have_count(1)
        send(page)
        data = sent_bytes(page)
        assert size_of(page, data) == wanted
        assert len(base64.b64encode(data)) <= BASE64_CHARS

    def test_what_a_camera_wrote_does_not_go(self, open_state: Open) -> None:
        page = open_state("empty-act")
        jpeg = picture(page, 300, 200, "image/jpeg")
        exif = b"Exif\x00\x00GPS 53.5511 N 9.9937 E"
        marked = jpeg[:2] + b"\xff\xe1" + (len(exif) + 2).to_bytes(2, "big") + exif + jpeg[2:]
        choose(page, payload("photo.jpg", marked, "image/jpeg"))
        expect(page.locator(".chip-picture")).to_have_count(1)
        send(page)
        data = sent_bytes(page)
        assert data.startswith(b"\xff\xd8")
        assert b"53.5511" not in data

    def test_what_is_written_into_a_png_does_not_go_either(self, open_state: Open) -> None:
        page = open_state("empty-act")
        png = picture(page, 300, 200)
        words = b"tEXtLocation\x0053.5511 N 9.9937 E"
        chunk = (len(words) - 4).to_bytes(4, "big") + words + zlib.crc32(words).to_bytes(4, "big")
        choose(page, payload("shot.png", png[:33] + chunk + png[33:], "image/png"))
        expect(page.locator(".chip-picture")).to_have_count(1)
        send(page)
        data = sent_bytes(page)
        assert size_of(page, data) == [300, 200, "png"]
        assert b"53.5511" not in data

    def test_what_is_no_picture_is_told(self, open_state: Open) -> None:
        page = open_state("empty-act")
        choose(page, payload("cut.png", b"\x89PNG\r\n\x1a\n" + b"\x00" * 40, "image/png"))
        expect(page.locator(".attach-problems")).to_contain_text("cut.png cannot be read.")
        choose(page, payload("liar.png", b"just text", "image/png"))
        expect(page.locator(".attach-problems")).to_contain_text("liar.png cannot be read.")
        choose(page, payload("liar.txt", picture(page, 20, 20), "text/plain"))
        expect(page.locator(".chip-picture")).to_have_count(1)
        send(page)
        assert asked(page, "chat.start")[0]["files"][0]["mediaType"] == "image/png"


PASTE = """async ([words, picture]) => {
  const data = new DataTransfer();
  if (words) data.setData('text/plain', words);
  const canvas = new OffscreenCanvas(20, 20);
  canvas.getContext('2d').fillRect(0, 0, 9, 9);
  if (picture) data.items.add(new File([await canvas.convertToBlob()], 'image.png', {type: 'image/png'}));
  const event = new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true});
  document.querySelector('#composer').dispatchEvent(event);
  return event.defaultPrevented;
}"""


class TestPasting:
    def test_a_picture_is_attached(self, open_state: Open) -> None:
        page = open_state("empty-act")
        assert page.evaluate(PASTE, ["", True]) is True
        expect(page.locator(".chip-picture")).to_have_count(1)

    @pytest.mark.parametrize("case", [["words", False], ["cells of a table", True]])
    def test_words_are_words(self, open_state: Open, case: list[Any]) -> None:
        page = open_state("empty-act")
        assert page.evaluate(PASTE, case) is False
        expect(page.locator(".chip")).to_have_count(0)


DROP = """(kind) => {
  const data = new DataTransfer();
  if (kind === 'file') data.items.add(new File(['hello'], 'notes.txt'));
  else data.setData('text/plain', 'words');
  const event = new DragEvent('drop', {bubbles: true, cancelable: true, dataTransfer: data});
  document.querySelector('.conversation').dispatchEvent(event);
  return event.defaultPrevented;
}"""


class TestDropping:
    def test_the_zone_shows_and_goes(self, open_state: Open) -> None:
        page = open_state("empty-act")
        page.evaluate(DRAG)
        expect(page.locator(".drop-zone")).to_have_text("Drop files to attach them")
        page.evaluate("document.body.dispatchEvent(new DragEvent('dragleave', {bubbles: true}))")
        expect(page.locator(".drop-zone")).to_have_count(0)

    def test_a_file_dropped_anywhere_is_attached(self, open_state: Open) -> None:
        page = open_state("drop")
        assert page.evaluate(DROP, "file") is True
        expect(page.locator(".drop-zone")).to_have_count(0)
        expect(page.locator(".chip")).to_contain_text("notes.txt")
        expect(page.locator("#composer")).to_be_focused()

    def test_dragged_words_are_left_alone(self, open_state: Open) -> None:
        page = open_state("empty-act")
        assert page.evaluate(DROP, "words") is False
        expect(page.locator(".chip")).to_have_count(0)


class TestRefused:
    def test_words_and_files_come_back_and_the_reason_is_said(self, open_state: Open) -> None:
        page = open_state("attached-refused")
        expect(page.locator("#composer")).to_have_value("Does it come in my size?")
        expect(page.locator(".chip")).to_have_count(3)
        expect(page.locator(".chip-refused")).to_contain_text("rain jacket.png")
        told = page.get_by_role("alert").filter(has_text="rain jacket.png")
        expect(told).to_contain_text("was not sent: this model does not read pictures.")
        expect(page.locator("article.turn")).to_have_count(0)
        # Without it the rest goes.
        page.evaluate("wb.reply('chat.start', {ok: true, accepted: true})")
        page.get_by_role("button", name="Remove rain jacket.png").click()
        expect(told).to_have_count(0)
        page.press("#composer", "Enter")
        assert len(wait_for_call(page, "chat.start", 2)["files"]) == 2

    def test_the_event_of_a_refusal_starts_no_turn(self, open_state: Open) -> None:
        page = open_state("attached")
        page.evaluate("wb.reply('chat.start', {hang: true})")
        page.press("#composer", "Enter")
        sent = wait_for_call(page, "chat.start")
        event = Run().ask("x").events[0]
        data = {"name": "rain jacket.png", "reason": "No.", "code": "no_vision", "index": 0}
        play(
            page,
            [
                {
                    **event,
                    "type": "attachment_rejected",
                    "runId": "",
                    "requestId": sent["requestId"],
                    "data": data,
                }
            ],
        )
        expect(page.locator("article.turn")).to_have_count(1)
        expect(page.locator(".waiting")).to_have_count(1)

    def test_discarding_a_message_gives_its_files_back(self, open_state: Open) -> None:
        page = open_state("attached")
        page.evaluate("wb.reply('chat.start', {fails: {code: 'busy', message: 'No.'}})")
        page.press("#composer", "Enter")
        page.get_by_role("button", name="Discard").click()
        expect(page.locator(".chip")).to_have_count(3)
        expect(page.locator("#composer")).to_have_value("Does it come in my size?")

    def test_an_unknown_reason_is_said_in_the_words_it_came_in(self, open_state: Open) -> None:
        page = open_state("empty-act")
        refusal = {"name": "a.txt", "index": 0, "code": "something_new", "reason": "Not on Sundays."}
        fails = {"code": "attachment_rejected", "message": "no", "data": {"rejected": [refusal]}}
        page.evaluate("(fails) => wb.reply('chat.start', {fails})", fails)
        choose(page, payload("a.txt", b"x"))
        send(page)
        expect(page.locator(".attach-problems")).to_contain_text("a.txt Not on Sundays.")


class TestSent:
    def test_a_turn_shows_its_files(self, open_state: Open) -> None:
        page = open_state("sent-files")
        files = page.locator(".question .sent-files li")
        expect(files).to_have_count(3)
        small = page.get_by_role("button", name="rain jacket.png: show larger")
        expect(small.locator("img")).to_have_count(1)
        assert asked(page, "pictures.get") == [{"id": "pic_attached"}]
        small.click()
        expect(page.get_by_role("dialog", name="rain jacket.png")).to_be_visible()
        expect(files.nth(2)).to_contain_text("sizes.csv")

    def test_retry_sends_them_again_while_this_panel_has_them(self, open_state: Open) -> None:
        page = open_state("attached")
        page.press("#composer", "Enter")
        sent = wait_for_call(page, "chat.start")
        run = Run().ask("Does it come in my size?", "act", ago=0, files=sent_files()).think()
        run.add(ev.RunError(code="overloaded", message="Busy.")).end("failed")
        events = [{**event, "requestId": sent["requestId"]} for event in run.events]
        play(page, events)
        page.get_by_role("button", name="Retry").click()
        again = wait_for_call(page, "chat.start", 2)
        assert again["files"] == sent["files"]
        assert again["requestId"] != sent["requestId"]
        assert len(sent_bytes(page, 1)) == 1_340_009

    def test_retry_never_sends_the_words_without_the_files(self, open_state: Open) -> None:
        page = open_state("empty-act")
        run = Run().ask("Does it come in my size?", "act", ago=0, files=sent_files()).think()
        run.add(ev.RunError(code="overloaded", message="Busy.")).end("failed")
        play(page, run.events)
        page.get_by_role("button", name="Retry").click()
        expect(page.locator("#composer")).to_have_value("Does it come in my size?")
        expect(page.locator(".attach-problems")).to_contain_text("sizes.csv is no longer here.")
        assert asked(page, "chat.start") == []


def test_the_panel_does_not_freeze_over_large_files(open_state: Open) -> None:
    """20 MB in three files go out in small pieces, and frames are drawn meanwhile."""
    page = open_state("empty-act")
    page.evaluate(
        """() => {
          const chosen = new DataTransfer();
          const add = (name, head, size) => chosen.items.add(new File([head, new Uint8Array(size)], name));
          add('a.pdf', '%PDF-', 9_000_000);
          add('b.pdf', '%PDF-', 6_900_000);
          add('c.pdf', '%PDF-', 4_000_000);
          const input = document.querySelector('#attach-files');
          input.files = chosen.files;
          input.dispatchEvent(new Event('change'));
        }"""
    )
    expect(page.locator(".chip")).to_have_count(3)
    page.evaluate(
        """() => {
          wb.longest = 0;
          let last = performance.now();
          const tick = () => {
            const now = performance.now();
            wb.longest = Math.max(wb.longest, now - last);
            last = now;
            setTimeout(tick, 10);
          };
          tick();
        }"""
    )
    send(page)
    assert len(sent_bytes(page, 0)) == 9_000_005
    assert page.evaluate("wb.calls.every((frame) => (frame.data?.length ?? 0) < 700_000)")
    assert page.evaluate("wb.longest") < 500


def test_the_numbers_of_the_panel_are_those_of_python() -> None:
    def number(file: str, name: str) -> int:
        text = Path(ROOT / "js/ui/panel" / file).read_text()
        found = re.search(rf"\b{name}\b[ :=]+([\d_]+)", text)
        assert found, name
        return int(found[1].replace("_", ""))

    assert number("attachments.js", "FILES_MAX") == service.FILES_MAX
    assert number("attachments.js", "TOTAL_BYTES") == service.TOTAL_BYTES
    assert number("attachments.js", "pdf") == service.PDF_BYTES
    assert number("attachments.js", "text") == service.TEXT_BYTES
    assert number("shrink.js", "PICTURE_BYTES") == service.PICTURE_BYTES
    assert number("shrink.js", "LONGEST_SIDE") == LONGEST_SIDE
