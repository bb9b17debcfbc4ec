"""What a call costs: what was reported counts, and what was not is guessed upwards and marked."""

import json
from typing import Any

import pytest

from tests.support.models import client, endpoint
from webbrain.agent.spending import Account
from webbrain.core.messages import DocumentPart, ImagePart, Message, ModelReply, ModelRequest, ToolCall, Usage
from webbrain.host.memory import MemoryHost, Reply
from webbrain.providers import cost
from webbrain.providers.cost import Prices
from webbrain.services.settings import SettingsService
from webbrain.services.spending import SpendingService

PRICES = Prices(input=3.0, output=15.0, cache_read=0.3, cache_write=3.75)
REQUEST = ModelRequest(messages=[Message(role="user", content="x" * 3_000)])


def costs(price: Prices | None = PRICES, **usage: Any) -> Usage:
    return cost.completed(price, REQUEST, ModelReply(text="y" * 300, usage=Usage(**usage)))


@pytest.mark.parametrize(
    ("usage", "usd"),
    [
        ({"prompt_tokens": 1_000_000, "completion_tokens": 0}, 3.0),
        ({"prompt_tokens": 0, "completion_tokens": 1_000_000}, 15.0),
        ({"prompt_tokens": 1_000_000, "completion_tokens": 0, "cached_tokens": 900_000}, 0.3 + 0.27),
        (
            {
                "prompt_tokens": 1_000_000,
                "completion_tokens": 10_000,
                "cached_tokens": 500_000,
                "cache_write_tokens": 400_000,
            },
            0.3 + 0.15 + 1.5 + 0.15,
        ),
        # More cached than there is: no negative money.
        ({"prompt_tokens": 100, "completion_tokens": 0, "cached_tokens": 10**9}, 100 * 0.3 / 1e6),
    ],
)
def test_tokens_times_prices(usage: dict[str, Any], usd: float) -> None:
    done = costs(**usage)
    assert done.cost_usd == pytest.approx(usd)
    assert (done.estimated, done.cost_estimated) == (False, False)


def test_what_the_service_billed_is_believed() -> None:
    done = costs(prompt_tokens=10, completion_tokens=10, cost_usd=0.5)
    assert (done.cost_usd, done.cost_estimated) == (0.5, False)


def test_what_nobody_reported_is_guessed_and_marked() -> None:
    done = costs()
    assert (done.prompt_tokens, done.completion_tokens, done.estimated) == (1_000, 100, True)
    assert done.cost_usd == pytest.approx((1_000 * 3 + 100 * 15) / 1e6)
    assert done.cost_estimated


def test_pictures_and_calls_count_in_a_guess() -> None:
    picture = ImagePart(data_url="data:image/png;base64,AA")
    gone = ImagePart(data_url="")
    seen = ModelRequest(messages=[Message(role="user", content="", images=[picture, gone])])
    assert cost.prompt_tokens(seen) == cost.TOKENS_PER_PICTURE
    document = DocumentPart(data_url="data:application/pdf;base64,AA", pages=40)
    let_go = DocumentPart(data_url="", pages=40)
    read = ModelRequest(messages=[Message(role="user", content="", documents=[document, let_go])])
    assert cost.prompt_tokens(read) == 40 * cost.TOKENS_PER_PAGE
    reply = ModelReply(tool_calls=[ToolCall(id="a", name="abc", arguments="x" * 297)])
    assert cost.completed(PRICES, REQUEST, reply).completion_tokens == 100


def test_a_stopped_call_costs_its_prompt() -> None:
    assert cost.unanswered(PRICES, REQUEST).cost_usd == pytest.approx(0.003)
    assert cost.unanswered(None, REQUEST).cost_usd == 0.0


@pytest.mark.parametrize(
    ("provider", "form", "free"),
    [
        ("llamacpp", {}, True),
        ("ollama", {"model": "qwen3"}, True),
        ("custom", {"baseUrl": "http://127.0.0.1:9000/v1", "model": "m"}, True),
        ("custom", {"baseUrl": "https://llm.example/v1", "model": "m"}, False),
        ("openrouter", {"model": "openrouter/free"}, True),
        ("openrouter", {"model": "qwen/qwen3-coder:free"}, True),
        ("openrouter", {"model": "qwen/qwen3-coder"}, False),
        ("anthropic", {}, False),
    ],
)
def test_who_costs_nothing(provider: str, form: dict[str, str], free: bool) -> None:
    price = endpoint(provider, **form).info.prices
    assert (price is None) is free
    if free:
        assert costs(price, prompt_tokens=10**9).cost_usd == 0.0


def test_prices_of_the_catalogue_and_of_nobody() -> None:
    listed = endpoint("anthropic").info.prices
    assert listed is not None
    assert (listed.input, listed.output, listed.certain) == (3.0, 15.0, True)
    other = endpoint("deepseek", model="deepseek-next").info.prices
    assert other is not None
    assert not other.certain
    unknown = endpoint("custom", baseUrl="https://llm.example/v1", model="m").info.prices
    assert unknown == Prices(3.0, 15.0, 3.0, 3.0, certain=False)


