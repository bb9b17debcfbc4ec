"""The test of a service in the settings: a real call, told in plain words."""

# ruff: noqa: E501 - tables of cases are read by the line

import json
from typing import Any

import pytest

from tests.support.models import KEY, request, whole
from tests.unit.test_providers_service import ready
from webbrain.host.memory import MemoryHost, Reply
from webbrain.host.protocols import HttpRequest
from webbrain.providers import refusals
from webbrain.services.providers import ProviderService


def calls_tool(sent: HttpRequest) -> Any:
    body = json.loads(sent.body or b"{}")
    call = {
        "id": "c",
        "function": {"name": body["tools"][0]["function"]["name"], "arguments": '{"word": "ready"}'},
    }
    return {"model": "m-1", "choices": [{"message": {"tool_calls": [call]}, "finish_reason": "tool_calls"}]}


async def test_the_test_is_a_real_call_with_a_tool_and_saves_nothing() -> None:
    host = MemoryHost()
    host.http.on("POST", "https://api.openai.com/v1/chat/completions", calls_tool)
    result = await ProviderService(host).test("openai", {"apiKey": KEY, "model": "m-1"})
    assert (result["ok"], result["model"], result["calledTool"], result["error"]) == (True, "m-1", True, None)
    assert result["latencyMs"] >= 0
    assert host.settings.values == {}


async def test_the_test_tells_when_no_tool_was_called_or_another_model_answers() -> None:
    host = MemoryHost()
    host.http.on("POST", "*", whole("openai_chat"))
    result = await ProviderService(host).test("openai", {"apiKey": KEY, "model": "gpt-4o"})
    assert (result["ok"], result["calledTool"]) == (True, False)
    assert len(result["notes"]) == 3, "another model, no tool, and a picture that was not read"
    assert "“m”, not with “gpt-4o”" in result["notes"][0]


@pytest.mark.parametrize(
    ("text", "works"), [('{"tool":"report_status","word":"ready"}', True), ("Sure, ready!", False)]
)
async def test_constrained_services_are_tested_through_a_schema(text: str, works: bool) -> None:
    host = MemoryHost()
    host.http.on("POST", "http://localhost:8080/v1/chat/completions", whole("openai_chat", text))
    result = await ProviderService(host).test("llamacpp", {})
    assert (result["ok"], result["calledTool"]) == (True, works)
    body = next(body for body in host.http.bodies() if body)
    assert body["response_format"]["json_schema"]["schema"]["required"] == ["tool", "word"]
    assert "tools" not in body
    assert body["temperature"] == 0


