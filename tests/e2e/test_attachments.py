"""Attached files with the built extension: what a model's server really gets, and what it is not asked."""

import base64
import json
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.support.browsers import Browser
from tests.support.pdf_files import pdf, prose
from tests.support.screens import Panel, Settings
from tests.support.script import call, done, say
from tests.support.stage import Stage
from webbrain.testing.chat import ModelCall
from webbrain.testing.model_server import ModelServer, Script

INVOICE = pdf(["Invoice 42 of the tea shop: 3 teapots"], title="Invoice")
LONG = pdf([prose(number) for number in range(1, 13)], ballast=8_000_000)
NOTES = "Ring Ada about the blue teapot.\n"

ATTACH = """(async (files) => {
  const chosen = new DataTransfer();
  for (const {name, type, data} of files) {
    let content;
    if (name.endsWith('.png')) {
      const canvas = new OffscreenCanvas(3000, 1500), pen = canvas.getContext('2d');
      pen.fillStyle = 'rgb(20, 20, 200)';
      pen.fillRect(0, 0, 3000, 1500);
      content = await canvas.convertToBlob();
    } else content = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
    chosen.items.add(new File([content], name, {type}));
  }
  const input = document.querySelector('#attach-files');
  input.files = chosen.files;
  input.dispatchEvent(new Event('change', {bubbles: true}));
  return true;
})"""
"""Chooses files by the paperclip's own field; a picture is drawn here, all blue."""


@pytest.fixture(scope="module", autouse=True)
def services(browser: Browser, module_stage: Stage) -> None:
    """Services on the one model server: Claude, which takes documents, and one that sees, by its name."""
    settings = Settings(browser)
    settings.use("anthropic", baseUrl=module_stage.model.url, apiKey="sk-test", model="claude-sonnet-4-6")
    settings.close()


def use(stage: Stage, provider: str, **form: str) -> None:
    settings = Settings(stage.browser)
    settings.use(provider, **form)
    settings.close()


def attach(panel: Panel, *files: tuple[str, bytes]) -> None:
    types = {"png": "image/png", "pdf": "application/pdf", "txt": "text/plain"}
    listed = [
        {"name": name, "type": types[name.rpartition(".")[2]], "data": base64.b64encode(data).decode()}
        for name, data in files
    ]
    have = panel.page.eval("document.querySelectorAll('.chips [data-file]').length")
    panel.page.eval(f"{ATTACH}({json.dumps(listed)})")
    panel.page.wait(
        f"document.querySelectorAll('.chips [data-file]').length === {have + len(files)}"
        " && !document.querySelector('.chip-reading')",
        what="the files to be attached",
    )


def person(model_call: ModelCall) -> list[dict[str, Any]]:
    """The parts of the person's newest message."""
    content = next(m["content"] for m in reversed(model_call.body["messages"]) if m["role"] == "user")
    return content if isinstance(content, list) else [{"type": "text", "text": content}]


def attached(text: str) -> tuple[str, str, str]:
    """What is said of the first attached text before the boundary, the boundary, and what lies behind it."""
    block = text.partition("Attached by the user: ")[2]
    before, tag, after = block.partition("<untrusted_page_content")
    return before.rpartition("Attached by the user: ")[2], tag, after


def colour(browser: Browser, picture: str) -> list[Any]:
    """The size of a picture and the colour in its middle."""
    found: list[Any] = browser.control.eval(
        f"""(async () => {{
          const bitmap = await createImageBitmap(await (await fetch({json.dumps(picture)})).blob());
          const pen = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
          pen.drawImage(bitmap, 0, 0);
          const pixel = pen.getImageData(bitmap.width / 2, bitmap.height / 2, 1, 1).data;
          return [bitmap.width, bitmap.height, ...pixel.slice(0, 3)];
        }})()"""
    )
    return found


