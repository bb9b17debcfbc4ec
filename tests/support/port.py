"""The port that screens speak through, held by a test: a screen without a picture that can answer cards."""

import json
from collections.abc import Mapping
from typing import Any

from tests.support.browsers import Browser

READY = 90.0
"""Seconds until the extension of a browser that just started answers."""

OPEN = """(async () => {
  const api = globalThis.browser ?? chrome;
  await api.runtime.sendMessage({target: 'background', action: 'ensure_host'});
  const port = api.runtime.connect({name: 'wb-ui'}), waiting = new Map(), told = [];
  const held = {answer: 'once', told};
  let last = 0;
  held.call = (method, params) => new Promise((resolve) => {
    const id = `t${++last}`;
    waiting.set(id, resolve);
    port.postMessage({target: 'python', epoch: 0, kind: 'call', id, method, params});
  });
  port.onMessage.addListener((frame) => {
    if (frame.kind === 'reply' || frame.kind === 'error') {
      waiting.get(frame.id)?.(frame.kind === 'error' ? {error: frame.error} : frame.result);
      waiting.delete(frame.id);
    }
    // A build of before tells each event in a frame of its own.
    for (const {method, params} of frame.events ?? [frame]) {
      if (method !== 'agent_update') continue;
      const {tabId, requestId, type, data} = params;
      if (type !== 'text_delta') told.push({tabId, requestId, type, data, at: Date.now() / 1000});
      if (type === 'clarify' && held.answer) {
        const rest = data.kind === 'clarify' ? data.options[0] : data.options.at(-1);
        const option = data.options.find(({id}) => id === held.answer) ?? rest ?? {id: 'text'};
        held.call('card.answer', {tabId, cardId: data.cardId, answer: option.id});
      }
      if (type === 'plan_review' && held.answer) {
        const decision = held.answer === 'deny' ? 'rejected' : 'approved';
        held.call('plan.answer', {tabId, planId: data.planId, decision});
      }
    }
  });
  globalThis.heldPort = held;
  return true;
})()"""


class Port:
    """Calls through the port, and what was told over it."""

    def __init__(self, browser: Browser) -> None:
        self._page = browser.control
        self._page.wait(OPEN, READY, "the supervisor's port")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """One call of docs/protocol.md; raise ``RuntimeError`` if it is answered with an error."""
        answer: dict[str, Any] = self._eval(f"call({json.dumps(method)}, {json.dumps(params)})")
        if answer.get("error"):
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer

    def answer_cards(self, option: str) -> None:
        """From now on answer every card by the option of that id; an empty text leaves them open."""
        self._eval(f"answer = {json.dumps(option)}")

    def told(self, request_id: str) -> list[dict[str, Any]]:
        """The events of a run so far, as ``{type, data, at}``; ``at`` is in seconds since 1970."""
        found: list[dict[str, Any]] = self._eval(
            f"told.filter(({{requestId}}) => requestId === {json.dumps(request_id)})"
        )
        return found

    def results(self, tool: str) -> list[dict[str, Any]]:
        """What was told of the calls of a tool that have ended, in whichever run."""
        found: list[dict[str, Any]] = self._eval(
            f"told.filter(({{type, data}}) => type === 'tool_result' && data.name === {json.dumps(tool)})"
        )
        return [event["data"] for event in found]

    def ended(self) -> set[str]:
        """Request ids of the runs that are over and not forgotten."""
        found: list[str] = self._eval(
            "told.filter(({type}) => type === 'run_complete').map(({requestId}) => requestId)"
        )
        return set(found)

    def forget(self, request_id: str) -> None:
        """Drop what a run told, for whoever plays hundreds of them."""
        others = f"heldPort.told.filter(({{requestId}}) => requestId !== {json.dumps(request_id)})"
        self._eval(f"told.splice(0, Infinity, ...{others}).length")

    def choose_model(self, url: str, model: str, values: Mapping[str, Any]) -> None:
        """Make an OpenAI-compatible server the active provider, with all tools, and set some settings."""
        config = {"baseUrl": url, "model": model, "promptTier": "full"}
        self.call("providers.save", id="custom", config=config)
        self.call("providers.activate", id="custom")
        self.call("settings.set", values=dict(values))

    def _eval(self, expression: str) -> Any:
        return self._page.eval(f"heldPort.{expression}")
