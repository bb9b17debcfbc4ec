"""Known secrets are taken out of what is told, stored and shown to models, in every usual spelling."""

import base64
import json
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import pytest

from tests.support.agent import Bench
from tests.support.toolbox import TAB
from webbrain.core.errors import ProviderFailed
from webbrain.core.messages import ModelReply
from webbrain.host.memory import Gate
from webbrain.policy.redaction import REDACTED, Redactor
from webbrain.policy.taint import Taint
from webbrain.services.secrets import stored_secrets
from webbrain.testing.scripted import INFO, ScriptedModel, Stream, call

KEY = 'sk-canary/ab+c"d&é-0123456789'
END = call("done", summary="Finished.", outcome="success")


def redactor(*secrets: str) -> Redactor:
    taint = Taint()
    for secret in secrets:
        taint.note_secret(secret)
    return Redactor(taint)


@pytest.mark.parametrize("around", ["{}", "xx{}yy", "a {} b"])
@pytest.mark.parametrize(
    "write",
    [
        str,
        json.dumps,
        lambda text: json.dumps({"error": f"bad key {text}"}),
        lambda text: quote(text, safe=""),
        lambda text: quote(quote(text, safe=""), safe=""),
        lambda text: text.encode().hex(),
        lambda text: text.encode().hex(" ").upper(),
        lambda text: text[::-1],
        lambda text: text.replace("&", "&amp;").replace('"', "&quot;"),
    ],
)
def test_every_spelling_goes(around: str, write: Any) -> None:
    shown = redactor(KEY).text(around.format(write(KEY)))
    assert REDACTED in shown
    assert "canary" not in shown.lower()
    assert KEY.encode().hex()[8:24] not in shown.lower().replace(" ", "")


@pytest.mark.parametrize("before", ["", "x", "xy", "user:", "some words before "])
@pytest.mark.parametrize("after", ["", "z", "zz"])
def test_base64_goes_wherever_it_begins(before: str, after: str) -> None:
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        shown = redactor(KEY).text(encode(f"{before}{KEY}{after}".encode()).decode())
        assert REDACTED in shown
        rest = shown.replace(REDACTED, "")
        assert len(rest) <= len(base64.b64encode(f"{before}{after}".encode())) + 8


def test_the_longest_goes_first() -> None:
    both = redactor("tulip-hunter", "tulip-hunter-2024")
    assert both.text("it is tulip-hunter-2024!") == f"it is {REDACTED}!"


def test_short_secrets_are_words_and_stay() -> None:
    assert redactor("garden").text("a garden") == "a garden"


def test_json_values_are_cleaned_through_and_through() -> None:
    value = {"a": [f"x {KEY}", {"b": KEY}], KEY: 1, "n": 4, "none": None, "t": ("x", KEY)}
    cleaned = redactor(KEY).value(value)
    assert "canary" not in json.dumps(cleaned)
    assert cleaned["n"] == 4
    assert value["a"][1]["b"] == KEY, "the value itself stays as it is"  # type: ignore[index,call-overload]


def test_a_secret_learned_later_counts_at_once() -> None:
    taint = Taint()
    redact = Redactor(taint)
    assert redact.text(KEY) == KEY
    taint.note_secret(KEY)
    assert redact.text(KEY) == REDACTED


# --- in a run ---

STORED = {"providers": {"openai": {"apiKey": KEY, "configured": True}, "x": {"apiKey": "short"}, "y": 7}}


def keyed(*steps: Any, **more: Any) -> Bench:
    bench = Bench(*steps, **more)
    bench.host.settings.values.update(STORED)
    return bench


def everything(bench: Bench) -> str:
    """All that a run leaves behind: records, mirrors, events, requests."""
    requests = [request.model_dump(mode="json") for request in bench.model.requests]
    parts = [bench.host.store.data, bench.host.session.values, bench.host.ui.events, requests]
    return json.dumps(parts, ensure_ascii=False, default=str)


