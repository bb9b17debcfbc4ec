"""The permission gate: every call of a run passes it, and a person is asked where the call needs leave.

What needs leave decides ``consequential``; what was granted keep ``grants``; what a card says ``asking``. A
question is bound to the call's arguments, tab, document and origin: if one of them has changed when the
answer comes, the answer is void and the call is not made.
"""

import dataclasses
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final

from webbrain.core.errors import ToolFailed
from webbrain.core.events import Card, CardField
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability
from webbrain.host.reach import Download
from webbrain.policy import egress, grants
from webbrain.policy.asking import ALWAYS, DENY, NEVER, ONCE
from webbrain.policy.consequential import FRESH_CAPABILITIES, Weight, weigh
from webbrain.policy.empty_text import refuse_empty
from webbrain.policy.grants import Leave, Need
from webbrain.policy.origins import key_of, known_key, shown
from webbrain.policy.place import Place, changed, place_of, recheck
from webbrain.policy.questions import (
    Call,
    Destination,
    Question,
    carrying,
    confirming,
    fresh,
    ordinary,
    writing,
)
from webbrain.policy.repeats import Repeats, press_of, refuse_double
from webbrain.policy.replays import replayed
from webbrain.policy.submit import SubmitPolicy, may_submit
from webbrain.policy.typed import hosts_in
from webbrain.tools import attached
from webbrain.tools.base import ToolContext, ToolSpec
from webbrain.tools.carrying import FINDERS, INSIDE, would_save
from webbrain.tools.fetching import NEEDS_ALLOW_API
from webbrain.tools.frames import pick
from webbrain.tools.opening import BadAddress
from webbrain.tools.opening import resolve as resolve_opened
from webbrain.tools.sources import find
from webbrain.tools.state import UNANSWERED

TARGETS: Final = ("url", "urls")
"""The arguments in which tools take addresses."""
REFETCHES: Final = frozenset({"read_downloaded_file"})
"""Tools that fetch the source of a download once more."""
ANSWERS_DIALOG: Final = "answer_dialog"
OPENS: Final = frozenset({"navigate", "new_tab"})
SUBMIT_SATISFIES_CLICK: Final = frozenset({"click_ax", "click", "press_keys", "set_checked", "drag_drop"})
"""Tools for which the yes to a submit is leave for the click as well. In a frame it is not: the card speaks
of where the form goes, the grant is for the frame's own host."""

DENIED: Final = (
    "The user did not allow this for {host}. Do not try to reach it another way in this task; "
    "do without it, or finish and say what is missing."
)
DENIED_THIS: Final = (
    "The user did not allow this. Do not try the same in another way; ask what they want changed, or finish."
)
NO_HOST: Final = (
    "It cannot be seen which site this goes to, so it was not done. Open an ordinary web page first."
)

Outgoing = Callable[[ToolContext, str, Sequence[str]], Awaitable[list[CardField]]]
"""What a text carries to a host that comes from elsewhere, as lines of a card (``policy.outgoing``)."""


async def nothing(_ctx: ToolContext, _to: str, _texts: Sequence[str]) -> list[CardField]:
    """An outgoing guard that finds nothing, for tests of everything else."""
    return []


