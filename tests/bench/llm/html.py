"""Pieces of the generated pages. A random generator decides the build of what looks alike to a person."""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

STYLE = (
    "body{font:16px/1.5 sans-serif;margin:1rem;max-width:46rem}nav a{margin-right:1rem}"
    ".field{margin:.6rem 0}label{margin-right:.5rem}table{border-spacing:1rem .2rem}"
)
PRESSES = (
    "<script>document.addEventListener('click',(event)=>{"
    "const button=event.target.closest('[data-press]');if(!button)return;"
    "fetch('press',{method:'POST',body:new URLSearchParams({name:button.dataset.press}),keepalive:true});"
    "document.querySelector('[role=status]').textContent=button.dataset.says;});</script>"
)
"""A button with ``data-press`` tells the server that it was pressed, and the page says so."""


@dataclass(frozen=True, slots=True)
class Look:
    """What all pages of one task have in common."""

    place: str
    links: tuple[str, ...]
    """The pages that every page leads to."""
    fillers: tuple[str, ...]
    menu_first: bool


@dataclass
class Form:
    """A form under way. ``name`` is what the server calls it."""

    name: str
    rng: random.Random
    parts: list[str] = field(default_factory=list)
    state: dict[str, str] = field(default_factory=dict)
    """What the form would send if nobody touched it; boxes that are not ticked are empty here."""

    def text(self, name: str, label: str, kind: str = "text") -> None:
        """A field to type in."""
        self.state[name] = ""
        extra = ' autocomplete="off"' + (' min="1" max="99"' if kind == "number" else "")
        if kind == "textarea":
            made = f'<textarea name="{name}" rows="3" {{}}></textarea>'
        else:
            made = f'<input type="{kind}" name="{name}"{extra} {{}}>'
        self.parts.append(self._labelled(name, label, made))

    def select(self, name: str, label: str, options: Sequence[str], chosen: str) -> None:
        """A list to choose from."""
        self.state[name] = chosen
        items = "".join(
            f"<option{' selected' if option == chosen else ''}>{escape(option)}</option>"
            for option in options
        )
        self.parts.append(self._labelled(name, label, f'<select name="{name}" {{}}>{items}</select>'))

    def radios(self, name: str, label: str, options: Sequence[str], chosen: str = "") -> None:
        """One of several."""
        self.state[name] = chosen
        rows = "".join(
            self._box("radio", name, option, f' value="{escape(option)}"', checked=option == chosen)
            for option in options
        )
        self.parts.append(f"<fieldset><legend>{escape(label)}</legend>{rows}</fieldset>")

    def box(self, name: str, label: str, *, checked: bool = False) -> None:
        """Something to tick."""
        self.state[name] = "yes" if checked else ""
        self.parts.append(self._box("checkbox", name, label, ' value="yes"', checked=checked))

    def shuffle(self) -> None:
        """Bring what is there so far into any order."""
        self.rng.shuffle(self.parts)

    def buttons(self, submit: str, others: Sequence[str] = ()) -> None:
        """The button that sends, and others that do not."""
        made = [f"<button>{escape(submit)}</button>", *(button(other) for other in others)]
        self.rng.shuffle(made)
        self.parts.append(f"<p>{' '.join(made)}</p>")

    def html(self) -> str:
        """The whole form. The browser's own checks are off: what arrives is judged, not what is kept back."""
        body = "".join(self.parts)
        return f'<form method="post" action="send-{self.name}" novalidate>{body}</form>'

    def _labelled(self, name: str, label: str, made: str) -> str:
        shown, id_ = escape(label), f"{self.name}-{name}"
        match self.rng.choice(("for", "wrap", "labelledby")):
            case "for":
                inner = f'<label for="{id_}">{shown}</label>{made.format(f"id={id_}")}'
            case "wrap":
                inner = f"<label>{shown} {made.format('')}</label>"
            case _:
                inner = f'<span id="{id_}-l">{shown}</span> {made.format(f"aria-labelledby={id_}-l")}'
        return f'<div class="field">{inner}</div>'

    def _box(self, kind: str, name: str, label: str, extra: str, *, checked: bool) -> str:
        made = f'<input type="{kind}" name="{name}"{extra}{" checked" if checked else ""} {{}}>'
        id_ = f"{self.name}-{name}-{slug(label)}"
        if self.rng.random() < 0.5:
            return f'<div class="field"><label>{made.format("")} {escape(label)}</label></div>'
        return (
            f'<div class="field">{made.format(f"id={id_}")}<label for="{id_}">{escape(label)}</label></div>'
        )


def page(look: Look, title: str, body: str) -> str:
    """A whole page."""
    links = " ".join(link(name) for name in look.links)
    menu = f'<nav aria-label="Pages">{links}</nav>'
    fillers = "".join(f"<p>{escape(sentence)}</p>" for sentence in look.fillers)
    main = f"<main><h1>{escape(title)}</h1>{body}</main>"
    inner = f"{menu}{main}{fillers}" if look.menu_first else f"{fillers}{main}<footer>{menu}</footer>"
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)} - '
        f'{escape(look.place)}</title><link rel="icon" href="data:,"><style>{STYLE}</style></head><body>'
        f'{inner}<p role="status"></p>{PRESSES}</body></html>'
    )


def link(name: str) -> str:
    """A link to the page of that name."""
    return f'<a href="{slug(name)}">{escape(name)}</a>'


def button(name: str, says: str = "") -> str:
    """A button whose use the server is told of."""
    shown = escape(name)
    return f'<button type="button" data-press="{shown}" data-says="{escape(says)}">{shown}</button>'


def facts(rng: random.Random, heads: Sequence[str], rows: Sequence[Sequence[str]], sentence: str) -> str:
    """Rows of facts as a table, a list or prose; ``sentence`` has a ``{}`` for each column."""
    match rng.choice(("table", "list", "prose")):
        case "table":
            top = "".join(f"<th>{escape(head)}</th>" for head in heads)
            lines = "".join(
                "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
            )
            return f"<table><tr>{top}</tr>{lines}</table>"
        case "list":
            items = "".join(f"<li>{escape(': '.join((row[0], ', '.join(row[1:]))))}</li>" for row in rows)
            return f"<p>{escape(', '.join(heads))}</p><ul>{items}</ul>"
        case _:
            return "".join(f"<p>{escape(sentence.format(*row))}</p>" for row in rows)


def slug(name: str) -> str:
    """The last part of a page's address."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
