/**
 * Which controls a press sets off: what it lands on, what lies around that, and what a label stands for.
 */

import {
  attribute,
  composedContains,
  composedParent,
  hasAttribute,
  isEditable,
  isHTML,
  localName,
  query,
  viewOf,
} from "./dom.js";
import { isSubmitButton } from "./keys.js";
import { describeName } from "./names.js";
import { inputType, isInteractive, roleOf } from "./roles.js";

/** Ancestors searched for what an icon or a word belongs to, where no markup says what the control is. */
const POINTER_STEPS = 5;
const PRESSED = new Set(
  (
    "button link checkbox radio switch tab menuitem menuitemcheckbox menuitemradio option treeitem combobox textbox " +
    "searchbox spinbutton slider"
  ).split(" "),
);
const BUTTONS = new Set("button menuitem menuitemcheckbox menuitemradio".split(" "));
const INNER = "a,button,input,select,textarea,[role],[tabindex],[onclick]";

/**
 * The controls that a press on `e` sets off, nearest first. What says by its markup that it is a control stands for
 * what is inside it; where nothing does, the element stands for itself.
 * @param {Element} e
 * @returns {Element[]} at least one
 */
export function controlsAt(e) {
  const found = namedControls(e);
  return found.length ? found : [e, ...pointerParents(e)];
}

/**
 * The nearest control up to the first that has a name, and every submit button around: a press inside of one is a
 * press of it, whatever else is there.
 * @param {Element} e
 * @returns {Element[]}
 */
export function namedControls(e) {
  /** @type {Element[]} */
  const found = [];
  let named = false;
  for (let at = /** @type {Element | null} */ (e); at; at = composedParent(at)) {
    const control = labelled(at);
    if (control && !composedContains(control, e)) {
      // A control inside a label keeps its press to itself.
      if (!found.some(isNative)) found.push(control);
      break;
    }
    if (named ? !isSubmitButton(at) : !isControl(at)) continue;
    found.push(at);
    named ||= describeName(at, roleOf(at)) !== "";
  }
  return found;
}

/** @param {Element} e @returns {Element | null} what a label presses along */
function labelled(e) {
  return localName(e) === "label" && isHTML(e) ? /** @type {HTMLLabelElement} */ (e).control : null;
}

/** @param {Element} e */
function isNative(e) {
  return /^(a|button|input|select|textarea)$/.test(localName(e)) && isHTML(e);
}

/** @param {Element} e @returns {boolean} a control, and not a part of the page that happens to listen */
function isControl(e) {
  const role = roleOf(e);
  if (!isInteractive(e, role)) return false;
  return isNative(e) || PRESSED.has(role) || isEditable(e) || query(e, INNER) === null;
}

/** @param {Element} e @returns {Element[]} what shows by the pointer that it takes the press, and has a name of its own */
function pointerParents(e) {
  /** @type {Element[]} */
  const found = [];
  let unnamed = describeName(e, roleOf(e)) === "";
  let at = composedParent(e);
  for (let i = 0; at && i < POINTER_STEPS; i++, at = composedParent(at)) {
    if (viewOf(at).getComputedStyle(at).cursor !== "pointer") break;
    if (!unnamed && !hasAttribute(at, "aria-label")) continue;
    found.push(at);
    unnamed &&= describeName(at, roleOf(at)) === "";
  }
  return found;
}

/**
 * Buttons that begin to act when the pointer goes down on them, or act when it comes up, without a click.
 * @param {Element} e
 * @returns {Element[]}
 */
export function buttonsAt(e) {
  return namedControls(e).filter(
    (x) => BUTTONS.has(roleOf(x)) && !/drag|sort/i.test(attribute(x, "aria-roledescription") ?? ""),
  );
}

/** @param {Element} e @returns {boolean} a press gives it the focus or opens it, and commits nothing by itself */
export function isField(e) {
  if (/^(textarea|select|option)$/.test(localName(e)) && isHTML(e)) return true;
  if (localName(e) === "input" && isHTML(e)) return !/^(button|reset|submit|image)$/.test(inputType(e));
  return isEditable(e) || /^(textbox|searchbox|spinbutton|slider)$/.test(roleOf(e));
}
