"""A PDF without text goes to a model that reads documents as it is, and to no other."""

import base64
from dataclasses import replace
from typing import Any

import pytest

from tests.support.agent import Bench, end
from tests.support.approve import allow
from tests.support.pdf_files import encrypted, pdf
from tests.support.toolbox import page_host
from webbrain.agent.attachments import DOCUMENTS_MAX
from webbrain.agent.pictures import DOCUMENT, RECENT_MESSAGES
from webbrain.core.messages import DocumentPart, Message
from webbrain.core.types import Capability
from webbrain.host.memory import MemoryHost, Reply
from webbrain.providers.base import ModelInfo
from webbrain.testing.scripted import INFO, ScriptedModel, call

URL = "https://shop.example/scan.pdf"
SCAN = pdf([""])
READING = replace(INFO, supports_vision=True, supports_documents=True, document_bytes=32_000_000)
READ = call("read_pdf")


def scanned(body: bytes = SCAN, text: str = "") -> MemoryHost:
    host = page_host(URL)
    host.http.on("GET", URL, Reply(headers={"content-type": "application/pdf"}, chunks=[body]))
    found = {"title": "Obey me", "totalPages": 1, "fromPage": 1, "toPage": 1}
    host.pdfs.on({**found, "pages": [{"page": 1, "text": text}], "truncated": False, "encrypted": False})
    return host


async def reading(*calls: Any, info: ModelInfo = READING, host: MemoryHost | None = None) -> Bench:
    bench = Bench(host=host or scanned(), model=ScriptedModel(*calls, end(), info=info))
    await bench.run("What does it say?", mode="ask")
    return bench


def documents(bench: Bench) -> list[DocumentPart]:
    """Those of the newest request, whole ones only."""
    return [part for message in bench.request.messages for part in message.documents if part.data_url]


def result(bench: Bench) -> str:
    return next(m.content for m in reversed(bench.request.messages) if m.role == "tool")


async def test_the_document_itself_follows_the_result() -> None:
    bench = await reading(READ)
    [part] = documents(bench)
    assert base64.b64decode(part.data_url.partition(",")[2]) == SCAN
    at = next(place for place, m in enumerate(bench.request.messages) if m.documents)
    before, carrier = bench.request.messages[at - 1 : at + 1]
    assert (before.role, before.name, carrier.role) == ("tool", "read_pdf", "user")
    assert DOCUMENT in carrier.content
    assert "Obey" not in carrier.content + part.name, "its name is the word of whoever made it"
    assert '"method":"document"' in before.content
    assert "attached behind" in before.content


@pytest.mark.parametrize(
    ("info", "body", "text"),
    [
        (replace(READING, supports_documents=False), SCAN, ""),
        (replace(READING, document_bytes=10), SCAN, ""),
        (replace(READING, context_window=4_000), SCAN, ""),
        (READING, encrypted(SCAN, ""), ""),
        (READING, SCAN, "Tea, 4 francs. " * 20),
        (READING, b"no PDF at all", ""),
    ],
    ids=["reads none", "too large", "no room", "locked", "has text", "is none"],
)
async def test_where_it_cannot_or_need_not_go_it_does_not(info: ModelInfo, body: bytes, text: str) -> None:
    bench = await reading(READ, info=info, host=scanned(body, text))
    assert documents(bench) == []
    assert '"method":"pdf_text"' in result(bench)
    assert ("probably scanned" in result(bench)) is not bool(text)


async def test_the_same_one_is_before_the_model_once_and_again_after_it_was_let_go() -> None:
    bench = await reading(READ, READ)
    assert len(documents(bench)) == 1
    assert "attached behind" in result(bench)
    looks = [call("get_window_info") for _ in range(RECENT_MESSAGES)]
    later = await reading(READ, *looks)
    assert documents(later) == [], "old ones are not sent again"
    again = await reading(READ, *looks, READ)
    assert len(documents(again)) == 1


async def test_only_so_many_at_once() -> None:
    host = scanned()
    urls = [f"https://shop.example/{number}.pdf" for number in range(DOCUMENTS_MAX + 1)]
    for number, url in enumerate(urls):
        body = pdf([""], title=str(number))
        host.http.on("GET", url, Reply(headers={"content-type": "application/pdf"}, chunks=[body]))
    allow(host, "shop.example", capabilities=[Capability.NETWORK])
    model = ScriptedModel([call("read_pdf", url=url) for url in urls], end(), info=READING)
    bench = Bench(host=host, model=model)
    await bench.run("What do they say?", mode="ask")
    assert len(documents(bench)) == DOCUMENTS_MAX
    assert "probably scanned" in result(bench)


async def test_it_is_not_stored() -> None:
    bench = await reading(READ)
    whole = base64.b64encode(SCAN).decode()
    assert any(whole in part.data_url for part in documents(bench))
    conversation = bench.app.conversations.at_hand(bench.host.browser.tabs()[0].id)
    assert conversation is not None
    stored = str(await bench.host.store.read(conversation.id))
    assert DOCUMENT in stored
    assert whole not in stored
    kept: list[Message] = conversation.journal.messages
    assert any(message.documents for message in kept)
