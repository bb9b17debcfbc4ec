"""Prices the user enters count for cost and allowances; a wrong one is told at its field."""

from typing import Any

import pytest

from tests.support.models import KEY, request, whole
from webbrain.agent.spending import Account, PaidClient
from webbrain.app import App
from webbrain.core.errors import CostLimit, NeedsPerson, ProviderFailed
from webbrain.core.messages import ModelReply, Usage
from webbrain.host.memory import MemoryHost, Reply
from webbrain.providers import cost
from webbrain.services.providers import ProviderService

PRICED = {"priceInput": "2", "priceOutput": "10", "priceCached": "0,5"}


async def ready(provider: str = "mistral", **form: Any) -> App:
    app = App(MemoryHost())
    await app.providers.save(provider, {"apiKey": KEY, **form})
    await app.providers.activate(provider)
    return app


def used(prompt: int, written: int, cached: int = 0) -> ModelReply:
    usage = Usage(prompt_tokens=prompt, completion_tokens=written, cached_tokens=cached)
    return ModelReply(text="x", usage=usage)


async def test_entered_prices_are_used_and_certain() -> None:
    info = (await (await ready(**PRICED, model="some-new-model")).providers.active()).info
    usage = cost.completed(info.prices, request(), used(1_000_000, 100_000, cached=400_000))
    assert usage.cost_usd == pytest.approx(0.6 * 2 + 0.4 * 0.5 + 0.1 * 10)
    assert usage.cost_estimated is False


async def test_without_them_a_model_of_unknown_price_is_an_estimate() -> None:
    info = (await (await ready(model="some-new-model")).providers.active()).info
    assert cost.completed(info.prices, request(), used(10, 10)).cost_estimated is True


async def test_cached_tokens_cost_as_much_as_others_unless_entered() -> None:
    info = (await (await ready(priceInput=2, priceOutput=10)).providers.active()).info
    assert info.prices is not None
    assert (info.prices.cache_read, info.prices.cache_write) == (2, 2)


async def test_zero_means_free() -> None:
    info = (await (await ready(priceInput="0", priceOutput="0")).providers.active()).info
    assert info.prices is None


async def test_a_server_in_the_local_network_may_have_a_price() -> None:
    form = {"baseUrl": "http://192.168.0.7:8000/v1", "model": "m"}
    assert (await (await ready("custom", **form)).providers.active()).info.prices is None
    assert (await (await ready("custom", **form, **PRICED)).providers.active()).info.prices is not None


@pytest.mark.parametrize(
    ("form", "field"),
    [
        ({"priceInput": "cheap", "priceOutput": "10"}, "priceInput"),
        ({"priceInput": "-1", "priceOutput": "10"}, "priceInput"),
        ({"priceInput": "1e3", "priceOutput": "10"}, "priceInput"),
        ({"priceInput": "nan", "priceOutput": "10"}, "priceInput"),
        ({"priceInput": "2", "priceOutput": "1.000.000"}, "priceOutput"),
        ({"priceInput": "2", "priceOutput": "20000"}, "priceOutput"),
        ({"priceInput": "2"}, "priceOutput"),
        ({"priceOutput": "2"}, "priceInput"),
        ({"priceCached": "2"}, "priceInput"),
        ({"priceInput": "2", "priceOutput": "10", "priceCached": "3"}, "priceCached"),
        ({"priceInput": True, "priceOutput": "10"}, "priceInput"),
        ({"priceInput": "2", "priceOutput": [1]}, "priceOutput"),
    ],
)
async def test_a_wrong_price_is_told_at_its_field_and_nothing_saved(form: dict[str, Any], field: str) -> None:
    host = MemoryHost()
    with pytest.raises(NeedsPerson) as caught:
        await ProviderService(host).save("mistral", {"apiKey": KEY, **form})
    assert (caught.value.code, caught.value.data["field"]) == ("invalid_field", field)
    assert host.settings.values == {}


@pytest.mark.parametrize("written", ["2.5", "2,5", "$2.50", " 2.50 ", 2.5])
async def test_prices_are_read_as_people_write_them(written: Any) -> None:
    app = await ready(priceInput=written, priceOutput="10")
    view = next(v for v in (await app.providers.list())["providers"] if v["id"] == "mistral")
    assert view["values"]["priceInput"] == 2.5
    await app.providers.save("mistral", {"priceInput": "", "priceOutput": ""})
    assert "priceInput" not in app.host.settings.values["providers"]["mistral"]  # type: ignore[attr-defined]


async def test_the_allowance_counts_with_them() -> None:
    app = await ready(priceInput="1000", priceOutput="1000", model="m")
    answer = whole("openai_chat") | {"usage": {"prompt_tokens": 900, "completion_tokens": 100}}
    app.host.http.on("POST", "*", Reply.json(answer))  # type: ignore[attr-defined]
    await app.settings.save({"costAllowanceTotalUsd": 1.0})
    client = PaidClient(await app.providers.active(), Account(app.spending))
    await client.complete(request())
    assert (await app.spending.view())["totalUsd"] == pytest.approx(1.0)
    with pytest.raises(CostLimit):
        await client.complete(request())


async def test_the_test_button_pays_like_everybody() -> None:
    app = await ready(priceInput="1000", priceOutput="1000", visionMode="off", model="m")
    answer = whole("openai_chat") | {"usage": {"prompt_tokens": 900, "completion_tokens": 100}}
    app.host.http.on("POST", "*", Reply.json(answer))  # type: ignore[attr-defined]
    assert (await app.providers.test("mistral", {}))["ok"]
    assert (await app.spending.view())["totalUsd"] == pytest.approx(1.0)
    await app.settings.save({"costAllowanceTotalUsd": 1.0})
    refused = await app.providers.test("mistral", {})
    assert (refused["ok"], refused["error"]["code"]) == (False, "cost_limit")
    assert len(app.host.http.requests) == 1  # type: ignore[attr-defined]


async def test_the_test_of_the_vision_model_pays_too() -> None:
    app = await ready(priceInput="1000", priceOutput="1000", model="m")
    answer = whole("openai_chat") | {"usage": {"prompt_tokens": 900, "completion_tokens": 100}}
    app.host.http.on("POST", "*", Reply.json(answer))  # type: ignore[attr-defined]
    await app.vision.test("mistral", "")
    assert (await app.spending.view())["totalUsd"] == pytest.approx(1.0)


async def test_an_answer_that_was_cut_off_is_paid_for() -> None:
    app = await ready(priceInput="1000", priceOutput="1000", model="m")
    cut = {"function": {"name": "click_ax", "arguments": '{"ref'}, "id": "c1", "type": "function"}
    message = {"role": "assistant", "content": None, "tool_calls": [cut]}
    answer = {"model": "m", "choices": [{"message": message, "finish_reason": "length"}]}
    app.host.http.on("POST", "*", Reply.json(answer))  # type: ignore[attr-defined]
    client = PaidClient(await app.providers.active(), Account(app.spending))
    with pytest.raises(ProviderFailed) as caught:
        await client.complete(request())
    assert caught.value.code == "answer_cut"
    assert (await app.spending.view())["totalUsd"] > 0
