/**
 * Fields for a text of several lines, which is what a message is written into, and whether all of them are empty.
 */

import { attribute, frameDocument, localName, pageRoot, queryAll } from "./dom.js";
import { isEditableRoot } from "./roles.js";
import { isRendered } from "./sight.js";

/** Frames of a form that are looked at for an editor. */
const FRAMES = 10;
/** What stands in an editor without being text. */
const SHOWN = "img,video,audio,canvas,svg,table,hr,input,object,embed";

/** @typedef {{ e: Element, label: string, value: string }} Field */

/**
 * The bodies of same-origin frames in `scope` that are editable as a whole: what old editors write into.
 * @param {Element} scope
 * @returns {Element[]}
 */
export function framedEditors(scope) {
  const found = [];
  const frames = queryAll(scope, "iframe");
  for (let i = 0; i < frames.length && i < FRAMES; i++) {
    const frame = /** @type {Element} */ (frames[i]);
    const inner = frameDocument(frame);
    const body = inner && pageRoot(inner);
    if (body && isEditableRoot(body) && isRendered(frame)) found.push(body);
  }
  return found;
}

/**
 * @param {Field[]} fields what a press would send
 * @returns {string} the label of the first field for a longer text, if there is one and all of them are empty
 */
export function emptyText(fields) {
  const long = fields.filter(({ e }) => isLong(e) && isRendered(e));
  return long.length && long.every(isEmpty) ? /** @type {Field} */ (long[0]).label : "";
}

/** @param {Element} e */
function isLong(e) {
  const tag = localName(e);
  if (tag === "textarea") return true;
  return (
    isEditableRoot(e) &&
    attribute(e, "aria-multiline") !== "false" &&
    !/^(combobox|searchbox|spinbutton)$/.test(attribute(e, "role") ?? "")
  );
}

/** @param {Field} field */
function isEmpty({ e, value }) {
  return value.trim() === "" && (localName(e) === "textarea" || !queryAll(e, SHOWN).length);
}
