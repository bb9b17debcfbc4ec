"""The package as built starts in Pyodide, from the snapshot and without it, and is sound in both."""

import hashlib
import json
import subprocess
from pathlib import Path

import pytest

from build.files import read_archive
from build.layout import DIST, ROOT, SITE_ARCHIVE
from build.snapshot import occupied_runs
from tests.wasm.conftest import DEADLINE, Boot

pytestmark = pytest.mark.dist

SELF_TEST = """
import asyncio, json, sys
import jsonschema
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

class Built(BaseModel):
    number: int = Field(ge=1)
    text: str | None = None

async def slow(value):
    await asyncio.sleep(0.01)
    return value

async def main():
    async with asyncio.timeout(30):
        both = await asyncio.gather(slow(1), slow(2))
    task = asyncio.ensure_future(asyncio.sleep(3600))
    await asyncio.sleep(0)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        both.append("cancelled")
    return both

def refused():
    try:
        Built(number=0)
    except ValidationError as error:
        return error.errors()[0]["type"]

jsonschema.validate({"a": 1}, {"type": "object", "properties": {"a": {"type": "integer"}}})
json.dumps({
    "imported": "webbrain.main" in sys.modules,
    "model": Built(number="4").model_dump(),
    "schema": Built.model_json_schema()["properties"]["number"],
    "adapter": TypeAdapter(list[int]).validate_json("[1, 2]"),
    "refused": refused(),
    "async": await main(),
    "path": [entry for entry in sys.path if not entry.startswith("/lib/")],
})
"""

EXPECTED = {
    "imported": True,
    "model": {"number": 4, "text": None},
    "schema": {"minimum": 1, "title": "Number", "type": "integer"},
    "adapter": [1, 2],
    "refused": "greater_than_equal",
    "async": [1, 2, "cancelled"],
    "path": [],
}


@pytest.mark.parametrize("mode", ["snapshot", "plain"])
def test_python_starts_and_works(boot: Boot, mode: str) -> None:
    answer = boot(SELF_TEST, mode=mode)
    assert answer.get("error") is None
    assert answer["mode"] == mode
    assert answer["result"] == EXPECTED


def test_phases_are_named_and_add_up(boot: Boot) -> None:
    answer = boot(mode="snapshot")
    assert [phase["name"] for phase in answer["phases"]] == [
        "manifest",
        "runtime",
        "libraries",
        "snapshot",
        "restore",
    ]
    assert sum(phase["ms"] for phase in answer["phases"]) == pytest.approx(answer["totalMs"], abs=50)
    plain = [phase["name"] for phase in boot(mode="plain")["phases"]]
    assert plain == ["manifest", "runtime", "libraries", "interpreter", "imports"]


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        ("flip", "hash"),
        ("cut", "hash"),
        ("missing", "404"),
        ("build", "runtime build"),
        ("memory", ""),
        ("garbage", ""),
    ],
)
def test_a_snapshot_that_does_not_fit_gives_way_to_the_plain_start(
    boot: Boot, damage: str, reason: str
) -> None:
    answer = boot(SELF_TEST, damage=damage)
    assert answer.get("error") is None
    assert answer["mode"] == "plain"
    assert answer["reason"]
    assert reason in answer["reason"]
    assert answer["result"] == EXPECTED
    assert "error" in boot(mode="snapshot", damage=damage), "without the fallback it is an error"


def test_a_library_that_does_not_load_is_an_error_and_not_a_hanging_boot(boot: Boot) -> None:
    assert "error" in boot(damage="library")


@pytest.mark.parametrize("mode", ["snapshot", "plain"])
def test_two_starts_draw_different_random_numbers(boot: Boot, mode: str) -> None:
    code = """
import json, os, random, secrets, tempfile, uuid
json.dumps([random.random(), os.urandom(8).hex(), secrets.token_hex(8), str(uuid.uuid4())])
"""
    first, second = (boot(code, mode=mode)["result"] for _ in range(2))
    assert all(a != b for a, b in zip(first, second, strict=True))


