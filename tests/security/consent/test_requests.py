"""Requests that change data: none without the user's command, and then none that was not shown."""

from tests.security.consent.test_consent import Try
from tests.support.script import call
from tests.support.small_site import SmallSite
from tests.support.stage import Stage
from tests.support.tool_runs import allow_local_network

BODY = '{"amount": 10}'


def posts(site: SmallSite) -> list[str]:
    """Methods of what the server was asked to change."""
    return [method for method, path, _ in site.requests if path == "/api" and method != "GET"]


def test_a_post_needs_the_command_and_then_a_yes(stage: Stage, site: SmallSite) -> None:
    allow_local_network(stage.browser)
    attempt = Try(stage, *stage.open(f"{site.url}/"))
    post = call("fetch_url", url=f"{site.url}/api", method="POST", body=BODY)
    stage.plan(post, attempt.seen)
    attempt.panel.send("Do it.", "act")
    attempt.panel.wait_over()
    assert attempt.results[-1]["requiresApiAllow"] is True
    assert posts(site) == []

    attempt.panel.send("/allow-api")
    attempt.panel.page.wait_for("[data-switch=api]")
    for answer, sent in (("deny", []), ("once", ["POST"])):
        stage.plan(post, attempt.seen)
        attempt.panel.send("Do it.", "act")
        text = attempt.panel.wait_card()
        assert "POST" in text
        assert f"{site.url}/api" in text
        assert BODY in text
        assert posts(site) == []
        attempt.panel.answer(answer)
        attempt.panel.wait_over()
        assert posts(site) == sent

    attempt.panel.send("/reset")
    attempt.panel.page.wait("!document.querySelector('[data-switch=api]')", what="the leave to go")
