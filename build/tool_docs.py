"""``python -m build.tool_docs``: write docs/tools.md, the table of all tools, from their specifications."""

from build.layout import ROOT
from webbrain.core.types import Mode, Tier
from webbrain.host.protocols import Capabilities
from webbrain.tools import registry
from webbrain.tools.base import ToolSpec

TARGET = ROOT / "docs" / "tools.md"
EVERYTHING = Capabilities(browser="memory", cdp=True, captures_background_tabs=True)

HEAD = """\
# Tools

Made from the specifications by `make docs`; a test fails when it is stale.

- **modes**: Ask reads, Act acts
- **tiers**: how much a model is trusted with; Ask does not ask for the tier
- **needs**: the capability that the tool uses
- **effect**: it changes something outside the agent, and is never repeated by itself
- **wrapped**: its result reaches the model inside the untrusted boundary

"""


def tools_page() -> str:
    """The whole page as Markdown."""
    specs = registry.load().all()
    lines = [
        "| tool | modes | tiers in Act | needs | effect | wrapped | arguments |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        *(_row(spec) for spec in specs),
        "",
        *(line for spec in specs for line in _section(spec)),
    ]
    return HEAD + "\n".join(lines).rstrip() + "\n"


def _row(spec: ToolSpec) -> str:
    cells = (
        f"[`{spec.name}`](#{spec.name})",
        ", ".join(mode.value for mode in Mode if mode in spec.modes),
        _tiers(spec),
        spec.capability.value if spec.capability.value != "none" else "",
        "yes" if spec.effect else "",
        "yes" if spec.untrusted else "",
        ", ".join(_argument(spec, name) for name in _parameters(spec)),
    )
    return f"| {' | '.join(cells)} |"


def _tiers(spec: ToolSpec) -> str:
    offered = [
        tier for tier in Tier if spec.name in {s.name for s in registry.tools_for(Mode.ACT, tier, EVERYTHING)}
    ]
    return "all" if len(offered) == len(Tier) else ", ".join(tier.value for tier in offered)


def _parameters(spec: ToolSpec) -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = _schema(spec)["properties"]
    return found


def _schema(spec: ToolSpec) -> dict[str, dict[str, dict[str, object]]]:
    offered = registry.tools_for(Mode.ACT, Tier.FULL, EVERYTHING)
    return next((s for s in offered if s.name == spec.name), spec).schema().parameters


def _argument(spec: ToolSpec, name: str) -> str:
    return f"**{name}**" if name in _schema(spec).get("required", ()) else name


def _section(spec: ToolSpec) -> list[str]:
    lines = [f"## {spec.name}", "", spec.schema().description, ""]
    parameters = _parameters(spec)
    if parameters:
        lines += ["| argument | values | default | meaning |", "| --- | --- | --- | --- |"]
        for name, schema in parameters.items():
            meaning = schema.get("description", "")
            lines.append(f"| {_argument(spec, name)} | {_values(schema)} | {_default(schema)} | {meaning} |")
        lines.append("")
    return [*lines, f"Example: `{spec.example}`", ""]


def _values(schema: dict[str, object]) -> str:
    choices = schema.get("enum")
    if isinstance(choices, list):
        return ", ".join(str(choice) for choice in choices)
    kinds = schema.get("anyOf")
    kind = (
        " or ".join(str(k["type"]) for k in kinds) if isinstance(kinds, list) else str(schema.get("type", ""))
    )
    low, high = schema.get("minimum"), schema.get("maximum")
    if high is None:
        return kind if low is None else f"{kind}, from {low}"
    return f"{kind}, up to {high}" if low is None else f"{kind}, {low} to {high}"


def _default(schema: dict[str, object]) -> str:
    return str(schema["default"]).lower() if "default" in schema else ""


if __name__ == "__main__":
    TARGET.write_text(tools_page(), encoding="utf-8")
    print(f"wrote {TARGET.relative_to(ROOT)}")
