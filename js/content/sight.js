/**
 * What can be seen and reached: rendering, viewport, what lies on top, what is switched off.
 */

import { deepQuery, scopesOf } from "./deep.js";
import {
  attribute,
  composedClosest,
  composedContains,
  composedParent,
  deepElementFromPoint,
  documentOf,
  documentURL,
  frameDocument,
  frameOf,
  hasAttribute,
  isHTML,
  localName,
  matches,
  pageRoot,
  queryAll,
  rectOf,
  rectsOf,
  viewOf,
} from "./dom.js";
import { isTypeable, OVERLAY_ROLES } from "./roles.js";
import { ALL, EXPANDED, MODAL, POPOVER } from "./traits.js";

/** Dialogs opened over the rest of their document, and how many of them are looked at. */
const MODALS = "dialog:modal";
const MODALS_MAX = 20;
const SEEN = { visibilityProperty: true };
/** Wrappers without a box that are climbed through. */
const CONTENTS_STEPS = 20;
const OPAQUE = { opacityProperty: true };
/** How much larger than a field its wrapper may be for what lies between them to count as the field's decoration. */
const DECORATION_RATIO = 3;

/**
 * Has a box of its own and is not `visibility: hidden`.
 * @param {Element} e
 * @returns {boolean}
 */
export function isShown(e) {
  return Element.prototype.checkVisibility.call(e, SEEN);
}

/**
 * Shown, or without a box of its own in something that is shown (`display: contents`).
 * @param {Element} e
 * @returns {boolean}
 */
export function isRendered(e) {
  let at = /** @type {Element | null} */ (e);
  for (let i = 0; at && i < CONTENTS_STEPS; i++) {
    if (isShown(at)) return true;
    if (!hasContentsBox(at)) return false;
    at = composedParent(at);
  }
  // So many wrappers without a box are made by nobody who hides something with them.
  return at !== null;
}

/**
 * Has a box, visible or not; false means that nothing inside can be seen either (but see `hasContentsBox`).
 * @param {Element} e
 * @returns {boolean}
 */
export function hasBox(e) {
  return Element.prototype.checkVisibility.call(e);
}

/**
 * `display: contents`: no box of its own, but its children are shown.
 * @param {Element} e
 * @returns {boolean}
 */
export function hasContentsBox(e) {
  return viewOf(e).getComputedStyle(e).display === "contents";
}

/**
 * @param {DOMRect} rect
 * @param {Window} view
 * @returns {boolean}
 */
export function touchesViewport(rect, view) {
  return rect.bottom > 0 && rect.right > 0 && rect.top < view.innerHeight && rect.left < view.innerWidth;
}

/**
 * The open dialog that makes the rest of its document inert, wherever in the document it stands.
 * @param {Document} doc
 * @returns {Element | null}
 */
export function modalDialog(doc) {
  const open = deepQuery(MODALS, MODALS_MAX, undefined, scopesOf(doc, { frames: false }).scopes).found;
  // Of several the browser lets only the one in front be met by a pointer.
  const front = open.length > 1 ? open.find(isMet) : null;
  return front ?? open.at(-1) ?? null;
}

/**
 * The same without a look into shadow roots, for readings that come by there themselves.
 * @param {Document} doc
 * @returns {Element | null}
 */
export function plainModalDialog(doc) {
  const open = queryAll(doc, MODALS);
  return open.length === 1 ? /** @type {Element} */ (open[0]) : open.length ? modalDialog(doc) : null;
}

/** @param {Element} e @returns {boolean} */
export function isModalDialog(e) {
  return isHTML(e) && matches(e, MODALS);
}

/** @param {Element} dialog @returns {boolean} a press on its middle meets it */
function isMet(dialog) {
  const rect = rectOf(dialog);
  const [x, y] = [rect.left + rect.width / 2, rect.top + rect.height / 2];
  return composedContains(dialog, deepElementFromPoint(documentOf(dialog), x, y));
}

/**
 * Why an element takes no input, `null` if it does.
 * @param {Element} e
 * @param {Map<Document, Element | null>} [modals] dialogs already looked for, where many elements are asked about
 * @returns {string | null}
 */
