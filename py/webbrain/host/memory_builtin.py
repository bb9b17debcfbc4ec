"""A built-in model that says what a test tells it to. See ``memory.py``."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from webbrain.core.errors import BridgeError
from webbrain.host.builtin import Availability, BuiltinAnswer, BuiltinPiece, BuiltinStatus
from webbrain.host.memory_parts import Answers, Taps, json_copy


class MemoryBuiltin:
    """There is none until ``availability`` says so. ``prompts`` lists what was asked; ``closed`` counts."""

    def __init__(self, taps: Taps) -> None:
        self._taps = taps
        self._answers = Answers([""])
        self.availability: Availability = "unsupported"
        self.context_window: int | None = None
        self.prompts: list[dict[str, Any]] = []
        self.closed = 0

    def on(self, *answers: Any) -> None:
        """What it answers: a text, a list of its pieces, or an exception; a function gets what was asked.

        An exception in a list is raised at that place.
        """
        self._answers = Answers(answers)

    async def status(self) -> BuiltinStatus:
        await self._taps.reach("builtin.status")
        return BuiltinStatus(self.availability, self.context_window)

    async def prompt(
        self,
        messages: Sequence[Mapping[str, str]],
        *,
        schema: Mapping[str, Any] | None,
        temperature: float | None,
        first_timeout: float,
        stall_timeout: float,
    ) -> BuiltinAnswer:
        await self._taps.reach("builtin.prompt")
        if self.availability in ("downloadable", "downloading"):
            raise BridgeError("The model is not downloaded yet.", code="builtin_not_downloaded")
        if self.availability != "available":
            raise BridgeError("There is no built-in model.", code="builtin_unavailable")
        asked: dict[str, Any] = json_copy(
            {"messages": [dict(m) for m in messages], "schema": schema, "temperature": temperature}
        )
        self.prompts.append(asked)
        found = await self._answers.next(asked)
        return _Answer(self, [found] if isinstance(found, str) else list(found))


class _Answer:
    def __init__(self, model: MemoryBuiltin, pieces: list[Any]) -> None:
        self._model = model
        self._pieces = pieces

    @property
    def context_window(self) -> int | None:
        return self._model.context_window

    async def pieces(self) -> AsyncIterator[BuiltinPiece]:
        used = sum(len(message["content"]) for message in self._model.prompts[-1]["messages"])
        for piece in self._pieces:
            if isinstance(piece, BaseException):
                raise piece
            used += len(piece)
            yield BuiltinPiece(piece)
        yield BuiltinPiece(used=used // 4)

    async def close(self) -> None:
        self._model.closed += 1
