"""Downloads of the browser's own, started for several tools: few at once, each watched for a while."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from webbrain.core.errors import BridgeError, OutcomeUnknown, ToolFailed
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability
from webbrain.host.reach import Download
from webbrain.policy import egress
from webbrain.tools.base import ToolContext
from webbrain.tools.fetching import URL_CHARS, leads_to
from webbrain.tools.problems import sentence

AT_ONCE: Final = 3
WAIT: Final = 15.0
"""Seconds that one download is waited for; then it goes on by itself."""
LOOK: Final = 0.25
ALL_WAIT: Final = 100.0
"""Seconds after which no further download of a call is started."""
SAVE_TIMEOUT: Final = 140.0
NAME_CHARS: Final = 120
DATA_CHARS: Final = 80
"""Characters shown of a ``data:`` address."""

_FORBIDDEN_IN_NAMES: Final = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*\u202a-\u202e\u2066-\u2069]+')
_DEVICES: Final = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)

GOES_ON: Final = "Some downloads are not finished; list_downloads tells how they go on."

ASTRAY: Final = "A redirect led to an address that is not allowed; {end}"
SAVED_ASTRAY: Final = (
    "the file was complete before it could be stopped. It is among the downloads: tell the user to delete it."
)
RUNS_ASTRAY: Final = "the download could not be stopped. Tell the user to stop it."


@dataclass(frozen=True, slots=True)
class Wanted:
    """A file to save: an http(s) address, or a ``data:`` one of our own making."""

    url: str
    filename: str | None = None


def clean_name(name: str | None) -> str | None:
    """A file name without folders and without what a file system gives a meaning to."""
    text = (name or "").replace("\\", "/").rsplit("/", 1)[-1]
    text = _FORBIDDEN_IN_NAMES.sub("_", text).strip(" .")
    if len(text) > NAME_CHARS:
        stem, dot, ending = text.rpartition(".")
        ending = f"{dot}{ending}" if stem and len(ending) <= 10 else ""
        text = text[: NAME_CHARS - len(ending)] + ending
    return (f"_{text}" if _DEVICES.match(text) else text) or None


def base_name(path: str) -> str:
    """The file's name alone: where a person keeps downloads is nobody's business."""
    return path.replace("\\", "/").rsplit("/", 1)[-1]


async def save_all(ctx: ToolContext, wanted: Sequence[Wanted]) -> list[dict[str, Any]]:
    """Save each file; return one outcome per file, in order.

    An outcome is ``{url, state, ...}``; ``state`` is ``complete``, ``in_progress`` (it goes on by itself),
    ``failed``, ``unknown`` or ``not_started``. Cancelling starts no further download.
    """
    guard = await egress.guard(ctx.host, Capability.DOWNLOAD)
    seats = asyncio.Semaphore(AT_ONCE)
    end = ctx.host.clock.monotonic() + ALL_WAIT

    async def one(file: Wanted) -> dict[str, Any]:
        async with seats:
            if ctx.host.clock.monotonic() >= end:
                return {"url": _shown(file.url), "state": "not_started"}
            return {"url": _shown(file.url), **await _save(ctx, file, guard)}

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(file)) for file in wanted]
    return [task.result() for task in tasks]


async def _save(ctx: ToolContext, file: Wanted, guard: egress.Guard) -> dict[str, Any]:
    """Find out where the address leads before anything is saved, and have the browser fetch it from there:
    once a download runs, nobody is asked at a redirect, and not every browser tells of it."""
    url, led = file.url, {}
    try:
        if not url.startswith("data:"):
            guard.check(url)
            url = await leads_to(ctx, url, guard)
            led = {"finalUrl": url[:URL_CHARS]} if url != file.url.partition("#")[0] else {}
        number = await ctx.host.downloads.start(url, filename=file.filename)
    except OutcomeUnknown:
        return {"state": "unknown", "error": "Whether it was started is not known; look at list_downloads."}
    except BridgeError as error:
        return {"state": "failed", "code": error.code, "error": sentence(error)}
    except ToolFailed as error:
        return {"state": "failed", "code": error.code, "error": error.message, **error.data}
    return {"downloadId": number, **led, **await _watch(ctx, number, guard)}


async def _watch(ctx: ToolContext, number: int, guard: egress.Guard) -> dict[str, Any]:
    end = ctx.host.clock.monotonic() + WAIT
    while True:
        row = await _row(ctx, number)
        if row and _led_astray(row, guard):
            return await _break_off(ctx, number)
        if row is None or row.state != "in_progress" or ctx.host.clock.monotonic() >= end:
            return _outcome(row)
        await ctx.host.clock.sleep(LOOK)


async def _row(ctx: ToolContext, number: int) -> Download | None:
    rows = await ctx.host.downloads.search(ids=[number])
    return rows[0] if rows else None


async def _break_off(ctx: ToolContext, number: int) -> dict[str, Any]:
    """Stop a download that was led astray all the same, and say what came of that."""
    await ctx.host.downloads.cancel(number)
    row = await _row(ctx, number)
    told: dict[str, Any] = {"state": "failed", "code": egress.FORBIDDEN}
    if row is None:
        return {**told, "error": ASTRAY.format(end="the browser does not list it any more.")}
    if row.state == "interrupted":
        return {**told, "error": ASTRAY.format(end="the download was stopped.")}
    end = SAVED_ASTRAY if row.state == "complete" else RUNS_ASTRAY
    return {**told, "filename": base_name(row.filename), "error": ASTRAY.format(end=end)}


def _led_astray(row: Download, guard: egress.Guard) -> bool:
    return row.final_url.startswith(("http:", "https:")) and not guard.allows(row.final_url)


def _outcome(row: Download | None) -> dict[str, Any]:
    if row is None:
        return {"state": "unknown", "error": "The browser does not list it any more."}
    told = {"filename": base_name(row.filename), "bytes": row.bytes_received, "mime": row.mime}
    if row.state == "interrupted":
        return {**told, "state": "failed", "code": "interrupted", "error": f"Interrupted: {row.error[:80]}"}
    return {**told, "state": row.state}


def report(outcomes: list[dict[str, Any]], **more: Any) -> ToolResult:
    """Outcomes as a result: a failure as soon as one file failed, and unknown as soon as one is."""
    states = [outcome["state"] for outcome in outcomes]
    bad = len(states) - states.count("complete") - states.count("in_progress")
    counts = {
        "completed": states.count("complete"),
        "inProgress": states.count("in_progress"),
        "failed": bad,
    }
    summary = f"{counts['completed']} of {len(states)} saved" + (f", {bad} failed" if bad else "")
    result = ToolResult(not bad, {**more, **counts, "files": outcomes}, summary=summary)
    if bad:
        result.data["error"] = f"{bad} of {len(states)} downloads did not work; each entry says why."
        result.data["code"] = next(
            (outcome["code"] for outcome in outcomes if "code" in outcome), "download_failed"
        )
    if "unknown" in states:
        result.data["code"] = OutcomeUnknown.code
    if counts["inProgress"]:
        result.notes.append(GOES_ON)
    return result


def _shown(url: str) -> str:
    return url[: DATA_CHARS if url.startswith("data:") else URL_CHARS]
