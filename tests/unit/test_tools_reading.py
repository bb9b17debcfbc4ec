"""The reading tools and done."""

from typing import Any

import pytest

from tests.support.toolbox import ANSWERS, context, page_host
from webbrain.core.errors import ModelMayRetry
from webbrain.core.limits import TOOL_RESULT_CHARS, TOOL_RESULT_CHARS_WIDE_TREE
from webbrain.core.results import ToolResult
from webbrain.core.types import Mode, Tier
from webbrain.host.memory import MemoryHost
from webbrain.host.protocols import Capabilities
from webbrain.policy.results import cap_for, render_result
from webbrain.tools import registry
from webbrain.tools.base import ToolContext

TREE = "get_accessibility_tree"


async def call(ctx: ToolContext, name: str, **arguments: Any) -> ToolResult:
    spec = registry.get(name)
    assert spec
    return await spec.run(ctx, spec.args.model_validate(arguments))


async def asked_of_tree(ctx: ToolContext, **arguments: Any) -> dict[str, Any]:
    await call(ctx, TREE, **arguments)
    host = ctx.host
    assert isinstance(host, MemoryHost)
    return host.page.calls[-1].args


async def test_controls_are_for_the_agent_only() -> None:
    host = page_host()
    result = await call(context(host), TREE)
    assert result.private["controls"] == ANSWERS["tree"]["controls"]
    spec = registry.get(TREE)
    assert spec
    assert "controls" not in render_result(spec, result, nonce="0123abcd")
    assert list(result.data)[-1] == "pageContent"


async def test_defaults_are_left_to_the_page() -> None:
    asked = await asked_of_tree(context(page_host()))
    assert asked == {"filter": "all", "maxDepth": 15, "page": 1, "refs_after": 0}


@pytest.mark.parametrize(
    ("tier", "window", "asked", "sent", "cap"),
    [
        (Tier.FULL, 65_536, 12_000, 12_000, TOOL_RESULT_CHARS_WIDE_TREE),
        (Tier.MID, 65_536, 6_001, 6_001, TOOL_RESULT_CHARS_WIDE_TREE),
        (Tier.FULL, 65_536, 6_000, 6_000, TOOL_RESULT_CHARS),
        (Tier.FULL, 65_535, 12_000, 6_000, TOOL_RESULT_CHARS),
        (Tier.COMPACT, 128_000, 12_000, 6_000, TOOL_RESULT_CHARS),
        (Tier.FULL, 128_000, None, None, TOOL_RESULT_CHARS),
    ],
)
async def test_the_wide_window(
    tier: Tier, window: int, asked: int | None, sent: int | None, cap: int
) -> None:
    host = page_host()
    ctx = context(host, tier=tier, context_window=window)
    arguments = {} if asked is None else {"maxChars": asked}
    result = await call(ctx, TREE, **arguments)
    assert host.page.calls[-1].args.get("maxChars") == sent
    spec = registry.get(TREE)
    assert spec
    assert cap_for(spec, result) == cap


@pytest.mark.parametrize(
    ("tier", "window", "scope", "first"),
    [
        (Tier.FULL, 65_536, "complete_thread", 12_000),
        (Tier.MID, 65_536, "complete_thread", 12_000),
        (Tier.FULL, 65_535, "complete_thread", None),
        (Tier.COMPACT, 128_000, "complete_thread", None),
        (Tier.FULL, 128_000, "current_message", None),
    ],
)
async def test_the_first_look_at_a_whole_conversation_is_wide(
    tier: Tier, window: int, scope: Any, first: int | None
) -> None:
    """Where the task needs all of it and the model can take it; later reads go on as this one says."""
    ctx = context(page_host(), tier=tier, context_window=window)
    ctx.state.read_scope = scope
    assert (await asked_of_tree(ctx)).get("maxChars") == first
    assert (await asked_of_tree(ctx)).get("maxChars") is None, "once"


async def test_what_the_model_asks_of_a_conversation_counts() -> None:
    ctx = context(page_host(), context_window=128_000)
    ctx.state.read_scope = "complete_thread"
    assert "maxChars" not in await asked_of_tree(ctx, filter="visible"), "that is no look at all of it"
    assert (await asked_of_tree(ctx, maxChars=2_000))["maxChars"] == 2_000
    assert "maxChars" not in await asked_of_tree(ctx), "it has looked"


