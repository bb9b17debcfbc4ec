/**
 * Accessible names, in the order the tree promises.
 *
 * selected option, aria-label, aria-labelledby, placeholder, title, alt, label, value of buttons, direct text, text
 * inside (button, link, summary and other roles named by their content), text before an unlabelled field.
 */

import {
  attribute,
  byId,
  characterData,
  closest,
  composedParent,
  firstChild,
  hasAttribute,
  isElement,
  isHTML,
  localName,
  nextSibling,
  nodeType,
  parentNode,
  previousSibling,
  shadowRootOf,
} from "./dom.js";
import { CONTEXT_CHARS, NAME_CHARS } from "./limits.js";
import { inputType, isEditableRoot, NAMED_BY_CONTENT } from "./roles.js";
import { line } from "./text.js";
import { ALL, ALT, LABEL, LABELLED_BY, PLACEHOLDER, TITLE } from "./traits.js";

/** Never part of any text. */
export const SKIPPED = new Set([
  "script",
  "style",
  "meta",
  "link",
  "title",
  "noscript",
  "head",
  "template",
  "base",
  "param",
]);
/** Nodes looked at when a text is collected outside the walk. */
const TEXT_NODES = 400;
/** Text before an unlabelled field: siblings looked at, of the field and of its parent; characters that may be a label. */
const SIBLINGS = 4;
const PARENT_SIBLINGS = 3;
const SIBLING_CHARS = 60;
/** Labels of one control that are read. */
const LABELS = 4;

/**
 * Text inside an element as a reader gets it: shadow trees instead of their hosts' children, images by their `alt`,
 * fields left out. Bounded in nodes and characters.
 * @param {Node} root
 * @param {number} cap
 * @param {(e: Element) => boolean} [skip] elements to leave out
 * @returns {string}
 */
export function textInside(root, cap, skip) {
  const parts = /** @type {string[]} */ ([]);
  let size = 0;
  let left = TEXT_NODES;
  /** @param {Node} node @param {number} depth */
  const visit = (node, depth) => {
    if (size > cap || left-- <= 0 || depth > 60) return;
    const type = nodeType(node);
    if (type === 3) {
      const data = characterData(/** @type {Text} */ (node)).slice(0, cap * 2 + 100);
      parts.push(data);
      size += data.trim().length;
      return;
    }
    if (type === 1) {
      const e = /** @type {Element} */ (node);
      const tag = localName(e);
      if (SKIPPED.has(tag) || tag === "select" || tag === "textarea") return;
      if (e !== root && (attribute(e, "aria-hidden") === "true" || skip?.(e))) return;
      if (tag === "img") {
        parts.push(" ", (attribute(e, "alt") ?? "").slice(0, cap), " ");
        return;
      }
      if (e !== root && attribute(e, "aria-label")) {
        parts.push(" ", (attribute(e, "aria-label") ?? "").slice(0, cap), " ");
        return;
      }
    }
    const inner = type === 1 ? (shadowRootOf(/** @type {Element} */ (node)) ?? node) : node;
    const assigned =
      type === 1 && localName(/** @type {Element} */ (node)) === "slot"
        ? /** @type {HTMLSlotElement} */ (node).assignedNodes()
        : [];
    const gap = type === 1 && !INLINE.has(localName(/** @type {Element} */ (node)));
    if (gap) parts.push(" ");
    if (assigned.length) for (const child of assigned) visit(child, depth + 1);
    else for (let child = firstChild(inner); child; child = nextSibling(child)) visit(child, depth + 1);
    if (gap) parts.push(" ");
  };
  visit(root, 0);
  return line(parts.join(""), cap);
}

/** Elements that do not break a line of text. */
export const INLINE = new Set(
  (
    "b i em strong u s small sub sup mark code kbd samp var abbr cite q dfn time font bdi bdo ins del tt big strike wbr " +
    "ruby rb rt data span a slot label tspan nobr acronym"
  ).split(" "),
);

/**
 * Text of the labels tied to a form control, the control's own text left out.
 * @param {Element} e
 * @returns {string}
 */
export function labelText(e) {
  if (!isHTML(e)) return "";
  const labels = labelsOf(e);
  if (!labels.length) return "";
  const texts = [];
  for (let i = 0; i < labels.length && i < LABELS; i++) {
    const label = labels[i];
    if (label) texts.push(wordsAround(e, label) ?? textInside(label, NAME_CHARS, (inner) => inner === e));
  }
  return line(texts.join(" "), NAME_CHARS);
}

/**
 * The labels of a form control. The browser's own list is looked for in the whole document, anew for each control; one
 * without an id has no labels but those it stands in.
 * @param {Element} e
 * @returns {ArrayLike<HTMLLabelElement>}
 */
