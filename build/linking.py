"""What the runtime's script and the compiled libraries use of the runtime's WebAssembly.

The runtime exports every function it has, 7,400 of them, so that any library could be linked to it; its
script enters each into tables when it starts. Nearly all of that is for nobody, and ``js/bridge/boot.js``
hands on only what is named here.
"""

import re
from collections.abc import Iterable, Iterator

from build.errors import BuildError

_MAGIC = b"\0asm\1\0\0\0"
_IMPORTS, _EXPORTS = 2, 7
"""Kinds of sections. https://webassembly.github.io/spec/core/binary/modules.html"""
_FUNCTION, _TABLE, _MEMORY, _GLOBAL, _TAG = range(5)

_EVERY_EXPORT = re.compile(r"function assignWasmExports\(wasmExports\)\{[^{}]*\}")
"""Where the script gives each export a name, used or not."""
_ASSIGNMENT = re.compile(r'(_\w+)=Module\["\w+"\]=wasmExports\["(\w+)"\];')
"""One of these names, and the export it is for. Data have numbers after it and stay."""
_EVERY_NAME = re.compile(r"\bvar (?:_\w+,){100,}_\w+")
"""Where it declares these names."""
_WORD = re.compile(r"[A-Za-z_$][\w$]*")


def used_exports(script: str, runtime: bytes, libraries: Iterable[bytes]) -> list[str]:
    """Return the names of what ``runtime`` exports and somebody uses, sorted.

    Whatever is no function stays. A function stays if a library imports it, or if its name, with or without
    the underscore it has in the script, is a word anywhere in the script.
    """
    kinds = exports(runtime)
    rest, lists = _EVERY_EXPORT.subn("", script)
    rest, declarations = _EVERY_NAME.subn("", rest)
    if lists != 1 or declarations != 1:
        raise BuildError("the runtime's script has changed: its lists of exports are not where they were")
    words = set(_WORD.findall(rest))
    for library in libraries:
        words |= imports(library)
    return sorted(
        name for name, kind in kinds.items() if kind != _FUNCTION or name in words or f"_{name}" in words
    )


def without_unused(script: str, used: Iterable[str]) -> str:
    """Return the runtime's script without its names for exports that are not ``used``.

    They are a third of it, which every Worker would read, parse and compile. Nothing else is changed.
    """
    kept = set(used)
    dropped: set[str] = set()

    def assign(found: re.Match[str]) -> str:
        name, export = found[1], found[2]
        if export in kept:
            return found[0]
        dropped.add(name)
        return ""

    def declare(found: re.Match[str]) -> str:
        names = found[0].removeprefix("var ").split(",")
        return f"var {','.join(name for name in names if name not in dropped)}"

    shorter, lists = _EVERY_EXPORT.subn(lambda found: _ASSIGNMENT.sub(assign, found[0]), script)
    shorter, declarations = _EVERY_NAME.subn(declare, shorter)
    if lists != 1 or declarations != 1 or not dropped:
        raise BuildError("the runtime's script has changed: its lists of exports are not where they were")
    return shorter


def exports(module: bytes) -> dict[str, int]:
    """Return what a module exports: names, and of what kind each is."""
    found: dict[str, int] = {}
    for reader in _section(module, _EXPORTS):
        for _ in range(reader.number()):
            name = reader.name()
            found[name] = reader.byte()
            reader.number()
    return found


def imports(module: bytes) -> set[str]:
    """Return the names of what a module imports."""
    found: set[str] = set()
    for reader in _section(module, _IMPORTS):
        for _ in range(reader.number()):
            reader.name()
            found.add(reader.name())
            reader.skip_type()
    return found


def _section(module: bytes, wanted: int) -> Iterator["_Reader"]:
    """Yield a reader at the content of the section of a kind, if there is one."""
    if not module.startswith(_MAGIC):
        raise BuildError("this is no WebAssembly module")
    at = _Reader(module, len(_MAGIC))
    while at.position < len(module):
        kind, size = at.byte(), at.number()
        if kind == wanted:
            yield _Reader(module, at.position)
        at.position += size


class _Reader:
    """Reads the parts a section is made of, one after the other."""

    def __init__(self, content: bytes, position: int) -> None:
        self.content = content
        self.position = position

    def byte(self) -> int:
        self.position += 1
        return self.content[self.position - 1]

    def number(self) -> int:
        """An unsigned LEB128 number."""
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def name(self) -> str:
        size = self.number()
        self.position += size
        return self.content[self.position - size : self.position].decode()

    def skip_type(self) -> None:
        """What an import is to be."""
        kind = self.byte()
        if kind == _FUNCTION:
            self.number()
        elif kind == _GLOBAL:
            self.position += 2
        elif kind == _TAG:
            self.position += 1
            self.number()
        else:
            if kind == _TABLE:
                self.byte()
            bounded = self.byte() & 1
            self.number()
            if bounded:
                self.number()
