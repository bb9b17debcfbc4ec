"""Whatever a page, a file or a server wrote reaches a model inside the random boundary: for every tool there
is, and for everything else a model reads.

Every text that comes over the border of the host carries a marker. What a model is shown must not hold it
outside of the boundary, whole or cut.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import pytest

from tests.support.agent import Bench
from tests.support.toolbox import ANSWERS, FORMS_URL, FRAME_URL, TAB, URL, example, eyes, jpeg, ready
from webbrain.agent import constrained
from webbrain.core.errors import BridgeError, WebBrainError
from webbrain.core.ids import nonce
from webbrain.core.results import ToolResult
from webbrain.core.types import Tier
from webbrain.host.memory import MemoryHost, Reply
from webbrain.host.protocols import Tab
from webbrain.host.reach import Download, Frame
from webbrain.policy.results import render_result
from webbrain.policy.untrusted import TAG
from webbrain.providers.base import ModelInfo
from webbrain.testing.scripted import INFO, ScriptedModel, call
from webbrain.tools import registry
from webbrain.tools.base import ToolContext, ToolSpec
from webbrain.tools.state import Dialog

MARK: Final = "QZXMARK"
BLOCK: Final = re.compile(rf'<{TAG} id="(\w+)">\n.*?\n</{TAG} id="\1">', re.DOTALL)
SPECS: Final = registry.load().all()
KEPT: Final = frozenset({"kind", "treeRevision", "type", "can", "role", "state", "nextOffset"})
"""Fields whose values are words of ours, not of a page's."""
END: Final = call("done", summary="x", outcome="success")
SMALL: Final = 400
"""A cap at which nearly every result is cut."""


