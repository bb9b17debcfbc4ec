"""``make pictures``: what the screens look like, to be looked at by people.

    make pictures                        every state, both browsers, both themes, three widths
    make pictures BROWSER=firefox        one browser only
    make pictures STATES="answer done"   some states only, and nothing of a live run
    make pictures DOCS=1                 a live run only, and its pictures go into docs/pictures

The states are shown with a fake port, for most of them cannot be brought about at will; live pictures come
from the built extension, with the demo model ordering something in the small shop.
"""

import os
import shutil
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from tests.support.approve import approve
from tests.support.browsers import Browser, BrowserMissing, Page
from tests.support.run import answer_card, choose_service, running, set_up
from tests.support.screens import Panel, Settings
from tests.support.ui_pages import address, bundle, serve
from tests.support.ui_states import STATES
from webbrain.testing.site import Shop

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "test-results" / "pictures"
DOCS = ROOT / "docs" / "pictures"
BROWSERS = ("chromium", "firefox")
THEMES = ("light", "dark")
WIDTHS = (320, 400, 600)
HEIGHT = 720

IN_DOCS = {
    "chromium/live-card-400-light": "panel-act-light",
    "chromium/live-card-400-dark": "panel-act-dark",
    "chromium/live-done-400-light": "panel-done-light",
    "firefox/live-card-400-light": "panel-firefox-light",
    "firefox/live-card-400-dark": "panel-firefox-dark",
    "chromium/live-settings-600-light": "settings-light",
}
"""Pictures the documents show, by their names there."""


def main() -> int:
    """Take the pictures the environment asks for; return the exit status."""
    browsers = [name] if (name := os.environ.get("BROWSER")) else list(BROWSERS)
    states = os.environ.get("STATES", "").split()
    docs = bool(os.environ.get("DOCS"))
    if unknown := sorted(set(states) - set(STATES)):
        print(f"There is no state {', '.join(unknown)}. There are: {' '.join(STATES)}", file=sys.stderr)
        return 2
    try:
        for name in browsers:
            folder = RESULTS / name
            folder.mkdir(parents=True, exist_ok=True)
            with running(name, headless=True) as browser:
                if not docs:
                    picture_states(browser, folder, states or list(STATES))
                if not states:
                    picture_live(browser, folder)
            print(f"{name}: {len(list(folder.glob('*.png')))} pictures in {folder.relative_to(ROOT)}")
    except BrowserMissing as error:
        print(f"Cannot take pictures: {error}", file=sys.stderr)
        return 2
    if docs:
        keep_for_docs()
    return 0


def picture_states(browser: Browser, folder: Path, names: list[str]) -> None:
    """Every state, shown with the fake port."""
    with tempfile.TemporaryDirectory() as temporary:
        bundle(Path(temporary))
        with serve(Path(temporary)) as origin:
            page = browser.open_page("about:blank", window=True)
            for name in names:
                for theme in THEMES:
                    page.set_viewport(WIDTHS[0], HEIGHT)
                    page.goto(address(origin, name, theme=theme))
                    show(page, name)
                    shoot(page, folder, f"{name}-{{}}-{theme}")
            page.close()


def picture_live(browser: Browser, folder: Path) -> None:
    """The built extension: nothing chosen yet, then a whole run."""
    with ExitStack() as stack:
        service = stack.enter_context(choose_service("demo"))
        shop = stack.enter_context(Shop(0))
        tab = browser.open_tab(shop.url)
        panel = Panel(browser, tab)
        panel.page.wait_for("#choose-model")
        _both(panel.page, folder, "live-no-model")
        settings = Settings(browser)
        settings.open_provider("anthropic")
        settings.page.eval("scrollTo(0, 0)")
        _both(settings.page, folder, "live-settings")
        settings.close()
        set_up(browser, service)
        panel.reload()
        _both(panel.page, folder, "live-empty")
        panel.send(shop.task, "act")
        approve(panel)
        card = panel.wait_card()
        _both(panel.page, folder, "live-card")
        answer_card(panel, card, talk=False)
        panel.page.wait("!!document.querySelector('.turn-footer')", what="the run to end")
        if not shop.fulfilled():
            raise RuntimeError(f"the demo model did not do its task: {panel.last()}")
        panel.page.eval("document.querySelector('.scroll-control.down')?.click()")
        _both(panel.page, folder, "live-done")
        panel.close()
        browser.close_tab(tab)


def show(page: Page, name: str) -> None:
    """Bring a state about, by the browser's own clicks and keys."""
    state = STATES[name]
    page.wait(f"!!document.querySelector({state.ready!r})", what=f"{name}: {state.ready}")
    for verb, target, *rest in state.actions:
        match verb:
            case "click":
                page.click(target)
            case "type":
                page.click(target)
                for number, line in enumerate(rest[0].split("\n")):
                    if number:
                        page.press("Enter", "Shift")
                    page.keys(line)
            case "press":
                page.press(target)
            case "eval":
                page.eval(f"(() => {{ {target}; return true; }})()")
            case "wait":
                page.wait(f"!!document.querySelector({target!r})", what=f"{name}: {target}")
            case _:
                raise ValueError(verb)


def shoot(page: Page, folder: Path, name: str) -> None:
    """One picture per width."""
    for width in WIDTHS:
        page.set_viewport(width, HEIGHT)
        page.eval("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
        page.screenshot(folder / f"{name.format(width)}.png")


def _both(page: Page, folder: Path, name: str) -> None:
    for theme in THEMES:
        page.eval(f"document.documentElement.dataset.theme = {theme!r}")
        shoot(page, folder, f"{name}-{{}}-{theme}")


def keep_for_docs() -> None:
    """Copy what the documents show."""
    DOCS.mkdir(parents=True, exist_ok=True)
    for source, target in IN_DOCS.items():
        if (picture := RESULTS / f"{source}.png").exists():
            shutil.copy(picture, DOCS / f"{target}.png")


if __name__ == "__main__":
    sys.exit(main())
