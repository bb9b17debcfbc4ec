"""Keys, cookies and passwords through runs in memory that succeed, fail and die: afterwards every byte that
was sent to a model, stored, told to screens, recorded, exported or logged is searched for them.

The same with redaction switched off must find them, or the search would prove nothing. What only a page's
side can do (masking a field's value, a cookie that no script of ours reads) is in ``test_secrets``.
"""

import asyncio
import base64
import json
import logging
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import quote

import pytest

from tests.security.test_secrets import hits_of
from tests.support.agent import OneModel
from tests.support.approve import allow
from tests.support.toolbox import TAB, URL, page_host
from webbrain.app import App
from webbrain.core.errors import BridgeError, ProviderFailed
from webbrain.core.types import Capability
from webbrain.host.memory import MemoryHost, Reply
from webbrain.policy import redaction
from webbrain.policy.redaction import Redactor, StrictRedactor
from webbrain.testing.scripted import INFO, ScriptedModel, call

KEY: Final = "sk-canary-7f3a9c51e8d24b60"
PARAMETER: Final = "secretparamcanary0917"
COOKIE: Final = "cookiecanary5b1e77d0"
TYPED: Final = "Typed-canary-3391x"
SECRETS: Final = (KEY, PARAMETER, COOKIE, TYPED)
SEEN: Final = "Welcome back, Adelheid"
"""A text that does belong into records: the control of the search itself."""
PASSWORD_FIELD: Final = {"tag": "input", "type": "password", "name": "pw"}
PROVIDERS: Final = {
    "openai": {"apiKey": KEY, "configured": True},
    "bedrock": {"apiKey": PARAMETER, "configured": True},
}
OFF: Final = {"planBeforeActMode": "off", "tracingEnabled": True, "autoScreenshot": "off"}

WAYS: Final[dict[str, Callable[[str], str]]] = {
    "plain": str,
    "percent": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
    "percent, small": lambda text: "".join(f"%{byte:02x}" for byte in text.encode()),
    "percent, where needed": lambda text: quote(text, safe=""),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 behind a name": lambda text: base64.b64encode(f"ada:{text}".encode()).decode(),
    "base64 for addresses": lambda text: base64.urlsafe_b64encode(f"x{text}".encode()).decode().rstrip("="),
    "hexadecimal": lambda text: text.encode().hex(),
    "hexadecimal, large": lambda text: text.encode().hex().upper(),
    "hexadecimal with colons": lambda text: text.encode().hex(":"),
    "JSON": json.dumps,
    "backwards": lambda text: text[::-1],
}
SIGN_IN: Final = call("set_field", ref_id="ref_2", text=TYPED)
END: Final = call("done", summary="Finished.", outcome="partial")


class Scene:
    """One host through several runs. Every page and server repeats every secret that it could know."""

    def __init__(self, write: Callable[[str], str]) -> None:
        self.host = page_host()
        self.write = write
        self.models: list[ScriptedModel] = []
        self.host.settings.values.update({**OFF, "providers": PROVIDERS})
        self.repeats(self.host)
        for capability in (Capability.NETWORK, Capability.CLICK, Capability.TYPE, Capability.NAVIGATE):
            allow(self.host, "shop.example", capabilities=[capability])

    def repeats(self, host: MemoryHost) -> None:
        """Have the world say everything it could have heard."""
        said = " ; ".join(self.write(secret) for secret in (KEY, PARAMETER, TYPED))
        host.page.on("submit_probe", {"submits": False, "token": "t0"})
        host.page.on("set_field", {"verified": True, "fieldMeta": PASSWORD_FIELD, "actual": TYPED})
        host.page.on("read_page", {"text": f"{SEEN}. Debug: {said}", "url": URL, "originalLength": 400})
        host.page.on("find_text", {"success": False, "code": "odd", "error": f"No: {said}"})
        host.page.on("scroll", BridgeError(f"The page broke at {said}", code="page_failed"))
        cookie = {"content-type": "text/plain", "set-cookie": f"sid={COOKIE}"}
        body = f"{SEEN} {said}".encode()
        host.http.on("GET", "https://shop.example/me*", Reply(headers=cookie, chunks=[body]))

    async def run(self, *steps: Any, host: MemoryHost | None = None, mode: str = "act") -> App:
        """One task to its end."""
        model = ScriptedModel(*steps, info=INFO)
        self.models.append(model)
        app = App(host or self.host, providers=OneModel(model))  # type: ignore[arg-type]
        app.resumes = False
        params = {"tabId": TAB, "text": "Sign in", "mode": mode, "requestId": f"r{len(self.models)}"}
        await app.handle_ui("chat.start", params)
        await app.runs.wait(TAB)
        await app.settled()
        return app

    def requests(self) -> str:
        """Everything that models were sent, but the model's own call that enters the password."""
        sent = [one.model_dump(mode="json") for model in self.models for one in model.requests]
        return _without_own_call(json.dumps(sent, ensure_ascii=False))


