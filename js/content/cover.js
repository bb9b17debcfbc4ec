/**
 * Which controls a press would not reach: covered by something else, or behind an open dialog.
 */

import { attribute, composedContains, documentOf, rectOf, viewOf } from "./dom.js";
import { TREE_HIT_MS, TREE_HIT_TESTS } from "./limits.js";
import { isCovered, touchesViewport } from "./sight.js";

/** @typedef {import("./items.js").TreeNode} TreeNode */

/**
 * Hit-test the controls in view, as many as the budget allows.
 * @param {TreeNode[]} controls
 */
export function markCovered(controls) {
  const until = performance.now() + TREE_HIT_MS;
  let left = TREE_HIT_TESTS;
  for (const node of controls) {
    if (node.inert) continue;
    const rect = rectOf(node.el);
    if (!touchesViewport(rect, viewOf(node.el))) continue;
    if (left-- <= 0 || performance.now() > until) break;
    node.covered = !isReached(node.el, rect) && isCovered(node.el);
  }
}

/**
 * The ordinary case, with one question: a press on the middle of the element meets it or what is inside it.
 * @param {Element} e
 * @param {DOMRect} rect
 * @returns {boolean}
 */
function isReached(e, rect) {
  const doc = documentOf(e);
  if (doc !== document) return false;
  const x = rect.left + rect.width / 2;
  const y = rect.top + rect.height / 2;
  const hit = Document.prototype.elementFromPoint.call(doc, x, y);
  return hit !== null && (hit === e || composedContains(e, hit));
}

/**
 * Mark what lies behind the dialog that says it is modal. Unlike `inert` this is the page's word only: a press may work.
 * @param {TreeNode[]} controls
 * @param {TreeNode[]} overlays
 */
export function markBehind(controls, overlays) {
  const modal = overlays.findLast(({ el }) => attribute(el, "aria-modal") === "true");
  if (!modal) return;
  const doc = documentOf(modal.el);
  const open = overlays.slice(overlays.indexOf(modal));
  for (const node of controls) {
    if (node.inert || documentOf(node.el) !== doc) continue;
    node.behind = !open.some(({ el }) => composedContains(el, node.el));
  }
}
