"""The shop's pages as HTML text. Nothing is fetched from elsewhere; scripts are small and inline."""

import json
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files

from webbrain.testing.site.words import CITIES, PRODUCTS, Wording

FILES = files(__package__)
STYLE = FILES.joinpath("shop.css").read_text(encoding="utf-8")
COMBOBOX_SCRIPT = FILES.joinpath("combobox.js").read_text(encoding="utf-8")
CITIES_JSON = escape(json.dumps(CITIES))


def page(title: str, body: str, *, head: str = "") -> str:
    """A whole page with the shop's header."""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">'
        f"<style>{STYLE}</style>{head}</head><body>"
        '<header><nav aria-label="Main"><a href="/">Products</a> <a href="/about">About the shop</a></nav>'
        "</header>"
        f"<main>{body}</main></body></html>"
    )


def products(words: Wording, query: str = "") -> str:
    """The product list, or the part of it that a search found."""
    shelf = [(slug, PRODUCTS[slug]) for slug in words.products]
    found = [(slug, entry) for slug, entry in shelf if query.lower() in entry[0].lower()]
    items = "".join(
        f'<li><a href="/product/{slug}">{escape(name)}</a> <span>€{price}</span></li>'
        for slug, (name, price, _) in found
    )
    heading = f"Results for “{escape(query)}”" if query else "Products"
    search = (
        '<form action="/search" role="search"><div class="field"><label for="q">Search the shop</label>'
        f'<input id="q" name="q" type="search" value="{escape(query)}"></div><button>Search</button></form>'
    )
    return page("Corner Shop", f"<h1>{heading}</h1>{search}<ul>{items or '<li>Nothing found.</li>'}</ul>")


def product(words: Wording, slug: str) -> str:
    """One product with the way to its order form."""
    name, price, sentence = PRODUCTS[slug]
    return page(
        f"{name} - Corner Shop",
        f"<h1>{escape(name)}</h1><p>{escape(sentence)}</p><p>Price: €{price}. Sent within two days.</p>"
        f'<p><a href="/order?product={slug}">{escape(words.labels["open_form"])}</a></p>',
    )


def order_form(
    words: Wording, slug: str, values: Mapping[str, str] | None = None, problems: Sequence[str] = ()
) -> str:
    """The order form; ``values`` and ``problems`` when it comes back from a refused submission."""
    values = values or {}
    fields = "".join(_field(words, key, values.get(key, "")) for key in words.order)
    notes = "".join(f"<li>{escape(problem)}</li>" for problem in problems)
    draft = f'<button type="button">{escape(words.labels["draft"])}</button> '
    alert = f'<div class="problems" role="alert"><p>Please correct:</p><ul>{notes}</ul></div>'
    return page(
        "Order form - Corner Shop",
        f"<h1>Order: {escape(PRODUCTS[slug][0])}</h1>{alert if notes else ''}"
        '<form method="post" action="/order" id="order" novalidate>'
        f'<input type="hidden" name="product" value="{slug}">'
        f"{fields}"
        f"{draft if words.has_draft else ''}"
        f'<button class="primary">{escape(words.labels["submit"])}</button></form>'
        f"<script>{COMBOBOX_SCRIPT}</script>",
    )


def confirmation(words: Wording, number: str, name: str, product_name: str, day: str, city: str) -> str:
    """What a person sees after an order."""
    return page(
        "Confirmation - Corner Shop",
        f"<h1>{escape(words.labels['thanks'])}, {escape(name)}</h1>"
        f"<p>Your order number is <strong>{number}</strong>.</p>"
        f"<p>{escape(product_name)} will arrive in {escape(city)} on {day}.</p>"
        '<p><a href="/">Back to the products</a></p>',
    )


ABOUT = page(
    "About - Corner Shop",
    "<h1>About the shop</h1>"
    "<p>Corner Shop was founded in 1987 by Marta Oliveira in a former bakery.</p>"
    "<p>We are open from Tuesday to Saturday, from 10:00 to 18:30.</p>"
    "<p>Returns are free within 30 days of delivery.</p>"
    "<p>The shop stands at 14 Harbour Street. Bicycles may be left in the yard.</p>",
)


def _field(words: Wording, key: str, value: str) -> str:
    label, shown = escape(words.labels[key]), escape(value)
    if key in ("terms", "newsletter"):
        checked = " checked" if value else ""
        return (
            f'<div class="field drawn"><input type="checkbox" id="f-{key}" name="{key}" value="yes"{checked}>'
            f'<label for="f-{key}">{label}</label></div>'
        )
    extra = {
        "email": 'type="email" autocomplete="off"',
        "date": 'type="date"',
        "quantity": 'type="number" min="1" max="9"',
        "city": 'type="text" role="combobox" aria-autocomplete="list" aria-expanded="false" '
        'aria-controls="city-list" autocomplete="off"',
    }.get(key, 'type="text" autocomplete="off"')
    attributes = f'id="f-{key}" name="{key}" value="{shown}" {extra}'
    listbox = (
        f'<ul id="city-list" role="listbox" aria-label="{label}" data-cities="{CITIES_JSON}" hidden></ul>'
    )
    after = listbox if key == "city" else ""
    match words.styles[key]:
        case "wrap" if key != "city":
            return f'<div class="field"><label>{label} <input {attributes}></label></div>'
        case "labelledby":
            return (
                f'<div class="field"><span class="label" id="l-{key}">{label}</span>'
                f'<input {attributes} aria-labelledby="l-{key}">{after}</div>'
            )
        case _:
            return f'<div class="field"><label for="f-{key}">{label}</label><input {attributes}>{after}</div>'
