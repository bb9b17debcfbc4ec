"""The pictures of the built extension with private places drawn over, and the page untouched."""

import json
from typing import Any, Final

from tests.support.outside import HostOutside
from tests.support.page_site import PageSite
from tests.support.stage import Stage
from webbrain.agent.capture import Shot, capture

PAGE: Final = """<style>body{margin:0;font:32px monospace}
*{position:absolute;height:40px;width:500px}</style>
<b style="left:20px;top:20px">Plain heading stays sharp</b>
<input style="left:20px;top:100px;font:32px monospace" name=api_key value="sk-canary-0123456789">
<i style="left:20px;top:200px">ada.lovelace@letters.example</i>"""
HEADING: Final = {"x": 20, "y": 20, "width": 500, "height": 40}
KEY: Final = {"x": 20, "y": 100, "width": 400, "height": 40}
MAIL: Final = {"x": 20, "y": 200, "width": 500, "height": 40}

EDGES: Final = """(async (picture, scale, region) => {
  const bitmap = await createImageBitmap(await (await fetch(picture)).blob());
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height), context = canvas.getContext('2d');
  context.drawImage(bitmap, 0, 0);
  const [x, y, w, h] = ['x', 'y', 'width', 'height'].map((side) => Math.round(region[side] * scale));
  const {data} = context.getImageData(x, y, w, h);
  let edges = 0;
  for (let row = 0; row < h; row++)
    for (let column = 1; column < w; column++) {
      const at = 4 * (row * w + column);
      if (Math.abs(data[at] - data[at - 4]) > 40) edges++;
    }
  return edges;
})"""
"""How many neighbouring pixels of a place differ much: letters have many such edges, a mosaic few."""


def edges(stage: Stage, shot: Shot, region: dict[str, int]) -> int:
    arguments = ", ".join(json.dumps(one) for one in (shot.data_url, shot.scale, region))
    return int(stage.browser.control.eval(f"{EDGES}({arguments})"))


def test_private_places_are_unreadable_and_the_page_is_untouched(stage: Stage) -> None:
    with PageSite({"/": PAGE}) as site:
        tab = stage.open_tab(site.url + "/")
        tab.page.activate()
        before = tab.page.eval("document.documentElement.outerHTML")
        outside = HostOutside(stage.browser)
        try:
            plain, masked = (
                outside.run(capture(outside.host, tab.id, longest=1_568, redact=redact))
                for redact in (False, True)
            )
        finally:
            outside.close()
        assert tab.page.eval("document.documentElement.outerHTML") == before
    seen: dict[str, Any] = {
        name: (edges(stage, plain, region), edges(stage, masked, region))
        for name, region in (("heading", HEADING), ("key", KEY), ("mail", MAIL))
    }
    assert seen["key"][0] > 200, "the control: there was something to read"
    assert seen["mail"][0] > 200
    assert seen["key"][1] < seen["key"][0] * 0.35, seen
    assert seen["mail"][1] < seen["mail"][0] * 0.35, seen
    assert seen["heading"][1] > seen["heading"][0] * 0.8, seen
