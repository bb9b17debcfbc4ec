"""What went wrong with a service, in words its user can act on.

Codes: ``wrong_key``, ``wrong_address``, ``server_not_running``, ``unreachable``, ``offline``,
``origin_refused``, ``rate_limited``, ``no_credit``, ``context_too_small``, ``chat_template``,
``model_not_found``, ``timeout``, ``stalled``, ``overloaded``, ``server_error``, ``bad_response``,
``malformed_tool_call``, ``tools_unsupported``, ``answer_cut``, ``content_filter``,
``unsupported_parameter``, ``schema_refused``, ``request_refused``, ``provider_error``.

``data`` of each: ``detail`` (the service's own words, at most 500 characters, keys blacked out), ``hint``
(what to do), and where known ``retry_after`` (seconds), ``param``; ``began`` is true if an answer was on
its way, so that it may be billed.
"""

import email.utils
import json
import re
from collections.abc import Collection, Mapping
from datetime import UTC
from typing import Any, Final
from urllib.parse import urlsplit

from webbrain.core.errors import BridgeError, ProviderFailed
from webbrain.providers.base import SCHEMA_REFUSED
from webbrain.providers.config import Endpoint
from webbrain.providers.refusals import (
    header,
    is_html,
    message_of,
    redact,
    refused_parameter,
    refuses_schema,
    searchable,
    words_of_page,
)

BODY_CHARS: Final = 500
NEXT_ADDRESS: Final = frozenset({"wrong_address", "bad_response", "server_error"})
"""Failures after which another form of the address is worth a try."""
RETRY_AFTER_MAX: Final = 3_600.0
WITHHELD_HINT: Final = "Rephrase the task, or choose another model."
OLLAMA_ORIGINS: Final = "OLLAMA_ORIGINS=chrome-extension://*,moz-extension://*"

_CONTEXT = re.compile(
    r"context_length_exceeded|exceed_context_size|context (?:length|size|window)|maximum context"
    r"|prompt is too long|too many tokens|input is too long|exceeds? the (?:available )?context"
    r"|max(?:imum)? (?:model|sequence) length|reduce the length of the (?:messages|prompt)|token limit",
    re.IGNORECASE,
)
_TEMPLATE = re.compile(r"jinja|chat template|no user query found|raise_exception", re.IGNORECASE)
_NO_QUERY = re.compile(r"no user query found", re.IGNORECASE)
_TOOL_FORMAT = re.compile(
    r"does not match the expected [\w-]+ format|tool_use_failed|failed to parse (?:tool|function)"
    r"|failed to call a function|error parsing tool call",
    re.IGNORECASE,
)
_NO_TOOLS = re.compile(
    r"does not support tools|support tool use|tool choice requires|tools? (?:is|are) not supported",
    re.IGNORECASE,
)
_NO_CREDIT = re.compile(
    r"insufficient_quota|insufficient (?:balance|credit|funds)|credit balance", re.IGNORECASE
)
_CREDIT = re.compile(rf"{_NO_CREDIT.pattern}|billing|payment", re.IGNORECASE)
_WITHHELD = re.compile(
    r"content_filter|content management policy|content_policy_violation|blocked by content filter"
    r"|data_inspection_failed",
    re.IGNORECASE,
)
_RETRY_IN = re.compile(
    r'"retryDelay"\s*:\s*"(?P<delay>\d{1,6}(?:\.\d{1,9})?)s"'
    r"|(?:try again|retry) (?:in|after) "
    r"(?:(?P<minutes>\d{1,4})m(?!s))?(?P<amount>\d{1,6}(?:\.\d{1,9})?)\s?(?P<unit>ms|s)",
    re.IGNORECASE,
)
_MODEL = re.compile(r"\bmodels?\b", re.IGNORECASE)
_MODEL_GONE = re.compile(
    r"model_not_found|no endpoints found"
    r"|model[^.]{0,120}(?:not found|does not exist|not exist|unknown|not a valid|no longer)"
    r"|(?:no such|unknown|invalid|not a valid|not a chat) model",
    re.IGNORECASE,
)


