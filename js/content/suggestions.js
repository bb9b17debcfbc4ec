/**
 * Suggestions of a combobox: noticing them, and choosing the one that was typed.
 */

import {
  attribute,
  byId,
  composedClosest,
  hasAttribute,
  isConnected,
  localName,
  matches,
  pause,
  queryAll,
} from "./dom.js";
import { NAME_CHARS, SUGGESTION_COUNT, SUGGESTION_MS } from "./limits.js";
import { textInside } from "./names.js";
import { press, pressTarget, reach } from "./press.js";
import { inputType, roleOf } from "./roles.js";
import { Refusal } from "./session.js";
import { isRendered } from "./sight.js";
import { folded } from "./text.js";

/** @typedef {import("./session.js").Session} Session */

const STEP_MS = 25;
/** A list of suggestions that stays the same for this long is the one meant for the whole text. */
const SETTLE_MS = 60;
/** Elements that look like an entry of a list that opened, when the page gives no roles. */
const ENTRIES =
  'li,[role="option"],[role="menuitem"],[class*="option" i],[class*="suggest" i],[class*="result" i]';

/** @param {Element} e @returns {boolean} the field says that it offers suggestions */
export function isCombobox(e) {
  if (
    roleOf(e) === "combobox" &&
    !(localName(e) === "input" && hasAttribute(e, "list") && !hasAttribute(e, "role"))
  )
    return localName(e) !== "select";
  const auto = attribute(e, "aria-autocomplete");
  if (auto && auto !== "none") return true;
  if (attribute(e, "aria-haspopup") === "listbox") return true;
  if (listOf(e)) return true;
  return composedClosest(e, (x) => x !== e && attribute(x, "role") === "combobox") !== null;
}

/** @param {Element} e @returns {Element | null} the list it controls */
function listOf(e) {
  const owner = composedClosest(e, (x) => attribute(x, "role") === "combobox") ?? e;
  for (const holder of [e, owner])
    for (const name of ["aria-controls", "aria-owns"])
      for (const id of (attribute(holder, name) ?? "").split(/\s+/)) {
        const list = id && byId(e, id);
        if (list && /^(listbox|menu|tree|grid)$/.test(roleOf(list))) return list;
      }
  return null;
}

/** @param {Element} e @returns {Element[]} options on show */
export function openOptions(e) {
  const list = listOf(e);
  const lists = list ? [list] : Array.from(queryAll(e.ownerDocument, '[role="listbox"]'));
  const found = [];
  for (const l of lists) {
    if (localName(l) === "select" || !isRendered(l)) continue;
    for (const option of Array.from(queryAll(l, '[role="option"]')).slice(0, 200))
      if (isRendered(option)) found.push(option);
  }
  return found;
}

/**
 * Wait a little for suggestions to a text.
 * @param {Element} e
 * @param {() => Element[]} added elements the page added since the typing began
 * @returns {Promise<Element[]>}
 */
export async function awaitSuggestions(e, added) {
  const named = isCombobox(e);
  const until = performance.now() + (named ? SUGGESTION_MS : 0);
  /** @type {Element[]} */
  let before = [];
  for (;;) {
    const options = openOptions(e);
    // A list is rebuilt with every key; what is given out must be the last one.
    const settled =
      options.length > 0 && options.length === before.length && options.every((o, i) => o === before[i]);
    if (settled || !named || performance.now() >= until) return options.length ? options : loose(added());
    before = options;
    await pause(options.length ? SETTLE_MS : STEP_MS);
  }
}

/** @param {Element[]} added @returns {Element[]} list-like things that came up without saying what they are */
function loose(added) {
  const found = new Set();
  for (const e of added) {
    if (found.size >= SUGGESTION_COUNT) break;
    if (!isConnected(e)) continue;
    if (matches(e, ENTRIES)) found.add(e);
    for (const entry of Array.from(queryAll(e, ENTRIES)).slice(0, SUGGESTION_COUNT)) found.add(entry);
  }
  return [...found]
    .filter((e) => isConnected(e) && isRendered(e) && textInside(e, NAME_CHARS))
    .slice(0, SUGGESTION_COUNT);
}

/**
 * The suggestion a text means: the equal one, else the only one that begins with it.
 * @param {Element[]} options
 * @param {string} text
 * @returns {Element | null}
 */
export function matching(options, text) {
  const wanted = folded(text);
  if (!wanted) return null;
  const exact = options.filter(
    (o) =>
      folded(textInside(o, NAME_CHARS)) === wanted || folded(attribute(o, "data-value") ?? "") === wanted,
  );
  if (exact[0]) return exact[0];
  const begins = options.filter((o) => folded(textInside(o, NAME_CHARS)).startsWith(wanted));
  return begins.length === 1 ? (begins[0] ?? null) : null;
}

/**
 * @param {Session} session
 * @param {Element} option
 * @returns {Promise<string | null>} its text if it was pressed
 */
export async function pick(session, option) {
  const text = textInside(option, NAME_CHARS);
  try {
    const target = pressTarget(option);
    await press(session, target, await reach(session, target));
    return text;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/**
 * @param {Session} session
 * @param {Element[]} options
 */
export function listed(session, options) {
  return options
    .filter(isConnected)
    .slice(0, SUGGESTION_COUNT)
    .map((o) => {
      const name = textInside(o, NAME_CHARS);
      const role = roleOf(o);
      return { ref_id: session.refs.of(o, { role, name, interactive: true }), text: name };
    });
}

/** @param {Element} e */
export function isSearchLike(e) {
  return inputType(e) === "search" || roleOf(e) === "searchbox";
}
