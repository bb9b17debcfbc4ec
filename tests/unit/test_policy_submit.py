"""No form is sent before a person saw what goes where."""

from typing import Any

import pytest

from tests.support.toolbox import TAB, context, example, page_host
from webbrain.core.errors import BridgeError, ToolFailed
from webbrain.core.events import Card
from webbrain.core.types import Mode
from webbrain.host.memory import MemoryHost
from webbrain.policy.submit import MASK, SubmitPolicy, allows, card_for, denied, may_submit
from webbrain.tools import registry
from webbrain.tools.base import ToolSpec

PROBE: dict[str, Any] = {
    "submits": True,
    "host": "shop.example",
    "action": "https://shop.example/order",
    "method": "post",
    "reason": "submit button in a form",
    "control": "Place order",
    "fields": [{"label": "Name", "value": "Ada Lovelace", "masked": False}],
    "token": "t-1",
}
SUBMITTING = {
    "click_ax": {"ref_id": "ref_1"},
    "set_field": {"ref_id": "ref_2", "text": "tea", "submit": True},
    "press_keys": {"key": "Enter", "repeat": 1},
}


def tool(name: str) -> ToolSpec:
    found = registry.get(name)
    assert found
    return found


def shop(probe: Any = PROBE) -> MemoryHost:
    host = page_host()
    host.page.on("submit_probe", probe)
    return host


@pytest.mark.parametrize("mode", [Mode.ACT, Mode.DEV])
@pytest.mark.parametrize("name", SUBMITTING)
async def test_a_submit_needs_a_card(name: str, mode: Mode) -> None:
    host = shop()
    policy = SubmitPolicy()
    card = await policy.needs_card(context(host, mode=mode), tool(name), SUBMITTING[name])
    assert card
    assert card.kind == "submit"
    assert card.host == "shop.example"
    assert "Place order" in card.question
    assert "shop.example" in card.question
    assert [(f.label, f.value, f.masked) for f in card.fields] == [("Name", "Ada Lovelace", False)]
    assert [option.id for option in card.options] == ["once", "deny"]
    assert host.page.calls[0].args == {"tool": name, "args": SUBMITTING[name]}
    assert host.page.actions() == ["submit_probe"], "asking changes nothing"
    assert not host.page.calls[0].effect


@pytest.mark.parametrize("name", SUBMITTING)
async def test_without_the_policy_there_is_no_card(name: str) -> None:
    """Negative control: it is this policy that asks, and nothing else does."""
    host = shop()
    assert await SubmitPolicy(enabled=False).needs_card(context(host), tool(name), SUBMITTING[name]) is None
    assert not host.page.calls


async def test_what_does_not_submit_goes_through() -> None:
    host = shop({"submits": False, "token": "t-2"})
    policy = SubmitPolicy()
    assert await policy.needs_card(context(host), tool("click_ax"), {"ref_id": "ref_1"}) is None
    assert policy.context(context(host)).submit_token == ""


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("set_field", {"ref_id": "ref_2", "text": "x", "submit": False}),
        ("set_field", {"ref_id": "ref_2", "text": "x"}),
        ("type_ax", {"ref_id": "ref_2", "text": "x"}),
        ("press_keys", {"key": "Tab"}),
        ("scroll", {"direction": "down"}),
        ("navigate", {"url": "/x"}),
        ("get_accessibility_tree", {}),
    ],
)
async def test_what_cannot_submit_is_not_probed(name: str, args: dict[str, Any]) -> None:
    host = shop()
    assert await SubmitPolicy().needs_card(context(host), tool(name), args) is None
    assert not host.page.calls


def test_every_tool_that_acts_on_clicks_is_looked_at() -> None:
    """A new tool with the capability to click cannot slip past the question."""
    for spec in registry.load().all():
        # An open dialog belongs to an action that was looked at before it was done.
        if spec.capability.value == "click" and spec.name != "answer_dialog":
            assert may_submit(spec, SUBMITTING.get(spec.name, {})), spec.name


async def test_the_token_of_the_card_goes_with_the_action() -> None:
    host = shop()
    policy = SubmitPolicy()
    ctx = context(host)
    await policy.needs_card(ctx, tool("click_ax"), {"ref_id": "ref_1"})
    spec = tool("click_ax")
    await spec.run(policy.context(ctx), example(spec))
    assert host.page.calls[-1].args["token"] == "t-1"


async def test_a_token_serves_one_call_only() -> None:
    host = shop()
    policy = SubmitPolicy()
    ctx = context(host)
    await policy.needs_card(ctx, tool("click_ax"), {"ref_id": "ref_1"})
    await policy.needs_card(ctx, tool("scroll"), {"direction": "down"})
    assert policy.context(ctx).submit_token == ""


