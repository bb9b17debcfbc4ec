"""What a card says. It is drawn from validated arguments, names origin, action and exact values, and holds no
character that hides or turns another.

Every sentence has a code, so that screens can say it in the user's language; the English here is what they
fall back to (a test compares it with the English messages).
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final

from webbrain.core.events import Card, CardField, CardOption
from webbrain.core.ids import new_id
from webbrain.policy.origins import disguised, plain, shown

ONCE: Final = "once"
ALWAYS: Final = "always"
DENY: Final = "deny"
NEVER: Final = "never"

VALUE_CHARS: Final = 1_000
"""Of one value; what is missing is counted. A longer card would not be read."""
LABEL_CHARS: Final = 80
CONTROL_CHARS: Final = 80
QUESTION_CHARS: Final = 1_200
MOST_DETAILS: Final = 24


class Ask(StrEnum):
    """What is asked."""

    WORK = "work"
    OPEN = "open"
    READ = "read"
    DOWNLOAD = "download"
    UPLOAD = "upload"
    WINDOW = "window"
    API = "api"
    CARRY = "carry"
    HIDDEN = "hidden"
    SUBMIT = "submit"
    SUBMIT_UNNAMED = "submit_unnamed"
    PRESS = "press"
    CONFIRM = "confirm"


TITLES: Final[Mapping[Ask, str]] = {
    Ask.WORK: "Work on {host}?",
    Ask.OPEN: "Open {host}?",
    Ask.READ: "Read from {host}?",
    Ask.DOWNLOAD: "Download from {host}?",
    Ask.UPLOAD: "Give a file to {host}?",
    Ask.WINDOW: "Resize the browser window?",
    Ask.API: "Change data on {host}?",
    Ask.CARRY: "Take this text to {host}?",
    Ask.HIDDEN: "Send a secret to {host}?",
    Ask.SUBMIT: "Send this form?",
    Ask.SUBMIT_UNNAMED: "Send this form?",
    Ask.PRESS: "Press “{control}”?",
    Ask.CONFIRM: "Press “OK”?",
}
QUESTIONS: Final[Mapping[Ask, str]] = {
    Ask.WORK: "WebBrain wants to click, type and open pages on {host} for this task. It begins with this:",
    Ask.OPEN: "WebBrain wants to open this address. On {host} it may then click, type and open pages for "
    "this task.",
    Ask.READ: "WebBrain wants to fetch data from {host} in the background.",
    Ask.DOWNLOAD: "WebBrain wants to save this from {host} on this computer:",
    Ask.UPLOAD: "WebBrain wants to hand a file to the page on {host}.",
    Ask.WINDOW: "WebBrain wants to change the size of this browser window.",
    Ask.API: "WebBrain wants to send this request. It may change or delete data on {host}.",
    Ask.CARRY: "WebBrain read this text elsewhere and wants to take it to {host}.",
    Ask.HIDDEN: "WebBrain wants to take a password, key or code of yours to {host}.",
    Ask.SUBMIT: "WebBrain is about to press “{control}”.",
    Ask.SUBMIT_UNNAMED: "WebBrain is about to send a form.",
    Ask.PRESS: "The name of this control says that it commits something.",
    Ask.CONFIRM: "The page asks this, and goes on with it once the button is pressed.",
}

WARNINGS: Final[Mapping[str, str]] = {
    "goes_to": "It goes to {host}.",
    "goes_nowhere": "The page does not say where it goes.",
    "other_site": "This is another site than the page you are on ({page}).",
    "as_user": "It is fetched as you: your sign-in at this site goes along.",
    "plain_text": "The connection is not encrypted.",
    "disguised": "The name of this site has letters that may be meant to look like another's.",
    "more_fields": "{more} more fields are not listed.",
    "more_details": "{more} more are not listed.",
}

ANSWERS: Final[Mapping[str, str]] = {
    "allow_task": "Allow for this task",
    "allow_once": "Allow once",
    "allow_always": "Always on this site",
    "deny": "Do not allow",
    "deny_always": "Never on this site",
    "send": "Send once",
    "do_not_send": "Do not send",
    "press": "Press once",
    "do_not_press": "Do not press",
}

DETAILS: Final = (
    "Action",
    "Address",
    "Body",
    "Dialog",
    "Enter",
    "File",
    "Request",
    "Size",
)
"""What lines of a card are called, besides names that a page gives its fields."""


def option(option_id: str, code: str, style: str = "secondary") -> CardOption:
    """A button of a card."""
    return CardOption.model_validate(
        {"id": option_id, "label": ANSWERS[code], "code": code, "style": style},
    )


GRANT_OPTIONS: Final = (
    option(ONCE, "allow_task", "primary"),
    option(ALWAYS, "allow_always"),
    option(DENY, "deny"),
    option(NEVER, "deny_always"),
)
STANDING_OPTIONS: Final = (
    option(ONCE, "allow_once", "primary"),
    option(ALWAYS, "allow_always"),
    option(DENY, "deny"),
    option(NEVER, "deny_always"),
)
TASK_OPTIONS: Final = (option(ONCE, "allow_task", "primary"), option(DENY, "deny"))
FRESH_OPTIONS: Final = (option(ONCE, "allow_once", "primary"), option(DENY, "deny"))
SUBMIT_OPTIONS: Final = (option(ONCE, "send", "primary"), option(DENY, "do_not_send"))
PRESS_OPTIONS: Final = (option(ONCE, "press", "primary"), option(DENY, "do_not_press"))


def card(
    ask: Ask,
    host: str,
    options: Sequence[CardOption],
    *,
    kind: str = "permission",
    details: Sequence[CardField] = (),
    fields: Sequence[CardField] = (),
    warnings: Sequence[str] = (),
    params: Mapping[str, str] | None = None,
) -> Card:
    """A card about ``host``, a key of ``policy.origins``. ``params`` fill the places of its sentences; they
    must be plain already.
    """
    told = {"host": shown(host), **(params or {})}
    codes = [*warnings]
    if host and disguised(host):
        codes.append("disguised")
    lines = list(details)
    if len(lines) > MOST_DETAILS:
        told["more"] = str(len(lines) - MOST_DETAILS)
        codes.append("more_details")
    sentences = [QUESTIONS[ask], *(WARNINGS[code] for code in codes)]
    return Card.model_validate(
        {
            "card_id": new_id("card" if kind == "submit" else "perm"),
            "kind": kind,
            "title": TITLES[ask].format_map(told),
            "question": " ".join(sentence.format_map(told) for sentence in sentences)[:QUESTION_CHARS],
            "host": host,
            "origin": told["host"],
            "ask": ask.value,
            "params": told,
            "warnings": codes,
            "details": lines[:MOST_DETAILS],
            "fields": list(fields),
            "options": list(options),
        }
    )


def detail(label: str, value: str, *, masked: bool = False) -> CardField:
    """A line of a card."""
    return CardField(
        label=plain(label, LABEL_CHARS), value=plain(value, VALUE_CHARS, lines=True), masked=masked
    )
