"""Documents in requests: what a PDF is on each wire, who gets none, and what a strict server of each says."""

import base64
import json
from typing import Any

import pytest

from tests.support.models import TOOLS, client, endpoint
from tests.support.streams import FORM, PROVIDER
from tests.support.strict import SERVERS, StrictHost
from webbrain.core.messages import DocumentPart, ImagePart, Message, ModelRequest, ToolCall
from webbrain.providers import catalog
from webbrain.providers.client import WIRES
from webbrain.providers.history import DOCUMENT_GONE, DOCUMENT_LEFT_OUT
from webbrain.providers.wire import Learned
from webbrain.testing.chat import Reply

DATA = base64.b64encode(b"%PDF-1.7 words").decode()
PDF = f"data:application/pdf;base64,{DATA}"
PNG = "data:image/png;base64,iVBORw0KGgo="

TAKES: dict[str, dict[str, Any]] = {
    "openai": {"apiFormat": "chat", "model": "gpt-4o"},
    "openai, responses": {"apiFormat": "responses", "model": "gpt-4o"},
    "anthropic": {},
    "google-vertex-anthropic": {"project": "tea-shop-1", "location": "global", "apiKey": "k"},
    "aws_bedrock": {"visionMode": "on"},
}
"""Services that take documents, and what else their form must say."""
TAKES_NONE = {
    "gemini": {"visionMode": "on"},
    "openrouter": {"visionMode": "on"},
    "azure_openai": {"visionMode": "on"},
    "llamacpp": {"visionMode": "on", "model": "m"},
    "custom": {"visionMode": "on", "model": "gpt-4o", "baseUrl": "https://models.example/v1"},
}


def asked(text: str = "Sum it up.", **more: Any) -> ModelRequest:
    files = [DocumentPart(data_url=PDF, name="in voice.pdf"), DocumentPart(data_url=PDF)]
    return ModelRequest(messages=[Message(role="user", content=text, documents=files, **more)])


def body(service: str, request: ModelRequest, **form: Any) -> dict[str, Any]:
    made = endpoint(service.partition(",")[0], **form)
    sent = WIRES[made.wire].request(made, request, Learned(), stream=False)
    value: dict[str, Any] = json.loads(sent.body)
    return value


def test_chat_completions() -> None:
    [turn] = body("openai", asked(), **TAKES["openai"])["messages"]
    assert turn["content"] == [
        {"type": "text", "text": "Sum it up."},
        {"type": "file", "file": {"filename": "in voice.pdf", "file_data": PDF}},
        {"type": "file", "file": {"filename": "document.pdf", "file_data": PDF}},
    ]


def test_responses() -> None:
    [turn] = body("openai", asked(), **TAKES["openai, responses"])["input"]
    assert turn["content"] == [
        {"type": "input_text", "text": "Sum it up."},
        {"type": "input_file", "filename": "in voice.pdf", "file_data": PDF},
        {"type": "input_file", "filename": "document.pdf", "file_data": PDF},
    ]


@pytest.mark.parametrize("service", ["anthropic", "google-vertex-anthropic"])
def test_messages(service: str) -> None:
    [turn] = body(service, asked(), **TAKES[service])["messages"]
    source = {"type": "base64", "media_type": "application/pdf", "data": DATA}
    first, second, words = turn["content"]
    assert first == {"type": "document", "source": source, "title": "in voice.pdf"}
    assert second == {"type": "document", "source": source}
    assert words["text"] == "Sum it up."


def test_converse() -> None:
    [turn] = body("aws_bedrock", asked(""), visionMode="on")["messages"]
    first, second, words = turn["content"]
    assert first == {"document": {"format": "pdf", "name": "document 1", "source": {"bytes": DATA}}}
    assert second["document"]["name"] == "document 2"
    assert words["text"].strip(), "a document must have a text beside it"


@pytest.mark.parametrize("service", TAKES)
def test_with_a_model_that_reads_no_pictures_none_goes(service: str) -> None:
    sent = json.dumps(body(service, asked(), **{**TAKES[service], "visionMode": "off"}))
    assert DATA not in sent
    assert DOCUMENT_LEFT_OUT in sent


@pytest.mark.parametrize("service", TAKES_NONE)
def test_who_takes_none_gets_words(service: str) -> None:
    made = endpoint(service, **TAKES_NONE[service])
    assert not made.info.supports_documents
    sent = json.dumps(body(service, asked(), **TAKES_NONE[service]))
    assert DATA not in sent
    assert DOCUMENT_LEFT_OUT in sent


def test_an_openai_model_elsewhere_takes_none() -> None:
    """The same names are served by others, in the part of the format that everybody speaks."""
    assert endpoint("openai", model="gpt-4o").info.supports_documents
    assert not endpoint("openai", model="gpt-4o", baseUrl="https://proxy.example/v1").info.supports_documents


def test_bedrock_takes_them_with_some_models_and_up_to_a_size() -> None:
    claude = endpoint("aws_bedrock", visionMode="on").info
    assert (claude.supports_documents, claude.document_bytes) == (True, 4_500_000)
    llama = endpoint("aws_bedrock", visionMode="on", model="meta.llama3-70b-instruct-v1:0").info
    assert not llama.supports_documents


@pytest.mark.parametrize("service", TAKES)
def test_one_that_was_let_go_of_is_named(service: str) -> None:
    request = asked()
    request.messages[0].documents[0] = DocumentPart(data_url="", name="in voice.pdf")
    sent = json.dumps(body(service, request, **TAKES[service]))
    assert sent.count(DATA) == 1
    assert DOCUMENT_GONE in sent


@pytest.mark.parametrize("service", TAKES)
@pytest.mark.parametrize(
    "url", ["data:text/plain;base64,AAAA", "data:application/pdf,raw", "https://x.example/a.pdf"]
)
def test_nothing_but_a_pdf_goes_as_one(service: str, url: str) -> None:
    request = asked()
    request.messages[0].documents = [DocumentPart(data_url=url)]
    sent = json.dumps(body(service, request, **TAKES[service]))
    assert url not in sent
    assert "AAAA" not in sent


def test_every_service_that_takes_documents_is_tried_here() -> None:
    known = {entry.id for entry in catalog.load().entries.values() if entry.documents}
    assert known == {service.partition(",")[0] for service in TAKES}
    wires = {catalog.load().entries[one].wire for one in known}
    assert wires <= {"openai_chat", "anthropic", "vertex_anthropic", "bedrock"}


@pytest.mark.parametrize("wire", SERVERS)
async def test_strict_servers_take_what_each_wire_sends(wire: str) -> None:
    """A whole conversation with a picture and a document at its beginning, a call, and its result."""
    host = StrictHost(wire, lambda call: Reply("Yes."))
    form = {**FORM.get(PROVIDER[wire], {}), "visionMode": "on"}
    model = client(host, PROVIDER[wire], **form)
    messages = [
        asked(images=[ImagePart(data_url=PNG)]).messages[0],
        Message(role="assistant", tool_calls=[ToolCall(id="c1", name="scroll", arguments="{}")]),
        Message(role="tool", content="{}", tool_call_id="c1", name="scroll"),
        asked("And this?").messages[0],
    ]
    await model.complete(ModelRequest(messages=messages, tools=TOOLS))
    assert host.refused == []
    marks = [turn.text for turn in host.calls[0].turns if turn.role == "user"]
    takes = model.info.supports_documents
    assert sum(text.count("[document]") for text in marks) == (4 if takes else 0)
    assert any("[image]" in text for text in marks)
    assert (DOCUMENT_LEFT_OUT in str(marks)) is not takes
