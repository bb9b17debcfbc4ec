// The life of the Python Worker, with Workers and time that the test owns.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { BOOT_PROBES, MISSED_PROBES, PROBE_MS, Supervisor } from "../../../js/bridge/supervisor.js";

/** @typedef {{sent: any[], ended: boolean, onmessage: any, onerror: any}} FakeWorker */

/** @type {FakeWorker[]} */
let workers = [];
/** @type {any[]} */
let frames = [];
let now = 0;
let gone = 0;
/** @type {Supervisor} */
let supervisor;

beforeEach(() => {
  mock.method(console, "warn", () => {});
  mock.method(console, "error", () => {});
  [workers, frames, now, gone] = [[], [], 0, 0];
  supervisor = new Supervisor({
    createWorker: () => {
      /** @type {any} */
      const worker = { sent: [], ended: false, onmessage: null, onerror: null };
      worker.postMessage = (/** @type {any} */ message) => worker.sent.push(message);
      worker.terminate = () => {
        worker.ended = true;
      };
      workers.push(worker);
      return worker;
    },
    options: { browser: "chrome" },
    now: () => now,
    onFrame: (frame) => frames.push(frame),
    onStatus: () => {},
    onGone: () => {
      gone += 1;
    },
  });
});

/** Something the Worker says. @param {FakeWorker} worker @param {object} frame */
function say(worker, frame, epoch = workers.indexOf(worker) + 1) {
  worker.onmessage({ data: { text: JSON.stringify({ target: "host", epoch, ...frame }), buffers: [] } });
}

const state = () => supervisor.status.state;

/** @param {FakeWorker} worker */
function ready(worker) {
  say(worker, { kind: "event", method: "boot.ready", params: { mode: "snapshot", reason: "" } });
}

/** @param {number} count @param {{answer?: boolean, late?: boolean}} [how] */
async function beats(count, { answer = false, late = false } = {}) {
  for (let n = 0; n < count; n++) {
    now += late ? PROBE_MS * 3 : PROBE_MS;
    supervisor.tick();
    await new Promise(setImmediate);
    const worker = workers[workers.length - 1];
    const ping = worker.sent
      .map((message) => message.text && JSON.parse(message.text))
      .findLast((f) => f?.method === "ping");
    if (answer && ping) say(worker, { kind: "reply", id: ping.id, result: "pong" });
    await new Promise(setImmediate);
  }
}

test("a Worker gets its epoch and the options, and phases are told", () => {
  supervisor.start();
  assert.deepEqual(workers[0].sent, [{ browser: "chrome", epoch: 1, plain: false }]);
  now = 120;
  say(workers[0], { kind: "event", method: "boot.phase", params: { name: "runtime", ms: 100 } });
  ready(workers[0]);
  assert.equal(supervisor.status.state, "ready");
  assert.equal(supervisor.status.totalMs, 120);
  assert.deepEqual(supervisor.status.phases, [{ name: "runtime", ms: 100 }]);
});

test("calls made while Python starts are sent once it runs", async () => {
  supervisor.start();
  const call = supervisor.call("ui", { method: "settings.get" });
  await new Promise(setImmediate);
  assert.equal(workers[0].sent.length, 1);
  ready(workers[0]);
  await new Promise(setImmediate);
  const frame = JSON.parse(workers[0].sent[1].text);
  say(workers[0], { kind: "reply", id: frame.id, result: 5 });
  assert.equal(await call, 5);
});

test("a Worker that answers lives on", async () => {
  supervisor.start();
  ready(workers[0]);
  await beats(100, { answer: true });
  assert.equal(workers.length, 1);
});

test("a Worker that does not answer for 5 s is replaced, and its calls are of unknown outcome", async () => {
  supervisor.start();
  ready(workers[0]);
  const call = supervisor.call("ui", {});
  call.catch(() => {});
  await beats(MISSED_PROBES);
  assert.equal(workers.length, 1, "not a moment too early");
  await beats(1);
  assert.equal(workers.length, 2);
  assert.equal(workers[0].ended, true);
  assert.equal(gone, 1);
  assert.equal(workers[1].sent[0].epoch, 2);
  await assert.rejects(call, { code: "outcome_unknown" });
});

test("probes that come late because the machine slept count for nothing", async () => {
  supervisor.start();
  ready(workers[0]);
  await beats(50, { late: true });
  assert.equal(workers.length, 1);
});

test("a frame of a dead epoch is dropped, whoever sends it", async () => {
  supervisor.start();
  ready(workers[0]);
  await beats(MISSED_PROBES + 1);
  ready(workers[1]);
  say(workers[0], { kind: "call", target: "executor", method: "tabs.get" });
  say(workers[1], { kind: "call", target: "executor", method: "tabs.get" }, 1);
  assert.deepEqual(frames, []);
  say(workers[1], { kind: "call", target: "executor", method: "tabs.get" });
  assert.equal(frames.length, 1);
  supervisor.send({ target: "python", epoch: 1, kind: "reply", id: "p1" });
  assert.ok(!workers[1].sent.some((message) => message.text?.includes('"p1"')));
});

test("a boot that fails is tried once more without the snapshot, then shown with its reason", async () => {
  supervisor.start();
  const waiting = supervisor.call("ui", {});
  waiting.catch(() => {});
  say(workers[0], { kind: "event", method: "boot.failed", params: { reason: "first" } });
  assert.equal(workers[1].sent[0].plain, true);
  say(workers[1], { kind: "event", method: "boot.failed", params: { reason: "second" } });
  assert.equal(workers.length, 2);
  assert.deepEqual([supervisor.status.state, supervisor.status.reason], ["failed", "second"]);
  await assert.rejects(waiting, { code: "not_started" });
  await assert.rejects(supervisor.call("ui", {}), { code: "not_started" });
  assert.equal(supervisor.retry(), true);
  ready(workers[2]);
  assert.equal(supervisor.status.state, "ready");
  assert.equal(supervisor.retry(), false);
});

test("a boot that never ends fails, but a sleeping machine does not end it", async () => {
  supervisor.start();
  await beats(BOOT_PROBES, { late: true });
  assert.equal(workers.length, 1);
  await beats(BOOT_PROBES + 1);
  assert.equal(workers.length, 2);
});

test("a Worker that dies again and again is given up, one that dies rarely is not", async () => {
  supervisor.start();
  for (let n = 0; n < 10; n++) {
    ready(workers[n]);
    await beats(60, { answer: true });
    await beats(MISSED_PROBES + 1);
  }
  assert.equal(state(), "starting");
  for (let n = 10; state() !== "failed" && n < 20; n++) {
    ready(workers[n]);
    say(workers[n], { kind: "event", method: "worker.broken", params: { reason: "memory" } });
  }
  assert.deepEqual([supervisor.status.state, supervisor.status.reason], ["failed", "memory"]);
  assert.ok(workers.length < 16);
});

test("a script that cannot be read is a failed boot", () => {
  supervisor.start();
  workers[0].onerror({ message: "not found", preventDefault() {} });
  workers[1].onerror({ message: "not found", preventDefault() {} });
  assert.equal(supervisor.status.state, "failed");
  assert.match(supervisor.status.reason, /not found/);
});

test("an error nobody caught does not end a Worker that still answers", async () => {
  supervisor.start();
  ready(workers[0]);
  workers[0].onerror({ message: "stray", preventDefault() {} });
  await beats(20, { answer: true });
  assert.equal(workers.length, 1);
});
