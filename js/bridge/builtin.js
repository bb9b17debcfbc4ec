// The browser's own language model (Prompt API). Workers do not have it, so it is asked here, in the supervisor page.
// Source: https://webmachinelearning.github.io/prompt-api/. That `LanguageModel` exists says nothing: only
// `availability()` says whether there is a model behind it.

import { PURPOSE } from "./purpose.js";
import { BridgeError, mismatch } from "./rpc.js";

/** A schema of this length or longer is not repeated in the prompt: the model has little room, and our examples show the form. */
const SHOWN_SCHEMA_CHARS = 2_000;
/** Sessions keep the model in memory: the one that is kept for the next step goes after this long without one. */
const IDLE_MS = 300_000;
const LONGEST_WAIT_MS = 600_000;

const WAIT = { type: "number", minimum: 1, maximum: LONGEST_WAIT_MS };
/** @type {import("./rpc.js").Schema} */
const PARAMS = {
  type: "object",
  properties: {
    messages: {
      type: "array",
      maxItems: 1_000,
      items: {
        type: "object",
        properties: {
          role: { type: "string", enum: ["system", "user", "assistant"] },
          content: { type: "string" },
        },
        required: ["role", "content"],
        additionalProperties: false,
      },
    },
    schema: { anyOf: [{ type: "object" }, { type: "null" }] },
    temperature: { anyOf: [{ type: "number", minimum: 0, maximum: 2 }, { type: "null" }] },
    firstMs: WAIT,
    stallMs: WAIT,
  },
  required: ["messages", "schema", "temperature", "firstMs", "stallMs"],
  additionalProperties: false,
};

/**
 * The parts of the API that are used. Chrome before 148 calls `contextWindow` and `contextUsage` by other names.
 * @typedef {{role: string, content: string}} Prompt
 * @typedef {{
 *   promptStreaming: (input: string | Prompt[], options?: object) => ReadableStream<string>, destroy: () => void,
 *   clone?: (options?: object) => Promise<Session>, contextWindow?: number, contextUsage?: number, inputQuota?: number,
 *   inputUsage?: number,
 * }} Session
 * @typedef {{
 *   availability: (options?: object) => Promise<string>, create: (options?: object) => Promise<Session>,
 *   params?: () => Promise<{maxTemperature: number} | null>,
 * }} LanguageModelApi
 * @typedef {(part: {done?: boolean, error?: import("./rpc.js").FrameError}, pieces: ArrayBuffer[]) => void} Chunk
 */

/** Answers under way, by the call's id. @type {Map<string, AbortController>} */
const open = new Map();
/** The session that knows the beginning of the last prompt. @type {{key: string, session: Promise<Session>} | null} */
let kept = null;
/** Tokens the model takes, once a session has told. @type {number | null} */
let room = null;
/** @type {any} */
let idle;

const api = () => /** @type {LanguageModelApi | undefined} */ (/** @type {any} */ (globalThis).LanguageModel);
const sizeOf = (/** @type {Session} */ session) => session.contextWindow ?? session.inputQuota ?? null;
const usedOf = (/** @type {Session} */ session) => session.contextUsage ?? session.inputUsage ?? null;

/** @returns {Promise<{availability: string, contextWindow: number | null}>} `unsupported` where there is no such API. */
export async function status() {
  return { availability: await availability(), contextWindow: room };
}

async function availability() {
  try {
    return (await api()?.availability(PURPOSE)) ?? "unsupported";
  } catch {
    return "unavailable";
  }
}

/** @param {string} id */
export function abort(id) {
  open.get(id)?.abort(new BridgeError("cancelled", "The answer is not needed any more."));
}

/** As when the Worker that asked is gone. */
export function abortAll() {
  for (const id of open.keys()) abort(id);
  forget();
}

/** Let the kept session go. */
function forget() {
  clearTimeout(idle);
  kept?.session.then((session) => session.destroy()).catch(() => {});
  kept = null;
}

/**
 * Ask the model. Its answer follows in chunks of JSON lines: `{"text"}` as it comes, and `{"used"}` (tokens) at the end.
 * @param {string} id @param {any} params @param {Chunk} chunk
 * @returns {Promise<{stream: string, contextWindow: number | null}>}
 */
export async function prompt(id, params, chunk) {
  const wrong = mismatch(params, PARAMS);
  if (wrong) throw new BridgeError("bad_params", wrong);
  if (params.messages.at(-1)?.role !== "user")
    throw new BridgeError("bad_params", "The last message is not the user's.");
  const control = new AbortController();
  open.set(id, control);
  try {
    await refuseIfMissing();
    const beginning = began(params);
    beginning.then((session) => control.signal.aborted && session.destroy()).catch(() => {});
    const session = await unless(control.signal, beginning);
    room = sizeOf(session) ?? room;
    // The reply goes out before the first chunk: the pump starts in a later task.
    setTimeout(() => pump(id, session, params, control, chunk));
    return { stream: id, contextWindow: room };
  } catch (error) {
    open.delete(id);
    throw control.signal.aborted ? control.signal.reason : translated(error, false);
  }
}