async def everything(scene: Scene, app: App, host: MemoryHost, logged: str) -> dict[str, str]:
    """All that could hold a secret and must not, by where it is."""
    local = {key: value for key, value in host.settings.values.items() if key != "providers"}
    runs = (await app.handle_ui("traces.list", {}))["runs"]
    listed = await app.handle_ui("history.list", {})
    async with asyncio.timeout(20):
        while listed["indexing"]:
            await asyncio.sleep(0)
            listed = await app.handle_ui("history.list", {})
    conversations = listed["conversations"]
    assert conversations, "there is a history to be searched"
    traces, exports = [runs], []
    for run in runs:
        traces.append(await app.handle_ui("traces.read", {"runId": run["runId"]}))
        for form in ("markdown", "json"):
            after: int | None = 0
            while after is not None:
                asked = {"runId": run["runId"], "format": form, "after": after}
                part = await app.handle_ui("traces.export", asked)
                exports.append(part["text"])
                after = part["next"]
    history = [await app.handle_ui("history.export", {"id": one["id"]}) for one in conversations]
    return {
        "requests": scene.requests(),
        "conversations": _without_own_call(_json(host.store.data)),
        "tables": _json(host.tables.data),
        "session": _without_own_call(_json(host.session.values)),
        "local": _json(local),
        "events": _without_own_call(_json(host.ui.events)),
        "recordings": _json(traces),
        "trace files": "\n".join(exports),
        "history": _json([conversations, history]),
        "debug log": str((await app.handle_ui("debuglog.get", {}))["text"]),
        "log": logged,
    }


def _json(value: Any) -> str:
    return json.dumps(_with_names(value), ensure_ascii=False, default=_plain)


def _with_names(value: Any) -> Any:
    """The same with keys that are texts."""
    if isinstance(value, dict):
        return {str(key): _with_names(item) for key, item in value.items()}
    return [_with_names(item) for item in value] if isinstance(value, list | tuple) else value


def _plain(value: Any) -> Any:
    return value.decode("latin-1") if isinstance(value, bytes | bytearray) else str(value)


OWN: Final = tuple(
    form.format(TYPED)
    for form in (
        '"text": "{}"',
        '\\"text\\": \\"{}\\"',
        '\\\\\\"text\\\\\\": \\\\\\"{}\\\\\\"',
    )
)
"""How the model's own call stands in records, written down before anybody knows what the field is for."""


def _without_own_call(text: str) -> str:
    for form in OWN:
        text = text.replace(form, "")
    return text


async def played(write: Callable[[str], str], caplog: pytest.LogCaptureFixture) -> dict[str, str]:
    """Runs that read, fail, crash and go on after a death; what all of them left behind."""
    caplog.set_level(logging.DEBUG)
    scene = Scene(write)
    said = write(KEY)
    await scene.run(SIGN_IN, call("read_page"), call("find_text", text="x"), call("scroll"), END)
    quoting = call("done", summary=f"{SEEN}: it says {said}.", outcome="partial")
    await scene.run(call("fetch_url", url="https://shop.example/me?x=1"), call("read_page"), quoting)
    await scene.run(ProviderFailed(f"Wrong key {said}.", code="wrong_key", data={"detail": said}))
    await scene.run(RuntimeError(f"boom {said}"))
    await scene.run(call("no_such_tool", text="x"), call("read_page", raw='{"broken'), END)
    died = scene.host.successor()
    scene.repeats(died)
    app = await scene.run(call("read_page"), call("fetch_url", url="https://shop.example/me"), END, host=died)
    return await everything(scene, app, died, caplog.text)


@pytest.mark.parametrize("way", WAYS)
async def test_no_secret_is_left_anywhere(way: str, caplog: pytest.LogCaptureFixture) -> None:
    places = await played(WAYS[way], caplog)
    assert {place: found for place, text in places.items() if (found := hits_of(SECRETS, text))} == {}
    for place in (
        *("requests", "conversations", "events", "recordings"),
        *("trace files", "history", "debug log"),
    ):
        assert SEEN in places[place], place


NEVER_THERE: Final = frozenset({COOKIE})
"""What reaches no part of ours in the first place."""


@pytest.mark.parametrize("way", ["plain", "percent", "base64", "hexadecimal"])
async def test_control_without_redaction_the_same_search_finds_them(
    way: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Negative control: redaction off, and nothing else."""
    switch_off(monkeypatch)
    places = await played(WAYS[way], caplog)
    found = {place: hits_of(SECRETS, text) for place, text in places.items()}
    for place in ("requests", "conversations", "events", "recordings", "trace files", "debug log"):
        assert {*found[place]} >= {*SECRETS} - NEVER_THERE, place


def switch_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """No text is cleaned any more."""
    for redactor in (Redactor, StrictRedactor):
        monkeypatch.setattr(redactor, "text", lambda _self, text: text)
        monkeypatch.setattr(redactor, "value", lambda _self, value: value)
    monkeypatch.setattr(redaction, "pattern_of", lambda *_args, **_more: None)
