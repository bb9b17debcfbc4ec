/**
 * One walk over the rendered page, from which every kind of tree is printed.
 *
 * The walk only reads: it never writes to the page, so the layout it needs is computed at most once. It goes through
 * open and closed shadow roots, slots and frames of the same origin, and is bounded in elements, nesting and time.
 */

import { markBehind, markCovered } from "./cover.js";
import {
  attribute,
  characterData,
  composedContains,
  documentOf,
  firstChild,
  frameDocument,
  hasAttribute,
  isHTML,
  localName,
  nextSibling,
  nodeType,
  pageRoot,
  rectOf,
  shadowRootOf,
  viewOf,
} from "./dom.js";
import { Drawings, isPicture } from "./drawings.js";
import {
  FORMATTING,
  hasText,
  isBare,
  isPlain,
  isRun,
  push,
  RUN_CHARS,
  SVG_HIDDEN,
  textNode,
  tidy,
  withoutRuns,
} from "./items.js";
import { DOM_DEPTH, TREE_FRAMES, TREE_MS, TREE_NODES } from "./limits.js";
import { SKIPPED } from "./names.js";
import { buildNode, isKept, lendContext, selectNode } from "./nodes.js";
import { inputType, isEditableRoot, isInteractive, roleOf } from "./roles.js";
import { isGhost, isModalDialog, isOverlay, isRendered, modalDialog, plainModalDialog } from "./sight.js";
import { ALL, ARIA_HIDDEN, INERT, LABEL, TITLE, traitsOf } from "./traits.js";

/** @typedef {import("./items.js").TreeNode} TreeNode */
/** @typedef {import("./items.js").Item} Item */

/**
 * @typedef {object} Inherited what an element has from those around it; shared between elements, never changed
 * @property {boolean} pointer inside something already known to be clickable
 * @property {boolean} hidden inside `aria-hidden`
 * @property {boolean} inert
 * @property {boolean} overlay inside an overlay already hoisted
 * @property {boolean} verbatim inside `pre` or `code`
 * @property {boolean} icon inside a drawing whose parts are not listed
 */

/** Elements whose inside is not walked. */
const LEAVES = new Set(["input", "textarea", "audio", "video", "object", "embed"]);
/** A smaller frame with nothing to show in it is there for the machine (CSS pixels, squared). */
const FRAME_AREA = 100;
const NO_ITEMS = /** @type {Item[]} */ ([]);

export class Walk {
  /** Overlays that are open, in document order. @type {TreeNode[]} */
  overlays = [];
  visited = 0;
  /** Something was left out because a budget ran out. */
  cut = false;
  #anchor;
  #frames = 0;
  #deadline = performance.now() + TREE_MS;
  #drawings = new Drawings();
  /** Something is taken out of the flow of the page, so that things may lie over others. */
  #layered = false;
  /** Everything that can be acted on, in document order. @type {TreeNode[]} */
  controls = [];
  /** @type {Set<Element>} */
  #viaLabel = new Set();
  /** @type {Map<Document, Element | null>} */
  #modals = new Map();
  /** Documents with a modal dialog in a shadow root, of which the walk learns only on its way. @type {Set<Document>} */
  #unforeseen = new Set();
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
    const doc = documentOf(root);
    // A part of the page need not come by the dialog that covers it.
    if (this.#anchor) this.#modals.set(doc, modalDialog(doc));
    let items = this.#once(root);
    if (this.#unforeseen.size) {
      for (const each of this.#unforeseen) this.#modals.set(each, modalDialog(each));
      this.#forget();
      items = this.#once(root);
    }
    if (this.#layered) markCovered(this.controls);
    markBehind(this.controls, this.overlays);
    return items;
  }

  /** @param {Element} root @returns {Item[]} */
  #once(root) {
    this.#enter(documentOf(root));
    const inert = !!this.#modal && !composedContains(this.#modal, root);
    return this.#visit(
      root,
      { pointer: false, hidden: false, inert, overlay: !!this.#anchor, verbatim: false, icon: false },
      0,
    );
  }

  /** Begin anew with what was learned of modal dialogs. */
  #forget() {
    this.overlays = [];
    this.controls = [];
    this.visited = 0;
    this.cut = false;
    this.#frames = 0;
    this.#drawings = new Drawings();
    this.#viaLabel.clear();
  }

