"""Every state, in both themes: nothing for axe to find, nothing too wide, no word missing."""

import json
import re
from typing import Any

import pytest

from tests.support.ui_pages import AXE, ROOT
from tests.support.ui_states import STATES
from tests.ui.conftest import Open

NARROW = 300
"""The narrowest panel people can make, in CSS pixels."""
OF_COLOURS = ("color-contrast", "link-in-text-block")
KEYS = set(json.loads((ROOT / "js/_locales/en/messages.json").read_text(encoding="utf-8")))


def axe(page: Any, *rules: str) -> list[str]:
    """What axe finds, a line each; by these rules only, if there are any."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    options = {"resultTypes": ["violations"]} | (
        {"runOnly": {"type": "rule", "values": rules}} if rules else {}
    )
    found = page.evaluate("(options) => axe.run(document, options).then((r) => r.violations)", options)
    return [
        f"{violation['id']}: {node['html'][:160]} | {node.get('failureSummary', '')[:300]}"
        for violation in found
        for node in violation["nodes"]
    ]


@pytest.mark.parametrize("name", STATES)
def test_axe_finds_nothing(show_state: Open, name: str) -> None:
    """In the light all rules, in the dark those that colours can break."""
    assert axe(show_state(name, theme="light")) == []
    assert axe(show_state(name, theme="dark"), *OF_COLOURS) == []


def test_axe_would_find_something(show_state: Open) -> None:
    """The check itself works: a grey too light and a button without a name are found."""
    page = show_state("answer")
    page.evaluate(
        """() => {
          document.querySelector('.composer-note').style.color = '#c9c4b8';
          document.querySelector('#open-settings').removeAttribute('aria-label');
          document.querySelector('#open-settings').removeAttribute('title');
        }"""
    )
    rules = {line.split(":")[0] for line in axe(page)}
    assert {"color-contrast", "button-name"} <= rules
    assert {line.split(":")[0] for line in axe(page, *OF_COLOURS)} == {"color-contrast"}


@pytest.mark.parametrize("name", STATES)
def test_a_longer_language_fits_and_no_message_key_is_shown(show_state: Open, name: str) -> None:
    """In the narrowest panel, in German."""
    page = show_state(name, width=NARROW, language="de")
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW
    outside = page.evaluate(
        """(width) => [...document.querySelectorAll('button, input, select, textarea, p, h2, h3')]
          .filter((el) => el.checkVisibility() && !el.closest('.visually-hidden, .scroll-x, pre'))
          .map((el) => [el, el.getBoundingClientRect()])
          .filter(([, box]) => box.width > 2 && (box.right > width + 1 || box.left < -1))
          .map(([el]) => el.outerHTML.slice(0, 120))""",
        NARROW,
    )
    assert outside == []
    shown = page.evaluate(
        """() => [document.body.innerText, ...[...document.querySelectorAll('*')]
          .flatMap((el) => [el.ariaLabel, el.title, el.placeholder])].join('\\n')"""
    )
    words = set(re.findall(r"\b[a-z]+_\w+\b", shown))
    assert words & KEYS == set()
    ours = re.sub(r"https://\S+|\{[^}]*:[^}]*\}", "", shown.split("python")[0])  # but addresses and JSON
    assert not re.search(r"\{\w+\}", ours)
    assert page.evaluate("document.documentElement.lang") == "de"
