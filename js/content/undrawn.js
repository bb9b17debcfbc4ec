/**
 * A document that is shown without boxes of its own: Firefox draws XML in a tree of the browser's, and what is in the
 * document itself is rendered nowhere. Its text is all there is to read.
 */

import { documentRoot, documentType, firstElementChild, queryAll, textContent } from "./dom.js";
import { textNode } from "./items.js";
import { NAME_CHARS, READ_TEXT_CHARS, UNDRAWN_LINES } from "./limits.js";
import { block, line } from "./text.js";

/** @typedef {import("./items.js").Item} Item */

const DRAWN = /^(text\/html|application\/xhtml\+xml|image\/svg\+xml)$/;

/** @returns {Element | null} the root of a document that only its text can be read of */
function undrawnRoot() {
  return DRAWN.test(documentType(document)) ? null : documentRoot(document);
}

/** @returns {string} */
export function undrawnText() {
  const root = undrawnRoot();
  return root ? block((textContent(root) ?? "").slice(0, READ_TEXT_CHARS)).trim() : "";
}

/** @returns {Item[]} one line of text for each innermost element */
export function undrawnItems() {
  const root = undrawnRoot();
  if (!root) return [];
  /** @type {Item[]} */
  const items = [];
  const all = queryAll(root, "*");
  for (let i = -1; i < all.length && items.length < UNDRAWN_LINES; i++) {
    const e = i < 0 ? root : /** @type {Element} */ (all[i]);
    const text = firstElementChild(/** @type {Element} */ (e)) ? "" : line(textContent(e), NAME_CHARS);
    if (text) items.push(textNode(/** @type {Element} */ (e), text, false));
  }
  return items;
}
