"""What every tool keeps to, found by directory: whoever adds a tool has these tests at once."""

import asyncio
import importlib
import inspect
import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from pydantic import ValidationError

from tests.support.toolbox import TAB, example, ready
from webbrain import tools
from webbrain.core.errors import BridgeError, OutcomeUnknown
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.host.protocols import Capabilities
from webbrain.policy.results import cap_for, render_result
from webbrain.tools import registry
from webbrain.tools.base import ToolContext, ToolSpec

SCHEMA_CHARS = 2_000
DESCRIPTION_CHARS = 450
SENTENCE_CHARS = 300
SPECS = registry.load().all()
ON_PAGE = [spec for spec in SPECS if not spec.terminal and not spec.asks and not spec.own_notes]
"""Tools that need the tab. Every tool but those that end the run, ask the person or write notes does."""
LEAVES_INTERNAL_PAGES = {"navigate"}
"""Tools that work on a page that extensions are kept out of: they leave it."""
ASK_THE_BROWSER = {
    "answer_dialog",
    "close_tab",
    "inspect_viewport",
    "new_tab",
    "resize_window",
    "switch_tab",
}
"""Tools that deal with tabs, windows and dialogs and never ask the page."""
OTHER_TABS = {"answer_dialog", "close_tab", "switch_tab"}
"""Tools to which it is no matter whether the tab worked on is there: they deal with others, or its dialogs
went with it."""
FAILS_CLOSED = {"promote_iframe"}
"""Tools that leave the page and refuse to while it does not answer."""
NEED_NO_LEAVE = {"hover", "select_text"}
"""Effects that are none but for the place of the pointer or the selection."""
BESIDE_THE_PAGE = {
    "download_files",
    "fetch_url",
    "list_downloads",
    "read_downloaded_file",
    "read_pdf",
    "research_url",
}
"""Tools of network and files: the tab only tells from where they are used."""
SAVES_FILES = {"download_resource_from_page", "download_social_media"}
"""Effects on the computer, not on the page, which is only asked."""
ASKS_THE_PAGE = [spec for spec in ON_PAGE if spec.name not in ASK_THE_BROWSER | BESIDE_THE_PAGE]


def named(specs: list[ToolSpec]) -> Any:
    return pytest.mark.parametrize("spec", specs, ids=lambda spec: spec.name)


def assert_clear_failure(result: ToolResult) -> None:
    assert not result.success
    sentence = result.data["error"]
    assert isinstance(sentence, str)
    assert 20 <= len(sentence) <= SENTENCE_CHARS
    assert sentence[0].isupper()
    assert re.fullmatch(r"[a-z_]+", result.data["code"])
    assert "extension://" not in sentence


def test_the_directory_is_the_registry() -> None:
    folder = Path(tools.__path__[0])
    files = {path.stem for path in folder.glob("*.py")} - registry.SHARED - {"__init__"}
    assert files == {spec.name for spec in SPECS}
    assert len(SPECS) == len(files)
    assert {path.stem for path in folder.glob("*.py")} >= registry.SHARED, "a shared module is gone"


def test_the_order_names_existing_tools_only() -> None:
    assert set(registry.ORDER) <= {spec.name for spec in SPECS}


def test_tools_do_not_import_each_other() -> None:
    names = {spec.name for spec in SPECS}
    for spec in SPECS:
        source = inspect.getsource(importlib.import_module(f"webbrain.tools.{spec.name}"))
        imported = re.findall(r"from webbrain\.tools\.(\w+) import|import webbrain\.tools\.(\w+)", source)
        assert not names & {name for pair in imported for name in pair}, spec.name
        assert not re.search(r"webbrain\.(agent|providers|services)\b", source), spec.name


@named(SPECS)
def test_specification_is_complete(spec: ToolSpec) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9_]{2,40}", spec.name)
    assert spec.modes <= set(Mode)
    assert spec.modes
    assert spec.tiers
    assert isinstance(spec.capability, Capability)
    assert 0 < spec.timeout <= (7 * 24 * 3600 if spec.asks else 150), "people take their time"
    assert spec.requires <= set(Capabilities.__dataclass_fields__)
    assert spec.acts_on in ("", "click", "type", "any")
    if spec.effect:
        assert Mode.ASK not in spec.modes, "Ask changes nothing"
        assert spec.capability is not Capability.NONE or spec.name in NEED_NO_LEAVE, "an effect needs leave"


