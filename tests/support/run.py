"""``make run``: the built extension does a real task in a real browser.

    make run                     a small real model, fetched once, or the demo model where that cannot be
    make run MODEL=demo          the model made of rules
    make run MODEL=http://...    a server you have (OpenAI-compatible; MODEL_NAME and API_KEY if needed)
    make run BROWSER=firefox     in Firefox instead of Chromium
    make run RUNS=10             ten times over; prints how many succeeded

The provider is set in the settings page by clicking, the task is typed into the panel, the card is answered
by clicking it. Whether the task was done is decided by the shop's own record of orders, never by what the
agent says.
"""

import contextlib
import os
import select
import signal
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.browsers import Browser, BrowserMissing, open_browser
from tests.support.browsers.base import POLL
from tests.support.llm import MODEL_NAME, LlamaServer, NoLocalModel, fetch
from tests.support.machine import ensure_browser, has_screen
from tests.support.screens import Panel, Settings, Turn
from webbrain.testing.demo import plan, think
from webbrain.testing.model_server import ModelServer
from webbrain.testing.site import Shop

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "test-results" / "run"
DEMO_MODEL = "webbrain-demo"
SECONDS_PER_RUN = 900.0
"""A real model of this size needs one to five minutes for the task; a busy machine several times that."""
TRIES = 2
NOT_DONE, UNUSABLE = 1, 2


@dataclass(frozen=True, slots=True)
class Service:
    """What is typed into the settings."""

    name: str
    provider: str
    fields: dict[str, str]


def main() -> int:
    """Run the task as the environment says; return the exit status."""
    browser_name = os.environ.get("BROWSER", "chromium")
    runs = int(os.environ.get("RUNS", "1"))
    started = time.monotonic()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(NOT_DONE))
    try:
        ensure_browser(browser_name)
        with ExitStack() as stack:
            service = stack.enter_context(choose_service(os.environ.get("MODEL", "")))
            shop = stack.enter_context(Shop(int(os.environ.get("SEED", "0"))))
            seen = has_screen() and runs == 1
            browser = stack.enter_context(running(browser_name, headless=not seen))
            set_up(browser, service)
            print(f"Ready after {time.monotonic() - started:.1f} s. Model: {service.name}")
            done = several_runs(browser, shop, runs) if runs > 1 else one_task(browser, shop)
            if seen:
                leave_open()
            return 0 if done else NOT_DONE
    except BrowserMissing as error:
        print(f"Cannot run: {error}", file=sys.stderr)
        return UNUSABLE
    except KeyboardInterrupt:
        return NOT_DONE


@contextmanager
def running(name: str, *, headless: bool) -> Iterator[Browser]:
    """A browser with the built extension."""
    browser = open_browser(name, headless=headless)
    try:
        yield browser
    finally:
        browser.close()


@contextmanager
def choose_service(wish: str) -> Iterator[Service]:
    """Start or find the model to use."""
    if wish.startswith(("http://", "https://")):
        yield own_server(wish)
        return
    if wish not in ("", "demo"):
        raise BrowserMissing(f"MODEL must be demo or an address, not {wish!r}")
    with ExitStack() as stack:
        if not wish:
            try:
                server = stack.enter_context(LlamaServer(*fetch()))
            except NoLocalModel as error:
                print(f"The real model cannot be used: {error}. Going on with the demo model.")
            else:
                yield Service(MODEL_NAME, "llamacpp", {"baseUrl": server.url})
                return
        demo = stack.enter_context(ModelServer(think, model=DEMO_MODEL, plan=plan))
        yield Service(
            "demo model (made of rules, no language model)",
            "custom",
            {"baseUrl": demo.url, "model": DEMO_MODEL},
        )


def own_server(address: str) -> Service:
    """A server of the user's own; llama.cpp's is recognised, for it holds small models to a schema."""
    fields = {"baseUrl": address}
    if name := os.environ.get("MODEL_NAME"):
        fields["model"] = name
    if key := os.environ.get("API_KEY"):
        fields["apiKey"] = key
    root = address.rstrip("/").removesuffix("/v1")
    try:
        with urllib.request.urlopen(f"{root}/props", timeout=5) as answer:
            llama = answer.status == 200
    except (urllib.error.URLError, OSError):
        llama = False
    return Service(address, "llamacpp" if llama else "custom", fields)


