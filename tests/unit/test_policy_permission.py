"""Cards before what reaches beyond the page: one per capability and host and run."""

from dataclasses import replace
from typing import Any

import pytest

from tests.support.toolbox import TAB, context, page_host
from webbrain.core.errors import ToolFailed
from webbrain.core.events import Card
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability, Mode, Tier
from webbrain.host.memory import MemoryHost
from webbrain.policy.egress import LOCAL_NETWORK_SETTING
from webbrain.policy.permission import PermissionPolicy
from webbrain.tools.base import ToolArgs, ToolContext, ToolSpec, spec


class Args(ToolArgs):
    """A tool of a test."""


async def run(_ctx: ToolContext, _args: Args) -> ToolResult:
    return ToolResult.ok("done")


def tool(capability: Capability) -> ToolSpec:
    return spec(
        "any_tool",
        args=Args,
        run=run,
        modes=(Mode.ACT,),
        tiers=(Tier.FULL,),
        capability=capability,
        untrusted=True,
        effect=True,
        label="Any",
    )


NETWORK, DOWNLOAD = tool(Capability.NETWORK), tool(Capability.DOWNLOAD)
UPLOAD, WINDOW = tool(Capability.UPLOAD), tool(Capability.WINDOW)


async def card(
    policy: PermissionPolicy, given: ToolSpec, host: MemoryHost | None = None, **args: Any
) -> Card | None:
    return await policy.needs_card(context(host or page_host()), given, args)


async def asked(policy: PermissionPolicy, given: ToolSpec, answer: str, **args: Any) -> list[str]:
    """The hosts that a call asks about, each answered in the same way; ends with the first refusal."""
    hosts = []
    while (found := await card(policy, given, **args)) is not None:
        hosts.append(found.host)
        if policy.answered(answer) is not None:
            break
    return hosts


async def test_a_yes_counts_for_the_run_and_the_host() -> None:
    policy = PermissionPolicy()
    url = "https://www.news.example/a"
    assert await asked(policy, NETWORK, "once", url=url) == ["news.example"]
    assert await card(policy, NETWORK, url="https://news.example/b") is None
    assert await card(policy, NETWORK, url="https://img.news.example/b") is not None, "another host"
    assert await card(policy, DOWNLOAD, url=url) is not None, "another capability"
    assert await card(PermissionPolicy(), NETWORK, url=url) is not None, "another run"


async def test_a_no_counts_for_the_run_too() -> None:
    policy = PermissionPolicy()
    assert await card(policy, NETWORK, url="https://news.example/")
    refusal = policy.answered("deny")
    assert refusal
    assert not refusal.success
    assert refusal.data["code"] == "denied"
    assert refusal.data["denied"] is True
    assert "news.example" in refusal.data["error"]
    with pytest.raises(ToolFailed) as caught:
        await card(policy, NETWORK, url="https://news.example/other")
    assert caught.value.code == "denied"


@pytest.mark.parametrize("answer", ["deny", "", "yes", "always", "cancelled"])
async def test_anything_but_the_plain_yes_is_a_no(answer: str) -> None:
    policy = PermissionPolicy()
    assert await card(policy, NETWORK, url="https://news.example/")
    assert policy.answered(answer) is not None


async def test_every_host_of_a_list_is_asked_about_once() -> None:
    urls = ["https://a.example/1", "https://b.example/1", "https://a.example/2", "/own"]
    policy = PermissionPolicy()
    assert await asked(policy, DOWNLOAD, "once", urls=urls) == ["a.example", "b.example", "shop.example"]
    assert await asked(PermissionPolicy(), DOWNLOAD, "deny", urls=urls) == ["a.example"]


async def test_the_card_says_what_happens() -> None:
    found = await card(
        PermissionPolicy(), DOWNLOAD, urls=["http://a.example/1", "http://a.example/2", "https://b.example/"]
    )
    assert found
    assert found.kind == "permission"
    assert found.title == "Download from a.example?"
    assert "2 files from a.example" in found.question
    assert "not encrypted" in found.question
    assert [(option.id, option.style) for option in found.options] == [
        ("once", "primary"),
        ("deny", "secondary"),
    ]


async def test_the_card_tells_of_cookies() -> None:
    own = await card(PermissionPolicy(), NETWORK, url="https://shop.example/api")
    other = await card(PermissionPolicy(), NETWORK, url="https://news.example/api")
    assert own
    assert other
    assert "your sign-in" in own.question
    assert "your sign-in" not in other.question
    opens = replace(NETWORK, name="research_url")
    tab = await card(PermissionPolicy(), opens, url="https://news.example/api")
    assert tab
    assert "your sign-in" in tab.question, "a tab always has the cookies of its site"


async def test_without_an_address_the_page_is_meant() -> None:
    for given in (UPLOAD, DOWNLOAD):
        found = await card(PermissionPolicy(), given, selector="input")
        assert found
        assert found.host == "shop.example"
    assert await card(PermissionPolicy(), NETWORK) is None, "reading what the tab shows needs no leave"
    with pytest.raises(ToolFailed, match="which site"):
        await card(PermissionPolicy(), UPLOAD, page_host("about:blank"))


async def test_the_window_is_asked_about_once_whatever_it_shows() -> None:
    policy = PermissionPolicy()
    found = await card(policy, WINDOW, page_host("about:blank"), width=800)
    assert found
    assert policy.answered("once") is None
    assert await card(policy, WINDOW, width=900) is None


@pytest.mark.parametrize(
    "args",
    [
        {"url": "http://169.254.169.254/"},
        {"url": "ftp://a.example/"},
        {"urls": ["https://a.example/", "http://127.0.0.1/"]},
    ],
)
async def test_a_forbidden_address_gets_no_card(args: dict[str, Any]) -> None:
    with pytest.raises(ToolFailed) as caught:
        await card(PermissionPolicy(), NETWORK, **args)
    assert caught.value.code in ("forbidden_address", "bad_url")


async def test_a_local_address_gets_a_card_once_it_is_allowed() -> None:
    host = page_host()
    await host.settings.set({LOCAL_NETWORK_SETTING: True})
    found = await card(PermissionPolicy(), NETWORK, host, url="http://127.0.0.1:8000/")
    assert found
    assert found.host == "127.0.0.1"


async def test_what_the_tool_refuses_anyway_is_not_asked() -> None:
    assert await card(PermissionPolicy(), NETWORK, url="https://a.example/", method="POST") is None


@pytest.mark.parametrize(
    "capability",
    sorted(set(Capability) - {NETWORK.capability, DOWNLOAD.capability, UPLOAD.capability, WINDOW.capability}),
)
async def test_everything_else_is_not_asked(capability: Capability) -> None:
    assert await card(PermissionPolicy(), tool(capability), url="https://a.example/") is None


async def test_in_ask_the_network_needs_leave_too() -> None:
    ctx = context(page_host(), mode=Mode.ASK)
    assert await PermissionPolicy().needs_card(ctx, NETWORK, {"url": "https://a.example/"})


async def test_it_is_the_policy_that_asks() -> None:
    policy = PermissionPolicy(enabled=False)
    assert await card(policy, NETWORK, url="https://a.example/") is None
    assert policy.answered("deny") is None


async def test_the_run_goes_on_with_what_it_had() -> None:
    ctx = replace(context(page_host()), tab_id=TAB)
    assert PermissionPolicy().context(ctx) is ctx
