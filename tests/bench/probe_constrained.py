"""How well a real small model does with constrained calls: 20 tasks on a site in memory, judged by its
record.

    python -m tests.bench.probe_constrained --server llama-server --model model.gguf [--only NAME,NAME]
    [--steps N] [--verbose] python -m tests.bench.probe_constrained --url http://127.0.0.1:8080

Prints a line per task and the sum; always ends with 0, for it measures and does not judge.
"""

# ruff: noqa: E501 - tables of cases are read by the line

import argparse
import asyncio
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp

from tests.bench.sim_site import Site
from webbrain.agent import enrich
from webbrain.agent.constrained import ConstrainedTurns
from webbrain.agent.turns import TurnState
from webbrain.core.errors import BridgeError, ModelMayRetry
from webbrain.core.ids import nonce
from webbrain.core.messages import Message
from webbrain.core.results import ToolResult
from webbrain.core.types import Mode, Tier
from webbrain.host.memory import MemoryHost
from webbrain.host.protocols import Capabilities, HttpRequest
from webbrain.policy.results import render_result
from webbrain.prompts import system_prompt
from webbrain.providers import catalog, config
from webbrain.providers.client import HttpModelClient
from webbrain.tools import registry

STEPS = 18
START_SECONDS = 120


@dataclass
class Case:
    """A task, where it starts, and what the site or the answer must show."""

    name: str
    task: str
    passed: Callable[[Site, dict[str, Any]], bool]
    page: str = "home"
    labels: dict[str, str] | None = None
    banner: bool = False
    product: str = "Copper pan"


def said(*words: str) -> Callable[[Site, dict[str, Any]], bool]:
    """The answer holds all the words."""
    return lambda site, done: all(word.lower() in str(done.get("summary", "")).lower() for word in words)


def recorded(kind: str, value: Any) -> Callable[[Site, dict[str, Any]], bool]:
    """The site recorded exactly this, once."""
    return lambda site, done: [v for k, v in site.record if k == kind] == [value]


def at(page: str) -> Callable[[Site, dict[str, Any]], bool]:
    """The tab ended on this page."""
    return lambda site, done: site.page == page


def holds(**values: str) -> Callable[[Site, dict[str, Any]], bool]:
    """The fields hold these values."""
    return lambda site, done: all(site.values.get(key, "") == value for key, value in values.items())


WORDS = {"name": "Your name", "date": "Delivery date", "terms": "I accept the terms", "newsletter": "Send me news",
         "open": "Order this item", "submit": "Place order", "draft": "Save as draft"}  # fmt: skip
OTHER = {"name": "Recipient", "email": "Contact e-mail", "date": "Deliver on", "city": "Town", "quantity": "How many?",
         "terms": "I agree to the conditions", "newsletter": "Subscribe", "open": "Buy this", "submit": "Buy now",
         "draft": "Keep for later"}  # fmt: skip
PREFS = {"sms": "SMS alerts", "mail": "E-mail alerts"}

CASES = (
    Case("link", "Open the News page.", at("news")),
    Case("article", "Open the article about the choir.", at("article:Choir seeks tenors"), page="news"),
    Case("tick", "Tick the box SMS alerts.", holds(sms="yes", mail=""), page="preferences", labels=PREFS),
    Case("button", "Press Cancel.", recorded("cancel", None), page="preferences", labels=PREFS),
    Case("field", "Put Grace Hopper into the field Your name. Do not send the form.",
         holds(name="Grace Hopper"), page="order", labels=WORDS),
    Case("date", "Set the delivery date to 2027-02-03. Change nothing else.",
         holds(date="2027-02-03", name=""), page="order", labels=WORDS),
    Case("date in words", "Set the delivery date to 5 March 2027. Change nothing else.",
         holds(date="2027-03-05", name=""), page="order", labels=WORDS),
    Case("city", "Choose Lisbon as the city. Do not order yet.", holds(city="Lisbon"), page="order", labels=WORDS),
    Case("select", "Set the language to Português and save.",
         recorded("saved", {"language": "Português", "sms": "", "mail": ""}), page="preferences", labels=PREFS),
    Case("select and tick", "Switch the language to Deutsch, turn on E-mail alerts and save.",
         recorded("saved", {"language": "Deutsch", "sms": "", "mail": "yes"}), page="preferences", labels=PREFS),
    Case("price", "How much does the Walnut tray cost?", said("33"), page="products"),
    Case("fact after click", "When does the choir meet? Look in the news.", said("Tuesday"), page="news"),
    Case("fact, two clicks", "Until when is the library open from June?", said("21"), page="home"),
    Case("search", "Search for lantern and open the product.", at("product"), labels={"search": "Search the site"}),
    Case("sign in", "Sign in with the e-mail ada@example.com and the password tulip-77.",
         recorded("login", ("ada@example.com", "tulip-77")), page="signin", labels={"remember": "Remember me"}),
    Case("from home", "Sign in as bob@example.org with the password k33p.",
         recorded("login", ("bob@example.org", "k33p")), labels={"remember": "Remember me"}),
    Case("cookies", "Open the products page. Refuse optional cookies.", at("products"), banner=True),
    Case("order form", "Order 2 of this item for Ada Lovelace (ada@example.com). Deliver to Oslo on 2027-01-15. "
         "Accept the terms.", recorded("order", ("Copper pan", "Ada Lovelace", "ada@example.com", "2027-01-15", "Oslo",
         "2", "yes", "")), page="order", labels=WORDS),
    Case("order from list", "Please buy 3 x Linen towel. Name: Alan Turing, e-mail: alan@example.net, city: Madrid, "
         "date: 2027-02-01. You may accept the terms, but no newsletter.",
         recorded("order", ("Linen towel", "Alan Turing", "alan@example.net", "2027-02-01", "Madrid", "3", "yes", "")),
         page="products", labels=OTHER),
    Case("order from home", "I need 1 piece of the Walnut tray sent to Lyon on 2027-03-09 for Grace Hopper. Contact: "
         "grace@example.org. I agree to the terms of sale.",
         recorded("order", ("Walnut tray", "Grace Hopper", "grace@example.org", "2027-03-09", "Lyon", "1", "yes", "")),
         labels=OTHER),
)  # fmt: skip


