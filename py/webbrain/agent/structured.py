"""One answer of a model as JSON that fits a schema: the way every call goes that wants data and not words.

A service that can hold its answers to a schema does so (``ModelInfo.structured``); any other is told the
schema in words. Either way the answer is read leniently, checked against the schema, and a wrong one is
shown to the model once, with what is wrong about it.
"""

import json
from collections.abc import Sequence
from typing import Any, Final

from webbrain.agent import fits
from webbrain.core.errors import ModelMayRetry, ProviderFailed
from webbrain.core.limits import MAX_OUTPUT_TOKENS
from webbrain.core.messages import Message, ModelReply, ModelRequest
from webbrain.providers.base import SCHEMA_REFUSED, ModelClient
from webbrain.providers.loose_json import parse_object

ECHO_CHARS: Final = 4_000
"""How much of a wrong answer is shown to the model again."""

IN_WORDS: Final = "Answer with one JSON object and nothing else. It must fit this JSON schema:\n{schema}"
REPAIR: Final = "This is not right: {problem} Answer again, with one JSON object that fits the schema."
REPAIR_IN_WORDS: Final = "This is not right: {problem} " + IN_WORDS

NOT_JSON: Final = "it is not a JSON object."
TOO_LONG: Final = "it is too long and was cut off. Be much shorter."


async def structured(
    client: ModelClient,
    messages: Sequence[Message],
    schema: dict[str, Any],
    *,
    name: str,
    max_tokens: int,
    temperature: float,
    repair: bool = True,
) -> dict[str, Any]:
    """Return an object that fits ``schema``, whose root is an object.

    ``name`` says what it is, in letters, digits and underscores: some services want to know. Keys that the
    schema does not know are left out. Raises ``ModelMayRetry`` with what is wrong if the model did not manage
    it, after one repair unless ``repair`` is off, and ``ProviderFailed`` as ``ModelClient.complete`` does.
    """
    call = _Call(client, list(messages), schema, name, max_tokens, temperature)
    problem = await call.attempt()
    if problem and repair:
        call.show(problem)
        problem = await call.attempt()
    if problem:
        raise ModelMayRetry(f"The answer cannot be used: {problem}", code="invalid_structured_answer")
    return call.value


class _Call:
    """The attempts at one answer."""

    def __init__(
        self,
        client: ModelClient,
        messages: list[Message],
        schema: dict[str, Any],
        name: str,
        max_tokens: int,
        temperature: float,
    ) -> None:
        self.value: dict[str, Any] = {}
        self._client = client
        self._messages = messages
        self._schema = schema
        self._name = name
        self._max_tokens = max_tokens
        self._temperature = temperature
        self._wrong = ""
        self._problem = ""
        self._ignored = False
        """True once a service that says it holds its answers to a schema sent words: some models of a router
        do, others do not."""

    async def attempt(self) -> str:
        """Ask; fill ``value`` and return an empty string, or return what is wrong with the answer."""
        reply = await self._ask()
        self._wrong = reply.text.strip()
        value = parse_object(reply.text)
        if value is None:
            if reply.finish == "length" and reply.reasoning:
                # The thoughts used up the room: some models think whatever they are told.
                self._max_tokens = max(self._max_tokens, MAX_OUTPUT_TOKENS)
            self._ignored = reply.finish != "length"
            return TOO_LONG if reply.finish == "length" else NOT_JSON
        self.value = fits.tidied(value, self._schema)
        return fits.problem(self.value, self._schema)

    def show(self, problem: str) -> None:
        """Let the next attempt begin with what was wrong about this one."""
        self._problem = problem

    async def _ask(self) -> ModelReply:
        try:
            return await self._client.complete(self._request())
        except ProviderFailed as failure:
            if failure.code != SCHEMA_REFUSED:
                raise
            # From now on the client says of itself that it cannot do this, so that words are used.
            return await self._client.complete(self._request())

    def _request(self) -> ModelRequest:
        held = self._client.info.structured
        written = json.dumps(self._schema, ensure_ascii=False, separators=(",", ":"))
        messages = self._messages if held else _told(self._messages, IN_WORDS.format(schema=written))
        if self._problem:
            again = REPAIR if held and not self._ignored else REPAIR_IN_WORDS
            wrong = self._wrong[:ECHO_CHARS] or "(nothing)"
            messages = [
                *messages,
                Message(role="assistant", content=wrong),
                Message(role="user", content=again.format(problem=self._problem, schema=written)),
            ]
        return ModelRequest(
            messages=messages,
            temperature=self._temperature,
            max_tokens=self._max_tokens,
            response_schema=self._schema if held else None,
            response_name=self._name,
            thinking="off",
        )


def _told(messages: list[Message], words: str) -> list[Message]:
    """The messages with ``words`` at the end of what the user says last."""
    if messages and messages[-1].role == "user":
        last = messages[-1]
        return [*messages[:-1], last.model_copy(update={"content": f"{last.content}\n\n{words}"})]
    return [*messages, Message(role="user", content=words)]