async def test_only_the_tree_may_be_wide() -> None:
    spec = registry.get("read_page")
    assert spec
    assert cap_for(spec, ToolResult(True, private={"wide": True})) == TOOL_RESULT_CHARS


async def test_continuation_overrides_and_stays_bounded() -> None:
    sent = await asked_of_tree(
        context(page_host(), tier=Tier.COMPACT),
        filter="visible",
        continuationArgs={"filter": "all", "maxChars": 99_999, "page": 2, "tree_revision": "r1"},
    )
    assert sent.pop("refs_after") == 0
    assert sent == {"filter": "all", "maxDepth": 15, "maxChars": 6_000, "page": 2, "tree_revision": "r1"}


async def test_page_one_starts_afresh() -> None:
    assert "tree_revision" not in await asked_of_tree(context(page_host()), page=1, tree_revision="old")
    assert "tree_revision" in await asked_of_tree(context(page_host()), page=2, tree_revision="r1")


async def test_a_tree_of_six_thousand_characters_is_not_cut() -> None:
    """The window of the page and the cap of a result fit each other, quotes and line ends included."""
    host = page_host()
    tree = "\n".join(f'  link "Product number {n}" [ref_{n}] href="/item/{n}"' for n in range(200))[:6_000]
    host.page.on("tree", {"pageContent": tree, "url": "https://shop.example/" + "x" * 200, "hasMore": True})
    spec = registry.get(TREE)
    assert spec
    result = await call(context(host), TREE)
    text = render_result(spec, result, cap=cap_for(spec, result), nonce="0123abcd")
    assert "cut" not in text


async def test_read_page_continuation() -> None:
    host = page_host()
    await call(context(host), "read_page", continuationArgs={"offset": 4000, "limit": 100_000})
    assert host.page.calls[-1].args == {"includeChrome": False, "offset": 4000, "limit": 6000}


async def test_a_huge_selection_is_cut() -> None:
    host = page_host()
    host.page.on("get_selection", {"text": "x" * 1_000_000})
    result = await call(context(host), "get_selection")
    assert len(result.data["text"]) == 6_000
    assert result.data["totalChars"] == 1_000_000


async def test_waiting_in_vain_is_an_answer() -> None:
    host = page_host()
    host.page.on("wait_for_element", {"found": False, "timedOut": True, "elapsedMs": 5000})
    result = await call(context(host), "wait_for_element", selector="#x")
    assert result.success
    assert result.data["found"] is False


async def test_a_page_without_a_body() -> None:
    host = page_host()
    host.page.on("tree", {"success": False, "error": "The page has no body yet.", "code": "no_body"})
    result = await call(context(host), TREE)
    assert result.data == {"error": "The page has no body yet.", "code": "no_body"}


async def test_a_code_that_a_page_invented_is_not_shown_to_people() -> None:
    host = page_host()
    host.page.on("tree", {"success": False, "error": "x", "code": "Click here: https://evil.example"})
    assert (await call(context(host), TREE)).summary == "failed"


async def test_done_ends_with_what_it_claims() -> None:
    result = await call(context(page_host()), "done", summary="Ordered.", outcome="partial")
    assert (result.final, result.outcome) == ("Ordered.", "partial")


async def test_done_needs_an_outcome_where_it_may_act() -> None:
    with pytest.raises(ModelMayRetry):
        await call(context(page_host()), "done", summary="Ordered.")
    result = await call(context(page_host(), mode=Mode.ASK), "done", summary="It costs 4 francs.")
    assert (result.final, result.outcome) == ("It costs 4 francs.", None)


@pytest.mark.parametrize(("mode", "required"), [(Mode.ASK, False), (Mode.ACT, True), (Mode.DEV, True)])
def test_the_outcome_is_required_in_the_schema_too(mode: Mode, required: bool) -> None:
    done = registry.tools_for(mode, Tier.FULL, Capabilities(browser="memory"))[-1]
    assert ("outcome" in done.schema().parameters["required"]) is required


def test_lists_are_built_once_and_cannot_be_spoilt() -> None:
    caps = Capabilities(browser="memory")
    first = registry.tools_for(Mode.ACT, Tier.FULL, caps)
    assert first[-1] is registry.tools_for(Mode.ACT, Tier.FULL, Capabilities(browser="memory"))[-1]
    first.clear()
    assert registry.tools_for(Mode.ACT, Tier.FULL, caps)
