"""Files as a person attaches them in a picture of a state, and messages that came with some."""

from typing import Any

from tests.support.ui_runs import Run
from webbrain.core import events as ev

PICK = """(async () => {
  const canvas = new OffscreenCanvas(1200, 800), pen = canvas.getContext('2d');
  pen.fillStyle = '#c9dbe6'; pen.fillRect(0, 0, 1200, 800);
  pen.fillStyle = '#2f6f8f'; pen.fillRect(300, 150, 600, 500);
  const chosen = new DataTransfer();
  const add = (name, content, type) => chosen.items.add(new File([content], name, {type}));
  add('rain jacket.png', await canvas.convertToBlob(), 'image/png');
  const invoice = '%PDF-1.7 ' + 'x'.repeat(1_340_000);
  add('Invoice 2026-11 for the tea shop in the harbour.pdf', invoice, 'application/pdf');
  add('sizes.csv', 'size,chest\\nM,96\\n'.repeat(40), 'text/csv');
  const input = document.querySelector('#attach-files');
  input.files = chosen.files;
  input.dispatchEvent(new Event('change', {bubbles: true}));
})()"""
"""Chooses a picture, a PDF and a table by the paperclip."""

BAD = """(() => {
  const chosen = new DataTransfer();
  const add = (name, content) => chosen.items.add(new File([content], name));
  add('holiday.zip', 'PK\\x03\\x04\\x00\\x00');
  add('empty.txt', '');
  add('book.pdf', '%PDF-' + 'x'.repeat(16_000_001));
  const input = document.querySelector('#attach-files');
  input.files = chosen.files;
  input.dispatchEvent(new Event('change', {bubbles: true}));
})()"""
"""Chooses files that cannot be attached."""

DRAG = """(() => {
  const data = new DataTransfer();
  data.items.add(new File(['x'], 'x.txt'));
  const event = new DragEvent('dragenter', {bubbles: true, cancelable: true, dataTransfer: data});
  document.body.dispatchEvent(event);
})()"""
"""Drags a file into the panel."""

REFUSAL: dict[str, Any] = {
    "fails": {
        "code": "attachment_rejected",
        "message": "rain jacket.png: no",
        "data": {"rejected": [{"name": "rain jacket.png", "index": 0, "code": "no_vision", "reason": "No."}]},
    }
}
"""What ``chat.start`` answers if the model does not see."""


def sent_files() -> list[ev.AttachedFile]:
    """A picture, a PDF and a table, as an event names them."""
    return [
        ev.AttachedFile(
            name="rain jacket.png", media_type="image/png", bytes=412_000, picture_id="pic_attached"
        ),
        ev.AttachedFile(
            name="Invoice 2026-11 for the tea shop in the harbour.pdf",
            media_type="application/pdf",
            bytes=1_340_000,
        ),
        ev.AttachedFile(name="sizes.csv", media_type="text/plain", bytes=640),
    ]


def with_files() -> Run:
    """A question that came with files, and its answer."""
    run = Run().ask("Does the jacket in the picture come in my size?", "ask", files=sent_files())
    return run.think().say("Yes: M has a chest of **96 cm**.", final=True).end()
