"""A generated page without a browser: read from its HTML, used by names, as a person uses it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Final

EMPTY: Final = frozenset({"input", "link", "meta", "br"})
SKIPPED: Final = frozenset({"script", "style"})
FIELDS: Final = frozenset({"input", "textarea", "select"})


class NotThere(LookupError):
    """The page has no such thing, or several."""


@dataclass
class Node:
    """An element; ``parts`` holds its children, texts among them."""

    tag: str
    attributes: dict[str, str]
    parts: "list[Node | str]" = field(default_factory=list)

    def all(self, *tags: str) -> "Iterator[Node]":
        """Elements below it, in the order of the page."""
        for part in self.parts:
            if isinstance(part, Node):
                if part.tag in tags or not tags:
                    yield part
                yield from part.all(*tags)

    @property
    def text(self) -> str:
        """What it says."""
        if self.tag in SKIPPED:
            return ""
        parts = [part if isinstance(part, str) else part.text for part in self.parts]
        return " ".join(" ".join(parts).split())


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = Node("document", {})
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {key: value or "" for key, value in attrs})
        self._open[-1].parts.append(node)
        if tag not in EMPTY:
            self._open.append(node)

    def handle_endtag(self, tag: str) -> None:
        if tag in EMPTY:
            return
        closed = self._open.pop()
        assert closed.tag == tag, f"</{tag}> closes <{closed.tag}>"

    def handle_data(self, data: str) -> None:
        self._open[-1].parts.append(data)


def read(html: str) -> Node:
    """The page's document."""
    reader = _Reader()
    reader.feed(html)
    return reader.root


class Robot:
    """A tab. ``show`` gives the page of a path, ``told`` takes what a form or a press sends."""

    def __init__(
        self, start: str, show: Callable[[str], str | None], told: Callable[[str, Mapping[str, str]], None]
    ) -> None:
        self._show = show
        self._told = told
        self.go(start)

    def go(self, path: str) -> None:
        """Load a page."""
        html = self._show(path)
        assert html is not None, f"there is no page {path!r}"
        self.path, self.page = path, read(html)

    def click(self, name: str) -> None:
        """Use the one link, button or box of that name."""
        found = [node for node in self.page.all("a", "button") if node.text == name]
        found += [
            node for node in self.labelled(name) if node.attributes.get("type") in ("checkbox", "radio")
        ]
        node = _only(found, name)
        if node.tag == "a":
            self.go(node.attributes["href"])
        elif node.tag == "input":
            if node.attributes["type"] == "radio":
                for other in self.page.all("input"):
                    if other.attributes["name"] == node.attributes["name"]:
                        other.attributes.pop("checked", None)
            node.attributes["checked"] = ""
        elif "data-press" in node.attributes:
            self._told("press", {"name": node.attributes["data-press"]})
        else:
            self._send(node)

    def fill(self, name: str, text: str) -> None:
        """Type into the one field of that name."""
        node = _only([node for node in self.labelled(name) if node.tag != "select"], name)
        node.attributes["value"] = text

    def choose(self, name: str, text: str) -> None:
        """Pick an option of the one list of that name."""
        node = _only(self.labelled(name), name)
        options = list(node.all("option"))
        _only([option for option in options if option.text == text], text)
        for option in options:
            option.attributes.pop("selected", None)
            if option.text == text:
                option.attributes["selected"] = ""

    def labelled(self, name: str) -> list[Node]:
        """Fields that are called so."""
        return [node for node in self.page.all(*FIELDS) if self._label(node) == name]

    def controls(self) -> dict[str, str]:
        """The state of all fields, as a form sends it, with what is empty."""
        found: dict[str, str] = {}
        for node in self.page.all(*FIELDS):
            kind, name = node.attributes.get("type", ""), node.attributes["name"]
            value, on = node.attributes.get("value", ""), "checked" in node.attributes
            if node.tag == "select":
                found[name] = next(o.text for o in node.all("option") if "selected" in o.attributes)
            elif kind == "radio":
                found[name] = value if on else found.get(name, "")
            else:
                found[name] = value if kind != "checkbox" or on else ""
        return found

    def _label(self, node: Node) -> str:
        if by := node.attributes.get("aria-labelledby"):
            return next(other.text for other in self.page.all() if other.attributes.get("id") == by)
        for label in self.page.all("label"):
            if label.attributes.get("for", "-") == node.attributes.get("id", ""):
                return label.text
            if any(inner is node for inner in label.all(*FIELDS)):
                options = {option.text for option in node.all("option")}
                return " ".join(part.strip() for part in label.parts if isinstance(part, str)) or str(options)
        return ""

    def _send(self, button: Node) -> None:
        form = next(
            form for form in self.page.all("form") if any(node is button for node in form.all("button"))
        )
        self._told(form.attributes["action"], {key: value for key, value in self.controls().items() if value})
        self.go("sent")


def _only(found: list[Node], name: str) -> Node:
    if len(found) != 1:
        raise NotThere(f"{len(found)} things are called {name!r}")
    return found[0]
