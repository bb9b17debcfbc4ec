// The parameter checker, deadlines and sender checks.

import assert from "node:assert/strict";
import { test } from "node:test";
import { BridgeError, before, describe, isOwnPage, isSupervisor, mismatch } from "../../../js/bridge/rpc.js";

const closed = {
  type: "object",
  properties: { a: { type: "integer" } },
  required: ["a"],
  additionalProperties: false,
};

/** @type {[string, any, any, boolean][]} name, schema, value, fits */
const CASES = [
  ["closed object", closed, { a: 1 }, true],
  ["missing property", closed, {}, false],
  ["unknown property", closed, { a: 1, b: 2 }, false],
  ["property of Object.prototype", closed, JSON.parse('{"a": 1, "constructor": 2}'), false],
  ["property only inherited", closed, Object.create({ a: 1 }), false],
  ["fraction is no integer", closed, { a: 1.5 }, false],
  ["unsafe integer", closed, { a: 2 ** 60 }, false],
  ["array is no object", closed, [], false],
  ["null is no object", closed, null, false],
  ["undefined is no object", closed, undefined, false],
  ["const", { const: "content" }, "content", true],
  ["other than const", { const: "content" }, "host", false],
  ["const refuses absence", { const: "content" }, undefined, false],
  ["enum", { enum: ["a", "b"] }, "b", true],
  ["not in enum", { enum: ["a", "b"] }, "c", false],
  ["pattern", { type: "string", pattern: "^https?://" }, "https://x", true],
  ["pattern refuses script", { type: "string", pattern: "^https?://" }, "javascript:https://x", false],
  ["too long", { type: "string", maxLength: 2 }, "abc", false],
  ["too short", { type: "string", minLength: 1 }, "", false],
  ["below", { type: "integer", minimum: 0 }, -1, false],
  ["above", { type: "integer", maximum: 1 }, 2, false],
  ["infinite", { type: "number" }, Number.POSITIVE_INFINITY, false],
  ["items", { type: "array", items: { type: "string" } }, ["a", 1], false],
  ["too many items", { type: "array", maxItems: 1 }, ["a", "b"], false],
  ["too many properties", { type: "object", maxProperties: 1 }, { a: 1, b: 2 }, false],
  ["one of", { anyOf: [{ type: "null" }, { type: "array" }] }, null, true],
  ["none of", { anyOf: [{ type: "null" }, { type: "array" }] }, "x", false],
];

for (const [name, schema, value, fits] of CASES) {
  test(`mismatch: ${name}`, () => assert.equal(mismatch(value, schema) === null, fits));
}

test("a mismatch names the place", () => {
  const schema = { type: "object", properties: { list: { type: "array", items: closed } } };
  assert.match(mismatch({ list: [{ a: 1 }, { a: "x" }] }, schema) ?? "", /^params\.list\[1\]\.a /);
});

test("a deadline ends the wait, and an answer in time wins", async () => {
  await assert.rejects(before(new Promise(() => {}), Date.now() + 10), { code: "timeout" });
  await assert.rejects(before(new Promise(() => {}), Date.now() - 1_000), { code: "timeout" });
  assert.equal(await before(Promise.resolve(7), Date.now() + 10_000), 7);
  await assert.rejects(before(Promise.reject(new BridgeError("no_tab", "x")), undefined), { code: "no_tab" });
});

test("a long message keeps its end, where a traceback names the error", () => {
  assert.match(describe(new Error(`${"x".repeat(10_000)} ValueError: end`)).message, /end$/);
});

const runtime = { id: "me", getURL: (/** @type {string} */ path) => `chrome-extension://me/${path}` };

test("only our own pages are ours", () => {
  assert.equal(
    isOwnPage({ id: "me", url: "chrome-extension://me/sidepanel.html?tabId=1", tab: {} }, runtime),
    true,
  );
  assert.equal(isOwnPage({ id: "me", url: "https://evil.example/chrome-extension://me/" }, runtime), false);
  assert.equal(isOwnPage({ id: "other", url: "chrome-extension://me/sidepanel.html" }, runtime), false);
  assert.equal(isOwnPage({ id: "me" }, runtime), false);
  assert.equal(isOwnPage(undefined, runtime), false);
});

test("only the supervisor page may call the executor", () => {
  assert.equal(isSupervisor({ id: "me", url: "chrome-extension://me/host.html" }, runtime), true);
  assert.equal(isSupervisor({ id: "me", url: "chrome-extension://me/host.html", tab: {} }, runtime), false);
  assert.equal(isSupervisor({ id: "me", url: "chrome-extension://me/sidepanel.html" }, runtime), false);
  assert.equal(isSupervisor({ id: "me", url: "https://evil.example/", tab: {} }, runtime), false);
  assert.equal(isSupervisor({ id: "other", url: "chrome-extension://me/host.html" }, runtime), false);
});