async def test_which_secrets_are_stored() -> None:
    assert await stored_secrets(keyed().host) == [KEY]


async def test_a_key_that_a_page_shows_reaches_neither_model_nor_store() -> None:
    bench = keyed(call("read_page"), END)
    bench.host.page.on("read_page", {"text": f"Your key: {KEY} ", "url": "https://shop.example/list"})
    await bench.run("What is there?")
    assert REDACTED in next(m.content for m in bench.history if m.name == "read_page")
    assert "canary" not in everything(bench)


async def test_a_key_in_a_providers_complaint_is_not_stored() -> None:
    failure = ProviderFailed(f"Wrong key {KEY}.", code="wrong_key", data={"detail": f"key={quote(KEY)}"})
    bench = keyed(failure)
    await bench.run("Hello")
    assert REDACTED in bench.last("error")["message"]
    assert "canary" not in everything(bench)


async def test_a_key_in_a_crash_is_not_stored() -> None:
    bench = keyed(RuntimeError(f"boom {KEY}"))
    await bench.run("Hello")
    assert bench.last("error")["code"] == "internal_error"
    assert "canary" not in everything(bench)


async def test_without_redaction_the_same_key_is_everywhere() -> None:
    """Negative control: a key that nobody knows of passes through."""
    bench = Bench(call("read_page"), END)
    bench.host.page.on("read_page", {"text": f"Your key: {KEY} ", "url": "https://shop.example/list"})
    await bench.run("What is there?")
    assert "canary" in everything(bench)


async def test_a_password_that_was_entered_is_known_from_then_on() -> None:
    password = "correct-Tulip-77"
    typing = call("set_field", ref_id="ref_2", text=password)
    bench = Bench(typing, call("read_page"), END)
    meta = {"tag": "input", "type": "password", "name": "pw"}
    bench.host.page.on("set_field", {"verified": True, "fieldMeta": meta, "actual": password})
    bench.host.page.on("read_page", {"text": f"Debug: pw={password}", "url": "https://shop.example/list"})
    await bench.run("Sign in")
    results = [message.content for message in bench.history if message.role == "tool"]
    assert password not in "".join(results)
    stored = json.dumps(list(bench.host.store.data.values()), default=str)
    told = json.dumps(bench.events("tool_result") + bench.events("text"), default=str)
    assert password not in told
    assert stored.count(password) <= 2, "the call itself was on record before its field was known"


async def test_a_password_that_was_entered_is_known_after_a_death() -> None:
    password = "correct-Tulip-78"
    bench = Bench(call("set_field", ref_id="ref_2", text=password), END)
    meta = {"tag": "input", "type": "password", "name": "pw"}
    bench.host.page.on("set_field", {"verified": True, "fieldMeta": meta, "actual": password})
    await bench.run("Sign in")
    later = Bench(call("read_page"), END, host=bench.host.successor())
    later.host.page.on("read_page", {"text": f"Debug: pw={password}", "url": "https://shop.example/list"})
    await later.run("What is there?")
    results = [message.content for message in later.history if message.role == "tool"]
    assert REDACTED in results[-2]
    assert password not in "".join(results)
    assert password not in json.dumps(later.events("tool_result"))


async def test_a_password_that_the_page_itself_shows_is_no_secret() -> None:
    password = "demo-Password-1"
    bench = Bench(call("read_page"), call("set_field", ref_id="ref_2", text=password), call("read_page"), END)
    bench.host.page.on(
        "read_page", {"text": f"Use {password} to sign in", "url": "https://shop.example/list"}
    )
    meta = {"tag": "input", "type": "password", "name": "pw"}
    bench.host.page.on("set_field", {"verified": True, "fieldMeta": meta})
    await bench.run("Sign in")
    assert password in [m.content for m in bench.history if m.name == "read_page"][-1]


# --- strict secret mode ---


