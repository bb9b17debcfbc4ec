"""Every entry of the catalogue, found there; and that a new one is seen everywhere."""

# ruff: noqa: E501 - tables of cases are read by the line

import json
import subprocess
import sys
import zipfile
from importlib.resources import files
from pathlib import Path

import pydantic
import pytest

import webbrain
from tests.support.models import KEY, client, endpoint, request, whole
from webbrain.core.types import Tier
from webbrain.host.memory import MemoryHost
from webbrain.providers import catalog, form, table
from webbrain.providers.catalog import CatalogEntry
from webbrain.services.providers import ProviderService

ROOT = Path(__file__).parents[2]
ENTRIES = list(catalog.load().entries)
NEW = """
[provider.example]
label = "Example AI"
category = "cloud"
base_url = "https://api.example.com/v1"
key_url = "https://example.com/keys"
default_model = "example-large"
context_window = 128000
"""
FIELD_KEYS = {"key", "label", "kind", "required", "placeholder", "help"}
VIEW_KEYS = {
    "id", "label", "category", "baseUrl", "model", "tier", "contextWindow", "supportsVision", "streaming", "needsKey",
    "hasKey", "keyUrl", "configured", "active", "notes", "constrained", "fields", "values",
}  # fmt: skip


def text() -> str:
    return files("webbrain.providers").joinpath("catalog.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("provider_id", ENTRIES)
async def test_a_call_reaches_the_right_place_with_the_key(provider_id: str) -> None:
    host = MemoryHost()
    entry = catalog.load().entries[provider_id]
    host.http.on("POST", "*", whole(entry.wire))
    reply = await client(host, provider_id, apiKey=KEY).complete(request(temperature=0.15))
    sent = host.http.requests[0]
    assert reply.text == "whole answer"
    base = entry.base_url or "http://localhost:9999/v1"
    tail = "/messages" if entry.wire == "anthropic" else "/chat/completions"
    assert sent.url == base + ("" if entry.versioned else "/v1") + tail
    assert KEY in (sent.headers.get("Authorization", "") + sent.headers.get("x-api-key", ""))
    body = json.loads(sent.body or b"")
    assert [tool.get("function", tool)["name"] for tool in body["tools"]] == [
        tool.name for tool in request().tools
    ]
    assert ("model" in body) is bool(entry.default_model)
    assert sum(name in body for name in ("max_tokens", "max_completion_tokens")) == 1


@pytest.mark.parametrize("provider_id", ENTRIES)
async def test_a_stream_of_each(provider_id: str) -> None:
    host = MemoryHost()
    entry = catalog.load().entries[provider_id]
    raw = (Path(__file__).parent / "streams" / entry.wire / "text.sse").read_text(encoding="utf-8")
    host.http.on("POST", "*", raw if entry.ask_streaming else whole(entry.wire))
    shown: list[str] = []
    reply = await client(host, provider_id, apiKey=KEY).complete(request(stream=True), shown.append)
    assert host.http.bodies()[0]["stream"] is entry.ask_streaming
    assert "".join(shown) == (reply.text if entry.ask_streaming else "")
    asks_usage = "stream_options" in host.http.bodies()[0]
    assert asks_usage is entry.usage_in_stream
    assert not (asks_usage and entry.category == "local")


@pytest.mark.parametrize("provider_id", ENTRIES)
def test_rules_of_tier_and_context(provider_id: str) -> None:
    entry = catalog.load().entries[provider_id]
    info = endpoint(provider_id).info
    local = entry.category in ("local", "custom")  # the test's custom address is a local one
    if entry.category == "cloud":
        assert endpoint(provider_id, promptTier="compact").info.tier is Tier.FULL
    elif provider_id == "llamacpp":
        assert (info.tier, info.constrained) == (Tier.COMPACT, True)
        assert endpoint(provider_id, promptTier="mid").info.constrained is False
        assert endpoint(provider_id, constrained="off").info.tier is Tier.MID
    else:
        assert info.tier is (Tier.MID if local else Tier.FULL)
        assert endpoint(provider_id, promptTier="compact").info.tier is Tier.COMPACT
    assert info.context_window == 16_384 if local else info.context_window >= 100_000
    assert endpoint(provider_id, contextWindow="32 000").info.context_window == 32_000
    assert info.local is local


@pytest.mark.parametrize("provider_id", ENTRIES)
async def test_its_view_is_what_the_protocol_says(provider_id: str) -> None:
    service = ProviderService(MemoryHost())
    view = next(v for v in (await service.list())["providers"] if v["id"] == provider_id)
    assert set(view) == VIEW_KEYS
    assert (view["active"], view["configured"], view["hasKey"]) == (False, False, False)
    for field in view["fields"]:
        assert set(field) - {"options"} == FIELD_KEYS
        assert field["kind"] in ("text", "url", "secret", "number", "select")
        assert ("options" in field) is (field["kind"] == "select")
        assert field["key"] in form.form_keys(catalog.load().entries[provider_id])
        if field["kind"] == "select":
            assert view["values"][field["key"]] in [option["value"] for option in field["options"]]
    assert list(view["values"]) == [field["key"] for field in view["fields"]]
    json.dumps(view)


async def test_adding_one_entry_is_enough() -> None:
    loaded = catalog.parse(text() + NEW)
    service = ProviderService(MemoryHost(), loaded)
    assert "example" in [view["id"] for view in (await service.list())["providers"]]
    saved = await service.save("example", {"apiKey": KEY})
    assert saved["provider"]["configured"]
    assert "[Example AI](https://example.com/keys)" in table.render(loaded)
    assert "example" not in ENTRIES


def test_the_table_in_the_docs_is_not_stale() -> None:
    page = (ROOT / "docs" / "providers.md").read_text(encoding="utf-8")
    assert table.put_into(page, table.render(catalog.load())) == page
    with pytest.raises(ValueError, match="no marks"):
        table.put_into("nothing", "")


def test_ids_and_labels_are_unique() -> None:
    labels = [entry.label for entry in catalog.load().entries.values()]
    assert len(set(labels)) == len(labels)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"category": "cloudy"}, "category"),
        ({"base_url": ""}, "address"),
        ({"base_url": "https://x/"}, "slash"),
        ({"key_url": ""}, "key is made"),
        ({"constrained": "auto"}, "schema"),
        ({"surprise": 1}, "surprise"),
        ({"context_window": 0}, "context_window"),
    ],
)
def test_a_wrong_entry_is_refused(change: dict[str, object], why: str) -> None:
    good = {
        "id": "x",
        "label": "X",
        "category": "cloud",
        "base_url": "https://x",
        "key_url": "https://x/keys",
    }
    CatalogEntry.model_validate({**good, "context_window": 1})
    with pytest.raises(pydantic.ValidationError, match=why):
        CatalogEntry.model_validate({**good, "context_window": 1, **change})


def test_the_catalogue_is_readable_inside_a_zip(tmp_path: Path) -> None:
    package = Path(webbrain.__file__).parent
    target = tmp_path / "webbrain.zip"
    with zipfile.ZipFile(target, "w") as archive:
        for path in package.rglob("*"):
            if path.suffix in (".py", ".toml", ".md"):
                archive.write(path, Path("webbrain") / path.relative_to(package))
    code = "from webbrain.providers import catalog; import webbrain; print(len(catalog.load().entries), webbrain.__file__)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(target)},
        capture_output=True,
        text=True,
        check=True,
    )
    count, place = done.stdout.split()
    assert int(count) == len(ENTRIES)
    assert "webbrain.zip" in place
