"""A host that the user denied for good stays denied on every way round: a file that is fetched again, a
file to be handed to a page, a redirect.
"""

from typing import Any

import pytest

from tests.support.gate import Person, code, shop, tool
from tests.support.toolbox import context
from webbrain.agent.attachments import AtHand, Attached
from webbrain.core.results import ToolResult
from webbrain.core.types import Capability
from webbrain.host.memory import MemoryHost, Reply
from webbrain.host.reach import Download
from webbrain.policy import egress, grants
from webbrain.policy.grants import SWITCH, Need

BILL = "https://bills.example/bill.pdf"
OUT = "https://shop.example/out"


async def denied(capability: Capability, *hosts: str) -> MemoryHost:
    host = shop()
    await grants.remember(host, [Need(capability, one) for one in hosts], allow=False)
    host.downloads.add(Download(5, BILL, BILL, "/home/ada/bill.pdf", "complete", 9, 9))
    pdf = {"content-type": "application/pdf"}
    host.http.on("GET", BILL, Reply(headers=pdf, chunks=[b"%PDF-1.7"]))
    return host


async def run(host: MemoryHost, name: str, **args: Any) -> ToolResult:
    spec = tool(name)
    return await spec.run(context(host), spec.args.model_validate(args))


FILES: list[dict[str, Any]] = [{"downloadId": 5}, {"downloadIds": [5]}, {"downloadIds": [1, 5]}]


@pytest.mark.parametrize("args", FILES)
async def test_a_file_of_a_denied_host_is_not_fetched_again_to_be_handed_over(args: dict[str, Any]) -> None:
    host = await denied(Capability.NETWORK, "bills.example")
    ada = Person(host=host)
    assert code(await ada.call("upload_file", **args, selector="input")) == "denied"
    assert ada.cards == [], "nobody is asked what was answered for good"
    result = await run(host, "upload_file", **args, selector="input")
    assert result.data["code"] == "denied", "nor does the tool by itself"
    assert [one.url for one in host.http.requests if "bills" in one.url] == []
    assert "upload_file" not in host.page.actions()


@pytest.mark.parametrize("args", FILES)
async def test_control_without_the_denial_it_is(args: dict[str, Any]) -> None:
    host = await denied(Capability.NETWORK, "elsewhere.example")
    ada = Person(host=host)
    assert await ada.call("upload_file", **args, selector="input") is None
    assert ada.asked() == [("upload", "shop.example")]
    assert (await run(host, "upload_file", **args, selector="input")).success


async def test_a_no_for_the_task_holds_for_files_too() -> None:
    host = await denied(Capability.NETWORK)
    ada = Person("deny", "once", host=host)
    assert code(await ada.call("fetch_url", url="https://bills.example/list")) == "denied"
    assert code(await ada.call("upload_file", downloadId=5, selector="input")) == "denied"
    assert len(ada.cards) == 1


async def test_attached_files_have_no_server_and_are_handed_over() -> None:
    host = await denied(Capability.NETWORK, "bills.example", "shop.example")
    ada = Person(host=host)
    files = AtHand()
    files.add([Attached("cv.pdf", "application/pdf", 3, "document", body=b"pdf")])
    ada.ctx = context(host)
    object.__setattr__(ada.ctx, "attached", files)
    assert await ada.call("upload_file", attachments=["cv.pdf"], selector="input") is None
    mixed = {"attachments": ["cv.pdf"], "downloadIds": [5]}
    assert code(await ada.call("upload_file", **mixed, selector="input")) == "denied"


async def test_a_file_made_in_the_page_has_no_server() -> None:
    host = await denied(Capability.NETWORK, "shop.example")
    host.downloads.add(Download(6, "data:text/plain,x", "data:text/plain,x", "/a/x.txt", "complete", 1, 1))
    assert await Person(host=host).call("upload_file", downloadId=6, selector="input") is None


@pytest.mark.parametrize("name", ["fetch_url", "read_pdf"])
async def test_a_redirect_to_a_denied_host_brings_nothing(name: str) -> None:
    host = await denied(Capability.NETWORK, "bills.example")
    host.http.on("GET", OUT, Reply(url=BILL, headers={"content-type": "text/plain"}, chunks=[b"secret bill"]))
    result = await run(host, name, url=OUT)
    assert result.data["code"] == "denied"
    assert "secret" not in str(result.data)


async def test_a_download_is_not_led_to_a_denied_host() -> None:
    host = await denied(Capability.DOWNLOAD, "bills.example")
    host.http.on("HEAD", OUT, Reply(url=BILL))
    result = await run(host, "download_files", url=OUT)
    assert result.data["code"] == "denied"
    assert host.downloads.started == []


async def test_capabilities_are_denied_one_by_one() -> None:
    host = await denied(Capability.NETWORK, "shop.example")
    assert (await run(host, "download_files", url="https://shop.example/price-list.txt")).success
    host = await denied(Capability.DOWNLOAD, "shop.example")
    assert (await run(host, "fetch_url", url="https://shop.example/price-list.txt")).success


async def test_with_the_questions_off_denials_do_not_count() -> None:
    """The switch turns the gate off, grants and denials alike (docs/security-model.md)."""
    host = await denied(Capability.NETWORK, "bills.example")
    host.settings.values[SWITCH] = False
    assert await Person(host=host).call("upload_file", downloadId=5, selector="input") is None
    assert (await egress.guard(host)).allows(BILL)


@pytest.mark.parametrize(
    "url", ["https://www.bills.example/x", "https://bills.example:443/x", "http://BILLS.example./x"]
)
async def test_a_denied_host_is_known_in_every_spelling(url: str) -> None:
    host = await denied(Capability.NETWORK, "bills.example")
    assert not (await egress.guard(host)).allows(url)
    assert (await egress.guard(host)).allows("https://bills.example:8443/x"), "another port is another host"