export function labelsOf(e) {
  if (hasAttribute(e, "id")) return /** @type {HTMLInputElement} */ (e).labels ?? [];
  /** @type {HTMLLabelElement[]} */
  const found = [];
  for (let at = closest(e, "label"); at; ) {
    const label = /** @type {HTMLLabelElement} */ (at);
    if (isHTML(label) && label.control === e) found.unshift(label);
    const parent = parentNode(at);
    at = parent && isElement(parent) ? closest(parent, "label") : null;
  }
  return found;
}

/**
 * The ordinary label, which holds nothing but words and the control, without a walk.
 * @param {Element} e
 * @param {Element} label
 * @returns {string | null} `null` if there is more in it
 */
function wordsAround(e, label) {
  let text = "";
  for (let child = firstChild(label); child; child = nextSibling(child)) {
    if (nodeType(child) === 3) text += characterData(/** @type {Text} */ (child)).slice(0, 4 * NAME_CHARS);
    else if (child !== e) return null;
    if (text.length > 8 * NAME_CHARS) break;
  }
  return line(text, NAME_CHARS);
}

/**
 * @param {Element} e
 * @returns {string}
 */
function labelledBy(e) {
  const ids = attribute(e, "aria-labelledby");
  if (!ids) return "";
  const texts = [];
  for (const id of ids.slice(0, 500).split(/\s+/).slice(0, 8)) {
    const target = id && byId(e, id);
    if (target)
      texts.push(
        attribute(target, "aria-label")
          ? line(attribute(target, "aria-label"), NAME_CHARS)
          : textInside(target, NAME_CHARS),
      );
  }
  return line(texts.join(" "), NAME_CHARS);
}

/**
 * Text directly inside, children's text not counted.
 * @param {Element} e
 * @returns {string}
 */
export function directText(e) {
  let text = "";
  let left = 50;
  for (
    let child = firstChild(shadowRootOf(e) ?? e);
    child && left-- > 0 && text.length < 400;
    child = nextSibling(child)
  )
    if (nodeType(child) === 3) text += ` ${characterData(/** @type {Text} */ (child)).slice(0, 400)}`;
  return line(text, NAME_CHARS);
}

/**
 * Short text just before a field nobody labelled: "Every [1] month(s)".
 * @param {Element} e
 * @returns {string}
 */
function precedingText(e) {
  const isField = (/** @type {Element} */ x) => /^(input|select|textarea|button)$/.test(localName(x));
  /** @param {Node} start @param {number} steps */
  const search = (start, steps) => {
    let at = previousSibling(start);
    for (let i = 0; at && i < steps; at = previousSibling(at)) {
      if (isElement(at)) {
        if (isField(at) || SKIPPED.has(localName(at))) return "";
        i++;
      }
      const text = textInside(at, SIBLING_CHARS + 20, isField);
      if (text) return text.length <= SIBLING_CHARS ? text : "";
    }
    return "";
  };
  const near = search(e, SIBLINGS);
  if (near) return near;
  const parent = parentNode(e);
  return parent && isElement(parent) && !/^(body|form|main|section|fieldset)$/.test(localName(parent))
    ? search(parent, PARENT_SIBLINGS)
    : "";
}

/**
 * The title of an inline drawing: its `title` child.
 * @param {Element} svg
 * @returns {string}
 */
export function svgTitle(svg) {
  for (let child = firstChild(svg), left = 20; child && left-- > 0; child = nextSibling(child))
    if (isElement(child) && localName(child) === "title")
      return textInside(child, NAME_CHARS, undefined) || titleText(child);
  return "";
}

/** @param {Element} title */
function titleText(title) {
  const first = firstChild(title);
  return first && nodeType(first) === 3 ? line(characterData(/** @type {Text} */ (first)), NAME_CHARS) : "";
}

/**
 * @param {HTMLSelectElement} select
 * @returns {string} text of the chosen option or options
 */
export function selectedText(select) {
  const texts = [];
  const chosen = select.selectedOptions;
  for (let i = 0; i < chosen.length && i < 5; i++) {
    const option = chosen[i];
    if (option) texts.push(line(attribute(option, "label") || option.text, NAME_CHARS));
  }
  return line(texts.join(", "), NAME_CHARS);
}

const CONTROLS = new Set(["input", "select", "textarea", "meter", "progress", "output"]);

/**
 * The accessible name.
 * @param {Element} e
 * @param {string} role
 * @param {() => string} [content] text inside, if the caller has it already
 * @param {number} [traits]
 * @param {() => string} [labelled] text of its labels
 * @returns {string}
 */