export function inertReason(e, modals = new Map()) {
  const inert = composedClosest(e, (x) => isHTML(x) && hasAttribute(x, "inert"));
  if (inert) return "it is in a part of the page that is switched off (inert)";
  const doc = documentOf(e);
  if (!modals.has(doc)) modals.set(doc, modalDialog(doc));
  const modal = modals.get(doc);
  if (modal && !composedContains(modal, e)) return "a modal dialog is open over the page";
  return null;
}

/**
 * Whether a press on `hit` reaches `target` as far as the user is concerned.
 * @param {Element} target
 * @param {Element} hit
 * @returns {boolean}
 */
export function reaches(target, hit) {
  if (composedContains(target, hit)) return true;
  const label = composedClosest(hit, (x) => localName(x) === "label" && isHTML(x));
  if (label && /** @type {HTMLLabelElement} */ (label).control === target) return true;
  return isDecoration(target, hit);
}

/**
 * Text fields are often covered by parts of their own widget (a drawn value, an icon); those forward the press.
 * @param {Element} target
 * @param {Element} hit
 * @returns {boolean}
 */
function isDecoration(target, hit) {
  if (!isTypeable(target) && localName(target) !== "select") return false;
  let wrapper = composedParent(target);
  for (let i = 0; wrapper && i < 3; i++, wrapper = composedParent(wrapper)) {
    if (!composedContains(wrapper, hit)) continue;
    const outer = rectOf(wrapper);
    const inner = rectOf(target);
    return (
      outer.width * outer.height <= DECORATION_RATIO * Math.max(inner.width, 40) * Math.max(inner.height, 24)
    );
  }
  return false;
}

/** @typedef {{ x: number, y: number }} Point */

/**
 * Points worth trying on an element, best first, inside the viewport of its document.
 * @param {Element} e
 * @returns {Point[]}
 */
export function pressPoints(e) {
  const view = viewOf(e);
  /** @type {Point[]} */
  const points = [];
  const rects = rectsOf(e);
  for (let i = 0; i < rects.length && i < 4; i++) {
    const r = /** @type {DOMRect} */ (rects[i]);
    const left = Math.max(r.left, 0);
    const right = Math.min(r.right, view.innerWidth);
    const top = Math.max(r.top, 0);
    const bottom = Math.min(r.bottom, view.innerHeight);
    if (right - left < 1 || bottom - top < 1) continue;
    for (const [fx, fy] of FRACTIONS)
      points.push({
        x: inside(left, right, /** @type {number} */ (fx)),
        y: inside(top, bottom, /** @type {number} */ (fy)),
      });
  }
  return points;
}

/**
 * Whole pixels where there is room, as real pointers have them.
 * @param {number} from
 * @param {number} to
 * @param {number} fraction
 * @returns {number}
 */
function inside(from, to, fraction) {
  const exact = from + (to - from) * fraction;
  const whole = Math.round(exact);
  return whole > from && whole < to ? whole : exact;
}

const FRACTIONS = [
  [0.5, 0.5],
  [0.2, 0.5],
  [0.8, 0.5],
  [0.5, 0.2],
  [0.5, 0.8],
];

/**
 * What lies at a point, frames around the document included: a frame can itself be covered.
 * @param {Element} e an element of the document the point belongs to
 * @param {Point} point
 * @returns {Element | null}
 */
export function topmostAt(e, point) {
  const doc = documentOf(e);
  const hit = deepElementFromPoint(doc, point.x, point.y);
  const frame = frameOf(doc);
  if (!frame) return hit;
  const above = topmostAt(frame, outOfFrame(frame, point));
  return above && above !== frame ? above : hit;
}

/** @param {Element} frame @returns {{ left: number, top: number, x: number, y: number }} its place and how it is scaled */
function frameBox(frame) {
  const rect = rectOf(frame);
  const { offsetWidth, offsetHeight } = /** @type {HTMLElement} */ (frame);
  return {
    left: rect.left,
    top: rect.top,
    x: offsetWidth ? rect.width / offsetWidth : 1,
    y: offsetHeight ? rect.height / offsetHeight : 1,
  };
}

