"""``python -m build.lint``: what the add-on store's linter says about the Firefox tree.

Errors fail. Warnings fail unless they are expected: each pair of code and file below carries its reason.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from build.errors import BuildError
from build.layout import DIST, ROOT

EXPECTED_WARNINGS = {
    # Pyodide, whose script loses names only: it evaluates the JavaScript inside C extensions that bring some.
    # Ours bring none, and the content security policy would refuse it.
    ("DANGEROUS_EVAL", "pyodide/pyodide.asm.mjs"),
    # Pyodide imports modules by computed names; it gets no names but those of packaged files.
    ("UNSAFE_VAR_ASSIGNMENT", "pyodide/pyodide.asm.mjs"),
    ("UNSAFE_VAR_ASSIGNMENT", "pyodide/pyodide.mjs"),
    # Preact and DOMPurify. What a model wrote reaches the first only through the second.
    ("UNSAFE_VAR_ASSIGNMENT", "js/sidepanel.js"),
    ("UNSAFE_VAR_ASSIGNMENT", "js/settings.js"),
}


def lint(tree: Path) -> dict[str, Any]:
    """Return the linter's report on a tree. It needs no network."""
    command = ["npx", "--no-install", "web-ext", "lint", f"--source-dir={tree}", "--output=json"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    try:
        report: dict[str, Any] = json.loads(result.stdout)
    except ValueError as error:
        raise BuildError(f"web-ext lint gave no report: {result.stderr or result.stdout}") from error
    return report


def unexpected(report: dict[str, Any]) -> list[str]:
    """Return the errors of a report, and the warnings nobody expects, as one line each."""
    expected = EXPECTED_WARNINGS
    found = report["errors"] + [w for w in report["warnings"] if (w["code"], w.get("file")) not in expected]
    return [f"{item['code']} {item.get('file')}:{item.get('line')}: {item['message']}" for item in found]


def main() -> int:
    """Lint ``dist/firefox``; return the exit status."""
    report = lint(DIST / "firefox")
    faults = unexpected(report)
    for fault in faults:
        print(fault, file=sys.stderr)
    counts = report["summary"]
    print(f"web-ext lint: {counts['errors']} errors, {counts['warnings']} warnings, {len(faults)} unexpected")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
