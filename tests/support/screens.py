"""The extension's own screens as a person uses them: by clicking and typing.

Everything these classes know of the screens' markup stands here and nowhere else in the scenarios.
"""

import json
import time
from dataclasses import dataclass
from typing import Any

from tests.support.browsers import Browser, Page, Tab
from tests.support.browsers.base import DEADLINE

RUN_DEADLINE = 60.0
"""A whole run with a fast model; several times what a busy machine needs."""
OVER = ("completed", "stopped", "failed", "max_steps", "interrupted")

TURNS = """(async () => {
const more = [...document.querySelectorAll('.steps-more')];
more.forEach((button) => button.click());
if (more.length) await new Promise((drawn) => setTimeout(drawn, 50));
return [...document.querySelectorAll('article.turn[data-status]')].map((turn) => ({
  status: turn.dataset.status,
  question: turn.querySelector('[data-question]')?.innerText ?? '',
  steps: [...turn.querySelectorAll('[data-tool]')].map((step) => ({
    tool: step.dataset.tool, state: step.dataset.state,
    label: step.querySelector('.step-label')?.innerText ?? '',
    summary: step.querySelector('.step-summary')?.innerText ?? '',
  })),
  answers: [...turn.querySelectorAll('.answer')].map((one) => one.innerText),
  streaming: !!turn.querySelector('.answer.streaming'),
  error: turn.querySelector('.card-error')?.dataset.code ?? '',
  error_text: turn.querySelector('.card-error')?.innerText ?? '',
  verdict: turn.querySelector('.verdict')?.innerText ?? '',
  warnings: [...turn.querySelectorAll('.warning')].map((one) => one.innerText),
  card: turn.querySelector('section[data-card]')?.innerText ?? '',
  card_kind: turn.querySelector('section[data-card]')?.dataset.card ?? '',
}));
})()"""
"""Every run on the screen; long rows of steps are unfolded first."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One run as the panel shows it."""

    status: str
    question: str
    steps: list[dict[str, str]]
    answers: list[str]
    streaming: bool
    error: str
    error_text: str
    verdict: str
    warnings: list[str]
    card: str
    card_kind: str
    """``plan``, ``clarify`` or the kind of a question of the permission gate; empty without a card."""

    @property
    def text(self) -> str:
        """All that the agent said."""
        return "\n".join(self.answers)

    @property
    def over(self) -> bool:
        """The run has ended."""
        return self.status in OVER


class Panel:
    """The side panel of one tab, or, in a ``page`` of its own kind, of whichever tab is in front."""

    def __init__(self, browser: Browser, tab: Tab | int, page: Page | None = None) -> None:
        self.browser = browser
        self.page: Page = page or browser.open_panel(tab)
        self.wait_ready()

    approves = False
    """Whether :meth:`wait_over` says yes to plans, and to presses that are asked about."""

    def wait_ready(self, timeout: float = RUN_DEADLINE) -> None:
        """Return once a message could be sent: Python runs and the conversation is shown."""
        self.page.wait_for("#composer", timeout=timeout)
        self.page.wait(
            "!document.querySelector('.strip, .strip-box') && !document.querySelector('#composer').disabled",
            timeout,
            "the panel to be ready",
        )

    def mode(self, name: str) -> None:
        """Choose ``ask`` or ``act``."""
        self.page.click(f".mode-option.mode-{name}")
        self.page.wait(
            f"document.querySelector('input[name=mode][value={name}]').checked", what=f"mode {name}"
        )

    def send(self, text: str, mode: str = "") -> None:
        """Type a message and press Enter."""
        if mode:
            self.mode(mode)
        self.page.type("#composer", text)
        self.page.wait("!document.querySelector('#send').disabled", what="the message to be sendable")
        self.page.press("Enter")

    def turns(self) -> list[Turn]:
        """Everything the panel shows, oldest first."""
        return [Turn(**turn) for turn in self.page.eval(TURNS)]

    def last(self) -> Turn | None:
        """The newest run."""
        turns = self.turns()
        return turns[-1] if turns else None

    def wait_turn(self, condition: str, timeout: float = RUN_DEADLINE, what: str = "") -> Turn:
        """Return the newest run once a JavaScript condition over ``turn`` holds."""
        turn = self.page.wait(
            f"(async () => {{ const turn = (await {TURNS}).at(-1);"
            f" return turn && ({condition}) && turn; }})()",
            timeout,
            what or f"the run to be {condition}; it is {self.last()}",
        )
        return Turn(**turn)

    def wait_over(self, timeout: float = RUN_DEADLINE) -> Turn:
        """Return the newest run once it has ended. With ``approves``, plans and presses of controls whose
        names say that they commit something are let go meanwhile; forms never are.
        """
        ended = "turn.status !== 'running'"
        while self.approves:
            asks = "turn.card_kind === 'plan' || turn.card.startsWith('Press')"
            turn = self.wait_turn(f"{ended} || {asks}", timeout, "the run to end")
            if turn.status != "running":
                return turn
            self.answer("approved" if turn.card_kind == "plan" else "once")
        return self.wait_turn(ended, timeout, "the run to end")

    def wait_running(self, timeout: float = DEADLINE) -> Turn:
        """Return the newest run once it has begun."""
        return self.wait_turn("turn.status === 'running'", timeout, "the run to begin")

    def wait_card(self, timeout: float = RUN_DEADLINE) -> str:
        """Return the text of the open card once there is one."""
        return self.wait_turn("turn.card", timeout, "a card").card

    def answer(self, option: str) -> None:
        """Click a button of the open card, by the option's id, once the card takes answers."""
        card: str = self.page.wait(
            "document.querySelector('section[data-card]:not([data-ready=false])')"
            "?.getAttribute('aria-labelledby')",
            what="a card that takes answers",
        )
        own = f'section[aria-labelledby="{card}"]'
        self.page.click(f'{own} [data-option="{option}"]')
        self.page.wait(f"!document.querySelector('{own}')", what="the card to go")

    def options(self) -> list[str]:
        """The ids of the open card's buttons."""
        found: list[str] = self.page.eval(
            "[...document.querySelectorAll('section[data-card] [data-option]')].map((b) => b.dataset.option)"
        )
        return found

    def stop(self) -> float:
        """Click Stop; return the seconds until the panel shows that the run has ended."""
        self.page.click("#stop")
        start = time.monotonic()
        self.wait_turn("turn.status !== 'running'", what="the run to be stopped")
        return time.monotonic() - start

    def retry(self) -> None:
        """Click Retry on the last error."""
        self.page.click("article.turn:last-of-type .card-error button.primary")

    def clear(self) -> None:
        """Begin a new conversation."""
        empty = "!document.querySelector('article.turn')"
        self.page.click("#new-conversation")
        # It is asked about only while a task runs.
        self.page.wait(f"{empty} || !!document.querySelector('#confirm-clear')", what="a new conversation")
        if self.page.exists("#confirm-clear"):
            self.page.click("#confirm-clear")
        self.page.wait(empty, what="the conversation to be empty")

    def reload(self) -> None:
        """Load the panel again."""
        self.page.reload()
        self.wait_ready()

    def close(self) -> None:
        """Close the panel's window."""
        self.page.close()


