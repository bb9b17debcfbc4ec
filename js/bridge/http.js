// Streaming fetch for Python: headers first, then the body in pieces as it comes, each moved as a buffer.

import { BridgeError, describe, mismatch } from "./rpc.js";

/** Bytes of one response; more is cut off with `too_large`. */
const RESPONSE_BYTES = 64_000_000;
const LONGEST_WAIT_MS = 600_000;

const WAIT = { type: "number", minimum: 1, maximum: LONGEST_WAIT_MS };
/** @type {import("./rpc.js").Schema} */
const PARAMS = {
  type: "object",
  properties: {
    method: { type: "string", enum: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] },
    url: { type: "string", pattern: "^https?://", maxLength: 16_384 },
    headers: { type: "object", maxProperties: 100 },
    body: { type: "string" },
    headersTimeoutMs: WAIT,
    stallTimeoutMs: WAIT,
    follow: { type: "boolean" },
    cookies: { type: "boolean" },
  },
  required: ["method", "url", "headers", "headersTimeoutMs", "stallTimeoutMs"],
  additionalProperties: false,
};

/** Open transfers by call id, which is also their stream's id. @type {Map<string, AbortController>} */
const open = new Map();

/** @param {string} id */
export function abort(id) {
  open.get(id)?.abort(new BridgeError("cancelled", "The transfer was stopped."));
}

/** Abort everything, as when the Worker that asked is gone. */
export function abortAll() {
  for (const id of open.keys()) abort(id);
}

/**
 * Run one request. Rejects until the headers are there; later faults travel in the last chunk. The body comes once
 * `begin` is called, behind the reply: a timer for that would be a wait for nothing.
 * @param {string} id
 * @param {any} params
 * @param {ArrayBuffer | undefined} body
 * @param {(frame: {done?: boolean, error?: import("./rpc.js").FrameError}, buffers: ArrayBuffer[]) => void} chunk
 */
export async function send(id, params, body, chunk) {
  const wrong = mismatch(params, PARAMS);
  if (wrong) throw new BridgeError("bad_params", wrong);
  const control = new AbortController();
  open.set(id, control);
  try {
    const late = new BridgeError("net_timeout", "The server did not begin to answer in time.");
    const response = await within(
      request(params, body, control.signal),
      params.headersTimeoutMs,
      late,
      control,
    );
    if (response.type === "opaqueredirect") {
      throw new BridgeError("net_refused", "The server answered with a redirect, which is not followed.");
    }
    const { status, url } = response;
    const head = { status, url, headers: Object.fromEntries(response.headers), stream: id };
    return { head, begin: () => pump(id, response, params.stallTimeoutMs, control, chunk) };
  } catch (error) {
    open.delete(id);
    throw control.signal.aborted ? control.signal.reason : error;
  }
}

/** @param {any} params @param {ArrayBuffer | undefined} body @param {AbortSignal} signal */
async function request(params, body, signal) {
  try {
    return await fetch(params.url, {
      method: params.method,
      headers: params.headers,
      body: body ?? params.body,
      signal,
      // Keys travel in headers, so a redirect must not carry them elsewhere unless it is asked for. A caller that
      // follows learns where it led from the head, before any of the body.
      redirect: params.follow ? "follow" : "manual",
      credentials: params.cookies ? "include" : "omit",
      cache: "no-store",
      referrerPolicy: "no-referrer",
    });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (globalThis.navigator?.onLine === false) throw new BridgeError("offline", "This computer is offline.");
    throw new BridgeError("net_refused", `The connection failed: ${describe(error).message}`);
  }
}

/**
 * @param {string} id @param {Response} response @param {number} stallMs @param {AbortController} control
 * @param {(frame: {done?: boolean, error?: import("./rpc.js").FrameError}, buffers: ArrayBuffer[]) => void} chunk
 */
async function pump(id, response, stallMs, control, chunk) {
  const reader = response.body?.getReader();
  const stalled = new BridgeError("net_stalled", "The server stopped sending.");
  let bytes = 0;
  try {
    while (reader) {
      const { done, value } = await within(reader.read(), stallMs, stalled, control);
      if (done) break;
      bytes += value.byteLength;
      if (bytes > RESPONSE_BYTES)
        throw new BridgeError("too_large", `The answer has more than ${RESPONSE_BYTES} bytes.`);
      const whole = value.byteLength === value.buffer.byteLength;
      chunk({}, [/** @type {ArrayBuffer} */ (whole ? value.buffer : value.slice().buffer)]);
    }
    chunk({ done: true }, []);
  } catch (error) {
    const cut = new BridgeError("net_cut", `The connection broke: ${describe(error).message}`);
    const cause = control.signal.aborted ? control.signal.reason : error instanceof BridgeError ? error : cut;
    control.abort(cause);
    chunk({ error: describe(cause) }, []);
  } finally {
    open.delete(id);
  }
}

/**
 * @template T @param {Promise<T>} promise @param {number} ms @param {BridgeError} late @param {AbortController} control
 * @returns {Promise<T>} As `promise`; when `ms` are over the whole transfer is aborted because of `late`.
 */
async function within(promise, ms, late, control) {
  const timer = setTimeout(() => control.abort(late), ms);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}