def test_a_service_with_documents_gets_all_three(stage: Stage) -> None:
    use(stage, "anthropic")
    _, panel = stage.open("/about")
    attach(panel, ("pot.png", b""), ("invoice.pdf", INVOICE), ("notes.txt", NOTES.encode()))
    stage.plan(call("read_page"), call("read_page"), say("Three teapots, and ring Ada."))
    panel.send("What is all this?", "ask")
    turn = panel.wait_over()
    assert turn.status == "completed", turn
    stage.settled()
    first, *_, last = stage.model.calls
    parts = person(first)
    [image] = [part["source"] for part in parts if part["type"] == "image"]
    assert image["media_type"] == "image/png"
    assert colour(stage.browser, f"data:image/png;base64,{image['data']}") == [1_568, 784, 20, 20, 200]
    [document] = [part for part in parts if part["type"] == "document"]
    assert base64.b64decode(document["source"]["data"]) == INVOICE
    assert document["title"] == "invoice.pdf"
    words = next(part["text"] for part in parts if part["type"] == "text")
    before, _, inside = attached(words)
    assert before.startswith("the file “notes.txt”")
    assert NOTES.strip() in inside
    assert words.rstrip().endswith("What is all this?")
    # Two steps later they are still there.
    later = str(last.body["messages"][0])
    assert image["data"][:200] in later
    assert document["source"]["data"][:200] in later
    shown = panel.page.eval(
        "[...document.querySelectorAll('article.turn .sent-files [data-file]')].map((li) => li.dataset.file)"
    )
    assert shown == ["pot.png", "invoice.pdf", "notes.txt"]
    panel.page.wait("!!document.querySelector('.sent-files .picture img')", what="the small picture")


def test_an_attached_file_is_handed_to_a_page(stage: Stage) -> None:
    """ "Upload this": the card names the file and where it goes, and the page gets it byte by byte."""
    tab = stage.open_tab()
    panel = stage.open_panel(tab)
    tab.page.eval("document.body.insertAdjacentHTML('afterbegin', '<input type=file id=cv>') ?? true")
    attach(panel, ("invoice.pdf", INVOICE))
    stage.plan(call("upload_file", attachments=["invoice.pdf"], selector="#cv"), done("Sent.", "partial"))
    panel.send("Upload this.", "act")
    card = panel.wait_card()
    assert "invoice.pdf" in card
    assert urlsplit(stage.shop.url).netloc in card
    panel.answer("once")
    assert panel.wait_over(60).status == "completed"
    stage.settled()
    got = "document.querySelector('#cv').files[0]"
    assert tab.page.eval(f"{got}.name + ' ' + {got}.type") == "invoice.pdf application/pdf"
    script = f"{got}.arrayBuffer().then((all) => btoa(String.fromCharCode(...new Uint8Array(all))))"
    assert base64.b64decode(tab.page.eval(script)) == INVOICE


def test_a_reopened_panel_shows_them_and_a_follow_up_still_has_them(stage: Stage) -> None:
    use(stage, "anthropic")
    _, panel = stage.open("/about")
    attach(panel, ("pot.png", b""))
    stage.plan(say("A blue square."))
    panel.send("What is this?", "ask")
    panel.wait_over()
    panel.reload()
    panel.page.wait("!!document.querySelector('.sent-files .picture img')", what="the small picture")
    stage.plan(say("Blue."))
    panel.send("Which colour?", "ask")
    panel.wait_turn("turn.answers.join().includes('Blue.')")
    stage.settled()
    assert any(part["type"] == "image" for part in stage.model.calls[-1].body["messages"][0]["content"])


def test_elsewhere_a_pdf_is_read_here(stage: Stage) -> None:
    """A model that sees but takes no documents gets the picture, and the text of the PDF."""
    use(stage, "custom", baseUrl=stage.model.url, model="gpt-4o-mini")
    _, panel = stage.open("/about")
    attach(panel, ("invoice.pdf", INVOICE), ("pot.png", b""))
    stage.plan(say("Three teapots."))
    panel.send("How many?", "ask")
    assert panel.wait_over().status == "completed"
    stage.settled()
    parts = person(stage.model.calls[0])
    assert [part["type"] for part in parts] == ["text", "image_url"]
    before, _, inside = attached(parts[0]["text"])
    assert before.startswith("the file “invoice.pdf”, the text of its one page")
    assert "Invoice 42 of the tea shop: 3 teapots" in inside


