// The built-in model, against a LanguageModel that keeps to the Prompt API as documented.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { abort, abortAll, prompt, status } from "../../../js/bridge/builtin.js";
import { PURPOSE } from "../../../js/bridge/purpose.js";
import { FakeModel } from "./language_model.fake.mjs";

/** @type {FakeModel} */
let model;
/** @type {{text: string, done?: boolean, error?: any}[]} */
let chunks = [];

beforeEach(() => {
  model = new FakeModel();
  model.install();
  chunks = [];
});
afterEach(() => {
  abortAll();
  Reflect.deleteProperty(globalThis, "LanguageModel");
});

const SYSTEM = { role: "system", content: "You browse." };
const EXAMPLE = [
  { role: "user", content: "Task: a" },
  { role: "assistant", content: "{}" },
];
const ASKED = [SYSTEM, ...EXAMPLE, { role: "user", content: "Task: buy tea" }];

/** @param {object} [changes] */
const params = (changes) => ({
  messages: ASKED,
  schema: null,
  temperature: 0,
  firstMs: 5_000,
  stallMs: 5_000,
  ...changes,
});

/** @param {object} [changes] @param {string} [id] */
const ask = (changes, id = "p1") =>
  prompt(id, params(changes), (part, pieces) =>
    chunks.push({ ...part, text: pieces.map((piece) => new TextDecoder().decode(piece)).join("") }),
  );