async function refuseIfMissing() {
  const state = await availability();
  if (state === "downloadable" || state === "downloading")
    throw new BridgeError("builtin_not_downloaded", "The model is not downloaded yet.", {
      availability: state,
    });
  if (state !== "available")
    throw new BridgeError("builtin_unavailable", "There is no built-in model.", { availability: state });
}

/**
 * A session that has heard all but the last message. The beginning of prompts is the same from step to step, so the
 * session that heard it is kept, and copied for each answer.
 * @param {{messages: Prompt[], temperature: number | null}} params @returns {Promise<Session>}
 */
async function began({ messages, temperature }) {
  const before = messages.slice(0, -1);
  const key = JSON.stringify([before, temperature]);
  if (kept?.key !== key) {
    forget();
    const session = create(before, temperature);
    kept = { key, session };
    session.catch(() => {
      if (kept?.session === session) kept = null;
    });
  }
  clearTimeout(idle);
  idle = setTimeout(forget, IDLE_MS);
  idle.unref?.();
  const base = await /** @type {{session: Promise<Session>}} */ (kept).session;
  if (base.clone) return base.clone();
  kept = null;
  return base;
}

/** @param {Prompt[]} initialPrompts @param {number | null} temperature @returns {Promise<Session>} */
async function create(initialPrompts, temperature) {
  const model = /** @type {LanguageModelApi} */ (api());
  // Only extensions may choose how words are picked, and a temperature is not taken without the number of candidates.
  const sampling =
    temperature === 0 && (await model.params?.().catch(() => null)) ? { temperature, topK: 1 } : {};
  return model.create({ ...PURPOSE, initialPrompts, ...sampling });
}

/** @param {string} id @param {Session} session @param {any} params @param {AbortController} control @param {Chunk} chunk */
async function pump(id, session, params, control, chunk) {
  const { messages, schema, firstMs, stallMs } = params;
  const { signal } = control;
  const options = schema && {
    responseConstraint: schema,
    omitResponseConstraintInput: JSON.stringify(schema).length >= SHOWN_SCHEMA_CHARS,
  };
  let asked = false;
  const late = () => control.abort(new BridgeError("net_stalled", "The built-in model stopped answering."));
  let timer = setTimeout(late, firstMs);
  const send = (/** @type {object} */ value) => {
    const line = new TextEncoder().encode(`${JSON.stringify(value)}\n`);
    chunk({}, [/** @type {ArrayBuffer} */ (line.buffer)]);
  };
  try {
    const reader = session.promptStreaming(messages.at(-1).content, { ...options, signal }).getReader();
    while (true) {
      const { done, value } = await unless(signal, reader.read());
      clearTimeout(timer);
      if (done) break;
      asked = true;
      send({ text: value });
      timer = setTimeout(late, stallMs);
    }
    send({ used: usedOf(session) });
    chunk({ done: true }, []);
  } catch (error) {
    const cause = signal.aborted ? signal.reason : translated(error, Boolean(schema) && !asked);
    control.abort(cause);
    chunk({ error: { code: cause.code, message: cause.message, data: cause.data } }, []);
  } finally {
    clearTimeout(timer);
    open.delete(id);
    session.destroy();
  }
}

/**
 * What the browser reports, as one of our codes.
 * @param {any} error @param {boolean} held True while a schema may be what it complains about.
 */
function translated(error, held) {
  if (error instanceof BridgeError) return error;
  const { name = "", message = String(error), requested, quota } = error ?? {};
  if (name === "QuotaExceededError")
    return new BridgeError("builtin_too_long", message, {
      requested: requested ?? null,
      quota: quota ?? room,
    });
  if (name === "NotAllowedError") return new BridgeError("builtin_not_downloaded", message);
  if (name === "NotReadableError") return new BridgeError("builtin_filtered", message);
  if (held && ["NotSupportedError", "SyntaxError", "TypeError"].includes(name))
    return new BridgeError("builtin_schema", message);
  if (name === "NotSupportedError") return new BridgeError("builtin_unavailable", message);
  return new BridgeError("api_error", message);
}

/**
 * As `promise`, or reject with the signal's reason as soon as it is aborted.
 * @template T @param {AbortSignal} signal @param {Promise<T>} promise @returns {Promise<T>}
 */
function unless(signal, promise) {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
