"""Files that come with a request: checked before its run exists, so that a turn is never half sent.

Numbers. A picture or PDF of up to 16 MB and a text of up to 5 MB is what the panel of the reference takes.
Before they are sent pictures are scaled down to the size every service takes (``agent.capture``), so a
request is full of PDFs at worst: 20 MB of files are 27 MB of base64, and the strictest service with documents
takes requests of 32 MB. Ten files are as many as a person can look after in a narrow panel.
"""

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from webbrain.agent import attachments, file_kinds
from webbrain.agent.attachments import DOCUMENTS_MAX, Attached, document_chars, document_room
from webbrain.agent.capture import BASE64_CHARS
from webbrain.agent.context import CHARS_PER_TOKEN
from webbrain.core.errors import BridgeError, WebBrainError
from webbrain.core.events import AttachmentRejected
from webbrain.core.messages import DocumentPart, ImagePart, Message
from webbrain.host.protocols import Host
from webbrain.providers.base import ModelInfo
from webbrain.services.documents import DocumentStore
from webbrain.services.pictures import PictureStore

FILES_MAX: Final = 10
TOTAL_BYTES: Final = 20_000_000
PDF_BYTES: Final = 16_000_000
TEXT_BYTES: Final = 5_000_000
PICTURE_BYTES: Final = BASE64_CHARS // 4 * 3
"""Of a picture as it is sent; whoever attaches it scales it down first."""
FILES_TOLD: Final = 100
"""More files than this are no mistake of a person's hand, and not told one by one."""
TEXT_SHARE: Final = 0.4
"""Share of the context window for the texts of all files of a turn together."""
TEXT_CHARS: Final = 200_000
"""And the most characters for them, whatever the window: each step sends them again."""
PDF_PAGES: Final = 300
PDF_TIMEOUT: Final = 60.0
NAME_MAX: Final = 300

TOO_MANY: Final = "At most {limit} files can go with one message."
TOO_LARGE: Final = "It has {size}; {kind} may have at most {limit}."
TOGETHER: Final = "All files of a message together may have at most {limit}."
EMPTY: Final = "The file is empty."
BROKEN: Final = "The file did not arrive whole."
UNSUPPORTED: Final = "Only pictures (PNG, JPEG, GIF, WebP), PDFs and text files can be attached."
NO_VISION: Final = (
    "{label} does not read pictures with this model, and no vision model is set in the settings."
)
LOCKED: Final = "It is protected by a password."
NO_PDF: Final = "It cannot be read as a PDF."
NO_TEXT: Final = "It holds no text (it is probably scanned), and {label} does not take PDFs as they are."
SLOW: Final = "It took too long to read."
KINDS: Final = {"picture": "a picture", "pdf": "a PDF", "text": "a text file"}
LIMITS: Final = {"picture": PICTURE_BYTES, "pdf": PDF_BYTES, "text": TEXT_BYTES}


