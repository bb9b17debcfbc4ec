"""The pages, and what several of these tests ask."""

from typing import Any

import pytest

from tests.support.outside import HostOutside
from webbrain.core.errors import BridgeError
from webbrain.host.reach import BrowserEvent

GREEN = "rgb(0, 160, 0)"
PAGES = {
    "/page": f"""<!doctype html><title>Page</title>
      <body style="margin: 0; background: {GREEN}">
      <button style="position: absolute; left: 20px; top: 20px; width: 100px; height: 40px"
        onclick="clicks = [...(globalThis.clicks ?? []), event.isTrusted]">Press</button>""",
    "/links": """<!doctype html><title>Links</title>
      <a id="blank" target="_blank" href="/page?blank">new tab</a>
      <a id="noopener" target="_blank" rel="noopener" href="/page?noopener">new tab, no opener</a>
      <a id="frame" target="_blank" href="OTHER/page?other">elsewhere</a>
      <a id="file" href="/file.bin">file</a>""",
    "/frames": """<!doctype html><title>Frames</title>
      <iframe src="OTHER/inner"></iframe><iframe id="empty"></iframe>
      <iframe srcdoc="<p>written in place</p>"></iframe>
      <iframe sandbox="allow-scripts" srcdoc="<p>in a sandbox</p>"></iframe>
      <script>
        addEventListener('load', () => {
          document.getElementById('empty').contentDocument.body.textContent = 'written by script';
        });
      </script>""",
    "/drag": """<!doctype html><title>Drag</title><body style="margin: 0">
      <div draggable="true" style="width: 100px; height: 100px; background: silver"
        ondragstart="event.dataTransfer.setData('text/plain', 'cargo')">from</div>
      <div style="position: absolute; left: 200px; top: 0; width: 100px; height: 100px; background: gold"
        ondragover="event.preventDefault()"
        ondrop="document.title = event.dataTransfer.getData('text/plain')">to</div>""",
    "/chooser": """<!doctype html><title>Chooser</title><body style="margin: 0">
      <button style="position: absolute; left: 20px; top: 20px; width: 100px; height: 40px" onclick="ask()">
        Choose</button>
      <script>
        function ask() {
          const field = document.createElement('input');
          field.type = 'file';
          field.click();
          globalThis.field = field;
        }
      </script>""",
    "/inner": "<!doctype html><title>Inner</title><p>of another origin</p>",
}


def code_of(outside: HostOutside, work: Any) -> str:
    with pytest.raises(BridgeError) as caught:
        outside.run(work)
    return caught.value.code


def opened_by(outside: HostOutside, url: str) -> BrowserEvent:
    return outside.wait_event("tab_opened", lambda event: event.data["url"] == url)
