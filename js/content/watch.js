/**
 * What really changed after an action.
 *
 * A watch is opened before the action and closed soon after it: as soon as something happened and the page is quiet
 * again, at the latest after `WATCH_MS`. Nothing is left behind on the page.
 */

import { saidBy } from "./answering.js";
import {
  composedClosest,
  composedContains,
  composedParent,
  deepActive,
  documentTitle,
  documentURL,
  isConnected,
  isElement,
  listen,
  localName,
  matches,
  nodeType,
  pause,
  queryAll,
  unlisten,
} from "./dom.js";
import { SECOND_LOOK_MS } from "./handlimits.js";
import {
  CHANGE_CHARS,
  CHANGES,
  SOFT_NAVIGATION_MS,
  VALUE_CHARS,
  WATCH_ANSWERED_MS,
  WATCH_ANSWERED_QUIET_MS,
  WATCH_LEAVING_MS,
  WATCH_MIN_MS,
  WATCH_MS,
  WATCH_QUIET_MS,
  WATCH_RECORDS,
} from "./limits.js";
import { describeName, labelText, SKIPPED, textInside } from "./names.js";
import { isTypeable, roleOf } from "./roles.js";
import { isRendered } from "./sight.js";
import { differ, hiddenIn, openOverlays, rootsToWatch, stateOf, states } from "./states.js";
import { cut, line, quote } from "./text.js";

/** @typedef {import("./session.js").Session} Session */

const LIVE =
  '[role="alert"],[role="status"],[role="log"],[aria-live="polite"],[aria-live="assertive"],output';
const ATTRIBUTES = [
  "aria-expanded",
  "aria-checked",
  "aria-selected",
  "aria-pressed",
  "aria-current",
  "aria-hidden",
  "aria-invalid",
  "open",
  "hidden",
  "disabled",
  "checked",
  "value",
  "class",
  "style",
  "src",
];
const STEP_MS = 15;
const TEXTS = 3;
/** Ancestors of the target that still count as its neighbourhood. */
const NEAR_STEPS = 3;

export class Watch {
  /** The page started to load something else. */
  leaving = false;
  /** A form's submit event was seen. @type {SubmitEvent | null} */
  submitted = null;
  /** Elements that were added, for who looks for suggestions. @type {Element[]} */
  added = [];
  /** Ends a wait at once: the answer must be out before the document is gone. */
  #left = () => {};
  #session;
  #target;
  #related;
  /** Everything that is watched: documents and shadow roots. @type {Set<Document | ShadowRoot>} */
  #scopes;
  #before;
  /** @type {MutationObserver | null} */
  #observer = null;
  /** When the page last did something that may be an answer to the action. */
  #lastChange = 0;
  /** The action's own events have been sent; what comes from here on is the page's. */
  #acted = false;
  /** What the action itself gave the focus to, `null` if it took it away, `undefined` if it did neither. @type {Element | null | undefined} */
  #own = undefined;
  #records = 0;
  #nearby = 0;
  /** The page has said something, by the action's own events or near the target. */
  #answered = false;
  /** It has said that it is still at work. */
  #unfinished = false;
  /** @type {Map<Element, string>} */
  #texts = new Map();
  /** @type {Set<Element>} */
  #live = new Set();
  /** @type {string[]} */
  #invalid = [];
  /** @type {Set<Element | Document>} */
  #scrolled = new Set();
  /** @type {(() => void)[]} */
  #undo = [];
  /** @type {Element | null} */
  #vicinity;
  /** What was not shown near the target. @type {Element[]} */
  #hidden;
  /** What lost its `hidden` anywhere. @type {Set<Element>} */
  #uncovered = new Set();

