/**
 * The whole page as a list of scopes: its document, the shadow roots in it, the same-origin frames in those.
 *
 * A selector means something inside one scope only, so whatever searches a page by selector searches scope by scope.
 */

import { frameDocument, localName, pageRoot, queryAll, shadowRootOf } from "./dom.js";
import { SCOPE_ELEMENTS, SCOPES } from "./limits.js";

/**
 * @typedef {object} Scope
 * @property {Document | ShadowRoot | Element} root what to search in
 * @property {Element | null} host the shadow host or frame it hangs on
 * @property {Scope | null} outer
 */

/**
 * The scopes at and below a root, outermost first, in document order; bounded in number and in elements looked at.
 * @param {Document | ShadowRoot | Element} [root]
 * @param {{ frames?: boolean }} [options] `frames: false` stays in this document
 * @returns {{ scopes: Scope[], cut: boolean }}
 */
export function scopesOf(root = document, { frames = true } = {}) {
  /** @type {Scope[]} */
  const scopes = [{ root, host: null, outer: null }];
  let left = SCOPE_ELEMENTS;
  for (let at = 0; at < scopes.length; at++) {
    const outer = /** @type {Scope} */ (scopes[at]);
    const all = queryAll(outer.root, "*");
    for (let i = 0; i < all.length; i++) {
      if (left-- <= 0 || scopes.length >= SCOPES) return { scopes, cut: true };
      const e = /** @type {Element} */ (all[i]);
      const inner = innerScope(e, frames);
      if (inner) scopes.push({ root: inner, host: e, outer });
    }
  }
  return { scopes, cut: false };
}

/** @param {Element} e @param {boolean} frames @returns {ShadowRoot | Document | null} */
function innerScope(e, frames) {
  const shadow = shadowRootOf(e);
  if (shadow || !frames) return shadow;
  if (!/^i?frame$/.test(localName(e))) return null;
  const doc = frameDocument(e);
  return doc && pageRoot(doc) ? doc : null;
}

/**
 * All matches of a selector on the page, scope by scope.
 * @param {string} selector a valid one
 * @param {number} cap
 * @param {(e: Element) => boolean} [test] which of them count
 * @param {Scope[]} [scopes]
 * @returns {{ found: Element[], total: number }} `total` counts those beyond the cap too
 */
export function deepQuery(selector, cap, test = () => true, scopes = scopesOf().scopes) {
  /** @type {Element[]} */
  const found = [];
  let total = 0;
  for (const { root } of scopes) {
    const all = queryAll(root, selector);
    for (let i = 0; i < all.length && i < SCOPE_ELEMENTS; i++) {
      const e = /** @type {Element} */ (all[i]);
      if (!test(e)) continue;
      total++;
      if (found.length < cap) found.push(e);
    }
  }
  return { found, total };
}
