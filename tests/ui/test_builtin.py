"""The settings of the browser's own model: whether it can be had, and its download."""

import pytest
from playwright.sync_api import Page, expect

from tests.ui.conftest import Open
from tests.ui.steering import asked, wait_for_call

ROW = '[data-provider="builtin"] .provider-row'
SLOW_DOWNLOAD = """() => {
    let state = 'downloadable';
    globalThis.LanguageModel = {
        availability: async (options) => {
            globalThis.askedFor = options;
            return state;
        },
        create: async ({monitor, ...options}) => {
            if (!navigator.userActivation.isActive) throw new DOMException('click first', 'NotAllowedError');
            globalThis.createdFor = options;
            const told = new EventTarget();
            monitor(told);
            globalThis.tell = (loaded) =>
                told.dispatchEvent(Object.assign(new Event('downloadprogress'), {loaded, total: 1}));
            await new Promise((resolve, reject) => {
                globalThis.finish = resolve;
                globalThis.fail = reject;
            });
            state = 'available';
            return {destroy: () => { globalThis.destroyed = true; }};
        },
    };
}"""


def said(page: Page) -> str:
    return page.locator("[data-builtin]").inner_text()


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("none", "This browser has no built-in model."),
        ("unavailable", "none can be used on this computer"),
        ("downloadable", "can be used once it is downloaded"),
    ],
)
def test_where_it_cannot_be_used_the_form_says_so_and_offers_no_use(
    open_state: Open, state: str, words: str
) -> None:
    page = open_state(f"settings-builtin-{state}")
    assert words in said(page)
    expect(page.locator("#form-builtin [data-action=use]")).to_be_disabled()
    expect(page.locator("#form-builtin [data-action=test]")).to_be_disabled()
    expect(page.locator("#form-builtin [data-action=download]")).to_have_count(int(state == "downloadable"))
    expect(page.locator("#form-builtin .field")).to_have_count(0)


def test_where_it_is_there_it_is_used_like_any_other(open_state: Open) -> None:
    page = open_state("settings-builtin-available")
    assert "ready" in said(page)
    page.click("#form-builtin [data-action=use]")
    assert wait_for_call(page, "providers.save") == {"id": "builtin", "config": {}}
    assert wait_for_call(page, "providers.activate") == {"id": "builtin"}


def test_a_click_downloads_it_and_shows_how_far_it_is(open_state: Open) -> None:
    page = open_state("settings-none")
    page.evaluate(SLOW_DOWNLOAD)
    page.click(ROW)
    expect(page.locator("[data-builtin=downloadable]")).to_be_visible()
    assert page.evaluate("typeof globalThis.createdFor") == "undefined", "nothing is downloaded unasked"
    page.click("[data-action=download]")
    page.wait_for_function("typeof globalThis.tell === 'function'")
    for part, shown in ((0.0, "0 %"), (0.256, "25 %"), (1.0, "100 %")):
        page.evaluate("(part) => tell(part)", part)
        expect(page.locator(".download")).to_have_text(shown)
    page.evaluate("finish()")
    expect(page.locator("[data-builtin=available]")).to_be_visible()
    expect(page.locator("#form-builtin [data-action=use]")).to_be_enabled()
    assert page.evaluate("destroyed") is True
    assert (
        page.evaluate("[askedFor, createdFor]")
        == [
            {
                "expectedInputs": [{"type": "text", "languages": ["en"]}],
                "expectedOutputs": [{"type": "text", "languages": ["en"]}],
            }
        ]
        * 2
    )


def test_a_download_that_fails_says_why_and_can_be_tried_again(open_state: Open) -> None:
    page = open_state("settings-none")
    page.evaluate(SLOW_DOWNLOAD)
    page.click(ROW)
    page.click("[data-action=download]")
    page.wait_for_function("typeof globalThis.fail === 'function'")
    page.evaluate("fail(new DOMException('The disk is full.', 'OperationError'))")
    expect(page.locator("[data-fault]")).to_have_text("The download did not work: The disk is full.")
    expect(page.locator("[data-action=download]")).to_be_enabled()
    assert asked(page, "providers.save") == []
