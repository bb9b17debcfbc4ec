/**
 * The page's part of reading a conversation whole: where it is, and whether all of it is shown.
 *
 * A page of a tree can be read to its end and still lack what the application has folded away. So a reading names the
 * element that holds the whole conversation, for a reading anchored there, and says whether the page offers to unfold
 * more. Both are taken from structure the application owns, never from the text of a message: a button inside a message
 * does not count.
 */

import { attribute, composedContains, composedParent, localName, queryAll } from "./dom.js";
import { roleOf } from "./roles.js";
import { isRendered } from "./sight.js";

/** @typedef {import("./items.js").TreeNode} TreeNode */
/** @typedef {"expanded" | "collapsed" | "unknown"} Expansion */

/** What mail applications mark a message with; Gmail's marks first. */
const MESSAGE = "[data-message-id],[data-legacy-message-id],[data-convid] [role=listitem]";
/** What other applications make messages of, if they can be unfolded together. */
const ARTICLE = 'article,[role="article"],[role="listitem"]';
const EXPAND = /^expand all\b/i;
const COLLAPSE = /^collapse all\b/i;
/** Where a conversation ends on the way up. */
const HOLDERS = new Set(["main", "dialog", "region", "feed", "log", "list"]);
const MESSAGES = 300;
const STEPS = 30;

/**
 * The conversation that is shown, if the page is one.
 * @param {readonly TreeNode[]} controls of the page
 * @returns {{ root: Element, expansion: Expansion } | null}
 */
export function conversation(controls) {
  const switches = controls.filter(({ name }) => EXPAND.test(name) || COLLAPSE.test(name));
  const marked = rendered(document, MESSAGE);
  if (!marked.length && !switches.length) return null;
  const messages = marked.length ? marked : articlesNear(switches);
  if (!messages.length || (!marked.length && messages.length < 2)) return null;
  const own = switches.filter(({ el }) => !messages.some((m) => composedContains(m, el)));
  const root = holderOf([...messages, ...own.map(({ el }) => el)]);
  return root && { root, expansion: expansionOf(own, messages) };
}

/** @param {Document | Element} scope @param {string} selector @returns {Element[]} */
function rendered(scope, selector) {
  const all = queryAll(scope, selector);
  const found = [];
  for (let i = 0; i < all.length && found.length < MESSAGES; i++) {
    const e = /** @type {Element} */ (all[i]);
    if (isRendered(e)) found.push(e);
  }
  return found;
}

/** @param {TreeNode[]} switches @returns {Element[]} the messages of an application that marks them by role only */
function articlesNear(switches) {
  const first = switches[0];
  let at = first ? composedParent(first.el) : null;
  for (let i = 0; at && i < STEPS; at = composedParent(at), i++) {
    const found = rendered(at, ARTICLE);
    if (found.length > 1) return found.filter((e) => !found.some((x) => x !== e && composedContains(x, e)));
  }
  return [];
}

/**
 * The nearest element that holds all of these and is the page's own division, not merely the body.
 * @param {Element[]} all
 * @returns {Element | null}
 */
function holderOf(all) {
  let at = composedParent(/** @type {Element} */ (all[0]));
  for (let i = 0; at && i < STEPS; at = composedParent(at), i++) {
    const here = /** @type {Element} */ (at);
    if (/^(body|html)$/.test(localName(here))) return null;
    if (HOLDERS.has(roleOf(here)) && all.every((e) => composedContains(here, e))) return here;
  }
  return null;
}

/**
 * @param {TreeNode[]} switches outside of messages
 * @param {Element[]} messages
 * @returns {Expansion}
 */
function expansionOf(switches, messages) {
  if (switches.some(({ name }) => EXPAND.test(name))) return "collapsed";
  if (messages.some((m) => attribute(m, "aria-expanded") === "false")) return "collapsed";
  if (switches.some(({ name }) => COLLAPSE.test(name))) return "expanded";
  return messages.length === 1 ? "expanded" : "unknown";
}
