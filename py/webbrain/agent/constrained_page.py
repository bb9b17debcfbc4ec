"""What constrained calls need to know of a page: its fields and their values, read off the tree's lines."""

import re
from dataclasses import dataclass
from typing import Final

from webbrain.agent import enrich
from webbrain.agent.turns import Control, PageView

OVERLAYS: Final = "[open overlays]"
REST_OF_PAGE: Final = "[page]"
CLICKED: Final = ("link ", "button ")
"""How lines of what leads elsewhere begin."""
NAME_CHARS: Final = 80
LABEL_CHARS: Final = 40

_LINE = re.compile(r'^( *)(\S+) (?:"((?:[^"\\]|\\.)*)" )?\[([^\]\s]+)\](.*)$')
_OPTION = re.compile(r'^( *)option "((?:[^"\\]|\\.)*)"(.*)$')
_ATTRIBUTE = re.compile(r' (\w+)="((?:[^"\\]|\\.)*)"')
_LABEL_REF = re.compile(r"\[([^\[\]\s]+)\]$")
_ESCAPE = re.compile(r"\\(.)")
_NOISE = re.compile(r' (?:href|src|id|class|type)="(?:[^"\\]|\\.)*"')
_KEPT_TYPE = re.compile(r' type="(?:date|time|datetime-local|month|week|number|password|email|search|file)"')


@dataclass(frozen=True, slots=True)
class Element:
    """One line of the tree that has a ref."""

    ref: str
    role: str
    name: str
    kind: str
    """The ``type`` of an input, else empty."""
    value: str
    checked: bool
    expanded: bool
    overlay: bool
    """It stands in the block of open dialogs, menus and lists."""
    options: tuple[str, ...]
    """Of a native select: its options, in order."""


def elements(page: PageView) -> dict[str, Element]:
    """The elements of the page by ref."""
    out: dict[str, Element] = {}
    overlay = False
    lines = page.tree.split("\n")
    for index, text in enumerate(lines):
        if text in (OVERLAYS, REST_OF_PAGE):
            overlay = text == OVERLAYS
        match = _LINE.match(text)
        if not match:
            continue
        attributes = {key: _plain(value) for key, value in _ATTRIBUTE.findall(match[5])}
        indent = len(match[1])
        out[match[4]] = Element(
            ref=match[4],
            role=match[2],
            name=_plain(match[3] or "") or attributes.get("label", ""),
            kind=attributes.get("type", ""),
            value=attributes.get("value", ""),
            checked=attributes.get("checked") == "true",
            expanded=attributes.get("expanded") == "true",
            overlay=overlay,
            options=_options(lines, index + 1, indent),
        )
    return out


def compact(tree: str) -> str:
    """The tree without what a small model has no use for: addresses, ordinary types, class names."""

    def keep(match: re.Match[str]) -> str:
        return match[0] if _KEPT_TYPE.fullmatch(match[0]) else ""

    return "\n".join(_NOISE.sub(keep, line) for line in tree.split("\n"))


def plain_text(page: PageView | None) -> str:
    """The lines of the page that are neither links nor buttons."""
    lines = page.tree.split("\n") if page else []
    return "\n".join(line for line in lines if not line.lstrip().startswith(CLICKED))


def label(control: Control) -> str:
    """How an answer names an element: by its name, which a model finds more surely, and its ref."""
    name = " ".join(control.name.split())[:LABEL_CHARS].rstrip()
    return f"{name} [{control.ref}]" if name else f"[{control.ref}]"


def ref_of(label_: str) -> str:
    """The ref at the end of a :func:`label`; the text itself if it has none."""
    match = _LABEL_REF.search(label_)
    return match[1] if match else label_


def describe(control: Control | None, ref: str) -> str:
    """An element in words, for the list of steps; falls back to its ref."""
    if control is None or not control.name:
        return ref
    # A select is listed as "label (chosen option)": the label alone stays true after the choice.
    name = control.name.partition(" (")[0] if "select" in control.can else control.name
    return f'{control.role} "{enrich.clean(name, NAME_CHARS)}"'


def _options(lines: list[str], start: int, indent: int) -> tuple[str, ...]:
    """Options right below an element; a listbox of its own has refs on its options and is clicked instead."""
    found: list[str] = []
    for text in lines[start:]:
        depth = len(text) - len(text.lstrip(" "))
        if depth <= indent:
            break
        if match := _OPTION.match(text):
            found.append(_plain(match[2]))
    return tuple(found)


def _plain(text: str) -> str:
    return _ESCAPE.sub(lambda match: "\n" if match[1] == "n" else match[1], text)
