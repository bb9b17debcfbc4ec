/**
 * One walk over the rendered page, from which every kind of tree is printed.
 *
 * The walk only reads: it never writes to the page, so the layout it needs is computed at most once. It goes through
 * open and closed shadow roots, slots and frames of the same origin, and is bounded in elements, nesting and time.
 */

import {
  attribute,
  characterData,
  composedContains,
  documentOf,
  firstChild,
  frameDocument,
  hasAttribute,
  hasAttributes,
  isHTML,
  localName,
  nextSibling,
  nodeType,
  pageRoot,
  rectOf,
  shadowRootOf,
  viewOf,
} from "./dom.js";
import {
  contentText,
  FORMATTING,
  hasText,
  isPlain,
  isRun,
  leadingText,
  makeNode,
  push,
  RUN_CHARS,
  SVG_HIDDEN,
  textNode,
  tidy,
  withoutRuns,
} from "./items.js";
import {
  ANCHORED_SELECT_OPTIONS,
  CONTEXT_CHARS,
  DOM_DEPTH,
  NAME_CHARS,
  SELECT_OPTIONS,
  TREE_FRAMES,
  TREE_HIT_MS,
  TREE_HIT_TESTS,
  TREE_MS,
  TREE_NODES,
} from "./limits.js";
import { nameOf, SKIPPED, selectedText, svgTitle } from "./names.js";
import {
  inputType,
  isEditableRoot,
  isInteractive,
  NAMED_BY_CONTENT,
  needsName,
  roleOf,
  STRUCTURE,
} from "./roles.js";
import {
  hasBox,
  hasContentsBox,
  isCovered,
  isGhost,
  isOverlay,
  isRendered,
  isShown,
  modalDialog,
  touchesViewport,
} from "./sight.js";
import { cut, line } from "./text.js";

/** @typedef {import("./items.js").TreeNode} TreeNode */
/** @typedef {import("./items.js").Item} Item */

/**
 * @typedef {object} Inherited
 * @property {boolean} pointer inside something already known to be clickable
 * @property {boolean} hidden inside `aria-hidden`
 * @property {boolean} inert
 * @property {boolean} overlay inside an overlay already hoisted
 * @property {boolean} verbatim inside `pre` or `code`
 */

/** A container with more in it says nothing about one control. */
const CONTEXT_ITEMS = 200;
/** Containers whose text tells equal controls inside them apart. */
const CONTEXT_ROLES = new Set(["listitem", "row", "article", "group", "region", "dialog", "cell", "form"]);

export class Walk {
  /** Overlays that are open, in document order. @type {TreeNode[]} */
  overlays = [];
  visited = 0;
  /** Something was left out because a budget ran out. */
  cut = false;
  #anchor;
  #frames = 0;
  #deadline = performance.now() + TREE_MS;
  /** @type {TreeNode[]} */
  #controls = [];
  /** @type {Set<Element>} */
  #viaLabel = new Set();
  /** @type {Map<Document, Element | null>} */
  #modals = new Map();
  /** @type {Document | null} */
  #doc = null;
  /** @type {Element | null} */
  #modal = null;
  #view = window;

  /** @param {Element | null} anchor the element whose subtree is read, if it is not the page's */
  constructor(anchor = null) {
    this.#anchor = anchor;
  }

  /**
   * @param {Element} root
   * @returns {Item[]} the page without what stands in `overlays`
   */
  run(root) {
    this.#enter(documentOf(root));
    const inert = !!this.#modal && !composedContains(this.#modal, root);
    const items = this.#visit(
      root,
      { pointer: false, hidden: false, inert, overlay: !!this.#anchor, verbatim: false },
      0,
    );
    this.#markCovered();
    return items;
  }

  /** @param {Document} doc */
  #enter(doc) {
    this.#doc = doc;
    this.#view = viewOf(doc);
    if (!this.#modals.has(doc)) this.#modals.set(doc, modalDialog(doc));
    this.#modal = this.#modals.get(doc) ?? null;
  }

