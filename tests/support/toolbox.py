"""A page and a context to run one tool against, and plausible answers of a page for every action."""

import base64
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from webbrain.agent.journal import Journal
from webbrain.agent.pictures import Eyes, PictureRules
from webbrain.agent.pins import Pins
from webbrain.core.types import Mode, Tier
from webbrain.host.memory import MemoryHost, Reply
from webbrain.host.protocols import Capabilities, Tab
from webbrain.host.reach import Download, Frame
from webbrain.services.pictures import PictureStore
from webbrain.testing.scripted import INFO, ScriptedModel
from webbrain.tools.base import ToolContext, ToolSpec
from webbrain.tools.person import Answer
from webbrain.tools.state import Dialog, RunState

TAB: Final = 7
URL: Final = "https://shop.example/list"

FRAME: Final = 3
FRAME_URL: Final = "https://pay.example/card?shop=1"
FORMS_FRAME: Final = 4
FORMS_URL: Final = "https://forms.example/embed/7"

ANSWERS: Final[dict[str, dict[str, Any]]] = {
    "tree": {
        "pageContent": 'button "Buy" [ref_1]\ntextbox "Name" [ref_2]',
        "hasMore": False,
        "truncated": False,
        "page": 1,
        "treeRevision": "r1",
        "controls": [{"ref": "ref_1", "role": "button", "name": "Buy", "can": ["click"]}],
    },
    "read_page": {"url": URL, "text": "Tea, 4 francs", "returnedLength": 13, "originalLength": 13},
    "get_selection": {"text": "Tea"},
    "scroll": {"moved": True},
    "wait_for_element": {"found": True, "timedOut": False, "elapsedMs": 12},
    "click_ax": {"ref_id": "ref_1", "tag": "button", "changed": ["aria-expanded"]},
    "type_ax": {"verified": True, "fieldMeta": {"tag": "input", "type": "text", "name": "name"}},
    "set_field": {"verified": True, "fieldMeta": {"tag": "input", "type": "text", "name": "name"}},
    "press_keys": {"target": "textbox Name", "changed": []},
    "click": {"ref_id": "ref_1", "tag": "button", "text": "Buy", "changed": ["opened: dialog"]},
    "hover": {"ref_id": "ref_1", "changed": ["opened: menu"]},
    "drag_drop": {"fromRefId": "ref_1", "toRefId": "ref_2", "changed": ["moved"]},
    "type_text": {"value": "hello", "verified": True, "fieldMeta": {"tag": "input", "type": "text"}},
    "set_checked": {"checkedBefore": False, "checkedAfter": True, "changed": ["checked"]},
    "select_text": {"text": "second paragraph"},
    "find_text": {"found": True, "matches": 2, "index": 1, "match": "Delivery"},
    "wait_for_stable": {"stable": True, "elapsedMs": 520, "mutations": 3},
    "get_interactive_elements": {"elements": [{"index": 0, "tag": "button", "text": "Buy"}]},
    "extract_data": {"tables": [{"rows": [["Tea", "4"]]}]},
    "verify_form": {
        "found": True,
        "fieldCount": 1,
        "fields": [{"name": "n", "type": "text", "value": "Ada"}],
    },
    "get_shadow_dom": {"hosts": [{"shadowPath": "x-card", "mode": "closed"}], "total": 1},
    "shadow_dom_query": {"matches": [{"ref_id": "ref_5", "tag": "button"}], "total": 1},
    "viewport": {"width": 1200, "height": 800, "devicePixelRatio": 2, "scrollX": 0, "scrollY": 40},
    "frame_read": {"matches": [{"matchIndex": 0, "ref_id": "ref_9"}], "total": 1, "hasMore": False},
    "frame_click": {"ref_id": "ref_9", "tag": "button", "changed": ["message: Paid"]},
    "frame_type": {"verified": True, "fieldMeta": {"tag": "input", "type": "text", "name": "holder"}},
    "upload_file": {"changed": ["files"], "files": [{"name": "price-list.txt", "size": 13}], "matchCount": 1},
    "resource": {"kind": "url", "url": "https://shop.example/tea.jpg"},
    "media": {"url": URL, "total": 1, "items": [{"kind": "image", "url": "https://shop.example/tea.jpg"}]},
    "links": {"url": URL, "title": "Shop", "links": [{"text": "About", "url": "https://shop.example/about"}]},
    "page_state": {"url": URL, "title": "Shop", "forms": [{"fields": 2, "dirty": 0, "files": 0}]},
}


