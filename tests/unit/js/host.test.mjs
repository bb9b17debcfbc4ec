// The supervisor page as a whole, between screens, Worker and executor that the test plays.

import assert from "node:assert/strict";
import { register } from "node:module";
import { after, beforeEach, mock, test } from "node:test";
import { TELL_MS } from "../../../js/bridge/screens.js";
import * as platform from "./platform.fake.mjs";

// The build puts a platform file beside the bundle; here it is the fake one.
const fake = new URL("platform.fake.mjs", import.meta.url).href;
const hook = `export const resolve = (name, context, next) =>
  name === "./platform.js" ? { url: ${JSON.stringify(fake)}, shortCircuit: true } : next(name, context);`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);

/** @type {any} */
let worker;
mock.timers.enable({ apis: ["setInterval"] });
globalThis.Worker = /** @type {any} */ (
  class {
    constructor() {
      /** @type {any[]} */
      this.sent = [];
      worker = this;
    }
    postMessage(/** @type {any} */ message) {
      this.sent.push(message.text ? { ...JSON.parse(message.text), pieces: message.buffers } : message);
    }
    terminate() {}
  }
);
await import("../../../js/bridge/host.js");
after(() => mock.timers.reset());

const OWN_PAGE = { id: "me", url: "x://me/sidepanel.html" };

/** What Python sends. @param {object} frame */
function python(frame) {
  worker.onmessage({ data: { text: JSON.stringify({ epoch: 1, ...frame }), buffers: [] } });
}

/** @param {() => any} found */
async function eventually(found) {
  for (let n = 0; n < 1_000; n++) {
    const value = found();
    if (value) return value;
    await new Promise(setImmediate);
  }
  return assert.fail(`nothing came: ${found}`);
}

/** @param {any} sender */
function screen(sender = OWN_PAGE) {
  /** @type {any} */
  const port = { name: "wb-ui", sender, got: [], closed: false };
  port.postMessage = (/** @type {any} */ frame) => port.got.push(frame);
  port.disconnect = () => {
    port.closed = true;
  };
  port.onMessage = {
    addListener: (/** @type {any} */ listener) => {
      port.say = listener;
    },
  };
  port.onDisconnect = {
    addListener: (/** @type {any} */ listener) => {
      port.leave = listener;
    },
  };
  for (const listener of platform.connectListeners) listener(port);
  return port;
}

/** @param {any} message @param {any} sender @returns {{taken: boolean, answer: Promise<any>}} */
function message(message, sender) {
  let taken = false;
  const answer = new Promise((resolve) => {
    taken = platform.messageListeners.some((listener) => listener(message, sender, resolve));
  });
  return { taken, answer };
}

/** Have Python answer the next call of `method`. @param {string} method @param {any} result */
async function answered(method, result) {
  const seen = worker.sent.length;
  const call = await eventually(() =>
    worker.sent.slice(seen - 1).find((/** @type {any} */ frame) => frame.method === method && !frame.done_),
  );
  call.done_ = true;
  python({ target: "host", kind: "reply", id: call.id, result });
  return call;
}

/** @param {any} port @returns {{method: string, params: any}[]} What a screen was told. */
const told = (port) => port.got.flatMap((/** @type {any} */ frame) => frame.events ?? []);

beforeEach(() => {
  platform.executor.answers.length = 0;
  platform.executor.calls.length = 0;
});

test("while Python starts a screen sees the state, and its calls wait", async () => {
  const port = screen();
  port.say({ kind: "call", id: "u1", method: "boot.status" });
  port.say({ kind: "call", id: "u2", method: "settings.get", params: {} });
  const status = await eventually(() => port.got.find((/** @type {any} */ frame) => frame.id === "u1"));
  assert.equal(status.result.state, "starting");
  assert.ok(!port.got.some((/** @type {any} */ frame) => frame.id === "u2"));
  python({ target: "host", kind: "event", method: "boot.ready", params: { mode: "plain", reason: "" } });
  const call = await answered("ui", { values: {} });
  assert.equal(call.params.method, "settings.get");
  const reply = await eventually(() => port.got.find((/** @type {any} */ frame) => frame.id === "u2"));
  assert.deepEqual([reply.target, reply.kind, reply.result], ["ui", "reply", { values: {} }]);
  assert.ok(told(port).some(({ method, params }) => method === "boot" && params.state === "ready"));
});

test("a stranger's port is closed", () => {
  const port = screen({ id: "me", url: "https://evil.example/" });
  assert.equal(port.closed, true);
  assert.equal(port.say, undefined);
});

test("events go to every screen that is there, and to nobody else", async () => {
  const [stays, leaves] = [screen(), screen()];
  leaves.leave();
  const params = { tabId: 1, seq: 2, type: "text", data: {} };
  python({ target: "host", kind: "event", method: "ui.emit", params: { event: "agent_update", params } });
  await new Promise((resolve) => setTimeout(resolve, 2 * TELL_MS));
  assert.deepEqual(told(stays), [{ method: "agent_update", params }]);
  assert.equal(leaves.got.length, 0);
  assert.deepEqual(platform.broadcasts, []);
});

/** @param {string} id @param {string} method */
async function pythonCalls(id, method, params = {}) {
  const deadline = Date.now() + 5_000;
  python({ target: "executor", kind: "call", id, method, params, deadline });
  return eventually(() => worker.sent.find((/** @type {any} */ frame) => frame.id === id));
}

test("a call whose executor died is repeated once if it may be", async () => {
  platform.executor.answers.push(null, { target: "python", epoch: 1, kind: "reply", id: "p1", result: 5 });
  assert.equal((await pythonCalls("p1", "tabs.get")).result, 5);
  assert.equal(platform.executor.calls.length, 2);
});

