"""Who may call the bridge: the supervisor page alone. Neither a page nor a content script reaches it."""

import json
from typing import Any

from tests.support.stage import Stage

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


def test_content_script_cannot_read_the_keys(stage: Stage) -> None:
    """Stored keys lie where only our own pages reach them, where the browser can keep them so."""
    tab = stage.open_tab("/about")
    body = """
      const api = globalThis.browser ?? chrome;
      try { return Object.keys(await api.storage.local.get(null)); } catch (error) { return 'refused'; }
    """
    outcome = in_content_script(stage, tab.id, body)
    if stage.browser.name == "chromium":
        assert outcome == "refused"
    else:
        # Firefox has no setAccessLevel for storage.local; docs/security-model.md says so.
        assert isinstance(outcome, list)


def test_screen_is_not_the_supervisor(stage: Stage) -> None:
    """Our own screens talk to Python, not to the browser's privileged end."""
    outcome = stage.browser.control.eval(f"(async () => {{ {asked(EXECUTOR_CALL)} }})()")
    assert rejected(outcome), outcome
