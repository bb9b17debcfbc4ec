/**
 * `get_interactive_elements` and the description of one element that several readings share.
 */

import { credentialReason, MASK } from "./credentials.js";
import {
  attribute,
  composedContains,
  documentOf,
  isEditable,
  isHTML,
  localName,
  pageRoot,
  rectOf,
  viewOf,
} from "./dom.js";
import { isRun } from "./items.js";
import { ELEMENT_OPTIONS, ELEMENTS, HREF_CHARS, NAME_CHARS, VALUE_CHARS } from "./limits.js";
import { iconHint, labelText, nameOf, textInside } from "./names.js";
import { inputType, isDisabled, isTypeable, roleOf } from "./roles.js";
import { plainRect, touchesViewport } from "./sight.js";
import { line, value as valueText } from "./text.js";
import { Walk } from "./walk.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./session.js").Answer} Answer */
/** @typedef {import("./items.js").TreeNode} TreeNode */
/** @typedef {import("./items.js").Item} Item */

const HINT_CHARS = 60;
/**
 * @param {Session} session
 * @returns {Answer}
 */
export function getInteractiveElements(session) {
  const { nodes, modal, cut } = controlsOf();
  const shown = nodes.length > ELEMENTS ? nearest(nodes) : nodes;
  const elements = shown.map((node) => ({
    index: session.numbers.of(node.el),
    ...describeControl(session, node),
  }));
  return {
    success: true,
    elements,
    total: nodes.length,
    truncated: cut || shown.length < nodes.length,
    modal: modal ? session.describe(modal) : null,
  };
}

/**
 * Every control of the page, or of the modal dialog that is open.
 * @param {Document} [only] a document to stay in
 * @returns {{ nodes: TreeNode[], modal: Element | null, cut: boolean }}
 */
export function controlsOf(only) {
  const root = pageRoot(document);
  if (!root) return { nodes: [], modal: null, cut: false };
  const walk = new Walk();
  const items = walk.run(root);
  const modal = topModal(walk.overlays);
  /** @type {TreeNode[]} */
  const nodes = [];
  /** @param {Item[]} from */
  const collect = (from) => {
    for (const item of from) {
      if (isRun(item)) continue;
      const counts = (item.interactive || item.clickable) && localName(item.el) !== "option";
      if (counts && (!only || documentOf(item.el) === only)) nodes.push(item);
      collect(item.kids);
    }
  };
  collect(walk.overlays);
  collect(items);
  const reachable = modal ? nodes.filter((node) => composedContains(modal, node.el)) : nodes;
  return { nodes: reachable, modal, cut: walk.cut };
}

/** @param {TreeNode[]} overlays @returns {Element | null} the dialog that stands over everything else */
function topModal(overlays) {
  const modal = overlays.findLast(
    ({ el, role }) =>
      attribute(el, "aria-modal") === "true" ||
      (localName(el) === "dialog" && el.matches(":modal")) ||
      role === "alertdialog",
  );
  return modal?.el ?? null;
}

/**
 * Of too many controls those in the viewport first; the order of the page is kept.
 * @param {TreeNode[]} nodes
 * @returns {TreeNode[]}
 */
function nearest(nodes) {
  const inView = nodes.filter(({ box }) => touchesViewport(rectOf(box), viewOf(box)));
  const kept = new Set([...new Set([...inView, ...nodes])].slice(0, ELEMENTS));
  return nodes.filter((node) => kept.has(node));
}

/**
 * @param {Session} session
 * @param {TreeNode} node
 * @returns {Record<string, unknown>}
 */
function describeControl(session, node) {
  const { el, role, name } = node;
  const answer = describeElement(session, el, role, name);
  if (node.covered) answer.covered = true;
  if (node.inert) answer.inert = true;
  return answer;
}

/**
 * What a list says about one element. Empty fields are left out.
 * @param {Session} session
 * @param {Element} el
 * @param {string} [role]
 * @param {string} [name] its accessible name, where it is known
 * @returns {Record<string, unknown>}
 */
export function describeElement(session, el, role = roleOf(el), name = nameOf(el, role)) {
  const tag = localName(el);
  const html = isHTML(el);
  const field = html && /^(input|textarea|select)$/.test(tag);
  const text = line(name || textInside(el, NAME_CHARS), NAME_CHARS);
  const hint = text ? "" : iconHint(el) || line(attribute(el, "class"), HINT_CHARS);
  /** @type {Record<string, unknown>} */
  const all = {
    ref_id: session.refs.of(el, { role, name, interactive: true }),
    tag,
    type: html ? inputType(el) || line(attribute(el, "type"), 20) : "",
    role: role === "generic" ? "" : role,
    text,
    id: line(attribute(el, "id"), HINT_CHARS),
    name: line(attribute(el, "name"), HINT_CHARS),
    href: line(attribute(el, "href"), HREF_CHARS),
    label: field ? labelText(el) : "",
    hint: hint || line(attribute(el, "placeholder") ?? attribute(el, "title"), HINT_CHARS),
    editable: isTypeable(el) || isEditable(el),
    disabled: isDisabled(el),
    rect: plainRect(el),
  };
  if (field) Object.assign(all, fieldState(/** @type {HTMLInputElement} */ (el), tag));
  return Object.fromEntries(
    Object.entries(all).filter(([, v]) => v !== "" && v !== false && v !== undefined),
  );
}

/** @param {HTMLInputElement} el @param {string} tag */
function fieldState(el, tag) {
  const type = inputType(el);
  if (tag === "select") {
    const options = /** @type {HTMLSelectElement} */ (/** @type {unknown} */ (el)).options;
    const texts = [];
    for (let i = 0; i < options.length && texts.length < ELEMENT_OPTIONS; i++)
      texts.push(line(options[i]?.text, VALUE_CHARS));
    return { options: texts, optionCount: options.length };
  }
  if (type === "checkbox" || type === "radio") return { checked: String(el.checked) };
  if (/^(submit|button|reset|image|file)$/.test(type) || !el.value) return {};
  return { value: credentialReason(el) ? MASK : valueText(el.value, VALUE_CHARS) };
}
