// The life of the Python Worker: start it, time its phases, beat a heart, replace it when it does not answer.

import { BridgeError } from "./rpc.js";

export const PROBE_MS = 1_000;
/** Unanswered probes in a row after which a Worker is given up: 5 s after it got stuck at the latest. */
export const MISSED_PROBES = 4;
/** A probe this much late shows that the supervisor itself was held up (sleep, busy machine): it does not count. */
const LATE = 1.5;
/** Probes on time that a boot may take; the plain boot of a slow, busy machine needs about 20. */
export const BOOT_PROBES = 90;
/** A Worker that lived for less than this did not recover anything; so many such replacements in a row are a failure. */
const SHORT_LIFE_MS = 30_000;
const SHORT_LIVES = 3;

/**
 * @typedef {{postMessage: (message: any, transfer?: any) => void, terminate: () => void, onmessage: any, onerror: any}} WorkerLike
 * @typedef {import("./rpc.js").Frame} Frame
 * @typedef {{promise: Promise<void>, resolve: () => void, reject: (error: Error) => void}} Gate
 * @typedef {{
 *   state: "starting" | "ready" | "failed", epoch: number, mode: string, phases: {name: string, ms: number}[],
 *   totalMs: number, reason: string,
 * }} Status
 */

export class Supervisor {
  /** @type {WorkerLike | null} */ #worker = null;
  /** Calls to Python by id. @type {Map<string, {resolve: (value: any) => void, reject: (error: Error) => void}>} */
  #calls = new Map();
  #lastId = 0;
  #lastTick = 0;
  #missed = 0;
  #shortLives = 0;
  #startedAt = 0;
  #readyAt = 0;
  /** @type {Gate | null} */ #ready = null;
  /** @type {Status} */ status = {
    state: "starting",
    epoch: 0,
    mode: "",
    phases: [],
    totalMs: 0,
    reason: "",
  };

  /**
   * @param {{
   *   createWorker: () => WorkerLike, options: Record<string, unknown>, now?: () => number,
   *   onFrame: (frame: Frame, buffers: ArrayBuffer[]) => void, onStatus: (status: Status) => void, onGone: () => void,
   * }} ports `options` go to each new Worker; `onFrame` gets what Python sends besides its replies; `onGone` is told
   *   that a Worker is no more, so that what it had open can be closed.
   */
  constructor(ports) {
    this.ports = ports;
    this.now = ports.now ?? (() => performance.now());
  }

