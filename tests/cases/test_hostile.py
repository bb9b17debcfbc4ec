# ruff: noqa: E501 (markup of the pages under test is more readable unwrapped)
"""Pages that are hostile or broken: every reading tool answers in time and size, and the run goes on."""

import time
from collections.abc import Iterator
from typing import Any, Final

import pytest

from tests.support.file_site import File, FileSite
from tests.support.pdf_files import pdf
from tests.support.player import Live, Player
from tests.support.port import Port
from webbrain.testing.model_server import ModelServer

READING: dict[str, dict[str, Any]] = {
    "get_accessibility_tree": {},
    "read_page": {},
    "get_interactive_elements": {},
    "extract_data": {"type": "headings"},
    "get_selection": {},
    "find_text": {"text": "needle"},
    "verify_form": {},
    "wait_for_stable": {"timeout": 2_000},
    "get_shadow_dom": {},
    "shadow_dom_query": {"selector": "button"},
    "get_window_info": {},
    "get_frames": {},
    "wait_for_element": {"selector": "button", "timeout": 1_000},
    "iframe_read": {"urlFilter": "srcdoc"},
    "scroll": {"direction": "top"},
    "inspect_viewport": {},
}
"""Every tool that reads the page, with arguments."""

DEADLINE = 25.0
"""Seconds a reading tool may take: the page's own limit of 20 and some air."""
CHARS = 200_000
LOADS = 90.0
"""Seconds in which a page of a thousand frames loads on a busy machine."""
MOST_TRIES = 3
"""How often a page is asked for while its process is busy for a minute; each is told within 30 seconds."""

PATCHED = """
const broken = () => { throw new Error('patched'); };
for (const [proto, names] of [[Element.prototype, ['querySelector', 'querySelectorAll', 'getBoundingClientRect', 'getAttribute', 'closest', 'matches', 'scrollIntoView', 'checkVisibility']],
    [HTMLElement.prototype, ['click', 'focus']], [Document.prototype, ['querySelector', 'querySelectorAll', 'createTreeWalker', 'getElementById']],
    [Node.prototype, ['contains', 'getRootNode']], [EventTarget.prototype, ['dispatchEvent', 'addEventListener']], [Promise.prototype, ['then']], [Array.prototype, ['map', 'push', 'filter']]])
  for (const name of names) proto[name] = broken;
JSON.parse = broken;
Object.defineProperty(Object.prototype, 'ref_id', { set: broken, configurable: true });
Object.defineProperty(Object.prototype, 'success', { set: broken, configurable: true });
getComputedStyle = broken;
"""

