/**
 * CSS selectors given by the model: parsed before use, searched through shadow roots and frames of the same origin.
 */

import { frameDocument, isElement, localName, query, queryAll, shadowRootOf } from "./dom.js";
import { SELECTOR_CHARS } from "./limits.js";
import { Refusal } from "./session.js";
import { isRendered } from "./sight.js";
import { line, quote } from "./text.js";

/** What other tools call selectors and browsers do not. */
const FOREIGN =
  /:(contains|has-text|text|text-is|text-matches|visible|eq|nth-match)\b|^(text|xpath|role|id|css)=|>>|^\/\//i;
/** Hosts and frames looked into, matches collected. */
const SCOPES = 2_000;
const MATCHES = 500;

/**
 * @param {unknown} given
 * @returns {string} a selector that the browser understands
 * @throws {Refusal} `bad_selector`
 */
export function validSelector(given) {
  const selector = typeof given === "string" ? given.trim() : "";
  if (!selector || selector.length > SELECTOR_CHARS)
    throw new Refusal(
      "bad_selector",
      `selector must be a CSS selector of at most ${SELECTOR_CHARS} characters.`,
    );
  const foreign = FOREIGN.exec(selector.replace(/"[^"]*"|'[^']*'/g, '""'));
  if (foreign)
    throw new Refusal(
      "bad_selector",
      `${quote(line(foreign[0], 40))} is no CSS: browsers do not know it. To find something by its text give text instead of selector, or use a ref_id of the accessibility tree.`,
    );
  try {
    query(Document.prototype.createDocumentFragment.call(document), selector);
  } catch {
    throw new Refusal(
      "bad_selector",
      `${quote(line(selector, 80))} does not parse as a CSS selector. Check brackets, quotes and escapes, or give text or a ref_id instead.`,
    );
  }
  return selector;
}

/**
 * All matches in document order, those in shadow roots and frames of the same origin after those of their document.
 * @param {string} selector one that parses
 * @param {Document | ShadowRoot} [scope]
 * @returns {Element[]}
 */
export function everyMatch(selector, scope = document) {
  /** @type {Element[]} */
  const found = [];
  /** @type {(Document | ShadowRoot)[]} */
  const scopes = [scope];
  for (let i = 0; i < scopes.length && i < SCOPES && found.length < MATCHES; i++) {
    const at = /** @type {Document | ShadowRoot} */ (scopes[i]);
    const hits = queryAll(at, selector);
    for (let n = 0; n < hits.length && found.length < MATCHES; n++)
      found.push(/** @type {Element} */ (hits[n]));
    const all = queryAll(at, "*");
    for (let n = 0; n < all.length; n++) {
      const e = /** @type {Element} */ (all[n]);
      const inner = shadowRootOf(e) ?? (/^i?frame$/.test(localName(e)) ? frameDocument(e) : null);
      if (inner) scopes.push(inner);
    }
  }
  return found.filter(isElement);
}

/**
 * The matches a user can see.
 * @param {string} selector one that parses
 * @returns {Element[]}
 */
export function matchesOf(selector) {
  return everyMatch(selector).filter(isRendered);
}
