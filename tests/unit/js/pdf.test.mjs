// Reading PDFs: one Worker per document, one at a time, and none is left behind whatever happens.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { read, stop, stopAll } from "../../../js/bridge/pdf.js";

/** @type {any[]} */
let workers = [];
const params = { from_page: 1, to_page: 2, max_chars: 100, password: "" };

beforeEach(() => {
  workers = [];
});

function createWorker() {
  const worker = {
    ended: false,
    job: /** @type {any} */ (null),
    onmessage: /** @type {any} */ (null),
    onerror: /** @type {any} */ (null),
    postMessage(/** @type {any} */ job, /** @type {any[]} */ moved) {
      worker.job = structuredClone(job, { transfer: moved });
    },
    terminate() {
      worker.ended = true;
    },
  };
  workers.push(worker);
  return worker;
}

/** @param {object} [call] @param {ArrayBuffer} [document] */
function start(call, document = new ArrayBuffer(8)) {
  return read({ id: "p1", params, deadline: Date.now() + 60_000, ...call }, document, createWorker);
}

const turn = () => new Promise(setImmediate);

test("the document is moved, the answer passed on, the Worker ended", async () => {
  const document = new ArrayBuffer(8);
  const reading = start({}, document);
  await turn();
  assert.equal(document.byteLength, 0);
  assert.equal(workers[0].job.document.byteLength, 8);
  assert.deepEqual(workers[0].job.options, params);
  workers[0].onmessage({ data: JSON.stringify({ result: { totalPages: 2 } }) });
  assert.deepEqual(await reading, { totalPages: 2 });
  assert.ok(workers[0].ended);
});

test("what the reader refuses is refused with its code", async () => {
  const reading = start();
  await turn();
  workers[0].onmessage({ data: JSON.stringify({ error: { code: "pdf_encrypted", message: "Locked." } }) });
  await assert.rejects(reading, { code: "pdf_encrypted", message: "Locked." });
  assert.ok(workers[0].ended);
});

test("a reader that breaks down is one broken document", async () => {
  const reading = start();
  await turn();
  workers[0].onerror({ preventDefault() {} });
  await assert.rejects(reading, { code: "pdf_broken" });
  assert.ok(workers[0].ended);
});

test("at the deadline the Worker is ended", async () => {
  const reading = start({ deadline: Date.now() + 20 });
  await turn();
  await assert.rejects(reading, { code: "timeout" });
  await turn();
  assert.ok(workers[0].ended);
});

for (const [name, end] of /** @type {[string, () => void][]} */ ([
  ["cancelled", () => stop("p1")],
  ["its caller is gone", stopAll],
])) {
  test(`${name}: the Worker is ended`, async () => {
    const reading = start();
    await turn();
    end();
    await assert.rejects(reading, { code: "cancelled" });
    await turn();
    assert.ok(workers[0].ended);
  });
}

test("one document at a time; one that is cancelled while it waits is never begun", async () => {
  const first = start({ id: "p1" });
  const second = start({ id: "p2" });
  const third = start({ id: "p3" });
  await turn();
  assert.equal(workers.length, 1);
  stop("p2");
  await assert.rejects(second, { code: "cancelled" });
  workers[0].onmessage({ data: '{"result": 1}' });
  assert.equal(await first, 1);
  await turn();
  await turn();
  assert.equal(workers.length, 2);
  workers[1].onmessage({ data: '{"result": 3}' });
  assert.equal(await third, 3);
});

test("a call that is not as it should be starts nothing", async () => {
  assert.throws(() => start({ params: { ...params, from_page: 0 } }), { code: "bad_params" });
  assert.throws(() => read({ id: "p1", params }, undefined, createWorker), { code: "bad_params" });
  await turn();
  assert.equal(workers.length, 0);
});