def test_the_clock_and_its_zone_are_those_of_the_moment(boot: Boot) -> None:
    code = """
import datetime, json, time
now = datetime.datetime.now().astimezone()
json.dumps([now.utcoffset().total_seconds(), -time.timezone, -time.altzone, time.tzname, time.time()])
"""
    snapshot = boot(code, mode="snapshot", env={"TZ": "America/New_York"})["result"]
    plain = boot(code, mode="plain", env={"TZ": "America/New_York"})["result"]
    assert snapshot[:4] == plain[:4]
    assert snapshot[1:4] == [-18000, -14400, ["UTC-0500", "UTC-0400"]]
    assert abs(snapshot[4] - plain[4]) < 300
    east = boot(code, mode="snapshot", env={"TZ": "Asia/Kolkata"})["result"]
    assert east[:4] == [19800, 19800, 19800, ["UTC+0530", "UTC+0530"]]


LOOP_THINGS = """
import asyncio, gc, json
kinds = (asyncio.Future, asyncio.Lock, asyncio.Event, asyncio.Condition, asyncio.Semaphore, asyncio.Queue)

def frozen():
    # What the snapshot holds was put aside when it was made; what lives now came later.
    now = {id(thing) for thing in gc.get_objects()}
    gc.unfreeze()
    old = [thing for thing in gc.get_objects() if id(thing) not in now and thing is not now]
    return [len(old) > 10_000, [type(thing).__name__ for thing in old if isinstance(thing, kinds)]]
"""


def test_nothing_of_a_running_loop_is_in_the_snapshot(boot: Boot) -> None:
    assert boot(f"{LOOP_THINGS}\njson.dumps(frozen())", mode="snapshot")["result"] == [True, []]


def test_something_of_a_loop_would_be_noticed(boot: Boot) -> None:
    code = (
        f"{LOOP_THINGS}\nleaked = asyncio.get_event_loop().create_future()\ngc.freeze()\njson.dumps(frozen())"
    )
    large, names = boot(code, mode="snapshot")["result"]
    assert large
    assert [name for name in names if name.endswith("Future")]


SNAPSHOT_MB = 28
"""One counted class of Unicode in a pattern takes three of them (tests/unit/test_patterns.py)."""


def test_the_snapshot_of_a_tree_is_the_same_whenever_it_is_made(tmp_path: Path) -> None:
    """Cheaper than two builds (``make check-reproducible``), and what is hardest to keep the same."""
    target = tmp_path / "snapshot"
    command = ["node", "build/snapshot.mjs", str(DIST / "chrome"), str(target)]
    subprocess.run(command, cwd=ROOT, check=True, timeout=DEADLINE)
    whole = target.read_bytes()
    packed = b"".join(whole[offset : offset + length] for offset, length in occupied_runs(whole))
    named = json.loads((DIST / "chrome/py/boot.json").read_text())["snapshot"]
    assert hashlib.sha256(packed).hexdigest() == named["sha256"]


def test_the_snapshot_has_not_grown_unnoticed() -> None:
    assert (DIST / "chrome/py/snapshot.bin").stat().st_size < SNAPSHOT_MB * 1_000_000


def test_what_is_imported_later_is_found(boot: Boot) -> None:
    code = """
import json, sys
before = "pypdf" in sys.modules
import io, pypdf
writer = pypdf.PdfWriter()
writer.add_blank_page(72, 72)
stream = io.BytesIO()
writer.write(stream)
json.dumps([before, len(pypdf.PdfReader(stream).pages)])
"""
    for mode in ("snapshot", "plain"):
        assert boot(code, mode=mode)["result"] == [False, 1]


def test_json_schema_works_in_the_draft_we_use(boot: Boot) -> None:
    """Not in drafts 6 and 7: the library is older than a change of urllib in Python 3.14 that breaks them
    there."""
    code = """
import json
from jsonschema import Draft202012Validator
schema = {"$defs": {"n": {"type": "integer"}}, "properties": {"a": {"$ref": "#/$defs/n"}}, "required": ["a"]}
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)
json.dumps([error.message for value in ({"a": "x"}, {}) for error in validator.iter_errors(value)])
"""
    assert boot(code)["result"] == ["'x' is not of type 'integer'", "'a' is a required property"]


def test_docstrings_of_ours_alone_survive_because_models_read_them(boot: Boot) -> None:
    code = """
import json, pydantic, webbrain
json.dumps([webbrain.__doc__, json.__doc__, pydantic.BaseModel.__doc__])
"""
    ours, *others = boot(code)["result"]
    assert ours.startswith("WebBrain")
    assert others == [None, None]


