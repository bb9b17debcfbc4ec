/**
 * `find_text`: the next place where words stand on the page; it is selected and brought into view.
 *
 * The page's text is gathered once with folded white space, so that words are found across formatting (`<b>`) and line
 * breaks of the source; blocks are kept apart, so that nothing is found across two paragraphs.
 */

import {
  characterData,
  composedParent,
  documentOf,
  firstChild,
  frameDocument,
  isConnected,
  localName,
  makeRange,
  nextSibling,
  nodeType,
  pageRoot,
  rectOf,
  selectionOf,
  shadowRootOf,
} from "./dom.js";
import {
  DOM_DEPTH,
  FIND_AROUND,
  FIND_CHARS,
  FIND_MATCHES,
  READ_NODES,
  READ_TEXT_CHARS,
  TREE_FRAMES,
} from "./limits.js";
import { INLINE, SKIPPED } from "./names.js";
import { Refusal } from "./session.js";
import { hasBox, hasContentsBox, isShown } from "./sight.js";
import { line } from "./text.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./session.js").Args} Args */
/** @typedef {import("./session.js").Answer} Answer */
/** @typedef {{ node: Text, start: number, length: number }} Piece */

const DEPTH = DOM_DEPTH;
/** A paragraph mark: no text that is searched for has one. */
const BREAK = "\n";

/** Where the last search ended; the next one goes on from there. @type {{ node: WeakRef<Text>, offset: number } | null} */
let last = null;

class Gatherer {
  /** @type {Piece[]} */
  pieces = [];
  cut = false;
  /** Kept in parts and joined once: asking a growing text for its end again and again would copy it each time. */
  #parts = /** @type {string[]} */ ([]);
  #length = 0;
  #end = "";
  #nodes = 0;
  #frames = 0;

  /** @returns {string} all text so far */
  text() {
    if (this.#parts.length > 1) this.#parts = [this.#parts.join("")];
    return this.#parts[0] ?? "";
  }

  /** @param {Element} e @param {number} depth */
  element(e, depth) {
    if (this.cut) return;
    if (++this.#nodes > READ_NODES || depth > DEPTH || this.#length > READ_TEXT_CHARS) {
      this.cut = true;
      return;
    }
    const tag = localName(e);
    if (SKIPPED.has(tag) || /^(input|textarea|select|audio|video|object)$/.test(tag)) return;
    if (tag === "br") return this.#break();
    const shown = tag === "slot" || isShown(e) || hasContentsBox(e);
    if (!shown && !hasBox(e)) return;
    if (/^i?frame$/.test(tag)) return this.#frame(e, depth);
    const inline = INLINE.has(tag);
    if (!inline) this.#break();
    const assigned = tag === "slot" ? /** @type {HTMLSlotElement} */ (e).assignedNodes() : [];
    if (assigned.length) for (const child of assigned) this.#child(child, shown, depth);
    else
      for (let child = firstChild(shadowRootOf(e) ?? e); child; child = nextSibling(child))
        this.#child(child, shown, depth);
    if (!inline) this.#break();
  }

  /** @param {Node} child @param {boolean} shown @param {number} depth */
  #child(child, shown, depth) {
    const type = nodeType(child);
    if (type === 1) this.element(/** @type {Element} */ (child), depth + 1);
    else if ((type === 3 || type === 4) && shown) this.#write(/** @type {Text} */ (child));
  }

  /** @param {Text} node */
  #write(node) {
    const text = characterData(node).slice(0, READ_TEXT_CHARS).replace(/\s+/g, " ");
    const joined =
      this.#end === "" || this.#end === " " || this.#end === BREAK ? text.replace(/^ /, "") : text;
    if (!joined) return;
    this.pieces.push({ node, start: this.#length, length: joined.length });
    this.#put(joined);
  }

  /** @param {string} text */
  #put(text) {
    this.#parts.push(text);
    this.#length += text.length;
    this.#end = text.charAt(text.length - 1);
  }

  /** @param {Element} frame @param {number} depth */
  #frame(frame, depth) {
    const doc = frameDocument(frame);
    const root = doc && pageRoot(doc);
    if (!root || this.#frames++ >= TREE_FRAMES) return;
    this.#break();
    this.element(root, depth + 1);
    this.#break();
  }

  #break() {
    if (this.#end && this.#end !== BREAK) this.#put(BREAK);
  }

  /**
   * The place in the document of a place in the text.
   * @param {number} at
   * @param {boolean} end the place behind a character rather than before one
   * @returns {{ node: Text, offset: number } | null}
   */
  place(at, end) {
    let low = 0;
    let high = this.pieces.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      const start = /** @type {Piece} */ (this.pieces[middle]).start;
      if (end ? start < at : start <= at) low = middle;
      else high = middle - 1;
    }
    const piece = this.pieces[low];
    if (!piece) return null;
    return { node: piece.node, offset: rawOffset(piece, at - piece.start) };
  }

  /** @param {Text} node @param {number} offset @returns {number | null} the place in the text of one in the document */
  index(node, offset) {
    const piece = this.pieces.find((p) => p.node === node);
    if (!piece) return null;
    let low = 0;
    let high = piece.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (rawOffset(piece, middle) < offset) low = middle + 1;
      else high = middle;
    }
    return piece.start + low;
  }
}

