"""The tools for hands, readings and frames, through the built extension: what counts is the page's own state.

Each scenario is one run of a scripted model on a small page, in both browsers.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.approve import allow_in
from tests.support.browsers import Browser
from tests.support.port import Port
from tests.support.script import call, done, last_result, on_ref, see, tree
from tests.support.small_site import SmallSite
from tests.support.stage import Stage
from webbrain.testing.chat import Answer, ModelCall
from webbrain.testing.demo.tree import parse
from webbrain.testing.model_server import ModelServer, Script
from webbrain.testing.site import Shop

STATE = """<output></output><script>
  const state = {};
  const note = (key, value) => {
    state[key] = value;
    document.title = JSON.stringify(state);
    document.querySelector("output").textContent = document.title;
  };
  const count = (key) => note(key, (state[key] ?? 0) + 1);
</script>"""
"""What happened on a page, kept by the page and shown: a press that shows nothing may be repeated."""

HANDS = (
    STATE
    + """<style>
  #menu { display: none } #bar:hover #menu { display: block }
  #spot { position: absolute; top: 500px; left: 400px; width: 80px; height: 40px; background: teal }
  label.drawn input { position: absolute; opacity: 0; width: 0; height: 0 }
</style>
<div id=bar><button>Account</button>
<div id=menu><a href="#out" onclick="count('out')">Sign out</a></div></div>
<p><span class=x onclick="count('drawn')" style="cursor: pointer">Only drawn</span></p>
<p><b id=row ondblclick="count('double')">Row</b></p>
<label class=drawn><input type=checkbox onchange="note('news', this.checked)"><i>Weekly news</i></label>
<button disabled>Nothing</button> <button onclick="count('first')">Twin</button>
<button onclick="count('second')">Twin</button>
<p id=prose>The quick brown fox jumps over the lazy dog.</p>
<input id=note>
<button id=knob style="position: absolute; top: 600px; left: 100px">Knob</button>
<div id=spot></div>
<script>
  const keyed = (e) => note("typed", (state.typed ?? "") + e.key);
  document.querySelector("#note").addEventListener("keydown", keyed);
  bar.addEventListener("mouseenter", () => count("entered"));
  let from = null;
  knob.addEventListener("mousedown", (e) => { from = e.clientX; });
  const move = (e) => { if (from !== null) knob.style.left = 100 + e.clientX - from + "px"; };
  addEventListener("mousemove", move);
  addEventListener("mouseup", () => { if (from !== null) note("knob", knob.style.left); from = null; });
  spot.addEventListener("click", (e) => note("spot", [e.clientX, e.clientY]));
</script>"""
)

READINGS = (
    STATE
    + """<h1>Prices</h1><table><tr><th>Tea</th><th>Price</th></tr><tr><td>Assam</td><td>4</td></tr></table>
<form action="/send" method=post><label>Name <input name=who value=Ada></label>
<label>Password <input type=password name=pw value=hunter2></label><button>Send</button></form>
<x-card></x-card><p id=late>loading</p>
<div style="height: 3000px"></div><p id=far>Delivery takes two days.</p>
<script>
  const root = document.querySelector("x-card").attachShadow({ mode: "closed" });
  root.innerHTML = "<button>Open the box</button>";
  root.querySelector("button").onclick = () => count("box");
  let left = 5;
  const tick = setInterval(() => {
    late.textContent = --left ? "step " + left : "ready";
    if (!left) clearInterval(tick);
  }, 150);
</script>"""
)

FRAMED = (
    STATE
    + """<h1>Checkout</h1><iframe src="OTHER/card" width=400 height=300></iframe>
<script>addEventListener("message", (e) => note(e.data.key, e.data.value));</script>"""
)

CARD = """<style>label.drawn input { position: absolute; opacity: 0 }</style>
<form action="/pay" method=post><label>Holder <input name=holder></label>
<label>Note <textarea name=note></textarea></label>
<label><input type=checkbox name=keep>Keep this card</label>
<button type=button id=check>Check</button><button>Pay now</button></form>
<iframe src="/bank"></iframe>
<script>
  const tell = (key, value) => top.postMessage({ key, value }, "*");
  for (const e of document.querySelectorAll("input, textarea"))
    e.addEventListener("change", () => tell(e.name, e.type == "checkbox" ? e.checked : e.value));
  check.onclick = () => tell("checked", true);
