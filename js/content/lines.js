/**
 * Lines of a tree: how one element is written, so that no text of a page can pass for our own structure.
 */

import { credentialReason } from "./credentials.js";
import {
  attribute,
  deepActive,
  documentBase,
  frameDocument,
  hasAttribute,
  isHTML,
  localName,
  rectOf,
} from "./dom.js";
import { fillOf } from "./drawings.js";
import { isRun } from "./items.js";
import {
  ANCHORED_VALUE_CHARS,
  ATTRIBUTE_CHARS,
  CLASS_CHARS,
  DEPTH_MAX,
  HREF_CHARS,
  NAME_CHARS,
  RAW_CHARS,
  TREE_CHARS,
  VALUE_CHARS,
} from "./limits.js";
import { editableText, iconHint, labelText } from "./names.js";
import { abilities, inputType, isDisabled, isEditableRoot, isTypeable, SHAPES } from "./roles.js";
import { frameNote } from "./sight.js";
import { line, quote, value as valueText } from "./text.js";
import { CLASS, DATE, EXPANDED, FAULT, ID, STATE, VALUE_NOW } from "./traits.js";

/** @typedef {import("./items.js").TreeNode} TreeNode */
/** @typedef {import("./items.js").Item} Item */
/** @typedef {import("./items.js").Filter} Filter */
/** @typedef {import("./refs.js").Refs} Refs */
/** @typedef {{ ref: string, role: string, name: string, can: ("click" | "type" | "select" | "toggle")[] }} Control */
/** @typedef {{ text: string, control: Control | null, first: boolean }} Line */
/** @typedef {{ filter: Filter, maxDepth: number, maxChars: number, ref_id: string | null }} Shape */

/** Blanks before a line, by depth. */
const INDENTS = Array.from({ length: DEPTH_MAX + 1 }, (_, depth) => " ".repeat(depth));
const PRIORITY_NAME = /^(send|submit|post|reply|search|save|continue|next)\b/i;

export class Printer {
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
          text: `${INDENTS[depth]}text ${quote(line(item.text, NAME_CHARS))}`,
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
    const disabled = acts && isDisabled(el, node.traits);
    const parts = [
      name ? `${INDENTS[depth]}${role} ${quote(name)} [${ref}]` : `${INDENTS[depth]}${role} [${ref}]`,
    ];
    const special = acts || node.drawn || !PLAIN.has(role) || el === this.#anchor;
    if (special || node.traits & TOLD) this.#describe(node, parts, el === this.#anchor);
    const twin =
      acts && node.context && node.context !== name && (this.#twins.get(`${role} ${name}`) ?? 0) > 1;
    if (twin && this.#shape.filter !== "all") parts.push(`in=${quote(node.context)}`);
    if (special || node.selected) this.#flags(node, disabled, parts);
    /** @type {Line} */
    const out = {
      text: parts.length > 1 ? parts.join(" ") : /** @type {string} */ (parts[0]),
      control: null,
      first: depth === 0,
    };
    const usable = acts && !disabled && !node.inert && !node.covered;
    if (usable) {
      const can = abilities(el, role);
      const label =
        localName(el) === "select"
          ? (node.label ?? labelText(el)) || line(attribute(el, "aria-label"), NAME_CHARS)
          : "";
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
  #describe(node, parts, anchored) {
    const { el, role, name, interactive, clickable, traits, drawn, kids } = node;
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
      const label = node.label ?? labelText(el);
      if (label && label !== name) add("label", label);
      show("placeholder", "placeholder", ATTRIBUTE_CHARS);
      if (type === "checkbox" || type === "radio")
        add("checked", control.indeterminate ? "mixed" : String(control.checked));
      else if (tag !== "select" && role !== "button" && type !== "password") {
        const text = valueText(control.value, anchored ? ANCHORED_VALUE_CHARS : VALUE_CHARS);
        if (text && credentialReason(el, label)) parts.push("(filled)");
        else if (text) add("value", text);
      }
      if (type === "password" && control.value) parts.push("(filled)");
      if (type === "range" || type === "number") for (const key of ["min", "max", "step"]) show(key, key, 20);
    } else if (tag === "button" && role !== "button") add("type", "button");
    else if (tag === "iframe" || tag === "frame") {
      const source = frameSource(el);
      if (source) add("src", source);
      const note = node.unread ? "not read, there are too many frames: iframe_read reads it" : frameNote(el);
      if (note) parts.push(`(${note})`);
    } else if (tag === "progress" || tag === "meter")
      add("value", String(/** @type {HTMLProgressElement} */ (el).value));
    if (html && !isFormField(tag) && isEditableRoot(el, traits)) {
      const text = valueText(
        editableText(/** @type {HTMLElement} */ (el)),
        anchored ? ANCHORED_VALUE_CHARS : VALUE_CHARS,
      );
      if (text) add("value", text);
      else if (!name) show("placeholder", "data-placeholder", ATTRIBUTE_CHARS);
    }
    if (traits & VALUE_NOW)
      show("value", hasAttribute(el, "aria-valuetext") ? "aria-valuetext" : "aria-valuenow", ATTRIBUTE_CHARS);
    if (traits & (STATE | EXPANDED))
      for (const state of ARIA_STATES) {
        const text = attribute(el, `aria-${state}`);
        if (text === "true" || text === "false" || text === "mixed") add(state, text);
      }
    if (tag === "summary" && el.parentElement)
      add("expanded", String(hasAttribute(el.parentElement, "open")));
    if (traits & DATE) show("date", hasAttribute(el, "data-date") ? "data-date" : "datetime", 30);
    if (!html) this.#shapeOf(el, tag, parts);
    if (!name && (interactive || clickable || drawn) && !isFormField(tag)) {
      const hint = iconHint(el);
      if (hint) add("icon", hint);
      if (traits & CLASS) show("class", "class", CLASS_CHARS);
      if (traits & ID) show("id", "id", ATTRIBUTE_CHARS);
      const color = html && role === "generic" && !kids.length ? fillOf(el) : "";
      if (color) add("bg", color);
    }
  }

  /**
   * Fill and size of a part of a drawing.
   * @param {Element} el
   * @param {string} tag
   * @param {string[]} parts
   */
  #shapeOf(el, tag, parts) {
    if (!SHAPES.has(tag)) return;
    const fill = line(attribute(el, "fill"), ATTRIBUTE_CHARS);
    if (fill) parts.push(`fill=${quote(fill)}`);
    const { width, height } = rectOf(el);
    parts.push(`box="${Math.round(width)}x${Math.round(height)}"`);
  }

