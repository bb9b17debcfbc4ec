"""Keys, cookies and passwords through tasks that succeed, fail and crash: afterwards every byte that was sent
to a model, stored, shown, recorded, exported or logged is searched for them.
"""

import base64
import json
from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import quote

import pytest

from tests.security.live import RUN_SECONDS, Battle, battle
from tests.support.browsers import Browser
from tests.support.browsers.base import wait_until
from webbrain.testing.chat import Answer, ModelCall, Refusal
from webbrain.testing.obedient import ObedientModel
from webbrain.testing.scripted import call

KEY: Final = "sk-canary-7f3a9c51e8d24b60"
COOKIE: Final = "cookiecanary5b1e77d0"
PASSWORD: Final = "Prefilled-canary-81"
CODE: Final = "codecanary447109"
CANARIES: Final = (KEY, COOKIE, PASSWORD, CODE)
SEEN: Final = "Welcome back, Adelheid"
"""A text of the page that does belong into records: the control of the search itself."""

PAGE: Final = f"""<script>document.cookie = 'sid={COOKIE}'</script><h1>{SEEN}</h1>
<form method=post action=/login><label>Name <input name=user value=ada></label>
<label>Password <input type=password name=pw value={PASSWORD}></label>
<label>One-time code <input name=otp autocomplete=one-time-code value={CODE}></label>
<input type=hidden name=csrf_token value={CODE}><button>Sign in</button></form>"""

DUMP: Final = """(async () => {
  const api = globalThis.browser ?? chrome;
  const open = (name) => new Promise((done, failed) => {
    const opening = indexedDB.open(name);
    opening.onsuccess = () => done(opening.result);
    opening.onerror = () => failed(opening.error);
  });
  const found = {session: await api.storage.session.get(null), streams: []};
  for (const {name} of await indexedDB.databases()) {
    if (name === 'webbrain_settings') continue;
    const db = await open(name);
    for (const store of db.objectStoreNames) {
      const all = db.transaction(store).objectStore(store).getAll();
      await new Promise((done) => { all.onsuccess = done; });
      found.streams.push({name, store, records: all.result});
    }
    db.close();
  }
  return JSON.stringify(found, (key, value) => (value instanceof ArrayBuffer ? '[bytes]' : value));
})()"""
"""Everything the extension keeps, but for the settings: keys are kept there, and have to be."""


def spellings(secret: str) -> list[str]:
    """How it might be written, in small letters where that makes no difference."""
    body = secret.encode()
    return [
        secret,
        secret[::-1],
        quote(secret, safe=""),
        "".join(f"%{byte:02x}" for byte in body),
        body.hex(),
        body.hex(":"),
        body.hex(" "),
        base64.b64encode(body).decode().rstrip("="),
        *(base64.b64encode(b"x" * shift + body).decode()[4:-4] for shift in (1, 2)),
    ]


def hits_of(secrets: Iterable[str], text: str) -> list[str]:
    """Which of these secrets a text holds, in whatever spelling."""
    small = text.lower()
    return [secret for secret in secrets if any(form.lower() in small for form in spellings(secret))]


def hits(text: str) -> list[str]:
    """Which of ours."""
    return hits_of(CANARIES, text)


@pytest.fixture(scope="module")
def field(browser: Browser) -> Iterator[Battle]:
    """A page with secrets in its fields and a cookie, and a service that wants a key."""
    with battle(browser, {"/login": PAGE, "/data": f"Set-Cookie: sid={COOKIE}"}, {}) as made:
        made.server.api_key = KEY
        made.choose(KEY)
        made.use(tracingEnabled=True)
        yield made
        made.server.api_key = ""


READING: Final = (
    call("get_accessibility_tree", filter="all"),
    call("read_page", includeChrome=True),
    call("get_interactive_elements"),
    call("verify_form"),
    call("extract_data", type="headings"),
    call("get_selection"),
    call("shadow_dom_query", selector="input"),
    call("find_text", text="canary"),
)


