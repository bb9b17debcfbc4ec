"""Loading the extension, choosing a provider, asking about a page."""

import pytest

from tests.support.browsers import Browser
from tests.support.screens import Panel, Settings
from tests.support.script import call, last_result, say
from tests.support.stage import Stage
from webbrain.testing.model_server import ModelServer, Script
from webbrain.testing.site import Shop


def test_nothing_is_set_up_until_the_user_chooses(browser: Browser) -> None:
    """A fresh extension starts, has no provider, and the panel leads to the settings."""
    settings = Settings(browser)
    assert not settings.page.exists(".provider.active")
    settings.close()
    with Shop() as shop:
        tab = browser.open_tab(shop.url)
        panel = Panel(browser, tab)
        panel.page.type("#composer", "Hello")
        panel.page.wait("document.querySelector('#send').disabled", what="the message to be held back")
        panel.page.press("Enter")
        assert not panel.turns()
        panel.close()
        tab.page.close()


def test_provider_is_set_by_clicking_and_tested(browser: Browser) -> None:
    """Test makes a real call with a tool; Save and use makes the service the active one, and it stays so."""
    script = Script()
    with ModelServer(script, api_key="right-key") as model:
        settings = Settings(browser)
        settings.fill("custom", baseUrl=model.url, model=model.model, apiKey="wrong-key")
        refused = settings.test("custom")
        assert not refused["ok"]
        assert "key" in refused["text"].lower()

        def use_the_tool(request: object) -> object:
            return call(request.tools[0], **_least(request))  # type: ignore[attr-defined]

        script.add(use_the_tool)  # type: ignore[arg-type]
        settings.fill("custom", apiKey="right-key")
        assert settings.test("custom")["ok"]
        assert model.calls[-1].tools
        settings.use("custom")
        settings.page.reload()
        settings.page.wait_for("#in-use", timeout=60)
        settings.page.wait_for(".provider.active")
        assert "right-key" not in settings.page.eval("document.documentElement.outerHTML")
        assert not model.refused
        settings.close()


def _least(request: object) -> dict[str, object]:
    function = request.body["tools"][0]["function"]  # type: ignore[attr-defined]
    properties = function["parameters"].get("properties", {})
    values = {"string": "ok", "integer": 1, "number": 1, "boolean": True}
    return {
        key: properties[key].get("enum", [values.get(properties[key].get("type"), "ok")])[0]
        for key in function["parameters"].get("required", ())
    }


def test_answer_streams_in_ask(stage: Stage) -> None:
    """Text is on the screen while the model still writes, and the whole of it in the end."""
    _, panel = stage.open("/about")
    stage.plan(say("The shop is **open** from Tuesday to Saturday.", gate="rest", before_gate=4))
    panel.send("When is the shop open?", "ask")
    panel.wait_turn("turn.answers.join('').includes('The shop')", what="the first words")
    assert panel.last().status == "running"  # type: ignore[union-attr]
    stage.model.release("rest")
    turn = panel.wait_over()
    assert turn.status == "completed"
    assert "The shop is open from Tuesday to Saturday." in turn.text
    assert panel.page.eval("document.querySelector('.answer strong').innerText") == "open"
    assert stage.model.calls[0].stream
    stage.settled()


def test_ask_reads_the_page_and_answers(stage: Stage) -> None:
    """The model gets the page's text, wrapped as untrusted, and only tools that read."""
    _, panel = stage.open("/about")
    stage.plan(call("read_page"), lambda seen: say(f"It was founded by {_founder(last_result(seen).text)}."))
    panel.send("Who founded the shop?", "ask")
    turn = panel.wait_over()
    assert "Marta Oliveira" in turn.text
    assert [step["tool"] for step in turn.steps] == ["read_page"]
    first, second = stage.model.calls
    assert not {"click_ax", "set_field", "navigate"} & set(first.tools)
    assert "<untrusted_page_content" in second.turns[-1].text
    assert "About - Corner Shop" in first.turns[-1].text
    stage.settled()


def _founder(text: str) -> str:
    return text.split(" by ")[1].split(" in ")[0]


@pytest.mark.same_in_firefox
def test_conversation_goes_on(stage: Stage) -> None:
    """A second message is sent with the first exchange before it."""
    _, panel = stage.open("/about")
    stage.plan(say("First answer."), say("Second answer."))
    panel.send("First question?", "ask")
    panel.wait_over()
    panel.send("Second question?")
    panel.wait_turn("turn.answers.join().includes('Second answer')")
    assert [turn.text for turn in panel.turns()] == ["First answer.", "Second answer."]
    roles = [turn.role for turn in stage.model.calls[1].turns]
    assert roles == ["system", "user", "assistant", "user"]
    stage.settled()


def test_what_the_model_writes_cannot_run(stage: Stage) -> None:
    """Markup in an answer is shown or dropped, never executed, and no picture is fetched."""
    _, panel = stage.open("/about")
    evil = (
        "<img src=x onerror=\"document.title='owned'\"> <script>document.title='owned'</script> "
        f"![pixel]({stage.shop.url}/pixel.png) [link](javascript:document.title='owned') end"
    )
    stage.plan(say(evil))
    panel.send("Say something evil.", "ask")
    panel.wait_turn("turn.answers.join().includes('end')")
    panel.wait_over()
    assert panel.page.eval("document.title") != "owned"
    assert not panel.page.eval("document.querySelectorAll('.answer img, .answer script').length")
    assert not panel.page.eval("document.querySelectorAll('.answer a[href^=\"javascript\"]').length")
    assert stage.shop.hits["/pixel.png"] == 0