  /** Start a Worker with the next epoch. @param {boolean} [plain] Without the snapshot, because it failed before. */
  start(plain = false) {
    const epoch = this.status.epoch + 1;
    this.#ready ??= gate();
    this.#missed = 0;
    this.#startedAt = this.now();
    this.#lastTick = this.now();
    this.#tell({ state: "starting", epoch, mode: "", phases: [], totalMs: 0, reason: "" });
    const worker = this.ports.createWorker();
    this.#worker = worker;
    worker.onmessage = (/** @type {MessageEvent} */ event) => {
      // The handler of a replaced Worker may still be called for messages under way: they belong to a dead epoch.
      if (this.#worker === worker) this.#receive(JSON.parse(event.data.text), event.data.buffers);
    };
    worker.onerror = (/** @type {ErrorEvent} */ event) => {
      event.preventDefault?.();
      console.error(`Python Worker ${epoch}: ${event.message ?? "its script cannot be read"}`);
      // Once Python runs, the heart beat tells whether an error did harm; a stray one must not end all runs.
      if (this.#worker === worker && this.status.state === "starting") {
        this.#broken(`The Worker broke: ${event.message ?? "its script cannot be read"}.`);
      }
    };
    worker.postMessage({ ...this.ports.options, epoch, plain });
  }

  /** Try again after a failed boot. @returns {boolean} False if there is nothing to retry. */
  retry() {
    if (this.status.state !== "failed") return false;
    this.#shortLives = 0;
    this.start();
    return true;
  }

  /** Call every PROBE_MS. */
  tick() {
    const now = this.now();
    const late = now - this.#lastTick > PROBE_MS * LATE;
    this.#lastTick = now;
    if (late || this.status.state === "failed") return;
    this.#missed += 1;
    if (this.status.state === "starting") {
      if (this.#missed > BOOT_PROBES) this.#broken("Python did not start in time.");
    } else if (this.#missed > MISSED_PROBES) {
      this.#broken("Python did not answer any more.");
    } else if (this.#missed === 1) {
      this.#ping();
    }
  }

  /** Python runs, or has just failed to. */
  async whenReady() {
    if (this.status.state === "failed") throw new BridgeError("not_started", this.status.reason);
    if (this.status.state === "starting") await this.#ready?.promise;
  }

  /**
   * Call Python and wait for its answer. The buffers are moved, not copied.
   * @param {string} method @param {unknown} params @param {ArrayBuffer[]} [buffers] @returns {Promise<any>}
   */
  async call(method, params, buffers = []) {
    await this.whenReady();
    return new Promise((resolve, reject) => {
      const id = `h${++this.#lastId}`;
      this.#calls.set(id, { resolve, reject });
      this.send({ target: "python", epoch: this.status.epoch, kind: "call", id, method, params }, buffers);
    });
  }

  /** Send a frame to Python, unless the Worker it is for is gone. @param {Frame} frame @param {ArrayBuffer[]} [buffers] */
  send(frame, buffers = []) {
    if (frame.epoch !== this.status.epoch) return;
    this.#worker?.postMessage(
      { text: JSON.stringify({ ...frame, buffers: buffers.length }), buffers },
      buffers,
    );
  }

  #ping() {
    const asked = this.#worker;
    this.call("ping", {}).then(
      () => {
        if (this.#worker === asked) this.#missed = 0;
      },
      () => {},
    );
  }

  /** @param {Frame} frame @param {ArrayBuffer[]} buffers */
  #receive(frame, buffers) {
    if (frame.epoch !== this.status.epoch) return;
    if (frame.target === "host" && frame.kind === "event" && this.#lifeEvent(frame)) return;
    const call = frame.target === "host" && this.#calls.get(frame.id ?? "");
    if (call && (frame.kind === "reply" || frame.kind === "error")) {
      this.#calls.delete(frame.id ?? "");
      if (frame.kind === "reply") call.resolve(frame.result);
      else
        call.reject(
          new BridgeError(frame.error?.code ?? "api_error", frame.error?.message ?? "", frame.error?.data),
        );
      return;
    }
    this.ports.onFrame(frame, buffers);
  }

  /** @param {Frame} frame @returns {boolean} True if the event was about the Worker's own life. */
  #lifeEvent({ method, params }) {
    if (method === "boot.phase") {
      this.#tell({ ...this.status, phases: [...this.status.phases, params], totalMs: this.#age() });
    } else if (method === "boot.ready") {
      this.#missed = 0;
      this.#readyAt = this.now();
      this.#tell({
        ...this.status,
        state: "ready",
        mode: params.mode,
        reason: params.reason,
        totalMs: this.#age(),
      });
      this.#ready?.resolve();
      this.#ready = null;
    } else if (method === "boot.failed" || method === "worker.broken") {
      this.#broken(params.reason);
    } else {
      return false;
    }
    return true;
  }

  #age() {
    return Math.round(this.now() - this.#startedAt);
  }

  /** The Worker is of no use any more: replace it, or give up. @param {string} reason */
  #broken(reason) {
    const { state, epoch } = this.status;
    const lived = this.now() - this.#readyAt;
    this.#shortLives = state === "ready" && lived > SHORT_LIFE_MS ? 0 : this.#shortLives + 1;
    this.#worker?.terminate();
    this.#worker = null;
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    for (const { reject } of calls)
      reject(new BridgeError("outcome_unknown", "Python was restarted during this call."));
    this.ports.onGone();
    console.warn(`Python Worker ${epoch} ended: ${reason}`);
    // A snapshot that breaks the whole Worker cannot fall back by itself, so a second boot goes the plain way.
    const plain = state === "starting";
    if (this.#shortLives < (plain ? 2 : SHORT_LIVES)) this.start(plain);
    else this.#fail(reason);
  }

  /** @param {string} reason */
  #fail(reason) {
    this.#tell({ ...this.status, state: "failed", reason, totalMs: this.#age() });
    this.#ready?.promise.catch(() => {});
    this.#ready?.reject(new BridgeError("not_started", reason));
    this.#ready = null;
  }

  /** @param {Status} status */
  #tell(status) {
    this.status = status;
    this.ports.onStatus(status);
  }
}

/** `Promise.withResolvers`, which the oldest supported browsers and Node 20 do not have. @returns {Gate} */
function gate() {
  /** @type {any} */
  const out = {};
  out.promise = new Promise((resolve, reject) => Object.assign(out, { resolve, reject }));
  return out;
}
