"""When a task is over, as far as that can be told from outside: a small model rarely stops by itself.

After its last needed step it presses the same button again, or wanders off through the menu. What is offered
is therefore narrowed once there is nothing left that the task speaks of. The rules hold back only what was
there before and was not wanted then; whatever a page newly shows stays.
"""

import re
from collections.abc import Collection, Sequence
from typing import Final

from webbrain.agent import constrained_words
from webbrain.agent.constrained_steps import Step
from webbrain.agent.turns import Control

WORD_CHARS: Final = 3
"""Shorter words of a name say nothing about whether the task means it."""

_WORD = re.compile(r"[^\W_]+")
_PRESSED = re.compile(r'^button "(.*)"$')


class Ends:
    """``seen``: names of what could be clicked before the last form was sent."""

    def __init__(
        self, task: str, controls: Sequence[Control], steps: Sequence[Step], seen: Collection[str]
    ) -> None:
        self._task = task
        self._controls = controls
        self._steps = steps
        self._seen = seen
        self._words = constrained_words.of(task)

    def over(self) -> bool:
        """The task names a button and nothing after it, it was just pressed, and the page has nothing to fill
        in.
        """
        name = self._just_pressed()
        if not name or any(control.can & {"type", "select", "toggle"} for control in self._controls):
            return False
        rest = self._task.casefold().rpartition(name.casefold())[2]
        return not self._words.joining.search(rest) and not any(
            self._named(control.name) and control.name != name and not self._used(control)
            for control in self._controls
        )

    def useless(self, control: Control) -> bool:
        """It would be pressed a second time, or lead away from where the sent form led."""
        last = self._steps[-1] if self._steps else None
        if last is not None and last.ref == control.ref and not last.idle and self._just_pressed():
            return True
        return control.name in self._seen and not self.spoken_of(control.name)

    def button_left(self) -> bool:
        """A task that is no question names a button of this page; it was not pressed, and nothing was sent.

        The case counts, so that an ordinary verb of the task is no button.
        """
        task = self._words.not_sending.sub("", self._task)
        if self._words.question.search(task) or last_sent(self._steps) >= 0:
            return False
        return any(
            control.role == "button"
            and control.name in task
            and _holds(task, control.name)
            and not self._used(control)
            for control in self._controls
        )

    def _just_pressed(self) -> str:
        """The name of the button that the last step pressed, if the task names it and wants it once."""
        last = self._steps[-1] if self._steps else None
        pressed = _PRESSED.match(last.target) if last is not None and last.ok and not last.new_page else None
        if last is None or not pressed or "dialog" in last.data or last.new_tabs or _opened(last):
            return ""
        name = pressed[1]
        return name if self._named(name) and not self._wanted_often() else ""

    def _wanted_often(self) -> bool:
        return bool(self._words.repeating.search(self._task) or constrained_words.number_words(self._task))

    def _used(self, control: Control) -> bool:
        return any(step.ok and step.target.endswith(f'"{control.name}"') for step in self._steps)

    def _named(self, name: str) -> bool:
        return _holds(self._task, name)

    def spoken_of(self, name: str) -> bool:
        """The task shares a word with the name."""
        task = set(_WORD.findall(self._task.casefold()))
        return any(
            word in task
            for word in _WORD.findall(name.casefold())
            if len(word) >= WORD_CHARS and word not in self._words.common
        )


def _holds(task: str, name: str) -> bool:
    """The task holds the whole name."""
    return bool(name and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", task, re.IGNORECASE))


def last_sent(steps: Sequence[Step]) -> int:
    """The place of the last step that sent a form; -1 if there is none."""
    return max((place for place, step in enumerate(steps) if _sent(step)), default=-1)


def _sent(step: Step) -> bool:
    """A form went off: a button or Enter led to another page."""
    if not step.ok or not step.new_page:
        return False
    return step.target.startswith("button ") or step.call.name == "press_keys"


def _opened(step: Step) -> bool:
    """The press opened a menu or a dialog, which is yet to be answered."""
    changed = step.data.get("changed")
    return any(str(text).startswith("opened:") for text in changed) if isinstance(changed, list) else False
