"""What reaches beyond the page asks a person first: the network, downloads, uploads, the window.

One card per capability and host and run. A yes counts until the run ends, and so does a no. An address that
the guard forbids gets no card: nobody needs to think about it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from webbrain.core.errors import ToolFailed
from webbrain.core.events import Card, CardOption
from webbrain.core.ids import new_id
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability
from webbrain.policy import egress
from webbrain.policy.sites import cookies_for
from webbrain.policy.submit import DENY, HOST_CHARS, ONCE, allows
from webbrain.tools.base import ToolContext, ToolSpec

ASKED: Final = frozenset({Capability.NETWORK, Capability.DOWNLOAD, Capability.UPLOAD, Capability.WINDOW})
"""The capabilities that need a card."""
TARGETS: Final = ("url", "urls")
"""The arguments in which tools take addresses."""
OPENS_A_TAB: Final = frozenset({"research_url"})
"""Tools that read as a tab does: with the cookies of whatever site it is."""

DENIED: Final = (
    "The user did not allow this for {host}. Do not try to reach it another way in this task; "
    "do without it, or finish and say what is missing."
)
NO_HOST: Final = (
    "It cannot be seen which site this goes to, so it was not done. Open an ordinary web page first."
)

_TITLES: Final = {
    Capability.NETWORK: "Read from {host}?",
    Capability.DOWNLOAD: "Download from {host}?",
    Capability.UPLOAD: "Give a file to {host}?",
    Capability.WINDOW: "Resize the browser window?",
}
_QUESTIONS: Final = {
    Capability.NETWORK: "WebBrain wants to fetch data from {host} in the background.",
    Capability.DOWNLOAD: "WebBrain wants to save {count} from {host} on this computer.",
    Capability.UPLOAD: "WebBrain wants to hand a file from your downloads to the page on {host}.",
    Capability.WINDOW: "WebBrain wants to change the size of this browser window.",
}
_WITH_COOKIES: Final = " It is fetched as you: your sign-in at this site goes along."
_PLAIN_TEXT: Final = " The connection is not encrypted."
_FOR_THE_RUN: Final = " A yes counts for this task only."


@dataclass(frozen=True, slots=True)
class Need:
    """One thing to be allowed: a capability at a host."""

    capability: Capability
    host: str


class PermissionPolicy:
    """Decides which calls of one run need a person's leave. One instance per run, asked about one call at a
    time; after each card :meth:`answered` is told what the person said, and :meth:`needs_card` asked again.
    """

    def __init__(self, *, enabled: bool = True) -> None:
        self._enabled = enabled
        """Off only in tests proving that it is this policy which asks."""
        self._answers: dict[Need, bool] = {}
        self._asked: Need | None = None

    async def needs_card(self, ctx: ToolContext, spec: ToolSpec, args: Mapping[str, Any]) -> Card | None:
        """The next card to show before this call, or ``None``.

        Raise ``ToolFailed``, to be shown to the model as the call's result, for an address that must not be
        opened and for a host that the person has denied in this run.
        """
        self._asked = None
        if not self._enabled or spec.capability not in ASKED:
            return None
        if egress.is_write(str(args.get("method") or "GET")):
            return None  # the tool refuses it by itself, so there is nothing to allow
        page = (await ctx.host.browser.get_tab(ctx.tab_id)).url
        urls = await _targets(ctx, args, page)
        if not urls and spec.capability is Capability.NETWORK:
            return None  # what the tab itself shows
        for need, url in _needs(spec.capability, urls, page):
            answer = self._answers.get(need)
            if answer is False:
                raise _refused(need)
            if answer is None:
                self._asked = need
                as_user = spec.name in OPENS_A_TAB or cookies_for(url, page)
                return card_for(need, url, sum(_host(one) == need.host for one in urls), as_user=as_user)
        return None

    def answered(self, answer: str) -> ToolResult | None:
        """Remember the answer to the last card. ``None`` means go on; anything else is the call's result."""
        need, self._asked = self._asked, None
        if need is None:
            return None
        self._answers[need] = allows(answer)
        if self._answers[need]:
            return None
        refusal = _refused(need)
        return ToolResult.error(refusal.message, refusal.code, **refusal.data)

    def context(self, ctx: ToolContext) -> ToolContext:
        """What the tool must run with: what it had before."""
        return ctx


async def _targets(ctx: ToolContext, args: Mapping[str, Any], page: str) -> list[str]:
    """The absolute addresses among the arguments, each past the guard."""
    given = [value for name in TARGETS for value in _listed(args.get(name))]
    if not given:
        return []
    guard = await egress.guard(ctx.host)
    urls = [egress.resolve(value, page) for value in given]
    for url in urls:
        guard.check(url)
    return urls


def _listed(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value] if value.strip() else []
    return [str(item) for item in value] if isinstance(value, list | tuple) else []


def _needs(capability: Capability, urls: Sequence[str], page: str) -> list[tuple[Need, str]]:
    """What must be allowed, each once, with an address that stands for it: destinations, else the page."""
    if capability is Capability.WINDOW:
        return [(Need(capability, ""), page)]
    found: dict[Need, str] = {}
    for url in urls or [page]:
        found.setdefault(Need(capability, _host(url)), url)
    if any(not need.host for need in found):
        raise ToolFailed(NO_HOST, code="no_host")
    return list(found.items())


def card_for(need: Need, url: str, count: int, *, as_user: bool) -> Card:
    """The question, in plain words. ``as_user``: the user's cookies go along."""
    files = f"{count} files" if count > 1 else "a file"
    question = _QUESTIONS[need.capability].format(host=need.host, count=files)
    if need.capability is Capability.NETWORK and as_user:
        question += _WITH_COOKIES
    if need.capability in (Capability.NETWORK, Capability.DOWNLOAD) and urlsplit(url).scheme == "http":
        question += _PLAIN_TEXT
    return Card(
        card_id=new_id("perm"),
        kind="permission",
        title=_TITLES[need.capability].format(host=need.host),
        question=question + _FOR_THE_RUN,
        host=need.host[:HOST_CHARS],
        options=[
            CardOption(id=ONCE, label="Allow for this task", style="primary"),
            CardOption(id=DENY, label="Do not allow", style="secondary"),
        ],
    )


def _refused(need: Need) -> ToolFailed:
    message = DENIED.format(host=need.host or "this window")
    return ToolFailed(message, code="denied", data={"denied": True, "dispatched": False})


def _host(url: str) -> str:
    try:
        return egress.host_of(url).removeprefix("www.")
    except egress.Refused:
        return ""
