"""The browser's own model through the built extension, played by a LanguageModel as strict as documented.

No browser for tests ships the model, so the pages that would ask it are given one: from the download in the
settings to a task whose every answer is held to a schema, with Stop and a prompt that does not fit.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.browsers.base import wait_until
from tests.support.screens import Settings
from tests.support.stage import CHROMIUM_ONLY, Stage

SOON = 5.0
FAKE = Path(__file__).parents[1] / "unit" / "js" / "language_model.fake.mjs"
INSTALL = f"""((page) => {{
  {FAKE.read_text(encoding="utf-8").replace("export class", "class")}
  const model = page.fakeModel = new FakeModel();
  Object.defineProperty(model, "activated", {{get: () => page.navigator.userActivation.isActive}});
  model.window = 9_216;
  model.state = "downloadable";
  model.progress = [0.25, 1];
  model.install();
  return true;
}})"""
ANSWERS = """((page) => {
  // Anything that fits a schema; of the steps that are offered, the wanted ones in turn.
  const fitting = (schema) => {
    if ("const" in schema) return schema.const;
    if (schema.enum) return schema.enum.includes("success") ? "success" : schema.enum[0];
    if (schema.anyOf) return fitting(schema.anyOf[0]);
    if (schema.type === "object")
      return Object.fromEntries((schema.required ?? []).map((key) => [key, fitting(schema.properties[key])]));
    if (schema.type === "array")
      return Array.from({length: schema.minItems ?? 0}, () => fitting(schema.items));
    if (schema.type === "string") return "It is done.";
    if (schema.type === "boolean") return true;
    return schema.maximum ?? 1;
  };
  let clicked = false;
  page.fakeModel.answer = (input, {responseConstraint: schema}) => {
    const steps = (schema?.anyOf ?? [schema]).filter((one) => one?.properties?.tool);
    let answer = fitting(schema);
    if (steps.length) {
      const tool = clicked ? "done" : "click_ax";
      const found = steps.find((one) => one.properties.tool.const === tool) ?? steps[0];
      const label = found.properties.element?.enum.find((one) => one.includes("About the shop"));
      answer = {...fitting(found), ...(label && {element: label})};
      clicked = true;
    }
    const text = JSON.stringify(answer);
    return [text.slice(0, 7), text.slice(7)];
  };
  return true;
})"""


@pytest.fixture
def settings(stage: Stage) -> Iterator[Settings]:
    """The settings page, in a browser that says it has a model; afterwards the usual service is in use."""
    page = Settings(stage.browser)
    page.page.eval(f"{INSTALL}(globalThis)")
    stage.browser.eval_in_host(INSTALL)
    yield page
    stage.browser.eval_in_host("(page) => delete page.LanguageModel && delete page.fakeModel")
    page.use("custom", baseUrl=stage.model.url, model=stage.model.model)
    page.close()


def tell(stage: Stage, **fields: Any) -> None:
    """Set fields of the model that the supervisor page asks."""
    values = json.dumps(fields)
    assert stage.browser.eval_in_host(f"(page) => Object.assign(page.fakeModel, {values}) && true")


def seen(stage: Stage, of_model: str) -> Any:
    """What it saw: an expression over ``model``."""
    return stage.browser.eval_in_host(f"(page) => ((model) => {of_model})(page.fakeModel)")


@pytest.mark.parametrize("engine", CHROMIUM_ONLY, scope="module", indirect=True)
def test_from_the_download_to_a_task(stage: Stage, settings: Settings) -> None:
    settings.open_provider("builtin")
    settings.page.wait_for("[data-builtin=downloadable]")
    assert settings.page.eval("document.querySelector('#form-builtin [data-action=use]').disabled")
    assert settings.page.eval("fakeModel.created.length") == 0, "nothing is downloaded unasked"
    settings.page.click("[data-action=download]")
    settings.page.wait_for("[data-builtin=available]")
    assert settings.page.eval("fakeModel.alive") == 0
    tell(stage, state="available")
    settings.use("builtin")

    stage.browser.eval_in_host(ANSWERS)
    tab, panel = stage.open("/")
    panel.send("Open the page about the shop.", "act")
    turn = panel.wait_over()
    assert turn.status == "completed", turn
    assert tab.page.eval("location.pathname") == "/about"
    assert not stage.model.calls, "no other service was asked"
    held = seen(stage, "model.prompted.map(({options}) => options.responseConstraint?.type ?? 'anyOf')")
    assert len(held) >= 2, "each answer was held to a schema, or the fake would not have known what to say"
    made = seen(
        stage, "model.created.map(({initialPrompts, temperature}) => [initialPrompts[0].role, temperature])"
    )
    assert {role for role, _ in made} == {"system"}
    assert 0 in [temperature for _, temperature in made]
    assert seen(stage, "model.alive") <= 1, "only the session for the next step is kept"

    tell(stage, hold=True)
    panel.send("Open the page about the shop.", "act")
    panel.wait_running()
    wait_until(lambda: seen(stage, "model.alive") == 2, SOON, lambda: "the model to be answering")
    assert panel.stop() < SOON
    wait_until(lambda: seen(stage, "model.stopped") == 1, SOON, lambda: "the model to be stopped")
    tell(stage, hold=False, window=60)
    panel.send("And now?", "ask")
    panel.wait_turn("turn.question.includes('And now?')", what="the new turn")
    turn = panel.wait_over()
    assert turn.error == "context_too_small", turn
    assert "too long" in turn.error_text
