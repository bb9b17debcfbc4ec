/**
 * The one line between a screen and the supervisor page (docs/protocol.md, "Screens and supervisor").
 *
 * Calls may be made at any time: they wait until the line stands. When it breaks, questions that change nothing
 * are asked again on the new line; everything else fails with the code `disconnected`, and the caller decides.
 */

const BACK_OFF_MS = [250, 500, 1000, 2000, 4000];
/** How long the background may take to say that the supervisor page exists. */
const ENSURE_TIMEOUT_MS = 10_000;
/** A line counts as standing when the supervisor answered on it. */
const HELLO_TIMEOUT_MS = 5_000;
/** Bytes of a file in one frame: small enough that nothing is held up by it, and a multiple of three, so that each piece
 * is base64 by itself. */
const PIECE_BYTES = 480_000;
/** Calls that change nothing, or that end the same when made twice. */
const REPEATABLE = new Set([
  "boot.status",
  "panel.open",
  "providers.list",
  "providers.models",
  "settings.get",
  "settings.set",
  "mode.set",
  "chat.abort",
]);

/** @typedef {"connecting" | "connected" | "reconnecting" | "invalidated"} LineState */

/** What a call fails with: the code of the other side, or `disconnected`, `timeout`, `invalidated`. */
export class PortError extends Error {
  /**
   * @param {string} code
   * @param {string} message
   * @param {any} [data]
   */
  constructor(code, message, data) {
    super(message);
    this.name = "PortError";
    this.code = code;
    this.data = data;
  }
}

/**
 * @typedef {object} Pending
 * @property {string} id
 * @property {string} method
 * @property {object} params
 * @property {(value: any) => void} resolve
 * @property {(error: PortError) => void} reject
 * @property {ReturnType<typeof setTimeout> | 0} timer
 * @property {number} deadline absolute milliseconds, 0 for none
 * @property {Blob[]} files that go before it, piece by piece
 */

export class Connection {
  /**
   * @param {object} options
   * @param {any} options.ext the WebExtension API
   * @param {(method: string, params: any) => void} options.onEvent
   * @param {(state: LineState, attempt: number, reason: string) => void} options.onState why it broke, if it did
   */
  constructor({ ext, onEvent, onState }) {
    this.ext = ext;
    this.onEvent = onEvent;
    this.onState = onState;
    /** @type {LineState} */
    this.state = "connecting";
    /** @type {any} */
    this.port = null;
    /** @type {Map<string, Pending>} */
    this.inFlight = new Map();
    /** @type {Pending[]} */
    this.waiting = [];
    this.attempt = 0;
    /** Why the newest attempt failed, in the words of whoever said so. */
    this.reason = "";
    this.count = 0;
    // Two screens of one browser must not choose the same ids.
    this.prefix = Math.random().toString(36).slice(2, 8);
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.retryTimer = undefined;
    this.generation = 0;
  }

  open() {
    void this.#connect();
  }

  /** Try again now instead of after the back-off. */
  retryNow() {
    if (this.state === "connected" || this.state === "invalidated") return;
    clearTimeout(this.retryTimer);
    void this.#connect();
  }

  /**
   * @param {string} method
   * @param {object} [params]
   * @param {{timeoutMs?: number, files?: Blob[]}} [options] without a time-out the call waits as long as the line can
   *   be mended; `files` go beside it, to be named in the parameters by their numbers
   * @returns {Promise<any>}
   */
  call(method, params = {}, { timeoutMs = 0, files = [] } = {}) {
    return new Promise((resolve, reject) => {
      if (this.state === "invalidated") {
        reject(new PortError("invalidated", "The extension was updated; this page must be reloaded."));
        return;
      }
      this.count += 1;
      /** @type {Pending} */
      const pending = {
        id: `${this.prefix}-${this.count}`,
        method,
        params,
        resolve,
        reject,
        timer: 0,
        deadline: timeoutMs ? Date.now() + timeoutMs : 0,
        files,
      };
      if (timeoutMs) pending.timer = setTimeout(() => this.#expire(pending), timeoutMs);
      if (this.state === "connected") this.#send(pending);
      else this.waiting.push(pending);
    });
  }

  /** @param {Pending} pending */
  #expire(pending) {
    this.inFlight.delete(pending.id);
    this.waiting = this.waiting.filter((other) => other !== pending);
    pending.reject(new PortError("timeout", `No answer to ${pending.method}.`));
  }

