// The screens that are connected. What happens is told to them a moment later, all of it in one frame: they live on the
// thread that relays the calls of a run, and drawing a step while it goes on would hold it up.

/** So long after the first of some events they are told, in ms: two pictures of a screen. */
export const TELL_MS = 30;
/** More events than that are not held back, in number. */
export const TELL_MOST = 500;

/**
 * @typedef {{postMessage: (message: object) => void}} Port
 * @typedef {{method: string, params: unknown}} Told
 */

export class Screens {
  /** Ports by number. @type {Map<number, Port>} */
  #ports = new Map();
  #last = 0;
  /** @type {Told[]} */
  #events = [];
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /** @param {() => number} epoch The number of the Worker that events are of. */
  constructor(epoch) {
    this.epoch = epoch;
  }

  /** One more. It hears of what happens from now on. @param {Port} port @returns {number} */
  add(port) {
    this.flush();
    this.#last += 1;
    this.#ports.set(this.#last, port);
    return this.#last;
  }

  /** @param {number} screen */
  drop(screen) {
    this.#ports.delete(screen);
  }

  /** Tell all of them, soon. @param {string} method @param {unknown} params */
  tell(method, params) {
    if (!this.#ports.size) return;
    this.#events.push({ method, params });
    if (this.#events.length >= TELL_MOST) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), TELL_MS);
  }

  /** Tell all of them at once. @param {string} method @param {unknown} params */
  tellNow(method, params) {
    this.tell(method, params);
    this.flush();
  }

  /** What waits goes out: it must not be overtaken by an answer, nor be taken for another Worker's. */
  flush() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const events = this.#events;
    if (!events.length) return;
    this.#events = [];
    const frame = { target: "ui", epoch: this.epoch(), kind: "events", events };
    for (const port of this.#ports.values()) port.postMessage(frame);
  }

  /** Answer a call of a screen, if it is still there. @param {number} screen @param {object} frame */
  answer(screen, frame) {
    this.flush();
    this.#ports.get(screen)?.postMessage({ ...frame, epoch: this.epoch() });
  }
}