PAGES = {
    "patched": f"<h1>Shop</h1><button onclick=\"document.title = 'pressed'\">Buy</button><script>{PATCHED}</script>",
    "clobbered": "<form id=f><input name=parentNode><input name=children><input name=getAttribute><input name=tagName>"
    "<input name=nodeType><input name=attributes><button type=button onclick=\"document.title = 'pressed'\">Buy</button></form>"
    "<img name=body><img name=documentElement><a id=querySelector></a><img name=querySelectorAll>",
    "attribute": "<p id=p>needle</p><button onclick=\"document.title = 'pressed'\">Buy</button><script>p.title = 'x'.repeat(1e6); p.dataset.more = 'y'.repeat(1e6)</script>",
    "text": "<button onclick=\"document.title = 'pressed'\">Buy</button><p id=p></p><script>p.append('word '.repeat(2e6))</script>",
    "siblings": "<button onclick=\"document.title = 'pressed'\">Buy</button><div id=d></div><script>d.innerHTML = '<i>x</i>'.repeat(1e5)</script>",
    "nesting": "<button onclick=\"document.title = 'pressed'\">Buy</button><div id=d></div><script>let at = d; for (let i = 0; i < 5000; i++) { at = at.appendChild(document.createElement('div')); at.style.display = 'contents' } at.append('needle')</script>",
    "frames": "<button onclick=\"document.title = 'pressed'\">Buy</button><div id=d></div><script>d.innerHTML = '<iframe srcdoc=\"<p>in\"></iframe>'.repeat(300)</script>",
    # A page of Chromium holds a thousand frames and gives what is over it no document.
    "frame limit": "<button onclick=\"document.title = 'pressed'\">Buy</button><div id=d></div><script>for (let i = 0; i < 1200; i++) d.append(document.createElement('iframe'))</script>",
    "shadows": "<button onclick=\"document.title = 'pressed'\">Buy</button><div id=d></div><script>let at = d; for (let i = 0; i < 200; i++) { const root = at.attachShadow({mode: i % 2 ? 'open' : 'closed'}); at = root.appendChild(document.createElement('div')); } at.innerHTML = '<b>needle</b>'</script>",
    "endless": "<button onclick=\"document.title = 'pressed'\">Buy</button><div id=d style='height:3000px'>needle</div><script>addEventListener('scroll', () => { d.insertAdjacentHTML('beforeend', '<p>more</p>'.repeat(500)); d.style.height = d.scrollHeight + 3000 + 'px' })</script>",
    "storm": "<button onclick=\"document.title = 'pressed'\">Buy</button><div id=d>needle</div><script>setInterval(() => { for (let i = 0; i < 200; i++) d.replaceChildren('needle ' + Math.random()) }, 1)</script>",
}
BUSY = "void setTimeout(() => { const end = Date.now() + 60000; while (Date.now() < end); }, 0)"


POINTED: Final = frozenset(READING) - {
    *("get_window_info", "get_frames", "wait_for_stable"),
    *("wait_for_element", "iframe_read", "scroll", "inspect_viewport"),
}
"""Tools that look for something in a page, which a paper has not."""


@pytest.fixture(scope="module", autouse=True)
def eyes(live: tuple[Live, Port]) -> Iterator[None]:
    """The model sees, so that looking at the page is a tool like the others."""
    model, port = live
    choose(port, model.server, sees=True)
    yield
    choose(port, model.server, sees=False)


def choose(port: Port, model: ModelServer, *, sees: bool) -> None:
    """Make this server the provider."""
    config = {"baseUrl": model.url, "model": model.model, "promptTier": "full", "supportsVision": sees}
    port.call("providers.save", id="custom", config=config)


def read_everything(player: Player) -> dict[str, dict[str, Any]]:
    """Call every reading tool; fail if one is late or says too much."""
    answers = {}
    for tool, arguments in READING.items():
        start = time.monotonic()
        answers[tool] = player.call(tool, **arguments)
        assert time.monotonic() - start < DEADLINE, f"{tool} took {time.monotonic() - start:.0f} s"
        assert player.step is not None
        assert len(player.step.text) < CHARS, tool
    return answers


@pytest.mark.parametrize("name", PAGES)
def test_page_made_to_break_readers(player: Player, name: str) -> None:
    """All tools answer, the button is found and pressed, nothing of ours stays in the page."""
    slow = name == "frame limit"
    player.show(PAGES[name], wait=not slow)
    if slow:
        player.tab.page.wait("document.readyState === 'complete'", LOADS, "the page to load")
    nodes = player.js("document.body.children.length")
    answers = read_everything(player)
    assert answers["get_accessibility_tree"]["success"], answers["get_accessibility_tree"]
    assert answers["read_page"]["success"], answers["read_page"]
    answer = player.click('button "Buy"')
    assert answer["success"], answer
    player.until("document.title === 'pressed'")
    assert player.js("document.body.children.length") == nodes