  /**
   * @param {Element} e
   * @param {Inherited} above
   * @param {number} depth
   * @returns {Item[]}
   */
  #visit(e, above, depth) {
    if (this.visited >= TREE_NODES || depth > DOM_DEPTH) {
      this.cut = true;
      return [];
    }
    if ((++this.visited & 255) === 0 && performance.now() > this.#deadline) {
      this.cut = true;
      this.visited = TREE_NODES;
      return [];
    }
    const tag = localName(e);
    if (SKIPPED.has(tag)) return [];
    if (tag === "slot") return this.#kids(e, above, depth);
    if (!isShown(e)) {
      if (hasBox(e)) return this.#kids(e, above, depth).filter((item) => !isRun(item));
      if (!hasContentsBox(e)) return [];
    }
    const html = isHTML(e);
    if (!html && SVG_HIDDEN.has(tag)) return [];
    if (html) {
      if (tag === "iframe" || tag === "frame") return this.#frame(e, above, depth);
      if (tag === "select") return this.#select(/** @type {HTMLSelectElement} */ (e), above);
      if (tag === "label") return this.#label(/** @type {HTMLLabelElement} */ (e), above, depth);
    }
    return this.#element(e, tag, html, above, depth);
  }

  /**
   * @param {Element} e
   * @param {string} tag
   * @param {boolean} html
   * @param {Inherited} above
   * @param {number} depth
   * @returns {Item[]}
   */
  #element(e, tag, html, above, depth) {
    const role = roleOf(e);
    const interactive = isInteractive(e, role);
    const clickable =
      !interactive &&
      !above.pointer &&
      tag !== "body" &&
      tag !== "html" &&
      this.#view.getComputedStyle(e).cursor === "pointer";
    const veiled = attribute(e, "aria-hidden") === "true";
    const hidden = above.hidden || veiled;
    const overlay = !above.overlay && isOverlay(e, tag, role);
    const inert = e === this.#modal ? false : above.inert || (html && hasAttribute(e, "inert"));
    const editable = isEditableRoot(e);
    const leaf =
      editable ||
      tag === "input" ||
      tag === "textarea" ||
      tag === "audio" ||
      tag === "video" ||
      tag === "object" ||
      tag === "embed";
    const items = leaf
      ? []
      : this.#kids(
          e,
          {
            pointer: above.pointer || clickable || (interactive && this.#swallowsPointer(e, role)),
            // What is named by its content needs it, whether or not it is hidden from assistive technology.
            hidden: hidden && !interactive && !clickable,
            inert,
            overlay: above.overlay || overlay,
            verbatim: above.verbatim || tag === "pre" || tag === "code",
          },
          depth,
        );
    if (!interactive && !clickable && !overlay) {
      if (
        FORMATTING.has(tag) ||
        (tag === "span" && role === "generic" && (above.verbatim || !hasAttributes(e)))
      )
        return veiled ? withoutRuns(items) : items;
      if (!html) return this.#drawing(e, tag, role, items, hidden);
    }
    if ((interactive || clickable) && isGhost(e)) return [];
    const acts = interactive || clickable || overlay || e === this.#anchor;
    if (hidden && !acts) return withoutRuns(items);
    if (
      !acts &&
      role === "generic" &&
      !hasText(items) &&
      !hasAttribute(e, "aria-label") &&
      !hasAttribute(e, "title")
    ) {
      this.#lendContext(null, items);
      return withoutRuns(items);
    }
    const node = this.#node(e, role, interactive, clickable, inert, items);
    node.hidden = hidden;
    if (overlay) {
      if (node.role === "generic" || node.role === "region") node.role = "dialog";
      this.overlays.push(node);
      return [];
    }
    if (this.#keep(node, tag)) return [node];
    return node.kids.map((item) => (isRun(item) ? textNode(e, item.text, inert) : item));
  }

  /**
   * Whether a pointer cursor inside an interactive element is that element's own. What can merely be focused, such as
   * a scrolling region, holds controls of its own.
   * @param {Element} e
   * @param {string} role
   * @returns {boolean}
   */
  #swallowsPointer(e, role) {
    return role !== "generic" || this.#view.getComputedStyle(e).cursor === "pointer";
  }

  /**
   * @param {Element} e
   * @param {string} role
   * @param {boolean} interactive
   * @param {boolean} clickable
   * @param {boolean} inert
   * @param {Item[]} items
   * @returns {TreeNode}
   */
  #node(e, role, interactive, clickable, inert, items) {
    const node = makeNode(e, role, "", items, inert);
    node.interactive = interactive;
    node.clickable = clickable;
    /** @type {string | undefined} */
    let whole;
    const content = () => (whole ??= line(contentText(items), NAME_CHARS + 1));
    node.name = nameOf(e, role, () => cut(content(), NAME_CHARS));
    if (NAMED_BY_CONTENT.has(role)) {
      if (role === "heading" || content().length <= NAME_CHARS)
        node.kids = items.filter((item) => !isRun(item) && !isPlain(item));
    } else if (!node.name) {
      const direct = leadingText(items);
      node.name = line(direct.text, NAME_CHARS);
      node.kids = direct.rest;
      node.plain = !!node.name && role === "generic" && !interactive && !clickable;
    }
    node.kids = tidy(node.kids);
    if (interactive || clickable) this.#controls.push(node);
    if (CONTEXT_ROLES.has(role) || role === "generic") this.#lendContext(node, items);
    return node;
  }

  /**
   * Tell the controls inside a container what it is about, nearest container first.
   * @param {TreeNode | null} node the container, if it has a line of its own
   * @param {Item[]} items
   */
  #lendContext(node, items) {
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
   * @param {TreeNode} node
   * @param {string} tag
   * @returns {boolean}
   */
  #keep(node, tag) {
    const { el, role, name, kids } = node;
    if (node.interactive || node.clickable || el === this.#anchor) return true;
    if (tag === "body" || tag === "html") return false;
    if (name) return true;
    if (!STRUCTURE.has(role) || needsName(role)) return false;
    if (role === "heading") return false;
    if (role === "listitem" || role === "list") return kids.length > 1;
    return (
      kids.length > 0 ||
      role === "separator" ||
      role === "progressbar" ||
      role === "audio" ||
      role === "video"
    );
  }

  /**
   * Children in the order they are shown.
   * @param {Element} e
   * @param {Inherited} inherited
   * @param {number} depth
   * @returns {Item[]}
   */
  #kids(e, inherited, depth) {
    /** @type {Item[]} */
    const out = [];
    const root = shadowRootOf(e);
    if (!root && localName(e) === "slot") {
      const assigned = /** @type {HTMLSlotElement} */ (e).assignedNodes();
      if (assigned.length) {
        for (const child of assigned) this.#child(child, inherited, depth, out);
        return out;
      }
    }
    if (localName(e) === "details" && !hasAttribute(e, "open")) {
      for (let child = firstChild(e); child; child = nextSibling(child))
        if (nodeType(child) === 1 && localName(/** @type {Element} */ (child)) === "summary") {
          this.#child(child, inherited, depth, out);
          break;
        }
      return out;
    }
    for (let child = firstChild(root ?? e); child; child = nextSibling(child)) {
      this.#child(child, inherited, depth, out);
      if (this.visited >= TREE_NODES) {
        this.cut = true;
        break;
      }
    }
    return out;
  }

  /**
   * @param {Node} child
   * @param {Inherited} inherited
   * @param {number} depth
   * @param {Item[]} out
   */
  #child(child, inherited, depth, out) {
    const type = nodeType(child);
    if (type === 1) {
      if (localName(/** @type {Element} */ (child)) === "br") return push(out, { text: " " });
      for (const item of this.#visit(/** @type {Element} */ (child), inherited, depth + 1)) push(out, item);
    } else if (type === 3) {
      const raw = characterData(/** @type {Text} */ (child));
      const text = (raw.length > RUN_CHARS ? raw.slice(0, RUN_CHARS) : raw).replace(/\s+/g, " ");
      if (text) push(out, { text });
    }
  }

  /**
   * A label stands for its control: its words are the control's name, and it replaces a control that is not drawn.
   * @param {HTMLLabelElement} label
   * @param {Inherited} above
   * @param {number} depth
   * @returns {Item[]}
   */
  #label(label, above, depth) {
    const control = label.control;
    if (!control) return this.#element(label, "label", true, above, depth);
    const items = this.#kids(label, { ...above, pointer: true }, depth);
    const nodes = items.filter((item) => !isRun(item) && !isPlain(item));
    const type = inputType(control);
    const undrawn = (type === "checkbox" || type === "radio" || type === "file") && !isRendered(control);
    if (undrawn && !this.#viaLabel.has(control)) {
      this.#viaLabel.add(control);
      const node = this.#node(control, roleOf(control), true, false, above.inert, []);
      node.box = label;
      nodes.unshift(node);
    }
    return nodes;
  }

  /**
   * @param {HTMLSelectElement} select
   * @param {Inherited} above
   * @returns {Item[]}
   */
  #select(select, above) {
    const anchored = select === this.#anchor;
    const node = this.#node(
      select,
      roleOf(select),
      true,
      false,
      above.inert || hasAttribute(select, "inert"),
      [],
    );
    node.name = selectedText(select) || nameOf(select, node.role);
    const options = select.options;
    const cap = anchored ? ANCHORED_SELECT_OPTIONS : SELECT_OPTIONS;
    for (let i = 0, shown = 0; i < options.length && i < 5_000; i++) {
      const option = /** @type {HTMLOptionElement} */ (options[i]);
      if (shown >= cap && !option.selected) continue;
      shown++;
      const item = makeNode(
        option,
        "option",
        line(attribute(option, "label") || option.text, NAME_CHARS),
        [],
        false,
      );
      item.selected = option.selected;
      node.kids.push(item);
    }
    if (options.length > cap)
      node.kids.push({ text: `${options.length} options in all, anchor the tree at this ref to list more` });
    return [node];
  }

  /**
   * @param {Element} frame
   * @param {Inherited} above
   * @param {number} depth
   * @returns {Item[]}
   */
  #frame(frame, above, depth) {
    const node = this.#node(frame, "iframe", false, false, above.inert, []);
    const inner = frameDocument(frame);
    const root = inner && pageRoot(inner);
    if (root && this.#frames < TREE_FRAMES) {
      this.#frames++;
      const outer = /** @type {Document} */ (this.#doc);
      this.#enter(/** @type {Document} */ (inner));
      node.kids = tidy(
        this.#visit(root, { ...above, inert: above.inert || !!this.#modal, pointer: false }, depth + 1),
      );
      this.#enter(outer);
    }
    const rect = rectOf(frame);
    if (node.kids.length === 0 && rect.width * rect.height < 100) return [];
    return [node];
  }

  /**
   * @param {Element} e
   * @param {string} tag
   * @param {string} role
   * @param {Item[]} items
   * @param {boolean} hidden
   * @returns {Item[]}
   */
  #drawing(e, tag, role, items, hidden) {
    if (tag === "text" && hasText(items)) return [textNode(e, contentText(items), false)];
    if (tag !== "svg" || hidden) return items;
    const name = nameOf(e, role) || svgTitle(e);
    if (!name) return items;
    const node = this.#node(e, "image", false, false, false, []);
    node.name = name;
    node.kids = tidy(items);
    return [node];
  }

  /** Hit-test the controls in view, as many as the budget allows. */
  #markCovered() {
    const until = performance.now() + TREE_HIT_MS;
    let left = TREE_HIT_TESTS;
    for (const node of this.#controls) {
      if (node.inert) continue;
      if (!touchesViewport(rectOf(node.el), viewOf(node.el))) continue;
      if (left-- <= 0 || performance.now() > until) break;
      node.covered = isCovered(node.el);
    }
  }
}
