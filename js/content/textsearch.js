/**
 * Which element a text means: what a user who is told "click Save" would press.
 *
 * One pass collects the visible text of every element from the bottom up, through shadow roots, slots and frames of the
 * same origin. Among the elements that carry the text, controls come before text that merely lies in something
 * clickable, and that before plain text; of nested ones the innermost counts. What is left is never chosen among.
 */

import {
  attribute,
  characterData,
  composedClosest,
  composedParent,
  firstChild,
  frameDocument,
  hasAttributes,
  isElement,
  isHTML,
  localName,
  nextSibling,
  nodeType,
  pageRoot,
  rectOf,
  shadowRootOf,
  viewOf,
} from "./dom.js";
import { SEARCH_CHARS } from "./handlimits.js";
import { TREE_MS, TREE_NODES } from "./limits.js";
import { INLINE, labelText, nameOf, SKIPPED } from "./names.js";
import { inputType, isDisabled, isInteractive, roleOf } from "./roles.js";
import { hasBox, hasContentsBox, inertReason, isGhost, isRendered } from "./sight.js";
import { folded } from "./text.js";

/** @typedef {"exact" | "prefix" | "contains"} Match */

/**
 * @typedef {object} Hit
 * @property {Element} e what is meant
 * @property {Element} text the innermost element with the text, where the press goes
 */

/** @typedef {{ e: Element, texts: string[] }} Entry */

const ATTRIBUTES = ["aria-label", "aria-labelledby", "title", "alt", "placeholder"];
/** Names shorter than this are not cut in any list, so an ellipsis belongs to them. */
const CUT_CHARS = 40;
/** How far the search goes down. */
const DEPTH = 400;
/** Containers asked whether they have a pointer cursor of their own. */
const BEARER_STEPS = 8;

/** @type {Readonly<Record<Match, (text: string, wanted: string) => boolean>>} */
const TESTS = Object.freeze({
  exact: (text, wanted) => text === wanted,
  prefix: (text, wanted) => text.startsWith(wanted),
  contains: (text, wanted) => text.includes(wanted),
});

/** @type {readonly Match[]} */
export const MATCHES = ["exact", "prefix", "contains"];

/**
 * @param {string} text
 * @param {Element[]} scopes where to look: the page, or what is open over it
 * @param {readonly Match[]} [levels] tried in this order; the first with a hit counts
 * @returns {{ hits: Hit[], match: Match | null }}
 */
export function findText(text, scopes, levels = MATCHES) {
  // A name that was cut in a list means what begins so.
  const wasCut = /\S(…|\.\.\.)\s*$/u.test(text) && text.length > CUT_CHARS;
  const wanted = plain(wasCut ? text.replace(/(…|\.\.\.)\s*$/u, "") : text);
  if (!wanted) return { hits: [], match: null };
  const entries = collect(scopes, wanted.length);
  for (const match of levels) {
    const test = TESTS[wasCut && match === "exact" ? "prefix" : match];
    const found = entries.filter((entry) => entry.texts.some((t) => test(t, wanted)));
    const hits = settle(found, match, text);
    if (hits.length) return { hits, match };
  }
  return { hits: [], match: null };
}

/** @param {string} text @returns {string} folded, with the quotes and dashes a keyboard has */
function plain(text) {
  return folded(text)
    .replace(/[‘’‛′]/g, "'")
    .replace(/[“”„″]/g, '"')
    .replace(/[‐‑‒–—−]/g, "-");
}

/**
 * Texts of the page that share words with what was not found, for an error that helps.
 * @param {string} text
 * @param {Element[]} scopes
 * @param {number} count
 * @returns {string[]}
 */