  /** @param {Pending} pending */
  #send(pending) {
    this.inFlight.set(pending.id, pending);
    if (pending.files.length) void this.#sendFiles(pending);
    else this.#sendCall(pending);
  }

  /**
   * The files, then the call. If the line breaks meanwhile the call fails as any other, and is over here.
   *
   * @param {Pending} pending
   */
  async #sendFiles(pending) {
    const { generation } = this;
    const over = () => generation !== this.generation || !this.inFlight.has(pending.id);
    for (const [file, blob] of pending.files.entries())
      for (let at = 0; at < blob.size; at += PIECE_BYTES) {
        const data = await base64(blob.slice(at, at + PIECE_BYTES));
        if (over()) return;
        this.#post({ target: "host", epoch: 0, kind: "chunk", id: pending.id, file, data });
      }
    if (!over()) this.#sendCall(pending);
  }

  /** @param {Pending} pending */
  #sendCall(pending) {
    this.#post({
      target: "host",
      epoch: 0,
      kind: "call",
      id: pending.id,
      method: pending.method,
      params: pending.params,
      ...(pending.deadline ? { deadline: pending.deadline } : {}),
      ...(pending.files.length ? { buffers: pending.files.length } : {}),
    });
  }

  /** @param {object} frame */
  #post(frame) {
    try {
      this.port?.postMessage(frame);
    } catch {
      this.#broken(this.generation);
    }
  }

  async #connect() {
    this.generation += 1;
    const generation = this.generation;
    try {
      // A page that outlived its extension has no runtime id any more, and no call will ever work again.
      if (!this.ext.runtime?.id) throw new Error("Extension context invalidated.");
      const answer = await withTimeout(
        this.ext.runtime.sendMessage({ target: "background", action: "ensure_host" }),
        ENSURE_TIMEOUT_MS,
      );
      if (generation !== this.generation) return;
      if (!answer?.ok) throw new Error(answer?.error || "The background did not answer.");
      const port = this.ext.runtime.connect({ name: "wb-ui" });
      this.port = port;
      port.onMessage.addListener((/** @type {any} */ frame) => this.#receive(generation, frame));
      port.onDisconnect.addListener(() => {
        // Reading it keeps the browser from logging an unchecked error.
        void this.ext.runtime.lastError;
        this.#broken(generation);
      });
      this.#hello(generation);
    } catch (error) {
      if (generation !== this.generation) return;
      if (/context invalidated/i.test(String(error))) this.#invalidate();
      else this.#broken(generation, error instanceof Error ? error.message : String(error));
    }
  }

  /** @param {number} generation */
  #hello(generation) {
    const id = `${this.prefix}-hello-${generation}`;
    const timer = setTimeout(
      () => this.#broken(generation, "The supervisor page is silent."),
      HELLO_TIMEOUT_MS,
    );
    this.inFlight.set(id, {
      id,
      method: "boot.status",
      params: {},
      timer,
      deadline: 0,
      files: [],
      reject: () => clearTimeout(timer),
      resolve: (status) => {
        clearTimeout(timer);
        this.attempt = 0;
        this.reason = "";
        this.#setState("connected");
        this.onEvent("boot", status);
        for (const pending of this.waiting.splice(0)) this.#send(pending);
      },
    });
    this.#post({ target: "host", epoch: 0, kind: "call", id, method: "boot.status", params: {} });
  }

  /**
   * @param {number} generation
   * @param {any} frame
   */
  #receive(generation, frame) {
    if (generation !== this.generation || !frame || typeof frame !== "object") return;
    if (frame.kind === "events") {
      for (const { method, params } of frame.events) this.onEvent(method, params ?? {});
      return;
    }
    const pending = this.inFlight.get(frame.id);
    if (!pending) return;
    this.inFlight.delete(frame.id);
    clearTimeout(pending.timer);
    if (frame.kind === "reply") pending.resolve(frame.result);
    else if (frame.kind === "error") {
      const { code = "error", message = "", data } = frame.error ?? {};
      pending.reject(new PortError(code, message, data));
    }
  }

  /**
   * @param {number} generation
   * @param {string} [reason]
   */
  #broken(generation, reason = "") {
    if (generation !== this.generation || this.state === "invalidated") return;
    this.generation += 1;
    try {
      this.port?.disconnect();
    } catch {
      // It is gone already, which is what we want.
    }
    this.port = null;
    for (const pending of [...this.inFlight.values()]) {
      this.inFlight.delete(pending.id);
      if (REPEATABLE.has(pending.method) && !pending.id.includes("-hello-")) this.waiting.push(pending);
      else {
        clearTimeout(pending.timer);
        pending.reject(new PortError("disconnected", "The connection broke before an answer came."));
      }
    }
    const delay = BACK_OFF_MS[Math.min(this.attempt, BACK_OFF_MS.length - 1)];
    this.attempt += 1;
    this.reason = reason;
    this.#setState("reconnecting");
    this.retryTimer = setTimeout(() => void this.#connect(), delay);
  }

  #invalidate() {
    this.#setState("invalidated");
    for (const pending of [...this.inFlight.values(), ...this.waiting.splice(0)]) {
      clearTimeout(pending.timer);
      pending.reject(new PortError("invalidated", "The extension was updated; this page must be reloaded."));
    }
    this.inFlight.clear();
  }

  /** @param {LineState} state */
  #setState(state) {
    this.state = state;
    this.onState(state, this.attempt, this.reason);
  }
}

/**
 * @template T
 * @param {Promise<T>} promise
 * @param {number} ms
 * @returns {Promise<T>}
 */
function withTimeout(promise, ms) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("The background is silent.")), ms);
    promise.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

/**
 * @param {Blob} blob
 * @returns {Promise<string>}
 */
async function base64(blob) {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const parts = [];
  // Not more at once: each byte becomes an argument of a call.
  for (let at = 0; at < bytes.length; at += 8_192)
    parts.push(String.fromCharCode(...bytes.subarray(at, at + 8_192)));
  return btoa(parts.join(""));
}