  /**
   * @param {TreeNode} node
   * @param {boolean} disabled
   * @param {string[]} parts
   */
  #flags(node, disabled, parts) {
    const { el } = node;
    const acts = node.interactive || node.clickable;
    if (node.clickable) parts.push("(clickable)");
    if (node.selected) parts.push("(selected)");
    if (el === this.#focused && (node.interactive || isTypeable(el))) parts.push("(focused)");
    if (disabled) parts.push("(disabled)");
    if (node.inert && acts) parts.push("(inert)");
    if (node.covered) parts.push("(covered)");
    else if (node.behind) parts.push("(behind a dialog)");
    if (isFormField(localName(el)) && isHTML(el)) {
      const field = /** @type {HTMLInputElement} */ (el);
      if (field.required) parts.push("(required)");
      if (field.readOnly) parts.push("(readonly)");
    }
    if (node.traits & FAULT && attribute(el, "aria-invalid") === "true") parts.push("(invalid)");
  }

  /** @param {Line} out */
  #add(out) {
    this.#chars += out.text.length + 1;
    if (this.#chars > TREE_CHARS) this.full = true;
    else this.lines.push(out);
  }
}

/** Roles whose lines say no more than role and name, unless an attribute adds to it. */
const PLAIN = new Set(["generic", "text", "heading", "listitem", "list", "cell", "row", "table", "label"]);
const TOLD = VALUE_NOW | STATE | EXPANDED | DATE | FAULT;
const ARIA_STATES = ["checked", "selected", "expanded", "pressed"];

/** @param {string} tag */
function isFormField(tag) {
  return tag === "input" || tag === "textarea" || tag === "select";
}

/**
 * Where a frame comes from: host and path of another site, the address as it is written otherwise.
 * @param {Element} frame
 * @returns {string}
 */
function frameSource(frame) {
  const written = attribute(frame, "src");
  if (!written || frameDocument(frame)) return line(written, HREF_CHARS);
  try {
    const { host, pathname, protocol } = new URL(written.slice(0, RAW_CHARS), documentBase(frame));
    return line(host ? host + pathname : protocol, HREF_CHARS);
  } catch {
    return line(written, HREF_CHARS);
  }
}

/** @param {Element} e */
function hintOf(e) {
  return (
    iconHint(e) || line(attribute(e, "class"), ATTRIBUTE_CHARS) || line(attribute(e, "id"), ATTRIBUTE_CHARS)
  );
}