</script>"""

BANK = """<button onclick="top.postMessage({ key: 'bank', value: true }, '*')">Ask the bank</button>"""

TWINS = """<iframe src="OTHER/ad?1"></iframe><iframe src="OTHER/ad?2"></iframe>"""
AD = """<button onclick="top.postMessage({ key: 'ad', value: location.search }, '*')">Look</button>"""

PAGES = {
    "/hands": HANDS,
    "/readings": READINGS,
    "/framed": FRAMED,
    "/card": CARD,
    "/bank": BANK,
    "/twins": STATE
    + TWINS
    + '<script>addEventListener("message", (e) => note(e.data.key, e.data.value));</script>',
    "/ad": AD,
    "/pay": "<h1>Paid</h1>",
    "/send": "<h1>Sent</h1>",
}


@pytest.fixture(scope="module")
def module_stage(browser: Browser) -> Iterator[Stage]:
    """The stage with a model of the full tier, which has all tools."""
    script = Script()
    with Shop() as shop, ModelServer(script) as model:
        port = Port(browser)
        port.answer_cards("")
        port.choose_model(model.url, model.model, {})
        allow_in(browser, shop.url)
        yield Stage(browser, shop, model, script)


@pytest.fixture(scope="module")
def site(browser: Browser) -> Iterator[SmallSite]:
    """Pages under two names: frames of the other one are another site's."""
    with SmallSite(PAGES) as running:
        allow_in(browser, running.url, running.other)
        yield running


class Results:
    """What the tools answered, in order: each step of a script looks at the answer before it."""

    def __init__(self) -> None:
        self.seen: list[dict[str, Any]] = []

    def after(self, step: Any) -> Any:
        """The step, taken once the newest result was written down."""

        def think(model_call: ModelCall) -> Answer:
            self.seen.append(last_result(model_call).result)
            reply: Answer = step(model_call) if callable(step) else step
            return reply

        return think

    @property
    def last(self) -> dict[str, Any]:
        return self.seen[-1]

    def failures(self) -> list[dict[str, Any]]:
        """Answers that were no success."""
        return [result for result in self.seen if result.get("success") is not True]

    def named(self, tool: str, name: str, **arguments: Any) -> Any:
        """A call on the element of that name in the tree of a frame that was read last."""

        def think(_: ModelCall) -> Answer:
            texts = [str(result.get("pageContent", "")) for result in reversed(self.seen)]
            nodes = parse(next(text for text in texts if text))
            ref = next(node.ref for node in nodes if node.name == name and node.ref)
            return call(tool, ref_id=ref, **arguments)

        return think


def play(stage: Stage, results: Results, *steps: Any) -> None:
    """Have the model take these steps and look at each answer."""
    stage.plan(*(steps[:1]), *(results.after(step) for step in steps[1:]), results.after(done("Done.")))


def state_of(tab: Any) -> dict[str, Any]:
    """What the page says that happened."""
    value: dict[str, Any] = json.loads(tab.page.eval("JSON.stringify(state)"))
    return value


