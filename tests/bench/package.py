"""What the package weighs, zipped as the build zips it, with the snapshot listed apart."""

import io
import zipfile
from typing import Final

from build.files import read_tree
from tests.bench.builds import folders
from tests.bench.table import Table

PACKAGE_TARGET: Final = 22.0
SNAPSHOT: Final = "py/snapshot.bin"
LEVEL: Final = 6
MEGA: Final = 1_000_000


def measure(table: Table, name: str) -> None:
    """Sizes of the trees."""
    for build, folder in folders(name).items():
        files = read_tree(folder)
        snapshot = {path: content for path, content in files.items() if path == SNAPSHOT}
        rest = {path: content for path, content in files.items() if path != SNAPSHOT}
        table.row("package without the snapshot, zipped", "MB", PACKAGE_TARGET).add(build, zipped(rest))
        table.row("  the snapshot, zipped", "MB").add(build, zipped(snapshot))
        table.row("  the snapshot on disk", "MB").add(build, sum(map(len, snapshot.values())) / MEGA)
        table.row("  all of it on disk", "MB").add(build, sum(map(len, files.values())) / MEGA)


def zipped(files: dict[str, bytes]) -> float:
    """Megabytes of an archive of these files."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return len(held.getvalue()) / MEGA
