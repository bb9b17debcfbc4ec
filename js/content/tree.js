/**
 * The accessibility tree as text: lines, pages, and the list of controls for constrained calls.
 */

import {
  attribute,
  deepActive,
  documentOf,
  documentTitle,
  documentURL,
  hasAttribute,
  isHTML,
  localName,
  pageRoot,
  rectOf,
  viewOf,
} from "./dom.js";
import {
  ANCHORED_VALUE_CHARS,
  ATTRIBUTE_CHARS,
  DEPTH_DEFAULT,
  DEPTH_MAX,
  HREF_CHARS,
  NAME_CHARS,
  PAGE_CHARS,
  PAGE_CHARS_MAX,
  PAGE_CHARS_MIN,
  PRIORITY_CONTROLS,
  SNAPSHOTS,
  TREE_CHARS,
  VALUE_CHARS,
} from "./limits.js";
import { iconHint, labelText } from "./names.js";
import { abilities, inputType, isDisabled, isEditableRoot, isTypeable } from "./roles.js";
import { line, quote, value as valueText } from "./text.js";
import { frameNote, isRun, Walk } from "./walk.js";

/** @typedef {import("./walk.js").TreeNode} TreeNode */
/** @typedef {import("./walk.js").Item} Item */
/** @typedef {import("./walk.js").Filter} Filter */
/** @typedef {import("./refs.js").Refs} Refs */
/** @typedef {{ ref: string, role: string, name: string, can: ("click" | "type" | "select" | "toggle")[] }} Control */
/** @typedef {{ text: string, control: Control | null, first: boolean }} Line */
/**
 * @typedef {object} Snapshot
 * @property {string} revision
 * @property {string} key
 * @property {Line[]} lines
 * @property {number[]} starts index of the first line of each page
 * @property {number} totalChars
 * @property {boolean} cut
 * @property {boolean} deep
 */

/** @typedef {{ filter: Filter, maxDepth: number, maxChars: number, ref_id: string | null }} Shape */

