"""What a call costs: tokens and money as the service reported them, estimates where it is silent.

Money is US dollars. A price of 0 in the catalogue means that it is unknown, and unknown prices are taken as
high ones: an allowance that is used up too early does less harm than one that is not.
"""

import json
from dataclasses import dataclass
from typing import Final

from webbrain.core.messages import Message, ModelReply, ModelRequest, Usage
from webbrain.providers.catalog import CatalogEntry

FALLBACK_INPUT: Final = 3.0
FALLBACK_OUTPUT: Final = 15.0
"""Dollars per million tokens of a paid service whose prices nobody told us."""
CHARS_PER_TOKEN: Final = 3.0
"""Of an estimate. English has more characters per token, JSON and code have about as many."""
TOKENS_PER_PICTURE: Final = 1_500
TOKENS_PER_PAGE: Final = 3_000
"""Of a document that goes as it is: services read a page's text and look at it besides."""
MILLION: Final = 1_000_000
_FREE: Final = (":free", "/free", "-free")
"""How routers end the names of models that cost nothing."""


@dataclass(frozen=True, slots=True)
class Prices:
    """Dollars per million tokens. ``certain`` is false where they are another model's, or nobody's."""

    input: float
    output: float
    cache_read: float
    cache_write: float
    certain: bool = True


def prices(entry: CatalogEntry, model: str, *, local: bool, entered: Prices | None = None) -> Prices | None:
    """The prices of a service's model; ``None`` if it costs nothing. What the user ``entered`` counts."""
    if entered is not None:
        return entered if entered.input or entered.output else None
    if local or entry.category == "local" or model.lower().endswith(_FREE):
        return None
    known = entry.cost_input > 0 or entry.cost_output > 0
    paid_in = entry.cost_input if known else FALLBACK_INPUT
    return Prices(
        input=paid_in,
        output=entry.cost_output if known else FALLBACK_OUTPUT,
        cache_read=entry.cost_cache_read or paid_in,
        cache_write=entry.cost_cache_write or paid_in,
        certain=known and model == entry.default_model,
    )


def completed(price: Prices | None, request: ModelRequest, reply: ModelReply) -> Usage:
    """The usage of a call with nothing left out; ``estimated`` and ``cost_estimated`` mark what is a guess.

    Cached and newly cached tokens are parts of the prompt's.
    """
    told = reply.usage
    guessed = told.prompt_tokens is None or told.completion_tokens is None
    prompt = prompt_tokens(request) if told.prompt_tokens is None else told.prompt_tokens
    written = _reply_tokens(reply) if told.completion_tokens is None else told.completion_tokens
    usage = told.model_copy(
        update={"prompt_tokens": prompt, "completion_tokens": written, "estimated": guessed}
    )
    if price is None:
        return usage.model_copy(update={"cost_usd": 0.0})
    if told.cost_usd is not None:
        return usage
    return usage.model_copy(
        update={"cost_usd": _money(price, usage), "cost_estimated": guessed or not price.certain}
    )


def unanswered(price: Prices | None, request: ModelRequest) -> Usage:
    """What a call is taken to have cost that was stopped before its end: the prompt."""
    usage = Usage(prompt_tokens=prompt_tokens(request), completion_tokens=0, estimated=True)
    cost = 0.0 if price is None else _money(price, usage)
    return usage.model_copy(update={"cost_usd": cost, "cost_estimated": True})


def prompt_tokens(request: ModelRequest) -> int:
    """A request's size in tokens, estimated."""
    pictures = sum(1 for message in request.messages for image in message.images if image.data_url)
    pages = sum(
        document.pages for message in request.messages for document in message.documents if document.data_url
    )
    tools = sum(len(json.dumps(tool.model_dump())) for tool in request.tools)
    schema = len(json.dumps(request.response_schema)) if request.response_schema else 0
    chars = sum(map(_chars, request.messages)) + tools + schema
    return round(chars / CHARS_PER_TOKEN) + pictures * TOKENS_PER_PICTURE + pages * TOKENS_PER_PAGE


def _reply_tokens(reply: ModelReply) -> int:
    calls = sum(len(call.name) + len(call.arguments) for call in reply.tool_calls)
    return round((len(reply.text) + len(reply.reasoning) + calls) / CHARS_PER_TOKEN)


def _chars(message: Message) -> int:
    return len(message.content) + sum(len(call.name) + len(call.arguments) for call in message.tool_calls)


def _money(price: Prices, usage: Usage) -> float:
    prompt = usage.prompt_tokens or 0
    cached = min(usage.cached_tokens or 0, prompt)
    new = min(usage.cache_write_tokens or 0, prompt - cached)
    return (
        (prompt - cached - new) * price.input
        + cached * price.cache_read
        + new * price.cache_write
        + (usage.completion_tokens or 0) * price.output
    ) / MILLION
