"""What a pointer enters and leaves on its way."""

from tests.content.harness import Tab

MENU = """<nav id=outer><div id=inner><button id=one>One</button><button id=two>Two</button></div></nav>
<button id=far>Far</button>
<script>
  window.seen = [];
  for (const e of document.querySelectorAll("nav, div, button"))
    for (const type of ["mouseenter", "mouseleave"])
      e.addEventListener(type, (event) => {
        if (event.target === e) seen.push(`${type.slice(5)} ${e.id}`);
      });
</script>"""


def moved(tab: Tab, name: str) -> list[str]:
    """What the page hears when the pointer goes to that button."""
    tab.js("seen.length = 0")
    assert tab.call("hover", ref_id=tab.ref(f'button "{name}"'))["success"]
    heard: list[str] = tab.js("seen")
    return heard


def test_what_lies_around_is_entered_and_left_too(tab: Tab) -> None:
    """A menu opens by the mouseenter of the item around the link, not by that of the link."""
    tab.show(MENU)
    assert moved(tab, "One") == ["enter outer", "enter inner", "enter one"]
    assert moved(tab, "Two") == ["leave one", "enter two"]
    assert moved(tab, "Far") == ["leave two", "leave inner", "leave outer", "enter far"]
    assert moved(tab, "Far") == []
