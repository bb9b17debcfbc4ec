/**
 * `select_text`: mark the text of an element, or words in it. Nothing is pressed for it: controls would act on that.
 */

import {
  characterData,
  composedClosest,
  composedParent,
  dispatch,
  documentOf,
  isEditable,
  isHTML,
  localName,
  pause,
  selectionOf,
  textsIn,
} from "./dom.js";
import { focusAsUser } from "./focus.js";
import { TICK_MS } from "./limits.js";
import { mouse, reach } from "./press.js";
import { inputType, isEditableRoot, TEXT_INPUTS } from "./roles.js";
import { Refusal } from "./session.js";
import { isRendered } from "./sight.js";
import { block, cut, line, quote } from "./text.js";
import { Watch } from "./watch.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./session.js").Args} Args */
/** @typedef {import("./session.js").Answer} Answer */

const TEXT_CHARS = 2_000;
const NODES = 20_000;

/**
 * @param {Session} session
 * @param {Args} args `ref_id`; `text`: words in it, otherwise all of it
 * @returns {Promise<Answer>}
 */
export async function selectText(session, args) {
  const { element: e, ref, note } = session.element(args.ref_id);
  const words = typeof args.text === "string" && args.text.trim() ? args.text.trim() : null;
  if (!isRendered(e))
    throw new Refusal("hidden", "The element is not shown on the page, so nothing in it can be marked.");
  const reached = await reach(session, e).catch(() => null);
  const watch = new Watch(session, e);
  session.touch(e);
  session.actions++;
  try {
    if (isTextField(e)) markInField(/** @type {HTMLInputElement} */ (e), words);
    else markInPage(e, words);
    // Pages learn of a selection by an event that comes later.
    await pause(TICK_MS);
    // Pages open their toolbars when the button comes up; it does so beside everything that could take it for a press.
    const root = documentOf(e).documentElement;
    const at = reached?.point ?? { x: 0, y: 0 };
    mouse(root, "pointerup", at, { detail: 1 });
    mouse(root, "mouseup", at, { detail: 1 });
  } catch (error) {
    watch.close();
    throw error;
  }
  watch.acted();
  const changed = await watch.done();
  const text = selected(e);
  const wanted = words ?? "";
  const success = text !== "" && (!words || squeezed(text) === squeezed(wanted));
  /** @type {Answer} */
  const answer = { success, method: "select_text", ref_id: ref, text: cut(block(text), TEXT_CHARS), changed };
  if (note) answer.note = note;
  if (!success)
    Object.assign(answer, {
      code: "not_selected",
      error: text
        ? `The page marks ${quote(line(text, 80))} instead.`
        : "The page did not keep the text marked; it may forbid selecting it.",
    });
  return answer;
}

/** @param {Element} e */
function isTextField(e) {
  return isHTML(e) && (localName(e) === "textarea" || TEXT_INPUTS.has(inputType(e)));
}

/** @param {string} text */
function squeezed(text) {
  return text.replace(/\s+/g, " ").trim();
}

/** @param {Element} e @returns {string} */
function selected(e) {
  if (isTextField(e)) {
    const field = /** @type {HTMLInputElement} */ (e);
    try {
      return field.value.slice(field.selectionStart ?? 0, field.selectionEnd ?? 0);
    } catch {
      return "";
    }
  }
  return String(selectionOf(documentOf(e)) ?? "");
}

/** @param {HTMLInputElement} field @param {string | null} words */
function markInField(field, words) {
  focusAsUser(field);
  if (!words) return field.select();
  const at = place(field.value, words);
  if (!at) throw missing(words);
  field.setSelectionRange(at[0], at[1]);
  dispatch(field, new Event("select", { bubbles: true }));
}

/** @param {Element} e @param {string | null} words */
function markInPage(e, words) {
  const doc = documentOf(e);
  const selection = selectionOf(doc);
  if (!selection) throw new Refusal("no_page", "This document has no selection.");
  const editor = isEditable(e) ? composedClosest(e, isEditableRoot) : null;
  if (editor) focusAsUser(editor);
  const nodes = textNodes(e);
  if (!nodes.length) throw new Refusal("no_text", "There is no text in this element.");
  const first = /** @type {Text} */ (nodes[0]);
  const last = /** @type {Text} */ (nodes.at(-1));
  if (!words) return selection.setBaseAndExtent(first, 0, last, characterData(last).length);
  const whole = nodes.map(characterData).join("");
  const at = place(whole, words);
  if (!at) throw missing(words);
  const [startNode, startOffset] = locate(nodes, at[0], false);
  const [endNode, endOffset] = locate(nodes, at[1], true);
  selection.setBaseAndExtent(startNode, startOffset, endNode, endOffset);
}

/** @param {string} words */
function missing(words) {
  return new Refusal("not_found", `${quote(line(words, 80))} does not stand in this element's text.`);
}

/** @param {Element} e @returns {Text[]} */
function textNodes(e) {
  const walker = textsIn(e);
  /** @type {Text[]} */
  const nodes = [];
  for (let i = 0, node = walker.nextNode(); node && i < NODES; i++, node = walker.nextNode()) {
    const parent = composedParent(node);
    if (
      parent &&
      !/^(script|style)$/.test(localName(parent)) &&
      isRendered(parent) &&
      characterData(/** @type {Text} */ (node))
    )
      nodes.push(/** @type {Text} */ (node));
  }
  while (nodes.length > 1 && !characterData(/** @type {Text} */ (nodes[0])).trim()) nodes.shift();
  while (nodes.length > 1 && !characterData(/** @type {Text} */ (nodes.at(-1))).trim()) nodes.pop();
  return nodes;
}

/**
 * Where words stand in a text: as whole words if they do, white space folded, case kept if that finds them.
 * @param {string} text
 * @param {string} words
 * @returns {[number, number] | null}
 */
function place(text, words) {
  const pattern = words
    .split(/\s+/)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&"))
    .join("\\s+");
  for (const [before, after] of [
    ["(?<![\\p{L}\\p{N}_])", "(?![\\p{L}\\p{N}_])"],
    ["", ""],
  ])
    for (const flags of ["u", "iu"]) {
      const found = new RegExp(`${before}${pattern}${after}`, flags).exec(text);
      if (found) return [found.index, found.index + found[0].length];
    }
  return null;
}

/**
 * @param {Text[]} nodes
 * @param {number} offset in the text of all of them
 * @param {boolean} end an end at a border belongs to the node before it
 * @returns {[Text, number]}
 */
function locate(nodes, offset, end) {
  let left = offset;
  for (const node of nodes) {
    const length = characterData(node).length;
    if (left < length || (end && left === length)) return [node, left];
    left -= length;
  }
  const last = /** @type {Text} */ (nodes.at(-1));
  return [last, characterData(last).length];
}
