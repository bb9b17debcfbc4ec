"""What the planner is asked: the request in full view, everything that a page had a hand in as marked
data."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from webbrain.agent import enrich
from webbrain.agent.planner_model import Form
from webbrain.core.ids import nonce
from webbrain.core.messages import Message
from webbrain.policy.untrusted import wrap
from webbrain.prompts import prompt

URL_CHARS: Final = 300
TITLE_CHARS: Final = 200
DIGEST_MESSAGES: Final = 10
DIGEST_MESSAGE_CHARS: Final = 300
DIGEST_CHARS: Final = 1_500
PRIOR_TASK_CHARS: Final = 1_200
NOTES_CHARS: Final = 1_800
"""Of the scratchpad, the newest."""
REQUEST_CHARS: Final = 8_000
"""Of a request that is longer the planner reads the beginning and the end; the agent itself reads all of
it."""
SMALL_REQUEST_CHARS: Final = 1_500

PROMPTS: Final[dict[Form, str]] = {
    "full": "planner",
    "intent": "planner-intent",
    "small": "planner-small",
    "least": "planner-least",
}
ALLOW_API: Final = (
    "The user allowed requests that change data in this conversation: fetch_url may send POST, PUT, PATCH "
    "and DELETE, and each is shown to them first. Plan them only where the task needs them, and only to "
    "addresses that the task or the page names."
)
LEFT_OUT: Final = "\n[… {count} characters left out …]\n"


@dataclass(frozen=True, slots=True)
class Asked:
    """What a plan is made for. ``prior`` is what the user asked before, ``history`` the messages up to now
    without this request, ``locale`` the language of the screens if the user chose one, ``notes``
    what the agent wrote down for itself. ``allow_api``: the user typed /allow-api."""

    text: str
    url: str = ""
    title: str = ""
    history: Sequence[Message] = ()
    prior: str = ""
    locale: str = ""
    notes: str = ""
    allow_api: bool = False


def planner_messages(asked: Asked, form: Form, opening: Sequence[Message] = ()) -> list[Message]:
    """The messages of the call. ``opening`` are those that every call of this run begins with: a small
    model's server has read them already, or need not read them again afterwards."""
    if form == "least":
        # Every word is read at the speed of a small computer; address and title would tell it little.
        lines = [prompt(PROMPTS[form]), "", f"Task: {_request(asked, form)}"]
        return [*opening, Message(role="user", content="\n".join(lines))]
    if form == "small":
        lines = [prompt(PROMPTS[form]), "", "The task:", "", *_known(asked), f"Task: {_request(asked, form)}"]
        return [*opening, Message(role="user", content="\n".join(lines))]
    lines = [*_known(asked, _written(asked)), "The user's request:", _request(asked, form)]
    if asked.allow_api:
        lines.insert(-2, f"{ALLOW_API}\n")
    return [
        Message(role="system", content=prompt(PROMPTS[form])),
        Message(role="user", content="\n".join(lines)),
    ]


def _written(asked: Asked) -> list[str]:
    """What the agent wrote down. It may repeat words of pages."""
    kept = [enrich.clean(line, NOTES_CHARS) for line in asked.notes[-NOTES_CHARS:].splitlines()]
    return ["The agent's notes, the newest:", *filter(None, kept)] if asked.notes else []


def _known(asked: Asked, more: Sequence[str] = ()) -> list[str]:
    """Page and conversation inside one boundary, ``more`` as well, the user's own earlier words outside."""
    data = []
    if asked.url:
        data.append(f"Open page: {enrich.clean(asked.url, URL_CHARS)}")
        data.append(f"Its title: {enrich.clean(asked.title, TITLE_CHARS) or 'none'}")
    if said := digest(asked.history):
        data += ["The conversation so far, shortened:", *said]
    data += more
    lines = [wrap("\n".join(data), nonce())] if data else []
    if asked.prior:
        lines += [f"What the user asked before: {enrich.plain(asked.prior)[:PRIOR_TASK_CHARS]}"]
    if asked.locale:
        lines += [f"Language of the user's screens: {asked.locale}"]
    return [*lines, ""] if lines else []


def digest(messages: Sequence[Message]) -> list[str]:
    """The last turns in a line each, newest kept; without results of tools, notes of ours and pictures."""
    lines: list[str] = []
    room = DIGEST_CHARS
    said = [m for m in messages if m.role in ("user", "assistant") and _words(m)][-DIGEST_MESSAGES:]
    for message in reversed(said):
        who = "User" if message.role == "user" else "Agent"
        text = f"{who}: {enrich.clean(_words(message), DIGEST_MESSAGE_CHARS)}"
        if len(text) > room:
            break
        room -= len(text)
        lines.append(text)
    return lines[::-1]


def _words(message: Message) -> str:
    """What was said, without the facts we put before a user's words; empty for a note of ours."""
    if message.role == "user" and message.content.startswith(enrich.NOTE):
        return ""
    return (enrich.own_words(message.content) if message.role == "user" else message.content).strip()


def _request(asked: Asked, form: Form) -> str:
    limit = SMALL_REQUEST_CHARS if form in ("small", "least") else REQUEST_CHARS
    text = asked.text.strip()
    if len(text) <= limit:
        return text
    half = limit // 2
    return text[:half] + LEFT_OUT.format(count=len(text) - 2 * half) + text[-half:]
