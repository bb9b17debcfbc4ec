/**
 * Text into fields and editors, as close to a typing user as page events come.
 */

import {
  composedContains,
  composedParent,
  deepActive,
  dispatch,
  documentOf,
  isConnected,
  isElement,
  isHTML,
  localName,
  nodeType,
  pause,
  selectionOf,
  viewOf,
} from "./dom.js";
import { focusAsUser } from "./focus.js";
import { sendKey } from "./keyevents.js";
import { KEYED_CHARS, TICK_MS } from "./limits.js";
import { editableText } from "./names.js";
import { inputType } from "./roles.js";
import { Refusal } from "./session.js";
import { inertReason } from "./sight.js";
import { folded } from "./text.js";
import { sendChange, sendInput, setValue } from "./values.js";

/** @typedef {import("./values.js").Field} Field */

/** Line breaks in an editor after which it is given time; a long text would take too long at that pace. */
const PACED_LINES = 20;

/**
 * Type into an input or textarea. A line break is part of the text and never a press of Enter.
 * @param {Field} field
 * @param {string} text
 * @param {boolean} clear replace what is there instead of adding to it
 * @returns {Promise<{ stopped: string | null }>} why not everything was typed
 * @throws {Refusal} `disabled` if focusing the field switched it off
 */
export async function typeIntoField(field, text, clear) {
  focusAsUser(field);
  if (field.disabled)
    throw new Refusal(
      "disabled",
      "The field became disabled when it got the focus: the page opened something else. Read the tree again.",
    );
  const inert = inertReason(field);
  if (inert)
    throw new Refusal(
      "inert",
      `The field takes no input since it got the focus: ${inert}. Read the tree again, and answer what opened first.`,
    );
  const single = localName(field) === "input";
  const wanted = single ? text.replace(/\s*[\r\n]+\s*/g, " ") : text.replace(/\r\n?/g, "\n");
  const before = field.value;
  const lenient = inputType(field) === "number";
  let held = clear ? "" : field.value;
  if (clear && field.value) selectAll(field);
  if (clear && !wanted) {
    if (field.value && beforeInput(field, "deleteContentBackward", null)) {
      setValue(field, "");
      sendInput(field, "deleteContentBackward");
    }
    if (before !== field.value) sendChange(field);
    return { stopped: null };
  }
  const keyed = Array.from(wanted.slice(0, KEYED_CHARS));
  const rest = wanted.slice(keyed.join("").length);
  let stopped = null;
  for (const piece of rest ? [...keyed, rest] : keyed) {
    if (field.maxLength >= 0 && held.length + piece.length > field.maxLength) {
      stopped = `the field takes at most ${field.maxLength} characters`;
      break;
    }
    const isKey = piece !== "\n" && piece !== rest;
    const key = isKey ? sendKey(field, piece) : null;
    if (!key || key.allowed) {
      if (beforeInput(field, piece === "\n" ? "insertLineBreak" : "insertText", piece)) {
        held += piece;
        setValue(field, held);
        const kept = field.value;
        sendInput(field, piece === "\n" ? "insertLineBreak" : "insertText", piece === "\n" ? null : piece);
        // A number field shows nothing for "-" or "1."; anything else that differs is the page's own doing.
        if (field.value !== held && !(lenient && kept === "" && field.value === "")) held = field.value;
      }
    }
    key?.up();
    // The page's promises run between two keys, as they would between two real ones.
    await null;
    if (!isConnected(field))
      throw new Refusal(
        "replaced",
        "The page replaced the field while it was being typed into. Read the tree again.",
      );
  }
  if (field.value !== before) sendChange(field);
  return { stopped };
}

/** @param {Field} field */
function selectAll(field) {
  try {
    field.select();
  } catch {
    // Types without a text selection.
  }
}

/** @param {Element} e @param {string} kind @param {string | null} data @returns {boolean} false if the page took the edit over */
function beforeInput(e, kind, data) {
  return dispatch(
    e,
    new InputEvent("beforeinput", {
      bubbles: true,
      cancelable: true,
      composed: true,
      inputType: kind,
      data,
      view: viewOf(e),
    }),
  );
}

/**
 * Type into an editable region along the browser's own editing path: `beforeinput`, then `insertText`. Editors that
 * keep a model of their own take the first, plain ones the second.
 * @param {HTMLElement} root
 * @param {string} text
 * @param {boolean} clear
 * @returns {Promise<void>}
 * @throws {Refusal} `focus_lost` if the focus cannot be kept in the editor
 */