@pytest.mark.parametrize("strict", [True, False])
async def test_strict_mode_withholds_an_answer_that_quotes_a_credential(strict: bool) -> None:
    bench = Bench(call("done", summary="The password is Tulip-77x.", outcome="success"))
    bench.host.settings.values["strictSecretMode"] = strict
    await bench.run("What is the password?", mode="act")
    shown = bench.last("text")["content"]
    assert ("Tulip" in shown) is not strict
    assert ("Strict secret mode" in bench.request.messages[0].content) is strict
    assert bench.request.messages[0].content.rstrip().endswith("says.") or not strict


async def test_strict_mode_reminds_where_a_credential_was_near() -> None:
    bench = Bench(call("set_field", ref_id="ref_2", text="abc"), END)
    bench.host.settings.values["strictSecretMode"] = True
    meta = {"tag": "input", "type": "password", "name": "pw"}
    bench.host.page.on("set_field", {"verified": True, "fieldMeta": meta})
    await bench.run("Sign in")
    result = next(message for message in bench.history if message.role == "tool")
    assert "[note] Never quote a password" in result.content
    assert '"strictSecretMode":true' in result.content


async def test_strict_mode_withholds_a_plain_answer_too() -> None:
    bench = Bench("Your one-time code is 482913.")
    bench.host.settings.values["strictSecretMode"] = True
    await bench.run("What is the code?", mode="ask", tab=TAB)
    assert "482913" not in bench.last("text")["content"]


CODE = "482913"
SPOKEN = f"Your one-time code is {CODE}."
ENDING = call("done", call_id="c1", summary=SPOKEN, outcome="success")


def everywhere(bench: Bench) -> str:
    """All that screens were told, and all that was stored."""
    stored = list(bench.host.store.data.values())
    return json.dumps([bench.events(), stored], default=str, ensure_ascii=False)


@pytest.mark.parametrize("strict", [True, False])
async def test_in_strict_mode_nothing_is_shown_before_it_was_looked_at(strict: bool) -> None:
    model = ScriptedModel(
        Stream("Your one-time code", f" is {CODE}."), info=replace(INFO, streams_in_ask=True)
    )
    bench = Bench(model=model)
    bench.host.settings.values["strictSecretMode"] = strict
    await bench.run("What is the code?", mode="ask", tab=TAB)
    assert any(event["type"] == "text_delta" for event in bench.events()) is not strict
    assert (CODE in everywhere(bench)) is not strict


async def test_in_strict_mode_a_stop_shows_no_half_answer() -> None:
    gate = Gate()
    model = ScriptedModel(Stream(SPOKEN, " Ok.", gate=gate), info=replace(INFO, streams_in_ask=True))
    bench = Bench(model=model)
    bench.host.settings.values["strictSecretMode"] = True
    await bench.start("What is the code?", "ask", tab=TAB)
    await gate.reached()
    await bench.stop()
    assert CODE not in everywhere(bench)


@pytest.mark.parametrize(
    "answers",
    [
        (ModelReply(text=SPOKEN, tool_calls=[call("read_page", call_id="c1")]), END),
        (call("read_page"), call("done", summary=SPOKEN, outcome="success")),
        (call("read_page"), SPOKEN, SPOKEN),
        # What a turn keeps for its service repeats what the model said.
        (
            ModelReply(text=SPOKEN, tool_calls=[call("read_page", call_id="c1")], replay={"items": [SPOKEN]}),
            END,
        ),
        (ModelReply(tool_calls=[ENDING], replay={"items": [ENDING.arguments]}), END),
    ],
)
@pytest.mark.parametrize("strict", [True, False])
async def test_in_strict_mode_no_words_of_a_run_quote_a_secret(answers: Any, strict: bool) -> None:
    bench = Bench(*answers)
    bench.host.settings.values["strictSecretMode"] = strict
    bench.host.settings.values["planBeforeActMode"] = "off"
    await bench.run("What is the code?", mode="act", tab=TAB)
    assert (CODE in everywhere(bench)) is not strict
