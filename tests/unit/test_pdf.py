"""The PDF reader, outside of its Worker."""

import json
from typing import Any

import pytest
from pypdf import PageObject

from tests.support.pdf_files import encrypted, pdf, prose, unknown_cipher
from webbrain import pdf as reader
from webbrain.core.errors import BridgeError
from webbrain.pdf import aes

SMALL = pdf(["First page (one)", "Second page", "Third page"], title="Tea \\ list")


def read(data: bytes, first: int = 1, last: int = 50, chars: int = 50_000, word: str = "") -> dict[str, Any]:
    return reader.read(data, from_page=first, to_page=last, max_chars=chars, password=word)


def refusal(data: bytes, password: str = "") -> BridgeError:
    with pytest.raises(BridgeError) as caught:
        read(data, word=password)
    return caught.value


def test_pages_and_title() -> None:
    assert read(SMALL) == {
        "title": "Tea \\ list",
        "totalPages": 3,
        "fromPage": 1,
        "toPage": 3,
        "pages": [
            {"page": 1, "text": "First page (one)"},
            {"page": 2, "text": "Second page"},
            {"page": 3, "text": "Third page"},
        ],
        "truncated": False,
        "encrypted": False,
    }


def test_a_range() -> None:
    result = read(SMALL, 2, 2)
    assert [page["page"] for page in result["pages"]] == [2]
    assert (result["fromPage"], result["toPage"], result["truncated"]) == (2, 2, False)


def test_a_range_behind_the_end_is_empty() -> None:
    result = read(SMALL, 4, 9)
    assert (result["pages"], result["toPage"], result["totalPages"]) == ([], 3, 3)


def test_the_cap_cuts_a_page_and_says_where() -> None:
    result = read(SMALL, chars=20)
    assert [len(page["text"]) for page in result["pages"]] == [16, 4]
    assert (result["toPage"], result["truncated"]) == (2, True)
    whole = read(SMALL, chars=16 + 11 + 10)
    assert (whole["toPage"], whole["truncated"]) == (3, False)
    assert read(SMALL, chars=16)["truncated"] is True


def test_a_long_document_is_read_only_as_far_as_asked() -> None:
    data = pdf([prose(number) for number in range(1, 301)], ballast=5_000_000)
    assert len(data) > 5_000_000
    result = read(data, 290, 300)
    assert result["totalPages"] == 300
    assert result["pages"][0]["text"].startswith("Page 290")
    assert len(result["pages"]) == 11


def test_scanned() -> None:
    result = read(pdf(["", ""], image=True))
    assert [page["text"] for page in result["pages"]] == ["", ""]


@pytest.mark.parametrize("cipher", ["RC4-40", "RC4-128", "AES-128", "AES-256"])
def test_encrypted_without_a_password_to_open(cipher: str) -> None:
    aes.install()
    result = read(encrypted(SMALL, "", cipher=cipher))
    assert result["encrypted"] is True
    assert result["pages"][0]["text"] == "First page (one)"


@pytest.mark.parametrize("cipher", ["RC4-128", "AES-128"])
def test_encrypted(cipher: str) -> None:
    aes.install()
    data = encrypted(SMALL, "tea", cipher=cipher)
    assert refusal(data).code == "pdf_encrypted"
    assert "needs a password" in refusal(data).message
    assert "not the password" in refusal(data, "coffee").message
    assert read(data, word="tea")["totalPages"] == 3


def test_a_cipher_that_is_not_there() -> None:
    error = refusal(unknown_cipher(SMALL))
    assert error.code == "pdf_encrypted"
    assert "cannot be opened here" in error.message


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<html>not found</html>",
        b"%PDF-1.7",
        b"%PDF-1.7\n" + bytes(10_000),
        SMALL[:200],
        SMALL.replace(b"/Pages 2 0 R", b"/Pages 1 0 R"),
    ],
)
def test_broken(data: bytes) -> None:
    assert refusal(data).code == "pdf_broken"


@pytest.mark.parametrize("step", range(7))
def test_a_damaged_file_breaks_no_more_than_itself(step: int) -> None:
    """Cut or scratched anywhere, it is read as far as it goes or refused, never anything else."""
    for place in range(20 + step, len(SMALL), 97):
        for data in (SMALL[:place], SMALL[:place] + b"\xff\x00(<<" + SMALL[place + 5 :]):
            assert outcome(data) in ("read", "pdf_broken", "pdf_encrypted")


def outcome(data: bytes) -> str:
    try:
        assert read(data)["totalPages"] <= 3
    except BridgeError as error:
        return error.code
    return "read"


def test_a_page_that_fails_does_not_take_the_others_along(monkeypatch: pytest.MonkeyPatch) -> None:
    original = PageObject.extract_text
    calls = iter([False, True, False])

    def extract_text(self: PageObject, *args: Any, **kwargs: Any) -> str:
        if next(calls):
            raise RecursionError("deep")
        return original(self, *args, **kwargs)

    monkeypatch.setattr(PageObject, "extract_text", extract_text)
    result = read(SMALL)
    assert [page.get("failed", False) for page in result["pages"]] == [False, True, False]


class Buffer:
    """What JavaScript hands over."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def to_bytes(self) -> bytes:
        return self._data


def test_the_exchange_with_the_worker() -> None:
    options = json.dumps({"from_page": 1, "to_page": 1, "max_chars": 5, "password": ""})
    assert json.loads(reader.answer(Buffer(SMALL), options))["result"]["pages"] == [
        {"page": 1, "text": "First"}
    ]
    refused = json.loads(reader.answer(Buffer(b"x"), options))
    assert refused == {"error": {"code": "pdf_broken", "message": "This is not a PDF."}}


def test_text_that_cannot_be_sent_is_mended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PageObject, "extract_text", lambda *_args, **_kwargs: "a\ud800b\x00c ")
    options = json.dumps({"from_page": 1, "to_page": 1, "max_chars": 50, "password": ""})
    text = json.loads(reader.answer(Buffer(SMALL), options))["result"]["pages"][0]["text"]
    assert text == "a?bc"


@pytest.mark.parametrize(
    ("size", "coded"),
    [
        (16, "69c4e0d86a7b0430d8cdb78070b4c55a"),
        (24, "dda97ca4864cdfe06eaf70a0ec0d7191"),
        (32, "8ea2b7ca516745bfeafc49904b496089"),
    ],
)
def test_aes_is_aes(size: int, coded: str) -> None:
    """The example vectors of FIPS 197, appendix C."""
    key, plain = bytes(range(size)), bytes.fromhex("00112233445566778899aabbccddeeff")
    assert aes.aes_ecb_encrypt(key, plain).hex() == coded
    assert aes.aes_ecb_decrypt(key, bytes.fromhex(coded)) == plain


def test_aes_over_several_blocks() -> None:
    """The CBC example of NIST SP 800-38A, F.2.1."""
    key = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
    plain = bytes.fromhex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51")
    coded = "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"
    assert aes.aes_cbc_encrypt(key, bytes(range(16)), plain).hex() == coded
    assert aes.aes_cbc_decrypt(key, bytes(range(16)), bytes.fromhex(coded)) == plain


@pytest.mark.parametrize("length", [0, 1, 15, 16, 17, 100])
def test_aes_pads(length: int) -> None:
    cipher = aes.CryptAES(bytes(32))
    coded = cipher.encrypt(bytes(length))
    assert cipher.decrypt(coded) == bytes(length)
    assert cipher.decrypt(coded[:-1]) is not None, "a cut end is read as far as it goes"
