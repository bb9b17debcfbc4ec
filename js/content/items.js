/**
 * What a walk yields: nodes with a line of their own, and runs of text between them.
 */

import { isHTML, localName, rectOf, viewOf } from "./dom.js";
import { NAME_CHARS } from "./limits.js";
import { touchesViewport } from "./sight.js";
import { line } from "./text.js";
import { ALL } from "./traits.js";

/**
 * @typedef {object} TreeNode
 * @property {Element} el
 * @property {string} role
 * @property {string} name
 * @property {Item[]} kids
 * @property {boolean} interactive native, ARIA or scripted control
 * @property {boolean} clickable known only by its pointer cursor
 * @property {boolean} inert
 * @property {boolean} hidden `aria-hidden`
 * @property {Element} box what is drawn for it: the label of a checkbox that is not
 * @property {boolean} covered
 * @property {boolean} behind a dialog that says it is modal is open over it
 * @property {boolean} drawn a shape or an empty box: known by its look only
 * @property {boolean} unread a frame that was not entered because there are too many
 * @property {string | null} label text of its labels, if it was asked for
 * @property {number} traits which attributes it has (see `traits.js`)
 * @property {boolean} plain text without a role
 * @property {boolean} selected a chosen option
 * @property {string} context text of the surroundings, for equal names
 */

/** @typedef {{ text: string }} TextRun */
/** @typedef {TreeNode | TextRun} Item */
/** @typedef {"all" | "visible" | "interactive"} Filter */

/** Elements that only dress text: their text belongs to the line around them. */
export const FORMATTING = new Set(
  (
    "b i em strong u s small sub sup mark code kbd samp var abbr cite q dfn time font bdi bdo ins del tt big strike wbr " +
    "ruby rb rt data br slot nobr acronym tspan"
  ).split(" "),
);
/** Parts of a drawing that are never drawn themselves. */
export const SVG_HIDDEN = new Set(
  "defs symbol clipPath mask pattern linearGradient radialGradient filter marker metadata desc".split(" "),
);
/** Text taken from one text node: longer than any line that is shown. */
export const RUN_CHARS = 600;
/** @param {Item} item @returns {item is TextRun} */
export function isRun(item) {
  return "text" in item;
}

/**
 * @param {Element} el
 * @param {string} role
 * @param {string} name
 * @param {Item[]} kids
 * @param {boolean} inert
 * @returns {TreeNode}
 */
export function makeNode(el, role, name, kids, inert) {
  return {
    el,
    role,
    name,
    kids,
    interactive: false,
    clickable: false,
    inert,
    hidden: false,
    box: el,
    covered: false,
    behind: false,
    drawn: false,
    unread: false,
    label: null,
    traits: ALL,
    plain: false,
    selected: false,
    context: "",
  };
}

/** @param {Element} e @param {string} text @param {boolean} inert @returns {TreeNode} */
export function textNode(e, text, inert) {
  const node = makeNode(e, "text", line(text, NAME_CHARS), [], inert);
  node.plain = true;
  return node;
}

/** @param {Item[]} items */
export function hasRun(items) {
  for (const item of items) if (isRun(item)) return true;
  return false;
}

/** @param {Item[]} items */
export function hasText(items) {
  for (const item of items) if (isRun(item) && !isBlank(item.text)) return true;
  return false;
}

/** @param {Item[]} items @returns {boolean} there is text that is nothing but blanks */
export function hasBlank(items) {
  for (const item of items) if (isRun(item) && isBlank(item.text)) return true;
  return false;
}

/** @param {Item[]} items @returns {boolean} there is neither an element nor a word: nothing, or white space */
export function isBare(items) {
  for (const item of items) if (!isRun(item) || !isBlank(item.text)) return false;
  return true;
}

/** @param {string} text with its white space folded */
function isBlank(text) {
  return text === " " || text.trim() === "";
}

/** @param {Item[]} items @returns {Item[]} */
export function withoutRuns(items) {
  return hasRun(items) ? items.filter((item) => !isRun(item)) : items;
}

/** @param {Item} item @returns {boolean} text without a role and without controls inside */
export function isPlain(item) {
  return (
    !isRun(item) &&
    (item.plain ||
      item.role === "heading" ||
      item.role === "cell" ||
      item.role === "listitem" ||
      item.role === "list" ||
      item.role === "image") &&
    item.kids.every((kid) => isRun(kid) || isPlain(kid))
  );
}

/** @param {Item[]} out @param {Item} item */
export function push(out, item) {
  const last = out[out.length - 1];
  if (isRun(item) && last && isRun(last)) {
    if (last.text.length < RUN_CHARS) last.text += item.text;
  } else if (isRun(item)) out.push({ text: item.text });
  else out.push(item);
}

/**
 * Text of some items, in order.
 * @param {Item[]} items
 * @param {boolean} [withoutControls]
 * @returns {string}
 */
export function contentText(items, withoutControls = false) {
  let text = "";
  for (const item of items) {
    if (text.length > RUN_CHARS) break;
    if (isRun(item)) text += item.text;
    else if (withoutControls && (item.interactive || item.clickable)) continue;
    else
      text += ` ${item.name || ""} ${item.plain || !item.name ? contentText(item.kids, withoutControls) : ""} `;
  }
  return text;
}

/**
 * Text before the first child with a line of its own becomes the name; all text if there is no such child.
 * @param {Item[]} items
 * @returns {{ text: string, rest: Item[] }}
 */
export function leadingText(items) {
  const at = items.findIndex((item) => isRun(item) && !isBlank(item.text));
  if (at < 0) return { text: "", rest: items };
  const run = /** @type {TextRun} */ (items[at]);
  if (at > 0 && items.slice(0, at).some((item) => !isRun(item))) return { text: "", rest: items };
  return { text: run.text, rest: items.filter((item) => item !== run) };
}

/** @param {Item[]} items @returns {Item[]} without blank text */
export function tidy(items) {
  return hasBlank(items) ? items.filter((item) => !isRun(item) || !isBlank(item.text)) : items;
}

/**
 * What a filter leaves of a walk. Children of what is left out move up a level; their text goes with it.
 * @param {Item[]} items
 * @param {Filter} filter
 * @param {(node: TreeNode) => boolean} always nodes that stay in any case
 * @returns {Item[]}
 */
export function filtered(items, filter, always) {
  if (filter === "all") return items;
  const out = /** @type {Item[]} */ ([]);
  for (const item of items) {
    if (isRun(item)) {
      if (filter === "visible") out.push(item);
      continue;
    }
    const acts = item.interactive || item.clickable;
    if (filter === "interactive" && acts && !item.name) item.name = line(contentText(item.kids), NAME_CHARS);
    const own = item.role === "option" && item.kids.length === 0 ? [] : filtered(item.kids, filter, always);
    const stays = always(item) || (filter === "interactive" ? acts : !item.hidden && isInView(item));
    if (stays) out.push({ ...item, kids: isNativeSelect(item.el) ? item.kids : own });
    else for (const kid of own) if (!isRun(kid)) out.push(kid);
  }
  return out;
}

/** @param {Element} e */
function isNativeSelect(e) {
  return localName(e) === "select" && isHTML(e);
}

/** @param {TreeNode} node */
function isInView(node) {
  return touchesViewport(rectOf(node.box), viewOf(node.box));
}
