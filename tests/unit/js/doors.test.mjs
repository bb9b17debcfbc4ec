// Taking the Worker's own doors away, from the scope and from everything it inherits.

import assert from "node:assert/strict";
import { test } from "node:test";
import { closeDoors, DOORS, remove } from "../../../js/bridge/doors.js";

function scope() {
  const mixin = { fetch() {}, importScripts() {} };
  const prototype = Object.create(mixin, { indexedDB: { get: () => 1, configurable: true } });
  const own = Object.create(prototype);
  for (const name of DOORS) if (!(name in own)) own[name] = () => {};
  own.navigator = Object.create({ storage: {}, serviceWorker: {}, onLine: true });
  own.console = console;
  return own;
}

test("every door is gone, wherever it hung, and nothing else", () => {
  const worker = scope();
  closeDoors(worker);
  for (const name of DOORS) assert.ok(!(name in worker), name);
  assert.ok(!("storage" in worker.navigator));
  assert.ok("onLine" in worker.navigator);
  assert.ok("console" in worker);
});

test("a door that cannot be closed keeps Python from starting", () => {
  const worker = scope();
  Object.defineProperty(worker, "WebSocket", { value: class {}, configurable: false });
  assert.throws(() => closeDoors(worker), /WebSocket/);
});

test("Object.prototype is left alone", () => {
  remove({}, ["toString"]);
  assert.equal(typeof {}.toString, "function");
});