def marked(value: Any, key: str = "") -> Any:
    """A page's answer with the marker in every text of it."""
    if isinstance(value, str) and key not in KEPT:
        if re.fullmatch(r"ref_\d+", value):
            return value
        return f"{value}?{MARK}" if value.startswith("http") else f"{value} {MARK} {'y' * 300} {MARK}"
    if isinstance(value, Mapping):
        return {name: marked(item, name) for name, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [marked(item, key) for item in value]
    return value


def mark_everything(host: MemoryHost) -> None:
    """Everything that a stranger has a say in says the marker."""
    for action, answer in ANSWERS.items():
        host.page.on(action, {**marked(answer), "note": MARK, MARK: MARK})
    host.browser.move(TAB, f"{URL}?{MARK}", f"Shop {MARK}")
    frames = (Frame(3, 0, f"{FRAME_URL}&m={MARK}"), Frame(4, 0, f"{FORMS_URL}?m={MARK}"))
    host.browser.set_frames(TAB, *frames)
    headers = {"content-type": "text/plain", "content-range": f"bytes 0-1/{MARK}"}
    for place in ("https://shop.example/*", "https://example.com/*"):
        host.http.on("GET", place, Reply(headers=headers, chunks=[f"{MARK} ".encode() * 900]))
    host.http.on("GET", "https://shop.example/*.pdf", Reply(headers={"content-type": "application/pdf"}))
    pages = [{"page": 1, "text": f"{MARK} " * 400}]
    found = {"title": MARK, "totalPages": 1, "fromPage": 1, "toPage": 1, "pages": pages}
    host.pdfs.on({**found, "truncated": False, "encrypted": False})
    url = f"https://shop.example/price-list.txt?{MARK}"
    host.downloads.add(
        Download(1, url, url, f"/home/ada/{MARK}.txt", "complete", 13, 13, mime=f"text/{MARK}")
    )


def outside(text: str) -> str:
    """What stands outside of the boundary."""
    return BLOCK.sub("", text)


async def result_of(spec: ToolSpec, host: MemoryHost, ctx: ToolContext) -> ToolResult:
    try:
        return await spec.run(ctx, example(spec))
    except WebBrainError as error:
        return ToolResult.error(error.message, error.code, **error.data)


def shown(spec: ToolSpec, result: ToolResult) -> list[str]:
    """The result as models read it, whole and cut."""
    return [render_result(spec, result, nonce=nonce()), render_result(spec, result, cap=SMALL, nonce=nonce())]


@pytest.mark.parametrize("spec", SPECS, ids=[spec.name for spec in SPECS])
async def test_the_text_of_results_is_inside(spec: ToolSpec) -> None:
    host, ctx = await ready(spec)
    mark_everything(host)
    result = await result_of(spec, host, ctx)
    for text in shown(spec, result):
        assert MARK not in outside(text), outside(text)
        if spec.untrusted:
            assert text.startswith(f'<{TAG} id="')
            assert BLOCK.search(text), "the closing tag survives the cut"


@pytest.mark.parametrize("spec", SPECS, ids=[spec.name for spec in SPECS])
@pytest.mark.parametrize("wrong", ["page", "browser", "dialog", "changed"])
async def test_so_is_what_goes_wrong(spec: ToolSpec, wrong: str) -> None:
    host, ctx = await ready(spec)
    mark_everything(host)
    refusal = {"success": False, "code": f"odd_{MARK}", "error": f"No {MARK}", "candidates": [{"text": MARK}]}
    for action in ANSWERS:
        if wrong == "page":
            host.page.on(action, refusal)
        elif wrong == "browser":
            host.page.on(action, BridgeError(f"Cannot access {MARK}", code="api_error"))
        elif wrong == "changed":
            host.page.on(action, {**marked(ANSWERS[action]), "changed": [MARK, f"message: {MARK}"]})
    if wrong == "dialog":
        ctx.state.dialogs[TAB] = Dialog(TAB, "prompt", f"Give {MARK}", f"{MARK}")
    result = await result_of(spec, host, ctx)
    for text in shown(spec, result):
        assert MARK not in outside(text), outside(text)


async def test_control_without_the_boundary_the_marker_is_there() -> None:
    """Negative control: most tools do show what a page wrote, so the tests above have something to find."""
    showing = []
    for spec in SPECS:
        host, ctx = await ready(spec)
        mark_everything(host)
        result = await result_of(spec, host, ctx)
        if any(MARK in outside(text) for text in shown(replace(spec, untrusted=False), result)):
            showing.append(spec.name)
    assert len(showing) > len(SPECS) * 0.7, showing


# --- in a run: everything else that a model reads ---


def requests(bench: Bench) -> list[str]:
    return [message.content for request in bench.model.requests for message in request.messages]


async def test_the_first_message_names_the_page_inside() -> None:
    bench = Bench("Done.")
    bench.host.browser.move(TAB, f"{URL}?{MARK}", f"Ignore this. {MARK}")
    await bench.run("What is this?", mode="ask")
    text = "\n".join(requests(bench))
    assert MARK in text
    assert MARK not in outside(text)


async def test_tabs_that_were_left_open_are_named_inside() -> None:
    bench = Bench(
        call("new_tab", url=f"https://shop.example/{MARK}"),
        call("done", summary="x", outcome="success"),
        "Done.",
    )
    await bench.run("Open it")
    await bench.run("And now?", mode="ask")
    text = "\n".join(message.content for message in bench.request.messages if message.role == "user")
    assert MARK in text
    assert MARK not in outside(text)


async def test_a_navigation_is_told_without_its_address() -> None:
    bench = Bench(call("press_keys", key="Tab"), "Done.")

    def moved(_: Any) -> dict[str, Any]:
        bench.host.browser.move(TAB, f"https://shop.example/{MARK}", MARK)
        bench.host.events.tell("navigation", TAB, phase="committed", url=f"https://shop.example/{MARK}")
        return {"target": "body", "changed": []}

    bench.host.page.on("press_keys", moved)
    await bench.run("Press Tab")
    for text in requests(bench):
        assert MARK not in outside(text), outside(text)


@pytest.mark.parametrize("sees", [True, False])
async def test_pictures_are_told_of_inside(sees: bool) -> None:
    info: ModelInfo = replace(INFO, supports_vision=sees)
    bench = Bench(model=ScriptedModel("Done.", info=info))
    bench.host.browser.move(TAB, URL, "Shop")
    elements = [{"index": 0, "tag": "button", "role": "button", "text": MARK, "ref_id": "ref_1"}]
    bench.host.page.on("get_interactive_elements", {"elements": elements})
    await bench.run("Look")
    text = "\n".join(requests(bench))
    assert MARK not in outside(text)
    if sees:
        assert MARK in text


async def test_what_a_vision_model_says_of_a_picture_is_inside() -> None:
    host = Bench().host
    looking = eyes(host)
    spec = registry.load().get("inspect_viewport")
    assert spec
    host.pictures.on(jpeg())
    ctx = (await ready(spec))[1]
    look = replace(await looking.look(TAB), description=f"A button that says {MARK}")

    class Seeing:
        shows_end = False
        taken = 0

        def show_document(self, pdf: bytes, url: str) -> bool:
            return False

        async def look(self, tab_id: int) -> Any:
            return look

    result = await spec.run(replace(ctx, host=host, sight=Seeing()), example(spec))
    for text in shown(spec, result):
        assert MARK in text
        assert MARK not in outside(text)


async def test_a_models_own_wrong_call_is_not_repeated_as_ours() -> None:
    bench = Bench(call(f"do_{MARK}", raw=f'{{"a": "{MARK}'), "Done.")
    bench.host.browser.open(Tab(99, f"https://shop.example/{MARK}", MARK))
    await bench.run("Hello", mode="ask")
    results = [message.content for message in bench.history if message.role == "tool"]
    assert len(results) == 1
    assert "[note]" not in results[0]


SMALL_MODEL: Final[ModelInfo] = replace(INFO, tier=Tier.COMPACT, constrained=True, context_window=8_192)


@pytest.mark.parametrize("enclosed", [True, False], ids=["enclosed", "control"])
async def test_steps_told_to_a_constrained_model_are_inside(
    monkeypatch: pytest.MonkeyPatch, *, enclosed: bool
) -> None:
    """A small model reads each step in a line of ours, which ends in words of the page."""
    steps = [{"finished": "no", "tool": "click_ax", "ref_id": "ref_1"}] * 2
    end = {"finished": "yes", "tool": "done", "outcome": "partial", "summary": "x"}
    bench = Bench(model=ScriptedModel(*[json.dumps(step) for step in (*steps, end)], info=SMALL_MODEL))
    bench.host.page.on("click_ax", {**ANSWERS["click_ax"], "changed": [f"message: Now {MARK}"]})
    if not enclosed:
        monkeypatch.setattr(constrained, "wrap", lambda text, _: text)
    await bench.run("Press it")
    text = "\n".join(requests(bench))
    assert f"message: Now {MARK}" in text
    assert (MARK in outside(text)) is not enclosed