export function nameOf(
  e,
  role,
  content = () => textInside(e, NAME_CHARS),
  traits = ALL,
  labelled = () => labelText(e),
) {
  const tag = localName(e);
  const html = isHTML(e);
  if (tag === "select" && html) {
    const selected = selectedText(/** @type {HTMLSelectElement} */ (e));
    if (selected) return selected;
  }
  const own = traits & NAMING ? givenName(e, traits) : "";
  if (own) return own;
  if (tag === "svg") return svgTitle(e);
  const control = html && CONTROLS.has(tag);
  if (control || (html && tag === "button")) {
    const label = labelled();
    if (label) return label;
  }
  if (tag === "input") {
    const type = inputType(e);
    if (type === "submit" || type === "button" || type === "reset") {
      const value = line(/** @type {HTMLInputElement} */ (e).value, NAME_CHARS);
      return value || (type === "submit" ? "Submit" : type === "reset" ? "Reset" : "");
    }
    if (type === "image") return "Submit";
    return precedingText(e);
  }
  if (control) return precedingText(e);
  if (tag === "fieldset" || tag === "details" || tag === "figure" || tag === "table")
    return captionOf(e, tag);
  if (tag === "iframe" || tag === "frame") return line(attribute(e, "name"), NAME_CHARS);
  if (isEditableRoot(e, traits)) return precedingText(e);
  if (NAMED_BY_CONTENT.has(role)) return content();
  return "";
}

const NAMING = LABEL | LABELLED_BY | PLACEHOLDER | TITLE | ALT;

/** @param {Element} e @param {number} traits @returns {string} the name an attribute gives */
function givenName(e, traits) {
  return (
    (traits & LABEL && line(attribute(e, "aria-label"), NAME_CHARS)) ||
    (traits & LABELLED_BY && labelledBy(e)) ||
    (traits & PLACEHOLDER && line(attribute(e, "placeholder"), NAME_CHARS)) ||
    (traits & TITLE && line(attribute(e, "title"), NAME_CHARS)) ||
    (traits & ALT && line(attribute(e, "alt"), NAME_CHARS)) ||
    ""
  );
}

/** @type {Record<string, string>} */
const CAPTIONS = { fieldset: "legend", details: "summary", figure: "figcaption", table: "caption" };

/** @param {Element} e @param {string} tag */
function captionOf(e, tag) {
  for (let child = firstChild(e), left = 20; child && left-- > 0; child = nextSibling(child))
    if (isElement(child) && localName(child) === CAPTIONS[tag])
      return tag === "details" ? "" : textInside(child, NAME_CHARS);
  return "";
}

/**
 * A name for any element, for reports: its accessible name, else some text of it.
 * @param {Element} e
 * @param {string} role
 * @returns {string}
 */
export function describeName(e, role) {
  return nameOf(e, role) || directText(e) || textInside(e, CONTEXT_CHARS);
}

/**
 * What else tells an element without a name apart: id, class, test id, icon reference, image file.
 * @param {Element} e
 * @returns {string}
 */
export function iconHint(e) {
  for (
    let child = firstChild(shadowRootOf(e) ?? e), left = 8;
    child && left-- > 0;
    child = nextSibling(child)
  ) {
    if (!isElement(child)) continue;
    const tag = localName(child);
    if (tag === "svg") return svgTitle(child) || useReference(child) || classWords(child);
    if (tag === "img") return fileName(attribute(child, "src"));
    if (tag === "i" || tag === "span" || tag === "use")
      return useReference(child) || classWords(child) || iconHint(child);
  }
  return "";
}

/** @param {Element} e */
function useReference(e) {
  const use = localName(e) === "use" ? e : Array.from(e.children).find((c) => localName(c) === "use");
  const target = use && (attribute(use, "href") ?? attribute(use, "xlink:href"));
  return target ? line(target.replace(/^.*#/, ""), CONTEXT_CHARS) : "";
}

/** @param {Element} e */
function classWords(e) {
  return line(attribute(e, "class"), CONTEXT_CHARS);
}

/** @param {string | null} src */
function fileName(src) {
  if (!src || src.startsWith("data:")) return "";
  return line(
    src
      .slice(0, 500)
      .replace(/[?#].*$/, "")
      .replace(/^.*\//, ""),
    CONTEXT_CHARS,
  );
}

/**
 * @param {Element} e
 * @returns {boolean} true if it stands in an editable region
 */
export function insideEditable(e) {
  const parent = composedParent(e);
  return !!parent && isHTML(parent) && /** @type {HTMLElement} */ (parent).isContentEditable;
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
