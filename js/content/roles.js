/**
 * Which role an element plays, and whether a user can act on it.
 */

import { attribute, composedParent, hasAttribute, isEditable, isHTML, localName, matches } from "./dom.js";
import { ALL, EDITABLE, FAULT, HANDLER, ROLE, TABINDEX } from "./traits.js";

/** @type {ReadonlyMap<string, string>} */
const TAG_ROLES = new Map(
  Object.entries({
    button: "button",
    select: "combobox",
    textarea: "textbox",
    h1: "heading",
    h2: "heading",
    h3: "heading",
    h4: "heading",
    h5: "heading",
    h6: "heading",
    img: "image",
    nav: "navigation",
    main: "main",
    header: "banner",
    footer: "contentinfo",
    section: "region",
    article: "article",
    aside: "complementary",
    form: "form",
    table: "table",
    tr: "row",
    td: "cell",
    th: "columnheader",
    ul: "list",
    ol: "list",
    li: "listitem",
    label: "label",
    summary: "button",
    dialog: "dialog",
    option: "option",
    fieldset: "group",
    progress: "progressbar",
    meter: "meter",
    output: "status",
    audio: "audio",
    video: "video",
    canvas: "canvas",
  }),
);

/** @type {Record<string, string>} */
const INPUT_ROLES = {
  submit: "button",
  button: "button",
  reset: "button",
  image: "button",
  file: "button",
  checkbox: "checkbox",
  radio: "radio",
  number: "spinbutton",
  range: "slider",
  search: "searchbox",
};

/** Roles of ARIA that may be given by hand; any other word in `role` is not believed. */
const KNOWN_ROLES = new Set(
  (
    "alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox " +
    "complementary contentinfo definition deletion dialog directory document emphasis feed figure form generic grid " +
    "gridcell group heading image img insertion link list listbox listitem log main marquee math menu menubar menuitem " +
    "menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation progressbar radio " +
    "radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong " +
    "subscript superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem"
  ).split(" "),
);

/** Roles a user acts on. */
const WIDGETS = new Set(
  (
    "button link checkbox radio switch tab menuitem menuitemcheckbox menuitemradio option treeitem combobox listbox " +
    "textbox searchbox spinbutton slider scrollbar"
  ).split(" "),
);

/** Roles whose name is the text inside them. */
export const NAMED_BY_CONTENT = new Set(
  "button link heading option menuitem menuitemcheckbox menuitemradio tab treeitem switch tooltip checkbox radio columnheader rowheader".split(
    " ",
  ),
);

/** Roles that show in a tree of everything even without a name. */
export const STRUCTURE = new Set(
  (
    "alert alertdialog article banner complementary contentinfo dialog feed figure form grid group heading list listbox " +
    "listitem log main menu menubar navigation progressbar meter radiogroup row search separator status table tablist " +
    "tabpanel toolbar tree treegrid cell gridcell columnheader rowheader audio video canvas"
  ).split(" "),
);

/** Structure that says nothing unless it has a name. */
const NEEDS_NAME = new Set([
  "group",
  "region",
  "status",
  "figure",
  "separator",
  "tabpanel",
  "image",
  "canvas",
]);

/** Parts of a drawing that are seen by themselves; their tag is their role. */
export const SHAPES = new Set("circle ellipse line path polygon polyline rect use text".split(" "));

/** Roles whose open state puts them first in the tree. */
export const OVERLAY_ROLES = new Set(["listbox", "menu", "dialog", "alertdialog"]);

const NATIVE_CONTROLS = new Set(["button", "input", "select", "textarea", "option", "summary"]);

/** Inputs that take text typed by hand. */
export const TEXT_INPUTS = new Set(["text", "search", "email", "url", "tel", "password", "number"]);
/** Inputs whose value is one of a format, set as a whole. */
export const VALUE_INPUTS = new Set(["date", "time", "datetime-local", "month", "week", "range", "color"]);

/**
 * Type of an input in lower case, as the browser understands it (`text` for unknown words).
 * @param {Element} e
 * @returns {string}
 */
export function inputType(e) {
  return localName(e) === "input" && isHTML(e) ? /** @type {HTMLInputElement} */ (e).type : "";
}

/**
 * @param {Element} e
 * @param {number} [traits] its attributes, if they were looked at
 * @returns {string}
 */
