"""Patterns of models are compiled by a library that knows Unicode; there some are dearer than they look."""

import importlib
import pkgutil
import re
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel, Field

import webbrain

COUNTED_CLASS = re.compile(r"\\[wWdDsS]\{|\\p")
"""One of these takes three megabytes of memory, in the snapshot and in every start: ``\\w`` is 139,000
characters there, as often as it is counted."""


def patterns(schema: Any) -> Iterator[str]:
    """Every pattern of a core schema."""
    if isinstance(schema, dict):
        if isinstance(pattern := schema.get("pattern"), str):
            yield pattern
        for value in schema.values():
            yield from patterns(value)
    elif isinstance(schema, list | tuple):
        for value in schema:
            yield from patterns(value)


def models(base: type[BaseModel] = BaseModel) -> Iterator[type[BaseModel]]:
    """Every model of the package."""
    for model in base.__subclasses__():
        if model.__module__.startswith("webbrain."):
            yield model
        yield from models(model)


@pytest.fixture(scope="module", autouse=True)
def everything_imported() -> None:
    for module in pkgutil.walk_packages(webbrain.__path__, "webbrain."):
        if module.name not in ("webbrain.main",) and ".testing" not in module.name:
            importlib.import_module(module.name)


def test_no_pattern_counts_a_class_of_unicode() -> None:
    found = {pattern for model in models() for pattern in patterns(model.__pydantic_core_schema__)}
    assert len(found) >= 4
    assert [pattern for pattern in found if COUNTED_CLASS.search(pattern)] == []


def test_one_that_does_is_noticed() -> None:
    class Dear(BaseModel):
        name: str | None = Field(default=None, pattern=r"^wb_\w{1,64}$")

    assert [p for p in patterns(Dear.__pydantic_core_schema__) if COUNTED_CLASS.search(p)]
