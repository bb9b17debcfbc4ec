"""The older runtime messages, ``{target: "background", action, ...}``, put into calls of the port.

Only our own pages send them. What belongs to a feature that is not part of this version answers
``not_available`` in plain words, and so do the three that kept their sender waiting until a run's end
(``chat``, ``chat_stream``, ``continue``): ``chat_start`` and ``continue_start`` take their place.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from webbrain.agent.pins import Pins
from webbrain.agent.scratchpad import SCRATCHPAD_CHARS
from webbrain.core.errors import WebBrainError
from webbrain.core.ids import new_id

if TYPE_CHECKING:
    from webbrain.app import App
    from webbrain.services.conversations import Conversation

Answer = dict[str, Any]
Message = Mapping[str, Any]

ACTION_CHARS: Final = 60

LATER: Final = frozenset(
    {
        "chat",
        "chat_stream",
        "continue",
        "get_user_memory",
        "add_user_memory",
        "update_user_memory",
        "delete_user_memory",
        "clear_user_memory",
        "export_user_memory",
        "import_user_memory",
        "list_saved_workflows",
        "get_saved_workflow",
        "delete_saved_workflow",
        "save_latest_workflow",
        "list_scheduled_jobs",
        "create_scheduled_job",
        "run_scheduled_job_now",
        "pause_scheduled_job",
        "resume_scheduled_job",
        "cancel_scheduled_job",
        "delete_scheduled_job",
        "capture_full_page_screenshot",
        "prepare_recording_host",
        "start_tab_recording",
        "start_display_recording",
        "stop_tab_recording",
        "get_recording_state",
        "export_config",
        "import_config",
        "disable_dev_diagnostics",
    }
)
"""Actions that are not answered in this version."""
SAVE_TIMEOUT: Final = 2.0
"""Seconds that a note waits for the store before it is answered anyway."""
PROGRESS_ROWS: Final = 500
"""Rows of a progress list in one answer; ``total`` says how many there are."""

RENAMED: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "continue_start": ("chat.continue", ("tabId", "requestId")),
    "abort": ("chat.abort", ("tabId",)),
    "clear_conversation": ("conversation.clear", ("tabId",)),
    "get_providers": ("providers.list", ()),
    "test_provider": ("providers.test", ("id", "config")),
    "list_provider_models": ("providers.models", ("id", "config")),
    "update_provider": ("providers.save", ("id", "config")),
    "set_active_provider": ("providers.activate", ("id",)),
    "get_debug_log": ("debuglog.get", ()),
    "export_traces": ("traces.export", ("runId", "format", "after")),
}
"""Actions that are a method of the port by another name, and the parameters passed on."""


async def handle(app: "App", message: Message) -> Answer:
    """Answer a message; a refusal is ``{error, code}``, as its senders expect."""
    action = message.get("action")
    if not isinstance(action, str):
        return {"error": "The message names no action.", "code": "bad_params"}
    try:
        if action in RENAMED:
            method, names = RENAMED[action]
            return await app.handle_ui(method, _pick(message, names))
        if action in OWN:
            return await OWN[action](app, message)
    except WebBrainError as error:
        return {"error": error.message, "code": error.code}
    if action in LATER:
        return {"error": "This is not available in this version.", "code": "not_available"}
    return {"error": f"Unknown action {action[:ACTION_CHARS]}.", "code": "unknown_action"}


async def _chat_start(app: "App", message: Message) -> Answer:
    params = _pick(message, ("tabId", "text", "mode", "requestId", "files"))
    params.setdefault("mode", "ask")
    params.setdefault("requestId", new_id("req"))
    return await app.handle_ui("chat.start", params)


async def _run_state(app: "App", message: Message) -> Answer:
    """The run's state and the events that were not acknowledged, for a screen that polls."""
    opened = await app.handle_ui("panel.open", _pick(message, ("tabId",)))
    conversation = await app.conversations.of(opened["tabId"])
    acked = message.get("ackedSeq")
    newer = conversation.mirror.replay(conversation.journal, acked if type(acked) is int else 0)
    return {
        "ok": True,
        **conversation.mirror.run_state(conversation.journal, conversation.mode),
        "running": opened["running"],
        "events": [event.model_dump(mode="json", by_alias=True) for event in newer],
    }


