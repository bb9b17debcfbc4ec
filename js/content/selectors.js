/**
 * CSS selectors given by the model: parsed before use, searched through shadow roots and frames of the same origin.
 */

import { deepQuery, scopesOf } from "./deep.js";
import { query, queryAll } from "./dom.js";
import { SELECTOR_CHARS } from "./limits.js";
import { Refusal } from "./session.js";
import { isRendered } from "./sight.js";
import { line, quote } from "./text.js";

/** @typedef {import("./deep.js").Scope} Scope */

/** What other tools call selectors and browsers do not. */
const FOREIGN =
  /:(contains|has-text|text|text-is|text-matches|visible|eq|nth-match)\b|^(text|xpath|role|id|css)=|>>|^\/\//i;
/** Matches collected. */
const MATCHES = 500;
/** Matches of one scope that are asked whether they are shown, where the first is enough. */
const SHOWN = 2_000;

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
 * All matches, scope by scope: those in shadow roots and frames of the same origin after those of their document.
 * @param {string} selector one that parses
 * @returns {Element[]}
 */
export function everyMatch(selector) {
  return deepQuery(selector, MATCHES).found;
}

/**
 * The matches a user can see.
 * @param {string} selector one that parses
 * @returns {Element[]}
 */
export function matchesOf(selector) {
  return deepQuery(selector, MATCHES, isRendered).found;
}

/**
 * The first match a user can see.
 * @param {string} selector one that parses
 * @param {Scope[]} [scopes] where to look, the whole page otherwise
 * @returns {Element | null}
 */
export function firstMatch(selector, scopes = scopesOf().scopes) {
  for (const { root } of scopes) {
    const all = queryAll(root, selector);
    for (let i = 0; i < all.length && i < SHOWN; i++)
      if (isRendered(/** @type {Element} */ (all[i]))) return /** @type {Element} */ (all[i]);
  }
  return null;
}