class Upload(BaseModel):
    """A file of ``chat.start``: base64, or the number of a buffer that came beside the call."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel, populate_by_name=True)

    name: str = Field(min_length=1, max_length=NAME_MAX)
    media_type: str = Field(default="", max_length=200)
    """What it claims to be; the bytes decide."""
    data: str | bytes = ""
    buffer: int | None = None


@dataclass(frozen=True, slots=True)
class Refused(Exception):
    """Why one file cannot go."""

    code: str
    reason: str


class Rejected(WebBrainError):
    """Some files of a request cannot be taken; ``data["rejected"]`` lists them."""

    code = "attachment_rejected"

    def __init__(self, rejected: Sequence[AttachmentRejected]) -> None:
        self.rejected = tuple(rejected)
        told = " ".join(f"{one.name}: {one.reason}" for one in rejected)
        listed = [one.model_dump(mode="json", by_alias=True) for one in rejected]
        super().__init__(told, data={"rejected": listed})


@dataclass(frozen=True, slots=True)
class _File:
    index: int
    name: str
    data: bytes
    kind: file_kinds.Kind
    media_type: str


def with_buffers(params: Mapping[str, Any], buffers: Sequence[bytes]) -> dict[str, Any]:
    """The parameters of a call with the buffers beside it in their places."""
    files = params.get("files")
    if not isinstance(files, list):
        return dict(params)
    return {**params, "files": [_filled(file, buffers) for file in files]}


def _filled(file: Any, buffers: Sequence[bytes]) -> Any:
    number = file.get("buffer") if isinstance(file, dict) else None
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < len(buffers):
        return file
    return {**file, "data": buffers[number]}


class AttachmentService:
    """One per app."""

    def __init__(self, host: Host, pictures: PictureStore) -> None:
        self._host = host
        self._pictures = pictures
        self.documents = DocumentStore(host)

    async def prepare(
        self, uploads: Sequence[Upload], info: ModelInfo, *, described: bool
    ) -> tuple[Attached, ...]:
        """Check and read all files and keep what screens or a later step will need of them.

        ``described``: a vision model is there for what the model itself does not see. Raises
        :class:`Rejected`, and has kept nothing then.
        """
        rejected: list[AttachmentRejected] = []
        files = [file for file in _opened(uploads, rejected) if _takes(file, info, described, rejected)]
        if rejected:
            raise Rejected(rejected)
        as_they_are = _documents(files, info)
        texts, parts = await self._texts([f for f in files if f.index not in as_they_are], info, rejected)
        if rejected:
            raise Rejected(rejected)
        out = []
        for file in files:
            attached = Attached(file.name, file.media_type, len(file.data), "text", body=file.data)
            if file.index in texts:
                attached = replace(attached, text=texts[file.index], part=parts[file.index])
            else:
                attached = await self._kept(file, attached, seen=_sees(info))
            out.append(attached)
        return tuple(out)

    async def revive(self, messages: list[Message]) -> None:
        """Give the newest turns of a conversation that was read from the store their files back."""
        first = attachments.kept_from(messages)
        for place in range(first, len(messages)):
            message = messages[place]
            parts: list[ImagePart | DocumentPart] = [*message.images, *message.documents]
            if any(not part.data_url and part.file_id for part in parts):
                messages[place] = await self._revived(message)

    async def _revived(self, message: Message) -> Message:
        images = [
            part.model_copy(update={"data_url": part.data_url or await self._pictures.get(part.file_id)})
            if part.file_id
            else part
            for part in message.images
        ]
        documents = [
            part.model_copy(update={"data_url": part.data_url or await self.documents.get(part.file_id)})
            for part in message.documents
        ]
        return message.model_copy(update={"images": images, "documents": documents})

    async def _kept(self, file: _File, attached: Attached, *, seen: bool) -> Attached:
        data_url = f"data:{file.media_type};base64,{base64.b64encode(file.data).decode('ascii')}"
        if file.kind == "picture":
            file_id = await self._pictures.keep(data_url)
            return replace(attached, form="picture" if seen else "unseen", data_url=data_url, file_id=file_id)
        file_id = await self.documents.keep(data_url)
        pages = file_kinds.page_count(file.data)
        return replace(attached, form="document", data_url=data_url, pages=pages, file_id=file_id)

    async def _texts(
        self, files: Sequence[_File], info: ModelInfo, rejected: list[AttachmentRejected]
    ) -> tuple[dict[int, str], dict[int, str]]:
        """The texts of those that go as text, cut to what fits, and the words for what was cut."""
        room = min(TEXT_CHARS, int(info.context_window * CHARS_PER_TOKEN * TEXT_SHARE))
        whole: dict[int, str] = {}
        said: dict[int, str] = {}
        for file in files:
            if file.kind == "text":
                whole[file.index] = file_kinds.decoded(file.data) or ""
            elif file.kind == "pdf":
                try:
                    whole[file.index], said[file.index] = await self._read_pdf(file, room, info)
                except Refused as refused:
                    rejected.append(_told(file.index, file.name, refused.code, refused.reason))
        given = dict(
            zip(whole, attachments.shares([len(text) for text in whole.values()], room), strict=True)
        )
        parts = {
            index: said.get(index, "") + _cut_words(len(text), given[index]) for index, text in whole.items()
        }
        return {index: text[: given[index]] for index, text in whole.items()}, parts

    async def _read_pdf(self, file: _File, room: int, info: ModelInfo) -> tuple[str, str]:
        """The text of a PDF, and which of its pages that is. Raises :class:`Refused`."""
        try:
            found = await self._host.pdfs.read(
                file.data, from_page=1, to_page=PDF_PAGES, max_chars=room, timeout=PDF_TIMEOUT
            )
        except BridgeError as error:
            if error.code == "pdf_encrypted":
                raise Refused("pdf_locked", LOCKED) from error
            if error.code == "timeout":
                raise Refused("pdf_slow", SLOW) from error
            raise Refused("pdf_broken", NO_PDF) from error
        pages = [(int(page["page"]), str(page["text"])) for page in found["pages"]]
        if not any(text.strip() for _, text in pages):
            raise Refused("pdf_no_text", NO_TEXT.format(label=info.label))
        total, last = int(found["totalPages"]), pages[-1][0]
        every = f", the text of all {total} pages" if total > 1 else ", the text of its one page"
        which = every if last >= total else f", pages 1 to {last} of {total}"
        if found["truncated"]:
            which += "; the rest is left out"
        return "\n\n".join(f"[Page {number}]\n{text.strip()}" for number, text in pages), which


def _opened(uploads: Sequence[Upload], rejected: list[AttachmentRejected]) -> list[_File]:
    """The files whose bytes are all right in themselves."""
    files: list[_File] = []
    together = 0
    for index, upload in enumerate(uploads):
        try:
            if index >= FILES_MAX:
                raise Refused("too_many", TOO_MANY.format(limit=FILES_MAX))
            data = _bytes(upload)
            kind, media_type = _kind(data)
            together += len(data)
            if together > TOTAL_BYTES:
                raise Refused("too_large_together", TOGETHER.format(limit=size(TOTAL_BYTES)))
        except Refused as refused:
            rejected.append(_told(index, upload.name, refused.code, refused.reason))
        else:
            files.append(_File(index, upload.name, data, kind, media_type))
    return files


def _bytes(upload: Upload) -> bytes:
    data = upload.data
    if isinstance(data, str):
        if len(data) > TOTAL_BYTES * 2:
            raise Refused("too_large_together", TOGETHER.format(limit=size(TOTAL_BYTES)))
        try:
            data = base64.b64decode(data, validate=True)
        except (binascii.Error, ValueError):
            raise Refused("broken", BROKEN) from None
    if not data:
        raise Refused("empty", EMPTY)
    return data


def _kind(data: bytes) -> tuple[file_kinds.Kind, str]:
    kind, media_type = file_kinds.kind_of(data)
    if not kind:
        raise Refused("unsupported", UNSUPPORTED)
    if len(data) > LIMITS[kind]:
        limit = size(LIMITS[kind])
        raise Refused("too_large", TOO_LARGE.format(size=size(len(data)), kind=KINDS[kind], limit=limit))
    return kind, media_type


def _takes(file: _File, info: ModelInfo, described: bool, rejected: list[AttachmentRejected]) -> bool:
    """Whether the model can be given this kind of file in any form."""
    if file.kind != "picture" or described or _sees(info):
        return True
    rejected.append(_told(file.index, file.name, "no_vision", NO_VISION.format(label=info.label)))
    return False


def _sees(info: ModelInfo) -> bool:
    """A model held to a schema gets no pictures: its prompt has no place for them."""
    return info.supports_vision and not info.constrained


def _documents(files: Sequence[_File], info: ModelInfo) -> set[int]:
    """Which files go as they are: pictures, and the PDFs that the service takes as documents."""
    pictures = {file.index for file in files if file.kind == "picture"}
    room = document_room(info)
    whole: set[int] = set()
    for file in files:
        if file.kind != "pdf" or len(whole) >= DOCUMENTS_MAX:
            continue
        needed = document_chars(file.data, info, room)
        if needed is not None:
            room -= needed
            whole.add(file.index)
    return pictures | whole


def _told(index: int, name: str, code: str, reason: str) -> AttachmentRejected:
    return AttachmentRejected(name=name[: attachments.NAME_CHARS], reason=reason, code=code, index=index)


def _cut_words(have: int, given: int) -> str:
    if given >= have:
        return ""
    return f", only the first {given:,} of {have:,} characters: the rest does not fit and is left out"


def size(count: int) -> str:
    """A size in words, in megabytes or kilobytes of a thousand."""
    return f"{count / 1_000_000:.1f} MB" if count >= 1_000_000 else f"{max(1, round(count / 1_000))} KB"