/** @param {() => any} check */
async function until(check) {
  for (let n = 0; n < 2_000; n++) {
    if (check()) return;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  assert.fail(`never: ${check}`);
}

const ended = () => until(() => chunks.some((chunk) => chunk.done || chunk.error));
const lines = () =>
  chunks
    .map((chunk) => chunk.text)
    .join("")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const answer = () =>
  lines()
    .map((line) => line.text ?? "")
    .join("");

test("that there is a LanguageModel says nothing: only its availability does", async () => {
  assert.deepEqual(await status(), { availability: "available", contextWindow: null });
  for (const state of ["unavailable", "downloadable", "downloading"]) {
    model.state = state;
    assert.equal((await status()).availability, state);
  }
  assert.deepEqual(model.asked, Array(4).fill(PURPOSE));
});

test("a browser without the API, and one whose API breaks down, have no model", async () => {
  Reflect.deleteProperty(globalThis, "LanguageModel");
  assert.equal((await status()).availability, "unsupported");
  await assert.rejects(ask(), { code: "builtin_unavailable" });
  /** @type {any} */ (globalThis).LanguageModel = class {};
  assert.notEqual((await status()).availability, "available");
  /** @type {any} */ (globalThis).LanguageModel = {
    availability: () => Promise.reject(new Error("no service")),
  };
  assert.equal((await status()).availability, "unavailable");
});

test("an answer comes in pieces, and the tokens after it", async () => {
  model.pieces = ['{"tool":', '"done"}'];
  const head = await ask();
  assert.deepEqual(head, { stream: "p1", contextWindow: 4_096 });
  assert.deepEqual(chunks, []);
  await ended();
  assert.equal(answer(), '{"tool":"done"}');
  assert.ok(lines().at(-1).used > 0);
  assert.deepEqual(chunks.at(-1), { done: true, text: "" });
  assert.equal((await status()).contextWindow, 4_096);
});

test("all but the last message begin the session, the last one is the prompt", async () => {
  await ask();
  await ended();
  assert.deepEqual(model.created[0].initialPrompts, [SYSTEM, ...EXAMPLE]);
  assert.deepEqual(model.created[0].expectedInputs, PURPOSE.expectedInputs);
  assert.deepEqual(model.created[0].expectedOutputs, PURPOSE.expectedOutputs);
  assert.deepEqual(
    model.prompted.map(({ input }) => input),
    ["Task: buy tea"],
  );
});

test("temperature 0 takes the likeliest word; a browser that lets nobody choose is left alone", async () => {
  await ask();
  await ended();
  assert.deepEqual([model.created[0].temperature, model.created[0].topK], [0, 1]);
  model.sampling = false;
  chunks = [];
  await ask({ messages: ASKED.slice(1) });
  await ended();
  assert.ok(!("temperature" in model.created[1]) && !("topK" in model.created[1]));
});

test("the answer is held to the schema; a long schema is not said again in the prompt", async () => {
  const schema = { type: "object", properties: { tool: { enum: ["done", "click_ax"] } }, required: ["tool"] };
  await ask({ schema });
  await ended();
  assert.deepEqual(model.prompted[0].options.responseConstraint, schema);
  assert.equal(model.prompted[0].options.omitResponseConstraintInput, false);
  chunks = [];
  const long = {
    ...schema,
    properties: { tool: { enum: Array.from({ length: 300 }, (_, n) => `tool ${n}`) } },
  };
  await ask({ schema: long });
  await ended();
  assert.equal(model.prompted[1].options.omitResponseConstraintInput, true);
  chunks = [];
  await ask();
  await ended();
  assert.ok(!("responseConstraint" in model.prompted[2].options));
});

test("the session that heard the beginning is kept for the next step, and copied for each answer", async () => {
  await ask();
  await ended();
  chunks = [];
  await ask({ messages: [...ASKED.slice(0, -1), { role: "user", content: "Task: buy tea, step 2" }] });
  await ended();
  assert.equal(model.created.length, 1);
  assert.equal(model.copies, 2);
  assert.equal(model.alive, 1);
  chunks = [];
  await ask({ messages: [{ role: "user", content: "Something else" }] });
  await ended();
  assert.equal(model.created.length, 2);
  await until(() => model.alive === 1);
  abortAll();
  await until(() => model.alive === 0);
});

test("a session that cannot be copied is used up", async () => {
  model.copyable = false;
  await ask();
  await ended();
  await until(() => model.alive === 0);
  chunks = [];
  await ask();
  await ended();
  assert.equal(model.created.length, 2);
});

test("Stop ends the model's work at once", async () => {
  model.pieces = ["a", "b"];
  model.hold = true;
  await ask();
  await until(() => chunks.length === 1);
  abort("p1");
  await ended();
  assert.equal(chunks.at(-1)?.error.code, "cancelled");
  await until(() => model.stopped === 1);
  assert.equal(model.alive, 1);
});

test("Stop while the session is made leaves none behind", async () => {
  model.slow = 30;
  const asking = ask();
  await until(() => model.created.length === 1);
  abort("p1");
  await assert.rejects(asking, { code: "cancelled" });
  abortAll();
  await until(() => model.finished === 1);
  await until(() => model.alive === 0);
  assert.deepEqual(chunks, []);
});

test("a model that says nothing any more is given up", async () => {
  model.pieces = ["a", "b"];
  model.hold = true;
  await ask({ stallMs: 20 });
  await ended();
  assert.equal(chunks.at(-1)?.error.code, "net_stalled");
  assert.equal(model.stopped, 1);
});

test("a download is never begun by a question: it needs a person's click", async () => {
  for (const state of ["downloadable", "downloading"]) {
    model.state = state;
    await assert.rejects(ask(), (/** @type {any} */ error) => {
      assert.equal(error.code, "builtin_not_downloaded");
      assert.equal(error.data.availability, state);
      return true;
    });
  }
  model.state = "unavailable";
  await assert.rejects(ask(), { code: "builtin_unavailable" });
  assert.deepEqual(model.created, []);
});

test("what the browser refuses is told by our codes", async () => {
  const quota = Object.assign(new DOMException("too large", "QuotaExceededError"), {
    requested: 9_000,
    quota: 4_096,
  });
  model.createError = quota;
  await assert.rejects(ask(), { code: "builtin_too_long" });
  model.createError = new DOMException("click first", "NotAllowedError");
  await assert.rejects(ask(), { code: "builtin_not_downloaded" });
  model.createError = new DOMException("no session", "NotSupportedError");
  await assert.rejects(ask(), { code: "builtin_unavailable" });
  model.createError = null;
  const cases = /** @type {const} */ ([
    [quota, "builtin_too_long", null],
    [new DOMException("not fit to print", "NotReadableError"), "builtin_filtered", null],
    [new DOMException("unknown keyword", "NotSupportedError"), "builtin_schema", { type: "object" }],
    [new DOMException("unknown keyword", "NotSupportedError"), "builtin_unavailable", null],
    [new DOMException("it crashed", "UnknownError"), "api_error", { type: "object" }],
  ]);
  for (const [error, code, schema] of cases) {
    model.promptError = error;
    chunks = [];
    await ask({ schema });
    await ended();
    assert.equal(chunks.at(-1)?.error.code, code, error.name);
  }
});

test("what does not fit into the window is told with how much of it there is", async () => {
  model.window = 40;
  await assert.rejects(ask({ messages: [{ role: "system", content: "x".repeat(400) }, ASKED[3]] }), {
    code: "builtin_too_long",
  });
  await ask({ messages: [{ role: "user", content: "x".repeat(400) }] });
  await ended();
  const { code, data } = chunks.at(-1)?.error ?? {};
  assert.deepEqual([code, data], ["builtin_too_long", { requested: 100, quota: 40 }]);
  // A schema that stands in the prompt takes its room too.
  chunks = [];
  const schema = { type: "object", properties: { tool: { enum: ["y".repeat(200)] } } };
  await ask({ messages: [ASKED[3]], schema });
  await ended();
  assert.equal(chunks.at(-1)?.error.code, "builtin_too_long");
});

test("questions that are none are refused before the model hears of them", async () => {
  for (const change of [
    { messages: [] },
    { messages: [SYSTEM] },
    { messages: [{ role: "tool", content: "x" }] },
    { schema: "text" },
    { temperature: 3 },
    { firstMs: 0 },
    { more: 1 },
  ])
    await assert.rejects(ask(change), { code: "bad_params" }, JSON.stringify(change));
  assert.deepEqual(model.created, []);
});

test("older names of window and usage are understood", async () => {
  model.olderNames = true;
  const head = await ask();
  await ended();
  assert.equal(head.contextWindow, 4_096);
  assert.ok(lines().at(-1).used > 0);
});