/**
 * A point of a frame's viewport as one of the viewport the frame lies in.
 * @param {Element} frame
 * @param {Point} point
 * @returns {Point}
 */
export function outOfFrame(frame, point) {
  const box = frameBox(frame);
  return {
    x: box.left + (frame.clientLeft + point.x) * box.x,
    y: box.top + (frame.clientTop + point.y) * box.y,
  };
}

/**
 * The other way round.
 * @param {Element} frame
 * @param {Point} point
 * @returns {Point}
 */
export function intoFrame(frame, point) {
  const box = frameBox(frame);
  return {
    x: (point.x - box.left) / box.x - frame.clientLeft,
    y: (point.y - box.top) / box.y - frame.clientTop,
  };
}

/**
 * A point of the element where a press reaches it, or what is in the way.
 * @param {Element} e
 * @returns {{ point: Point, hit: Element } | { coveredBy: Element | null }}
 */
export function reachablePoint(e) {
  let coveredBy = null;
  for (const point of pressPoints(e)) {
    const hit = topmostAt(e, point);
    if (hit && reaches(e, hit)) return { point, hit };
    if (hit && !composedContains(hit, e)) coveredBy ??= hit;
    else if (hit && passesThrough(e)) return { point, hit };
  }
  return { coveredBy };
}

/**
 * `pointer-events: none`: the press goes to what lies behind, which may be the element's own container.
 * @param {Element} e
 * @returns {boolean}
 */
export function passesThrough(e) {
  return viewOf(e).getComputedStyle(e).pointerEvents === "none";
}

/**
 * For the tree: something else lies over the element's middle and over two more of its points.
 * @param {Element} e
 * @returns {boolean}
 */
export function isCovered(e) {
  let tried = 0;
  for (const point of pressPoints(e)) {
    if (tried++ === 3) break;
    const hit = topmostAt(e, point);
    if (!hit || composedContains(hit, e) || reaches(e, hit)) return false;
  }
  return tried > 0;
}

/**
 * Drawn with no opacity at all, or not drawn.
 * @param {Element} e
 * @returns {boolean}
 */
export function isTransparent(e) {
  return !Element.prototype.checkVisibility.call(e, OPAQUE);
}

/**
 * Fully transparent and deaf to the pointer: a closed menu that was left in the page.
 * @param {Element} e
 * @returns {boolean}
 */
export function isGhost(e) {
  return isTransparent(e) && passesThrough(e) && attribute(e, "type") !== "checkbox";
}

/**
 * @param {Element} e
 * @returns {boolean} an open popover
 */
export function isOpenPopover(e) {
  return hasAttribute(e, "popover") && matches(e, ":popover-open");
}

/**
 * Where an element is in the viewport of its document, in whole pixels.
 * @param {Element} e
 * @returns {{ x: number, y: number, width: number, height: number }}
 */
export function plainRect(e) {
  const r = rectOf(e);
  return { x: Math.round(r.x), y: Math.round(r.y), width: Math.round(r.width), height: Math.round(r.height) };
}

/**
 * Lies open over the page by its markup, so that it is read first.
 * @param {Element} e
 * @param {string} tag
 * @param {string} role
 * @param {number} [traits]
 * @returns {boolean}
 */
export function isOverlay(e, tag, role, traits = ALL) {
  if (OVERLAY_ROLES.has(role)) return tag !== "select";
  if (traits & MODAL && attribute(e, "aria-modal") === "true") return true;
  if (role === "combobox") return (traits & EXPANDED) !== 0 && attribute(e, "aria-expanded") === "true";
  return (traits & POPOVER) !== 0 && isOpenPopover(e);
}

/**
 * @param {Element} frame
 * @returns {string} what is in a frame that cannot be entered, or that it is empty
 */
export function frameNote(frame) {
  const doc = frameDocument(frame);
  if (!doc) return "another site: iframe_read reads it";
  return documentURL(doc) === "about:blank" && !pageRoot(doc)?.childElementCount ? "empty" : "";
}
