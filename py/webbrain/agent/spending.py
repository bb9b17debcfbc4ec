"""What a run spends: every model call goes through :class:`PaidClient`, which asks first and books after."""

import asyncio
import math
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from webbrain.agent.exchanges import Kind, Witness, Witnesses
from webbrain.core.errors import ProviderFailed
from webbrain.core.messages import ModelReply, ModelRequest, Usage
from webbrain.providers import cost
from webbrain.providers.base import ModelClient, ModelInfo

BILLED: Final = frozenset({"answer_cut", "content_filter", "stalled"})
"""Failures of a service that had read the prompt and begun to answer."""


class Purse(Protocol):
    """What the user allows to be spent, over all runs."""

    async def admit(self) -> None:
        """Raise ``CostLimit`` if nothing more may be spent."""
        ...

    def book(self, usd: float) -> None:
        """Money that is gone."""
        ...


class Account:
    """The paid calls of one run, those of the vision model among them."""

    def __init__(self, purse: Purse, witnesses: Sequence[Witness] = ()) -> None:
        """``witnesses`` are told of every call, free ones too."""
        self._purse = purse
        self.witnesses = Witnesses(witnesses)
        self.paid = False
        """True once a call was made that costs money."""
        self.usd = 0.0
        self.estimated = False
        """True if any of it is a guess."""

    async def admit(self, info: ModelInfo) -> None:
        """Raise ``CostLimit`` before a call that must not be made. What is free is always allowed."""
        if info.prices is not None:
            await self._purse.admit()

    def book(self, info: ModelInfo, usage: Usage) -> None:
        """Take down one call."""
        if info.prices is None:
            return
        told = usage.cost_usd or 0.0
        spent = max(told, 0.0) if math.isfinite(told) else 0.0
        self.paid = True
        self.usd += spent
        self.estimated = self.estimated or usage.cost_estimated
        self._purse.book(spent)


class PaidClient:
    """A ``ModelClient`` whose calls are allowed, booked and witnessed. Its replies have complete usage."""

    def __init__(self, client: ModelClient, account: Account, kind: Kind = "llm") -> None:
        self._client = client
        self._account = account
        self._kind = kind

    @property
    def info(self) -> ModelInfo:
        """Facts about the model, as its client has them now."""
        return self._client.info

    async def complete(
        self,
        request: ModelRequest,
        on_delta: Callable[[str], None] | None = None,
        on_reset: Callable[[], None] | None = None,
    ) -> ModelReply:
        """See ``ModelClient.complete``. Raises ``CostLimit`` before anything is sent."""
        await self._account.admit(self.info)
        witnesses = self._account.witnesses
        tokens = witnesses.asked(self.info, request, self._kind)

        def lost() -> None:
            """A stream broke and is asked for again: its service had read the prompt by then."""
            self._account.book(self.info, cost.unanswered(self.info.prices, request))
            if on_reset is not None:
                on_reset()

        try:
            reply = await self._client.complete(request, on_delta, lost)
        except asyncio.CancelledError as error:
            # It was under way: services bill what they had read by then.
            self._account.book(self.info, cost.unanswered(self.info.prices, request))
            witnesses.failed(tokens, error)
            raise
        except ProviderFailed as failure:
            if _billed(failure):
                self._account.book(self.info, cost.unanswered(self.info.prices, request))
            witnesses.failed(tokens, failure)
            raise
        usage = cost.completed(self.info.prices, request, reply)
        self._account.book(self.info, usage)
        whole = reply.model_copy(update={"usage": usage})
        witnesses.answered(tokens, whole)
        return whole


def _billed(failure: ProviderFailed) -> bool:
    """Whether the service had begun to answer. What it refuses by a status it does not bill."""
    refused = failure.status is not None and failure.status >= 400
    return not refused and (failure.code in BILLED or bool(failure.data.get("began")))