async def _run_ack(app: "App", message: Message) -> Answer:
    """Note what a screen has: it is not told again. The journal itself keeps everything."""
    opened = await app.handle_ui("panel.open", _pick(message, ("tabId",)))
    conversation = await app.conversations.of(opened["tabId"])
    seq = message.get("seq")
    if type(seq) is not int or not 0 <= seq <= conversation.journal.seq:
        raise WebBrainError("There is no such event.", code="bad_params")
    conversation.mirror.acked = max(conversation.mirror.acked, seq)
    return {"ok": True, "ackedSeq": conversation.mirror.acked}


async def _clarify_response(app: "App", message: Message) -> Answer:
    params = _pick(message, ("tabId",))
    params["cardId"] = message.get("cardId", message.get("clarifyId"))
    params["answer"] = message.get("answer", message.get("response"))
    return await app.handle_ui("card.answer", params)


async def _plan_response(app: "App", message: Message) -> Answer:
    params = _pick(message, ("tabId", "planId", "summary", "steps", "text"))
    decision = message.get("decision")
    if decision is None:
        decision = "approved" if message.get("approved") is True else "rejected"
    params["decision"] = decision
    return await app.handle_ui("plan.answer", params)


async def _ensure_conversation_id(app: "App", message: Message) -> Answer:
    opened = await app.handle_ui("panel.open", _pick(message, ("tabId",)))
    return {"ok": True, "conversationId": opened["conversationId"]}


async def _compact_conversation(app: "App", message: Message) -> Answer:
    return await app.handle_ui("commands.run", {**_pick(message, ("tabId",)), "text": "/compact"})


async def _prompt_tier(app: "App", message: Message) -> Answer:
    """The tier of the model that is set: what size of prompt and which tools it gets; null without one."""
    info = await app.providers.active_info()
    return {"ok": True, "tier": info.tier.value if info else None}


async def _pins(app: "App", message: Message) -> Pins:
    """The notes and the progress list of a tab's conversation."""
    return (await _conversation(app, message)).completion.pins


async def _conversation(app: "App", message: Message) -> "Conversation":
    opened = await app.handle_ui("panel.open", _pick(message, ("tabId",)))
    return await app.conversations.of(opened["tabId"])


async def _noted(conversation: "Conversation", text: str, *, replace: bool) -> Answer:
    """Write into the scratchpad, and wait until it is stored, but not for ever."""
    written = conversation.completion.pins.write(text, replace=replace)
    await conversation.journal.saved(SAVE_TIMEOUT)
    return {"ok": True, "chars": written.chars, "dropped": written.dropped}


async def _get_scratchpad(app: "App", message: Message) -> Answer:
    return {"ok": True, "text": (await _pins(app, message)).scratchpad.text}


async def _write_scratchpad(app: "App", message: Message) -> Answer:
    """Add ``text``, or let it stand alone with ``replace``."""
    text, conversation = message.get("text"), await _conversation(app, message)
    if not isinstance(text, str) or len(text) > SCRATCHPAD_CHARS:
        raise WebBrainError(f"A note has at most {SCRATCHPAD_CHARS} characters.", code="bad_params")
    return await _noted(conversation, text, replace=message.get("replace") is True)


async def _clear_scratchpad(app: "App", message: Message) -> Answer:
    return await _noted(await _conversation(app, message), "", replace=True)


async def _get_progress(app: "App", message: Message) -> Answer:
    """The rows of the newest task's list."""
    found = (await _pins(app, message)).read(
        status=None, session="", everything=False, task_only=False, limit=PROGRESS_ROWS, offset=0
    )
    return {"ok": True, **asdict(found)}


async def _page_info(app: "App", message: Message) -> Answer:
    opened = await app.handle_ui("panel.open", _pick(message, ("tabId",)))
    return {"ok": True, **(opened["tab"] or {"url": "", "title": ""})}


OWN: Final[Mapping[str, Callable[["App", Message], Awaitable[Answer]]]] = {
    "chat_start": _chat_start,
    "agent_run_state": _run_state,
    "agent_run_ack": _run_ack,
    "clarify_response": _clarify_response,
    "plan_response": _plan_response,
    "ensure_conversation_id": _ensure_conversation_id,
    "get_page_info": _page_info,
    "compact_conversation": _compact_conversation,
    "get_active_prompt_tier": _prompt_tier,
    "get_scratchpad": _get_scratchpad,
    "write_scratchpad": _write_scratchpad,
    "clear_scratchpad": _clear_scratchpad,
    "get_progress": _get_progress,
}


def _pick(message: Message, names: tuple[str, ...]) -> Answer:
    return {name: message[name] for name in names if name in message}
