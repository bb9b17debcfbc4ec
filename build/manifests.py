"""The manifests: one base, a patch per browser."""

import json
from typing import Any

from build.layout import ROOT, Browser


def merge(base: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    """Return ``base`` with ``patch`` laid over it: objects are merged, ``null`` removes, all else
    replaces."""
    merged = dict(base)
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        elif isinstance(value, dict) and isinstance(merged.get(key), dict):
            merged[key] = merge(merged[key], value)
        else:
            merged[key] = value
    return merged


def manifest(browser: Browser, version: str) -> dict[str, Any]:
    """Return the manifest of one browser for one version of the package."""
    base = json.loads((ROOT / "manifests/base.json").read_text())
    patch = json.loads((ROOT / f"manifests/{browser}/patch.json").read_text())
    return merge(base | {"version": version}, patch)