test("and only once", async () => {
  assert.equal((await pythonCalls("p2", "tabs.get")).error.code, "outcome_unknown");
  assert.equal(platform.executor.calls.length, 2);
});

test("a call with an effect is never repeated", async () => {
  platform.executor.answers.push(null, { target: "python", epoch: 1, kind: "reply", id: "p3", result: 5 });
  assert.equal((await pythonCalls("p3", "tabs.sendMessage")).error.code, "outcome_unknown");
  assert.equal(platform.executor.calls.length, 1);
});

test("the supervisor answers only its own calls", async () => {
  python({ target: "host", kind: "call", id: "p4", method: "tabs.get", params: {} });
  const frame = await eventually(() => worker.sent.find((/** @type {any} */ sent) => sent.id === "p4"));
  assert.equal(frame.error.code, "not_allowed");
});

test("only the service worker may hand messages on", async () => {
  const own = { id: "me", url: platform.executor.backgroundUrl };
  const hello = message({ target: "host", method: "hello" }, own);
  assert.equal(await hello.answer, true);
  for (const sender of [OWN_PAGE, { id: "me", url: "https://evil.example/", tab: {} }]) {
    assert.equal(message({ target: "host", method: "hello" }, sender).taken, false);
    assert.equal(message({ target: "background", action: "chat_start" }, sender).taken, false);
  }
});

test("an older message reaches Python and its refusal comes back as data", async () => {
  const own = { id: "me", url: platform.executor.backgroundUrl };
  const asked = message({ target: "host", method: "legacy", params: { action: "chat_start" } }, own);
  assert.equal(asked.taken, true);
  const call = await answered("legacy", { ok: true });
  assert.deepEqual(call.params, { action: "chat_start" });
  assert.deepEqual(await asked.answer, { ok: true });
  const params = { tabId: 1, seq: 3, type: "text", data: {} };
  python({ target: "host", kind: "event", method: "ui.emit", params: { event: "agent_update", params } });
  assert.deepEqual(platform.broadcasts, [{ target: "sidepanel", action: "agent_update", ...params }]);
});

test("what the browser did is told to Python, in order, and by the background only", async () => {
  const event = (/** @type {number} */ tabId) => ({ kind: "tab_removed", tabId, data: {} });
  const told = (/** @type {number} */ tabId) => ({
    target: "host",
    method: "browser_event",
    params: event(tabId),
  });
  const heard = () =>
    worker.sent
      .filter((/** @type {any} */ sent) => sent.method === "browser_event")
      .map((/** @type {any} */ sent) => sent.params.tabId);
  message(told(8), { id: "me", url: "https://evil.example/", tab: {} });
  for (const tabId of [9, 10, 11]) message(told(tabId), { url: platform.executor.backgroundUrl });
  await eventually(() => heard().length >= 3);
  assert.deepEqual(heard(), [9, 10, 11]);
});

test("content that is to be saved gets an address of ours, until it is let go", async () => {
  python({ target: "host", kind: "call", id: "p31", method: "blob.create", params: { type: "text/plain" } });
  const frame = await eventually(() => worker.sent.find((/** @type {any} */ sent) => sent.id === "p31"));
  assert.match(frame.result.url, /^blob:/);
  const found = async () => (await fetch(frame.result.url)).ok;
  assert.equal(await found(), true);
  python({ target: "host", kind: "event", method: "blob.revoke", params: { url: frame.result.url } });
  await assert.rejects(found());
});

test("a picture that is none is refused", async () => {
  const params = { image: "data:text/html;base64,aGk=", width: 1, height: 1, quality: 50 };
  python({ target: "host", kind: "call", id: "p32", method: "image.resize", params });
  const frame = await eventually(() => worker.sent.find((/** @type {any} */ sent) => sent.id === "p32"));
  assert.equal(frame.error.code, "bad_params");
});

test("too long a call of a screen is refused", async () => {
  const port = screen();
  port.say({ kind: "call", id: "u9", method: "chat.start", params: { text: "x".repeat(1_100_000) } });
  const frame = await eventually(() => port.got.find((/** @type {any} */ got) => got.id === "u9"));
  assert.equal(frame.error.code, "too_large");
});

test("files of a screen's call go to Python as buffers, and only whole", async () => {
  const port = screen();
  port.say({ kind: "chunk", id: "f1", file: 0, data: btoa("Hel") });
  port.say({ kind: "chunk", id: "f1", file: 0, data: btoa("lo") });
  port.say({ kind: "call", id: "f1", method: "chat.start", params: { files: [{ buffer: 0 }] }, buffers: 1 });
  const call = await answered("ui", { ok: true });
  assert.equal(call.params.method, "chat.start");
  assert.equal(call.buffers, 1);
  assert.equal(new TextDecoder().decode(call.pieces[0]), "Hello");
  port.say({ kind: "call", id: "f2", method: "chat.start", params: {}, buffers: 1 });
  const refused = await eventually(() => port.got.find((/** @type {any} */ frame) => frame.id === "f2"));
  assert.deepEqual([refused.kind, refused.error.code], ["error", "bad_params"]);
  // What another screen sent is not to be had.
  const other = screen();
  port.say({ kind: "chunk", id: "f3", file: 0, data: btoa("mine") });
  other.say({ kind: "call", id: "f3", method: "chat.start", params: {}, buffers: 1 });
  const strange = await eventually(() => other.got.find((/** @type {any} */ frame) => frame.id === "f3"));
  assert.equal(strange.error.code, "bad_params");
});
