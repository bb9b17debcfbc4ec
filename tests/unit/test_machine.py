"""A missing browser is installed where that is possible, and asked for in plain words where it is not."""

import subprocess
from typing import Any

import pytest

from tests.support import machine
from tests.support.browsers import BrowserMissing


@pytest.fixture
def apt(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """A machine without Chromium whose commands are only written down; installing makes it appear."""
    commands: list[list[str]] = []

    def find() -> str:
        if not any("install" in command for command in commands):
            raise BrowserMissing("Chromium is not installed: apt-get install chromium")
        return "/usr/bin/chromium"

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setitem(machine.FINDERS, "chromium", find)
    monkeypatch.setattr(machine.subprocess, "run", run)
    monkeypatch.setattr(machine.shutil, "which", lambda name: f"/usr/bin/{name}")
    return commands


def test_root_installs_it(apt: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine.os, "geteuid", lambda: 0)
    machine.ensure_browser("chromium")
    assert [command[:2] for command in apt] == [["apt-get", "update"], ["apt-get", "install"]]
    assert apt[1][-1] == "chromium"


def test_an_installed_browser_is_left_alone(apt: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(machine.FINDERS, "chromium", lambda: "/usr/bin/chromium")
    machine.ensure_browser("chromium")
    assert not apt


def test_without_rights_the_person_is_told(monkeypatch: pytest.MonkeyPatch, apt: list[list[str]]) -> None:
    monkeypatch.setattr(machine.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(machine.shutil, "which", lambda name: None)
    with pytest.raises(BrowserMissing, match="apt-get install chromium"):
        machine.ensure_browser("chromium")
    assert not apt


def test_a_failed_installation_is_told(monkeypatch: pytest.MonkeyPatch, apt: list[list[str]]) -> None:
    monkeypatch.setattr(machine.os, "geteuid", lambda: 0)
    monkeypatch.setattr(
        machine.subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, 100)
    )
    with pytest.raises(BrowserMissing, match="failed"):
        machine.ensure_browser("chromium")
