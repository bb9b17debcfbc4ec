"""The table of services in ``docs/providers.md``, made from the catalogue.

``python -m webbrain.providers.table docs/providers.md`` writes it between its two marks; a test fails while
the page is stale.
"""

import sys
from pathlib import Path
from typing import Final

from webbrain.providers import catalog
from webbrain.providers.catalog import Catalog, CatalogEntry

BEGIN: Final = "<!-- table: made by python -m webbrain.providers.table docs/providers.md -->"
END: Final = "<!-- end of table -->"

_SECTIONS: Final = {
    "local": "On your own machine",
    "cloud": "Services with a key",
    "router": "Routers: one key, many models",
    "custom": "Anything else",
}
_COLUMNS: Final = (
    "Id",
    "Name",
    "Address",
    "Key",
    "Model at first",
    "Context",
    "Ask streams",
    "Constrained calls",
    "Speech",
)


def render(loaded: Catalog) -> str:
    """The tables as Markdown, one per category."""
    parts: list[str] = []
    for category, title in _SECTIONS.items():
        rows = [_row(loaded, entry) for entry in loaded.entries.values() if entry.category == category]
        head = [_line(_COLUMNS), _line(tuple("---" for _ in _COLUMNS))]
        parts.append("\n".join([f"### {title}", "", *head, *rows]))
    return "\n\n".join(parts)


def put_into(page: str, table: str) -> str:
    """The page with the table between its marks; ``ValueError`` if the marks are not there."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError("the page has no marks for the table")
    return f"{before}{BEGIN}\n\n{table}\n\n{END}{after}"


def _row(loaded: Catalog, entry: CatalogEntry) -> str:
    name = f"[{entry.label}]({entry.key_url})" if entry.key_url else entry.label
    usual = "on request" if entry.structured else "no"
    constrained = {"auto": "automatic", "always": "always"}.get(entry.constrained, usual)
    return _line(
        (
            f"`{entry.id}`",
            name,
            f"`{entry.base_url}`" if entry.base_url else "none" if entry.wire == "builtin" else "yours",
            entry.key,
            f"`{entry.default_model}`"
            if entry.default_model
            else "you choose"
            if entry.requires_model
            else "its own"
            if entry.wire == "builtin"
            else "loaded one",
            f"{loaded.window(entry, entry.default_model):,}",
            "yes" if entry.ask_streaming else "no",
            constrained,
            _speech(entry),
        )
    )


def _speech(entry: CatalogEntry) -> str:
    if not entry.transcribes:
        return "no"
    return f"`{entry.transcription_model}`" if entry.transcription_model else "yes"


def _line(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.write_text(put_into(target.read_text(encoding="utf-8"), render(catalog.load())), encoding="utf-8")
