"""``python -m build.scaffold tool|provider NAME``: start something new that already passes the tests.

A tool is a file and its test, a provider a table in the catalogue.
"""

import argparse
import keyword
import re
import sys
from pathlib import Path

from build.layout import ROOT

NAME = re.compile(r"[a-z][a-z0-9_]{2,40}")
PROVIDER_NAME = re.compile(r"[a-z0-9][a-z0-9-]{1,40}")
CATALOG = Path("py/webbrain/providers/catalog_more.toml")

TOOL = '''\
"""TODO: one line about what this is."""

from pydantic import Field

from webbrain.core.limits import PAGE_READ_TIMEOUT
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools.base import ToolArgs, ToolContext, spec
from webbrain.tools.problems import from_page


class Args(ToolArgs):
    """TODO: what it does, when to use it, what its errors mean. The model reads this in every request."""

    limit: int = Field(500, ge=500, le=6_000, description="TODO: an argument of yours")


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """TODO: what happens."""
    asked = {"includeChrome": False, "offset": 0, "limit": args.limit}
    return from_page(await ctx.page("read_page", asked, timeout=PAGE_READ_TIMEOUT), "page read")


SPEC = spec(
    "@NAME@",
    args=Args,
    run=run,
    modes=(Mode.ASK,),
    tiers=(Tier.FULL,),
    capability=Capability.NONE,
    untrusted=True,
    effect=False,
    label="@LABEL@",
    timeout=PAGE_READ_TIMEOUT + 10,
    example='{"limit": 500}',
)
'''

TEST = '''\
"""TODO: what is tested."""

from tests.support.toolbox import context, page_host
from webbrain.tools.@NAME@ import SPEC, Args


async def test_@NAME@() -> None:
    host = page_host()
    host.page.on("read_page", {"text": "Tea, 4 francs"})
    result = await SPEC.run(context(host), Args(limit=600))
    assert result.success
    assert result.data["text"] == "Tea, 4 francs"
    assert host.page.calls[0].args["limit"] == 600
'''


PROVIDER = """\
[provider.@NAME@]
label = "@LABEL@"
category = "cloud"                     # TODO: or local, router
base_url = "https://api.@NAME@.example/v1"  # TODO: from its documentation
key_url = "https://@NAME@.example/keys"  # TODO: where a user makes a key
default_model = "@NAME@-1"             # TODO: with its window, and what a million tokens cost in US dollars
context_window = 128000
cost_input = 1.0
cost_output = 4.0
"""

_TABLE = re.compile(r"^\[provider\.([^\].]+)\]$", re.MULTILINE)


class BadName(ValueError):
    """The name cannot be that of a tool or provider; the text says why."""


def new_tool(name: str, root: Path = ROOT) -> list[Path]:
    """Write the tool ``name`` and its test below ``root`` and return their paths.

    Raise ``BadName`` if it is no name for a tool, and ``FileExistsError`` rather than overwrite anything.
    """
    if not NAME.fullmatch(name) or keyword.iskeyword(name):
        raise BadName(f"{name!r} is no name for a tool: small letters, digits and _, 3 to 41 characters")
    files = {
        root / "py/webbrain/tools" / f"{name}.py": TOOL,
        root / "tests/unit" / f"test_tool_{name}.py": TEST,
    }
    for path in files:
        if path.exists():
            raise FileExistsError(f"{path.relative_to(root)} is already there")
    label = name.replace("_", " ").capitalize()
    for path, template in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(template.replace("@NAME@", name).replace("@LABEL@", label), encoding="utf-8")
    return list(files)


def new_provider(name: str, root: Path = ROOT) -> Path:
    """Write a table for the provider ``name`` into the catalogue below ``root``, before the first one whose
    name comes behind it, and return the catalogue's path.

    Raise ``BadName`` if it is no name for a provider, and ``FileExistsError`` if there is one of that name.
    """
    if not PROVIDER_NAME.fullmatch(name):
        raise BadName(f"{name!r} is no name for a provider: small letters, digits and -, 2 to 41 characters")
    for other in sorted((root / CATALOG.parent).glob("catalog*.toml")):
        if name in _TABLE.findall(other.read_text(encoding="utf-8")):
            raise FileExistsError(f"{name} is already in {other.relative_to(root)}")
    catalog = root / CATALOG
    text = catalog.read_text(encoding="utf-8")
    table = PROVIDER.replace("@NAME@", name).replace("@LABEL@", name.replace("-", " ").capitalize())
    behind = next((found for found in _TABLE.finditer(text) if found[1] > name), None)
    if behind is None:
        text = f"{text.rstrip()}\n\n{table}"
    else:
        text = f"{text[: behind.start()]}{table}\n{text[behind.start() :]}"
    catalog.write_text(text, encoding="utf-8")
    return catalog


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m build.scaffold", description=__doc__)
    parser.add_argument("kind", choices=["tool", "provider"])
    parser.add_argument("name")
    options = parser.parse_args(arguments)
    try:
        written = new_tool(options.name) if options.kind == "tool" else [new_provider(options.name)]
    except (BadName, FileExistsError) as error:
        print(error, file=sys.stderr)
        return 1
    for path in written:
        print(f"wrote {path.relative_to(ROOT)}")
    guide = f"docs/adding-a-{options.kind}.md"
    print(f"next: fill in what says TODO, then `make docs` and `make test-unit` ({guide})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
