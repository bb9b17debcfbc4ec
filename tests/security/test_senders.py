"""Who may call the bridge: the supervisor page alone. Neither a page nor a content script reaches it."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.port import Port
from tests.support.script import say
from tests.support.stage import Stage

ROOT: Final = Path(__file__).resolve().parents[2]
KEY: Final = "sk-canary-0123456789abcdef"
VAULT: Final = """new Promise((resolve, reject) => {
  const opening = indexedDB.open('webbrain_settings');
  opening.onerror = () => reject(opening.error);
  opening.onsuccess = () => {
    const store = opening.result.transaction('values').objectStore('values'), found = {};
    store.openCursor().onsuccess = ({target: {result: cursor}}) => {
      if (cursor) { found[cursor.key] = cursor.value; cursor.continue(); }
      else { opening.result.close(); resolve(found); }
    };
  };
})"""
"""Everything in Firefox's store of settings, read from a page of the extension's own."""

EXECUTOR_CALL = {
    "target": "executor",
    "epoch": 1,
    "kind": "call",
    "id": "x1",
    "method": "tabs.query",
    "params": {"queryInfo": {"windowType": "normal"}},
    "deadline": 4_102_444_800_000,
}
HOST_CALL = {"target": "host", "epoch": 0, "kind": "call", "id": "x2", "method": "boot.status", "params": {}}
LEGACY = {"target": "background", "action": "chat_start", "text": "hello", "tabId": 1, "mode": "act"}
ENSURE = {"target": "background", "action": "ensure_host"}


def in_content_script(stage: Stage, tab: int, body: str) -> Any:
    """Run a function body with a content script's rights in a page, and return what it resolves to."""
    if stage.browser.name == "chromium":
        return stage.browser.control.eval(
            f"chrome.scripting.executeScript({{target: {{tabId: {tab}}}, func: async () => {{ {body} }}}})"
            ".then((all) => all[0].result)"
        )
    code = json.dumps(f"(async () => {{ {body} }})()")
    return stage.browser.control.eval(
        f"browser.tabs.executeScript({tab}, {{code: {code}}}).then((all) => all[0])"
    )


def asked(message: dict[str, Any]) -> str:
    """A function body that sends a message and returns what became of it."""
    return f"""
      const api = globalThis.browser ?? chrome;
      const patience = new Promise((resolve) => setTimeout(() => resolve({{silence: true}}), 1500));
      const answer = api.runtime.sendMessage({json.dumps(message)}).then((a) => ({{answer: a ?? null}}),
        (error) => ({{refused: String(error)}}));
      return await Promise.race([answer, patience]);
    """


def rejected(outcome: dict[str, Any]) -> bool:
    """Nobody answered, or the answer is an error."""
    answer = outcome.get("answer")
    return not answer or "error" in answer


def test_control_the_supervisor_page_may_call(stage: Stage) -> None:
    """The same call from the right sender works: what follows does not pass for a wrong reason."""
    if stage.browser.name == "firefox":
        return _control_in_firefox(stage)
    message = json.dumps(EXECUTOR_CALL)
    answer = stage.browser.eval_in_host(f"async (host) => host.chrome.runtime.sendMessage({message})")
    assert answer["kind"] == "reply", answer
    return None


def _control_in_firefox(stage: Stage) -> None:
    """In Firefox the executor is in the supervisor page itself; that Python reaches it shows in the panel."""
    tab, panel = stage.open("/about")
    assert panel.page.eval("document.querySelector('.tab-line') !== null")
    assert tab.id


def test_web_page_has_no_way_in(stage: Stage) -> None:
    """Nothing is externally connectable: a page cannot even name the extension."""
    tab = stage.open_tab("/about")
    identity = stage.browser.control.eval("(globalThis.browser ?? chrome).runtime.id")
    reached = tab.page.eval(
        f"""(async () => {{
          const api = globalThis.browser ?? globalThis.chrome;
          if (!api?.runtime?.sendMessage) return 'no api';
          const call = {json.dumps(EXECUTOR_CALL)};
          try {{ return await api.runtime.sendMessage({json.dumps(identity)}, call) ?? 'silence'; }}
          catch (error) {{ return 'refused'; }}
        }})()"""
    )
    assert reached in ("no api", "refused", "silence")


def test_content_script_cannot_call_the_executor(stage: Stage) -> None:
    """A renderer that was taken over speaks with the content script's voice: it is not heard."""
    tab = stage.open_tab("/about")
    outcome = in_content_script(stage, tab.id, asked(EXECUTOR_CALL))
    assert rejected(outcome), outcome


def test_content_script_cannot_call_the_supervisor(stage: Stage) -> None:
    """Neither directly nor by the older messages."""
    tab = stage.open_tab("/about")
    for message in (HOST_CALL, LEGACY, ENSURE, {**LEGACY, "action": "get_providers"}):
        outcome = in_content_script(stage, tab.id, asked(message))
        assert rejected(outcome), (message, outcome)
    assert not stage.model.calls


def test_content_script_gets_no_port(stage: Stage) -> None:
    """A port of the screens' name is closed, or nobody talks on it."""
    tab = stage.open_tab("/about")
    body = """
      const api = globalThis.browser ?? chrome;
      return await new Promise((resolve) => {
        const port = api.runtime.connect({name: 'wb-ui'});
        port.onDisconnect.addListener(() => resolve('closed'));
        port.onMessage.addListener((frame) => resolve(frame));
        const call = {epoch: 0, kind: 'call', params: {}};
        port.postMessage({...call, target: 'python', id: 'a', method: 'providers.list'});
        port.postMessage({...call, target: 'host', id: 'b', method: 'boot.status'});
        setTimeout(() => resolve('silence'), 1500);
      });
    """
    assert in_content_script(stage, tab.id, body) in ("closed", "silence")