@pytest.mark.parametrize(("says", "read"), [("It is {}.", True), ("A cat.", False), (None, False)])
async def test_a_model_that_is_said_to_see_is_shown_a_picture(
    says: str | None, read: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webbrain.providers.seeing.secrets.choice", lambda _: "7")
    host = MemoryHost()

    def answer(sent: HttpRequest) -> Any:
        if b"image_url" not in (sent.body or b""):
            return calls_tool(sent)
        if says is None:
            return Reply.json({"error": {"message": "quota"}}, 402)
        return whole("openai_chat", says.format("7777"))

    host.http.on("POST", "*", answer)
    form = {"apiKey": KEY, "model": "gpt-4o", "visionMode": "on"}
    result = await ProviderService(host).test("openai", form)
    assert (result["ok"], result["calledTool"], result["readPicture"]) == (True, True, read)
    assert bool([note for note in result["notes"] if "picture" in note]) is not read
    blind = await ProviderService(host).test("openai", {**form, "visionMode": "off"})
    assert blind["readPicture"] is None


def thinks(answer: Any, *, until: int, sent: HttpRequest, switch: str) -> Any:
    """The answer of a model that thinks for ``until`` tokens, or as long as its ``switch`` is not turned off."""
    body = json.loads(sent.body or b"{}")
    if body["max_tokens"] >= until or switch in body:
        return answer
    return {"model": "m-1", "choices": [{"message": {"content": ""}, "finish_reason": "length"}]}


@pytest.mark.parametrize("until", [4_096, 10**9])
@pytest.mark.parametrize("provider", ["deepseek", "mistral"])
async def test_a_model_that_thinks_is_given_room_once(provider: str, until: int) -> None:
    """With thinking off where that can be said. What still runs out of room is told as that, and not as a
    model that cannot call tools."""
    host = MemoryHost()
    host.http.on(
        "POST", "*", lambda sent: thinks(calls_tool(sent), until=until, sent=sent, switch="thinking")
    )
    result = await ProviderService(host).test(provider, {"apiKey": KEY, "model": "m-1"})
    works = until == 4_096 or provider == "deepseek"
    assert (result["ok"], result["calledTool"]) == (True, works)
    assert bool([note for note in result["notes"] if "used up 4,096 tokens" in note]) is not works
    assert not [note for note in result["notes"] if "did not call" in note]
    first, second = host.http.bodies()
    assert (first["max_tokens"], second["max_tokens"]) == (1_024, 4_096)
    assert "thinking" not in first
    assert second.get("thinking") == ({"type": "disabled"} if provider == "deepseek" else None)


@pytest.mark.parametrize("until", [4_096, 10**9])
async def test_a_model_that_thinks_about_the_picture_is_given_room_once(
    until: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webbrain.providers.seeing.secrets.choice", lambda _: "7")
    host = MemoryHost()

    def answer(sent: HttpRequest) -> Any:
        if b"image_url" not in (sent.body or b""):
            return calls_tool(sent)
        return thinks(whole("openai_chat", "7777"), until=until, sent=sent, switch="none")

    host.http.on("POST", "*", answer)
    form = {"apiKey": KEY, "model": "m-1", "visionMode": "on"}
    result = await ProviderService(host).test("mistral", form)
    assert (result["calledTool"], result["readPicture"]) == (True, until == 4_096)
    assert bool([note for note in result["notes"] if "used up 4,096 tokens" in note]) is (until != 4_096)
    assert not [note for note in result["notes"] if "could not read" in note]
    assert [body["max_tokens"] for body in host.http.bodies()] == [1_024, 1_024, 4_096]


async def test_a_cut_call_is_asked_for_once_more_and_what_is_enough_is_not() -> None:
    host = MemoryHost()
    cut = {"choices": [{"message": {"content": '{"tool": "report_sta'}, "finish_reason": "length"}]}
    done = '{"tool":"report_status","word":"ready"}' + " " * 50
    full = {"choices": [{"message": {"content": done}, "finish_reason": "length"}]}
    host.http.on("POST", "*", cut, full)
    result = await ProviderService(host).test("llamacpp", {"visionMode": "off"})
    assert (result["calledTool"], result["notes"]) == (True, [])
    assert [body["max_tokens"] for body in host.http.bodies() if body] == [64, 4_096]
    host.http.on("POST", "*", full)
    assert (await ProviderService(host).test("llamacpp", {"visionMode": "off"}))["calledTool"]
    assert len([body for body in host.http.bodies() if body]) == 3


async def test_a_second_try_that_fails_leaves_the_first_as_it_was() -> None:
    host = MemoryHost()
    cut = {"choices": [{"message": {"content": "Hm"}, "finish_reason": "length"}]}
    host.http.on("POST", "*", cut, Reply.json({"error": {"message": "max_tokens is too large"}}, 400))
    result = await ProviderService(host).test("mistral", {"apiKey": KEY, "visionMode": "off"})
    assert (result["ok"], result["calledTool"]) == (True, False)
    assert "used up" in result["notes"][0]


async def test_a_local_server_says_whether_it_is_shown_a_picture() -> None:
    host = MemoryHost()
    host.http.on("GET", "*/props", {"modalities": {"vision": True}})
    host.http.on("POST", "*", whole("openai_chat", '{"tool":"report_status","word":"ready"}'))
    assert (await ProviderService(host).test("llamacpp", {}))["readPicture"] is False
    host = MemoryHost()
    host.http.on("GET", "*/props", {"modalities": {"vision": False}})
    host.http.on("POST", "*", whole("openai_chat", '{"tool":"report_status","word":"ready"}'))
    assert (await ProviderService(host).test("llamacpp", {}))["readPicture"] is None


@pytest.mark.parametrize(
    ("entered", "there"),
    [
        ("http://localhost:9", "http://localhost:9/v1"),
        ("http://localhost:9/api/v1", "http://localhost:9/api"),
        ("http://localhost:9/api", "http://localhost:9/api/v1"),
        ("http://localhost:9/v1", "http://localhost:9"),
    ],
)
async def test_a_service_found_at_another_form_of_the_address_is_saved_there(
    entered: str, there: str
) -> None:
    """Test and list say where it is; what they say can be saved, and a run then goes there at once."""
    host = MemoryHost()
    host.http.on("POST", "*", Reply.json({"error": "nothing here"}, 404))
    host.http.on("GET", "*", Reply.json({"error": "nothing here"}, 404))
    host.http.on("POST", f"{there}/chat/completions", calls_tool)
    host.http.on("GET", f"{there}/models", {"data": [{"id": "m"}]})
    service = ProviderService(host)
    form = {"baseUrl": entered, "model": "m"}
    tested = await service.test("custom", form)
    assert (tested["ok"], tested["baseUrl"], tested["moved"]) == (True, there, True)
    listed = await service.models("custom", form)
    assert (listed["models"], listed["baseUrl"], listed["moved"]) == (["m"], there, True)
    form["baseUrl"] = tested["baseUrl"]
    assert (await service.test("custom", form))["moved"] is False
    assert (await service.models("custom", form))["moved"] is False
    await service.save("custom", form)
    await service.activate("custom")
    sent = len(host.http.requests)
    await (await service.active()).complete(request())
    posted = [one.url for one in host.http.requests[sent:] if one.method == "POST"]
    assert posted == [f"{there}/chat/completions"]


async def test_no_other_form_of_an_address_is_tried_where_it_cannot_be_kept_or_is_not_the_trouble() -> None:
    host = MemoryHost()
    host.http.on("GET", "*", Reply.json({"error": "nothing here"}, 404))
    service = ProviderService(host)
    assert not (await service.models("jan", {"model": "m"}))["ok"]
    assert [one.url for one in host.http.requests] == ["http://localhost:1337/v1/models"]
    host = MemoryHost()
    host.http.on("GET", "*", Reply.json({"error": "no"}, 401))
    refused = await ProviderService(host).models("custom", {"baseUrl": "http://localhost:9/v1"})
    assert (refused["error"]["code"], len(host.http.requests)) == ("wrong_key", 1)


@pytest.mark.parametrize(
    ("answer", "field"),
    [
        (Reply.json({"error": {"message": "no"}}, 401), "apiKey"),
        (Reply.json({"error": {"message": "no such model", "code": "model_not_found"}}, 404), "model"),
        (Reply(200, {"content-type": "text/html"}, [b"<html>Sign in to the proxy"]), "baseUrl"),
        (Reply.json({"error": {"message": "slow down"}}, 429), None),
    ],
)
async def test_what_a_service_complains_about_is_told_at_its_field(answer: Any, field: str | None) -> None:
    host = MemoryHost()
    host.http.on("POST", "*", answer)
    error = (await ProviderService(host).test("openai", {"apiKey": KEY, "model": "m"}))["error"]
    assert error.get("field") == field


async def test_a_server_that_says_nothing_yet_is_asked_again() -> None:
    host = MemoryHost()
    service = ProviderService(host)
    await service.save("llamacpp", {})
    await service.activate("llamacpp")
    assert (await service.active()).info.context_window == 16_384
    host.http.on("GET", "*/props", {"default_generation_settings": {"n_ctx": 4_096}})
    host.clock.advance(6.0)
    assert (await service.active()).info.context_window == 4_096


async def test_the_test_finds_the_address_that_works() -> None:
    host = MemoryHost()
    host.http.on("POST", "*", Reply(404, {"content-type": "text/html"}, [b"<html>no"]))
    host.http.on("POST", "http://localhost:5000/v1/chat/completions", calls_tool)
    result = await ProviderService(host).test("custom", {"baseUrl": "http://localhost:5000", "model": "m-1"})
    assert (result["ok"], result["baseUrl"]) == (True, "http://localhost:5000/v1")
    refused = await ProviderService(host).test("custom", {"baseUrl": "http://localhost:6000/v1"})
    assert refused["error"]["code"] == "wrong_address"


def test_a_web_page_is_told_in_its_words() -> None:
    page = "<html><script>var x = '<p>no</p>'</script><h1 class='a'>Bad gateway</h1><p>Try later</html>"
    assert refusals.words_of_page(page).split() == ["Bad", "gateway", "Try", "later"]


async def test_the_test_fails_in_plain_words() -> None:
    host, service = await ready()
    host.http.on("POST", "*", Reply.json({"error": {"message": f"Incorrect key {KEY}"}}, 401))
    result = await service.test("openai", {})
    assert result["ok"] is False
    assert result["error"]["code"] == "wrong_key"
    assert result["error"]["hint"]
    assert KEY not in json.dumps(result)
    assert (await service.test("openai", {"baseUrl": "ftp://x"}))["error"]["field"] == "baseUrl"
