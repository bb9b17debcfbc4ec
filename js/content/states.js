/**
 * What an action may change: the state of an element, what is shown near it, what lies open over the page.
 */

import {
  attribute,
  composedParent,
  documentOf,
  frameDocument,
  isHTML,
  localName,
  openShadowRoot,
  queryAll,
  shadowRootOf,
} from "./dom.js";
import { VALUE_CHARS } from "./limits.js";
import { editableText, SKIPPED, selectedText } from "./names.js";
import { inputType, isEditableRoot } from "./roles.js";
import { isRendered } from "./sight.js";
import { quote, value as valueText } from "./text.js";

const OVERLAYS =
  'dialog[open],[role="dialog"],[role="alertdialog"],[role="menu"],[role="listbox"],[aria-modal="true"],[popover]';
const OVERLAY_LIMIT = 200;
/** Elements asked for a shadow root, and roots watched. */
const WATCHED_ELEMENTS = 60_000;
const WATCHED_ROOTS = 500;
/** Elements near the target whose being shown is looked at. */
const NEARBY_LIMIT = 300;

/**
 * State of one element that an action may change.
 * @param {Element} e
 * @returns {Record<string, string>}
 */
export function stateOf(e) {
  /** @type {Record<string, string>} */
  const state = {};
  for (const name of ["expanded", "selected", "pressed", "current", "checked", "invalid"]) {
    const given = attribute(e, `aria-${name}`);
    if (given !== null) state[name] = given.slice(0, 20);
  }
  if (!isHTML(e)) return state;
  const tag = localName(e);
  const field = /** @type {HTMLInputElement} */ (e);
  const type = inputType(e);
  if (type === "checkbox" || type === "radio") state.checked = String(field.checked);
  else if (tag === "select") state.value = selectedText(/** @type {any} */ (e));
  else if (type === "password") state.value = field.value ? "(hidden)" : "";
  else if (tag === "input" || tag === "textarea") state.value = valueText(field.value, VALUE_CHARS);
  else if (isEditableRoot(e)) state.value = valueText(editableText(field), VALUE_CHARS);
  if (tag === "details") state.open = String(/** @type {any} */ (e).open);
  if (tag === "summary") state.open = String(/** @type {any} */ (composedParent(e))?.open);
  if (/^(button|input|select|textarea)$/.test(tag)) state.disabled = String(field.disabled);
  return state;
}

/**
 * Elements near an action that are not shown before it, outermost only.
 * @param {Element} root
 * @returns {Element[]}
 */
export function hiddenIn(root) {
  /** @type {Element[]} */
  const found = [];
  const all = queryAll(root, "*");
  for (let i = 0; i < all.length && i < NEARBY_LIMIT; i++) {
    const e = /** @type {Element} */ (all[i]);
    const parent = composedParent(e);
    if (SKIPPED.has(localName(e)) || isRendered(e) || (parent && found.includes(parent))) continue;
    if (!parent || isRendered(parent)) found.push(e);
  }
  return found;
}

/**
 * Everything in which an action may show: the documents of the same origin and their shadow roots. Closed roots are
 * looked for at custom elements only, since asking at every childless element is too dear to be done at each action.
 * @param {Element} target its own root is always there
 * @returns {Set<Document | ShadowRoot>}
 */
export function rootsToWatch(target) {
  const own = /** @type {Document | ShadowRoot} */ (Node.prototype.getRootNode.call(target));
  /** @type {Set<Document | ShadowRoot>} */
  const roots = new Set([document]);
  let left = WATCHED_ELEMENTS;
  for (const root of roots) {
    const all = queryAll(root, "*");
    for (let i = 0; i < all.length && left-- > 0 && roots.size < WATCHED_ROOTS; i++) {
      const e = /** @type {Element} */ (all[i]);
      const tag = localName(e);
      const inner =
        openShadowRoot(e) ??
        (tag.includes("-") ? shadowRootOf(e) : tag === "iframe" || tag === "frame" ? frameDocument(e) : null);
      if (inner) roots.add(inner);
    }
  }
  return roots.add(documentOf(target)).add(own);
}

/** @param {(Document | ShadowRoot)[]} scopes @returns {Set<Element>} */
export function openOverlays(scopes) {
  const found = new Set();
  for (const scope of scopes) {
    const all = queryAll(scope, OVERLAYS);
    for (let i = 0; i < all.length && found.size < OVERLAY_LIMIT; i++) {
      const e = /** @type {Element} */ (all[i]);
      if (isRendered(e)) found.add(e);
    }
  }
  return found;
}

/** @param {Record<string, string>} before @param {Record<string, string>} after */
export function differ(before, after) {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].some((k) => before[k] !== after[k]);
}

/**
 * @param {Record<string, string>} before
 * @param {Record<string, string>} after
 * @param {string} whose
 * @param {string[]} out
 */
export function states(before, after, whose, out) {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (before[key] === after[key]) continue;
    out.push(`${key}${whose}: ${key === "value" ? quote(after[key] ?? "") : (after[key] ?? "none")}`);
  }
}
