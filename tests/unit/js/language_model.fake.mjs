// A LanguageModel with the shape that the Prompt API documents (https://webmachinelearning.github.io/prompt-api/), and
// as strict: `create()` rejects where `availability()` says no, a system message may only come first, a session that
// was destroyed does nothing, and what aborts, aborts.

const ROLES = ["system", "user", "assistant"];

export class FakeModel {
  state = "available";
  pieces = ["Hello"];
  /** Hold the answer back after its first piece. */
  hold = false;
  /** Milliseconds that a session takes to make. */
  slow = 0;
  copyable = true;
  sampling = true;
  olderNames = false;
  /** @type {any} */ createError = null;
  /** @type {any} */ promptError = null;
  /** What `availability` was asked. @type {any[]} */ asked = [];
  /** Options of `create`. @type {any[]} */ created = [];
  /** @type {{input: string, options: any}[]} */ prompted = [];
  copies = 0;
  /** Sessions that were made to the end. */
  finished = 0;
  /** Sessions not destroyed yet. */
  alive = 0;
  /** Answers that were aborted. */
  stopped = 0;
  /** Progress that a download reports, from 0 to 1. @type {number[]} */ progress = [];
  /** A person has just clicked. */
  activated = false;

  install() {
    const model = this;
    /** @type {any} */ (globalThis).LanguageModel = class LanguageModel {
      constructor() {
        throw new TypeError("Illegal constructor");
      }
      static async availability(/** @type {any} */ options) {
        model.asked.push(options);
        return model.state;
      }
      static async create(/** @type {any} */ options = {}) {
        return model.create(options);
      }
      static async params() {
        return model.sampling
          ? { defaultTopK: 3, maxTopK: 8, defaultTemperature: 1, maxTemperature: 2 }
          : null;
      }
    };
  }

  /** @param {any} options */
  async create(options) {
    this.created.push(options);
    if (this.createError) throw this.createError;
    if (this.state === "unavailable")
      throw new DOMException("The service is not running.", "NotSupportedError");
    if (this.state !== "available" && !this.activated)
      throw new DOMException(
        'Requires a user gesture when availability is "downloadable".',
        "NotAllowedError",
      );
    if ("temperature" in options !== "topK" in options)
      throw new DOMException(
        "Initializing a new session must either specify both topK and temperature, or neither.",
        "NotSupportedError",
      );
    for (const [index, { role, content }] of (options.initialPrompts ?? []).entries()) {
      if (!ROLES.includes(role) || typeof content !== "string") throw new TypeError("not a prompt");
      if (role === "system" && index > 0) throw new TypeError("system prompts come first");
    }
    if (this.state !== "available") {
      const monitor = new EventTarget();
      options.monitor?.(monitor);
      for (const loaded of this.progress) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        options.signal?.throwIfAborted();
        monitor.dispatchEvent(Object.assign(new Event("downloadprogress"), { loaded, total: 1 }));
      }
      this.state = "available";
    }
    if (this.slow) await new Promise((resolve) => setTimeout(resolve, this.slow));
    this.finished++;
    return this.session(JSON.stringify(options.initialPrompts ?? []).length);
  }

  /** @param {number} heard characters */
  session(heard) {
    const model = this;
    model.alive++;
    let gone = false;
    let used = Math.ceil(heard / 4);
    const session = {
      promptStreaming(/** @type {any} */ input, /** @type {any} */ options = {}) {
        if (gone) throw new DOMException("The session was destroyed.", "InvalidStateError");
        options.signal?.throwIfAborted();
        model.prompted.push({ input, options });
        used += Math.ceil((input.length + model.pieces.join("").length) / 4);
        return model.stream(options.signal);
      },
      async clone() {
        if (gone) throw new DOMException("The session was destroyed.", "InvalidStateError");
        model.copies++;
        return model.session(heard);
      },
      destroy() {
        if (!gone) model.alive--;
        gone = true;
      },
    };
    if (!model.copyable) Reflect.deleteProperty(session, "clone");
    const [window, usage] = model.olderNames
      ? ["inputQuota", "inputUsage"]
      : ["contextWindow", "contextUsage"];
    Object.defineProperty(session, window, { get: () => 4_096 });
    Object.defineProperty(session, usage, { get: () => used });
    return session;
  }

  /** @param {AbortSignal | undefined} signal */
  stream(signal) {
    const model = this;
    return new ReadableStream({
      async start(controller) {
        signal?.addEventListener("abort", () => {
          model.stopped++;
          controller.error(signal.reason);
        });
        if (model.promptError) return controller.error(model.promptError);
        for (const [index, piece] of model.pieces.entries()) {
          if (index > 0 && model.hold) return;
          controller.enqueue(piece);
          await new Promise((resolve) => setTimeout(resolve, 1));
          if (signal?.aborted) return;
        }
        controller.close();
      },
    });
  }
}