export async function typeIntoEditor(root, text, clear) {
  const before = editableText(root);
  await hold(root, clear && before.trim() ? "all" : "end");
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  let left = KEYED_CHARS;
  if (clear && text === "") edit(root, "deleteContentBackward", "delete", null);
  for (const [i, piece] of lines.entries()) {
    if (i > 0) {
      edit(root, "insertParagraph", "insertParagraph", null);
      if (i <= PACED_LINES) await pause(TICK_MS);
    }
    if (!piece) continue;
    const keyed = Array.from(piece.slice(0, left));
    const rest = piece.slice(keyed.join("").length);
    left -= keyed.length;
    for (const [n, char] of keyed.entries()) {
      const byBrowser = await typeKey(root, char);
      if (byBrowser && n === 0 && char.trim()) await keepFirst(root, char);
    }
    if (!rest) continue;
    if (!inFocus(root)) await hold(root, "end");
    edit(root, "insertText", "insertText", rest);
  }
  await pause(TICK_MS);
  if (!text || holds(root, text) || editableText(root) !== before) return;
  // The editor took neither road: it may still take a paste, which is the last one that goes through its own code.
  await hold(root, clear ? "all" : "end");
  const data = new DataTransfer();
  data.setData("text/plain", text);
  dispatch(
    focusNode(root),
    new ClipboardEvent("paste", { bubbles: true, cancelable: true, composed: true, clipboardData: data }),
  );
  await pause(TICK_MS);
}

/**
 * One character with its key events.
 * @param {HTMLElement} root
 * @param {string} char
 * @returns {Promise<boolean>} the browser put it in, not the page
 */
async function typeKey(root, char) {
  if (!inFocus(root)) await hold(root, "end");
  const key = sendKey(root, char);
  const byBrowser = key.allowed && edit(root, "insertText", "insertText", char);
  if (isConnected(root)) key.up();
  // The page's promises run between two keys, as they would between two real ones.
  await null;
  return byBrowser;
}

/**
 * An editor that was empty may set itself up on its first input and lose it; what it lost is typed again.
 * @param {HTMLElement} root
 * @param {string} char
 */
async function keepFirst(root, char) {
  if (editableText(root).trim()) return;
  await pause(TICK_MS);
  if (!isConnected(root) || editableText(root).trim()) return;
  if (!inFocus(root)) await hold(root, "end");
  edit(root, "insertText", "insertText", char);
  await null;
}

/**
 * @param {HTMLElement} root
 * @param {string} text
 * @returns {boolean} the editor shows the text
 */
export function holds(root, text) {
  const squeeze = (/** @type {string} */ t) => folded(t).replace(/\s+/g, "");
  return squeeze(editableText(root)).includes(squeeze(text));
}

/**
 * Put focus and selection into the editor and make sure they stay there.
 * @param {HTMLElement} root
 * @param {"all" | "end"} where
 */
async function hold(root, where) {
  for (let attempt = 0; attempt < 2; attempt++) {
    focusAsUser(root);
    select(root, where);
    // Editors learn of a selection by an event that comes later.
    await pause(TICK_MS);
    if (inFocus(root)) return;
  }
  throw new Refusal(
    "focus_lost",
    "The page keeps moving the focus away from this editor, so nothing was typed. Wait a moment and try again.",
  );
}

/** @param {HTMLElement} root @returns {boolean} */
function inFocus(root) {
  const active = deepActive(documentOf(root));
  if (!active || !(composedContains(root, active) || composedContains(active, root))) return false;
  const anchor = selectionOf(documentOf(root))?.anchorNode;
  return !anchor || composedContains(root, anchor) || nodeType(Node.prototype.getRootNode.call(root)) === 11;
}

/** @param {HTMLElement} root @param {"all" | "end"} where */
function select(root, where) {
  const selection = selectionOf(documentOf(root));
  if (!selection) return;
  const [node, offset] = endOf(root);
  if (where === "all") selection.setBaseAndExtent(root, 0, root, root.childNodes.length);
  else selection.setBaseAndExtent(node, offset, node, offset);
}

/** @param {HTMLElement} root @returns {[Node, number]} the caret position after the last character */
function endOf(root) {
  /** @type {Node} */
  let at = root;
  for (;;) {
    if (nodeType(at) === 3) return [at, at.textContent?.length ?? 0];
    const last = at.lastChild;
    if (!last || (nodeType(last) !== 3 && nodeType(last) !== 1)) return [at, at.childNodes.length];
    if (
      isElement(last) &&
      (localName(last) === "br" ||
        !isHTML(last) ||
        /** @type {HTMLElement} */ (last).contentEditable === "false")
    )
      return [at, at.childNodes.length - (localName(last) === "br" ? 1 : 0)];
    at = last;
  }
}

/** @param {HTMLElement} root @returns {Element} the innermost element of the caret, where a browser sends `beforeinput` */
function focusNode(root) {
  const node = selectionOf(documentOf(root))?.focusNode ?? null;
  const e = node && (isElement(node) ? node : composedParent(node));
  return e && composedContains(root, e) ? e : root;
}

/**
 * @param {HTMLElement} root
 * @param {string} kind
 * @param {string} command
 * @param {string | null} data
 * @returns {boolean} false if the page took the edit over
 */
function edit(root, kind, command, data) {
  if (!beforeInput(root, kind, data)) return false;
  const doc = documentOf(root);
  const done = Document.prototype.execCommand.call(doc, command, false, data ?? undefined);
  if (done || kind !== "insertText") return true;
  root.textContent = `${root.textContent ?? ""}${data ?? ""}`;
  sendInput(root, kind, data);
  return true;
}