class Settings:
    """The settings page."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.page: Page = browser.open_settings()
        self.page.wait_for("#in-use", timeout=RUN_DEADLINE)

    def open_provider(self, provider: str) -> None:
        """Unfold a provider's form."""
        row = f'[data-provider="{provider}"] .provider-row'
        if not self.page.exists(f"#form-{provider}"):
            self.page.click(row)
        self.page.wait_for(f"#form-{provider}")

    def fill(self, provider: str, **fields: str) -> None:
        """Type into a provider's form; select fields take the value of an option."""
        self.open_provider(provider)
        for key, value in fields.items():
            css = f'#form-{provider} [data-field="{key}"]'
            if self.page.eval(f"document.querySelector({json.dumps(css)}).tagName") == "SELECT":
                self.choose(css, value)
            else:
                self.page.type(css, value)

    def use(self, provider: str, **fields: str) -> None:
        """Fill in a provider, save it and make it the active one."""
        self.fill(provider, **fields)
        button = f"#form-{provider} [data-action=use]"
        if self.page.exists(button):
            self.page.click(button)
        self.page.wait(
            f"document.querySelector('[data-provider={json.dumps(provider)}]').classList.contains('active')"
            f" && !document.querySelector({json.dumps(button)})",
            what=f"{provider} to be in use; the page says {self.page.text()[:500]}",
        )

    def test(self, provider: str) -> dict[str, Any]:
        """Click Test; return ``ok`` and the text of the result."""
        self.open_provider(provider)
        self.page.click(f"#form-{provider} [data-action=test]")
        css = json.dumps(f"#form-{provider} [data-result]")
        found: dict[str, Any] = self.page.wait(
            f"(() => {{ const el = document.querySelector({css});"
            " return el && {ok: el.dataset.result === 'ok', text: el.innerText}; })()",
            RUN_DEADLINE,
            "the result of the test",
        )
        return found

    def choose(self, css: str, value: str) -> None:
        """Choose an option by the keyboard: native pop-ups are outside of the page."""
        self.page.eval(f"document.querySelector({json.dumps(css)}).focus()")
        count = self.page.eval(f"document.querySelector({json.dumps(css)}).options.length")
        for key in ("ArrowUp",) * count + ("",) + ("ArrowDown",) * count:
            if self.page.eval(f"document.querySelector({json.dumps(css)}).value") == value:
                return
            if key:
                self.page.press(key)
        raise RuntimeError(f"{css} has no option {value}")

    def close(self) -> None:
        """Close the page."""
        self.page.close()