_TOOLS_HINT: Final = {
    True: "Turn on constrained calls for this provider, or choose a model made for tools.",
    False: "Choose a model made for tools.",
}


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds to wait from a ``Retry-After`` header (seconds or an HTTP date), bounded.

    OpenAI also sends ``retry-after-ms``, which is the finer one of the two.
    """
    fine = header(headers, "retry-after-ms").strip()
    raw = f"{fine}e-3" if fine.isdigit() else header(headers, "retry-after").strip()
    if not raw:
        return None
    try:
        seconds = float(raw)
    except ValueError:
        try:
            date = email.utils.parsedate_to_datetime(raw)
            # HTTP knows no time but that of Greenwich.
            seconds = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - now
        except (ValueError, TypeError, OverflowError):
            return None
    return min(max(seconds, 0.0), RETRY_AFTER_MAX) if seconds == seconds else None


def retry_in_words(body: str) -> float | None:
    """Seconds to wait where only the error's text says so: Google's ``retryDelay``, OpenAI's and Groq's
    "try again in", Azure's "retry after"."""
    found = _RETRY_IN.search(body)
    if found is None:
        return None
    minutes, amount, unit = found["minutes"] or "0", found["delay"] or found["amount"], found["unit"]
    return min(int(minutes) * 60 + float(amount) / (1000 if unit == "ms" else 1), RETRY_AFTER_MAX)


def http_failure(
    endpoint: Endpoint,
    status: int,
    headers: Mapping[str, str],
    body: str,
    *,
    now: float = 0.0,
    sent: Collection[str] = (),
) -> ProviderFailed:
    """The failure that an answer with an error status stands for."""
    label, wait = endpoint.info.label, retry_after(headers, now)
    if wait is None and status in (429, 503):
        wait = retry_in_words(body)
    html = is_html(header(headers, "content-type"), body)
    report = _Report(endpoint, status, words_of_page(body) if html else body, wait)
    text = "" if html else searchable(body)

    if not html and refuses_schema(status, body, sent):
        return report.failed(
            SCHEMA_REFUSED,
            f"{label} does not hold the answers of this model to a JSON schema.",
            hint="Set constrained calls to Never for this provider, or choose another model.",
        )
    if param := refused_parameter(status, "" if html else body, sent):
        return report.failed(
            "unsupported_parameter", f"{label} does not accept “{param}” for this model.", param=param
        )
    if status == 403 and endpoint.entry.explains_origin:
        return report.failed(
            "origin_refused",
            f"{label} refuses requests from browser extensions.",
            hint=f"Start it with this environment setting: {OLLAMA_ORIGINS}",
        )
    if status == 403 and endpoint.info.local and not endpoint.api_key:
        return report.failed(
            "origin_refused",
            f"{label} refuses requests from browser extensions.",
            hint="Allow the origins chrome-extension://* and moz-extension://* (CORS) in its settings.",
        )
    if status in (400, 403, 422) and _WITHHELD.search(text):
        return report.failed(
            "content_filter",
            f"{label} withheld the answer because of its content rules.",
            hint=WITHHELD_HINT,
        )
    if _is_out_of_credit(status, text, wait):
        return report.failed(
            "no_credit",
            f"{label} says that the account has no credit left.",
            hint="Top up the account, or choose another provider.",
        )
    if status in (401, 403):
        return _key_refused(endpoint, report)
    if status == 429:
        return report.failed(
            "rate_limited",
            f"{label} is asking to slow down.",
            hint="Wait a little and try again.",
            transient=True,
        )
    if status in (400, 413, 422, 500) and _NO_QUERY.search(text) and status >= 500:
        return _context(endpoint, report)
    if status in (400, 422, 500) and _TOOL_FORMAT.search(text):
        return report.failed(
            "malformed_tool_call",
            f"{label} could not read the tool call its model wrote.",
            hint=_TOOLS_HINT[bool(endpoint.entry.structured)],
            transient=True,
        )
    if status in (400, 404, 422, 500) and _NO_TOOLS.search(text):
        return report.failed(
            "tools_unsupported",
            f"The model “{endpoint.info.model or label}” on {label} cannot be given tools.",
            hint=_TOOLS_HINT[bool(endpoint.entry.structured)],
        )
    if status in (400, 422, 500) and _TEMPLATE.search(text):
        return report.failed(
            "chat_template",
            f"The chat template of the model on {label} refuses this conversation.",
            hint="Raise the model's context length on the server, or choose another model or template.",
        )
    if status == 413 or (status in (400, 422, 500) and _CONTEXT.search(text)):
        return _context(endpoint, report)
    if status in (400, 404, 422) and (_MODEL_GONE.search(text) or (status == 404 and _MODEL.search(text))):
        model = endpoint.info.model or "(none)"
        return report.failed(
            "model_not_found",
            f"{label} has no model “{model}”.",
            hint="Choose one from the list of models in the settings.",
        )
    if status in (404, 405) or (html and status < 500):
        return wrong_address(endpoint, report.detail)
    if status in (408, 502, 503, 504, 520, 522, 524, 529):
        return report.failed(
            "overloaded",
            f"{label} is overloaded or starting up.",
            hint="Try again in a moment.",
            transient=True,
        )
    if status >= 500:
        return report.failed("server_error", f"{label} had an error of its own ({status}).", transient=True)
    return report.failed("request_refused", f"{label} refused the request ({status}).")


