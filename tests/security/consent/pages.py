"""Pages that count what is done to them, and change while a person thinks."""

from typing import Final

COUNTING: Final = "<script>window.effects = []; const took = (what) => effects.push(what)</script>"
RLO: Final = "\u202e"
"""Turns what follows round."""

PAGES: Final = {
    "/": f"""<title>Shop</title>{COUNTING}
<button id=go onclick="took('go')">Show more</button>
<form action=/sent method=post onsubmit="took('sent')">
<label>To <input name=to value=ada@bank.example></label>
<label>Amount <input name=amount value=10></label><button>Pay</button></form>""",
    "/bidi": f"""<title>{RLO}Shop</title>{COUNTING}
<button id=go onclick="took('go')">Show {RLO}erom\u2066 all</button>""",
    "/sent": "<title>Sent</title><p>Thank you.",
    "/framed": f"""<title>Overlay</title>{COUNTING}<button onclick="took('go')">Show more</button>""",
}