@named(SPECS)
def test_schema_is_small_and_valid(spec: ToolSpec) -> None:
    schema = spec.schema()
    jsonschema.Draft202012Validator.check_schema(schema.parameters)
    assert len(schema.model_dump_json()) <= SCHEMA_CHARS
    assert 40 <= len(schema.description) <= DESCRIPTION_CHARS
    assert "\n" not in schema.description
    text = json.dumps(schema.parameters)
    for costly in ('"title":', "$ref", "$defs", '"null"', "additionalProperties"):
        assert costly not in text


@named(SPECS)
def test_arguments_are_closed(spec: ToolSpec) -> None:
    """What is offered does not say so, which would cost tokens; what is checked does."""
    for part in objects(spec.args.model_json_schema()):
        assert part["additionalProperties"] is False


def objects(schema: Any) -> list[dict[str, Any]]:
    """Every object schema within ``schema``."""
    found = []
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            found.append(schema)
        for value in schema.values():
            found += objects(value)
    elif isinstance(schema, list):
        for value in schema:
            found += objects(value)
    return found


@named(SPECS)
def test_label_names_arguments_that_exist(spec: ToolSpec) -> None:
    places = re.findall(r"{(\w+)}", spec.label)
    assert set(places) <= set(spec.args.model_fields)
    label = spec.label_for(dict.fromkeys(places, "x\ny " * 200))
    assert 3 <= len(label) <= 140
    assert "\n" not in label
    assert "{" not in spec.label_for({})


@named(SPECS)
def test_example_is_a_valid_call(spec: ToolSpec) -> None:
    arguments = json.loads(spec.example)
    assert "\n" not in spec.example
    jsonschema.validate(arguments, spec.schema().parameters)
    spec.args.model_validate(arguments)
    (spec.act_args or spec.args).model_validate(arguments)


@named(SPECS)
def test_bad_arguments_are_refused(spec: ToolSpec) -> None:
    good = json.loads(spec.example)
    bad: list[dict[str, Any]] = [{**good, "no_such_argument": 1}]
    bad += [
        {k: v for k, v in good.items() if k != name} for name in spec.schema().parameters.get("required", [])
    ]
    bad += [{**good, name: {"un": ["expected"]}} for name in spec.args.model_fields]
    for arguments in bad:
        with pytest.raises(ValidationError):
            spec.args.model_validate(arguments)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(arguments, spec.args.model_json_schema())


@named(SPECS)
async def test_succeeds_on_an_ordinary_page(spec: ToolSpec) -> None:
    _, ctx = await ready(spec)
    result = await spec.run(ctx, example(spec))
    assert result.success, result.data
    assert 0 < len(result.summary) <= 140
    text = render_result(spec, result, cap=cap_for(spec, result), nonce="0123abcd")
    assert len(text) <= cap_for(spec, result)
    assert text.startswith("<untrusted_page_content id=") is spec.untrusted


@named([spec for spec in ON_PAGE if spec.name not in OTHER_TABS])
async def test_closed_tab(spec: ToolSpec) -> None:
    host, ctx = await ready(spec)
    host.browser.close(TAB)
    result = await spec.run(ctx, example(spec))
    assert_clear_failure(result)
    assert result.data["code"] == "no_tab"


@named([spec for spec in ASKS_THE_PAGE if spec.name not in LEAVES_INTERNAL_PAGES])
@pytest.mark.parametrize(
    "url", ["chrome://settings/", "about:addons", "chrome-extension://abcdef/panel.html"]
)
async def test_restricted_page(spec: ToolSpec, url: str) -> None:
    host, ctx = await ready(spec, url)
    result = await spec.run(ctx, example(spec))
    assert_clear_failure(result)
    assert result.data["code"] in ("restricted_page", "own_page")
    assert not host.page.calls


@named(ASKS_THE_PAGE)
@pytest.mark.parametrize("code", ["page_busy", "page_gone"])
async def test_page_that_fails_under_the_call(spec: ToolSpec, code: str) -> None:
    """The failure is told, an unknown outcome is never called a success, and nothing is sent twice."""
    host, ctx = await ready(spec)
    for action in list(host.page._answers):
        host.page.on(action, BridgeError("The page is in trouble.", code=code))
    if spec.name in FAILS_CLOSED:
        assert_clear_failure(await spec.run(ctx, example(spec)))
    elif spec.capability is Capability.NAVIGATE:
        result = await spec.run(ctx, example(spec))
        assert result.success, "the browser does this; the page is only asked how it is"
    elif spec.effect and spec.name not in SAVES_FILES:
        with pytest.raises(OutcomeUnknown, match="Read the page"):
            await spec.run(ctx, example(spec))
    else:
        result = await spec.run(ctx, example(spec))
        assert_clear_failure(result)
        assert result.data["code"] == code
    effects = [call for call in host.page.calls if call.effect]
    on_page = spec.effect and spec.capability is not Capability.NAVIGATE and spec.name not in SAVES_FILES
    assert len(effects) == (1 if on_page else 0)


