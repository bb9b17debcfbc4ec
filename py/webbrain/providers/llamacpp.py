"""llama.cpp's server: Chat Completions with its prompt cache and its own count of time and tokens."""

from collections.abc import Iterator
from typing import Any

from webbrain.core.messages import ModelRequest, Usage
from webbrain.providers.config import Endpoint
from webbrain.providers.openai_chat import OpenAIChat
from webbrain.providers.wire import Learned, UsageSeen, WireEvent, count


class LlamaCpp(OpenAIChat):
    """What the server of llama.cpp does differently."""

    def body(
        self, endpoint: Endpoint, request: ModelRequest, learned: Learned, *, stream: bool
    ) -> dict[str, Any]:
        """Ask for the cached prefix of the step before, which is what makes long pages bearable."""
        out = super().body(endpoint, request, learned, stream=stream)
        out["cache_prompt"] = True
        return out

    def common(self, data: dict[str, Any]) -> Iterator[WireEvent]:
        """Read ``timings`` too: streams have them where others have usage."""
        timings = data.get("timings")
        if isinstance(timings, dict):
            fresh, cached = count(timings.get("prompt_n")), count(timings.get("cache_n"))
            prompt = None if fresh is None else fresh + (cached or 0)
            answer = count(timings.get("predicted_n"))
            yield UsageSeen(Usage(prompt_tokens=prompt, completion_tokens=answer, cached_tokens=cached))
        yield from super().common(data)