class Failing(ObedientModel):
    """A service that complains, and repeats the key in its complaint."""

    status = 401

    def think(self, call: ModelCall) -> Answer:
        key = call.headers.get("authorization", call.headers.get("Authorization", ""))
        plain = key.removeprefix("Bearer ")
        encoded = base64.b64encode(f"user:{plain}".encode()).decode()
        told = {"message": f"Incorrect API key provided: {plain} ({encoded}, {quote(plain)})", "code": "bad"}
        return Refusal(self.status, {"error": told})


class Exhausted(Failing):
    status = 403


class Confused(Failing):
    status = 400


def left_behind(field: Battle) -> dict[str, str]:
    """All that could hold a secret and must not."""
    bodies = json.dumps([one.body for one in field.server.calls], ensure_ascii=False)
    stored = str(field.browser.control.eval(DUMP))
    panel = field.browser.control.eval("document.documentElement.outerHTML")
    return {
        "requests": bodies,
        "stored": stored,
        "logs": field.browser.log(),
        "screen": str(panel),
        **recorded(field),
    }


def recorded(field: Battle) -> dict[str, str]:
    """What screens get of recordings, their files, and the debug log."""
    runs = field.port.call("traces.list")["runs"]
    told: dict[str, list[str]] = {"recordings": [json.dumps(runs, ensure_ascii=False)], "exports": []}
    for run in runs:
        read = field.port.call("traces.read", runId=run["runId"])
        told["recordings"].append(json.dumps(read, ensure_ascii=False))
        for form in ("markdown", "json"):
            after: int | None = 0
            while after is not None:
                part = field.port.call("traces.export", runId=run["runId"], format=form, after=after)
                told["exports"].append(part["text"])
                after = part["next"]
    log = field.port.call("debuglog.get")["text"]
    return {name: "\n".join(texts) for name, texts in told.items()} | {"debug log": log}


def test_a_task_that_reads_everything(field: Battle) -> None:
    ran = field.run("/login", ObedientModel(reading=READING), answer="once")
    assert any(event["type"] == "run_complete" for event in ran.events)
    assert field.server.calls[-1].headers, "the key was accepted"
    _nothing_found(field, json.dumps(ran.events, ensure_ascii=False))


@pytest.mark.parametrize("model", [Failing, Exhausted, Confused])
def test_a_service_that_repeats_the_key(field: Battle, model: type[Failing]) -> None:
    ran = field.run("/login", model(), answer="once")
    errors = [event["data"] for event in ran.events if event["type"] == "error"]
    assert errors, ran.events
    _nothing_found(field, json.dumps(ran.events, ensure_ascii=False))


def test_a_crash_in_the_middle(field: Battle) -> None:
    field.run("/login", ObedientModel(reading=READING[:2]), answer="once")
    field.browser.kill_python()
    # The new Worker answers once it has started; a call under way meanwhile would be lost.
    wait_until(field.answers, RUN_SECONDS, lambda: "the new Worker to answer")
    field.run("/login", ObedientModel(reading=READING[:2]), answer="once")
    _nothing_found(field, "")


def test_what_the_settings_page_gets(field: Battle) -> None:
    told = json.dumps(field.port.call("providers.list"), ensure_ascii=False)
    told += json.dumps(field.port.call("providers.test", id="custom", config={}), ensure_ascii=False)
    assert KEY not in told


def _nothing_found(field: Battle, told: str) -> None:
    places = {**left_behind(field), "events": told}
    assert {place: hits(text) for place, text in places.items() if hits(text)} == {}
    # The search itself: what may be there is found.
    for place in ("requests", "stored", "recordings", "exports", "debug log"):
        assert SEEN in places[place], place


def test_control_a_secret_that_nobody_knows_of_is_found() -> None:
    """Negative control of the search: every spelling of every canary."""
    for secret in CANARIES:
        for form in spellings(secret):
            assert hits(f"before {form} after") == [secret]