def stated_failure(endpoint: Endpoint, error: Any) -> ProviderFailed:
    """An error object inside an answer that began well: in a stream, or in a 200."""
    body = json.dumps({"error": error}, ensure_ascii=False, default=str)
    status = error.get("code") if isinstance(error, dict) else None
    if isinstance(status, int) and 400 <= status < 600:
        failure = http_failure(endpoint, status, {}, body)
    elif isinstance(error, dict) and error.get("type") == "overloaded_error":
        failure = http_failure(endpoint, 529, {}, body)
    elif _CONTEXT.search(message_of(body)):
        failure = _context(endpoint, _Report(endpoint, 200, body, None))
    else:
        failure = _Report(endpoint, 200, body, None).failed(
            "provider_error", f"{endpoint.info.label} reported an error while answering."
        )
    # The answer had begun and may have been billed: it is never asked for again by itself.
    failure.transient = False
    return failure


def begun(failure: ProviderFailed) -> ProviderFailed:
    """The same failure, of an answer that was on its way and got lost."""
    failure.data["began"] = True
    return failure


def bad_response(endpoint: Endpoint, why: str, body: str = "") -> ProviderFailed:
    """An answer that is not what the wire format promises."""
    report = _Report(endpoint, 200, body or why, None)
    return report.failed("bad_response", f"{endpoint.info.label} sent an answer that cannot be read: {why}.")


def wrong_address(endpoint: Endpoint, detail: str) -> ProviderFailed:
    """Something else than the expected interface answered."""
    return ProviderFailed(
        f"There is no {endpoint.info.label} interface at {endpoint.base_url}.",
        code="wrong_address",
        data={
            "detail": detail,
            "hint": "Check the address. For OpenAI-compatible servers it usually ends in /v1.",
        },
    )


def content_filtered(endpoint: Endpoint) -> ProviderFailed:
    """The service withheld the answer."""
    return ProviderFailed(
        f"{endpoint.info.label} withheld the answer because of its content rules.",
        code="content_filter",
        data={
            "detail": "finish reason: content filter",
            "hint": WITHHELD_HINT,
        },
    )


def answer_cut(endpoint: Endpoint, limit: int) -> ProviderFailed:
    """The model ran out of room in the middle of a tool call."""
    return ProviderFailed(
        "The answer was cut off in the middle of a tool call, so nothing of it was run.",
        code="answer_cut",
        data={
            "detail": f"finish reason: length (at most {limit} tokens were asked for)",
            "hint": f"Give the model on {endpoint.info.label} a larger context window, or another model.",
        },
    )


def answer_incomplete(endpoint: Endpoint) -> ProviderFailed:
    """The service itself calls the answer incomplete, because the model ran out of room."""
    return ProviderFailed(
        "The answer was cut off before its end, so nothing of it was run.",
        code="answer_cut",
        data={
            "detail": "status: incomplete (max_output_tokens)",
            "hint": f"Choose less thinking or another model on {endpoint.info.label}.",
        },
    )