export function similarTexts(text, scopes, count) {
  const words = plain(text)
    .split(" ")
    .filter((word) => word.length > 2);
  if (!words.length) return [];
  /** @type {Map<string, number>} */
  const scores = new Map();
  for (const { e, texts } of collect(scopes, 80)) {
    if (!isInteractive(e, roleOf(e))) continue;
    for (const t of texts) {
      const score = words.filter((word) => t.includes(word)).length;
      if (score && t.length <= 80) scores.set(t, score);
    }
  }
  return [...scores]
    .sort((a, b) => b[1] - a[1] || a[0].length - b[0].length)
    .slice(0, count)
    .map(([t]) => t);
}

/**
 * @param {Element[]} scopes
 * @param {number} length of the text that is looked for: longer texts are only kept as far as `contains` needs
 * @returns {Entry[]} innermost first
 */
function collect(scopes, length) {
  /** @type {Entry[]} */
  const entries = [];
  const cap = Math.max(SEARCH_CHARS, length + 100);
  let left = TREE_NODES;
  const until = performance.now() + TREE_MS;
  /** @param {Node} node @param {number} depth @returns {string} */
  const visit = (node, depth) => {
    if (nodeType(node) === 3) return characterData(/** @type {Text} */ (node)).slice(0, cap * 2);
    if (!isElement(node)) return "";
    const tag = localName(node);
    if (SKIPPED.has(tag) || depth > DEPTH || left-- <= 0) return "";
    if (left % 500 === 0 && performance.now() > until) left = 0;
    if (tag === "option" || tag === "optgroup") return "";
    if (!hasBox(node) && !hasContentsBox(node)) {
      // A control that its label draws is reached by its label's text.
      return "";
    }
    if (tag === "iframe" || tag === "frame") {
      const doc = frameDocument(node);
      const root = doc && pageRoot(doc);
      if (root) visit(root, depth + 1);
      return "";
    }
    let text = tag === "textarea" ? "" : inside(node, tag, depth);
    if (text.length > cap) text = text.slice(0, cap);
    const texts = new Set();
    const own = plain(text);
    if (own) texts.add(own);
    for (const t of named(node, tag)) if (t) texts.add(t);
    if (texts.size && isRendered(node)) entries.push({ e: node, texts: [...texts] });
    return INLINE.has(tag) ? text : ` ${text} `;
  };
  /** @param {Element} e @param {string} tag @param {number} depth */
  const inside = (e, tag, depth) => {
    let text = "";
    const assigned = tag === "slot" ? /** @type {HTMLSlotElement} */ (e).assignedNodes() : [];
    /** @param {Node} child */
    const add = (child) => {
      const part = visit(child, depth + 1);
      // Everything is visited; only the text kept is bounded.
      if (text.length <= cap) text += part;
    };
    if (assigned.length) assigned.forEach(add);
    else for (let child = firstChild(shadowRootOf(e) ?? e); child; child = nextSibling(child)) add(child);
    return text;
  };
  for (const scope of scopes) visit(scope, 0);
  return entries;
}

/** @param {Element} e @param {string} tag @returns {string[]} folded names that are not text inside */
function named(e, tag) {
  const control = isHTML(e) && /^(input|select|textarea|button)$/.test(tag);
  if (!control && !(hasAttributes(e) && ATTRIBUTES.some((name) => attribute(e, name)))) return [];
  const names = ["aria-label", "title", "placeholder"].map((name) => attribute(e, name) ?? "");
  // The name of a drop-down is what is chosen in it; that is no name to call it by here.
  if (tag !== "select") names.push(nameOf(e, roleOf(e), () => ""));
  if (control) names.push(labelText(e));
  if (/^(submit|button|reset)$/.test(inputType(e))) names.push(/** @type {HTMLInputElement} */ (e).value);
  return names.map((name) => plain(name.slice(0, SEARCH_CHARS)));
}

/**
 * @param {Entry[]} found
 * @param {Match} match
 * @param {string} given
 * @returns {Hit[]}
 */
