"""The message files are complete, used, and agree with what Python calls its settings and fields."""

import json
import re
from pathlib import Path

import pytest

from webbrain.providers import catalog as catalogs
from webbrain.providers.form import fields as provider_fields
from webbrain.services.settings import fields as setting_fields

ROOT = Path(__file__).resolve().parents[2]
LOCALES = ROOT / "js/_locales"
SOURCES = sorted([*(ROOT / "js/ui").rglob("*.js"), *(ROOT / "js/ui").rglob("*.jsx")])
MANIFEST_KEYS = {"extName", "extDescription"}
FROM_PYTHON = re.compile(r"(setting|option|section|field|help|choice)_")
"""Families whose keys follow from Python's models: English is checked against them below."""


def messages(language: str) -> dict[str, str]:
    entries = json.loads((LOCALES / language / "messages.json").read_text(encoding="utf-8"))
    return {key: entry["message"] for key, entry in entries.items()}


def languages() -> list[str]:
    return sorted(folder.name for folder in LOCALES.iterdir())


def source_text() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in SOURCES)


def test_the_code_knows_exactly_these_languages() -> None:
    found = re.search(r"LANGUAGES = .*?\(\[(.*?)\]\)", (ROOT / "js/ui/i18n.js").read_text())
    assert found
    assert sorted(re.findall(r'"(\w+)"', found[1])) == languages()


@pytest.mark.parametrize("language", [name for name in languages() if name != "en"])
def test_a_language_is_complete(language: str) -> None:
    english, other = messages("en"), messages(language)
    assert sorted(other) == sorted(english)
    for key, text in other.items():
        assert text.strip(), key
        places = sorted(re.findall(r"\{\w+\}", english[key]))
        assert sorted(re.findall(r"\{\w+\}", text)) == places, key


@pytest.mark.parametrize("language", languages())
def test_messages_are_valid_for_the_browser(language: str) -> None:
    for key, text in messages(language).items():
        assert re.fullmatch(r"\w+", key), key
        assert "$" not in text, f"{key}: a dollar sign starts a placeholder of the browser's own"


def polite(text: str) -> list[str]:
    """Words of a German text that address the reader as Sie; where a sentence begins it may mean "they"."""
    return re.findall(r"\b(?:Ihnen|Ihr(?:e[mnrs]?)?)\b|(?<=[\w,;] )Sie\b", text.replace("Ihre Bilder", ""))


def test_german_says_du() -> None:
    """One way of addressing people; half the screens once said Sie."""
    assert polite("Halten Sie sie an") == ["Sie"]
    assert polite("Eine Frage an Ihnen") == ["Ihnen"]
    assert polite("Diese Anfrage. Sie kann Daten ändern.") == []
    assert {key: found for key, text in messages("de").items() if (found := polite(text))} == {}


def test_every_key_that_is_used_exists() -> None:
    english = messages("en")
    text = source_text()
    asked = set(re.findall(r'\bt\("(\w+)"', text))
    asked |= set(re.findall(r'\bt\([^()"]*\? "(\w+)"', text)) | set(
        re.findall(r'\bt\([^()]*: "(\w+)"\)', text)
    )
    counted = set(re.findall(r'\btn\("(\w+)"', text))
    asked |= {f"{key}_{form}" for key in counted for form in ("one", "other")}
    assert len(asked) > 100
    assert sorted(asked - set(english)) == []


def test_every_key_is_used() -> None:
    text = source_text()
    strings = set(re.findall(r'"(\w+)"', text))
    counted = {f"{key}_{form}" for key in re.findall(r'\btn\("(\w+)"', text) for form in ("one", "other")}
    families = tuple(re.findall(r"\bt\(`(\w+_)\$\{", text))
    unused = [
        key
        for key in messages("en")
        if key not in strings | counted | MANIFEST_KEYS
        and not key.startswith(families)
        and not FROM_PYTHON.match(key)
    ]
    assert unused == []


def test_texts_of_settings_and_fields_are_python_s_own() -> None:
    expected: dict[str, set[str]] = {}

    def add(key: str, text: str) -> None:
        if text:
            expected.setdefault(key, set()).add(text)

    for field in setting_fields():
        add(f"setting_{field['key']}", field["label"])
        add(f"setting_{field['key']}_help", field["help"])
        for option in field.get("options", []):
            add(f"option_{field['key']}_{option['value']}", option["label"])
    for entry in catalogs.load().entries.values():
        for field in provider_fields(entry):
            add(f"field_{field['key']}", field["label"])
            add(f"help_{field['key']}", field["help"])
            for option in field.get("options", []):
                add(f"choice_{field['key']}_{option['value']}", option["label"])
    # Of what Python says in several ways (it names the service's own default) one may be translated.
    several = {key: texts for key, texts in expected.items() if len(texts) > 1}
    fixed = {key: texts.pop() for key, texts in expected.items() if len(texts) == 1}
    sections = {f"section_{field['section']}" for field in setting_fields()}
    english = {key: text for key, text in messages("en").items() if FROM_PYTHON.match(key)}
    assert {key for key in english if key.startswith("section_")} == sections
    translated = {key: text for key, text in english.items() if not key.startswith("section_")}
    for key in translated.keys() & several.keys():
        assert translated.pop(key) in several[key], key
    assert translated == fixed