class Answer:
    """A response of a real server, with the interface of the host."""

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self._response = response
        self.status = response.status
        self.headers = dict(response.headers)

    async def chunks(self) -> AsyncIterator[bytes]:
        async for chunk in self._response.content.iter_any():
            yield chunk

    async def read(self, limit: int) -> bytes:
        return await self._response.content.read(limit)

    async def close(self) -> None:
        self._response.close()


class RealHttp:
    """The host's HTTP over real sockets."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session

    async def send(self, request: HttpRequest) -> Answer:
        timeout = aiohttp.ClientTimeout(total=None, sock_read=request.headers_timeout)
        try:
            response = await self._session.request(
                request.method, request.url, headers=dict(request.headers), data=request.body, timeout=timeout
            )
        except aiohttp.ClientError as error:
            raise BridgeError(str(error), code="net_refused") from error
        return Answer(response)


async def run_case(
    case: Case, client: HttpModelClient, *, verbose: bool, limit: int = STEPS
) -> tuple[bool, int, str]:
    """Do one task; return whether it came out right, the number of steps, and a remark."""
    site = Site(page=case.page, product=case.product, labels=dict(case.labels or {}), banner=case.banner)
    tools = registry.tools_for(Mode.ACT, Tier.COMPACT, Capabilities(browser="memory"))
    specs = {tool.name: tool for tool in tools}
    strategy = ConstrainedTurns()
    messages = [Message(role="user", content=case.task)]
    for step in range(1, limit + 1):
        state = TurnState(
            system=system_prompt(Mode.ACT, Tier.COMPACT, constrained=True),
            task=case.task,
            messages=messages,
            tools=tools,
            mode=Mode.ACT,
            tier=Tier.COMPACT,
            step=step,
            page=site.view(),
        )
        request = strategy.request(state)
        started = time.monotonic()
        reply = await client.complete(request)
        if verbose:
            print(f"    {time.monotonic() - started:5.1f}s {reply.usage.prompt_tokens} {reply.text}")
        try:
            turn = strategy.read(reply, state)
        except ModelMayRetry as error:
            messages.append(Message(role="user", content=enrich.note(error.message)))
            continue
        if not turn.calls:
            return case.passed(site, {"summary": turn.text}), step, turn.text[:80]
        call = turn.calls[0]
        args = json.loads(call.arguments)
        messages.append(Message(role="assistant", tool_calls=[call]))
        if call.name == "done":
            return case.passed(site, args), step, str(args.get("summary", ""))[:80]
        data = site.act(call.name, args)
        result = ToolResult(bool(data.pop("success")), data)
        content = render_result(specs[call.name], result, nonce=nonce())
        messages.append(Message(role="tool", content=content, tool_call_id=call.id, name=call.name))
    return False, limit, "(no end)"


def start_server(binary: str, model: str, threads: int) -> tuple[subprocess.Popen[bytes], str]:
    """Start llama-server on a free port and wait until it is ready."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    folder = str(Path(binary).resolve().parent)
    env = {**os.environ, "LD_LIBRARY_PATH": f"{folder}:{os.environ.get('LD_LIBRARY_PATH', '')}"}
    command = [binary, "-m", model, "--host", "127.0.0.1", "--port", str(port), "-c", "8192", "-t", str(threads),
               "-np", "1", "--jinja", "--no-webui"]  # fmt: skip
    process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{url}/health", timeout=2) as answer:
                if answer.status == 200:
                    return process, url
        except OSError:
            if process.poll() is not None:
                sys.exit(f"{binary} ended with {process.returncode}")
            time.sleep(0.2)
    process.terminate()
    sys.exit("the server did not become ready")


async def measure(url: str, only: str, *, verbose: bool, limit: int) -> None:
    """Run the cases and print what came of them."""
    loaded = catalog.load()
    entry = loaded.entries["llamacpp"]
    endpoint = config.resolve(loaded, entry, config.merge(entry, {}, {"baseUrl": url}))
    async with aiohttp.ClientSession() as session:
        client = HttpModelClient(RealHttp(session), MemoryHost().clock, endpoint)
        right = total = steps = 0
        started = time.monotonic()
        for case in CASES:
            if only and case.name not in only.split(","):
                continue
            began = time.monotonic()
            passed, taken, remark = await run_case(case, client, verbose=verbose, limit=limit)
            right, total, steps = right + passed, total + 1, steps + taken
            seconds = time.monotonic() - began
            print(
                f"{'ok  ' if passed else 'MISS'} {case.name:18} {taken:2} steps {seconds:5.1f} s  {remark}",
                flush=True,
            )
        seconds = time.monotonic() - started
        print(
            f"{right} of {total} right, {steps} steps, {seconds:.0f} s, {seconds / max(steps, 1):.1f} s per step"
        )


def main() -> None:
    """Parse the command line and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", default="")
    parser.add_argument("--server", default="llama-server")
    parser.add_argument("--model", default="")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--only", default="")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    process = None
    url = options.url
    if not url:
        process, url = start_server(options.server, options.model, options.threads)
    try:
        asyncio.run(measure(url, options.only, verbose=options.verbose, limit=options.steps))
    finally:
        if process is not None:
            process.terminate()
            process.wait()


if __name__ == "__main__":
    main()