function settle(found, match, given) {
  const all = new Set(found.map((entry) => entry.e));
  const outer = containers(all);
  /** @type {Map<Element, Hit & { rank: number }>} */
  const hits = new Map();
  for (const { e: text } of found) {
    if (outer.has(text)) continue;
    const e = meant(text, all);
    if (!hits.has(e)) hits.set(e, { e, text, rank: rank(e, match) });
  }
  let left = [...hits.values()].filter((hit) => !isGhost(hit.e));
  const best = Math.min(...left.map((hit) => hit.rank));
  left = left.filter((hit) => hit.rank === best);
  const modals = new Map();
  const usable = left.filter((hit) => !isDisabled(hit.e) && !inertReason(hit.e, modals));
  if (usable.length) left = usable;
  // A second copy of a menu is often kept beside the page or folded to nothing.
  if (left.length > 1) {
    const onPage = left.filter((hit) => isOnPage(hit.text));
    if (onPage.length) left = onPage;
  }
  // Names differ only in case: the one written as it was asked for.
  if (left.length > 1) {
    const same = left.filter((hit) => verbatim(hit.text) === given.trim());
    if (same.length === 1) left = same;
  }
  return left.map(({ e, text }) => ({ e, text }));
}

/** @param {Element} e @returns {boolean} scrolling can bring some of it to sight */
function isOnPage(e) {
  const view = viewOf(e);
  const rect = rectOf(e);
  let { left, right, top, bottom } = rect;
  if (right - left < 1 || bottom - top < 1) return false;
  if (right + view.scrollX <= 0 || bottom + view.scrollY <= 0) return false;
  for (let at = composedParent(e); at && !/^(body|html)$/.test(localName(at)); at = composedParent(at)) {
    const style = view.getComputedStyle(at);
    if (style.position === "fixed") break;
    const [clipsX, clipsY] = [style.overflowX, style.overflowY].map((o) => o === "hidden" || o === "clip");
    if (!clipsX && !clipsY) continue;
    const outer = rectOf(at);
    if (clipsX) [left, right] = [Math.max(left, outer.left), Math.min(right, outer.right)];
    if (clipsY) [top, bottom] = [Math.max(top, outer.top), Math.min(bottom, outer.bottom)];
    if (right - left < 1 || bottom - top < 1) return false;
  }
  return true;
}

/** @param {Element} e */
function verbatim(e) {
  return (e.textContent ?? "").slice(0, 2_000).replace(/\s+/g, " ").trim();
}

/** @param {Set<Element>} all @returns {Set<Element>} everything that has one of them in it */
function containers(all) {
  /** @type {Set<Element>} */
  const outer = new Set();
  for (const e of all)
    for (let at = composedParent(e); at && !outer.has(at); at = composedParent(at)) outer.add(at);
  return outer;
}

/**
 * The control that the innermost text belongs to, as long as that carries the same text.
 * @param {Element} text
 * @param {Set<Element>} all
 * @returns {Element}
 */
function meant(text, all) {
  const label = composedClosest(text, (x) => localName(x) === "label" && isHTML(x));
  const control = label && /** @type {HTMLLabelElement} */ (label).control;
  if (control && !isInteractive(text, roleOf(text))) return control;
  if (isInteractive(text, roleOf(text))) return text;
  const bearer = composedClosest(text, (x) => all.has(x) && isInteractive(x, roleOf(x)));
  return bearer ?? text;
}

/**
 * 0 a control, 1 text in something that can be clicked, 2 plain text.
 * @param {Element} e
 * @param {Match} match
 */
function rank(e, match) {
  if (isInteractive(e, roleOf(e)) || localName(e) === "label") return 0;
  if (viewOf(e).getComputedStyle(e).cursor === "pointer") return match === "exact" ? 0 : 1;
  let steps = BEARER_STEPS;
  return composedClosest(e, (x) => steps-- > 0 && isInteractive(x, roleOf(x))) && steps > 0 ? 1 : 2;
}