READ_STORES = """
  const api = globalThis.browser ?? chrome;
  const read = async (area) => {
    try { return JSON.stringify(await area.get(null)); } catch { return 'refused'; }
  };
  const names = (await indexedDB.databases()).map((one) => one.name).join();
  return {local: await read(api.storage.local), session: await read(api.storage.session ?? {}), names};
"""


def _save_key(stage: Stage) -> None:
    config = {"apiKey": KEY, "model": "gpt-5.5"}
    Port(stage.browser).call("providers.save", id="openai", config=config)


def test_content_script_cannot_read_the_keys(stage: Stage) -> None:
    """Stored keys lie where only our own pages reach them."""
    _save_key(stage)
    tab = stage.open_tab("/about")
    found = in_content_script(stage, tab.id, READ_STORES)
    assert found["local"] in ("refused", "{}"), found
    assert found["session"] in ("refused", "{}"), found
    assert "webbrain" not in found["names"], found
    assert KEY not in json.dumps(found)


def test_control_the_key_is_stored(stage: Stage) -> None:
    """What a content script does not find is there: the settings page says so after a restart of its own."""
    _save_key(stage)
    stored = Port(stage.browser).call("providers.list")["providers"]
    assert next(one for one in stored if one["id"] == "openai")["hasKey"] is True
    if stage.browser.name == "firefox":
        assert KEY in json.dumps(stage.browser.control.eval(VAULT))


def test_content_script_cannot_change_settings(stage: Stage) -> None:
    """What it may write there, nobody reads: it can neither switch questions off nor grant anything."""
    tab = stage.open_tab("/about")
    wanted = {"maxAgentSteps": 7, "strictSecretMode": True, "wb_permissions": [{"capability": "click"}]}
    body = f"""
      const api = globalThis.browser ?? chrome;
      try {{ await api.storage.local.set({json.dumps(wanted)}); }} catch {{ return 'refused'; }}
      return 'written';
    """
    outcome = in_content_script(stage, tab.id, body)
    assert outcome == ("refused" if stage.browser.name == "chromium" else "written")
    values = Port(stage.browser).call("settings.get")["values"]
    assert values["maxAgentSteps"] != 7
    assert values["strictSecretMode"] is False


def test_settings_of_an_older_version_move_into_the_vault(stage: Stage) -> None:
    """Once, all of them, and nothing stays behind where content scripts could read it."""
    if stage.browser.name != "firefox":
        pytest.skip("Chrome keeps content scripts out of storage.local, so settings stay there")
    control = stage.browser.control
    before = control.eval(VAULT)
    old = {**before, "maxAgentSteps": 33}
    control.eval("new Promise((done) => { indexedDB.deleteDatabase('webbrain_settings').onsuccess = done; })")
    control.eval(f"browser.storage.local.clear().then(() => browser.storage.local.set({json.dumps(old)}))")
    port = Port(stage.browser)
    assert port.call("settings.get")["values"]["maxAgentSteps"] == 33
    port.call("settings.set", values={"maxAgentSteps": 130})
    assert control.eval("browser.storage.local.get(null).then((all) => Object.keys(all).length)") == 0
    assert control.eval(VAULT) == {**before, "maxAgentSteps": 130}


def test_content_script_may_stop_the_run_of_its_tab(stage: Stage) -> None:
    tab, panel = stage.open("/about")
    stage.plan(say("one two three four five", gate="never-content", before_gate=4))
    panel.send("What is this page about?", "ask")
    panel.wait_turn("turn.answers.join('').includes('one two')")
    outcome = in_content_script(stage, tab.id, asked({"target": "background", "action": "content_stop"}))
    assert outcome["answer"]["ok"] is True
    assert panel.wait_over().status == "stopped"


def test_content_script_may_prefill_the_composer_and_starts_nothing(stage: Stage) -> None:
    tab, panel = stage.open("/about")
    message = {"target": "background", "action": "content_prefill", "text": "Summarise\u202e this"}
    assert in_content_script(stage, tab.id, asked(message))["answer"]["ok"] is True
    panel.page.wait("document.querySelector('#composer').value === 'Summarise this'")
    again = {**message, "text": "Something else"}
    in_content_script(stage, tab.id, asked(again))
    assert panel.page.eval("document.querySelector('#composer').value") == "Summarise this"
    assert not stage.model.calls


def test_no_other_extension_and_no_page_is_let_in(stage: Stage) -> None:
    """The manifest connects nobody, and nothing listens to strangers."""
    manifest = stage.browser.control.eval("(globalThis.browser ?? chrome).runtime.getManifest()")
    assert "externally_connectable" not in manifest
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "js").rglob("*.js")]
    assert not [text for text in sources if "onMessageExternal" in text or "onConnectExternal" in text]


def test_screen_is_not_the_supervisor(stage: Stage) -> None:
    """Our own screens talk to Python, not to the browser's privileged end."""
    outcome = stage.browser.control.eval(f"(async () => {{ {asked(EXECUTOR_CALL)} }})()")
    assert rejected(outcome), outcome