FILES: Final = (
    ("/price-list.txt", "text/plain", b"Tea, 4 francs"),
    ("/prices.json", "application/json", b'{"tea": 4}'),
    ("/guide.pdf", "application/pdf", b"%PDF-1.7 guide"),
)
"""Path, type and content."""
WHOLE: Final = {"truncated": False, "encrypted": False}


def page_host(url: str = URL, *, capabilities: Capabilities | None = None) -> MemoryHost:
    """A host with one tab whose page, with two frames in it, answers every action as a small shop would."""
    host = MemoryHost([Tab(TAB, url, "Shop", active=True)], capabilities=capabilities)
    host.pictures.on(jpeg())
    host.browser.set_frames(TAB, Frame(FRAME, 0, FRAME_URL), Frame(FORMS_FRAME, 0, FORMS_URL))
    for action, answer in ANSWERS.items():
        host.page.on(action, answer)
    _serve_files(host)
    return host


def _serve_files(host: MemoryHost) -> None:
    """What lies at the shop's server beside its pages, and one file of it that was downloaded before."""
    host.http.on("HEAD", "*", Reply())
    for path, mime, body in FILES:
        reply = Reply(headers={"content-type": mime, "content-length": str(len(body))}, chunks=[body])
        host.http.on("GET", f"https://shop.example{path}", reply)
    pages = [{"page": 1, "text": "How to make tea"}]
    host.pdfs.on({"title": "Guide", "totalPages": 1, "fromPage": 1, "toPage": 1, "pages": pages, **WHOLE})
    url = f"https://shop.example{FILES[0][0]}"
    host.downloads.add(Download(1, url, url, "/home/ada/Downloads/price-list.txt", "complete", 13, 13))


def context(
    host: MemoryHost,
    mode: Mode = Mode.ACT,
    tier: Tier = Tier.FULL,
    context_window: int = 128_000,
    submit_token: str = "",
) -> ToolContext:
    """A context for the host's one tab, of a run that hears of what happens in it."""
    state = RunState(home=TAB, tab_id=TAB)
    host.events.listen(state.hear)
    return ToolContext(host, TAB, mode, tier, context_window, submit_token, state=state)


class Decided:
    """A person who takes the first option."""

    async def choose(self, question: str, options: Sequence[str], reason: str) -> Answer:
        return Answer(options[0] if options else "Yes", "user")


async def ready(spec: ToolSpec, url: str = URL) -> tuple[MemoryHost, ToolContext]:
    """A host and a context in which the tool's example makes sense: a dialog to answer, a tab to go to."""
    able = Capabilities(browser="memory", cdp="cdp" in spec.requires)
    host = page_host(url, capabilities=able)
    ctx = context(host)
    match spec.name:
        case "go_back" | "go_forward":
            host.browser.move(TAB, "https://shop.example/two")
            if spec.name == "go_forward":
                await host.browser.go_back(TAB)
            if url != URL:
                host.browser.move(TAB, url)
        case "answer_dialog":
            await host.debugger.attach(TAB)
            ctx.state.dialogs[TAB] = Dialog(TAB, "confirm", "Delete it?")
        case "close_tab" | "switch_tab":
            other = example(spec).tab_id
            host.browser.open(Tab(other, "https://shop.example/terms", "Terms"))
            ctx.state.opened[other] = "https://shop.example/terms"
        case "inspect_viewport":
            ctx = replace(ctx, sight=eyes(host))
        case "clarify":
            ctx = replace(ctx, person=Decided())
        case "progress_read" | "progress_update" | "scratchpad_write":
            ctx = replace(ctx, notebook=Pins(Journal(host, TAB, "conv_1")))
    return host, ctx


def eyes(host: MemoryHost) -> Eyes:
    """The eyes of a run whose model reads pictures."""
    made = Eyes(host, Journal(host, TAB, "conv_1"), PictureRules(), None, PictureStore(host))
    made.meet(ScriptedModel(info=replace(INFO, supports_vision=True)))
    return made


def jpeg(width: int = 1_000, height: int = 700, size: int = 0) -> str:
    """The header of a JPEG of that size as a data URL, padded to ``size`` bytes: nobody here draws it."""
    comment = b"\xff\xfe\x00\x06abcd"
    sides = height.to_bytes(2, "big") + width.to_bytes(2, "big")
    data = b"\xff\xd8" + comment + b"\xff\xc0\x00\x11\x08" + sides + b"\x03" + b"\0" * 9
    return "data:image/jpeg;base64," + base64.b64encode(data.ljust(size, b"\0")).decode()


def example(spec: ToolSpec) -> Any:
    """The arguments of the tool's own example."""
    return spec.args.model_validate_json(spec.example)
