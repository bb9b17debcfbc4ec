"""What happens around the first import, on ordinary Python."""

import importlib.machinery
import os
import random
import sys
import time
from collections.abc import Iterator

import pytest

from webbrain import boot


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


def test_the_hash_seed_of_the_build_is_not_left_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONHASHSEED", "0")
    boot.renew()
    assert "PYTHONHASHSEED" not in os.environ


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
