/**
 * From an element and what was found inside it to a node of the tree: its name, what it swallows, whether it stays.
 */

import { attribute, hasAttribute } from "./dom.js";
import { contentText, hasBlank, hasRun, isPlain, isRun, leadingText, makeNode, tidy } from "./items.js";
import { ANCHORED_SELECT_OPTIONS, CONTEXT_CHARS, NAME_CHARS, SELECT_OPTIONS } from "./limits.js";
import { labelText, nameOf, selectedText } from "./names.js";
import { NAMED_BY_CONTENT, needsName, roleOf, STRUCTURE } from "./roles.js";
import { cut, line } from "./text.js";
import { ALL } from "./traits.js";

/** @typedef {import("./items.js").TreeNode} TreeNode */
/** @typedef {import("./items.js").Item} Item */

/** A container with more in it says nothing about one control. */
const CONTEXT_ITEMS = 200;
/** Containers whose text tells equal controls inside them apart. */
const CONTEXT_ROLES = new Set(["listitem", "row", "article", "group", "region", "dialog", "cell", "form"]);
/** Options looked at in a list for the chosen ones. */
const OPTIONS = 5_000;

/**
 * @param {Element} e
 * @param {string} role
 * @param {number} traits
 * @param {boolean} interactive
 * @param {boolean} clickable
 * @param {boolean} inert
 * @param {Item[]} items what is inside
 * @returns {TreeNode}
 */
export function buildNode(e, role, traits, interactive, clickable, inert, items) {
  const node = makeNode(e, role, "", items, inert);
  node.interactive = interactive;
  node.clickable = clickable;
  node.traits = traits;
  const byContent = NAMED_BY_CONTENT.has(role);
  /** @type {string | undefined} */
  let whole;
  const content = () => {
    whole ??= items.length ? line(contentText(items), NAME_CHARS + 1) : "";
    return whole;
  };
  node.name = nameOf(
    e,
    role,
    () => cut(content(), NAME_CHARS),
    traits,
    () => {
      node.label = labelText(e);
      return node.label;
    },
  );
  if (byContent) {
    if (items.length && (role === "heading" || content().length <= NAME_CHARS))
      node.kids = items.filter((item) => !isRun(item) && !isPlain(item));
  } else if (!node.name && hasRun(items)) {
    const direct = leadingText(items);
    node.name = line(direct.text, NAME_CHARS);
    node.kids = direct.rest;
    node.plain = node.name !== "" && role === "generic" && !interactive && !clickable;
  }
  // What a button or link draws is its icon; in a row that can be clicked it may well be a control of its own.
  if (interactive && role !== "generic" && hasDrawn(node.kids)) node.kids = node.kids.filter(isNotDrawn);
  if (hasBlank(node.kids)) node.kids = tidy(node.kids);
  if (role === "generic" || CONTEXT_ROLES.has(role)) lendContext(node, items);
  return node;
}

/** @param {Item} item */
function isNotDrawn(item) {
  return isRun(item) || !item.drawn;
}

/** @param {Item[]} items */
function hasDrawn(items) {
  for (const item of items) if (!isNotDrawn(item)) return true;
  return false;
}

/**
 * Tell the controls inside a container what it is about, nearest container first.
 * @param {TreeNode | null} node the container, if it has a line of its own
 * @param {Item[]} items
 */
export function lendContext(node, items) {
  if (node?.interactive || items.length > CONTEXT_ITEMS) return;
  let text = "";
  for (const item of items) {
    if (isRun(item) || item.context || !(item.interactive || item.clickable)) continue;
    text ||= line(node?.name || contentText(items, true), CONTEXT_CHARS);
    if (text.length < 2) return;
    item.context = text;
  }
}

/**
 * Whether a node that nobody can act on gets a line in a tree of everything.
 * @param {TreeNode} node
 * @param {string} tag
 * @returns {boolean}
 */
export function isKept({ name, role, kids }, tag) {
  if (tag === "body" || tag === "html") return false;
  if (name) return true;
  if (!STRUCTURE.has(role) || needsName(role)) return false;
  if (role === "heading") return false;
  if (role === "listitem" || role === "list") return kids.length > 1;
  return (
    kids.length > 0 || role === "separator" || role === "progressbar" || role === "audio" || role === "video"
  );
}

/**
 * A drop-down or list with its options.
 * @param {HTMLSelectElement} select
 * @param {boolean} anchored it is what the tree is about
 * @param {boolean} inert
 * @returns {TreeNode}
 */
export function selectNode(select, anchored, inert) {
  const role = roleOf(select);
  const off = inert || hasAttribute(select, "inert");
  const node = buildNode(select, role, ALL, true, false, off, []);
  node.name = selectedText(select) || nameOf(select, role);
  const options = select.options;
  const cap = anchored ? ANCHORED_SELECT_OPTIONS : SELECT_OPTIONS;
  for (let i = 0, shown = 0; i < options.length && i < OPTIONS; i++) {
    const option = /** @type {HTMLOptionElement} */ (options[i]);
    if (shown >= cap && !option.selected) continue;
    shown++;
    const name = line(attribute(option, "label") || option.text, NAME_CHARS);
    const item = makeNode(option, "option", name, [], false);
    item.selected = option.selected;
    node.kids.push(item);
  }
  if (options.length > cap)
    node.kids.push({ text: `${options.length} options in all, anchor the tree at this ref to list more` });
  return node;
}
