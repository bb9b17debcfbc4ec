/**
 * `read_page`: the page as plain text in reading order, main content first, with headings, lists and tables readable.
 */

import { whole } from "./args.js";
import { credentialReason, MASK } from "./credentials.js";
import {
  attribute,
  characterData,
  documentTitle,
  documentType,
  documentURL,
  firstChild,
  frameDocument,
  hasAttribute,
  isHTML,
  localName,
  nextSibling,
  nodeType,
  pageRoot,
  query,
  queryAll,
  shadowRootOf,
  viewOf,
} from "./dom.js";
import { pageGate } from "./gate.js";
import {
  DOM_DEPTH,
  READ_LIMIT_DEFAULT,
  READ_LIMIT_MAX,
  READ_LIMIT_MIN,
  READ_NODES,
  READ_TEXT_CHARS,
  TREE_FRAMES,
} from "./limits.js";
import { INLINE, SKIPPED } from "./names.js";
import { inputType, roleOf } from "./roles.js";
import { hasBox, hasContentsBox, isRendered } from "./sight.js";
import { block, line } from "./text.js";
import { undrawnText } from "./undrawn.js";
import { chosenText } from "./values.js";

/** @typedef {import("./session.js").Args} Args */
/** @typedef {import("./session.js").Answer} Answer */

/** Main content with less text than this is a shell; the whole body is read instead. */
const MAIN_CHARS = 200;
const CHROME_TAGS = new Set(["nav", "footer", "aside"]);
const CHROME_ROLES = new Set(["navigation", "banner", "contentinfo", "complementary", "search"]);
const DEPTH = DOM_DEPTH;
/** One text node is read to here. */
const NODE_CHARS = 200_000;

/**
 * @param {Args} args `includeChrome`, `offset`, `limit`
 * @returns {Answer}
 */
export function readPage(args) {
  const chrome = args.includeChrome === true;
  const limit = whole(args.limit, READ_LIMIT_DEFAULT, READ_LIMIT_MIN, READ_LIMIT_MAX);
  const offset = whole(args.offset, 0, 0, READ_TEXT_CHARS);
  const { text, source, article, cutShort } = collect(chrome);
  let end = Math.min(text.length, offset + limit);
  if (end < text.length) {
    const gap = Math.max(text.lastIndexOf("\n", end), text.lastIndexOf(" ", end));
    if (gap > offset + limit / 2) end = gap + 1;
  }
  const part = text.slice(offset, end);
  const hasMore = end < text.length;
  const contentType = documentType(document);
  const gate = pageGate();
  return {
    success: true,
    url: documentURL(document).slice(0, 2_000),
    title: line(documentTitle(document), 300),
    text: part,
    originalLength: text.length,
    textOffset: offset,
    textLimit: limit,
    returnedLength: part.length,
    textTruncated: hasMore || cutShort,
    hasMore,
    nextOffset: hasMore ? end : null,
    continuationArgs: hasMore ? { offset: end, limit, ...(chrome ? { includeChrome: true } : {}) } : null,
    truncationReason: hasMore ? "limit" : cutShort ? "page_too_large" : null,
    textSource: source,
    isArticlePage: article,
    accessState: gate ? "gated" : "open",
    ...(gate ? { pageGate: gate.kind, accessGateEvidence: gate.evidence } : {}),
    ...(contentType === "text/html" ? {} : { contentType }),
  };
}

/** @param {boolean} chrome @returns {{ text: string, source: string, article: boolean, cutShort: boolean }} */
function collect(chrome) {
  const root = pageRoot(document);
  if (!root) return { text: "", source: "empty", article: false, cutShort: false };
  const articles = Array.from(queryAll(document, "article")).filter(isRendered);
  const article =
    articles.length === 1 || query(document, 'meta[property="og:type"][content="article"]') !== null;
  if (!chrome) {
    const mains = Array.from(queryAll(document, 'main,[role="main"]')).filter(isRendered);
    const only = mains.length === 1 ? mains[0] : articles.length === 1 ? articles[0] : undefined;
    if (only) {
      const writer = new Writer(false);
      writer.element(only, 0);
      const text = writer.text();
      if (text.length >= MAIN_CHARS)
        return {
          text,
          source: localName(only) === "article" ? "article" : "main",
          article,
          cutShort: writer.cut,
        };
    }
    const writer = new Writer(false);
    writer.element(root, 0);
    const text = writer.text();
    if (text.length > 0) return { text, source: "body", article, cutShort: writer.cut };
  }
  const writer = new Writer(true);
  writer.element(root, 0);
  return {
    text: writer.text() || undrawnText(),
    source: chrome ? "whole page" : "body",
    article,
    cutShort: writer.cut,
  };
}

class Writer {
  cut = false;
  /** @type {string[]} */
  #out = [];
  #size = 0;
  #nodes = 0;
  #frames = 0;
  #chrome;
  /** Line breaks owed before the next word. */
  #breaks = 0;
  /** A blank owed before the next word. */
  #blank = false;
  #prefix = "";
  /** Inside of `visibility: hidden`: takes its place and is not to be read. Children may be visible again. */
  #unseen = false;
  #verbatim = false;

  /** @param {boolean} chrome with navigation, headers and footers */
  constructor(chrome) {
    this.#chrome = chrome;
  }