@pytest.mark.parametrize(
    "answer",
    [
        {
            "success": False,
            "error": "ref_1 is stale. Read the tree again.",
            "code": "stale_ref",
            "near": ["ref_4"],
        },
        {},
        {"submits": "no"},
        {"submits": None, "token": "t"},
        BridgeError("silence", code="page_busy"),
        BridgeError("gone", code="no_tab"),
    ],
    ids=["stale", "empty", "text", "null", "busy", "gone"],
)
async def test_a_page_that_cannot_say_gets_no_action(answer: Any) -> None:
    policy = SubmitPolicy()
    with pytest.raises(ToolFailed) as caught:
        await policy.needs_card(context(shop(answer)), tool("click_ax"), {"ref_id": "ref_1"})
    assert len(caught.value.message) > 10
    assert policy.token == ""
    if isinstance(answer, dict) and answer.get("code") == "stale_ref":
        assert (caught.value.code, caught.value.data) == ("stale_ref", {"near": ["ref_4"]})


@pytest.mark.parametrize(
    "field",
    [
        {"label": "Pass", "value": "hunter2", "masked": True},
        {"label": "Pass", "value": "hunter2"},
        {"label": "Pass", "value": "hunter2", "masked": "no"},
        {"label": "New password", "value": "hunter2", "masked": False},
        {"label": "apiKey", "value": "hunter2", "masked": False},
    ],
)
def test_secrets_do_not_reach_the_card(field: dict[str, Any]) -> None:
    card = card_for({**PROBE, "fields": [field]}, "https://shop.example/")
    assert (card.fields[0].value, card.fields[0].masked) == (MASK, True)
    assert "hunter2" not in card.model_dump_json()


def test_big_forms_are_bounded() -> None:
    fields = [{"label": f"Field {n} " * 50, "value": "v" * 100_000, "masked": False} for n in range(40)]
    card = card_for({**PROBE, "fields": fields, "control": "x" * 100_000}, "https://shop.example/")
    assert len(card.fields) == 12
    assert "28 more fields" in card.question
    assert len(card.model_dump_json()) < 16_000


@pytest.mark.parametrize(
    ("action", "page", "host", "words"),
    [
        ("https://shop.example/order", "https://www.shop.example/", "shop.example", []),
        ("https://evil.example/x", "https://shop.example/", "evil.example", ["another site", "shop.example"]),
        ("http://shop.example/x", "http://shop.example/", "shop.example", ["not encrypted"]),
        ("http://127.0.0.1:8000/x", "http://127.0.0.1:8000/", "127.0.0.1:8000", []),
        ("", "https://shop.example/list", "shop.example", []),
        ("mailto:a@b.example", "https://shop.example/", "shop.example", []),
    ],
)
def test_the_card_says_where_it_goes(action: str, page: str, host: str, words: list[str]) -> None:
    card = card_for({**PROBE, "action": action, "host": "shop.example"}, page)
    assert card.host == host
    warnings = ("another site", "not encrypted")
    assert [w for w in warnings if w in card.question] == [w for w in warnings if w in words]
    assert all(word in card.question for word in words)


@pytest.mark.parametrize("fields", [None, "text", [1, None, "x"], {"label": "Name"}])
def test_odd_answers_make_no_odd_card(fields: Any) -> None:
    card = card_for({"submits": True, "fields": fields}, "https://shop.example/")
    assert isinstance(card, Card)
    assert card.fields == []


@pytest.mark.parametrize(
    ("answer", "yes"), [("once", True), ("deny", False), ("Once", False), ("", False), ("yes", False)]
)
def test_only_the_plain_yes_counts(answer: str, yes: bool) -> None:
    assert allows(answer) is yes


def test_a_no_is_told_to_the_model() -> None:
    result = denied()
    assert not result.success
    assert result.data["denied"] is True
    assert result.data["dispatched"] is False


async def test_the_tab_of_the_run_is_asked() -> None:
    host = shop()
    await SubmitPolicy().needs_card(context(host), tool("click_ax"), {"ref_id": "ref_1"})
    assert {call.tab_id for call in host.page.calls} == {TAB}


def test_values_are_shown_whole_with_their_line_ends_and_what_is_missing_is_counted() -> None:
    text = "Dear all,\n" + "x" * 980
    fields = [
        {"label": "Text", "value": text, "masked": False},
        {"label": "Longer", "value": "y" * 1_000, "masked": False, "more": 234},
        {"label": "Password", "value": "•", "masked": True, "more": 234},
        {"label": "Odd", "value": "z", "masked": False, "more": "many"},
    ]
    shown = card_for({"submits": True, "fields": fields, "total": 60}, "https://shop.example/")
    values = [field.value for field in shown.fields]
    assert values[0] == text
    assert values[1] == "y" * 1_000 + "… (+234)"
    assert values[2] == MASK
    assert values[3] == "z"
    assert "48 more fields are not listed" in shown.question


@pytest.mark.parametrize("total", [None, -1, True, "60", 2.5, 1])
def test_a_total_that_is_none_changes_nothing(total: Any) -> None:
    fields = [{"label": f"F{n}", "value": "v", "masked": False} for n in range(14)]
    shown = card_for({"submits": True, "fields": fields, "total": total}, "https://shop.example/")
    assert "2 more fields are not listed" in shown.question
