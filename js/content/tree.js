/**
 * The accessibility tree as text: lines, pages, and the list of controls for constrained calls.
 */

import { whole } from "./args.js";
import { conversation } from "./conversation.js";
import { documentTitle, documentURL, pageRoot } from "./dom.js";
import { pageGate } from "./gate.js";
import { filtered } from "./items.js";
import {
  DEPTH_DEFAULT,
  DEPTH_MAX,
  PAGE_CHARS,
  PAGE_CHARS_MAX,
  PAGE_CHARS_MIN,
  PRIORITY_CONTROLS,
  SNAPSHOTS,
} from "./limits.js";
import { Printer } from "./lines.js";
import { nameOf } from "./names.js";
import { roleOf } from "./roles.js";
import { line } from "./text.js";
import { undrawnItems } from "./undrawn.js";
import { Walk } from "./walk.js";

/** @typedef {import("./items.js").TreeNode} TreeNode */
/** @typedef {import("./items.js").Item} Item */
/** @typedef {import("./items.js").Filter} Filter */
/** @typedef {import("./refs.js").Refs} Refs */
/** @typedef {import("./lines.js").Line} Line */
/**
 * @typedef {object} Snapshot
 * @property {string} revision
 * @property {string} key
 * @property {Line[]} lines
 * @property {number[]} starts index of the first line of each page
 * @property {number} totalChars
 * @property {boolean} cut
 * @property {boolean} deep
 * @property {string | null} threadRef the element that holds the conversation shown, if the page is one
 * @property {import("./conversation.js").Expansion | null} expansion whether all of it is unfolded
 */

/** @typedef {import("./lines.js").Shape} Shape */

const OVERLAY_BANNER = "[open overlays]";
const PAGE_BANNER = "[page]";
const PRIORITY_BANNER = "[priority controls]";

/** Part of every revision, so that one of another document is never mistaken for one of this. */
const documentMark = Math.floor(Math.random() * 36 ** 4)
  .toString(36)
  .padStart(4, "0");

export class Trees {
  /** @type {Snapshot[]} */
  #snapshots = [];
  #count = 0;
  #refs;

  /** @param {Refs} refs */
  constructor(refs) {
    this.#refs = refs;
  }

  /**
   * Answer a `tree` call.
   * @param {Shape} shape
   * @param {Element | null} anchor element of `shape.ref_id`
   * @param {number} page
   * @param {string | null} revision
   * @returns {Record<string, unknown>}
   */
  read(shape, anchor, page, revision) {
    const key = JSON.stringify([shape.filter, shape.maxDepth, shape.maxChars, shape.ref_id]);
    if (page <= 1) return this.#page(this.#build(shape, anchor, key), shape, 1);
    const snapshot = revision
      ? this.#snapshots.find((s) => s.revision === revision)
      : this.#snapshots.findLast((s) => s.key === key);
    if (!snapshot || snapshot.key !== key)
      return {
        success: false,
        code: "stale_snapshot",
        error: `Page ${page} belongs to a reading of the page that is gone or had other arguments. Read the tree again from page 1.`,
      };
    return this.#page(snapshot, shape, page);
  }

  /**
   * @param {Shape} shape
   * @param {Element | null} anchor
   * @param {string} key
   * @returns {Snapshot}
   */
  #build(shape, anchor, key) {
    this.#refs.sweep();
    const walk = new Walk(anchor);
    const root = anchor ?? pageRoot(document);
    let all = root ? walk.run(root) : [];
    if (!anchor && !all.length && !walk.overlays.length) all = undrawnItems();
    // In an anchored tree the viewport does not count.
    const filter = anchor && shape.filter === "visible" ? "all" : shape.filter;
    const fixed = new Set(walk.overlays.map((node) => node.el));
    /** @param {import("./items.js").TreeNode} node */
    const always = (node) => fixed.has(node.el) || node.el === anchor;
    const items = filtered(all, filter, always);
    const overlays = filtered(walk.overlays, filter, always);
    const printer = new Printer(this.#refs, shape, anchor, [...overlays, ...items]);
    if (overlays.length) {
      printer.banner(OVERLAY_BANNER);
      printer.items(overlays, 0);
      if (items.length) printer.banner(PAGE_BANNER);
    }
    printer.items(items, 0);
    const lines = printer.lines;
    if (shape.filter === "visible" && !anchor) prioritise(lines, printer.priority, shape.maxChars);
    const snapshot = {
      revision: `${documentMark}-${++this.#count}`,
      key,
      lines,
      starts: pageStarts(lines, shape.maxChars),
      totalChars: lines.reduce((sum, l) => sum + l.text.length + 1, 0),
      cut: walk.cut || printer.full,
      deep: printer.deep,
      ...this.#thread(walk, anchor),
    };
    this.#snapshots = [...this.#snapshots.slice(-(SNAPSHOTS - 1)), snapshot];
    return snapshot;
  }