def test_hands(stage: Stage, site: SmallSite) -> None:
    """Text, selector, place, hover, keys, ticks and selections arrive at the page, each once."""
    tab, panel = stage.open(f"{site.url}/hands")
    results = Results()

    play(
        stage,
        results,
        see(),
        call("click", text="Only drawn"),
        call("click", selector="#row", count=2),
        on_ref("set_checked", "Weekly news", checked=True),
        on_ref("set_checked", "Weekly news", checked=True),
        on_ref("hover", "Account"),
        call("click", x=440, y=520),
        call("click", selector="#note"),
        call("type_text", text="ab"),
        call("type_text", text="cd", selector="#note"),
        on_ref("select_text", "The quick brown fox jumps over the lazy dog.", text="brown fox"),
        call("click", text="Twin"),
        call("click", x=0.5, y=0.5),
    )
    panel.send("Try everything.", "act")
    turn = panel.wait_over()
    assert turn.status == "completed", turn
    state = state_of(tab)
    codes = [result.get("code") for result in results.failures()]
    assert codes == ["ambiguous", "normalised_coordinates"], results.failures()
    assert state["drawn"] == 1
    assert state["double"] == 1
    assert state["news"] is True
    assert state["entered"] >= 1
    assert state["spot"] == [440, 520]
    assert state["typed"] == "abcd", "each character is a key"
    assert tab.page.eval("document.querySelector('#note').value") == "abcd"
    assert "brown fox" in json.dumps(results.seen), "the answer says what is selected"
    assert not {"first", "second", "out"} & set(state), "what is ambiguous is not pressed"
    stage.settled()


def test_dragging(stage: Stage, site: SmallSite) -> None:
    """What follows the mouse while it is held down goes as far as it is dragged."""
    tab, panel = stage.open(f"{site.url}/hands")
    results = Results()

    def along(model_call: ModelCall) -> Answer:
        refs = {node.name: node.ref for node in tree(model_call)}
        return call("drag_drop", fromRefId=refs["Knob"], dx=60)

    play(stage, results, see(), along)
    panel.send("Move the knob.", "act")
    panel.wait_over()
    state = state_of(tab)
    assert state.get("knob") == "160px", results.seen
    assert not results.failures()
    stage.settled()


def test_readings(stage: Stage, site: SmallSite) -> None:
    """Tables, lists, forms, closed shadow roots and late changes are read as they are."""
    tab, panel = stage.open(f"{site.url}/readings")
    results = Results()

    def open_the_box(_: ModelCall) -> Answer:
        return call("click_ax", ref_id=results.last["matches"][0]["ref_id"])

    def by_index(_: ModelCall) -> Answer:
        listed = results.last["elements"]
        index = next(element["index"] for element in listed if element.get("text") == "Open the box")
        return call("click", index=index)

    play(
        stage,
        results,
        call("wait_for_stable", quietMs=400),
        call("extract_data", type="tables"),
        call("verify_form"),
        call("get_shadow_dom"),
        call("shadow_dom_query", selector="button"),
        open_the_box,
        call("get_interactive_elements"),
        by_index,
        call("find_text", text="delivery takes"),
        call("get_window_info"),
    )
    panel.send("Look at everything.", "act")
    turn = panel.wait_over()
    assert turn.status == "completed", turn
    assert not results.failures()
    stable, tables, form, roots, _, _, _, _, found, window = results.seen
    assert stable["stable"] is True
    assert tab.page.eval("late.textContent") == "ready", "it had waited"
    assert "Assam" in json.dumps(tables)
    assert "Ada" in json.dumps(form)
    assert "hunter2" not in json.dumps(results.seen)
    assert roots["hosts"][0]["mode"] == "closed"
    assert state_of(tab)["box"] == 2
    assert found["found"] is True
    assert tab.page.eval("scrollY") > 1_000
    assert window["viewport"]["scrollY"] == tab.page.eval("scrollY")
    stage.settled()


