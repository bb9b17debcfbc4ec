"""Places at which a test build can be stopped, so that a test may kill what it likes at that moment.

    mid_stream           a part of a model's answer has come, the rest has not
    awaiting_consent     a question waits for the person, and is on record
    journal_not_written  what is about to be done is not on record yet
    journal_written      it is on record, and nothing has been done

The other two, ``before_call`` and ``after_effect_before_reply``, are in the executor (``js/testing``). A test
arms one of them in ``storage.session``, which outlives every part that a test may kill: ``{point, action,
skip}``. ``build/crash.py`` makes the build; nothing that is shipped has this module.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, Final

from webbrain.agent.cards import Cards
from webbrain.core.events import Card
from webbrain.host.bridge import BridgeHost, BridgeResponse, BridgeStore

ARMED: Final = "WEBBRAIN_CRASH_armed"
REACHED: Final = "WEBBRAIN_CRASH_reached"
RELEASED: Final = "WEBBRAIN_CRASH_released"
POLL: Final = 0.05

_hosts: list[BridgeHost] = []


async def reach(point: str) -> None:
    """Stop here if a test wants it, until it says go on."""
    if not _hosts:
        return
    area = _hosts[-1].session
    armed = (await area.get([ARMED])).get(ARMED)
    if not isinstance(armed, Mapping) or armed.get("point") != point:
        return
    if armed.get("skip"):
        await area.set({ARMED: {**armed, "skip": int(armed["skip"]) - 1}})
        return
    await area.remove([ARMED])
    await area.set({REACHED: point})
    while not (await area.get([RELEASED])).get(RELEASED):  # noqa: ASYNC110 - who releases is not in here
        await asyncio.sleep(POLL)
    await area.remove([REACHED, RELEASED])


def install() -> None:
    """Put the stops into the classes that the agent is made of."""
    _remember_host(BridgeHost.__init__)
    _stop_at_records(BridgeStore.append)
    _stop_at_cards(Cards.ask)
    _stop_in_answers(BridgeResponse.chunks)


def _remember_host(made: Callable[..., None]) -> None:
    def init(self: BridgeHost, *args: Any) -> None:
        made(self, *args)
        _hosts[:] = [self]

    BridgeHost.__init__ = init  # type: ignore[method-assign, assignment]


def _stop_at_records(append: Callable[..., Any]) -> None:
    async def stopping(self: BridgeStore, stream: str, records: Sequence[Mapping[str, Any]]) -> int:
        intent = any(record.get("effect") for record in records)
        if intent:
            await reach("journal_not_written")
        seq: int = await append(self, stream, records)
        if intent:
            await reach("journal_written")
        return seq

    BridgeStore.append = stopping  # type: ignore[method-assign]


def _stop_at_cards(ask: Callable[..., Any]) -> None:
    async def stopping(self: Cards, card: Card) -> str:
        answer = asyncio.ensure_future(ask(self, card))
        try:
            await asyncio.sleep(0)
            await self._journal.saved()
            await reach("awaiting_consent")
            said: str = await answer
        finally:
            answer.cancel()
        return said

    Cards.ask = stopping  # type: ignore[method-assign]


def _stop_in_answers(chunks: Callable[[BridgeResponse], AsyncIterator[bytes]]) -> None:
    async def stopping(self: BridgeResponse) -> AsyncIterator[bytes]:
        first = True
        async for piece in chunks(self):
            yield piece
            if first:
                await reach("mid_stream")
            first = False

    BridgeResponse.chunks = stopping  # type: ignore[method-assign]
