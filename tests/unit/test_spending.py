"""Allowances: the next paid call is stopped, in the run and across runs, and nothing else is."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from tests.support.agent import Bench
from tests.support.models import client
from tests.support.toolbox import page_host
from webbrain.agent.spending import Account, PaidClient
from webbrain.core.errors import BridgeError, CostLimit, ProviderFailed
from webbrain.core.messages import Message, ModelReply, ModelRequest, Usage
from webbrain.host.memory import CUT, Gate, MemoryHost, Reply
from webbrain.providers.cost import Prices
from webbrain.services.settings import SettingsService
from webbrain.services.spending import SESSION_KEY, STORE_SECONDS, TOTAL_KEY, SpendingService
from webbrain.testing.scripted import INFO, ScriptedModel, call

PAID = replace(INFO, prices=Prices(input=3.0, output=15.0, cache_read=0.3, cache_write=3.75))
DOLLAR = Usage(prompt_tokens=333_333, completion_tokens=1, cached_tokens=0)
"""About one dollar."""


def answer(text: str, usage: Usage = DOLLAR) -> ModelReply:
    return ModelReply(text=text, usage=usage)


def reads(usage: Usage = DOLLAR, offset: int = 0) -> ModelReply:
    return ModelReply(
        tool_calls=[call("read_page", call_id="", offset=offset)], finish="tool_calls", usage=usage
    )


def bench(*steps: Any, host: MemoryHost | None = None, info: Any = PAID, **limits: Any) -> Bench:
    host = host or page_host()
    host.settings.values.update(limits)
    return Bench(model=ScriptedModel(*steps, info=info), host=host)


async def test_a_run_says_what_it_cost_and_the_conversation_adds_up() -> None:
    cached = Usage(prompt_tokens=1_000_000, completion_tokens=0, cached_tokens=1_000_000)
    work = bench(reads(), answer("A"), answer("B", cached))
    await work.run("x", "ask")
    first = work.last("run_complete")
    assert first["costUsd"] == pytest.approx(2.0, abs=0.01)
    assert first["conversationCostUsd"] == first["costUsd"]
    assert (first["promptTokens"], first["tokensEstimated"], first["costEstimated"]) == (
        666_666,
        False,
        False,
    )
    await work.run("y", "ask")
    second = work.last("run_complete")
    assert second["costUsd"] == pytest.approx(0.3)
    assert second["cachedTokens"] == 1_000_000
    assert second["conversationCostUsd"] == pytest.approx(2.3, abs=0.01)


async def test_what_costs_nothing_says_nothing_of_money_and_is_never_stopped() -> None:
    work = bench(answer("A"), answer("B"), info=INFO, costAllowanceSessionUsd=0.01)
    work.host.session.values[SESSION_KEY] = 99.0
    for _ in range(2):
        await work.run("x", "ask")
        done = work.last("run_complete")
        assert (done["status"], done["costUsd"], done["conversationCostUsd"]) == ("completed", None, None)
        assert done["promptTokens"] == 333_333
    assert TOTAL_KEY not in work.host.settings.values


@pytest.mark.parametrize("key", ["costAllowanceSessionUsd", "costAllowanceTotalUsd"])
async def test_the_next_paid_call_is_stopped(key: str) -> None:
    limits: dict[str, Any] = {key: 1.5}
    work = bench(reads(), reads(), answer("never"), **limits)
    await work.run("x", "ask")
    assert len(work.model.requests) == 2
    error, done = work.last("error"), work.last("run_complete")
    assert (error["code"], error["retryable"]) == ("cost_limit", False)
    assert "$2.00 of $1.50" in error["message"]
    assert done["status"] == "cost_limit"
    # With more allowed it goes on where it was.
    await work.app.handle_ui("settings.set", {"values": {key: 50}})
    work.model.steps = [answer("Done.")]
    await work.go_on()
    assert work.last("run_complete")["status"] == "completed"


async def test_zero_means_no_limit() -> None:
    work = bench(
        *[reads(offset=i) for i in range(30)],
        answer("Done."),
        costAllowanceSessionUsd=0,
        costAllowanceTotalUsd=0,
    )
    await work.run("x", "ask")
    assert work.last("run_complete")["status"] == "completed"


async def test_ten_dollars_are_the_default() -> None:
    work = bench(*[reads(offset=i) for i in range(30)], answer("never"))
    await work.run("x", "ask")
    assert len(work.model.requests) in (10, 11)
    assert work.last("run_complete")["status"] == "cost_limit"


async def test_a_restart_of_the_worker_forgets_nothing_and_one_of_the_browser_the_session() -> None:
    work = bench(answer("A"))
    await work.run("x", "ask")
    await work.app.spending.saved()
    worker = SpendingService(later := work.host.successor(), SettingsService(later))
    assert (await worker.view())["sessionUsd"] == pytest.approx(1.0, abs=0.01)
    browser = work.host.successor(keep_session=False)
    view = await SpendingService(browser, SettingsService(browser)).view()
    assert view["sessionUsd"] == 0.0
    assert view["totalUsd"] == pytest.approx(1.0, abs=0.01)
    assert view["since"]


async def test_a_reset_makes_room() -> None:
    work = bench(reads(), answer("never"), costAllowanceTotalUsd=0.5)
    await work.run("x", "ask")
    assert work.last("run_complete")["status"] == "cost_limit"
    assert (await work.app.handle_ui("spending.get", {}))["totalUsd"] > 0.9
    assert (await work.app.handle_ui("spending.reset", {}))["totalUsd"] == 0.0
    assert work.host.settings.values[TOTAL_KEY]["usd"] == 0.0
    work.model.steps = [answer("Done.")]
    await work.go_on()
    assert work.last("run_complete")["status"] == "completed"


async def test_a_missing_usage_is_guessed_and_marked() -> None:
    work = bench(answer("z" * 3_000, Usage()))
    await work.run("x", "ask")
    done = work.last("run_complete")
    assert done["tokensEstimated"]
    assert done["costEstimated"]
    assert done["costUsd"] > 1_000 * 15 / 1e6


async def test_a_stopped_call_is_booked() -> None:
    gate = Gate()
    work = bench(gate, "never")
    await work.start("x" * 30_000, "ask")
    await gate.reached()
    await work.stop()
    for _ in range(20):
        await asyncio.sleep(0)
    assert (await work.app.spending.view())["sessionUsd"] > 10_000 * 3 / 1e6


async def test_a_refused_call_costs_nothing() -> None:
    work = bench(ProviderFailed("Wrong key.", code="wrong_key"))
    await work.run("x", "ask")
    assert work.last("run_complete")["costUsd"] is None
    assert (await work.app.spending.view())["sessionUsd"] == 0.0


async def test_runs_side_by_side_share_one_purse() -> None:
    host = page_host()
    service = SpendingService(host, SettingsService(host))
    host.settings.values["costAllowanceSessionUsd"] = 2.5
    accounts = [Account(service) for _ in range(2)]
    request = ModelRequest(messages=[Message(role="user", content="x")])
    for account in accounts:
        await PaidClient(ScriptedModel(answer("a"), info=PAID), account).complete(request)
    await PaidClient(ScriptedModel(answer("a"), info=PAID), accounts[0]).complete(request)
    with pytest.raises(CostLimit):
        await PaidClient(ScriptedModel(answer("never"), info=PAID), accounts[1]).complete(request)
    assert [round(account.usd) for account in accounts] == [2, 1]


async def test_amounts_count_at_once_and_are_stored_together_a_moment_later() -> None:
    host = page_host()
    service = SpendingService(host, SettingsService(host))
    await service.view()
    host.clock.hold()
    for _ in range(3):
        service.book(1.0)
        await asyncio.sleep(0.01)
    assert (await service.view())["sessionUsd"] == 3.0
    assert SESSION_KEY not in host.session.values
    host.clock.advance(STORE_SECONDS)
    await service.saved()
    assert host.session.values[SESSION_KEY] == 3.0
    assert host.settings.values[TOTAL_KEY]["usd"] == 3.0


async def test_a_store_that_refuses_does_not_open_the_purse() -> None:
    host = page_host()
    service = SpendingService(host, SettingsService(host))
    await service.view()
    host.session.fail = BridgeError("full", code="store_failed")
    service.book(10.0)
    await service.saved()
    with pytest.raises(CostLimit):
        await service.admit()
    host.session.fail = None
    service.book(1.0)
    await service.saved()
    assert host.session.values[SESSION_KEY] == 11.0


@pytest.mark.parametrize("stored", ["much", -3, True, None, {"usd": 1}, float("1e300")])
async def test_unreadable_sums_count_as_nothing(stored: Any) -> None:
    host = page_host()
    host.session.values[SESSION_KEY] = stored
    host.settings.values[TOTAL_KEY] = stored
    view = await SpendingService(host, SettingsService(host)).view()
    assert view["sessionUsd"] == 0.0


@pytest.mark.parametrize("value", [-1, "ten", 1e9, float("nan")])
async def test_allowances_that_make_no_sense_are_refused(value: Any) -> None:
    host = page_host()
    with pytest.raises(Exception, match="Allowance"):
        await SettingsService(host).save({"costAllowanceSessionUsd": value})
    assert "costAllowanceSessionUsd" not in host.settings.values


# --- answers that were paid for and lost ---

HEARD = Message(role="user", content="x" * 3_000_000)
"""A million tokens, as they are estimated: three dollars."""
CHUNK = b'data: {"choices": [{"delta": {"content": "It costs"}}]}\n\n'
WHOLE = {
    "model": "m",
    "choices": [{"message": {"content": "It costs 24."}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 1_000_000, "completion_tokens": 0},
}
JSON = {"content-type": "application/json"}


@pytest.mark.parametrize(
    ("answers", "usd"),
    [
        ([WHOLE], 3.0),
        # The stream broke after the service had read the prompt; the same was then asked for whole.
        ([Reply(200, {"content-type": "text/event-stream"}, [CHUNK]), WHOLE], 6.0),
        ([Reply(200, {"content-type": "text/event-stream"}, [CHUNK]), Reply(200, JSON, [b"{", CUT])], 6.0),
        ([Reply(200, JSON, [b"{", CUT])], 3.0),
        ([Reply(200, JSON, [b'{"choices": []}'])], 3.0),
        # What was refused before it began is not billed.
        ([Reply.json({"error": {"message": "no", "code": "content_filter"}}, 400)], 0.0),
        ([Reply.json({"error": {"message": "no"}}, 500)], 0.0),
        ([BridgeError("refused", code="net_refused")], 0.0),
        ([Reply(200, {"content-type": "text/html"}, [b"<html>Sign in"])], 0.0),
    ],
)
async def test_an_answer_that_was_lost_on_the_way_is_paid_for(answers: list[Any], usd: float) -> None:
    host = MemoryHost()
    host.http.on("POST", "*", *answers)
    spending = SpendingService(host, SettingsService(host))
    paid = PaidClient(client(host, "custom", baseUrl="https://llm.example/v1", model="m"), Account(spending))
    resets: list[str] = []
    try:
        stream = len(answers) > 1
        await paid.complete(
            ModelRequest(messages=[HEARD], stream=stream), resets.append, lambda: resets.append("void")
        )
    except ProviderFailed:
        assert usd != 3.0 or answers[0] is not WHOLE
    assert (await spending.view())["totalUsd"] == pytest.approx(usd, abs=0.001)
    assert resets == (["It costs", "void"] if len(answers) > 1 else [])
    assert len(host.http.requests) == len(answers)