def test_large_files_cross_and_nothing_is_held_up(stage: Stage) -> None:
    """Sixteen megabytes go to the model whole, and the panel draws meanwhile."""
    use(stage, "anthropic")
    _, panel = stage.open("/about")
    attach(panel, ("a.pdf", LONG), ("b.pdf", LONG))
    panel.page.eval(
        """(() => {
          globalThis.longest = 0;
          let last = performance.now();
          const tick = () => {
            const now = performance.now();
            globalThis.longest = Math.max(globalThis.longest, now - last);
            last = now;
            setTimeout(tick, 20);
          };
          tick();
          return true;
        })()"""
    )
    stage.plan(say("Two long ones."))
    panel.send("How long?", "ask")
    turn = panel.wait_over()
    assert turn.status == "completed", turn
    stage.settled()
    documents = [part for part in person(stage.model.calls[0]) if part["type"] == "document"]
    assert [base64.b64decode(part["source"]["data"]) == LONG for part in documents] == [True, True]
    assert panel.page.eval("globalThis.longest") < 2_000


@pytest.mark.same_in_firefox
def test_a_model_that_does_not_see_is_not_asked(stage: Stage) -> None:
    """Nothing is sent; words and files stay, and go once the picture is taken out."""
    use(stage, "custom", baseUrl=stage.model.url, model="plain-text")
    _, panel = stage.open("/about")
    attach(panel, ("pot.png", b""), ("notes.txt", NOTES.encode()))
    panel.send("What is this?", "ask")
    panel.page.wait("!!document.querySelector('.chip-refused')", what="the refusal")
    told = panel.page.eval("document.querySelector('.attach-problems').innerText")
    assert "pot.png" in told
    assert "does not read pictures" in told
    assert stage.model.calls == []
    assert panel.turns() == []
    assert panel.page.eval("document.querySelector('#composer').value") == "What is this?"
    panel.page.click(".chip-refused .chip-remove")
    stage.plan(say("A note about Ada."))
    panel.page.click("#send")
    assert panel.wait_over().status == "completed"
    stage.settled()
    assert NOTES.strip() in person(stage.model.calls[0])[0]["text"]


@pytest.mark.same_in_firefox
def test_a_vision_model_speaks_for_the_picture(stage: Stage) -> None:
    with ModelServer(Script([say("A square, all blue.")]), model="eyes") as vision:
        settings = Settings(stage.browser)
        settings.fill("vllm", baseUrl=vision.url, model=vision.model)
        settings.page.click("#form-vllm [data-action=use]")
        settings.page.wait("document.querySelector('#in-use').innerText.includes('eyes')", what="vLLM in use")
        settings.use("custom", baseUrl=stage.model.url, model="plain-text")
        choose_vision(settings, "vllm")
        settings.close()
        try:
            _, panel = stage.open("/about")
            attach(panel, ("pot.png", b""))
            stage.plan(say("Blue, I am told."))
            panel.send("Which colour?", "ask")
            assert panel.wait_over().status == "completed"
            stage.settled()
        finally:
            settings = Settings(stage.browser)
            choose_vision(settings, "")
            settings.close()
        [asked] = vision.calls
        picture = next(part["image_url"]["url"] for part in person(asked) if part["type"] == "image_url")
        assert colour(stage.browser, picture)[2:] == [20, 20, 200]
        [words] = person(stage.model.calls[0])
        before, _, inside = attached(words["text"])
        assert "a vision model describes it" in before
        assert "A square, all blue." in inside


def choose_vision(settings: Settings, provider: str) -> None:
    settings.page.click('a[href="#pictures"]')
    settings.page.wait_for("#vision-provider")
    settings.choose("#vision-provider", provider)
    settings.page.click("[data-action=vision-save]")
    settings.page.wait("!document.querySelector('[data-action=vision-save]')", what="the choice to be saved")
