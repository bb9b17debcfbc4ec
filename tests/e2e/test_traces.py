"""Runs are recorded if the user wants that: what is kept can be read, saved as a file and deleted."""

import json
from collections.abc import Iterator
from threading import Event

import pytest

from tests.support.browsers import Browser, Page
from tests.support.browsers.base import wait_until
from tests.support.screens import Settings
from tests.support.script import call, say
from tests.support.stage import Stage
from webbrain.testing.chat import Answer, ModelCall
from webbrain.testing.model_server import ModelServer

NOTICED = 60.0
"""Seconds in which a Worker that does not answer is replaced on a busy machine."""
CATCH = """(() => {
  globalThis.saved = [];
  HTMLAnchorElement.prototype.click = function () {
    fetch(this.href).then((answer) => answer.text()).then((text) => saved.push({name: this.download, text}));
  };
})()"""
"""Files go to the test instead of the disk."""


@pytest.fixture(scope="module")
def seeing(browser: Browser, module_stage: Stage) -> Iterator[Stage]:
    """A stage whose model is known, by its name, to read pictures."""
    with ModelServer(module_stage.script, model="gpt-4o-mini") as model:
        settings = Settings(browser)
        settings.use("custom", baseUrl=model.url, model=model.model)
        settings.close()
        yield Stage(browser, module_stage.shop, model, module_stage.script)


@pytest.fixture
def page(seeing: Stage) -> Iterator[Page]:
    """The screen of recordings, with recording switched on."""
    page = seeing.browser.open_settings()
    page.eval("location.hash = '#records'")
    page.wait_for("#setting-tracingEnabled")
    assert page.eval("document.querySelector('#setting-tracingEnabled').checked") is False
    page.click("#setting-tracingEnabled")
    page.wait_for("[data-setting=tracingEnabled] .setting-state.ok")
    yield page
    page.close()
    seeing.clear()


def saved(page: Page, form: str, count: int) -> dict[str, str]:
    """Press the button for a file and take the file."""
    page.click(f"[data-action=export-{form}]")
    page.wait(f"saved.length === {count}", what="the file")
    file: dict[str, str] = page.eval("saved.at(-1)")
    return file


def statuses(page: Page, title: str) -> list[str]:
    """How the runs of that title are listed, the newest first."""
    found: list[str] = page.eval(
        "[...document.querySelectorAll('.records > li')].filter((item) =>"
        f" item.querySelector('.record-title').innerText === {json.dumps(title)})"
        ".map((item) => item.querySelector('[data-status]').dataset.status)"
    )
    return found


def test_a_run_is_recorded_read_saved_and_deleted(seeing: Stage, page: Page) -> None:
    tab, panel = seeing.open("/about")
    tab.page.activate()
    seeing.plan(call("inspect_viewport"), say("It is a small shop."))
    panel.send("What kind of page is this?", "ask")
    assert panel.wait_over().status == "completed"
    # Python dies in the middle of another one, while the model takes its time.
    dead = Event()

    def late(_: ModelCall) -> Answer:
        dead.wait(NOTICED)
        return say("Too late.")

    seeing.plan(late, say("Went on."))
    panel.send("And what is this?", "ask")
    page.wait(
        "document.querySelectorAll('.records > li').length === 2",
        what="the run under way to be listed",
    )
    assert statuses(page, "And what is this?") == ["running"]
    seeing.browser.kill_python()
    panel.wait_turn("turn.status !== 'running'", NOTICED, "the run to be over")
    dead.set()
    # It goes on by itself, which is a recording of its own; the screen follows without being loaded anew.
    wait_until(
        lambda: statuses(page, "And what is this?")[-1] == "interrupted",
        NOTICED,
        lambda: f"the recording to be interrupted: {statuses(page, 'And what is this?')}",
    )
    assert statuses(page, "What kind of page is this?") == ["completed"]
    page.click(".records a", "What kind of page is this?")
    page.wait_for(".timeline [data-event=llm_response]", "It is a small shop.")
    # The picture the model got is there, and is one.
    page.eval("document.querySelector('[data-event=screenshot]').scrollIntoView()")
    page.wait("document.querySelector('.shot img')?.naturalWidth > 0", what="the picture")
    page.eval(CATCH)
    written = saved(page, "markdown", 1)
    assert written["name"].endswith(".md")
    for text in ("What kind of page is this?", "Tool inspect\\_viewport", "It is a small shop."):
        assert text in written["text"]
    file = json.loads(saved(page, "json", 2)["text"])
    assert file["schema"] == "webbrain-trace/1"
    assert [event["n"] for event in file["events"]] == list(range(1, len(file["events"]) + 1))
    images = [event["image"] for event in file["events"] if event["type"] == "screenshot"]
    assert images
    assert all(image.startswith("data:image/jpeg;base64,/9j/") for image in images)
    page.click("[data-action=delete-record]")
    page.click("[data-action=delete-record-yes]")
    page.wait_for(".records > li", "And what is this?")
    assert statuses(page, "What kind of page is this?") == []
    page.click("[data-action=delete-records]")
    page.click("[data-action=delete-records-yes]")
    page.wait_for(".records-none")
    page.click("#setting-tracingEnabled")
