"""What a task does not want, and when it is over, as far as that can be told from outside.

A small model rarely stops by itself: after its last needed step it presses the same button again, ticks the
next box, or wanders off through the menu. What is offered is therefore narrowed to what the task speaks of,
where it does speak. Once a form was sent the rules hold back only what was there before and was not wanted
then; whatever a page newly shows stays.
"""

import functools
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from webbrain.agent import constrained_words
from webbrain.agent.constrained_steps import Step
from webbrain.agent.turns import Control

WORD_CHARS: Final = 3
"""Shorter words of a name say nothing about whether the task means it."""

FOLLOWED: Final = 2
"""A link that was followed this often has nothing new to show."""

_CAPITAL = re.compile(r"(?<![.?!:\n])\s[\"“„«]?([^\W\d_a-zß-ÿ]\w+)")
"""A word with a capital that does not begin a sentence."""
_WORD = re.compile(r"[^\W_]+")
_PRESSED = re.compile(r'^button "(.*)"$')


class Ends:
    """``seen``: names of what could be clicked before the last form was sent. ``text``: what the page says
    outside of links and buttons.
    """

    def __init__(
        self,
        task: str,
        controls: Sequence[Control],
        steps: Sequence[Step],
        seen: Collection[str],
        text: str = "",
    ) -> None:
        self._task = task
        self._controls = controls
        self._steps = steps
        self._seen = seen
        self._text = text
        self._words = words = constrained_words.of(task)
        self._wanted = words.not_sending.sub("", task)
        """The task without what it says is not to be done."""
        negated = (match[0] for match in words.not_sending.finditer(task))
        self._keeps = any(words.sending.search(text) for text in negated) and not words.sending.search(
            self._wanted
        )
        """What is entered is not to be sent."""
        self._form = any(control.can & {"type", "select", "toggle"} for control in controls)
        toggles = [control for control in controls if "toggle" in control.can]
        self._names_toggles = any(_holds(self._wanted, c.name) for c in toggles) and not self._wanted_often()

    def over(self) -> bool:
        """The task names a button and nothing after it, it was just pressed, and the page has nothing to fill
        in.
        """
        name = self._just_pressed()
        if not name or self._form:
            return False
        rest = self._task.casefold().rpartition(name.casefold())[2]
        return not self._words.joining.search(rest) and not any(
            self._named(control.name) and control.name != name and not self._used(control)
            for control in self._controls
        )

    def useless(self, control: Control, *, overlay: bool = False) -> bool:
        """Pressing it would repeat, undo or go beyond what the task wants; ``overlay``: it belongs to an open
        dialog, which has to be answered in any way it can be.
        """
        last = self._steps[-1] if self._steps else None
        if last is not None and last.ref == control.ref and not last.idle and self._just_pressed():
            return True
        if control.role == "link" and self._followed_enough(control.name):
            return True
        if overlay or self._spoken_of(self._wanted, control.name):
            return False
        if control.role == "link" and (self._topic_is_here() or self._field_is_here()):
            return True
        if "toggle" in control.can:
            return self._names_toggles
        if (
            control.role == "button"
            and self._form
            and (self._keeps or self._words.undoing.search(control.name))
        ):
            return True
        return control.name in self._seen

    def arrived(self) -> bool:
        """The last step sent a form."""
        return bool(self._steps) and _sent(self._steps[-1])

    def mentions(self, name: str) -> bool:
        """The task shares a word with the name."""
        return self._spoken_of(self._task, name)

    def button_left(self) -> bool:
        """A task that is no question names a button of this page; it was not pressed, and nothing was sent.

        The case counts, so that an ordinary verb of the task is no button.
        """
        if self._words.question.search(self._task) or last_sent(self._steps) >= 0:
            return False
        return any(
            control.role == "button"
            and control.name in self._wanted
            and _holds(self._wanted, control.name)
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

    def _followed_enough(self, name: str) -> bool:
        """A link that was followed before the form was sent, or often enough anyway."""
        if self._wanted_often() or self._task.count(name) > 1:
            return False
        target = f'link "{name}"'
        times = sum(step.ok and step.new_page and step.target == target for step in self._steps)
        return times >= (1 if name in self._seen else FOLLOWED)

    @functools.cache  # noqa: B019 - lives as long as one schema takes to build
    def _topic_is_here(self) -> bool:
        """The task is a question; what it asks about stands on this page, outside of links and buttons."""
        if not self._words.question.search(self._task):
            return False
        names = [match[1] for match in _CAPITAL.finditer(self._task)]
        here = set(_WORD.findall(self._text.casefold()))
        return bool(names) and all(name.casefold() in here for name in names)

    @functools.cache  # noqa: B019 - lives as long as one schema takes to build
    def _field_is_here(self) -> bool:
        """The task names a field of this page, in its own case: here it is done, and here it ends."""
        return any(
            control.can & {"type", "select", "toggle"} and self._names(control) for control in self._controls
        )

    def only_named(self, selects: Sequence[Control], options: Mapping[str, Sequence[str]]) -> list[Control]:
        """The lists that the task names, by label or by an option (``options``: by ref); all, if it names
        none.
        """
        named = [
            control
            for control in selects
            if self._names(control)
            or any(option in self._wanted and _holds(self._wanted, option) for option in options[control.ref])
        ]
        return named or list(selects)

    def _names(self, control: Control) -> bool:
        # A select is listed as "label (chosen option)".
        name = control.name.partition(" (")[0] if "select" in control.can else control.name
        return name in self._wanted and _holds(self._wanted, name)

    def _wanted_often(self) -> bool:
        return bool(self._words.repeating.search(self._task) or constrained_words.number_words(self._task))

    def _used(self, control: Control) -> bool:
        return any(step.ok and step.target.endswith(f'"{control.name}"') for step in self._steps)

    def _named(self, name: str) -> bool:
        return _holds(self._task, name)

    def _spoken_of(self, task: str, name: str) -> bool:
        said = set(_WORD.findall(task.casefold()))
        return any(
            word in said
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
