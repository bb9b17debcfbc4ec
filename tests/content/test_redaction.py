"""Which places of a page a picture must not show: measured, and nothing on the page touched."""

import pytest

from tests.content.harness import Tab

PAGE = """<style>body{margin:0} div,label{position:absolute}</style>
<label style="left:10px;top:10px">Password <input id=pw type=password value=hunter2></label>
<label style="left:10px;top:60px">API key <input id=key value=abc></label>
<label style="left:10px;top:110px">City <input id=city value=Bern></label>
<div id=mail style="left:300px;top:10px">ada@letters.example</div>
<div id=phone style="left:300px;top:60px">Call +41 31 123 45 67</div>
<div id=price style="left:300px;top:110px">Order 4821, 12.50 francs</div>
<div id=gone style="left:300px;top:160px;display:none">bob@letters.example</div>
<div id=far style="left:300px;top:5000px">carl@letters.example</div>"""


def covered(tab: Tab, regions: list[dict[str, int]]) -> set[str]:
    """Which marked elements lie in the regions, by their ids."""
    found: list[str] = tab.js(
        f"""(() => {{
          const regions = {regions!r};
          return [...document.querySelectorAll('[id]')].filter((e) => {{
            const r = e.getBoundingClientRect();
            return regions.some((g) => r.width > 0 && g.x <= r.left + 1 && g.y <= r.top + 1
              && g.x + g.width >= r.left + 20 && g.y + g.height >= r.top + 8);
          }}).map((e) => e.id);
        }})()"""
    )
    return set(found)


@pytest.mark.parametrize(
    ("text_inputs", "expected"),
    [(False, {"pw", "key", "mail", "phone"}), (True, {"pw", "key", "city", "mail", "phone"})],
)
def test_what_is_covered(tab: Tab, text_inputs: bool, expected: set[str]) -> None:
    tab.show(PAGE)
    before = tab.js("document.documentElement.outerHTML")
    answer = tab.call("redaction_regions", textInputs=text_inputs)
    assert covered(tab, answer["regions"]) == expected
    assert answer["truncated"] is False
    assert tab.js("document.documentElement.outerHTML") == before


def test_regions_lie_in_the_viewport(tab: Tab) -> None:
    tab.show(PAGE)
    tab.js("scrollTo(0, 4800)")
    regions = tab.call("redaction_regions", textInputs=True)["regions"]
    assert covered(tab, regions) == {"far"}
    size = tab.js("[innerWidth, innerHeight]")
    assert all(r["x"] >= 0 and r["x"] + r["width"] <= size[0] for r in regions)
    assert all(r["y"] >= 0 and r["y"] + r["height"] <= size[1] for r in regions)


def test_shadow_roots_and_frames_of_the_page_are_looked_into(tab: Tab) -> None:
    tab.show(
        """<style>body{margin:0}</style><div id=host></div>
        <iframe id=inner style="position:absolute;left:100px;top:200px;border:5px solid" width=300 height=100
          srcdoc="<style>body{margin:0}</style><input type=password value=x>"></iframe>
        <iframe id=other style="position:absolute;left:500px;top:200px" width=200 height=100 sandbox
          srcdoc="<p>ada@letters.example"></iframe>"""
    )
    tab.js("document.querySelector('#host').attachShadow({mode: 'open'}).innerHTML = '<input type=password>'")
    tab.js("new Promise((done) => setTimeout(done, 300))")
    regions = tab.call("redaction_regions", textInputs=False)["regions"]
    places = [(r["x"], r["y"]) for r in regions]
    assert any(x < 20 and y < 20 for x, y in places), "the field in the shadow root"
    assert any(105 <= x <= 110 and 205 <= y <= 210 for x, y in places), "the field in the frame"
    assert any(500 <= x <= 503 and 200 <= y <= 203 for x, y in places), "all of the other origin's frame"


def test_so_many_are_told_at_most(tab: Tab) -> None:
    tab.show("".join(f"<span style='float:left'>a{i}@b.example</span>" for i in range(1_000)))
    tab.js("document.body.style.fontSize = '4px'")
    answer = tab.call("redaction_regions", textInputs=False)
    assert len(answer["regions"]) == 400
    assert answer["truncated"] is True


SIGN_IN = """<h1>Welcome</h1><form action=/login><label>Name <input name=user value=ada></label>
<label>Password <input type=password name=pw value=Prefilled-canary></label>
<label>One-time code <input name=otp value=code-canary></label>
<label>Key <textarea name=api_key>key-canary</textarea></label>
<input type=hidden name=csrf_token value=token-canary><button>Sign in</button></form>"""
READINGS = {
    "tree": {"filter": "all"},
    "read_page": {"includeChrome": True},
    "get_interactive_elements": {},
    "verify_form": {},
    "shadow_dom_query": {"selector": "input"},
    "find_text": {"text": "canary"},
    "frame_read": {},
    "page_state": {},
}


@pytest.mark.parametrize("action", READINGS)
def test_no_reading_tells_what_a_field_for_credentials_holds(tab: Tab, action: str) -> None:
    tab.show(SIGN_IN)
    answer = str(tab.call(action, **READINGS[action]))
    assert "canary" not in answer.replace("'text': 'canary'", "")


def test_other_fields_are_told(tab: Tab) -> None:
    """Negative control: it is by what the field is for that its value is left out."""
    tab.show(SIGN_IN.replace("otp", "city").replace("One-time code", "City"))
    assert "code-canary" in str(tab.call("tree", filter="all"))
    assert "code-canary" in str(tab.call("read_page", includeChrome=True))