@named(ASKS_THE_PAGE)
async def test_success_needs_a_page_that_says_so(spec: ToolSpec) -> None:
    host, ctx = await ready(spec)
    for action in list(host.page._answers):
        host.page.on(action, {"success": "true", "text": "", "note": "not a boolean"})
    result = await spec.run(ctx, example(spec))
    if spec.capability is not Capability.NAVIGATE or spec.name in FAILS_CLOSED:
        assert not result.success, "navigation alone is the browser's word, not the page's"


@named(ON_PAGE)
async def test_cancel_is_prompt(spec: ToolSpec) -> None:
    """A tool that hangs, at whichever of its calls, is gone when it is cancelled."""
    names = await calls_of(spec)
    assert names
    for name in names:
        host, ctx = await ready(spec)
        reached, never = asyncio.Event(), asyncio.Event()

        async def hang(called: str, name: str = name, reached: Any = reached, never: Any = never) -> None:
            if called == name:
                reached.set()
                await never.wait()

        host.hook = hang
        task = asyncio.create_task(run(spec, ctx))
        async with asyncio.timeout(20):
            await reached.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task


@named(ON_PAGE)
async def test_page_that_never_answers(spec: ToolSpec) -> None:
    """The tool's own limits end it before the agent's would, so the model hears the better reason."""
    host, ctx = await ready(spec)
    await run(spec, ctx)
    for call in host.page.calls:
        assert 0 < call.timeout < spec.timeout


@named([spec for spec in SPECS if spec.terminal])
async def test_ending_needs_no_tab(spec: ToolSpec) -> None:
    host, ctx = await ready(spec)
    host.browser.close(TAB)
    result = await spec.run(ctx, example(spec))
    assert result.success
    assert result.final


async def run(spec: ToolSpec, ctx: ToolContext) -> ToolResult:
    return await spec.run(ctx, example(spec))


async def calls_of(spec: ToolSpec) -> list[str]:
    """The host calls the tool makes on an ordinary page."""
    host, ctx = await ready(spec)
    seen: dict[str, None] = {}
    host.hook = lambda name: seen.setdefault(name)
    await run(spec, ctx)
    return list(seen)


READS = {
    "get_accessibility_tree",
    "read_page",
    "get_selection",
    "scroll",
    "extract_data",
    "get_window_info",
}
COMPACT = READS | {
    "wait_for_element",
    "find_text",
    "click_ax",
    "click",
    "set_checked",
    "set_field",
    "type_ax",
    "type_text",
    "press_keys",
    "navigate",
    "done",
}
MID_READS = {"get_interactive_elements", "wait_for_stable"}
MID = (
    COMPACT
    | MID_READS
    | {
        "go_back",
        "go_forward",
        "verify_form",
        "iframe_read",
        "iframe_click",
        "iframe_type",
        "promote_iframe",
    }
)
LOOKING_DEEPER = {"get_shadow_dom", "shadow_dom_query", "get_frames"}
FULL = MID | LOOKING_DEEPER | {"hover", "drag_drop", "select_text", "resize_window"}
TIERS = {(Mode.ASK, tier): READS | MID_READS | {"done"} for tier in Tier}
TIERS |= {
    (Mode.ACT, Tier.COMPACT): COMPACT,
    (Mode.ACT, Tier.MID): MID,
    (Mode.ACT, Tier.FULL): FULL,
    (Mode.DEV, Tier.COMPACT): set(),
    (Mode.DEV, Tier.MID): MID | LOOKING_DEEPER,
    (Mode.DEV, Tier.FULL): FULL,
}


@pytest.mark.parametrize(("mode", "tier"), list(TIERS))
def test_who_sees_what(mode: Mode, tier: Tier) -> None:
    """The table of modes and tiers, for the tools that the table knows."""
    offered = [spec.name for spec in registry.tools_for(mode, tier, Capabilities(browser="memory"))]
    assert set(offered) & TIERS[Mode.ACT, Tier.FULL] == TIERS[mode, tier]
    assert len(offered) == len(set(offered))
    assert not offered or offered[-1] == "done"