class Gate:
    """Decides which calls of one run need a person's leave. One instance per run, asked about one call at a
    time; after each card :meth:`answered` is told what the person said, and :meth:`needs_card` asked again.
    """

    def __init__(
        self, leave: Leave | None = None, *, outgoing: Outgoing = nothing, enabled: bool = True
    ) -> None:
        self._leave = leave or Leave()
        self._outgoing = outgoing
        self._enabled = enabled
        """Off only in tests proving that it is this gate which stops a call."""
        self._submit = SubmitPolicy(enabled=enabled)
        self._repeats = Repeats()
        self._refused: set[str] = set()
        """Calls that the person has refused just so; they are not asked about again in this run."""
        self._call: Call | None = None

    async def needs_card(self, ctx: ToolContext, spec: ToolSpec, args: Mapping[str, Any]) -> Card | None:
        """The next card to show before this call, or ``None``.

        Raise ``ToolFailed``, to be shown to the model as the call's result, for a call that must not be made:
        a forbidden address, what the person has denied, what may be sent already, a question that no longer
        holds.
        """
        call = self._call
        if call is None or call.args is not args:
            self._call = None
            self._submit.forget()
            call = await self._prepare(ctx, spec, args)
            self._call = call
        if call.questions:
            call.asked = call.questions.pop(0)
            call.answered = True
            return call.asked.card
        call.asked = None
        if call.answered:
            await self._recheck(ctx, call)
        if call.press is not None:
            call.press = dataclasses.replace(call.press, at=ctx.host.clock.monotonic())
            self._repeats.add(call.press)
        return None

    async def answered(self, answer: str) -> ToolResult | None:
        """Take up what was chosen on the last card. ``None`` lets the call go on, a result is its result."""
        call = self._call
        question = call.asked if call else None
        if call is None or question is None:
            return None
        call.asked = None
        if answer not in {option.id for option in question.card.options}:
            answer = DENY
        allowed = answer in (ONCE, ALWAYS)
        for need in question.grants:
            self._leave.once[need] = allowed
        if answer in (ALWAYS, NEVER):
            await grants.remember(call.ctx.host, question.standing, allow=allowed)
        if allowed:
            return None
        self._call = None
        if question.grants:
            return _result(_denied(question.grants[0]))
        self._refused.add(call.same_question(question.card))
        return ToolResult.refused(DENIED_THIS, code="denied", denied=True, dispatched=False)

    def context(self, ctx: ToolContext) -> ToolContext:
        """What the tool must run with: the form's token, the frame that was asked about, leave to write."""
        ctx = self._submit.context(ctx)
        call = self._call
        if call is None:
            return ctx
        if call.place is not None and call.place.frame_id and ctx.frame_id is None:
            ctx = dataclasses.replace(ctx, frame_id=call.place.frame_id)
        if call.approved is not None:
            ctx = dataclasses.replace(ctx, approved=call.approved)
        return dataclasses.replace(ctx, allow_api=True) if call.writes else ctx

    def ended(self, result: ToolResult) -> None:
        """The call that was let through has this result."""
        call, self._call = self._call, None
        if call is not None and call.press is not None:
            self._repeats.take_back(call.press, result)

    # --- what a call needs ---

    async def _prepare(self, ctx: ToolContext, spec: ToolSpec, args: Mapping[str, Any]) -> Call:
        call = Call(args, ctx, spec, self._leave.name_of)
        if spec.capability is Capability.NETWORK and egress.is_write(str(args.get("method") or "GET")):
            if not self._leave.allow_api:
                raise ToolFailed(NEEDS_ALLOW_API, code="requires_api_allow", data={"requiresApiAllow": True})
            call.writes = True
        if not self._enabled or _needs_nothing(spec, args):
            return call
        standing = await grants.standing(ctx.host)
        if not (standing.asks and self._leave.asks):
            await self._unasked(call)
            return call
        targets = call.targets = await _targets(ctx, spec, args)
        if spec.name in FINDERS:
            found = await would_save(ctx, spec.name, args)
            call.approved, call.inside = frozenset(found), INSIDE in found
            guard = await egress.guard(ctx.host, None)
            targets = [url for url in dict.fromkeys(found) if url != INSIDE and guard.allows(url)]
            if not targets and not call.inside:
                return call  # there is nothing to be saved, and nothing else will be
        weight = weigh(spec, args)
        if weight is Weight.FREE and not may_submit(spec, args):
            return call
        if spec.capability is Capability.NETWORK and not targets:
            if call.writes:
                raise ToolFailed(NO_HOST, code="no_host", data={"dispatched": False})
            return call  # it names no address: what the tab itself shows
        call.place = place = await place_of(ctx, spec, args)
        if spec.name == ANSWERS_DIALOG:
            call.dialog = ctx.state.dialog
        if args.get("replayRequestId") is not None:
            call.replayed = await replayed(ctx, str(args["replayRequestId"]))
        if spec.capability is Capability.UPLOAD:
            downloads, names = uploaded(args)
            call.files = [await find(ctx, number) for number in downloads]
            self._refuse_sources(standing, call.files)
            call.attached = [attached.find(ctx.attached, name).name for name in names]
        submits = await self._submit.needs_card(ctx, spec, args)
        call.control = str(self._submit.seen.get("control") or "")
        if submits is not None:
            refuse_double(args)
            refuse_empty(self._leave.said(), spec, self._submit.seen)
            call.press = press_of(ctx.tab_id, place.url, self._submit.seen, args)
            self._repeats.check(call.press, ctx.host.clock.monotonic())
        # What a page itself names as its pictures' addresses it may say.
        outgoing = [] if call.approved is not None else targets
        carried = await self._carried(ctx, spec, args, outgoing, place)
        _refuse_unanswered(call, submits=submits is not None or call.confirms, carries=any(carried.values()))
        call.questions = self._ordinary(call, standing, targets, carried, submits=submits is not None)
        if submits is not None:
            call.questions.append(Question(submits))
            call.submit_shown = True
        for question in call.questions:
            if not question.grants and call.same_question(question.card) in self._refused:
                raise ToolFailed(DENIED_THIS, code="denied", data={"denied": True, "dispatched": False})
        return call

    async def _unasked(self, call: Call) -> None:
        """Nothing is asked, but the same commit is not made twice all the same."""
        _refuse_unanswered(call)
        if not may_submit(call.spec, call.args):
            return
        try:
            if await self._submit.needs_card(call.ctx, call.spec, call.args) is None:
                return
        except ToolFailed:
            return  # the tool meets the same obstacle and says so better
        _refuse_unanswered(call, submits=True)
        refuse_double(call.args)
        refuse_empty(self._leave.said(), call.spec, self._submit.seen)
        tab = await call.ctx.host.browser.get_tab(call.ctx.tab_id)
        call.press = press_of(call.ctx.tab_id, tab.url, self._submit.seen, call.args)
        self._repeats.check(call.press, call.ctx.host.clock.monotonic())

    def _ordinary(
        self,
        call: Call,
        standing: grants.Standing,
        targets: Sequence[str],
        carried: Mapping[str, Sequence[CardField]],
        *,
        submits: bool,
    ) -> list[Question]:
        """Every question of a call but the one about its form. Raise ``ToolFailed`` for what was denied.

        ``carried``: by host, what goes there and comes from elsewhere.
        """
        spec = call.spec
        assert call.place is not None
        destinations = _destinations(spec, targets, call.place, inside=call.inside)
        needs = [Need(spec.capability, key) for key, _ in destinations]
        for need in needs:
            if self._answer(standing, need) is False:
                raise _denied(need)
        asked_for = hosts_in(self._leave.said()) if spec.name in OPENS else frozenset()
        questions = []
        for need, (key, urls) in zip(needs, destinations, strict=True):
            if carried.get(key):
                questions.append(carrying(call, key, urls, carried[key]))
            elif call.confirms:
                questions.append(confirming(call, key))
            elif call.writes:
                questions.append(writing(call, key, urls[0]))
            elif spec.capability in FRESH_CAPABILITIES:
                if standing.answers.get(need) is not True:
                    questions.append(fresh(call, key, urls))
            elif submits and spec.name in SUBMIT_SATISFIES_CLICK:
                continue
            elif self._answer(standing, need) is not True and key not in asked_for:
                questions.append(ordinary(call, key, urls))
        return questions

    def _answer(self, standing: grants.Standing, need: Need) -> bool | None:
        """What the person said about this before, for good or for the task; a no wins."""
        known = [answers[need] for answers in (standing.answers, self._leave.once) if need in answers]
        return all(known) if known else None

    def _refuse_sources(self, standing: grants.Standing, files: Sequence[Download]) -> None:
        """Raise ``ToolFailed`` for files that would be fetched again from a host that was denied."""
        for file in files:
            need = Need(Capability.NETWORK, known_key(file.final_url or file.url))
            if self._answer(standing, need) is False:
                raise _denied(need)

    # --- what else is looked at ---

    async def _carried(
        self, ctx: ToolContext, spec: ToolSpec, args: Mapping[str, Any], targets: Sequence[str], place: Place
    ) -> dict[str, list[CardField]]:
        """Lines for what this call would take to a host that it does not come from, by host."""
        found: dict[str, list[CardField]] = {}
        body = [str(args["body"])] if args.get("body") is not None else []
        headers = args.get("headers")
        body += [str(value) for value in headers.values() if value] if isinstance(headers, Mapping) else []
        for url in targets:
            _add(found, known_key(url), await self._outgoing(ctx, url, [url, *body]))
        text = args.get("text")
        types = spec.capability is Capability.TYPE or spec.name == ANSWERS_DIALOG
        if types and isinstance(text, str) and text and place.key:
            _add(found, place.key, await self._outgoing(ctx, place.origin, [text]))
        return found

    async def _recheck(self, ctx: ToolContext, call: Call) -> None:
        if call.place is not None:
            await recheck(ctx, call.place)
        if await _targets(ctx, call.spec, call.args) != call.targets:
            raise changed("it leads to another address")
        downloads, _ = uploaded(call.args) if call.files else ([], [])
        if [_source(await find(ctx, one)) for one in downloads] != [_source(one) for one in call.files]:
            raise changed("the file is another one")
        if call.spec.name == ANSWERS_DIALOG and ctx.state.dialog != call.dialog:
            raise changed("its dialog is another one")
        if not call.submit_shown:
            await self._submit.recheck(ctx, call.spec, call.args)