def set_up(browser: Browser, service: Service) -> None:
    """Choose the provider in the settings page, as a person would."""
    settings = Settings(browser)
    settings.use(service.provider, **service.fields)
    settings.close()


def one_task(browser: Browser, shop: Shop) -> bool:
    """Have the task done, with one retry; print what happens and where the picture is."""
    print(f"Shop: {shop.url}\nTask: {shop.task}\n")
    for attempt in range(1, TRIES + 1):
        turn = attempt_task(browser, shop, talk=True)
        if shop.fulfilled():
            number = shop.placed[0].number
            print(f"\nDone: the shop recorded order {number}, and it is what the task asks for.")
            return True
        print(f"\nNot done: the shop recorded {[placed.order for placed in shop.placed] or 'no order'}.")
        if turn is not None and turn.error:
            print(turn.error_text)
        if attempt < TRIES:
            print("Trying once more.\n")
    return False


def several_runs(browser: Browser, shop: Shop, runs: int) -> bool:
    """Do the task several times, without retries, and count."""
    succeeded = 0
    for number in range(1, runs + 1):
        started = time.monotonic()
        turn = attempt_task(browser, shop, talk=False)
        done = shop.fulfilled()
        succeeded += done
        steps = len(turn.steps) if turn else 0
        said = turn.text.replace("\n", " ")[-100:] if turn and not done else ""
        seconds = time.monotonic() - started
        state = "done" if done else "not done"
        print(f"run {number:2}: {state}  {steps} steps, {seconds:.0f} s  {said}", flush=True)
    print(f"{succeeded} of {runs} runs succeeded")
    return succeeded >= runs * 0.9


def attempt_task(browser: Browser, shop: Shop, *, talk: bool) -> Turn | None:
    """One run of the task from the product list, with an empty record."""
    shop.placed.clear()
    shop.submissions.clear()
    tab = browser.open_tab(shop.url)
    panel = Panel(browser, tab)
    try:
        panel.send(shop.task, "act")
        turn = follow(panel, talk=talk)
        RESULTS.mkdir(parents=True, exist_ok=True)
        panel.page.screenshot(RESULTS / "panel.png")
        tab.page.screenshot(RESULTS / "page.png")
        if talk:
            print(f"\nPictures: {RESULTS / 'panel.png'} and page.png beside it")
        return turn
    finally:
        if not (talk and has_screen()):
            panel.close()
            tab.page.close()


def follow(panel: Panel, *, talk: bool) -> Turn | None:
    """Watch a run to its end, print its steps as they come and answer its card."""
    shown = 0
    end = time.monotonic() + SECONDS_PER_RUN
    turn: Turn | None = None
    while time.monotonic() < end:
        turn = panel.last()
        if turn is None:
            time.sleep(POLL)
            continue
        finished = [step for step in turn.steps if step["state"] != "running"]
        if talk:
            for step in finished[shown:]:
                mark = "ok" if step["state"] == "ok" else step["state"]
                print(f"  {mark:7} {step['label']}  {step['summary']}", flush=True)
        shown = len(finished)
        if turn.card:
            answer_card(panel, turn.card, talk=talk)
        if turn.over:
            if talk:
                print(f"\nAgent: {turn.text}\n{turn.verdict}")
            return turn
        time.sleep(POLL)
    print("The run took too long and was stopped.")
    panel.stop()
    return turn


def answer_card(panel: Panel, text: str, *, talk: bool) -> None:
    """Click the button that lets the plan, or the form, go."""
    if talk:
        print("  card    " + text.replace("\n", " | "), flush=True)
    panel.answer(panel.options()[0])
    if talk:
        print("  card    answered by clicking", flush=True)


def leave_open() -> None:
    """Keep the browser until the person has seen enough."""
    print("\nThe browser stays open. Press Enter or Ctrl-C here to close it.", flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        if sys.stdin.isatty():
            select.select([sys.stdin], [], [])
        else:
            signal.pause()


if __name__ == "__main__":
    sys.exit(main())
