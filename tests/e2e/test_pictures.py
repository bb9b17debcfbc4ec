"""What a model really gets to see: the JPEG that reaches its server, decoded, shows the page of the run."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.browsers import Browser, Tab
from tests.support.page_site import PageSite
from tests.support.screens import Settings
from tests.support.script import call, done, on_ref, say, see
from tests.support.stage import Stage
from webbrain.testing.chat import ModelCall
from webbrain.testing.model_server import ModelServer, Script

RED, BLUE, GREEN, GREY = (200, 20, 20), (20, 20, 200), (0, 160, 0), (90, 90, 90)
TOLERANCE = 14
"""JPEG is not exact."""
PAGES = {
    "/": f"""<style>
        body {{ margin: 0; background: linear-gradient(90deg, rgb{RED} 50%, rgb{BLUE} 50%); }}
        body.done {{ background: rgb{GREEN}; }}
      </style>
      <p style="height: 3000px"><button onclick="document.body.className = 'done'">Turn green</button></p>
      <p>{"Some words that are read as text. " * 20}</p>""",
    "/other": f"<style>body {{ background: rgb{GREY}; }}</style><p>Another page</p>",
}


@pytest.fixture(scope="module")
def site() -> Iterator[PageSite]:
    with PageSite(PAGES) as running:
        yield running


@pytest.fixture(scope="module")
def seeing(browser: Browser, module_stage: Stage) -> Iterator[Stage]:
    """A stage whose model is known, by its name, to read pictures."""
    with ModelServer(module_stage.script, model="gpt-4o-mini") as model:
        settings = Settings(browser)
        settings.use("custom", baseUrl=model.url, model=model.model)
        settings.close()
        yield Stage(browser, module_stage.shop, model, module_stage.script)


@pytest.fixture
def clean(seeing: Stage) -> Iterator[Stage]:
    yield seeing
    seeing.clear()


def pictures(model_call: ModelCall) -> list[str]:
    """The data URLs of a request, oldest first."""
    return [
        part["image_url"]["url"]
        for message in model_call.body["messages"]
        if isinstance(message.get("content"), list)
        for part in message["content"]
        if part.get("type") == "image_url"
    ]


def colours(browser: Browser, picture: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The colours at the left and at the right edge, half-way down, and that it is a JPEG at all."""
    assert picture.startswith("data:image/jpeg;base64,/9j/")
    found: list[list[int]] = browser.control.eval(
        f"""(async () => {{
          const bitmap = await createImageBitmap(await (await fetch({json.dumps(picture)})).blob());
          const pen = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
          pen.drawImage(bitmap, 0, 0);
          return [0.1, 0.9].map((x) => [...pen.getImageData(
            Math.round(bitmap.width * x), Math.round(bitmap.height / 2), 1, 1).data].slice(0, 3));
        }})()"""
    )
    left, right = (tuple(colour) for colour in found)
    return left, right