  /** @param {Document} doc */
  #enter(doc) {
    this.#doc = doc;
    this.#view = viewOf(doc);
    if (!this.#modals.has(doc)) this.#modals.set(doc, plainModalDialog(doc));
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
      return NO_ITEMS;
    }
    if ((++this.visited & 255) === 0 && performance.now() > this.#deadline) {
      this.cut = true;
      this.visited = TREE_NODES;
      return NO_ITEMS;
    }
    const tag = localName(e);
    if (SKIPPED.has(tag)) return NO_ITEMS;
    if (tag === "slot") return this.#kids(e, tag, above, depth);
    const style = this.#view.getComputedStyle(e);
    const display = style.display;
    if (display === "none") return NO_ITEMS;
    if (style.visibility !== "visible")
      return display === "" ? NO_ITEMS : withoutRuns(this.#kids(e, tag, above, depth));
    this.#layered ||= style.position !== "static";
    const html = isHTML(e);
    if (html) {
      if (tag === "iframe" || tag === "frame") return this.#frame(e, above, depth);
      if (tag === "select") return this.#select(/** @type {HTMLSelectElement} */ (e), above);
      if (tag === "label") return this.#label(/** @type {HTMLLabelElement} */ (e), style, above, depth);
    } else if (SVG_HIDDEN.has(tag)) return NO_ITEMS;
    return this.#element(e, tag, html, style, above, depth);
  }

  /**
   * @param {Element} e
   * @param {string} tag
   * @param {boolean} html
   * @param {CSSStyleDeclaration} style
   * @param {Inherited} above
   * @param {number} depth
   * @returns {Item[]}
   */
  #element(e, tag, html, style, above, depth) {
    const traits = traitsOf(e);
    const role = roleOf(e, traits);
    const interactive = isInteractive(e, role, traits);
    const clickable =
      !interactive && !above.pointer && tag !== "body" && tag !== "html" && style.cursor === "pointer";
    const acts = interactive || clickable;
    const veiled = (traits & ARIA_HIDDEN) !== 0 && attribute(e, "aria-hidden") === "true";
    const hidden = above.hidden || veiled;
    const overlay = !above.overlay && isOverlay(e, tag, role, traits);
    if (tag === "dialog" && e !== this.#modal) this.#noticeDialog(e);
    const inert = e === this.#modal ? false : above.inert || (html && (traits & INERT) !== 0);
    const within = this.#within(e, tag, role, style, above, { acts, hidden, inert, overlay, interactive });
    const leaf = LEAVES.has(tag) || isEditableRoot(e, traits);
    const items = leaf || style.contentVisibility === "hidden" ? NO_ITEMS : this.#kids(e, tag, within, depth);
    if (!acts && !overlay) {
      if (!html)
        return hidden
          ? items
          : this.#drawings.part(e, tag, items, traits, !above.icon && !above.pointer, inert);
      if (FORMATTING.has(tag) || (tag === "span" && role === "generic" && (above.verbatim || traits === 0))) {
        if (traits && !hidden && isBare(items)) {
          const box = this.#drawings.box(e, traits, style, inert);
          if (box.length) return box;
        }
        return veiled ? withoutRuns(items) : items;
      }
    }
    if (acts && style.pointerEvents === "none" && isGhost(e)) return NO_ITEMS;
    const stays = acts || overlay || e === this.#anchor;
    if (hidden && !stays) return withoutRuns(items);
    if (!stays && role === "generic" && !(traits & (LABEL | TITLE)) && !hasText(items)) {
      if (isBare(items)) return traits ? this.#drawings.box(e, traits, style, inert) : NO_ITEMS;
      lendContext(null, items);
      return withoutRuns(items);
    }
    const node = buildNode(e, role, traits, interactive, clickable, inert, items);
    node.hidden = hidden;
    if (acts) this.controls.push(node);
    if (overlay) {
      if (node.role === "generic" || node.role === "region") node.role = "dialog";
      this.overlays.push(node);
      return NO_ITEMS;
    }
    if (stays || isKept(node, tag)) return [node];
    return node.kids.map((item) => (isRun(item) ? textNode(e, item.text, inert) : item));
  }

  /** @param {Element} e a dialog other than the one that is known to be in front */
  #noticeDialog(e) {
    const doc = /** @type {Document} */ (this.#doc);
    if (nodeType(Node.prototype.getRootNode.call(e)) === 11 && isModalDialog(e)) this.#unforeseen.add(doc);
  }

