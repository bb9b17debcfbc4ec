// A LanguageModel with the shape that the Prompt API documents (https://webmachinelearning.github.io/prompt-api/), and
// as strict: `create()` rejects where `availability()` says no, a system message may only come first, what does not fit
// into the window is refused, a session that was destroyed does nothing, and what aborts, aborts.

const ROLES = ["system", "user", "assistant"];
const CHARS_PER_TOKEN = 4;

/** @param {number} requested @param {number} quota */
const tooLong = (requested, quota) =>
  Object.assign(new DOMException("The input is too large.", "QuotaExceededError"), { requested, quota });

export class FakeModel {
  state = "available";
  pieces = ["Hello"];
  /** Tokens. */
  window = 4_096;
  /** Makes the pieces out of what is asked. @type {((input: string, options: any) => string[]) | null} */ answer =
    null;
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
    const heard = Math.ceil(JSON.stringify(options.initialPrompts ?? []).length / CHARS_PER_TOKEN);
    if (heard > this.window) throw tooLong(heard, this.window);
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
    return this.session(heard);
  }

  /** @param {number} heard tokens */
  session(heard) {
    const model = this;
    model.alive++;
    let gone = false;
    let used = heard;
    const session = {
      promptStreaming(/** @type {any} */ input, /** @type {any} */ options = {}) {
        if (gone) throw new DOMException("The session was destroyed.", "InvalidStateError");
        options.signal?.throwIfAborted();
        const { responseConstraint: held } = options;
        if (held !== undefined && (typeof held !== "object" || held === null || Array.isArray(held)))
          throw new TypeError("responseConstraint is neither a JSON schema nor a RegExp");
        model.prompted.push({ input, options });
        const told = options.omitResponseConstraintInput || !held ? "" : JSON.stringify(held);
        const asked = Math.ceil((input.length + told.length) / CHARS_PER_TOKEN);
        // Older prompts make room for newer ones, those of the beginning never.
        if (heard + asked > model.window)
          return model.stream(options.signal, [], tooLong(asked, model.window));
        const pieces = model.answer?.(input, options) ?? model.pieces;
        used += asked + Math.ceil(pieces.join("").length / CHARS_PER_TOKEN);
        return model.stream(options.signal, pieces, model.promptError);
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
    Object.defineProperty(session, window, { get: () => model.window });
    Object.defineProperty(session, usage, { get: () => used });
    return session;
  }

  /** @param {AbortSignal | undefined} signal @param {string[]} pieces @param {any} failure */
  stream(signal, pieces, failure) {
    const model = this;
    return new ReadableStream({
      async start(controller) {
        signal?.addEventListener("abort", () => {
          model.stopped++;
          controller.error(signal.reason);
        });
        if (failure) return controller.error(failure);
        for (const [index, piece] of pieces.entries()) {
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
