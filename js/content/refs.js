/**
 * References: names for elements that outlive a single answer.
 *
 * A reference is bound to one element for the life of its document and never means another. Elements are held weakly.
 * What a reference looked like when it was last listed is kept a while longer, so that an action on a dead one can name
 * the element that took its place.
 */

import { composedParent, isAlive, localName } from "./dom.js";
import { DEAD_REFS, SUGGESTIONS } from "./limits.js";

/**
 * @typedef {object} Listed what a reader was last told about a reference
 * @property {string} role
 * @property {string} name
 * @property {string} path ancestors' tags, nearest first
 * @property {boolean} interactive
 * @property {boolean} [offered] it was named as the successor of a dead reference
 */

/** @typedef {{ weak: WeakRef<Element>, listed: Listed | null }} Entry */

const FORM = /^ref_([1-9]\d{0,8})$/;
/** Ancestors that make up a path. */
const PATH_STEPS = 6;

/**
 * Without the caller's word on numbers already used, every document starts at another thousand, so that references of
 * the page before are very unlikely to mean anything on this one.
 * @returns {number}
 */
function accidentalStart() {
  return (1 + Math.floor(Math.random() * 99)) * 1_000;
}

export class Refs {
  /** @type {Map<number, Entry>} */
  #entries = new Map();
  /** @type {WeakMap<Element, number>} */
  #numbers = new WeakMap();
  #last = 0;
  #first = 0;
  #started = false;

  /**
   * Never give a number at or below this one again: the run has met them in other documents.
   * @param {number} used
   */
  startAfter(used) {
    if (used > this.#last) {
      this.#last = used;
      if (!this.#started) this.#first = used;
    }
    this.#started = true;
  }

  /** Highest number given so far. */
  get last() {
    return this.#last;
  }

  /**
   * The element's reference, given now if it has none yet.
   * @param {Element} e
   * @param {Omit<Listed, "path">} [listed]
   * @returns {string}
   */
  of(e, listed) {
    let number = this.#numbers.get(e);
    if (number === undefined) {
      if (!this.#started) {
        this.#started = true;
        this.#first = this.#last = accidentalStart();
      }
      number = ++this.#last;
      this.#numbers.set(e, number);
      this.#entries.set(number, { weak: new WeakRef(e), listed: null });
    }
    if (listed) {
      const entry = this.#entries.get(number);
      if (entry) {
        const old = entry.listed;
        if (!old || old.role !== listed.role || old.name !== listed.name)
          entry.listed = { ...listed, path: pathOf(e), offered: old?.offered };
      }
    }
    return `ref_${number}`;
  }

  /**
   * @param {Element} e
   * @returns {string | null} its reference if it has one
   */
  peek(e) {
    const number = this.#numbers.get(e);
    return number === undefined ? null : `ref_${number}`;
  }

  /**
   * @param {unknown} ref
   * @returns {{ element: Element, listed: Listed | null } | { fault: "malformed" | "unknown" | "stale", listed: Listed | null }}
   */
  resolve(ref) {
    const match = typeof ref === "string" ? FORM.exec(ref.trim()) : null;
    if (!match) return { fault: "malformed", listed: null };
    const number = Number(match[1]);
    const entry = this.#entries.get(number);
    const element = entry?.weak.deref();
    if (element && isAlive(element)) return { element, listed: entry?.listed ?? null };
    if (entry) return { fault: "stale", listed: entry.listed };
    return { fault: number > this.#first && number <= this.#last ? "stale" : "unknown", listed: null };
  }

  /** Forget descriptions of dead elements beyond the last few; live elements keep their references. */
  sweep() {
    if (this.#entries.size <= DEAD_REFS) return;
    const dead = [];
    for (const [number, entry] of this.#entries) {
      const e = entry.weak.deref();
      if (!e) dead.push(number);
    }
    for (const number of dead.slice(0, Math.max(0, dead.length - DEAD_REFS))) this.#entries.delete(number);
  }

  /**
   * Living references near a wrong one: interactive first, then by distance; for a malformed one the newest named.
   * @param {unknown} ref
   * @returns {{ ref_id: string, role: string, name: string }[]}
   */
  suggest(ref) {
    const match = typeof ref === "string" ? FORM.exec(ref.trim()) : null;
    const wanted = match ? Number(match[1]) : this.#last;
    /** @type {{ number: number, listed: Listed }[]} */
    const live = [];
    for (const [number, { weak, listed }] of this.#entries) {
      const e = weak.deref();
      if (listed && e && isAlive(e) && (match || listed.name)) live.push({ number, listed });
    }
    live.sort(
      (a, b) =>
        Number(b.listed.interactive) - Number(a.listed.interactive) ||
        Math.abs(a.number - wanted) - Math.abs(b.number - wanted),
    );
    return live
      .slice(0, SUGGESTIONS)
      .map(({ number, listed }) => ({ ref_id: `ref_${number}`, role: listed.role, name: listed.name }));
  }

  /**
   * Remember that this reference was named as a successor: if it dies in the same way, it may be followed.
   * @param {string} ref
   */
  markOffered(ref) {
    const entry = this.#entries.get(Number(ref.slice(4)));
    if (entry?.listed) entry.listed.offered = true;
  }
}

/**
 * @param {Element} e
 * @returns {string}
 */
export function pathOf(e) {
  const steps = [];
  for (let at = composedParent(e); at && steps.length < PATH_STEPS; at = composedParent(at))
    steps.push(localName(at));
  return steps.join("<");
}
