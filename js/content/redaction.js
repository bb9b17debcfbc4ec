/**
 * Where a picture of the page would show what is better not seen: passwords, and, if asked for, what was typed, mail
 * addresses and telephone numbers. The page is only measured; who draws the picture draws over these places.
 */

import { credentialReason } from "./credentials.js";
import { scopesOf } from "./deep.js";
import {
  characterData,
  documentOf,
  frameDocument,
  frameOf,
  localName,
  makeRange,
  queryAll,
  rectOf,
  textsIn,
} from "./dom.js";
import { inputType } from "./roles.js";
import { isRendered } from "./sight.js";

/** @typedef {import("./session.js").Answer} Answer */
/** @typedef {import("./session.js").Args} Args */
/** @typedef {{ x: number, y: number, width: number, height: number }} Region */
/** @typedef {Document | ShadowRoot | Element} Scope */

export const REGIONS = 400;
const TEXT_CHARS = 200;
const TEXT_NODES = 20_000;
const MAIL = /[^\s@<>()]+@[^\s@<>()]+\.[a-z]{2,}/i;
const MAIL_WORDS = 3;
const PHONE = /(?:\+|\(|\d)[\d\s().\-/]{5,}\d/;
const PHONE_WORDS = 6;
const PHONE_DIGITS = [7, 15];
/** Kinds of input whose content is drawn as text. */
const TEXTUAL = new Set(["email", "tel", "search", "text", "url", "number"]);

/**
 * @param {Args} args `textInputs`: also what stands in ordinary text fields
 * @returns {Answer} `regions` in CSS pixels of the viewport, `truncated` if there are more
 */
export function redactionRegions(args) {
  const found = /** @type {Region[]} */ ([]);
  const scopes = scopesOf();
  for (const { root } of scopes.scopes) {
    fields(root, args.textInputs === true, found);
    texts(root, found);
    foreignFrames(root, found);
  }
  return { success: true, regions: found.slice(0, REGIONS), truncated: found.length > REGIONS };
}

/** @param {Scope} scope @param {boolean} textInputs @param {Region[]} found */
function fields(scope, textInputs, found) {
  const all = queryAll(scope, "input,textarea,select,[contenteditable]");
  for (let i = 0; i < all.length && found.length <= REGIONS; i++) {
    const e = /** @type {Element} */ (all[i]);
    const wanted =
      credentialReason(e) !== null || (textInputs && localName(e) === "input" && TEXTUAL.has(inputType(e)));
    if (wanted && isRendered(e)) add(e, rectOf(e), found);
  }
}

/** @param {Scope} scope @param {Region[]} found */
function texts(scope, found) {
  const doc = documentOf(scope);
  const walker = textsIn(scope);
  for (let i = 0; i < TEXT_NODES && found.length <= REGIONS; i++) {
    const node = walker.nextNode();
    if (!node) return;
    const text = characterData(/** @type {Text} */ (node)).trim();
    if (text.length < 6 || text.length > TEXT_CHARS || !isPersonal(text)) continue;
    const range = makeRange(doc);
    Range.prototype.selectNodeContents.call(range, node);
    const rects = Range.prototype.getClientRects.call(range);
    for (let k = 0; k < rects.length; k++) add(node, /** @type {DOMRect} */ (rects[k]), found);
  }
}

/**
 * What lies in a frame of another origin cannot be measured from here, so all of it is covered.
 * @param {Scope} scope @param {Region[]} found
 */
function foreignFrames(scope, found) {
  const all = queryAll(scope, "iframe,frame,object,embed");
  for (let i = 0; i < all.length && found.length <= REGIONS; i++) {
    const e = /** @type {Element} */ (all[i]);
    if (!frameDocument(e) && isRendered(e)) add(e, rectOf(e), found);
  }
}

/** @param {string} text */
export function isPersonal(text) {
  const words = text.split(/\s+/).length;
  if (words <= MAIL_WORDS && MAIL.test(text)) return true;
  const phone = words <= PHONE_WORDS ? PHONE.exec(text) : null;
  const digits = phone ? phone[0].replace(/\D/g, "").length : 0;
  return digits >= PHONE_DIGITS[0] && digits <= PHONE_DIGITS[1];
}

/**
 * Note the part of a rectangle that is in view, in pixels of the outermost viewport.
 * @param {Node} node @param {DOMRect} rect @param {Region[]} found
 */
function add(node, rect, found) {
  let { left, top } = rect;
  for (let frame = frameOf(documentOf(node)); frame; frame = frameOf(documentOf(frame))) {
    const outer = rectOf(frame);
    left += outer.left + frame.clientLeft;
    top += outer.top + frame.clientTop;
  }
  const right = Math.min(left + rect.width, window.innerWidth);
  const bottom = Math.min(top + rect.height, window.innerHeight);
  const x = Math.max(Math.floor(left), 0);
  const y = Math.max(Math.floor(top), 0);
  const region = { x, y, width: Math.ceil(right) - x, height: Math.ceil(bottom) - y };
  if (region.width > 0 && region.height > 0) found.push(region);
}
