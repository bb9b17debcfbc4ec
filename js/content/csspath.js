/**
 * A CSS selector for an element, for answers whose reader has selectors only.
 */

import { attribute, isElement, localName, parentNode, previousSibling, queryAll } from "./dom.js";
import { SELECTOR_CHARS } from "./limits.js";

/** Steps of a selector that is built from positions. */
const STEPS = 12;
/** Siblings counted for one step. */
const SIBLINGS = 2_000;
/** A longer id or name is no help. */
const WORD_CHARS = 80;

/**
 * A selector that finds this element and no other in its own document or shadow root: by id, by name, else by position.
 * @param {Element} e
 * @returns {string} empty if none was found within reason
 */
export function selectorOf(e) {
  const root = /** @type {ParentNode & Node} */ (Node.prototype.getRootNode.call(e));
  /** @param {string} selector */
  const only = (selector) => {
    const hits = queryAll(root, selector);
    return hits.length === 1 && hits[0] === e;
  };
  const own = byWord(e);
  if (own && only(own)) return own;
  const parts = /** @type {string[]} */ ([]);
  for (let at = /** @type {Element | null} */ (e), i = 0; at && i < STEPS; i++) {
    parts.unshift(idOf(at) || position(at));
    const selector = parts.join(" > ");
    if (only(selector)) return selector.length <= SELECTOR_CHARS ? selector : "";
    const parent = parentNode(at);
    at = parent && isElement(parent) ? parent : null;
  }
  return "";
}

/** @param {Element} e @returns {string} */
function idOf(e) {
  const id = attribute(e, "id");
  return id && id.length <= WORD_CHARS ? `#${CSS.escape(id)}` : "";
}

/** @param {Element} e @returns {string} */
function byWord(e) {
  const name = attribute(e, "name");
  return (
    idOf(e) ||
    (name && name.length <= WORD_CHARS ? `${CSS.escape(localName(e))}[name="${CSS.escape(name)}"]` : "")
  );
}

/** @param {Element} e */
function position(e) {
  const tag = localName(e);
  let nth = 1;
  let left = SIBLINGS;
  for (let at = previousSibling(e); at && left-- > 0; at = previousSibling(at))
    if (isElement(at) && localName(at) === tag) nth++;
  return `${CSS.escape(tag)}:nth-of-type(${nth})`;
}
