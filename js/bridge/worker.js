// The Worker Python lives in: boots it in named phases, takes the Worker's own doors away, then carries frames.

import { LENT, Loans } from "./ahead.js";
import { bootPython } from "./boot.js";
import { closeDoors } from "./doors.js";
import { describe } from "./rpc.js";

// Private references, taken before the doors close. This module is never in Python's reach.
const toHost = self.postMessage.bind(self);
const fetchAsset = self.fetch.bind(self);
const loans = new Loans(LENT);
let epoch = 0;

/** @param {string} method @param {Record<string, unknown>} params */
function tell(method, params) {
  toHost({ text: JSON.stringify({ target: "host", epoch, kind: "event", method, params }), buffers: [] });
}

/**
 * Send a frame Python wrote. Its buffers are copied out of Python's memory once, and then moved.
 * @param {string} text
 * @param {{toJs: () => Uint8Array<ArrayBuffer>[]}} [views] A list of bytes; only lent, as all arguments from Python.
 */
function post(text, views) {
  const buffers = views ? views.toJs().map((view) => view.buffer) : [];
  toHost({ text, buffers }, { transfer: buffers });
}

/**
 * Hand the supervisor's frames to Python from now on.
 * @param {{copy: () => (text: string, buffers: ArrayBuffer[]) => void}} receive
 */
function listen(receive) {
  const kept = receive.copy();
  self.onmessage = (event) => {
    // Lent too late, or for a start that went another way.
    if (event.data.path) return;
    try {
      kept(event.data.text, event.data.buffers);
    } catch (error) {
      // Python catches its own errors; what gets here means that the interpreter itself is broken.
      tell("worker.broken", { reason: reasonOf(error) });
    }
  };
}

/** @param {unknown} error @returns {string} One line; of a Python traceback the last that names an error. */
function reasonOf(error) {
  console.error(error);
  const lines = describe(error).message.trimEnd().split("\n");
  return lines.findLast((line) => /^[\w.]+: /.test(line)) ?? lines[lines.length - 1];
}

/** @param {{epoch: number, browser: string, capabilities: object, plain: boolean}} options */
async function start(options) {
  epoch = options.epoch;
  closeDoors(self);
  const { pyodide, mode, reason } = await bootPython({
    baseUrl: new URL("../", import.meta.url).href,
    fetchAsset,
    loans,
    mode: options.plain ? "plain" : "auto",
    onPhase: (phase) => tell("boot.phase", phase),
  });
  const phases = await pyodide.pyimport("webbrain.main").start(post, listen, JSON.stringify(options));
  for (const phase of JSON.parse(phases)) tell("boot.phase", phase);
  tell("boot.ready", { mode, reason: reason ?? "" });
}

self.onmessage = (event) => {
  if (event.data.path) loans.arrive(event.data);
  else start(event.data).catch((error) => tell("boot.failed", { reason: reasonOf(error) }));
};