const PRIORITY_NAME = /^(send|submit|post|reply|search|save|continue|next)\b/i;
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
    const walk = new Walk(shape.filter, anchor);
    const root = anchor ?? pageRoot(document);
    const items = root ? walk.run(root) : [];
    const printer = new Printer(this.#refs, shape, anchor, [...walk.overlays, ...items]);
    if (walk.overlays.length) {
      printer.banner(OVERLAY_BANNER);
      printer.items(walk.overlays, 0);
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
    };
    this.#snapshots = [...this.#snapshots.slice(-(SNAPSHOTS - 1)), snapshot];
    return snapshot;
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
 * A whole number within bounds.
 * @param {unknown} given
 * @param {number} standard
 * @param {number} min
 * @param {number} max
 * @returns {number}
 */
export function whole(given, standard, min, max) {
  const n =
    typeof given === "number"
      ? given
      : typeof given === "string" && given.trim()
        ? Number(given)
        : Number.NaN;
  return Number.isFinite(n) ? Math.min(max, Math.max(min, Math.round(n))) : standard;
}

class Printer {
  /** @type {Line[]} */
  lines = [];
  /** @type {{ line: Line, rank: number }[]} */
  priority = [];
  full = false;
  deep = false;
  #chars = 0;
  #refs;
  #shape;
  #anchor;
  #focused;
  /** How often each role and name of a control occurs. @type {Map<string, number>} */
  #twins = new Map();

  /**
   * @param {Refs} refs
   * @param {Shape} shape
   * @param {Element | null} anchor
   * @param {Item[]} all
   */
  constructor(refs, shape, anchor, all) {
    this.#refs = refs;
    this.#shape = shape;
    this.#anchor = anchor;
    this.#focused = deepActive();
    this.#count(all);
  }

  /** @param {Item[]} items */
  #count(items) {
    for (const item of items) {
      if (isRun(item)) continue;
      if (item.interactive || item.clickable) {
        const key = `${item.role} ${item.name}`;
        this.#twins.set(key, (this.#twins.get(key) ?? 0) + 1);
      }
      this.#count(item.kids);
    }
  }

  /** @param {string} text */
  banner(text) {
    this.#add({ text, control: null, first: true });
  }

  /**
   * @param {Item[]} items
   * @param {number} depth
   */
  items(items, depth) {
    for (const item of items) {
      if (this.full) return;
      if (depth >= this.#shape.maxDepth) {
        this.deep = true;
        return;
      }
      if (isRun(item)) {
        this.#add({
          text: `${" ".repeat(depth)}text ${quote(line(item.text, NAME_CHARS))}`,
          control: null,
          first: false,
        });
        continue;
      }
      this.#node(item, depth);
      this.items(item.kids, depth + 1);
    }
  }

  /**
   * @param {TreeNode} node
   * @param {number} depth
   */
  #node(node, depth) {
    const { el, role, name } = node;
    const acts = node.interactive || node.clickable;
    const ref = this.#refs.of(el, { role, name, interactive: acts });
    const disabled = acts && isDisabled(el);
    const parts = [name ? `${role} ${quote(name)} [${ref}]` : `${role} [${ref}]`];
    const anchored = el === this.#anchor;
    this.#describe(node, parts, anchored);
    const twin =
      acts && (this.#twins.get(`${role} ${name}`) ?? 0) > 1 && node.context && node.context !== name;
    if (twin && this.#shape.filter !== "all") parts.push(`in=${quote(node.context)}`);
    for (const flag of this.#flags(node, disabled)) parts.push(`(${flag})`);
    /** @type {Line} */
    const out = { text: " ".repeat(depth) + parts.join(" "), control: null, first: depth === 0 };
    const usable = acts && !disabled && !node.inert && !node.covered;
    if (usable) {
      const can = abilities(el, role);
      const label =
        localName(el) === "select" ? labelText(el) || line(attribute(el, "aria-label"), NAME_CHARS) : "";
      const shown = label ? `${label} (${name})` : name || hintOf(el);
      if (can.length) out.control = { ref, role, name: twin ? `${shown} (${node.context})` : shown, can };
    }
    this.#add(out);
    if (acts && this.priority.length < 200) {
      const rank = el === this.#focused ? 0 : isTypeable(el) ? 1 : PRIORITY_NAME.test(name) ? 2 : -1;
      if (rank >= 0) this.priority.push({ line: out, rank });
    }
  }

  /**
   * href, type, placeholder, checked, value, and what else tells it apart.
   * @param {TreeNode} node
   * @param {string[]} parts
   * @param {boolean} anchored
   */
  #describe({ el, role, name, interactive, clickable }, parts, anchored) {
    const tag = localName(el);
    /** @param {string} key @param {string} text */
    const add = (key, text) => parts.push(`${key}=${quote(text)}`);
    /** @param {string} key @param {string} from @param {number} cap */
    const show = (key, from, cap) => {
      const text = line(attribute(el, from), cap);
      if (text && text !== name) add(key, text);
    };
    if (tag === "a" || tag === "area") show("href", "href", anchored ? ANCHORED_VALUE_CHARS : HREF_CHARS);
    const html = isHTML(el);
    if (html && (tag === "input" || tag === "select" || tag === "textarea")) {
      const control = /** @type {HTMLInputElement} */ (el);
      const type = inputType(el);
      if (tag === "input") add("type", type);
      const label = labelText(el);
      if (label && label !== name) add("label", label);
      show("placeholder", "placeholder", ATTRIBUTE_CHARS);
      if (type === "checkbox" || type === "radio")
        add("checked", control.indeterminate ? "mixed" : String(control.checked));
      else if (tag !== "select" && role !== "button" && type !== "password") {
        const text = valueText(control.value, anchored ? ANCHORED_VALUE_CHARS : VALUE_CHARS);
        if (text) add("value", text);
      }
      if (type === "password" && control.value) parts.push("(filled)");
      if (type === "range" || type === "number") for (const key of ["min", "max", "step"]) show(key, key, 20);
    } else if (tag === "button" && role !== "button") add("type", "button");
    else if (tag === "iframe" || tag === "frame") {
      show("src", "src", HREF_CHARS);
      const note = frameNote(el);
      if (note) parts.push(`(${note})`);
    } else if (tag === "progress" || tag === "meter")
      add("value", String(/** @type {HTMLProgressElement} */ (el).value));
    if (html && isEditableRoot(el) && !isFormField(tag)) {
      const text = valueText(
        editableText(/** @type {HTMLElement} */ (el)),
        anchored ? ANCHORED_VALUE_CHARS : VALUE_CHARS,
      );
      if (text) add("value", text);
      else if (!name) show("placeholder", "data-placeholder", ATTRIBUTE_CHARS);
    }
    if (hasAttribute(el, "aria-valuenow"))
      show("value", hasAttribute(el, "aria-valuetext") ? "aria-valuetext" : "aria-valuenow", ATTRIBUTE_CHARS);
    for (const state of ARIA_STATES) {
      const text = attribute(el, `aria-${state}`);
      if (text === "true" || text === "false" || text === "mixed") add(state, text);
    }
    if (localName(el) === "summary" && el.parentElement)
      add("expanded", String(hasAttribute(el.parentElement, "open")));
    show("date", hasAttribute(el, "data-date") ? "data-date" : "datetime", 30);
    if (!name && (interactive || clickable) && !isFormField(tag)) {
      const hint = iconHint(el);
      if (hint) add("icon", hint);
      show("class", "class", ATTRIBUTE_CHARS);
      show("id", "id", ATTRIBUTE_CHARS);
    }
  }

  /**
   * @param {TreeNode} node
   * @param {boolean} disabled
   * @returns {string[]}
   */
  #flags(node, disabled) {
    const { el } = node;
    const flags = [];
    if (node.clickable) flags.push("clickable");
    if (node.selected) flags.push("selected");
    if (el === this.#focused && (node.interactive || isTypeable(el))) flags.push("focused");
    if (disabled) flags.push("disabled");
    if (node.inert && (node.interactive || node.clickable)) flags.push("inert");
    if (node.covered) flags.push("covered");
    if (isFormField(localName(el)) && isHTML(el)) {
      const field = /** @type {HTMLInputElement} */ (el);
      if (field.required) flags.push("required");
      if (field.readOnly) flags.push("readonly");
    }
    if (attribute(el, "aria-invalid") === "true") flags.push("invalid");
    return flags;
  }

  /** @param {Line} out */
  #add(out) {
    this.#chars += out.text.length + 1;
    if (this.#chars > TREE_CHARS) this.full = true;
    else this.lines.push(out);
  }
}

const ARIA_STATES = ["checked", "selected", "expanded", "pressed"];

/** @param {string} tag */
function isFormField(tag) {
  return tag === "input" || tag === "textarea" || tag === "select";
}

/**
 * What an editor holds, as far as it is shown.
 * @param {HTMLElement} e
 * @returns {string}
 */
export function editableText(e) {
  // biome-ignore lint/performance/useDomNodeTextContent: line breaks as shown are the point
  const text = e.innerText ?? "";
  return text.endsWith("\n") ? text.slice(0, -1) : text;
}

/** @param {Element} e */
function hintOf(e) {
  return (
    iconHint(e) || line(attribute(e, "class"), ATTRIBUTE_CHARS) || line(attribute(e, "id"), ATTRIBUTE_CHARS)
  );
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

/**
 * Viewport of an element's document, for reports.
 * @param {Element} e
 * @returns {{ x: number, y: number, width: number, height: number }}
 */
export function plainRect(e) {
  const r = rectOf(e);
  return { x: Math.round(r.x), y: Math.round(r.y), width: Math.round(r.width), height: Math.round(r.height) };
}

/** @param {Element} e @returns {boolean} in the document the script runs in */
export function inTopDocument(e) {
  return documentOf(e) === document && viewOf(e) === window;
}
