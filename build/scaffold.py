"""``python -m build.scaffold tool NAME``: start a new tool, as a file and its test that already pass."""

import argparse
import keyword
import re
import sys
from pathlib import Path

from build.layout import ROOT

NAME = re.compile(r"[a-z][a-z0-9_]{2,40}")

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
    modes=(Mode.ACT,),
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


class BadName(ValueError):
    """The name cannot be that of a tool; the text says why."""


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


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m build.scaffold", description=__doc__)
    parser.add_argument("kind", choices=["tool"])
    parser.add_argument("name")
    options = parser.parse_args(arguments)
    try:
        written = new_tool(options.name)
    except (BadName, FileExistsError) as error:
        print(error, file=sys.stderr)
        return 1
    for path in written:
        print(f"wrote {path.relative_to(ROOT)}")
    print("next: fill in what says TODO, then `make docs` and `make test-unit` (docs/adding-a-tool.md)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
