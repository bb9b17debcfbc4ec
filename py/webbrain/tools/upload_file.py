"""Handing a file to a page."""

import base64
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from pydantic import Field, model_validator

from webbrain.core.errors import ToolFailed
from webbrain.core.ids import new_id
from webbrain.core.limits import PAGE_READ_TIMEOUT
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.tools import attached
from webbrain.tools.acting import act
from webbrain.tools.base import UNTOLD, ToolArgs, ToolContext, spec
from webbrain.tools.choosing import take_field
from webbrain.tools.fetching import refusal
from webbrain.tools.problems import from_page
from webbrain.tools.saving import base_name
from webbrain.tools.sources import Content, content, find

MOST_BYTES: Final = 25_000_000
CHUNK_BYTES: Final = 393_216
"""Bytes of one message to the page: 512 KB as base64."""
UPLOAD_TIMEOUT: Final = 140.0
SELECTOR_CHARS: Final = 1_000
NAME_CHARS: Final = 100
"""Of a file's name in a sentence."""
MOST_FILES: Final = 10
TOO_LARGE: Final = "A page is given files of at most 25 MB, all together."
REPLACED: Final = (
    "The field held what an earlier call put there; that is gone from it now. To have several files in one "
    "field, give all of them in one call."
)
COPY: Final = (
    "A picture that was attached is handed over as the panel made it: at most 1,568 pixels wide or high, "
    "without place, time and camera. If the page needs the original, the user must choose it themselves."
)

DownloadId = Annotated[int, Field(ge=0)]
FileName = Annotated[str, Field(min_length=1, max_length=300)]


class Args(ToolArgs):
    """Put files into a file field, all in one call: downloads, or by name what the user attached. ref_id or
    selector: the field, or what asks for files; else the page's only field. Do not click it: that opens a
    system dialog. Check what the page shows then."""

    downloadIds: list[DownloadId] = Field([], max_length=MOST_FILES)
    attachments: list[FileName] = Field([], max_length=MOST_FILES)
    ref_id: str | None = Field(None, max_length=40)
    selector: str | None = Field(None, max_length=SELECTOR_CHARS)
    downloadId: DownloadId | None = Field(None, json_schema_extra={UNTOLD: True})

    @model_validator(mode="after")
    def _some_file(self) -> "Args":
        """A single ``downloadId`` is taken too."""
        if self.downloadId is not None and not self.downloadIds:
            self.downloadIds = [self.downloadId]
        if not 0 < len(self.downloadIds) + len(self.attachments) <= MOST_FILES:
            raise ValueError(f"give downloadIds or attachments, at most {MOST_FILES} files")
        return self


async def run(ctx: ToolContext, args: Args) -> ToolResult:
    """Fetch the sources of all downloads again, then give all files to the page together; a field that is not
    on the page is asked for."""
    await ctx.host.browser.get_tab(ctx.tab_id)
    given = [attached.find(ctx.attached, name) for name in dict.fromkeys(args.attachments)]
    files = [Content(base_name(file.name), file.media_type, file.body, None) for file in given]
    for number in dict.fromkeys(args.downloadIds):
        room = MOST_BYTES - sum(len(file.body) for file in files)
        try:
            files.append(await content(ctx, await find(ctx, number), room))
        except ToolFailed as error:
            if error.code == "too_large":
                return ToolResult.error(TOO_LARGE, code="too_large", downloadId=number)
            told = {**error.data, "downloadId": number}
            return refusal(ToolFailed(error.message, code=error.code, data=told))
    result = await _give(ctx, files, args.model_dump(include={"ref_id", "selector"}, exclude_none=True))
    opener = result.data.pop("opener", None)
    if isinstance(opener, str) and result.data.get("code") == "no_file_input":
        await take_field(ctx, opener, ", ".join(file.name for file in files)[:NAME_CHARS])
        result = await _give(ctx, files, {"ref_id": opener, "handed": True})
    _say_replaced(ctx, result)
    if result.success and any(file.is_copy for file in given):
        result.notes.append(COPY)
    return result


async def _give(ctx: ToolContext, files: Sequence[Content], place: Mapping[str, Any]) -> ToolResult:
    """Hand the files over in pieces. Before the last piece of the last one nothing changes: the page script
    keeps them until then."""
    lot = new_id("lot")
    pieces = [piece for file in files for piece in _pieces(file, {**place, "lot": lot}, file is files[-1])]
    for piece in pieces[:-1]:
        answer = await ctx.page("upload_file", _encoded(piece), timeout=PAGE_READ_TIMEOUT)
        if answer.get("success") is not True:
            return from_page(answer, "")
    size = sum(len(file.body) for file in files)
    return await act(ctx, "upload_file", _encoded(pieces[-1]), summary=f"{size} bytes handed over")


def _pieces(file: Content, message: Mapping[str, Any], is_last: bool) -> list[dict[str, Any]]:
    """The messages with a file's content, still as bytes."""
    whole = {
        **message,
        "upload": new_id("upload"),
        "name": file.name,
        "type": file.mime,
        "size": len(file.body),
    }
    body = memoryview(file.body)
    pieces = [
        {**whole, "index": index, "data": body[start : start + CHUNK_BYTES], "last": False}
        for index, start in enumerate(range(0, max(len(body), 1), CHUNK_BYTES))
    ]
    pieces[-1]["last"] = True
    if not is_last:
        pieces[-1]["more"] = True
    return pieces


def _encoded(piece: Mapping[str, Any]) -> dict[str, Any]:
    return {**piece, "data": base64.b64encode(piece["data"]).decode()}


def _say_replaced(ctx: ToolContext, result: ToolResult) -> None:
    """Say so if these files took the place of others that the run put into the same field before."""
    field, held = result.data.get("ref_id"), result.data.get("files")
    if not isinstance(field, str) or not isinstance(held, list):
        return
    names = [str(file.get("name", "")) for file in held if isinstance(file, dict)]
    known: dict[str, list[str]] = ctx.state.memory.setdefault(SPEC.name, {})
    gone = [name for name in known.get(field, []) if name not in names] if names else []
    known[field] = names
    if gone:
        result.data["replaced"] = gone
        result.notes.append(REPLACED)


SPEC = spec(
    "upload_file",
    args=Args,
    run=run,
    modes=(Mode.ACT,),
    tiers=(Tier.MID, Tier.FULL),
    capability=Capability.UPLOAD,
    untrusted=True,
    effect=True,
    label="Upload files",
    timeout=UPLOAD_TIMEOUT,
    example='{"downloadIds": [1]}',
)