/**
 * Offset in the raw text of an offset in the folded one.
 * @param {Piece} piece
 * @param {number} folded
 */
function rawOffset({ node, length }, folded) {
  const raw = characterData(node);
  const whole = raw.replace(/\s+/g, " ").length;
  // A blank at the beginning was dropped if the text before ended with one.
  let skip = whole > length ? 1 : 0;
  let left = folded;
  let at = 0;
  while (at < raw.length) {
    const blank = /\s/.test(raw.charAt(at));
    let run = 1;
    if (blank) while (at + run < raw.length && /\s/.test(raw.charAt(at + run))) run++;
    if (skip && blank) skip = 0;
    else if (left === 0) return at;
    else left--;
    at += run;
    if (skip && !blank) skip = 0;
  }
  return raw.length;
}

/**
 * Lower case without a change of length, so that places stay places.
 * @param {string} text
 */
function lower(text) {
  const simple = text.toLowerCase();
  if (simple.length === text.length) return simple;
  return Array.from(text, (c) => (c.toLowerCase().length === c.length ? c.toLowerCase() : c)).join("");
}

/**
 * @param {Session} session
 * @param {Args} args `text`, `matchCase`, `backwards`, `wrap` (true unless false)
 * @returns {Answer}
 * @throws {Refusal} `bad_text`
 */
export function findText(session, args) {
  const wanted = typeof args.text === "string" ? args.text.replace(/\s+/g, " ").trim() : "";
  if (!wanted || wanted.length > FIND_CHARS)
    throw new Refusal("bad_text", `text must have 1 to ${FIND_CHARS} characters.`);
  const root = pageRoot(document);
  const page = new Gatherer();
  if (root) page.element(root, 0);
  const fold = args.matchCase === true ? (/** @type {string} */ t) => t : lower;
  const starts = occurrences(fold(page.text()), fold(wanted));
  if (!starts.length)
    return {
      success: true,
      found: false,
      matches: 0,
      note: page.cut ? "The page was too large to be searched to its end." : null,
    };
  const from = startingPoint(page);
  const backwards = args.backwards === true;
  const next = backwards
    ? starts.findLast((s) => from !== null && s + wanted.length < from.end)
    : starts.find((s) => from === null || s >= from.end);
  const chosen = next ?? (args.wrap === false && from !== null ? undefined : starts.at(backwards ? -1 : 0));
  if (chosen === undefined)
    return {
      success: true,
      found: false,
      matches: starts.length,
      note: `No further match in this direction; ${starts.length} on the page.`,
    };
  return {
    success: true,
    found: true,
    matches: starts.length,
    index: starts.indexOf(chosen) + 1,
    wrapped: next === undefined && from !== null,
    ...show(session, page, chosen, wanted.length),
  };
}

/** @param {string} text @param {string} wanted @returns {number[]} */
function occurrences(text, wanted) {
  const starts = [];
  for (
    let at = text.indexOf(wanted);
    at >= 0 && starts.length < FIND_MATCHES;
    at = text.indexOf(wanted, at + wanted.length)
  )
    starts.push(at);
  return starts;
}

/** @param {Gatherer} page @returns {{ end: number } | null} behind the match found last */
function startingPoint(page) {
  const node = last?.node.deref();
  if (!last || !node || !isConnected(node)) return null;
  const end = page.index(node, last.offset);
  return end === null ? null : { end };
}

/**
 * @param {Session} session
 * @param {Gatherer} page
 * @param {number} at
 * @param {number} length
 */
function show(session, page, at, length) {
  const start = page.place(at, false);
  const end = page.place(at + length, true);
  if (!start || !end) return {};
  last = { node: new WeakRef(end.node), offset: end.offset };
  const doc = documentOf(start.node);
  const range = makeRange(doc);
  range.setStart(start.node, start.offset);
  if (documentOf(end.node) === doc) range.setEnd(end.node, end.offset);
  const holder = composedParent(start.node);
  if (holder) Element.prototype.scrollIntoView.call(holder, { block: "center", inline: "nearest" });
  const selection = selectionOf(doc);
  selection?.removeAllRanges();
  selection?.addRange(range);
  const box = range.getBoundingClientRect();
  const rect = box.width || !holder ? box : rectOf(holder);
  const all = page.text();
  const around = all.slice(Math.max(0, at - FIND_AROUND), at + length + FIND_AROUND);
  return {
    text: line(all.slice(at, at + length), FIND_CHARS),
    context: line(around.replaceAll(BREAK, " | "), FIND_CHARS + 2 * FIND_AROUND + 20),
    element: holder ? session.describe(holder) : null,
    ref_id: holder ? session.refs.of(holder) : null,
    selected: selection ? line(String(selection), FIND_CHARS) !== "" : false,
    rect: {
      x: Math.round(rect.x),
      y: Math.round(rect.y),
      width: Math.round(rect.width),
      height: Math.round(rect.height),
    },
  };
}
