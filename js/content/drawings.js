/**
 * What is only drawn: shapes of an SVG and empty boxes with a colour. A reader without eyes knows them by tag, fill and
 * size. Icons are not meant: they are small, or stand in a control, which has a hint of them.
 */

import { firstElementChild, rectOf, viewOf } from "./dom.js";
import { contentText, isRun, makeNode, textNode, tidy } from "./items.js";
import { DRAWN_BOXES, DRAWN_SHAPES } from "./limits.js";
import { nameOf, svgTitle } from "./names.js";
import { SHAPES } from "./roles.js";
import { ID } from "./traits.js";

/** @typedef {import("./items.js").TreeNode} TreeNode */
/** @typedef {import("./items.js").Item} Item */

/** A smaller picture is an icon. */
const ICON_PIXELS = 40;
/** A smaller box is a line or a gap. */
const BOX_PIXELS = 4;
const SEE_THROUGH = /^(transparent|rgba\(.*, 0\)|color\(.* \/ 0\))$/;

export class Drawings {
  #boxes = DRAWN_BOXES;
  #shapes = DRAWN_SHAPES;

  /**
   * What an element of a drawing yields.
   * @param {Element} e
   * @param {string} tag
   * @param {Item[]} items what is inside
   * @param {number} traits
   * @param {boolean} listed shapes get lines of their own: not in icons and controls
   * @param {boolean} inert
   * @returns {Item[]}
   */
  part(e, tag, items, traits, listed, inert) {
    if (tag === "text") {
      const words = contentText(items);
      return words.trim() ? [textNode(e, words, inert)] : [];
    }
    if (listed && SHAPES.has(tag)) return this.#shape(e, tag, traits, inert);
    if (tag !== "svg") return items;
    const name = nameOf(e, "image") || svgTitle(e);
    const kids = tidy(items);
    if (!name && !kids.some((item) => !isRun(item) && item.drawn)) return items;
    const node = makeNode(e, kids.length ? "graphics" : "image", name, kids, inert);
    node.traits = traits;
    return [node];
  }

  /**
   * @param {Element} e
   * @param {string} tag
   * @param {number} traits
   * @param {boolean} inert
   * @returns {Item[]}
   */
  #shape(e, tag, traits, inert) {
    if (this.#shapes <= 0) return [];
    this.#shapes--;
    const node = makeNode(e, tag, svgTitle(e), [], inert);
    node.traits = traits;
    node.drawn = true;
    return [node];
  }

  /**
   * An element with nothing but white space in it that is seen all the same.
   * @param {Element} e
   * @param {number} traits
   * @param {CSSStyleDeclaration} style
   * @param {boolean} inert
   * @returns {Item[]}
   */
  box(e, traits, style, inert) {
    if (this.#boxes <= 0 || firstElementChild(e)) return [];
    if (!(traits & ID) && !isPainted(style)) return [];
    const rect = rectOf(e);
    if (rect.width < BOX_PIXELS || rect.height < BOX_PIXELS) return [];
    this.#boxes--;
    const node = makeNode(e, "generic", "", [], inert);
    node.traits = traits;
    node.drawn = true;
    return [node];
  }
}

/** @param {CSSStyleDeclaration} style */
function isPainted(style) {
  return (
    !SEE_THROUGH.test(style.backgroundColor) ||
    style.backgroundImage !== "none" ||
    style.content.startsWith("url(") ||
    (style.borderTopStyle !== "none" && style.borderTopWidth !== "0px") ||
    (style.borderLeftStyle !== "none" && style.borderLeftWidth !== "0px")
  );
}

/**
 * Whether a picture is large enough for its parts to be of interest.
 * @param {Element} svg
 * @returns {boolean}
 */
export function isPicture(svg) {
  const rect = rectOf(svg);
  return rect.width >= ICON_PIXELS && rect.height >= ICON_PIXELS;
}

/**
 * @param {Element} e
 * @returns {string} its background if it is not transparent
 */
export function fillOf(e) {
  const color = viewOf(e).getComputedStyle(e).backgroundColor;
  return SEE_THROUGH.test(color) ? "" : color;
}
