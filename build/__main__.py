"""``python -m build``: build ``dist/``, or only when something changed, or twice to compare."""

import argparse
import fcntl
import hashlib
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from build import assemble
from build.errors import BuildError
from build.files import read_tree, sha256
from build.layout import CACHE, DIST, ROOT

_STAMP = CACHE / "build.stamp"


def main(arguments: list[str] | None = None) -> int:
    """Run the build; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m build", description="Build the extension for both browsers."
    )
    parser.add_argument(
        "--if-changed", action="store_true", help="do nothing if no input changed since the last build"
    )
    parser.add_argument(
        "--check-reproducible", action="store_true", help="build twice from nothing and compare"
    )
    options = parser.parse_args(arguments)
    CACHE.mkdir(exist_ok=True)
    try:
        with _one_at_a_time():
            if options.check_reproducible:
                return _compare_two_builds()
            inputs = _hash_of_inputs()
            if (
                options.if_changed
                and _STAMP.is_file()
                and _STAMP.read_text() == inputs
                and (DIST / "chrome").is_dir()
            ):
                print("dist/ is up to date")
                return 0
            _STAMP.unlink(missing_ok=True)
            assemble.build(DIST)
            _STAMP.write_text(inputs)
            print(assemble.summary(DIST))
    except BuildError as error:
        print(f"build failed: {error}", file=sys.stderr)
        return 1
    return 0


def _compare_two_builds() -> int:
    with tempfile.TemporaryDirectory(dir=CACHE) as directory:
        builds = []
        # Two folders, so that a path that leaks into the result is noticed too.
        for name in ("first", "second-elsewhere"):
            target = Path(directory) / name / "dist"
            assemble.build(target, cache=None)
            builds.append(
                {path: hashlib.sha256(content).hexdigest() for path, content in read_tree(target).items()}
            )
        differing = sorted(
            path for path in builds[0].keys() | builds[1].keys() if builds[0].get(path) != builds[1].get(path)
        )
    if differing:
        raise BuildError("two builds differ in: " + ", ".join(differing))
    print(f"two builds are identical: {len(builds[0])} files")
    return 0


def _hash_of_inputs() -> str:
    digest = hashlib.sha256()
    for path in assemble.input_files():
        digest.update(f"{path.relative_to(ROOT).as_posix()} {sha256(path)}\n".encode())
    return digest.hexdigest()


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Wait for another build of this checkout to finish."""
    with (CACHE / "build.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    sys.exit(main())
