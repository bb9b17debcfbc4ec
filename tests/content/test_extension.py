# ruff: noqa: E501 (markup of the pages under test is more readable unwrapped)
"""The script as a real extension injects it: real messages, and the browser's door to closed shadow roots."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Playwright, Worker

from tests.content.harness import CHROMIUM, FLAGS, Site

MANIFEST = {
    "manifest_version": 3,
    "name": "Content script under test",
    "version": "1.0",
    "permissions": ["scripting", "tabs"],
    "host_permissions": ["http://127.0.0.1/*"],
    "background": {"service_worker": "background.js"},
}
CLOSED = """<!doctype html><title>Closed</title><x-box></x-box><div id=host></div><p id=log></p><script>
  customElements.define("x-box", class extends HTMLElement {
    constructor() {
      super();
      const root = this.attachShadow({ mode: "closed" });
      root.innerHTML = "<label>Closed field <input></label><button>Send it</button>";
      root.querySelector("button").onclick = () => { log.textContent = root.querySelector("input").value; };
    }
  });
  const root = host.attachShadow({ mode: "closed" });
  root.innerHTML = "<button>Plain host</button>";
  root.firstChild.onclick = () => { document.title = "plain host"; };
</script>"""


class Extension:
    """A page, and the background of an extension that talks to its content script."""

    def __init__(self, page: Page, worker: Worker) -> None:
        self.page = page
        self._worker = worker

    def open(self, url: str) -> "Extension":
        """Load a page and inject."""
        self.page.goto(url)
        self._worker.evaluate(
            """async (url) => {
              const [tab] = await chrome.tabs.query({ url });
              globalThis.tabId = tab.id;
              await chrome.scripting.executeScript({ target: { tabId: tab.id }, files: ["content.js"], injectImmediately: true });
            }""",
            url,
        )
        return self

    def call(self, action: str, **args: Any) -> dict[str, Any]:
        """Send one message from the background."""
        message = {"target": "content", "action": action, "args": args}
        answer: dict[str, Any] = self._worker.evaluate("(m) => chrome.tabs.sendMessage(tabId, m)", message)
        return answer

    def ref(self, start: str) -> str:
        """Reference of the first line that begins so."""
        text = self.call("tree")["pageContent"]
        found = re.search(rf"^ *{re.escape(start)}.*?\[(ref_\d+)\]", text, re.MULTILINE)
        assert found, text
        return found[1]


@pytest.fixture(scope="module")
def context(
    driver: Playwright, bundle: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[BrowserContext]:
    """A browser with a small extension around the bundle."""
    folder = tmp_path_factory.mktemp("extension")
    (folder / "manifest.json").write_text(json.dumps(MANIFEST))
    (folder / "background.js").write_text("chrome.runtime.onInstalled.addListener(() => undefined);")
    (folder / "content.js").write_text(bundle)
    profile: Path = tmp_path_factory.mktemp("profile")
    context = driver.chromium.launch_persistent_context(
        profile,
        executable_path=CHROMIUM,
        headless=False,
        args=[
            *FLAGS,
            "--headless=new",
            f"--load-extension={folder}",
            f"--disable-extensions-except={folder}",
        ],
    )
    yield context
    context.close()


@pytest.fixture
def extension(context: BrowserContext) -> Iterator[Extension]:
    """A fresh tab."""
    worker = (
        context.service_workers[0] if context.service_workers else context.wait_for_event("serviceworker")
    )
    page = context.new_page()
    yield Extension(page, worker)
    page.close()


def test_closed_shadow_roots_are_seen_and_used(extension: Extension, site: Site) -> None:
    extension.open(site.page(CLOSED))
    field = extension.ref('textbox "Closed field"')
    assert extension.call("set_field", ref_id=field, text="through the door")["verified"]
    assert extension.call("click_ax", ref_id=extension.ref('button "Send it"'))["success"]
    assert extension.page.evaluate("log.textContent") == "through the door"
    assert extension.call("click_ax", ref_id=extension.ref('button "Plain host"'))["success"]
    assert extension.page.evaluate("document.title") == "plain host"
    assert "Send it" in extension.call("read_page")["text"]


def test_closed_shadow_roots_can_be_queried(extension: Extension, site: Site) -> None:
    extension.open(site.page(CLOSED))
    hosts = extension.call("get_shadow_dom")["hosts"]
    assert [(h["shadowPath"], h["mode"], h["elements"]) for h in hosts] == [
        ("x-box:nth-of-type(1)", "closed", 3),
        ("#host", "closed", 1),
    ]
    found = extension.call("shadow_dom_query", selector="button", shadowPath="#host")
    assert [m["text"] for m in found["matches"]] == ["Plain host"]
    assert extension.call("click_ax", ref_id=found["matches"][0]["ref_id"])["success"]
    assert extension.page.evaluate("document.title") == "plain host"
    assert extension.call("find_text", text="closed field")["found"]
    assert "Send it" in [e["text"] for e in extension.call("get_interactive_elements")["elements"]]


def test_a_closed_root_around_children_of_the_page(extension: Extension, site: Site) -> None:
    extension.open(
        site.page(
            """<!doctype html><title>S</title><section id=host>Light <button>Slotted</button></section><script>
            host.attachShadow({ mode: "closed" }).innerHTML = "<button>Around</button><slot></slot>"</script>"""
        )
    )
    text = extension.call("tree")["pageContent"]
    assert 'button "Around"' in text
    assert 'button "Slotted"' in text


def test_a_submit_answers_before_the_page_is_gone(extension: Extension, site: Site) -> None:
    extension.open(
        site.page(
            "<!doctype html><title>F</title><form action=/sent/real method=post><input name=a aria-label=A><button>Save</button></form>"
        )
    )
    extension.call("set_field", ref_id=extension.ref('textbox "A"'), text="1")
    ref = extension.ref("button")
    probe = extension.call("submit_probe", tool="click_ax", args={"ref_id": ref})
    answer = extension.call("click_ax", ref_id=ref, token=probe["token"])
    assert answer["navigates"]
    assert "submitted: the form was sent" in answer["changed"]
    extension.page.wait_for_function("document.title === 'Sent'")
    assert site.received[-1] == ("POST", "/sent/real", {"a": ["1"]})


def test_a_tab_in_the_background_works(extension: Extension, context: BrowserContext, site: Site) -> None:
    extension.open(
        site.page(
            '<!doctype html><title>B</title><button onclick="document.title=\'hit\'">Go</button><input id=i aria-label=I onfocus="window.focused=true">'
        )
    )
    front = context.new_page()
    front.goto(site.page("<!doctype html><title>Front</title>"))
    front.bring_to_front()
    assert extension.call("click_ax", ref_id=extension.ref("button"))["success"]
    assert extension.page.evaluate("document.title") == "hit"
    assert extension.call("set_field", ref_id=extension.ref("textbox"), text="abc")["verified"]
    assert extension.page.evaluate("[i.value, window.focused]") == ["abc", True]
    front.close()


def test_a_second_injection_answers_once(extension: Extension, site: Site) -> None:
    url = site.page("<!doctype html><title>T</title><button onclick=\"document.title += '!'\">Go</button>")
    extension.open(url)
    ref = extension.ref("button")
    extension._worker.evaluate(
        "() => chrome.scripting.executeScript({ target: { tabId }, files: ['content.js'] })"
    )
    assert extension.call("click_ax", ref_id=ref)["success"]
    assert extension.page.evaluate("document.title") == "T!"