def near(colour: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    return all(abs(have - want) <= TOLERANCE for have, want in zip(colour, wanted, strict=True))


def turn_green(stage: Stage) -> None:
    stage.plan(see(), on_ref("click_ax", "Turn green"), done("It is green."))


def test_the_model_sees_the_page_before_and_after(clean: Stage, site: PageSite) -> None:
    tab = clean.open_tab(site.url)
    panel = clean.open_panel(tab)
    tab.page.activate()
    turn_green(clean)
    panel.send("Turn the page green", "act")
    assert panel.wait_over().status == "completed"
    clean.settled()
    first, _, last = clean.model.calls
    left, right = colours(clean.browser, pictures(first)[0])
    assert near(left, RED), left
    assert near(right, BLUE), right
    assert len(pictures(first)) == 1
    after = pictures(last)[-1]
    assert all(near(colour, GREEN) for colour in colours(clean.browser, after))
    # What the panel shows is what the model got.
    panel.page.wait("document.querySelectorAll('.picture img').length >= 2", what="the pictures in the panel")
    shown = panel.page.eval("[...document.querySelectorAll('.picture img')].at(-1).src")
    assert shown == after


def test_a_tab_in_the_background_is_seen_and_stays_there(clean: Stage, site: PageSite) -> None:
    tab = clean.open_tab(site.url)
    panel = clean.open_panel(tab)
    put_behind(clean.browser, tab, f"{site.url}/other")
    assert not is_active(clean.browser, tab)
    turn_green(clean)
    panel.send("Turn the page green", "act")
    assert panel.wait_over().status == "completed"
    clean.settled()
    assert not is_active(clean.browser, tab)
    after = pictures(clean.model.calls[-1])[-1]
    assert all(near(colour, GREEN) for colour in colours(clean.browser, after))
    for model_call in clean.model.calls:
        for picture in pictures(model_call):
            assert not any(near(colour, GREY) for colour in colours(clean.browser, picture))
    assert not is_active(clean.browser, tab)


def test_a_tool_looks_in_ask_too(clean: Stage, site: PageSite) -> None:
    tab = clean.open_tab(site.url)
    panel = clean.open_panel(tab)
    tab.page.activate()
    clean.plan(call("inspect_viewport"), say("Red and blue."))
    panel.send("Which colours?", "ask")
    assert panel.wait_over().status == "completed"
    clean.settled()
    first, second = clean.model.calls
    assert pictures(first) == []
    left, right = colours(clean.browser, pictures(second)[-1])
    assert near(left, RED)
    assert near(right, BLUE)


def test_another_model_describes_what_this_one_cannot_see(
    browser: Browser, seeing: Stage, site: PageSite
) -> None:
    """Only the vision model's server gets the picture, and only its words reach the other one."""
    words = "A page that is red on the left and blue on the right."
    blind_script, eyes = Script(), Script([say(words)])
    with ModelServer(blind_script, model="plain-text") as blind, ModelServer(eyes, model="eyes") as vision:
        settings = Settings(browser)
        settings.use("custom", baseUrl=blind.url, model=blind.model)
        settings.fill("vllm", baseUrl=vision.url, model=vision.model)
        settings.page.click("#form-vllm [data-action=use]")
        settings.page.wait("document.querySelector('#in-use').innerText.includes('eyes')", what="vLLM in use")
        settings.use("custom")
        settings.page.click('a[href="#pictures"]')
        settings.page.wait_for("#vision-provider")
        settings.choose("#vision-provider", "vllm")
        settings.page.click("[data-action=vision-save]")
        settings.page.wait(
            "!document.querySelector('[data-action=vision-save]')", what="the choice to be saved"
        )
        settings.close()
        stage = Stage(browser, seeing.shop, blind, blind_script)
        try:
            tab = stage.open_tab(site.url)
            panel = stage.open_panel(tab)
            tab.page.activate()
            stage.plan(done("I read that it is red and blue."))
            panel.send("Which colours?", "act")
            assert panel.wait_over().status == "completed"
            stage.settled()
            asked_of_blind = blind.calls[0]
        finally:
            stage.clear()
        left, right = colours(browser, pictures(vision.calls[0])[0])
        assert near(left, RED)
        assert near(right, BLUE)
        assert pictures(asked_of_blind) == []
        asked: Any = asked_of_blind.body["messages"][-1]["content"]
        assert words in asked
        assert "<untrusted_page_content" in asked.split(words)[0]
    settings = Settings(browser)
    settings.page.click('a[href="#pictures"]')
    settings.page.wait_for("#vision-provider")
    settings.choose("#vision-provider", "")
    settings.page.click("[data-action=vision-save]")
    settings.page.wait("!document.querySelector('[data-action=vision-save]')", what="none to be saved")
    settings.close()


def put_behind(browser: Browser, tab: Tab, url: str) -> None:
    """Open another tab in front of it, in the same window."""
    browser.control.eval(
        f"""(async (api) => {{
          const {{ windowId }} = await api.tabs.get({tab.id});
          await api.tabs.create({{ windowId, url: {json.dumps(url)}, active: true }});
          return true;
        }})(globalThis.browser ?? chrome)"""
    )


def is_active(browser: Browser, tab: Tab) -> bool:
    active: bool = browser.control.eval(
        f"(globalThis.browser ?? chrome).tabs.get({tab.id}).then((tab) => tab.active)"
    )
    return active
