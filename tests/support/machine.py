"""What a fresh machine needs to have a browser, and what a person is told when it cannot be installed."""

import os
import shutil
import subprocess
import sys

from tests.support.browsers.base import BrowserMissing
from tests.support.browsers.chromium import find_chromium
from tests.support.browsers.firefox import find_firefox

PACKAGES = {"chromium": "chromium", "firefox": "firefox-esr"}
FINDERS = {"chromium": find_chromium, "firefox": find_firefox}


def has_screen() -> bool:
    """A window opened here would be seen by somebody."""
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def ensure_browser(name: str) -> None:
    """Install a browser with apt where that is possible; raise ``BrowserMissing`` where it is not."""
    try:
        FINDERS[name]()
        return
    except BrowserMissing:
        prefix = _root_prefix()
        if prefix is None or not shutil.which("apt-get"):
            raise
    print(f"Installing {PACKAGES[name]} with apt.", flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    commands = (
        ["apt-get", "update", "--quiet=2"],
        ["apt-get", "install", "--quiet=2", "--yes", "--no-install-recommends", PACKAGES[name]],
    )
    for command in commands:
        done = subprocess.run([*prefix, *command], env=environment, stdout=sys.stderr, check=False)
        if done.returncode:
            raise BrowserMissing(f"{' '.join(command)} failed; please install {PACKAGES[name]} yourself")
    FINDERS[name]()


def _root_prefix() -> list[str] | None:
    """How to run a command as root without being asked for anything; ``None`` if there is no way."""
    if os.geteuid() == 0:
        return []
    sudo = shutil.which("sudo")
    if sudo and subprocess.run([sudo, "-n", "true"], capture_output=True, check=False).returncode == 0:
        return [sudo, "-n"]
    return None