  /**
   * Where a conversation is and whether it is unfolded; in an anchored tree only if it is that of the conversation.
   * @param {Walk} walk
   * @param {Element | null} anchor
   * @returns {Pick<Snapshot, "threadRef" | "expansion">}
   */
  #thread(walk, anchor) {
    const found = conversation(walk.controls);
    if (!found || (anchor && anchor !== found.root)) return { threadRef: null, expansion: null };
    const role = roleOf(found.root);
    const threadRef = this.#refs.of(found.root, {
      role,
      name: nameOf(found.root, role),
      interactive: false,
    });
    return { threadRef, expansion: found.expansion };
  }

  /**
   * @param {Snapshot} snapshot
   * @param {Shape} shape
   * @param {number} page
   * @returns {Record<string, unknown>}
   */
  #page(snapshot, shape, page) {
    const { lines, starts, revision, totalChars } = snapshot;
    const pages = starts.length;
    const from = starts[page - 1];
    const to = starts[page] ?? lines.length;
    const shown = from === undefined ? [] : lines.slice(from, to);
    const before = lines.slice(0, from ?? lines.length).reduce((sum, l) => sum + l.text.length + 1, 0);
    let pageContent = shown.map((l) => l.text).join("\n");
    if (from === undefined)
      pageContent = `There is no page ${page}: this reading has ${pages} page${pages === 1 ? "" : "s"}.`;
    else if (!shown.length) pageContent = "Nothing to show: the page is empty or has nothing of this kind.";
    const hasMore = from !== undefined && page < pages;
    const notices = [];
    if (snapshot.cut)
      notices.push(
        "The page is too large to be read whole; what lies further on is left out. Anchor the tree at a ref_id to read a part in full.",
      );
    if (snapshot.deep)
      notices.push("Deeper levels are left out; anchor the tree at a ref_id or raise maxDepth to see them.");
    if (hasMore) notices.push(`Page ${page} of ${pages}. Call again with continuationArgs for the next one.`);
    const view = window;
    /** @type {Record<string, unknown>} */
    const answer = {
      success: true,
      pageContent,
      viewport: {
        width: view.innerWidth,
        height: view.innerHeight,
        scrollX: Math.round(view.scrollX),
        scrollY: Math.round(view.scrollY),
      },
      truncated: hasMore || page > 1 || snapshot.cut,
      hasMore,
      page,
      nextPage: hasMore ? page + 1 : null,
      totalChars,
      chunkStart: before,
      chunkEnd: before + (from === undefined ? 0 : pageContent.length),
      autoDegraded: snapshot.cut,
      notice: notices.join(" ") || null,
      continuationArgs: null,
      treeRevision: revision,
      url: documentURL(document).slice(0, 2_000),
      title: line(documentTitle(document), 300),
      controls: shown.flatMap((l) => (l.control ? [l.control] : [])),
    };
    const gate = page === 1 && !shape.ref_id ? pageGate() : null;
    if (gate) answer.pageGate = gate.kind;
    if (snapshot.threadRef) {
      answer.conversationRootRefId = snapshot.threadRef;
      answer.conversationExpansionState = snapshot.expansion;
    }
    if (hasMore) {
      const args = {
        filter: shape.filter,
        maxDepth: shape.maxDepth,
        maxChars: shape.maxChars,
        page: page + 1,
        tree_revision: revision,
      };
      answer.continuationArgs = shape.ref_id ? { ...args, ref_id: shape.ref_id } : args;
    }
    return answer;
  }
}

/**
 * Turn the arguments of a `tree` call into one of the shapes there are.
 * @param {Record<string, unknown>} args
 * @returns {Shape}
 */
export function shapeOf(args) {
  const filter = args.filter === "visible" || args.filter === "interactive" ? args.filter : "all";
  return {
    filter,
    maxDepth: whole(args.maxDepth, DEPTH_DEFAULT, 1, DEPTH_MAX),
    maxChars: whole(args.maxChars, PAGE_CHARS[filter], PAGE_CHARS_MIN, PAGE_CHARS_MAX),
    ref_id: typeof args.ref_id === "string" && args.ref_id ? args.ref_id.trim() : null,
  };
}

/**
 * Where each page starts: whole lines only, at least one per page.
 * @param {Line[]} lines
 * @param {number} maxChars
 * @returns {number[]}
 */
function pageStarts(lines, maxChars) {
  const starts = [0];
  let size = 0;
  lines.forEach((l, i) => {
    if (size > 0 && size + l.text.length + 1 > maxChars) {
      starts.push(i);
      size = 0;
    }
    size += l.text.length + 1;
  });
  return starts;
}

/**
 * In a long tree of the viewport, repeat first what a user most likely wants: the focused field, fields, sending.
 * @param {Line[]} lines
 * @param {{ line: Line, rank: number }[]} found
 * @param {number} maxChars
 */
function prioritise(lines, found, maxChars) {
  const size = lines.reduce((sum, l) => sum + l.text.length + 1, 0);
  if (size <= maxChars || !found.length) return;
  const best = [...found].sort((a, b) => a.rank - b.rank).slice(0, PRIORITY_CONTROLS);
  const copies = best.map(({ line: l }) => ({ ...l, text: l.text.trimStart(), control: null }));
  const pageBanner = lines.some((l) => l.text === PAGE_BANNER)
    ? []
    : [{ text: PAGE_BANNER, control: null, first: true }];
  lines.unshift({ text: PRIORITY_BANNER, control: null, first: true }, ...copies, ...pageBanner);
}