  /**
   * @param {Session} session
   * @param {Element} target
   * @param {Element} [related] a second element whose state is of interest (the control of a label)
   */
  constructor(session, target, related) {
    this.#session = session;
    this.#target = target;
    this.#related = related && related !== target ? related : null;
    this.#scopes = rootsToWatch(target);
    this.#vicinity = target;
    for (let i = 0; i < NEAR_STEPS && this.#vicinity; i++) {
      const up = composedParent(this.#vicinity);
      if (!up || /^(body|html|main|form)$/.test(localName(up))) break;
      this.#vicinity = up;
    }
    this.#before = this.#snapshot();
    this.#hidden = hiddenIn(composedParent(this.#vicinity ?? target) ?? target);
    this.#listen();
  }

  #snapshot() {
    const view = window;
    return {
      url: documentURL(document),
      title: documentTitle(document),
      x: Math.round(view.scrollX),
      y: Math.round(view.scrollY),
      active: deepActive(),
      overlays: openOverlays([...this.#scopes]),
      state: stateOf(this.#target),
      related: this.#related ? stateOf(this.#related) : {},
      connected: isConnected(this.#target),
      text: textInside(this.#target, VALUE_CHARS),
    };
  }

  #listen() {
    const observer = new MutationObserver((records) => this.#take(records));
    this.#observer = observer;
    const options = {
      subtree: true,
      childList: true,
      characterData: true,
      attributes: true,
      attributeFilter: ATTRIBUTES,
      attributeOldValue: true,
    };
    for (const root of this.#scopes) observer.observe(root, options);
    this.#undo.push(() => {
      this.#take(observer.takeRecords());
      observer.disconnect();
    });
    /** @param {EventTarget} on @param {string} type @param {(event: any) => void} handle */
    const on = (on, type, handle) => {
      listen(on, type, handle, { capture: true, passive: true });
      this.#undo.push(() => unlisten(on, type, handle, { capture: true }));
    };
    for (const doc of this.#scopes) {
      on(doc, "invalid", (event) => this.#noteInvalid(event));
      on(doc, "submit", (event) => {
        this.submitted = event;
        this.#mark();
      });
      on(doc, "scroll", (event) => {
        if (this.#scrolled.size < 20) this.#scrolled.add(event.target);
      });
    }
    for (const type of ["beforeunload", "pagehide"])
      on(window, type, () => {
        this.leaving = true;
        this.#left();
      });
  }

  #mark() {
    this.#lastChange = performance.now();
  }

  /**
   * The action's events are out. What the page did within them is its answer; later changes of classes and styles
   * elsewhere are not taken for one.
   * @param {Element | null} [own] what the action itself gave the focus to, `null` if it took it away
   */
  acted(own) {
    this.#take(this.#observer?.takeRecords() ?? []);
    this.#acted = true;
    this.#own = own;
  }

  /** @param {Event} event */
  #noteInvalid(event) {
    this.#mark();
    const field = /** @type {HTMLInputElement} */ (event.composedPath()[0] ?? event.target);
    if (this.#invalid.length < 5 && isElement(field))
      this.#invalid.push(
        `invalid: ${quote(labelText(field) || describeName(field, roleOf(field)))}: ${line(field.validationMessage, CHANGE_CHARS)}`,
      );
  }

  /** @param {MutationRecord[]} records */
  #take(records) {
    if (!records.length) return;
    if (!this.#acted) this.#mark();
    for (const record of records) {
      if (++this.#records > WATCH_RECORDS) return this.#mark();
      const node = record.target;
      const at = isElement(node) ? node : nodeType(node) === 9 ? null : composedParent(node);
      if (!at) continue;
      const near = !!this.#vicinity && composedContains(this.#vicinity, at);
      if (near || !this.#acted) this.#nearby++;
      if (near || record.type !== "attributes") this.#mark();
      const live = composedClosest(at, (x) => matches(x, LIVE));
      if (live) this.#live.add(live);
      if (near || live || !this.#acted) this.#hear(record);
      if (record.type === "attributes") {
        if (record.attributeName === "hidden" && record.oldValue !== null) this.#uncovered.add(at);
        continue;
      }
      for (let i = 0; i < record.addedNodes.length && i < 50; i++) {
        const added = /** @type {Node} */ (record.addedNodes[i]);
        if (!isElement(added) || SKIPPED.has(localName(added))) continue;
        if (this.added.length < 300) this.added.push(added);
        if (matches(added, LIVE)) this.#live.add(added);
      }
      if (this.#texts.size < 40 && !this.#texts.has(at)) this.#texts.set(at, "");
    }
  }

  /** @param {MutationRecord} record */
  #hear(record) {
    if (this.#unfinished) return;
    const said = saidBy(record);
    if (said === "answer") this.#answered = true;
    else if (said === "unfinished") this.#unfinished = true;
  }

  /** @returns {boolean} */
  get somethingHappened() {
    if (this.#lastChange || this.leaving || this.submitted || this.#invalid.length) return true;
    if (documentURL(document) !== this.#before.url || this.#focusMoved(deepActive())) return true;
    if (this.#scrolled.size || !isConnected(this.#target)) return true;
    return (
      differ(this.#before.state, stateOf(this.#target)) ||
      (!!this.#related && differ(this.#before.related, stateOf(this.#related)))
    );
  }

  /** Something changed far from the target and later than the press: it is not known to be its effect. */
  get elsewhere() {
    return this.#records > 0;
  }

  /**
   * The page has answered, and nothing says that more is to come: no need to wait as long as for one that may be at
   * work. A form that was sent, an address that changed, a button that is disabled now, a field that got the focus
   * are such signs, and so are words like "Loading...".
   * @returns {boolean}
   */
  get #complete() {
    if (!this.#answered || this.#unfinished || this.submitted || this.leaving) return false;
    if (documentURL(document) !== this.#before.url || isTypeable(this.#target)) return false;
    const { disabled } = stateOf(this.#target);
    if (disabled === "true" && this.#before.state.disabled !== disabled) return false;
    return ![...this.#scopes].some((root) => queryAll(root, '[aria-busy="true"]').length);
  }

  /** @param {Element | null} active @returns {boolean} by the page, or into a field, which is what pressing one is for */
  #focusMoved(active) {
    if (active === this.#before.active) return false;
    if (this.#own === undefined) return true;
    if (this.#own === null) return !!active && !/^(body|html)$/.test(localName(active));
    return active !== this.#own || isTypeable(this.#own);
  }

  /**
   * Wait for the dust to settle, stop watching, and say what changed.
   * @param {{ leaving?: boolean, quick?: boolean, patient?: boolean, soft?: boolean }} [how] `leaving`: the action
   *   should take us off the page; `patient`: look a second time before saying that nothing happened; `soft`: the
   *   page's own script follows a link, so give it time to
   * @returns {Promise<string[]>} at least one entry; `["nothing"]` if nothing was seen
   */
  async done(how = {}) {
    const start = performance.now();
    const left = new Promise((/** @type {(value: void) => void} */ done) => {
      this.#left = done;
    });
    try {
      const least = how.leaving || how.quick ? WATCH_LEAVING_MS : WATCH_MIN_MS;
      const extra = how.soft ? SOFT_NAVIGATION_MS : how.patient ? SECOND_LOOK_MS : 0;
      let late = false;
      while (!this.leaving) {
        const shortly = start + WATCH_ANSWERED_MS - performance.now();
        await Promise.race([pause(shortly > 0 ? Math.min(STEP_MS, shortly) : STEP_MS), left]);
        const now = performance.now();
        const silence = now - this.#lastChange;
        if (now - start >= WATCH_MS + (this.somethingHappened ? 0 : extra)) {
          // On a machine that was held up, the page's own timers may still be waiting behind ours.
          if (late || this.somethingHappened) break;
          late = true;
        }
        if (how.leaving) continue;
        if (now - start >= WATCH_ANSWERED_MS && silence >= WATCH_ANSWERED_QUIET_MS && this.#complete) break;
        if (now - start >= least && this.somethingHappened && silence >= WATCH_QUIET_MS) break;
        if (now - start >= least && how.quick) break;
      }
    } finally {
      this.close();
    }
    return this.#report();
  }

  /** Stop watching without a report. */
  close() {
    for (const undo of this.#undo.splice(0)) undo();
  }

  /** @returns {string[]} */
  #report() {
    const before = this.#before;
    const after = this.#snapshot();
    /** @type {string[]} */
    const out = [];
    if (after.url !== before.url) out.push(`url: ${line(after.url, CHANGE_CHARS)}`);
    if (this.leaving) out.push("leaving: the page started to load another address");
    if (this.submitted)
      out.push(
        this.submitted.defaultPrevented
          ? "submitted: the page's own script took the form"
          : "submitted: the form was sent",
      );
    out.push(...this.#invalid);
    if (after.title !== before.title) out.push(`title: ${quote(line(after.title, 100))}`);
    for (const e of after.overlays)
      if (!before.overlays.has(e)) out.push(`opened: ${this.#session.describe(e)}`);
    for (const e of before.overlays)
      if (!after.overlays.has(e)) out.push(`closed: ${roleOf(e)} ${quote(describeName(e, roleOf(e)))}`);
    states(before.state, after.state, "", out);
    if (this.#related) states(before.related, after.related, " of its field", out);
    if (before.connected && !after.connected) out.push("removed: the element itself is gone from the page");
    if (this.#focusMoved(after.active))
      out.push(
        !after.active || localName(after.active) === "body"
          ? "focus: none"
          : `focus: ${this.#session.describe(after.active)}`,
      );
    for (const region of this.#live) {
      const text = isConnected(region) ? textInside(region, 120) : "";
      if (text) out.push(`message: ${quote(text)}`);
    }
    if (after.connected && after.text !== before.text && !this.#texts.has(this.#target))
      out.push(`text: ${quote(after.text)}`);
    this.#shown(out, after.overlays);
    this.#textChanges(out);
    const moved = after.x !== before.x || after.y !== before.y;
    if (moved) out.push(`scrolled: page to ${after.x},${after.y}`);
    else if ([...this.#scrolled].some((e) => nodeType(e) !== 9)) out.push("scrolled: part of the page");
    if (!out.length && this.#nearby) out.push("look: classes or styles near the element changed");
    return out.length ? out.slice(0, CHANGES).map((text) => cut(text, CHANGE_CHARS * 2)) : ["nothing"];
  }

  /** @param {string[]} out @param {Set<Element>} overlays named already */
  #shown(out, overlays) {
    let left = TEXTS;
    for (const e of new Set([...this.#hidden, ...this.#uncovered])) {
      if (left <= 0) return;
      if (!isConnected(e) || !isRendered(e) || composedClosest(e, (x) => overlays.has(x))) continue;
      const text = textInside(e, 80);
      if (!text || out.some((entry) => entry.endsWith(quote(text)))) continue;
      left--;
      const role = roleOf(e);
      out.push(`shown: ${role === "generic" ? "" : `${role} `}${quote(text)}`);
    }
  }

  /** @param {string[]} out */
  #textChanges(out) {
    let left = TEXTS;
    const seen = new Set();
    for (const e of this.#texts.keys()) {
      if (left <= 0) return;
      if (
        !isConnected(e) ||
        !isRendered(e) ||
        this.#live.has(e) ||
        /^(body|html|form|main)$/.test(localName(e))
      )
        continue;
      const text = textInside(e, 80);
      if (!text || seen.has(text)) continue;
      seen.add(text);
      left--;
      out.push(`text: ${quote(text)}`);
    }
    const bulk = this.added.filter((e) => isConnected(e) && isRendered(e));
    if (left === TEXTS && bulk.length) {
      for (const e of bulk.slice(0, TEXTS)) {
        const text = textInside(e, 80);
        if (text) out.push(`added: ${quote(text)}`);
      }
    }
  }
}
