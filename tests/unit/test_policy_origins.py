"""Hosts as grants know them and as people see them; texts of strangers in cards; addresses users typed."""

import pytest

from webbrain.core.events import CardField
from webbrain.host.reach import Frame
from webbrain.policy.asking import FRESH_OPTIONS, GRANT_OPTIONS, Ask, card, detail
from webbrain.policy.egress import Refused
from webbrain.policy.origins import disguised, frame_url, key_of, known_key, plain, shown
from webbrain.policy.typed import hosts_in


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://Shop.Example/x", "shop.example"),
        ("https://www.shop.example/", "shop.example"),
        ("https://shop.example:443/", "shop.example"),
        ("http://shop.example:80/", "shop.example"),
        ("https://shop.example:8443/", "shop.example:8443"),
        ("http://127.0.0.1:8000/", "127.0.0.1:8000"),
        ("http://0x7f.1:8000/", "127.0.0.1:8000"),
        ("http://[::1]:8000/", "[::1]:8000"),
        ("https://m\u00fcnchen.example/", "xn--mnchen-3ya.example"),
        ("https://shop.example./", "shop.example"),
    ],
)
def test_a_grant_is_for_a_host(url: str, key: str) -> None:
    assert key_of(url) == key


@pytest.mark.parametrize(
    "url", ["about:blank", "file:///x", "data:text/html,x", "chrome://settings", "", "x"]
)
def test_what_has_no_host_has_no_key(url: str) -> None:
    assert known_key(url) == ""
    with pytest.raises(Refused):
        key_of(url)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("shop.example", "shop.example"),
        ("shop.example:8443", "shop.example:8443"),
        ("xn--mnchen-3ya.example", "m\u00fcnchen.example (xn--mnchen-3ya.example)"),
        ("xn--fiqs8s.example", "\u4e2d\u56fd.example (xn--fiqs8s.example)"),
        ("xn--e1afmkfd.example", "\u043f\u0440\u0438\u043c\u0435\u0440.example (xn--e1afmkfd.example)"),
    ],
)
def test_honest_names_are_readable(key: str, text: str) -> None:
    assert shown(key) == text
    assert not disguised(key)


LOOKALIKES = {
    "one Cyrillic letter": "p\u0430ypal.example",
    "all Cyrillic": "\u0440\u0430\u0443\u0440\u0430\u0456.example",
    "Greek omicron": "g\u03bf\u03bfgle.example",
    "dotless i": "c\u0131tibank.example",
    "Armenian": "\u0585n\u0585.example",
    "Arabic, which runs the other way": "\u0645\u062b\u0627\u0644.example",
    "phonetic letter": "\u0261oogle.example",
}


@pytest.mark.parametrize("name", LOOKALIKES.values(), ids=LOOKALIKES)
def test_names_that_pass_for_others_are_shown_encoded(name: str) -> None:
    key = ".".join(
        label if label.isascii() else "xn--" + label.encode("punycode").decode() for label in name.split(".")
    )
    assert shown(key) == key
    assert disguised(key)
    asked = card(Ask.OPEN, key, GRANT_OPTIONS)
    text = asked.model_dump_json()
    assert not any(letter in text for letter in name if not letter.isascii())
    assert "disguised" in asked.warnings
    assert "look like another's" in asked.question


BIDI = "\u202e\u202d\u2066\u2067\u2068\u2069\u200e\u200f\u061c\u200b\u200d\ufeff\x00\x1b\u2028"


def test_no_card_holds_a_character_that_hides_or_turns_others() -> None:
    dirty = f"safe{BIDI}text"
    asked = card(Ask.CARRY, "shop.example", FRESH_OPTIONS, details=[detail(dirty, dirty)])
    assert asked.details == [CardField(label="safetext", value="safetext")]
    assert not set(BIDI) & set(asked.details[0].label + asked.details[0].value)


def test_a_long_value_says_how_much_is_missing() -> None:
    assert plain("x" * 100, 10) == "x" * 10 + "\u2026 (+90)"
    assert plain("x" * 10, 10) == "x" * 10
    assert plain(" a\n\n b\t c ", 50) == "a b c"
    assert plain("a\nb", 50, lines=True) == "a\nb"
    assert len(plain("x" * 10_000_000, 10)) < 40


def test_frames_have_the_origin_of_their_document() -> None:
    frames = [
        Frame(0, -1, "https://shop.example/"),
        Frame(1, 0, "https://pay.example/"),
        Frame(2, 1, "about:srcdoc"),
        Frame(3, 2, ""),
        Frame(4, 0, "data:text/html,x"),
        Frame(5, 6, "about:blank"),
        Frame(6, 5, "about:blank"),
    ]
    assert frame_url(2, frames) == "https://pay.example/"
    assert frame_url(3, frames) == "https://pay.example/"
    assert known_key(frame_url(4, frames)) == ""
    assert frame_url(5, frames) == "", "a ring has no origin"
    assert frame_url(9, frames) == ""


@pytest.mark.parametrize(
    ("text", "hosts"),
    [
        ("Open https://news.example/tea?x=1.", {"news.example"}),
        ("Go to www.shop.example, please", {"shop.example"}),
        ("compare shop.example and prices.example:8443/x", {"shop.example", "prices.example:8443"}),
        ("(see <https://a.example>)", {"a.example"}),
        ("Look at localhost:3000 and 127.0.0.1:8000", {"localhost:3000", "127.0.0.1:8000"}),
        ("Write to ada@bank.example", set()),
        ("Mail ada.lovelace@bank.example today", set()),
        ("It costs 3.50 and ends at 10.30", set()),
        ("", set()),
        ("https://user:pw@evil.example/", set()),
    ],
)
def test_addresses_a_user_typed(text: str, hosts: set[str]) -> None:
    assert hosts_in(text) == hosts
