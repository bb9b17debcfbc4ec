// The Worker Python lives in: boots it in named phases, takes the Worker's own doors away, then carries frames.

import { bootPython } from "./boot.js";
import { closeDoors } from "./doors.js";
import { describe } from "./rpc.js";

// Private references, taken before the doors close. This module is never in Python's reach.
const toHost = self.postMessage.bind(self);
const fetchAsset = self.fetch.bind(self);
let epoch = 0;

/** @param {string} method @param {Record<string, unknown>} params */
function tell(method, params) {
  toHost({ text: JSON.stringify({ target: "host", epoch, kind: "event", method, params }), buffers: [] });
}

/**
 * Send a frame Python wrote; its buffers are moved, not copied.
 * @param {string} text @param {Uint8Array[]} [views]
 */
function post(text, views = []) {
  const buffers = /** @type {ArrayBuffer[]} */ (views.map((view) => view.buffer));
  toHost({ text, buffers }, { transfer: buffers });
}

/** @param {{epoch: number, browser: string, capabilities: object, plain: boolean}} options */
async function start(options) {
  epoch = options.epoch;
  closeDoors(self);
  const { pyodide, mode, reason } = await bootPython({
    baseUrl: new URL("../", import.meta.url).href,
    fetchAsset,
    mode: options.plain ? "plain" : "auto",
    onPhase: (phase) => tell("boot.phase", phase),
  });
  const begun = performance.now();
  const receive = await pyodide.pyimport("webbrain.main").start(post, JSON.stringify(options));
  tell("boot.phase", { name: "agent", ms: Math.round((performance.now() - begun) * 10) / 10 });
  self.onmessage = (event) => {
    try {
      receive(event.data.text, event.data.buffers);
    } catch (error) {
      // Python catches its own errors; what gets here means that the interpreter itself is broken.
      tell("worker.broken", { reason: describe(error).message });
    }
  };
  tell("boot.ready", { mode, reason: reason ?? "" });
}

self.onmessage = (event) => {
  start(event.data).catch((error) => tell("boot.failed", { reason: describe(error).message }));
};