def network_failure(endpoint: Endpoint, error: BridgeError) -> ProviderFailed:
    """A request that got no answer, or lost it on the way."""
    label, detail = (
        endpoint.info.label,
        redact(f"{error.code}: {error.message}", endpoint.api_key)[:BODY_CHARS],
    )
    origin = _origin(endpoint.base_url)
    data: dict[str, Any] = {"detail": detail}
    if error.code in ("net_refused", "offline") and endpoint.info.local:
        # A server on this machine needs no network: without one it is the server that is missing.
        start = endpoint.entry.start_hint
        data["hint"] = f"Start the server: {start}" if start else "Start the server, or check host and port."
        return ProviderFailed(f"Nothing answers at {origin}.", code="server_not_running", data=data)
    if error.code == "net_refused":
        data["hint"] = "Check the address, and that a proxy or blocker does not stop it."
        return ProviderFailed(f"{origin} cannot be reached.", code="unreachable", data=data, transient=True)
    if error.code == "offline":
        data["hint"] = "Connect it to the network and try again."
        return ProviderFailed("This computer is offline.", code="offline", data=data, transient=True)
    if error.code == "net_timeout":
        data["hint"] = (
            "A local model may need longer for a long page: choose a smaller model or a shorter context."
        )
        seconds = round(endpoint.headers_timeout)
        return ProviderFailed(
            f"{label} did not begin to answer within {seconds} seconds.", code="timeout", data=data
        )
    if error.code == "net_stalled":
        return ProviderFailed(f"{label} stopped in the middle of its answer.", code="stalled", data=data)
    if error.code == "net_cut":
        return ProviderFailed(
            f"The connection to {label} broke.", code="unreachable", data=data, transient=True
        )
    if error.code == "too_large":
        return ProviderFailed(f"{label} sent far too much.", code="bad_response", data=data)
    return ProviderFailed(f"{label} could not be called.", code="unreachable", data=data)


class _Report:
    """Builds failures that share one answer."""

    def __init__(self, endpoint: Endpoint, status: int, body: str, wait: float | None) -> None:
        self.status = status
        self.wait = wait
        text = redact(" ".join(body.split())[: BODY_CHARS * 4], endpoint.api_key)[:BODY_CHARS]
        self.detail = f"{endpoint.info.label} error {status}: {text}"

    def failed(
        self, code: str, message: str, *, hint: str = "", transient: bool = False, param: str = ""
    ) -> ProviderFailed:
        data: dict[str, Any] = {"detail": self.detail}
        if hint:
            data["hint"] = hint
        if self.wait is not None:
            data["retry_after"] = self.wait
        if param:
            data["param"] = param
        return ProviderFailed(message, code=code, data=data, transient=transient, status=self.status)


def _is_out_of_credit(status: int, text: str, wait: float | None) -> bool:
    """Google says the same of a quota that fills up again, but then it says when."""
    if status in (400, 403):
        return bool(_NO_CREDIT.search(text))
    if status != 429:
        return status == 402
    return bool(_NO_CREDIT.search(text) or (wait is None and _CREDIT.search(text)))


def _key_refused(endpoint: Endpoint, report: _Report) -> ProviderFailed:
    label = endpoint.info.label
    if not endpoint.api_key:
        return report.failed("wrong_key", f"{label} wants an API key.", hint="Enter the key in the settings.")
    if report.status == 403:
        return report.failed(
            "wrong_key",
            f"{label} refused the API key, or the account may not use this model.",
            hint="Check the key and what the account may use.",
        )
    return report.failed(
        "wrong_key", f"{label} refused the API key.", hint="Check the key, or make a new one."
    )


def _context(endpoint: Endpoint, report: _Report) -> ProviderFailed:
    where = (
        "on the server (and in the settings here)"
        if endpoint.info.local
        else "by choosing a model with more room"
    )
    model = endpoint.info.model or endpoint.info.label
    return report.failed(
        "context_too_small",
        f"The conversation does not fit into the context window of {model}.",
        hint=f"Raise the context length {where}, or start a new conversation.",
    )


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
