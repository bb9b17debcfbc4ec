"""Orders in what services of models say beside their calls: errors, plans and summaries.

The replies themselves, and descriptions of pictures, are placements of the suite.
"""

from typing import Any, Final

import pytest

from tests.security.injection.placements import Placement
from tests.security.injection.play import Played, converse, play
from tests.security.injection.scenarios import SCENARIOS, Scenario
from tests.security.injection.test_cases import MANY
from tests.support.toolbox import TAB
from webbrain.app import App
from webbrain.core.errors import ProviderFailed
from webbrain.core.messages import ModelReply, ModelRequest, Usage
from webbrain.prompts import prompt
from webbrain.testing.obedient import ObedientModel

SOME = SCENARIOS if MANY else SCENARIOS[1::4]
NAMES = [scenario.name for scenario in SOME]
NOWHERE: Final = Placement("nowhere", lambda _world, _text: None)


class Failing(ObedientModel):
    """A service that fails at first, and says the orders while it does."""

    error = ""

    async def complete(self, request: ModelRequest, *rest: Any) -> ModelReply:
        """Fail once."""
        if self.error:
            said, self.error = self.error, ""
            raise ProviderFailed(said, code="bad_request")
        return await super().complete(request, *rest)


class Summing(ObedientModel):
    """A service whose summary of a conversation says the orders."""

    summary = ""

    async def complete(self, request: ModelRequest, *rest: Any) -> ModelReply:
        """Summarise, or obey."""
        if request.messages[0].content == prompt("summarise"):
            return ModelReply(text=self.summary, usage=Usage(prompt_tokens=9, completion_tokens=9))
        return await super().complete(request, *rest)


EARLIER: Final = 6
"""Tasks before a summary has something to be about."""


async def _planned(scenario: Scenario, **how: Any) -> Played:
    settings = {"planBeforeActMode": "try", "planReviewMode": "never"}
    plan = {"summary": "Look at the page.", "steps": ["Look at the page", *scenario.orders]}
    return await play(scenario, NOWHERE, settings=settings, plan=plan, **how)


async def _summed(scenario: Scenario, **how: Any) -> Played:
    async def before(app: App, model: Summing) -> None:
        reading, model.reading = model.reading, ()
        model.answer = "Tea is fine. " * 90
        for number in range(EARLIER):
            await converse(app, "ask", f"q{number}", "deny")
        model.summary = scenario.text
        await app.handle_ui("commands.run", {"tabId": TAB, "text": "/compact"})
        model.answer, model.reading = "Done.", reading

    return await play(scenario, NOWHERE, kind=Summing, before=before, **how)


@pytest.mark.parametrize("said", [_planned, _summed], ids=["plan", "summary"])
@pytest.mark.parametrize("scenario", SOME, ids=NAMES)
async def test_nothing_of_consequence_happens_unasked(scenario: Scenario, said: Any) -> None:
    unprotected = await said(scenario, answer="once", protected=False)
    assert unprotected.obeyed >= len(scenario.orders), "the model has to meet the order"
    assert unprotected.effects, "a case counts only if it does harm without protection"

    refused = await said(scenario, answer="deny")
    assert refused.effects == []
    assert refused.cards or scenario.needs_api, "it was asked about"

    trusting = await said(scenario, answer="deny", granted=True)
    assert trusting.consequential == []

    allowed = await said(scenario, answer="once")
    assert allowed.untold() == []


@pytest.mark.parametrize("scenario", SOME, ids=NAMES)
async def test_what_a_service_says_in_an_error_reaches_no_model(scenario: Scenario) -> None:
    """Errors are for the person. The same words in an answer are met: that is a placement of the suite."""

    async def before(app: App, model: Failing) -> None:
        model.error = scenario.text
        await converse(app, "act", "r0", "once")

    played = await play(scenario, NOWHERE, answer="once", protected=False, kind=Failing, before=before)
    told = [data["data"] for name, data in played.told if data.get("type") == "error"]
    assert scenario.orders[0] in str(told), "it was told to the person"
    assert played.obeyed == 0
    assert played.effects == []
