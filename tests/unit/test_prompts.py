"""System prompts: there, bounded, true about the tools, and readable from a zip."""

import json
import re
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

import webbrain
from tests.support.agent import Bench
from tests.support.models import endpoint
from tests.support.toolbox import page_host
from webbrain import prompts
from webbrain.core.messages import ImagePart
from webbrain.core.types import Mode, Tier
from webbrain.host.protocols import Capabilities
from webbrain.prompts import COMPOSED, prompt, system_prompt
from webbrain.providers.openai_chat import OpenAIChat
from webbrain.providers.wire import Learned
from webbrain.testing.scripted import INFO, ScriptedModel, call
from webbrain.tools import registry

FIRST_REQUEST_BYTES = 25_600
ABLE = {
    "memory": Capabilities(browser="memory"),
    "chrome": Capabilities(browser="chrome", cdp=True),
    "firefox": Capabilities(browser="firefox", captures_background_tabs=True),
}
PROMPT_CHARS = {
    "ask": 4_000,
    "act-compact": 1_500,
    "act-mid": 5_500,
    "act-full": 7_500,
    "constrained": 1_200,
    "constrained-examples": 5_300,
    "describe-picture": 1_500,
    "planner": 3_200,
    "planner-intent": 1_600,
    "planner-small": 1_300,
    "planner-least": 500,
    "summarise": 1_500,
    "strict-secrets": 900,
    "describe-attachment": 1_500,
}
CAPABILITIES = Capabilities(browser="memory", cdp=True)
CASES = [(mode, tier) for mode in (Mode.ASK, Mode.ACT) for tier in Tier]


@pytest.mark.parametrize("name", COMPOSED)
def test_prompts_are_bounded(name: str) -> None:
    assert 300 < len(prompt(name)) <= PROMPT_CHARS[name]


def test_every_file_is_used_and_every_part_exists() -> None:
    folder = Path(prompts.__path__[0])
    files = {path.stem for path in folder.glob("*.md")}
    assert files == {part for parts in COMPOSED.values() for part in parts}


@pytest.mark.parametrize(("mode", "tier"), CASES)
def test_prompts_name_only_tools_that_are_offered(mode: Mode, tier: Tier) -> None:
    offered = {spec.name for spec in registry.tools_for(mode, tier, CAPABILITIES)}
    known = {spec.name for spec in registry.load().all()}
    text = system_prompt(mode, tier)
    mentioned = {name for name in known if re.search(rf"\b{name}\b", text)} - {"scroll", "navigate", "done"}
    mentioned |= set(re.findall(r"`(scroll|navigate|done)`", text))
    assert mentioned <= offered
    named = set(re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", text))
    words = {"ref_id", "untrusted_page_content"}
    assert named - words <= offered, "a tool that does not exist"


@pytest.mark.parametrize(("mode", "tier"), CASES)
def test_every_prompt_draws_the_line_at_page_text(mode: Mode, tier: Tier) -> None:
    text = system_prompt(mode, tier)
    assert "<untrusted_page_content" in text
    assert re.search(r"[Nn]ever (obey|follow)|never obey", text)
    assert "assword" in text


def test_constrained_and_dev() -> None:
    assert system_prompt(Mode.ACT, Tier.COMPACT, constrained=True) == prompt("constrained")
    assert system_prompt(Mode.DEV, Tier.FULL) == system_prompt(Mode.ACT, Tier.FULL)
    assert system_prompt(Mode.ACT, Tier.FULL) is system_prompt(Mode.ACT, Tier.FULL), "read once"


def replace_picture(picture: ImagePart) -> ImagePart:
    """The same without what it shows."""
    return picture.model_copy(update={"data_url": "data:image/jpeg;base64,"})


@pytest.mark.parametrize("browser", ABLE)
@pytest.mark.parametrize("sees", [False, True], ids=["blind", "sees"])
@pytest.mark.parametrize(("mode", "tier"), CASES)
async def test_first_request_is_small(mode: Mode, tier: Tier, sees: bool, browser: str) -> None:
    """As it is sent, in bytes, wherever it is sent from; the sizes by part are printed with ``pytest -s``."""
    info = replace(INFO, tier=tier, supports_vision=sees)
    model = ScriptedModel(call("done", summary="Done.", outcome="success"), info=info)
    bench = Bench(model=model, host=page_host(capabilities=ABLE[browser]))
    await bench.run("Fill in the form with my name, Ada Lovelace, and send it.", mode.value)
    asked = model.requests[0]
    # How large a picture is depends on the page; what is said of it counts.
    for message in asked.messages:
        message.images[:] = [replace_picture(picture) for picture in message.images]
    sent = OpenAIChat().request(endpoint("openai"), asked, Learned(), stream=False).body
    body = json.loads(sent)
    prompt_bytes, tools, rest = (
        len(json.dumps(part, ensure_ascii=False, separators=(",", ":")).encode())
        for part in (body["messages"][0], body["tools"], body["messages"][1:])
    )
    print(
        f"{mode.value}/{tier.value}: prompt {prompt_bytes}, {len(body['tools'])} tools {tools}, "
        f"turn {rest}, in all {len(sent)}"
    )
    assert len(sent) <= FIRST_REQUEST_BYTES


def test_prompts_and_tools_load_from_a_zip(tmp_path: Path) -> None:
    package = Path(webbrain.__path__[0])
    archive = tmp_path / "package.zip"
    with zipfile.ZipFile(archive, "w") as bundle:
        for path in package.rglob("*"):
            if path.suffix in (".py", ".md", ".toml", ".json"):
                bundle.write(path, Path("webbrain") / path.relative_to(package))
    code = (
        "import webbrain, webbrain.prompts as p, webbrain.tools.registry as r;"
        "assert '.zip' in webbrain.__path__[0];"
        "print(len(p.prompt('act-full')), len(r.load().all()))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(archive)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stdout.split() == [str(len(prompt("act-full"))), str(len(registry.load().all()))], ran.stderr