def _add(found: dict[str, list[CardField]], key: str, lines: Sequence[CardField]) -> None:
    known = found.setdefault(key, [])
    known += [line for line in lines if line not in known]


def _destinations(
    spec: ToolSpec, targets: Sequence[str], place: Place, *, inside: bool = False
) -> list[Destination]:
    """The hosts a call is charged to; ``inside``: the page's own is one of them."""
    if spec.capability is Capability.WINDOW:
        return [("", [])]
    found: dict[str, list[str]] = {}
    for url in targets:
        found.setdefault(known_key(url), []).append(url)
    if inside or not targets:
        found.setdefault(place.key, [])
    if "" in found:
        raise ToolFailed(NO_HOST, code="no_host", data={"dispatched": False})
    return list(found.items())


def _needs_nothing(spec: ToolSpec, args: Mapping[str, Any]) -> bool:
    """Whether a call is let through whatever was allowed or refused, so that nothing need be looked up."""
    free = spec.capability is Capability.NONE and weigh(spec, args) is Weight.FREE
    return free and not may_submit(spec, args)


def _refuse_unanswered(call: Call, *, submits: bool = False, carries: bool = False) -> None:
    """Raise ``ToolFailed`` for what is consequential while nobody has answered a question of the model's."""
    heavy = weigh(call.spec, call.args, submits=submits, carries=carries) is Weight.FRESH
    if heavy and call.ctx.state.unanswered:
        data = {"denied": True, "dispatched": False}
        raise ToolFailed(UNANSWERED, code="needs_answer", data=data)


