"""Bring a Playwright page into a state: wait until it is drawn, then do what the state says a person does."""

from playwright.sync_api import Page

from tests.support.ui_states import STATES


def show(page: Page, name: str, *, act: bool = True) -> None:
    """Return once the state is fully shown; without ``act`` before the person's part."""
    state = STATES[name]
    page.wait_for_selector(state.ready, state="attached")
    for verb, target, *rest in state.actions if act else ():
        match verb:
            case "click":
                page.click(target)
            case "type":
                page.click(target)
                page.keyboard.insert_text(rest[0])
            case "press":
                page.keyboard.press(target)
            case "eval":
                page.evaluate(target)
            case "wait":
                page.wait_for_selector(target)
            case _:
                raise ValueError(verb)
