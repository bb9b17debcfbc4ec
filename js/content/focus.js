/**
 * Moving the focus as a user's action would.
 */

import {
  attribute,
  composedClosest,
  composedParent,
  deepActive,
  dispatch,
  documentOf,
  focus,
  hasAttribute,
  isEditable,
  isHTML,
  listen,
  localName,
  unlisten,
  viewOf,
} from "./dom.js";
import { isDisabled } from "./roles.js";

/**
 * What gets the focus when this element is pressed.
 * @param {Element} e
 * @returns {Element | null}
 */
export function focusable(e) {
  return composedClosest(e, (x) => {
    if (isDisabled(x) && isHTML(x)) return false;
    const tag = localName(x);
    if (/^(button|input|select|textarea|summary|iframe)$/.test(tag)) return true;
    if (tag === "a" || tag === "area") return hasAttribute(x, "href") || hasAttribute(x, "tabindex");
    if (hasAttribute(x, "tabindex")) return Number.isInteger(Number(attribute(x, "tabindex")));
    return isEditable(x) && !isEditable(composedParent(x) ?? x);
  });
}

/**
 * Focus an element. A window that is not in front gets no focus events from the browser, although its active element
 * changes; pages wait for them, so they are made here in that case.
 * @param {Element} e
 */
export function focusAsUser(e) {
  const before = deepActive();
  if (before === e) return;
  const doc = documentOf(e);
  let told = false;
  const note = () => {
    told = true;
  };
  listen(doc, "focusin", note, { capture: true });
  try {
    focus(e);
  } finally {
    unlisten(doc, "focusin", note, { capture: true });
  }
  if (told || deepActive() !== e) return;
  const view = viewOf(e);
  /** @param {Element} target @param {string} type @param {boolean} bubbles @param {Element | null} other */
  const send = (target, type, bubbles, other) =>
    dispatch(target, new FocusEvent(type, { bubbles, composed: true, relatedTarget: other, view }));
  if (before && !/^(body|html)$/.test(localName(before))) {
    send(before, "blur", false, e);
    send(before, "focusout", true, e);
  }
  send(e, "focus", false, before);
  send(e, "focusin", true, before);
}

/** Take the focus from whatever has it, as a press on an empty place does. @param {Element} near */
export function blurAsUser(near) {
  const active = deepActive(documentOf(near));
  if (active && isHTML(active) && localName(active) !== "body") HTMLElement.prototype.blur.call(active);
}
