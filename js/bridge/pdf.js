// `pdf.read`: each document is read in a Worker of its own, which ends with it, or at the deadline. One at a time.

import { BridgeError, before, mismatch } from "./rpc.js";

const PAGE = { type: "integer", minimum: 1, maximum: 1_000_000 };
/** @type {import("./rpc.js").Schema} */
const PARAMS = {
  type: "object",
  properties: {
    from_page: PAGE,
    to_page: PAGE,
    max_chars: { type: "integer", minimum: 1, maximum: 1_000_000 },
    password: { type: "string", maxLength: 1_000 },
  },
  required: ["from_page", "to_page", "max_chars", "password"],
  additionalProperties: false,
};

/** @typedef {import("./supervisor.js").WorkerLike} WorkerLike */

/** What ends the work of a call, by the call's id. @type {Map<string, (error: BridgeError) => void>} */
const under = new Map();
/** @type {Promise<unknown>} */
let last = Promise.resolve();

/** @param {string} id */
export function stop(id) {
  under.get(id)?.(new BridgeError("cancelled", "The document is not needed any more."));
}

/** As when the Worker that asked is gone. */
export function stopAll() {
  for (const id of under.keys()) stop(id);
}

/**
 * @param {{id?: string, params?: any, deadline?: number}} call
 * @param {ArrayBuffer | undefined} document
 * @param {() => WorkerLike} createWorker
 * @returns {Promise<unknown>} What `webbrain.pdf.read` returns.
 */
export function read({ id = "", params, deadline }, document, createWorker) {
  const wrong = document ? mismatch(params, PARAMS) : "there is no document";
  if (wrong) throw new BridgeError("bad_params", wrong);
  const stopped = new Promise((_, reject) => under.set(id, reject));
  const turn = last.then(() => {
    if (under.has(id)) return work(createWorker(), { document, options: params }, stopped);
  });
  const result = before(Promise.race([turn, stopped]), deadline)
    .catch((error) => {
      under.get(id)?.(error);
      throw error;
    })
    .finally(() => under.delete(id));
  last = turn.catch(() => {});
  return result;
}

/** @param {WorkerLike} worker @param {any} job @param {Promise<any>} stopped Never fulfilled. */
async function work(worker, job, stopped) {
  try {
    const text = await Promise.race([
      stopped,
      new Promise((resolve, reject) => {
        worker.onmessage = (/** @type {MessageEvent} */ event) => resolve(event.data);
        worker.onerror = (/** @type {ErrorEvent} */ event) => {
          event.preventDefault?.();
          reject(new BridgeError("pdf_broken", "The reader broke down over this document."));
        };
        worker.postMessage(job, [job.document]);
      }),
    ]);
    const { result, error } = JSON.parse(text);
    if (error) throw new BridgeError(error.code, error.message);
    return result;
  } finally {
    worker.terminate();
  }
}
