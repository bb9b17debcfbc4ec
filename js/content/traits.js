/**
 * Which attributes an element has, as one number.
 *
 * A walk asks some twenty attributes of each element, and most elements have none of them. One list of names per element
 * costs far less than twenty questions, so the walk takes the list once and asks only for what is there.
 */

import { hasAttributes } from "./dom.js";

const names = Element.prototype.getAttributeNames;
/** An element with more attributes than this is asked in the ordinary way. */
const MANY = 200;

/** Any attribute at all. */
export const ANY = 1;
export const ROLE = 1 << 1;
export const LABEL = 1 << 2;
export const LABELLED_BY = 1 << 3;
export const PLACEHOLDER = 1 << 4;
export const TITLE = 1 << 5;
export const ALT = 1 << 6;
export const ARIA_HIDDEN = 1 << 7;
export const MODAL = 1 << 8;
export const EXPANDED = 1 << 9;
/** `aria-checked`, `aria-selected`, `aria-pressed`. */
export const STATE = 1 << 10;
export const TABINDEX = 1 << 11;
/** Handlers of presses in the markup. */
export const HANDLER = 1 << 12;
export const INERT = 1 << 13;
export const EDITABLE = 1 << 14;
export const POPOVER = 1 << 15;
/** `aria-valuenow`. */
export const VALUE_NOW = 1 << 16;
/** `data-date`, `datetime`. */
export const DATE = 1 << 17;
/** `aria-invalid`, `aria-disabled`. */
export const FAULT = 1 << 18;
export const CLASS = 1 << 19;
export const ID = 1 << 20;
/** All of them: what is assumed of an element nobody has looked at. */
export const ALL = (1 << 21) - 1;

/** @type {ReadonlyMap<string, number>} */
const BITS = new Map([
  ["role", ROLE],
  ["aria-label", LABEL],
  ["aria-labelledby", LABELLED_BY],
  ["placeholder", PLACEHOLDER],
  ["title", TITLE],
  ["alt", ALT],
  ["aria-hidden", ARIA_HIDDEN],
  ["aria-modal", MODAL],
  ["aria-expanded", EXPANDED],
  ["aria-checked", STATE],
  ["aria-selected", STATE],
  ["aria-pressed", STATE],
  ["tabindex", TABINDEX],
  ["onclick", HANDLER],
  ["onmousedown", HANDLER],
  ["ondblclick", HANDLER],
  ["inert", INERT],
  ["contenteditable", EDITABLE],
  ["popover", POPOVER],
  ["aria-valuenow", VALUE_NOW],
  ["data-date", DATE],
  ["datetime", DATE],
  ["aria-invalid", FAULT],
  ["aria-disabled", FAULT],
  ["class", CLASS],
  ["id", ID],
]);

/**
 * @param {Element} e
 * @returns {number} 0 for an element without attributes
 */
export function traitsOf(e) {
  if (!hasAttributes(e)) return 0;
  const all = names.call(e);
  if (all.length > MANY) return ALL;
  let traits = ANY;
  for (let i = 0; i < all.length; i++) traits |= BITS.get(/** @type {string} */ (all[i])) ?? 0;
  return traits;
}
