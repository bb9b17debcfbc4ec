"""Reading an accessibility tree as a model gets it: one line per node."""

import re
from dataclasses import dataclass

LINE = re.compile(r'^(?P<indent>\s*)(?P<role>[\w-]+)(?:\s+"(?P<name>(?:[^"\\]|\\.)*)")?(?P<rest>.*)$')
REF = re.compile(r"\[(ref_[\w-]+)\]")
ATTRIBUTE = re.compile(r'([\w-]+)="((?:[^"\\]|\\.)*)"')
CHECKED = re.compile(r'\bchecked(?!="?false)\b')


@dataclass(frozen=True, slots=True)
class Node:
    """One line of the tree. ``ref`` is empty where the page offered none."""

    role: str
    name: str
    ref: str
    attributes: dict[str, str]
    checked: bool

    @property
    def value(self) -> str:
        """The field's current value as far as it is shown."""
        return self.attributes.get("value", "")


def parse(text: str) -> list[Node]:
    """Return the nodes of a tree in reading order; lines of another shape are passed over."""
    nodes = []
    for line in text.splitlines():
        match = LINE.match(line)
        if not match:
            continue
        rest = match["rest"]
        ref = REF.search(rest)
        attributes = {key: _plain(value) for key, value in ATTRIBUTE.findall(rest)}
        bare = ATTRIBUTE.sub(lambda found: found[0] if found[1] == "checked" else "", rest)
        nodes.append(
            Node(
                role=match["role"],
                name=_plain(match["name"] or ""),
                ref=ref[1] if ref else "",
                attributes=attributes,
                checked=bool(CHECKED.search(bare)),
            )
        )
    return nodes


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)