  /**
   * What the inside of an element inherits. Most elements change nothing, so that nothing is made for them.
   * @param {Element} e
   * @param {string} tag
   * @param {string} role
   * @param {CSSStyleDeclaration} style
   * @param {Inherited} above
   * @param {{ acts: boolean, hidden: boolean, inert: boolean, overlay: boolean, interactive: boolean }} own
   * @returns {Inherited}
   */
  #within(e, tag, role, style, above, { acts, hidden, inert, overlay, interactive }) {
    // What can merely be focused, such as a scrolling region, holds controls of its own.
    const pointer =
      above.pointer || (acts && (!interactive || role !== "generic" || style.cursor === "pointer"));
    // What is named by its content needs it, whether or not it is hidden from assistive technology.
    const veil = hidden && !acts;
    const lifted = above.overlay || overlay;
    const verbatim = above.verbatim || tag === "pre" || tag === "code";
    const icon = above.icon || (tag === "svg" && !isPicture(e));
    if (
      pointer === above.pointer &&
      veil === above.hidden &&
      inert === above.inert &&
      lifted === above.overlay &&
      verbatim === above.verbatim &&
      icon === above.icon
    )
      return above;
    return { pointer, hidden: veil, inert, overlay: lifted, verbatim, icon };
  }

  /**
   * Children in the order they are shown.
   * @param {Element} e
   * @param {string} tag
   * @param {Inherited} inherited
   * @param {number} depth
   * @returns {Item[]}
   */
  #kids(e, tag, inherited, depth) {
    const root = shadowRootOf(e, tag);
    let child = firstChild(root ?? e);
    if (tag === "slot" && !root) {
      const assigned = /** @type {HTMLSlotElement} */ (e).assignedNodes();
      if (assigned.length) {
        /** @type {Item[]} */
        const out = [];
        for (const node of assigned) this.#child(node, inherited, depth, out);
        return out;
      }
    }
    if (!child) return NO_ITEMS;
    /** @type {Item[]} */
    const out = [];
    if (tag === "details" && !hasAttribute(e, "open")) {
      for (; child; child = nextSibling(child))
        if (nodeType(child) === 1 && localName(/** @type {Element} */ (child)) === "summary") {
          this.#child(child, inherited, depth, out);
          break;
        }
      return out;
    }
    for (; child; child = nextSibling(child)) {
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
      const items = this.#visit(/** @type {Element} */ (child), inherited, depth + 1);
      for (let i = 0; i < items.length; i++) push(out, /** @type {Item} */ (items[i]));
    } else if (type === 3 || type === 4) {
      const raw = characterData(/** @type {Text} */ (child));
      const text = (raw.length > RUN_CHARS ? raw.slice(0, RUN_CHARS) : raw).replace(/\s+/g, " ");
      if (text) push(out, { text });
    }
  }

  /**
   * A label stands for its control: its words are the control's name, and it replaces a control that is not drawn.
   * @param {HTMLLabelElement} label
   * @param {CSSStyleDeclaration} style
   * @param {Inherited} above
   * @param {number} depth
   * @returns {Item[]}
   */
  #label(label, style, above, depth) {
    const control = label.control;
    if (!control) return this.#element(label, "label", true, style, above, depth);
    const within = above.pointer ? above : { ...above, pointer: true };
    const items = this.#kids(label, "label", within, depth);
    const nodes = items.filter((item) => !isRun(item) && !isPlain(item));
    const type = inputType(control);
    const undrawn = (type === "checkbox" || type === "radio" || type === "file") && !isRendered(control);
    if (undrawn && !this.#viaLabel.has(control)) {
      this.#viaLabel.add(control);
      const node = buildNode(control, roleOf(control), ALL, true, false, above.inert, []);
      this.controls.push(node);
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
    const node = selectNode(select, select === this.#anchor, above.inert);
    this.controls.push(node);
    return [node];
  }

  /**
   * @param {Element} frame
   * @param {Inherited} above
   * @param {number} depth
   * @returns {Item[]}
   */
  #frame(frame, above, depth) {
    const node = buildNode(frame, "iframe", ALL, false, false, above.inert, []);
    const inner = frameDocument(frame);
    const root = inner && pageRoot(inner);
    node.unread = root !== null && this.#frames >= TREE_FRAMES;
    if (root && !node.unread) {
      this.#frames++;
      const outer = /** @type {Document} */ (this.#doc);
      this.#enter(/** @type {Document} */ (inner));
      node.kids = tidy(
        this.#visit(root, { ...above, inert: above.inert || !!this.#modal, pointer: false }, depth + 1),
      );
      this.#enter(outer);
    }
    const rect = rectOf(frame);
    if (node.kids.length === 0 && rect.width * rect.height < FRAME_AREA) return [];
    return [node];
  }
}
