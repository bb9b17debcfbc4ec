"""The recorder of one run: what the model was sent and said, what the tools did, what the pages looked like.

It is told of things as they happen and only notes them down; ``recording_writer`` stores them. It never
raises, and never makes a run wait.
"""

import logging
from collections.abc import Callable
from typing import Any, Final

from webbrain.agent.exchanges import Asked, failure_view, reply_view
from webbrain.agent.recording_writer import Noted, Row, Writer
from webbrain.agent.run_options import RunOptions
from webbrain.core.events import RunEvent
from webbrain.core.messages import ModelReply
from webbrain.host.protocols import Clock

SCHEMA: Final = 1
"""Of what is stored (docs/traces.md)."""
ELSEWHERE: Final = frozenset({"user_message", "text_delta"})
"""Events whose content stands elsewhere in the recording."""

_log = logging.getLogger(__name__)


def new_row(options: RunOptions, conversation_id: str, started: int, version: str) -> Row:
    """A run as it is listed. Times are milliseconds since 1970, money is US dollars."""
    return {
        "schema": SCHEMA,
        "recordingVersion": version,
        "runId": options.run_id,
        "conversationId": conversation_id,
        "startedAt": started,
        "endedAt": None,
        "durationMs": None,
        "status": "running",
        "outcome": "",
        "model": "",
        "providerId": "",
        "providerLabel": "",
        "providerClass": "",
        "userMessage": options.text,
        "continued": options.continued,
        "tabUrl": "",
        "tabTitle": "",
        "mode": options.mode.value,
        "stepCount": 0,
        "promptTokens": 0,
        "completionTokens": 0,
        "cachedTokens": 0,
        "tokensEstimated": False,
        "totalCost": None,
        "costEstimated": False,
        "finalContent": "",
        "eventCount": 0,
        "chars": 0,
        "cutOff": False,
    }


class Recorder:
    """A ``journal.Watcher`` and an ``exchanges.Witness``."""

    def __init__(self, writer: Writer, clock: Clock) -> None:
        self.writer = writer
        self.row = writer.row
        self._clock = clock
        self._last = 0
        self._step = 0
        self._calls: dict[str, Row] = {}
        """Events of tool calls that have no result yet."""
        self._tools: tuple[str, ...] = ()

    # --- what it is told ---

    def saw(self, event: RunEvent, whole: str) -> None:
        """An event of the run."""
        if event.run_id == self.writer.run_id:
            self._safely(lambda: self._take(event, whole))

    def asked(self, asked: Asked) -> object:
        """A request goes out."""
        info = asked.info
        if asked.kind == "llm":
            self.row |= {
                "model": info.model,
                "providerId": info.provider_id,
                "providerLabel": info.label,
                "providerClass": "local" if info.local else "remote",
            }
            data: Row = {
                "model": info.model,
                "provider": info.provider_id,
                "messagesBefore": asked.kept,
                "messages": list(asked.fresh),
                "temperature": asked.temperature,
                "maxTokens": asked.max_tokens,
                "schema": asked.schema,
            }
            if asked.tools != self._tools:
                self._tools = asked.tools
                data["tools"] = list(asked.tools)
            self._note("llm_request", data)
        return asked, self._clock.monotonic()

    def answered(self, token: object, reply: ModelReply) -> None:
        """It was answered."""
        asked, took = self._of(token)
        view = reply_view(reply) | {"durationMs": took}
        if view["costUsd"] is not None:
            self.row["totalCost"] = (self.row["totalCost"] or 0.0) + view["costUsd"]
        if asked.kind == "vision":
            view |= {"model": view["model"] or asked.info.model, "provider": asked.info.provider_id}
            self._note("vision_sub_call", view)
            return
        for name in ("promptTokens", "completionTokens", "cachedTokens"):
            self.row[name] += view["usage"][name] or 0
        self._note("llm_response", view)

    def failed(self, token: object, error: BaseException) -> None:
        """There is no answer."""
        asked, took = self._of(token)
        about = {"model": asked.info.model, "provider": asked.info.provider_id, "durationMs": took}
        if asked.kind == "vision":
            self._note("vision_sub_call", {**about, "error": failure_view(error)})
        else:
            self._note("error", {"where": "model", **failure_view(error), **about})

    def _of(self, token: object) -> tuple[Asked, int]:
        assert isinstance(token, tuple)
        asked, began = token
        return asked, round((self._clock.monotonic() - began) * 1000)

    def _take(self, event: RunEvent, whole: str) -> None:
        data = event.data
        match event.type:
            case "thinking":
                self._step = self.row["stepCount"] = int(data["step"])
            case "text":
                if data["final"]:
                    self.row["finalContent"] = data["content"]
            case "tool_call":
                call = {"callId": data["callId"], "name": data["name"], "label": data["label"]}
                call |= {"args": whole or data["args"], "state": "running"}
                self._calls[data["callId"]] = self._note("tool", call)
            case "tool_result":
                self._finish_tool(data, whole)
            case "picture":
                shown = {name: data[name] for name in ("reason", "width", "height", "description")}
                self._note("screenshot", shown, picture=str(data["pictureId"]))
            case "error":
                self._note("error", {"where": "run", **data})
            case "run_complete":
                self._end(data)
            case kind if kind not in ELSEWHERE:
                self._note("note", {"what": kind, **data})
        self.writer.wake()

    def _finish_tool(self, data: Row, whole: str) -> None:
        """The result becomes part of the event of the call, which is stored anew."""
        done = {name: data[name] for name in ("callId", "name", "ok", "summary", "durationMs", "unknown")}
        done |= {"result": whole or data["result"], "state": "done"}
        call = self._calls.pop(data["callId"], None)
        if call is None:
            self._note("tool", done)
        else:
            self.writer.note(Noted(call["n"], call | {"data": call["data"] | done}))

    def _end(self, data: Row) -> None:
        self.row |= {
            "status": data["status"],
            "outcome": data["outcome"],
            "endedAt": self._now(),
            "durationMs": data["durationMs"],
            "stepCount": data["steps"],
            "promptTokens": data["promptTokens"],
            "completionTokens": data["completionTokens"],
            "cachedTokens": data["cachedTokens"],
            "tokensEstimated": data["tokensEstimated"],
            "totalCost": data["costUsd"],
            "costEstimated": data["costEstimated"],
        }
        self.writer.close()

    def _note(self, kind: str, data: Row, *, picture: str = "") -> Row:
        """Have an event stored; return it."""
        self._last += 1
        event = {"n": self._last, "at": self._now(), "type": kind, "step": self._step, "data": data}
        self.row["eventCount"] = self._last
        self.writer.note(Noted(self._last, event, picture))
        return event

    def _now(self) -> int:
        return round(self._clock.now() * 1000)

    def _safely(self, work: Callable[[], Any]) -> None:
        try:
            work()
        except Exception as error:  # noqa: BLE001 - the run has nothing to do with it
            _log.exception("A recording failed.")
            self.writer.break_off(repr(error))