async def _targets(ctx: ToolContext, spec: ToolSpec, args: Mapping[str, Any]) -> list[str]:
    """The absolute addresses a call opens, each past the guard."""
    if spec.capability is Capability.NAVIGATE:
        return await _opened(ctx, spec, args)
    given = [value for name in TARGETS for value in _listed(args.get(name))]
    if spec.name in REFETCHES:
        row = await find(ctx, int(args["downloadId"]))
        source = row.final_url or row.url
        given = [source] if known_key(source) else []
    if not given or spec.capability not in (Capability.NETWORK, Capability.DOWNLOAD):
        return []
    page = (await ctx.host.browser.get_tab(ctx.tab_id)).url
    guard = await egress.guard(ctx.host, None)
    urls = [egress.resolve(value, page) for value in given]
    for url in urls:
        guard.check(url)
    return urls


async def _opened(ctx: ToolContext, spec: ToolSpec, args: Mapping[str, Any]) -> list[str]:
    """The address that a tool for opening pages opens; nothing for a step in the history."""
    if spec.name == "promote_iframe":
        frame = await pick(ctx, args.get("urlFilter"), match_index=args.get("matchIndex"))
        return [frame.url] if known_key(frame.url) else []
    if spec.name not in OPENS:
        return []
    page = (await ctx.host.browser.get_tab(ctx.tab_id)).url
    try:
        url = resolve_opened(str(args.get("url") or ""), page)
        key_of(url)
    except BadAddress as error:
        raise ToolFailed(str(error), code="bad_url") from error
    return [url]


def uploaded(args: Mapping[str, Any]) -> tuple[list[int], list[str]]:
    """What ``upload_file`` is to hand over: downloads, and files that the person attached."""
    one = args.get("downloadId")
    given = args.get("downloadIds") or ([] if one is None else [one])
    return [int(number) for number in dict.fromkeys(given)], list(
        dict.fromkeys(args.get("attachments") or [])
    )


def _source(file: Download) -> tuple[str, str]:
    """What a card says of a file that was downloaded."""
    return file.filename, file.final_url or file.url


def _listed(value: Any) -> list[str]:
    """What an argument names. A blank address counts: ``egress.resolve`` refuses it."""
    if isinstance(value, str):
        return [value]
    return [str(item) for item in value] if isinstance(value, list | tuple) else []


def _denied(need: Need) -> ToolFailed:
    message = DENIED.format(host=shown(need.host) or "this window")
    return ToolFailed(message, code="denied", data={"denied": True, "dispatched": False})


def _result(error: ToolFailed) -> ToolResult:
    return ToolResult.error(error.message, error.code, **error.data)
