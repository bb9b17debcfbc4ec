"""Slash commands: one table for reading them, for the help and for what the composer offers.

    name          options   while a task runs   takes a message   what it does
    /help         -         yes                 no                lists the commands
    /allow-api    --off     no                  yes               requests that change data, this conversation
    /ask, /act    -         no                  yes               the mode
    /reset        -         no                  no                begins a new conversation
    /compact      -         no                  yes               folds older messages into a summary
    /history      -         yes                 no                the screen shows the history
    /export       -         yes                 no                the screen saves the conversation
    /verbose      -         yes                 no                shows or hides details of steps

A command is the first word behind ``/``, in any case, and no other word. What is no command never reaches a
model. Options begin with ``--`` and stand before the message; ``--`` alone ends them; every command knows
``--help``.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from webbrain.core.errors import WebBrainError
from webbrain.core.types import Mode

HELP: Final = "--help"
OFF: Final = "--off"
END: Final = "--"
NAME_CHARS: Final = 40


@dataclass(frozen=True, slots=True)
class Command:
    """A row of the table. ``text`` is the English of the message ``command_<name>`` of the screens."""

    name: str
    text: str
    options: Mapping[str, str] = field(default_factory=dict)
    """Option to what it does; message ``command_<name>_<option>``."""
    while_running: bool = False
    takes_message: bool = False

    @property
    def usage(self) -> str:
        """How it is written."""
        options = "".join(f" [{name}]" for name in self.options)
        return f"/{self.name}{options}" + (" [message]" if self.takes_message else "")

    def view(self) -> dict[str, Any]:
        """The row for screens."""
        return {
            "name": self.name,
            "usage": self.usage,
            "text": self.text,
            "options": [{"name": name, "text": text} for name, text in self.options.items()],
            "whileRunning": self.while_running,
            "takesMessage": self.takes_message,
        }


COMMANDS: Final[Mapping[str, Command]] = {
    command.name: command
    for command in (
        Command("help", "List the commands", while_running=True),
        Command("ask", "Switch to Ask: read and answer only", takes_message=True),
        Command("act", "Switch to Act: work on pages", takes_message=True),
        Command(
            "allow-api",
            "Let requests that change data be made in this conversation; each is shown to you first",
            options={OFF: "Take that back"},
            takes_message=True,
        ),
        Command("reset", "Begin a new conversation"),
        Command(
            "compact",
            "Summarise the older messages of this conversation, so that models read less",
            takes_message=True,
        ),
        Command("history", "Show earlier conversations", while_running=True),
        Command("export", "Save this conversation as a Markdown file", while_running=True),
        Command("verbose", "Show or hide the details of every step", while_running=True),
    )
}


@dataclass(frozen=True, slots=True)
class Parsed:
    """A command that was understood."""

    command: Command
    options: frozenset[str]
    message: str


def parse(text: str) -> Parsed:
    """Read what was typed; raise ``unknown_command`` or ``bad_usage`` (``data.usage``)."""
    words = text.strip()
    name, _, rest = words.removeprefix("/").partition(" ")
    if "\n" in name:
        name, _, more = name.partition("\n")
        rest = f"{more} {rest}"
    command = COMMANDS.get(name.lower())
    if command is None or not words.startswith("/"):
        raise WebBrainError(
            f"There is no command /{name[:NAME_CHARS]}.",
            code="unknown_command",
            data={"name": name[:NAME_CHARS]},
        )
    options: set[str] = set()
    rest = rest.strip()
    while rest.startswith("--"):
        option, _, rest = rest.partition(" ")
        rest = rest.strip()
        if option == END:
            break
        if option in options or option not in (HELP, *command.options):
            raise _bad_usage(command)
        options.add(option)
    if len(options) > 1 or (rest and not command.takes_message and HELP not in options):
        raise _bad_usage(command)
    return Parsed(command, frozenset(options), rest)


def _bad_usage(command: Command) -> WebBrainError:
    return WebBrainError(
        f"Write it like this: {command.usage}", code="bad_usage", data={"usage": command.usage}
    )


Act = Callable[[int], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Doors:
    """What commands do, by who can do it. Each takes the tab."""

    running: Callable[[int], bool]
    set_mode: Callable[[int, Mode], Awaitable[None]]
    allow_api: Callable[[int, bool], Awaitable[None]]
    reset: Act
    compact: Act
    """Raises ``nothing_to_compact``, or what the model's service fails with."""
    verbose: Callable[[], Awaitable[bool]]
    """Turns details on or off; returns which."""


class CommandService:
    """Carries commands out."""

    def __init__(self, doors: Doors) -> None:
        self._doors = doors

    def view(self) -> dict[str, Any]:
        """``{commands: [...]}``, in the order of the help."""
        return {"commands": [command.view() for command in COMMANDS.values()]}

    async def run(self, tab_id: int, text: str) -> dict[str, Any]:
        """``{ok, code, send}``: what to tell the user (message ``said_<code>``), and what is left to send as
        an ordinary message. Raise ``unknown_command``, ``bad_usage`` or ``run_active``.
        """
        parsed = parse(text)
        if HELP in parsed.options or parsed.command.name == "help":
            about = parsed.command.name if HELP in parsed.options else ""
            return {"ok": True, "code": "help", "about": about, "send": ""}
        if not parsed.command.while_running and self._doors.running(tab_id):
            raise WebBrainError("This cannot be done while a task runs.", code="run_active")
        return {"ok": True, "code": await self._do(tab_id, parsed), "send": parsed.message}

    async def _do(self, tab_id: int, parsed: Parsed) -> str:
        match parsed.command.name:
            case "ask" | "act" as name:
                await self._doors.set_mode(tab_id, Mode(name))
                return f"mode_{name}"
            case "allow-api":
                allow = OFF not in parsed.options
                await self._doors.allow_api(tab_id, allow)
                return "api_allowed" if allow else "api_not_allowed"
            case "compact":
                await self._doors.compact(tab_id)
                return "compacted"
            case "history" | "export" as name:
                return name  # the screen's own affair
            case "reset":
                await self._doors.reset(tab_id)
                return "reset"
            case _:
                return "details_shown" if await self._doors.verbose() else "details_hidden"
