/**
 * Whether what a page changed is its answer to an action, or a sign that it has only begun to work on one.
 */

import { isElement, localName, textContent } from "./dom.js";
import { SKIPPED } from "./names.js";

/** Attributes that say what something is, not what it looks like. */
const TELLING = /^(aria-(?!hidden)|open$|hidden$|checked$)/;
/** Words of a page that is at work. */
const UNFINISHED = /(\.\.\.|…)\s*$|\b(loading|please wait|in progress)\b/i;
const UNFINISHED_CHARS = 80;
/**
 * A text that says nothing but that the page is at work. Stricter than the words above, which are asked of what a page
 * has just written: a page at rest may well show "More..." or a column called "In progress".
 */
const WORKING = new RegExp(
  [
    "loading",
    "please wait\\b.{0,60}",
    "(?:loading|just a moment|one moment|working|processing|searching|saving|sending|submitting|uploading|connecting|fetching|updating|refreshing|generating|calculating|checking|verifying)\\b[^.…]{0,40}(?:\\.{3}|…)",
    "lädt|wird geladen|laden(?:\\.{3}|…)|chargement(?: en cours)?|cargando|caricamento(?: in corso)?|carregando|загрузка|加载中|載入中|読み込み中|로딩 ?중",
  ]
    .map((words) => `^(?:${words})[\\s.!…]*$`)
    .join("|"),
  "i",
);
const NODES = 20;

/**
 * A text, something that came with words or went with them, a state: that is what a user would read as an answer.
 * Classes, styles and empty elements (the ripple of a button) are none.
 * @param {MutationRecord} record
 * @returns {"answer" | "unfinished" | ""}
 */
export function saidBy(record) {
  if (record.type === "attributes") return TELLING.test(record.attributeName ?? "") ? "answer" : "";
  if (record.type === "characterData") return wordsOf([record.target]);
  const added = firstOf(record.addedNodes);
  return added.length ? wordsOf(added) : wordsOf(firstOf(record.removedNodes)) && "answer";
}

/** @param {NodeList} nodes @returns {Node[]} those that can be seen */
function firstOf(nodes) {
  const found = [];
  for (let i = 0; i < nodes.length && i < NODES; i++) {
    const node = /** @type {Node} */ (nodes[i]);
    if (!isElement(node) || !SKIPPED.has(localName(node))) found.push(node);
  }
  return found;
}

/** @param {Node[]} nodes @returns {"answer" | "unfinished" | ""} */
function wordsOf(nodes) {
  let words = false;
  for (const node of nodes) {
    const text = (textContent(node) ?? "").trim();
    if (text.length <= UNFINISHED_CHARS && UNFINISHED.test(text)) return "unfinished";
    words ||= text !== "";
  }
  return words ? "answer" : "";
}

/**
 * @param {string} text of one text node
 * @returns {boolean} it says that the page is at work, and nothing else
 */
export function saysWorking(text) {
  if (text.length > 2 * UNFINISHED_CHARS) return false;
  const words = text.trim();
  return words !== "" && words.length <= UNFINISHED_CHARS && WORKING.test(words);
}
