/**
 * `press_keys`: a key, and what a browser does on it. Page-made key events have no default action of their own.
 */

import { whole } from "./args.js";
import {
  attribute,
  composedClosest,
  composedParent,
  deepActive,
  dispatch,
  documentOf,
  firstChild,
  formElements,
  hasAttribute,
  isConnected,
  isEditable,
  isElement,
  isHTML,
  localName,
  nextSibling,
  pageRoot,
  pause,
  query,
  queryAll,
  requestSubmit,
  selectionOf,
  shadowRootOf,
  viewOf,
} from "./dom.js";
import { focusAsUser, focusable } from "./focus.js";
import { sendKey } from "./keyevents.js";
import { TICK_MS } from "./limits.js";
import { inputType, isDisabled, VALUE_INPUTS } from "./roles.js";
import { scrollerOf } from "./scroll.js";
import { Refusal } from "./session.js";
import { isRendered, modalDialog } from "./sight.js";
import { isForeign } from "./target.js";
import { sendChange, sendInput, setValue } from "./values.js";
import { Watch } from "./watch.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./session.js").Args} Args */
/** @typedef {import("./session.js").Answer} Answer */

const KEYS = ["Escape", "Tab", "Enter", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"];
/** A slider needs many. */
export const REPEATS = 25;
/** Between the presses of a series of up to `FEW`, which pages may animate; a longer series is typed fast. */
const FEW = 3;
const FAST_MS = 4;
const TAB_STOPS = 5_000;
const ARROW_SCROLL = 40;
/** Text inputs that stand in the way of submitting a form without a button (HTML, "implicit submission"). */
const BLOCKING = new Set([
  "text",
  "search",
  "url",
  "tel",
  "email",
  "password",
  "date",
  "month",
  "week",
  "time",
  "datetime-local",
  "number",
]);

/**
 * @param {Session} session
 * @param {Args} args `key`, `repeat` 1 to 25
 * @returns {Promise<Answer>}
 */
export async function pressKeys(session, args) {
  const key = knownKey(args.key);
  const repeat = whole(args.repeat, 1, 1, REPEATS);
  session.tokens.check(session, "press_keys", args);
  const target = keyTarget(key);
  const described = session.describe(target);
  const watch = new Watch(session, target);
  session.actions++;
  let handled = false;
  for (let i = 0; i < repeat; i++) {
    if (i > 0) await pause(repeat > FEW ? FAST_MS : TICK_MS);
    handled = pressKey(keyTarget(key), key) || handled;
  }
  const changed = await watch.done();
  /** @type {Answer} */
  const answer = { success: true, key, repeat, target: described, handledByPage: handled, changed };
  if (changed[0] === "nothing") answer.hint = "The key was delivered, but nothing on the page changed.";
  return answer;
}

/**
 * @param {unknown} given
 * @returns {string} the key as browsers name it
 * @throws {Refusal} `bad_key`
 */
export function knownKey(given) {
  const key = KEYS.find((k) => k.toLowerCase() === String(given ?? "").toLowerCase());
  if (!key)
    throw new Refusal(
      "bad_key",
      `Only these keys can be pressed: ${KEYS.join(", ")}. Text is typed with type_ax or set_field.`,
    );
  return key;
}

/**
 * @param {string} [key]
 * @returns {Element} the focused element, or what stands for the page
 * @throws {Refusal} `focus_in_frame` if the key might send something that cannot be seen from here
 */
export function keyTarget(key) {
  const target = deepActive() ?? pageRoot(document);
  if (!target) throw new Refusal("no_page", "The page has no content yet.");
  if (isForeign(target) && key !== "Tab" && key !== "Escape")
    throw new Refusal(
      "focus_in_frame",
      "The focus is in an embedded frame of another site. Read it with iframe_read, and use its refs or iframe_click there.",
    );
  return target;
}

/**
 * One key on one element, with its default action.
 * @param {Element} e
 * @param {string} key
 * @returns {boolean} true if the page itself handled it
 */
export function pressKey(e, key) {
  const { allowed, up } = sendKey(e, key);
  if (allowed && isConnected(e)) {
    if (key === "Enter") enter(e);
    else if (key === "Escape") pressEscape(documentOf(e));
    else if (key === "Tab") tab(e);
    else arrow(e, key);
  }
  if (isConnected(e)) up();
  return !allowed;
}

/** @param {Element} e */
function clickByKey(e) {
  dispatch(
    e,
    new PointerEvent("click", {
      bubbles: true,
      cancelable: true,
      composed: true,
      view: viewOf(e),
      detail: 0,
      pointerId: -1,
    }),
  );
}

/** @param {Element} e */
function enter(e) {
  const tag = localName(e);
  if (tag === "textarea") {
    const area = /** @type {HTMLTextAreaElement} */ (e);
    if (area.readOnly) return;
    const at = area.selectionStart;
    setValue(area, `${area.value.slice(0, at)}\n${area.value.slice(area.selectionEnd)}`);
    area.setSelectionRange(at + 1, at + 1);
    sendInput(area, "insertLineBreak");
  } else if (isEditable(e)) {
    const event = new InputEvent("beforeinput", {
      bubbles: true,
      cancelable: true,
      composed: true,
      inputType: "insertParagraph",
      view: viewOf(e),
    });
    if (dispatch(e, event)) Document.prototype.execCommand.call(documentOf(e), "insertParagraph");
  } else if (
    tag === "button" ||
    tag === "summary" ||
    (tag === "a" && hasAttribute(e, "href")) ||
    /^(submit|button|reset|image)$/.test(inputType(e))
  )
    clickByKey(e);
  else if (tag === "input") submitImplicitly(/** @type {HTMLInputElement} */ (e));
}

/**
 * @param {HTMLFormElement} form
 * @returns {HTMLElement | null} its first submit button in tree order
 */
export function defaultButton(form) {
  const elements = formElements(form);
  for (let i = 0; i < elements.length; i++) {
    const e = /** @type {HTMLElement} */ (elements[i]);
    if (isSubmitButton(e)) return e;
  }
  // Image buttons are not among a form's elements.
  return /** @type {HTMLElement | null} */ (query(form, 'input[type="image"]'));
}

/** @param {Element} e @returns {boolean} */
export function isSubmitButton(e) {
  const tag = localName(e);
  if (tag === "button") return /** @type {HTMLButtonElement} */ (e).type === "submit";
  return inputType(e) === "submit" || inputType(e) === "image";
}

/**
 * Whether Enter in this input sends its form.
 * @param {HTMLInputElement} input
 * @returns {{ form: HTMLFormElement, button: HTMLElement | null } | null}
 */
export function implicitSubmission(input) {
  const form = input.form;
  if (!form) return null;
  const button = defaultButton(form);
  if (button) return isDisabled(button) ? null : { form, button };
  const elements = formElements(form);
  let blocking = 0;
  for (let i = 0; i < elements.length; i++)
    if (BLOCKING.has(inputType(/** @type {Element} */ (elements[i])))) blocking++;
  return blocking <= 1 ? { form, button: null } : null;
}

/** @param {HTMLInputElement} input */
function submitImplicitly(input) {
  const found = implicitSubmission(input);
  if (!found) return;
  if (found.button) clickByKey(found.button);
  else requestSubmit(found.form);
}

/** @param {Document} doc */
function pressEscape(doc) {
  const popovers = Array.from(queryAll(doc, ":popover-open")).filter(
    (p) => (attribute(p, "popover") ?? "") !== "manual",
  );
  const top = popovers.at(-1);
  if (top) return /** @type {any} */ (HTMLElement.prototype).hidePopover.call(top);
  const dialog = modalDialog(doc);
  if (dialog && dispatch(dialog, new Event("cancel", { cancelable: true })))
    HTMLDialogElement.prototype.close.call(dialog);
}

/** @param {Element} e */
function tab(e) {
  const doc = documentOf(e);
  const scope = modalDialog(doc) ?? pageRoot(doc);
  if (!scope) return;
  const stops = tabStops(scope);
  const at = stops.indexOf(e);
  const next = stops[(at + 1) % stops.length];
  if (!next || next === e) return;
  focusAsUser(next);
  if (localName(next) === "input")
    try {
      /** @type {HTMLInputElement} */ (next).select();
    } catch {
      // Not a text input.
    }
}

/** @param {Element} scope @returns {Element[]} what Tab visits, in order; positive tabindex values first, as browsers do */
function tabStops(scope) {
  /** @type {Element[]} */
  const stops = [];
  /** @param {Element} e */
  const visit = (e) => {
    if (stops.length >= TAB_STOPS || (isHTML(e) && hasAttribute(e, "inert"))) return;
    if (
      focusable(e) === e &&
      !(Number(attribute(e, "tabindex") ?? 0) < 0) &&
      isRendered(e) &&
      !skippedRadio(e)
    )
      stops.push(e);
    if (isEditable(e)) return;
    for (let child = firstChild(shadowRootOf(e) ?? e); child; child = nextSibling(child))
      if (isElement(child)) visit(child);
  };
  visit(scope);
  const order = (/** @type {Element} */ e) =>
    Number(attribute(e, "tabindex") ?? 0) || Number.POSITIVE_INFINITY;
  return stops.some((e) => order(e) !== Number.POSITIVE_INFINITY)
    ? stops.sort((a, b) => (order(a) === order(b) ? 0 : order(a) - order(b)))
    : stops;
}

/** @param {Element} e @returns {boolean} a radio button that its group's chosen one stands for */
function skippedRadio(e) {
  return (
    inputType(e) === "radio" &&
    !(/** @type {HTMLInputElement} */ (e).checked) &&
    radioGroup(/** @type {HTMLInputElement} */ (e)).some((r) => r.checked)
  );
}

/** @param {HTMLInputElement} radio @returns {HTMLInputElement[]} */
function radioGroup(radio) {
  const root = /** @type {ParentNode & Node} */ (Node.prototype.getRootNode.call(radio));
  if (!radio.name) return [radio];
  return /** @type {HTMLInputElement[]} */ (Array.from(queryAll(root, 'input[type="radio"]'))).filter(
    (r) => r.name === radio.name && r.form === radio.form && !r.disabled,
  );
}

/**
 * @param {Element} e
 * @param {string} key
 */
function arrow(e, key) {
  const forward = key === "ArrowDown" || key === "ArrowRight";
  const upright = key === "ArrowUp" || key === "ArrowDown";
  const type = inputType(e);
  if (localName(e) === "select" && isHTML(e))
    return moveSelect(/** @type {HTMLSelectElement} */ (e), forward ? 1 : -1);
  if (type === "radio") return moveRadio(/** @type {HTMLInputElement} */ (e), forward ? 1 : -1);
  if (type === "number" || type === "range") {
    if (type === "number" && !upright) return;
    const input = /** @type {HTMLInputElement} */ (e);
    const up = key === "ArrowUp" || key === "ArrowRight";
    const before = input.value;
    if (input.readOnly) return;
    if (up) input.stepUp();
    else input.stepDown();
    if (input.value !== before) {
      sendInput(input);
      sendChange(input);
    }
    return;
  }
  if (VALUE_INPUTS.has(type) || localName(e) === "input" || localName(e) === "textarea" || isEditable(e))
    return moveCaret(e, key);
  const by = forward ? ARROW_SCROLL : -ARROW_SCROLL;
  const scroller = scrollerOf(composedParent(e) ?? e, upright ? "y" : "x");
  if (scroller) scroller.scrollBy({ left: upright ? 0 : by, top: upright ? by : 0, behavior: "instant" });
  else viewOf(e).scrollBy({ left: upright ? 0 : by, top: upright ? by : 0, behavior: "instant" });
}

/** @param {HTMLSelectElement} select @param {number} step */
function moveSelect(select, step) {
  let at = select.selectedIndex;
  do at += step;
  while (select.options[at]?.disabled);
  if (!select.options[at] || select.multiple) return;
  select.selectedIndex = at;
  sendInput(select);
  sendChange(select);
}

/** @param {HTMLInputElement} radio @param {number} step */
function moveRadio(radio, step) {
  const group = radioGroup(radio);
  const next = group[(group.indexOf(radio) + step + group.length) % group.length];
  if (!next || next === radio) return;
  focusAsUser(next);
  clickByKey(next);
}

/** @param {Element} e @param {string} key */
function moveCaret(e, key) {
  const field = /** @type {HTMLInputElement} */ (e);
  if (isEditable(e)) {
    const direction = key === "ArrowLeft" || key === "ArrowUp" ? "backward" : "forward";
    selectionOf(documentOf(e))?.modify(
      "move",
      direction,
      key === "ArrowUp" || key === "ArrowDown" ? "line" : "character",
    );
    return;
  }
  try {
    const at = field.selectionStart;
    if (at === null) return;
    const to =
      key === "ArrowLeft"
        ? at - 1
        : key === "ArrowRight"
          ? at + 1
          : key === "ArrowUp"
            ? 0
            : field.value.length;
    field.setSelectionRange(Math.max(0, to), Math.max(0, to));
  } catch {
    // Not a text input.
  }
}

/** @param {Element} e @returns {Element | null} the form an element belongs to */
export function formOf(e) {
  if (isHTML(e) && /^(input|button|select|textarea|output|fieldset)$/.test(localName(e)))
    return /** @type {HTMLInputElement} */ (e).form;
  return composedClosest(e, (x) => localName(x) === "form" && isHTML(x));
}
