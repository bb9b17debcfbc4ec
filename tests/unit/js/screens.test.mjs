// What screens are told, and when.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Screens, TELL_MOST, TELL_MS } from "../../../js/bridge/screens.js";

/** @returns {{got: any[], postMessage: (frame: object) => void}} */
function port() {
  /** @type {any[]} */
  const got = [];
  return { got, postMessage: (frame) => got.push(structuredClone(frame)) };
}

/** @param {any} t */
function clock(t) {
  mock.timers.enable({ apis: ["setTimeout"] });
  t.after(() => mock.timers.reset());
}

test("what comes within a moment comes in one frame, in order", (t) => {
  clock(t);
  const screens = new Screens(() => 3);
  const [one, other] = [port(), port()];
  screens.add(one);
  screens.add(other);
  screens.tell("agent_update", { seq: 1 });
  mock.timers.tick(TELL_MS - 1);
  screens.tell("agent_update", { seq: 2 });
  assert.deepEqual(one.got, []);
  mock.timers.tick(1);
  const events = [1, 2].map((seq) => ({ method: "agent_update", params: { seq } }));
  assert.deepEqual(one.got, [{ target: "ui", epoch: 3, kind: "events", events }]);
  assert.deepEqual(other.got, one.got);
  mock.timers.tick(10 * TELL_MS);
  assert.equal(one.got.length, 1);
  screens.tell("agent_update", { seq: 3 });
  mock.timers.tick(TELL_MS);
  assert.equal(one.got.length, 2);
});

test("no answer overtakes what happened before it", (t) => {
  clock(t);
  const screens = new Screens(() => 1);
  const one = port();
  const number = screens.add(one);
  screens.tell("conversation_cleared", {});
  screens.answer(number, { kind: "reply", id: "a", result: 1 });
  assert.deepEqual(
    one.got.map(({ kind }) => kind),
    ["events", "reply"],
  );
  mock.timers.tick(TELL_MS);
  assert.equal(one.got.length, 2);
});

test("what cannot wait brings what waits along", (t) => {
  clock(t);
  const screens = new Screens(() => 1);
  const one = port();
  screens.add(one);
  screens.tell("agent_update", { seq: 1 });
  screens.tellNow("boot", { state: "starting" });
  assert.deepEqual(
    one.got[0].events.map((/** @type {any} */ event) => event.method),
    ["agent_update", "boot"],
  );
});

test("a screen is told of nothing that was before it, and one that left of nothing", (t) => {
  clock(t);
  const screens = new Screens(() => 1);
  const [early, late] = [port(), port()];
  const number = screens.add(early);
  screens.tell("agent_update", { seq: 1 });
  screens.add(late);
  assert.equal(early.got.length, 1);
  screens.drop(number);
  screens.answer(number, { kind: "reply", id: "a" });
  screens.tell("agent_update", { seq: 2 });
  mock.timers.tick(TELL_MS);
  assert.equal(early.got.length, 1);
  assert.deepEqual(
    late.got.map(({ events }) => events[0].params.seq),
    [2],
  );
});

test("without a screen nothing is kept, and with one not without end", (t) => {
  clock(t);
  const screens = new Screens(() => 1);
  screens.tell("agent_update", { seq: 0 });
  const one = port();
  screens.add(one);
  for (let seq = 1; seq <= TELL_MOST; seq++) screens.tell("agent_update", { seq });
  assert.equal(one.got[0].events.length, TELL_MOST);
  assert.equal(one.got[0].events[0].params.seq, 1);
});