def test_a_frame_of_another_site(stage: Stage, site: SmallSite) -> None:
    """Its tree has refs that the ordinary tools take, frames within it too; selectors work as well."""
    site.requests.clear()
    tab, panel = stage.open(f"{site.url}/framed")
    other = site.other.removeprefix("http://")
    results = Results()
    play(
        stage,
        results,
        see(),
        call("get_frames"),
        call("iframe_read", urlFilter=f"{other}/card"),
        results.named("set_field", "Holder", text="Ada Lovelace"),
        results.named("set_checked", "Keep this card", checked=True),
        results.named("click_ax", "Check"),
        call("iframe_type", urlFilter=f"{other}/card", selector="textarea", text="by noon"),
        call("iframe_read", urlFilter=f"{other}/bank"),
        results.named("click_ax", "Ask the bank"),
        call("iframe_read", urlFilter=f"{other}/card", selector="button"),
        call("iframe_click", urlFilter="127.0.0.1", selector="button"),
    )
    panel.send("Fill in the card.", "act")
    turn = panel.wait_over()
    assert turn.status == "completed", turn
    assert [result["code"] for result in results.failures()] == ["no_frame"], "the host counts"
    frames = results.seen[1]["frames"]
    assert [frame["url"] for frame in frames] == [f"{site.other}/card", f"{site.other}/bank"]
    assert (frames[0]["width"], frames[0]["height"]) == (400, 300)
    assert [match["text"] for match in results.seen[9]["matches"]][:2] == ["Check", "Pay now"]
    state = state_of(tab)
    assert state == {
        "holder": "Ada Lovelace",
        "keep": True,
        "checked": True,
        "note": "by noon",
        "bank": True,
    }
    assert not site.asked("/pay")
    stage.settled()


@pytest.mark.parametrize("answer", ["deny", "once"])
def test_a_frame_s_form_is_not_sent_unasked(stage: Stage, site: SmallSite, answer: str) -> None:
    """The card names the frame's host; no means that its server hears nothing."""
    site.requests.clear()
    _, panel = stage.open(f"{site.url}/framed")
    other = site.other.removeprefix("http://")
    results = Results()
    play(
        stage,
        results,
        call("iframe_type", urlFilter=f"{other}/card", selector="[name=holder]", text="Ada"),
        call("iframe_click", urlFilter=f"{other}/card", selector="button", matchIndex=1),
    )
    panel.send("Pay.", "act")
    card = panel.wait_card()
    assert "localhost" in card
    assert "Ada" in card
    assert not site.asked("/pay")
    panel.answer(answer)
    panel.wait_over()
    assert [method for method, _ in site.asked("/pay")] == (["POST"] if answer == "once" else [])
    stage.settled()


def test_of_two_equal_frames_none_is_touched(stage: Stage, site: SmallSite) -> None:
    """They are listed, and the number of one picks it."""
    tab, panel = stage.open(f"{site.url}/twins")
    other = site.other.removeprefix("http://")
    results = Results()

    def second(_: ModelCall) -> Answer:
        frame = results.last["frames"][1]["frameId"]
        return call("iframe_click", urlFilter=f"{other}/ad", frameId=frame, selector="button")

    play(stage, results, call("iframe_click", urlFilter=f"{other}/ad", selector="button"), second)
    panel.send("Look at the second one.", "act")
    panel.wait_over()
    assert [result["code"] for result in results.failures()] == ["ambiguous"]
    assert state_of(tab) == {"ad": "?2"}
    stage.settled()


def test_a_frame_becomes_the_page(stage: Stage, site: SmallSite) -> None:
    """Not while it holds an entry; afterwards the ordinary tools work in it, and Back returns."""
    tab, panel = stage.open(f"{site.url}/framed")
    other = site.other.removeprefix("http://")
    results = Results()
    play(
        stage,
        results,
        call("iframe_type", urlFilter=f"{other}/card", selector="[name=holder]", text="Ada"),
        call("promote_iframe", urlFilter=f"{other}/card"),
        call("iframe_type", urlFilter=f"{other}/card", selector="[name=holder]", text="", clear=True),
        call("promote_iframe", urlFilter=f"{other}/card"),
        see(),
        on_ref("set_field", "Holder", text="Bo"),
        call("go_back", force=True),
    )
    panel.send("Open the card's own page.", "act")
    turn = panel.wait_over()
    assert turn.status == "completed", turn
    assert [result["code"] for result in results.failures()] == ["unsaved_changes"]
    assert results.seen[3]["url"] == f"{site.other}/card"
    assert results.seen[5]["verified"] is True
    assert tab.page.eval("location.href") == f"{site.url}/framed"
    stage.settled()
