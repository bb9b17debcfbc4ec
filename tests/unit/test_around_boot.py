"""What happens around the first import, on ordinary Python."""

import importlib.machinery
import os
import random
import sys
import time
from collections.abc import Iterator

import pytest

from webbrain import boot
from webbrain.core.types import Mode, Tier
from webbrain.host.protocols import Capabilities
from webbrain.prompts import prompt
from webbrain.providers import catalog
from webbrain.services import settings
from webbrain.tools import base, registry

ALL = Capabilities(browser="chrome", cdp=True)


@pytest.fixture(autouse=True)
def same_interpreter_afterwards() -> Iterator[None]:
    path, finders, state = list(sys.path), list(sys.meta_path), random.getstate()
    zone = time.timezone, time.altzone, time.daylight, time.tzname
    yield
    sys.path[:], sys.meta_path[:] = path, finders
    random.setstate(state)
    time.timezone, time.altzone, time.daylight, time.tzname = zone


def test_preloaded_modules_are_found_without_a_directory() -> None:
    boot.install({"package._native": "/nowhere/_native.so"})
    spec = sys.meta_path[0].find_spec("package._native", None, None)
    assert spec is not None
    assert isinstance(spec.loader, importlib.machinery.ExtensionFileLoader)
    assert spec.origin == "/nowhere/_native.so"
    assert sys.meta_path[0].find_spec("package.other", None, None) is None


def test_nothing_is_imported_from_the_working_directory() -> None:
    sys.path.insert(0, "")
    boot.install({})
    assert "" not in sys.path
    sys.path.insert(0, "")
    boot.renew()
    assert "" not in sys.path


def test_random_numbers_start_anew() -> None:
    drawn = set()
    for _ in range(5):
        random.seed(1)
        boot.renew()
        drawn.add(random.random())
    random.seed(1)
    assert len(drawn) == 5
    assert random.random() not in drawn


def test_what_only_the_build_needs_is_not_left_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PYTHONHASHSEED", "PYTHONNODEBUGRANGES"):
        monkeypatch.setenv(name, "0")
    boot.renew()
    assert not {"PYTHONHASHSEED", "PYTHONNODEBUGRANGES"} & os.environ.keys()


@pytest.mark.skipif(
    not hasattr(time, "tzset"), reason="in the browser the zone cannot be changed; see tests/wasm"
)
@pytest.mark.parametrize(
    ("zone", "seconds", "names"),
    [
        ("America/New_York", (18000, 14400), ("UTC-0500", "UTC-0400")),
        ("Asia/Kolkata", (-19800, -19800), ("UTC+0530", "UTC+0530")),
        ("Australia/Sydney", (-36000, -39600), ("UTC+1000", "UTC+1100")),
    ],
)
def test_the_constants_of_the_time_zone_follow_the_machine(
    monkeypatch: pytest.MonkeyPatch, zone: str, seconds: tuple[int, int], names: tuple[str, str]
) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        time.timezone, time.altzone, time.daylight, time.tzname = 0, 0, 0, ("UTC", "UTC")
        boot.renew()
        assert (time.timezone, time.altzone) == seconds
        assert time.daylight == (seconds[0] != seconds[1])
        assert time.tzname == names
    finally:
        monkeypatch.undo()
        time.tzset()


def test_what_the_first_request_needs_is_made_before_the_snapshot() -> None:
    made = (registry.load, base._schema, prompt, catalog.load, settings.fields)
    for function in made:
        function.cache_clear()
    boot._prepare()
    before = [function.cache_info().misses for function in made]
    schemas = [
        spec.schema() for mode in Mode for tier in Tier for spec in registry.tools_for(mode, tier, ALL)
    ]
    assert len(schemas) > 100
    for name in ("ask", "act-full", "act-mid", "act-compact"):
        prompt(name)
    catalog.load()
    settings.fields()
    assert [function.cache_info().misses for function in made] == before