async def test_the_wires_report_what_is_counted() -> None:
    """From the bytes of an answer to money, for the service that counts cached tokens beside the prompt."""
    host = MemoryHost()
    body = {
        "type": "message",
        "role": "assistant",
        "model": "claude",
        "content": [{"type": "text", "text": "hi"}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 100, "cache_read_input_tokens": 1_000, "output_tokens": 10},
    }
    host.http.on("POST", "*", Reply.json(body))
    reply = await client(host, "anthropic").complete(REQUEST)
    done = cost.completed(PRICES, REQUEST, reply)
    assert done.cost_usd == pytest.approx((100 * 3 + 1_000 * 0.3 + 10 * 15) / 1e6)


@pytest.mark.parametrize(
    ("provider", "usage", "counted"),
    [
        # OpenAI: thoughts are part of the answer's tokens, cached ones of the prompt's.
        (
            "openai",
            {
                "prompt_tokens": 100,
                "completion_tokens": 60,
                "total_tokens": 160,
                "completion_tokens_details": {"reasoning_tokens": 50},
                "prompt_tokens_details": {"cached_tokens": 80},
            },
            (100, 60, 80),
        ),
        # xAI and Google count thoughts in the total only.
        (
            "xai",
            {
                "prompt_tokens": 32,
                "completion_tokens": 9,
                "total_tokens": 135,
                "completion_tokens_details": {"reasoning_tokens": 94},
            },
            (32, 103, None),
        ),
        ("gemini", {"prompt_tokens": 20, "completion_tokens": 198, "total_tokens": 623}, (20, 603, None)),
        ("deepseek", {"prompt_tokens": 9, "completion_tokens": 1, "prompt_cache_hit_tokens": 8}, (9, 1, 8)),
        ("kimi", {"prompt_tokens": 9, "completion_tokens": 1, "cached_tokens": 7}, (9, 1, 7)),
        # A proxy that counts cached tokens beside the prompt: they are no words of the answer.
        (
            "custom",
            {
                "prompt_tokens": 100,
                "completion_tokens": 10,
                "total_tokens": 1_110,
                "prompt_tokens_details": {"cached_tokens": 1_000},
            },
            (100, 10, 1_000),
        ),
        # A total that cannot be is no reason to doubt the rest.
        ("openai", {"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 3}, (9, 5, None)),
    ],
)
async def test_what_services_count_as_thought_and_as_cached(
    provider: str, usage: dict[str, Any], counted: tuple[int, int, int | None]
) -> None:
    """Thoughts are paid like the answer, wherever a service puts them."""
    told = {
        "model": "m",
        "choices": [{"message": {"content": "Hi."}, "finish_reason": "stop"}],
        "usage": usage,
    }
    host = MemoryHost()
    host.http.on("POST", "*", Reply.json(told))
    done = (await client(host, provider, model="m").complete(REQUEST)).usage
    assert (done.prompt_tokens, done.completion_tokens, done.cached_tokens) == counted


async def test_usage_that_a_stream_tells_beside_its_last_piece() -> None:
    """Kimi's streams have it in the choice."""
    last = {
        "index": 0,
        "delta": {},
        "finish_reason": "stop",
        "usage": {"prompt_tokens": 19, "completion_tokens": 21, "total_tokens": 40, "cached_tokens": 10},
    }
    frames = [{"choices": [{"index": 0, "delta": {"content": "Hi."}}]}, {"choices": [last]}]
    data = "".join(f"data: {json.dumps(frame)}\n\n" for frame in frames) + "data: [DONE]\n\n"
    host = MemoryHost()
    host.http.on("POST", "*", Reply(200, {"content-type": "text/event-stream"}, [data.encode()]))
    asked = REQUEST.model_copy(update={"stream": True})
    usage = (await client(host, "kimi").complete(asked, lambda _: None)).usage
    assert (usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens) == (19, 21, 10)


@pytest.mark.parametrize(
    ("told", "believed"),
    [
        ("0.25", 0.25),
        ("0", 0.0),
        ("1e999", None),
        ("-1e999", None),
        ("NaN", None),
        ("-5", None),
        ("1" + "0" * 400, None),
        ("1e300", None),
        ("true", None),
        ('"0.25"', None),
        ("null", None),
    ],
)
@pytest.mark.parametrize("name", ["cost", "cost_usd"])
async def test_only_what_can_be_a_price_is_believed(name: str, told: str, believed: float | None) -> None:
    """Anything else would use up the allowances at once and for good, or give money back."""
    answer = (
        '{"model": "m", "choices": [{"message": {"content": "Hi."}, "finish_reason": "stop"}],'
        f' "usage": {{"prompt_tokens": 1000, "completion_tokens": 0, "{name}": {told}}}}}'
    )
    host = MemoryHost()
    host.http.on("POST", "*", Reply(200, {"content-type": "application/json"}, [answer.encode()]))
    model = client(host, "openrouter", model="vendor/model")
    reply = await model.complete(REQUEST)
    assert reply.usage.cost_usd == believed
    spending = SpendingService(host, SettingsService(host))
    Account(spending).book(model.info, cost.completed(model.info.prices, REQUEST, reply))
    spent = (await spending.view())["totalUsd"]
    assert spent == pytest.approx(0.003 if believed is None else believed)
    await spending.admit()


@pytest.mark.parametrize("figure", [float("inf"), float("-inf"), float("nan"), -1.0])
async def test_no_wire_can_lock_the_purse(figure: float) -> None:
    host = MemoryHost()
    spending = SpendingService(host, SettingsService(host))
    Account(spending).book(endpoint("openai", model="m").info, Usage(cost_usd=figure))
    assert (await spending.view())["totalUsd"] == 0.0
    await spending.admit()