@pytest.mark.parametrize("named", [True, False], ids=["named so", "by its type only"])
def test_a_paper_instead_of_a_page(player: Player, named: bool) -> None:
    """A tab that shows a PDF: every tool for pages says what to use instead, and that reads it."""
    paper = pdf(["All about the needle."], title="Needles")
    with FileSite(
        {"/paper.pdf": File(paper, "application/pdf"), "/paper": File(paper, "application/pdf")}
    ) as files:
        player.port.call("settings.set", values={"agentAllowLocalNetwork": True})
        player.open(files.url + ("/paper.pdf" if named else "/paper"), wait=False)
        shown = f"t.url.startsWith('{files.url}') && t.status === 'complete'"
        player.browser.control.wait(
            f"(globalThis.browser ?? chrome).tabs.get({player.tab.id}).then((t) => {shown})"
        )
        answers = read_everything(player)
        for tool in POINTED:
            assert not answers[tool]["success"], tool
            assert "read_pdf" in answers[tool]["error"], (tool, answers[tool])
        read = player.call("read_pdf")
        assert read["success"], read
        assert "All about the needle" in str(read["pages"])


def test_script_that_runs_for_a_minute(player: Player) -> None:
    """The page is said to be busy within the deadline, which all reading tools share, and the run goes on.

    A page of the same site shares the process of the busy one, so a browser may keep it waiting until
    the script has ended: that is told within the deadline too, and asking again is enough.
    """
    player.show("<p>needle</p><button>Buy</button>")
    player.tree()
    player.js(BUSY)
    start = time.monotonic()
    answer = player.call("get_accessibility_tree")
    assert time.monotonic() - start < DEADLINE
    assert (answer["success"], answer["code"]) == (False, "page_busy"), answer
    other = player.site.page("<!doctype html><title>Other</title><p>Fine here")
    answers = [player.call("navigate", url=other)]
    while not answers[-1]["success"] and len(answers) < MOST_TRIES:
        assert answers[-1]["code"] == "not_answering", answers
        answers.append(player.call("navigate", url=other))
    assert answers[-1]["success"], answers
    assert "Fine here" in str(player.call("read_page"))


def test_page_that_never_finishes_loading(player: Player) -> None:
    """It is read all the same."""
    player.open(
        player.site.page(
            "<!doctype html><title>Slow</title><p>needle</p><button onclick=\"document.title = 'pressed'\">Buy</button><img src=/hang>"
        ),
        wait=False,
    )
    player.until("!!document.querySelector('button')")
    answers = read_everything(player)
    assert "needle" in answers["read_page"]["text"]
    assert player.click('button "Buy"')["success"]
    assert player.js("document.title") == "pressed"


@pytest.mark.parametrize(
    "policy",
    [
        "default-src 'none'; script-src 'unsafe-inline'",
        "require-trusted-types-for 'script'; script-src 'unsafe-inline'; trusted-types 'none'",
    ],
    ids=["csp", "trusted-types"],
)
def test_strict_policies_of_pages(player: Player, policy: str) -> None:
    """What a page forbids itself does not hinder reading, typing and pressing."""
    player.show(
        "<label>Name <input id=n></label><div contenteditable role=textbox aria-label=Note id=e></div><button onclick=\"document.title = 'pressed'\">Buy</button>",
        head=f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
    )
    read_everything(player)
    assert player.fill('textbox "Name"', "Ada")["verified"]
    assert player.fill('textbox "Note"', "one\ntwo")["verified"]
    assert player.click('button "Buy"')["success"]
    assert player.js("[n.value, document.title]") == ["Ada", "pressed"]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("application/xml", "<?xml version='1.0'?><list><item>needle</item></list>"),
        ("image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg'><text y='20'>needle</text></svg>"),
        ("text/plain", "needle\n" * 50),
        ("application/json", '{"needle": 1}'),
    ],
)
def test_documents_that_are_no_pages(player: Player, kind: str, text: str) -> None:
    """Their text is read; nothing crashes."""
    player.open(player.site.page(text, kind))
    answers = read_everything(player)
    if kind == "application/json" and player.browser.name == "firefox":
        # Firefox shows JSON in a viewer of its own, which it keeps extensions out of.
        assert answers["read_page"]["code"] == "restricted_page"
        return
    assert "needle" in str(answers["read_page"]) + str(answers["get_accessibility_tree"]), answers