  text() {
    return block(this.#out.join("")).trim();
  }

  /** @param {string} text */
  #write(text) {
    if (this.#unseen) return;
    if (this.#size >= READ_TEXT_CHARS) {
      this.cut = true;
      return;
    }
    if (this.#out.length) {
      if (this.#breaks) this.#put("\n".repeat(this.#breaks));
      else if (this.#blank) this.#put(" ");
    }
    this.#breaks = 0;
    this.#blank = false;
    if (this.#prefix) this.#put(this.#prefix);
    this.#prefix = "";
    this.#put(text);
  }

  /** @param {string} text */
  #put(text) {
    this.#out.push(text);
    this.#size += text.length;
  }

  /** @param {number} lines */
  #break(lines) {
    this.#breaks = Math.max(this.#breaks, lines);
  }

  /** @param {Text} node */
  #textNode(node) {
    const raw = characterData(node).slice(0, NODE_CHARS);
    if (this.#verbatim) {
      if (raw) this.#write(raw);
      return;
    }
    const text = raw.replace(/\s+/g, " ");
    if (text.startsWith(" ")) this.#blank = true;
    const core = text.trim();
    if (!core) return;
    this.#write(core);
    if (text.endsWith(" ")) this.#blank = true;
  }

  /**
   * @param {Element} e
   * @param {number} depth
   */
  element(e, depth) {
    if (++this.#nodes > READ_NODES || this.#size >= READ_TEXT_CHARS || depth > DEPTH) {
      this.cut = true;
      return;
    }
    const tag = localName(e);
    if (SKIPPED.has(tag) || attribute(e, "aria-hidden") === "true") return;
    if (tag === "br") return this.#break(1);
    if (tag === "hr") return this.#break(2);
    const seen = Element.prototype.checkVisibility.call(e, { visibilityProperty: true });
    if (tag !== "slot" && !seen && !hasBox(e) && !hasContentsBox(e)) return;
    if (!this.#chrome && depth > 0 && isChrome(e, tag)) return;
    const around = this.#unseen;
    this.#unseen = !seen && isInvisible(e);
    this.#rendered(e, tag, depth);
    this.#unseen = around;
  }

  /**
   * @param {Element} e
   * @param {string} tag
   * @param {number} depth
   */
  #rendered(e, tag, depth) {
    if (isHTML(e)) {
      if (tag === "img") {
        const alt = line(attribute(e, "alt"), 200);
        if (alt) this.#write(`[image: ${alt}]`);
        return;
      }
      if (tag === "input" || tag === "textarea" || tag === "select") return this.#field(e, tag);
      if (tag === "iframe") return this.#frame(e, depth);
    }
    const heading = /^h[1-6]$/.test(tag)
      ? Number(tag[1])
      : roleOf(e) === "heading"
        ? Math.min(6, Number(attribute(e, "aria-level")) || 2)
        : 0;
    const gap = INLINE.has(tag)
      ? 0
      : heading ||
          tag === "p" ||
          tag === "table" ||
          tag === "ul" ||
          tag === "ol" ||
          tag === "pre" ||
          tag === "blockquote" ||
          tag === "section" ||
          tag === "article"
        ? 2
        : tag === "td" || tag === "th"
          ? 0
          : 1;
    if (gap) this.#break(gap);
    if (heading) this.#prefix = `${"#".repeat(heading)} `;
    else if (tag === "li") this.#prefix = "- ";
    else if (tag === "td" || tag === "th") {
      if (previousCell(e)) this.#write("|");
      this.#blank = true;
    }
    const verbatim = this.#verbatim;
    if (tag === "pre") this.#verbatim = true;
    this.#kids(e, tag, depth);
    this.#verbatim = verbatim;
    if (heading || tag === "li") this.#prefix = "";
    if (tag === "td" || tag === "th") this.#blank = true;
    else if (gap) this.#break(gap);
  }

  /**
   * @param {Element} e
   * @param {string} tag
   * @param {number} depth
   */
  #kids(e, tag, depth) {
    const assigned = tag === "slot" ? /** @type {HTMLSlotElement} */ (e).assignedNodes() : [];
    if (assigned.length) for (const child of assigned) this.#child(child, depth);
    else
      for (let child = firstChild(shadowRootOf(e) ?? e); child && !this.cut; child = nextSibling(child))
        this.#child(child, depth);
  }

  /** @param {Node} child @param {number} depth */
  #child(child, depth) {
    const type = nodeType(child);
    if (type === 3 || type === 4) this.#textNode(/** @type {Text} */ (child));
    else if (type === 1) this.element(/** @type {Element} */ (child), depth + 1);
  }

  /** @param {Element} e @param {string} tag */
  #field(e, tag) {
    const type = inputType(e);
    if (/^(hidden|password|checkbox|radio|submit|button|reset|image|file)$/.test(type)) {
      if (/^(submit|button|reset)$/.test(type))
        this.#write(line(/** @type {HTMLInputElement} */ (e).value, 100));
      return;
    }
    const value =
      tag === "select"
        ? chosenText(/** @type {any} */ (e))
        : line(/** @type {HTMLInputElement} */ (e).value, 500);
    if (value) this.#write(credentialReason(e) ? `[${MASK}]` : `[${value}]`);
  }

  /** @param {Element} frame @param {number} depth */
  #frame(frame, depth) {
    const doc = frameDocument(frame);
    const root = doc && pageRoot(doc);
    if (!root || this.#frames++ >= TREE_FRAMES) return;
    this.#break(2);
    this.element(root, depth + 1);
    this.#break(2);
  }
}

/** @param {Element} e @returns {boolean} takes its place and is not drawn; a child may be visible all the same */
function isInvisible(e) {
  return viewOf(e).getComputedStyle(e).visibility !== "visible";
}

/** @param {Element} e @param {string} tag @returns {boolean} boilerplate around the content */
function isChrome(e, tag) {
  if (CHROME_TAGS.has(tag)) return true;
  if (tag === "header") return e.closest("article,main,section") === null;
  return hasAttribute(e, "role") && CHROME_ROLES.has(roleOf(e));
}

/** @param {Element} cell @returns {boolean} */
function previousCell(cell) {
  return cell.previousElementSibling !== null;
}