def test_assertions_of_others_are_kept(boot: Boot) -> None:
    """Without them a damaged file would get further than its reader expects."""
    code = """
import dis, json, pypdf._doc_common as module
functions = [getattr(value, "fget", value) for value in vars(module.PdfDocCommon).values()]
def raises(f):
    return any(op.opname == "LOAD_COMMON_CONSTANT" for op in dis.get_instructions(f))
json.dumps(sum(raises(f) for f in functions if hasattr(f, "__code__")))
"""
    assert boot(code)["result"] > 0


def test_while_python_starts_only_packaged_files_can_be_fetched(boot: Boot) -> None:
    for mode in ("snapshot", "plain"):
        answer = boot(mode=mode)
        only = "only packaged files can be read while Python starts"
        assert answer["during"] == [only, only, only, "200"]
        assert answer["doorClosed"]


COLLIDING = """
import json, sys, time
from webbrain.agent.arguments import parse_arguments
from webbrain.core import bounded_json
from webbrain.core.errors import WebBrainError
from webbrain.policy.taint import Taint
from webbrain.providers.wire import StreamBroken, frame
from webbrain.tools import registry

class Chosen(str):
    # What brute force finds under a public seed: other texts, the same hash.
    __slots__ = ()
    def __hash__(self):
        return 7

real = bounded_json.json.loads
def colliding(text, object_pairs_hook):
    return real(text, object_pairs_hook=lambda pairs: object_pairs_hook([(Chosen(k), v) for k, v in pairs]))

def seconds(work):
    began = time.perf_counter()
    try:
        work()
    except (StreamBroken, ValueError, WebBrainError):
        pass
    return time.perf_counter() - began

bounded_json.json = type("json", (), {"loads": staticmethod(colliding)})
spec = registry.get("scroll")
def text(count):
    return json.dumps({f"key{number}": number for number in range(count)})
links = " ".join(f"https://host{number}.example/?q={number}" for number in range(10_000))
taint = Taint()
def learn():
    for part in range(0, len(links), 40_000):
        taint.learn(links[part : part + 40_000], f"page{part}.example")
    taint.settle()

most = bounded_json.OBJECT_KEYS
times = {
    "frame": seconds(lambda: frame(text(10_000))),
    "arguments": seconds(lambda: parse_arguments(spec, text(10_000))),
    "frame that is allowed": seconds(lambda: frame(text(most))),
    "arguments that are allowed": seconds(lambda: parse_arguments(spec, text(most))),
    "taint": seconds(learn),
    "without a cap": seconds(lambda: dict.fromkeys(map(Chosen, map(str, range(10_000))))),
    "seed": sys.flags.hash_randomization,
}
json.dumps(times)
"""
DEADLINE_SECONDS = 5
"""After so long Python counts as stuck."""


def test_keys_that_collide_under_the_public_seed_do_not_stop_it(boot: Boot) -> None:
    """Every door through which a page or a model sends keys, with 10,000 of one hash."""
    times = boot(COLLIDING, mode="snapshot")["result"]
    assert times.pop("seed") == 0
    without = times.pop("without a cap")
    assert max(times.values()) < DEADLINE_SECONDS, times
    assert times["frame"] < without / 4, "it is the cap that makes the difference"


def test_no_path_of_the_building_machine_is_shipped() -> None:
    needle = str(ROOT).encode()
    tree = DIST / "chrome"
    found = [path.name for path in tree.rglob("*") if path.is_file() and needle in path.read_bytes()]
    assert found == []
    for archive in (tree / SITE_ARCHIVE, tree / "pyodide/python_stdlib.zip"):
        assert [name for name, content in read_archive(archive).items() if needle in content] == []


def test_everything_is_byte_code_of_the_interpreter_that_runs_it(boot: Boot) -> None:
    magic = bytes(
        boot("import importlib.util, json; json.dumps(list(importlib.util.MAGIC_NUMBER))")["result"]
    )
    tree = DIST / "chrome"
    for archive in (tree / SITE_ARCHIVE, tree / "pyodide/python_stdlib.zip"):
        files = read_archive(archive)
        assert not [name for name in files if name.endswith(".py")]
        compiled = {name: content for name, content in files.items() if name.endswith(".pyc")}
        assert len(compiled) > 100
        unchecked_hash = (1).to_bytes(4, "little")
        assert all(content[:8] == magic + unchecked_hash for content in compiled.values())