export function roleOf(e, traits = ALL) {
  const given = traits & ROLE ? attribute(e, "role") : null;
  if (given) {
    for (const word of given.slice(0, 200).toLowerCase().split(/\s+/)) {
      if (word === "none" || word === "presentation") return "generic";
      if (KNOWN_ROLES.has(word)) return word === "img" ? "image" : word;
    }
  }
  const tag = localName(e);
  if (tag === "a") return "link";
  if (tag === "input") return INPUT_ROLES[inputType(e)] ?? (hasAttribute(e, "list") ? "combobox" : "textbox");
  if (tag === "select") return isListBox(e) ? "listbox" : "combobox";
  if (tag === "svg") return "image";
  if (SHAPES.has(tag) && !isHTML(e)) return tag;
  if (tag === "iframe" || tag === "frame") return "iframe";
  if (tag === "details") return "group";
  return TAG_ROLES.get(tag) ?? (isEditableRoot(e, traits) ? "textbox" : "generic");
}

/**
 * A select that shows several rows at once.
 * @param {Element} e
 * @returns {boolean}
 */
export function isListBox(e) {
  const select = /** @type {HTMLSelectElement} */ (e);
  return localName(e) === "select" && isHTML(e) && (select.multiple || select.size > 1);
}

/**
 * The outermost element of an editable region, which is what a user calls "the field"; in a document that is editable as
 * a whole, its body.
 * @param {Element} e
 * @param {number} [traits]
 * @returns {boolean}
 */
export function isEditableRoot(e, traits = ALL) {
  if (!(traits & EDITABLE) && localName(e) !== "body") return false;
  if (!isEditable(e)) return false;
  const parent = composedParent(e);
  return !parent || !isEditable(parent) || localName(parent) === "html";
}

/**
 * True if the element says by its own markup that it can be acted on (a pointer cursor is judged by the walk).
 * @param {Element} e
 * @param {string} role
 * @param {number} [traits]
 * @returns {boolean}
 */
export function isInteractive(e, role, traits = ALL) {
  const tag = localName(e);
  if (tag === "a") return true;
  if (NATIVE_CONTROLS.has(tag) && isHTML(e)) return tag !== "input" || inputType(e) !== "hidden";
  if (WIDGETS.has(role) && role !== "listbox") return true;
  if (
    traits & HANDLER &&
    (hasAttribute(e, "onclick") || hasAttribute(e, "onmousedown") || hasAttribute(e, "ondblclick"))
  )
    return true;
  if (traits & TABINDEX && (attribute(e, "tabindex") ?? "-1").trim() !== "-1") return true;
  return isEditableRoot(e, traits);
}

/**
 * Whether a kept role still needs a name to be worth a line.
 * @param {string} role
 * @returns {boolean}
 */
export function needsName(role) {
  return NEEDS_NAME.has(role);
}

/**
 * Text can be typed into it.
 * @param {Element} e
 * @returns {boolean}
 */
export function isTypeable(e) {
  const tag = localName(e);
  if (tag === "textarea") return true;
  if (tag === "input") return TEXT_INPUTS.has(inputType(e));
  return isEditable(e);
}

/**
 * What a constrained call may do with it.
 * @param {Element} e
 * @param {string} role
 * @returns {("click" | "type" | "select" | "toggle")[]}
 */
export function abilities(e, role) {
  const tag = localName(e);
  if (tag === "select") return ["select"];
  if (tag === "input" && VALUE_INPUTS.has(inputType(e))) return ["type"];
  if (tag === "input" && inputType(e) === "file") return [];
  if (isTypeable(e)) return ["type", "click"];
  if (role === "combobox") return ["select", "click"];
  if (
    role === "checkbox" ||
    role === "radio" ||
    role === "switch" ||
    role === "menuitemcheckbox" ||
    role === "menuitemradio"
  )
    return ["toggle", "click"];
  return ["click"];
}

/**
 * The form control is switched off, itself or by its fieldset.
 * @param {Element} e
 * @param {number} [traits]
 * @returns {boolean}
 */
export function isDisabled(e, traits = ALL) {
  const tag = localName(e);
  const native = NATIVE_CONTROLS.has(tag) || /^(fieldset|optgroup|.*-.*)$/.test(tag);
  return (
    (native && isHTML(e) && matches(e, ":disabled")) ||
    ((traits & FAULT) !== 0 && attribute(e, "aria-disabled") === "true")
  );
}
