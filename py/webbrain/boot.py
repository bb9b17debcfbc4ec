"""What happens around the first import inside the Worker: compiled libraries, the snapshot, and life after
it.

``js/bridge/boot.js`` calls these functions, in Pyodide only; nothing here needs ``js``. Standard library
only, because :func:`install` runs before any wheel can be imported. See docs/boot.md.
"""

import dataclasses
import gc
import importlib
import importlib.machinery
import importlib.util
import linecache
import os
import pkgutil
import random
import sys
import time
from collections.abc import Mapping, Sequence
from types import ModuleType

_ON_FIRST_USE = ("pypdf",)
"""Packages that stay out of the snapshot: large, and most runs never need them."""

_IMPORTED_LAZILY_BY_PYDANTIC = (
    "pydantic.json_schema",
    "pydantic.fields",
    "pydantic.functional_validators",
    "pydantic.root_model",
    "pydantic.type_adapter",
    "pydantic.types",
    "pydantic._internal._core_utils",
    "pydantic._internal._validators",
)


_OF_THE_BUILD = ("PYTHONHASHSEED", "PYTHONNODEBUGRANGES")
"""Variables of the environment that only the making of the snapshot needs."""


class PreloadedFinder:
    """Finds extension modules that were linked before the interpreter started.

    An archive cannot hold an extension module, so import would look for one in a directory. The runtime
    already has the code; the path only names it.
    """

    def __init__(self, libraries: Mapping[str, str]) -> None:
        """Remember where each module (full name) pretends to lie."""
        self._libraries = dict(libraries)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Answer for the preloaded modules, and leave all others to the next finder."""
        location = self._libraries.get(fullname)
        if location is None:
            return None
        loader = importlib.machinery.ExtensionFileLoader(fullname, location)
        return importlib.util.spec_from_file_location(fullname, location, loader=loader)


def install(libraries: Mapping[str, str]) -> None:
    """Make preloaded libraries importable and keep the working directory out of the import path."""
    sys.meta_path.insert(0, PreloadedFinder(libraries))
    _forget_working_directory()


def warm() -> None:
    """Import everything that a run needs, and drop what need not be stored. The build calls it before the
    snapshot."""
    import webbrain

    for module in pkgutil.walk_packages(webbrain.__path__, "webbrain."):
        importlib.import_module(module.name)
    for name in _IMPORTED_LAZILY_BY_PYDANTIC:
        importlib.import_module(name)
    for name in list(sys.modules):
        if name.split(".")[0] in _ON_FIRST_USE:
            raise RuntimeError(f"{name} is imported at start, but is meant to be loaded on first use")
    _prepare()
    linecache.clearcache()
    gc.collect()
    # What lives now lives as long as the process, so later collections need not walk it.
    gc.freeze()


def _prepare() -> None:
    """Make what the first request of every start would make otherwise: tools and their schemas, prompts, the
    settings page."""
    from webbrain import prompts
    from webbrain.providers import catalog
    from webbrain.services import settings
    from webbrain.tools import registry

    for spec in registry.load().all():
        for args in filter(None, (spec.args, spec.act_args)):
            dataclasses.replace(spec, args=args).schema()
    for name in prompts.COMPOSED:
        prompts.prompt(name)
    catalog.load()
    settings.fields()


def renew() -> None:
    """Replace what must not be the same in every start. Called after each restore, before anything of ours
    runs.

    The hash seed cannot be renewed: it is built into every dictionary of the snapshot. Whoever fills a
    dictionary with keys from outside caps its size.
    """
    random.seed()
    for name in _OF_THE_BUILD:
        os.environ.pop(name, None)
    _renew_time_zone()
    _forget_working_directory()


def _renew_time_zone() -> None:
    """Set the constants of :mod:`time` anew, as the platform has no ``tzset``. Local times themselves are
    right."""
    year = time.localtime().tm_year
    winter, summer = sorted(
        time.localtime(time.mktime((year, month, 1, 0, 0, 0, 0, 0, -1))).tm_gmtoff for month in (1, 7)
    )
    time.timezone, time.altzone, time.daylight = -winter, -summer, int(winter != summer)
    time.tzname = (_zone_name(winter), _zone_name(summer))


def _zone_name(offset: int) -> str:
    """Name an offset (seconds east of Greenwich) the way the platform's C library does: ``UTC-0500``."""
    minutes = abs(offset) // 60
    return f"UTC{'-' if offset <= 0 else '+'}{minutes // 60:02}{minutes % 60:02}"


def _forget_working_directory() -> None:
    """The loader puts it first on the path at every start; nothing may be imported from there."""
    sys.path[:] = [entry for entry in sys.path if entry]
