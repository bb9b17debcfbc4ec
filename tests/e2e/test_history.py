"""Earlier conversations: found, opened again and gone on with, saved, and deleted for good."""

import json
from typing import Any

from tests.support.script import say
from tests.support.stage import Stage

STORED = """(async (word) => {
  const db = await new Promise((done, failed) => {
    const opening = indexedDB.open('webbrain_journal');
    opening.onsuccess = () => done(opening.result);
    opening.onerror = () => failed(opening.error);
  });
  const found = [];
  for (const name of db.objectStoreNames) {
    const request = db.transaction(name).objectStore(name).getAll();
    const values = await new Promise((done) => { request.onsuccess = () => done(request.result); });
    if (values.some((value) => JSON.stringify(value).includes(word))) found.push(name);
  }
  db.close();
  return found;
})(%s)"""
"""The stores of the database in which a word stands."""

FILL = """(async () => {
  const db = await new Promise((done) => {
    const opening = indexedDB.open('webbrain_journal');
    opening.onsuccess = () => done(opening.result);
  });
  const text = 'Lorem ipsum dolor sit amet, Überraschung und Straße, 12.50 euros. '.repeat(120);
  const store = db.transaction('conversations', 'readwrite').objectStore('conversations');
  for (let n = 0; n < 500; n += 1)
    store.put({ title: `Number ${n}`, startedAt: n, updatedAt: n, turns: 1, tabUrl: '',
      text: n === 0 ? `${text} needle` : text }, `conv_${String(n).padStart(12, '0')}`);
  await new Promise((done) => { store.transaction.oncomplete = done; });
  db.close();
})()"""
"""Five hundred conversations of 8,000 characters each; the word stands in the oldest."""

SEARCH = """(async () => {
  const box = document.getElementById('history-search');
  const began = performance.now();
  box.value = 'NEEDLE';
  box.dispatchEvent(new Event('input', { bubbles: true }));
  while (document.querySelectorAll('[data-conversation]').length !== 1)
    await new Promise((drawn) => requestAnimationFrame(drawn));
  return performance.now() - began;
})()"""

SEARCH_MS = 2_000
"""From the last key to the list, with the pause for typing, on a busy machine."""

SAVED = """(() => {
  const make = URL.createObjectURL;
  globalThis.saved = [];
  URL.createObjectURL = (blob) => { blob.text().then((text) => saved.push(text)); return make(blob); };
})()"""
"""Keep the text of what the panel lets the browser save."""


def stored(page: Any, word: str) -> list[str]:
    found: list[str] = page.eval(STORED % json.dumps(word))
    return found


def test_an_old_conversation_is_found_continued_saved_and_deleted(stage: Stage) -> None:
    _, panel = stage.open("/about")
    page = panel.page
    stage.plan(say("Assam costs 4.20 euros."), say("We open at nine."))
    panel.send("What does the Assam tea cost?", "ask")
    panel.wait_over()
    panel.clear()
    panel.send("When do you open?", "ask")
    panel.wait_over()

    page.click("#open-history")
    page.wait("document.querySelectorAll('[data-conversation]').length === 2", what="both in the list")
    page.type("#history-search", "euros assam")
    page.wait("document.querySelectorAll('[data-conversation]').length === 1", what="one that fits")
    assert "4.20" in page.eval("document.querySelector('.history-found').innerText")
    page.click(".history-open")
    page.wait_for("#composer")
    turn = panel.wait_turn("turn.question.includes('Assam')", what="the old conversation")
    assert "4.20 euros" in turn.text

    stage.plan(say("Two of them cost 8.40 euros."))
    panel.send("And two of them?", "ask")
    panel.wait_turn("turn.answers.join('').includes('8.40')", what="the new answer")
    panel.wait_over()
    sent = json.dumps(stage.model.calls[-1].body)
    assert "4.20 euros" in sent
    assert "When do you open" not in sent

    page.eval(SAVED)
    page.type("#composer", "/export")
    page.press("Enter")
    page.wait("globalThis.saved.length === 1", what="the file")
    text = page.eval("saved[0]")
    assert text.startswith("# What does the Assam tea cost?")
    assert "Assam costs 4.20 euros." in text
    assert "> And two of them?" in text
    page.wait_for("[data-code=exported]")

    assert "records" in stored(page, "Assam")
    page.click("#open-history")
    page.wait_for("[data-conversation][data-state=here]")
    page.click("[data-conversation][data-state=here] [data-action=delete]")
    page.click("[data-action=confirm-delete]")
    page.wait("document.querySelectorAll('[data-conversation]').length === 1", what="one that is left")
    assert stored(page, "Assam") == []
    assert stored(page, "We open at nine") != []
    page.click("#close-history")
    page.wait_for("#composer")
    assert panel.turns() == []
    stage.settled()


def test_five_hundred_conversations_are_searched_while_one_types(stage: Stage) -> None:
    _, panel = stage.open("/about")
    page = panel.page
    page.eval(FILL)
    page.click("#open-history")
    page.wait("document.querySelectorAll('[data-conversation]').length >= 50", what="the first part")
    took = page.eval(SEARCH)
    print(f"search in 500 conversations: {took:.0f} ms")
    assert took < SEARCH_MS
    page.click("#close-history")
    page.wait_for("#composer")
