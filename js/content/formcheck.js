/**
 * `verify_form`: what a form would send now, as far as it may be seen.
 */

import { credentialReason } from "./credentials.js";
import { deepQuery } from "./deep.js";
import {
  attribute,
  composedClosest,
  deepActive,
  documentURL,
  formAction,
  formElements,
  formMethod,
  isHTML,
  localName,
  pageRoot,
  queryAll,
} from "./dom.js";
import { ANCHORED_VALUE_CHARS, HREF_CHARS, NAME_CHARS, VERIFY_FIELDS } from "./limits.js";
import { describeName, editableText, labelText, nameOf } from "./names.js";
import { inputType, isDisabled, isEditableRoot, roleOf } from "./roles.js";
import { validSelector } from "./selectors.js";
import { Refusal } from "./session.js";
import { isRendered } from "./sight.js";
import { line, value as valueText } from "./text.js";
import { chosenText } from "./values.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./session.js").Args} Args */
/** @typedef {import("./session.js").Answer} Answer */

const FIELDS = 'input,select,textarea,[contenteditable=""],[contenteditable="true"],[role="textbox"]';
const DIALOGS = 'dialog[open],[role="dialog"],[role="alertdialog"],[aria-modal="true"]';
const VALUE_SHOWN = 200;
const MESSAGE_CHARS = 160;

/**
 * @param {Session} session
 * @param {Args} args `selector`: the form or anything in it; without one, the form with the focus, else the only or
 *   largest one that is shown
 * @returns {Answer}
 */
export function verifyForm(session, args) {
  const scope =
    args.selector === undefined || args.selector === null ? byItself() : bySelector(args.selector);
  if (!scope)
    return {
      success: true,
      found: false,
      fieldCount: 0,
      fields: [],
      note: "No form and no fields are shown.",
    };
  const form = localName(scope) === "form" && isHTML(scope) ? /** @type {HTMLFormElement} */ (scope) : null;
  const all = fieldsOf(scope, form);
  const fields = all.slice(0, VERIFY_FIELDS).map((e) => describeField(session, e));
  return {
    success: true,
    found: true,
    form: form !== null,
    ref_id: session.refs.of(scope),
    name: line(describeName(scope, roleOf(scope)), NAME_CHARS),
    action: form ? line(formAction(form) || documentURL(document), HREF_CHARS * 4) : null,
    method: form ? formMethod(form) : null,
    valid: form ? HTMLFormElement.prototype.matches.call(form, ":valid") : null,
    fieldCount: all.length,
    fields,
    truncated: all.length > fields.length,
  };
}

/** @param {unknown} given @returns {Element} */
function bySelector(given) {
  const selector = validSelector(given);
  const { found } = deepQuery(selector, 50);
  const hit = found.find(isRendered) ?? found[0];
  if (!hit)
    throw new Refusal(
      "not_found",
      "No element matches this selector. Leave it out to check the form that is shown.",
    );
  const form = composedClosest(hit, (e) => localName(e) === "form");
  return form ?? hit;
}

/** @returns {Element | null} */
function byItself() {
  const active = deepActive();
  const own = active && composedClosest(active, (e) => localName(e) === "form");
  if (own) return own;
  const { found } = deepQuery("form", 50, isRendered);
  const [largest] = found
    .map((form) => ({ form, size: queryAll(form, FIELDS).length }))
    .filter(({ size }) => size > 0)
    .sort((a, b) => b.size - a.size);
  if (largest) return largest.form;
  const dialog = deepQuery(DIALOGS, 10, isRendered).found.find((e) => queryAll(e, FIELDS).length > 0);
  if (dialog) return dialog;
  const loose = deepQuery(FIELDS, 1, isRendered).found[0];
  return loose ? pageRoot(document) : null;
}

/** @param {Element} scope @param {HTMLFormElement | null} form @returns {Element[]} */
function fieldsOf(scope, form) {
  const listed = form ? Array.from(formElements(form)) : [];
  const inside = Array.from(queryAll(scope, FIELDS)).filter(
    (e) => !listed.includes(e) && (!form || !/^(input|select|textarea)$/.test(localName(e)) || !formOf(e)),
  );
  return [...listed, ...inside].filter((e) => {
    const tag = localName(e);
    if (/^(button|fieldset|output|object)$/.test(tag)) return false;
    if (tag !== "input")
      return /^(select|textarea)$/.test(tag) || isEditableRoot(e) || roleOf(e) === "textbox";
    return !/^(submit|button|reset|image)$/.test(inputType(e));
  });
}

/** @param {Element} e */
function formOf(e) {
  return /** @type {HTMLInputElement} */ (e).form;
}

/** @param {Session} session @param {Element} e */
function describeField(session, e) {
  const tag = localName(e);
  const type = tag === "input" ? inputType(e) : tag === "select" || tag === "textarea" ? tag : "editable";
  const field = /** @type {HTMLInputElement} */ (e);
  const native = isHTML(e) && /^(input|select|textarea)$/.test(tag);
  /** @type {Record<string, unknown>} */
  const all = {
    ref_id: type === "hidden" ? "" : session.refs.of(e),
    name: line(attribute(e, "name") || attribute(e, "id"), 80),
    type,
    label: labelText(e) || (type === "hidden" ? "" : nameOf(e, roleOf(e))),
    value: shownValue(e, type),
    masked: isSecret(e, type),
    placeholder: line(attribute(e, "placeholder"), 80),
    required: native && field.required,
    disabled: isDisabled(e),
    hidden: type !== "hidden" && !isRendered(e),
    problem:
      native && !field.validity.valid ? line(field.validationMessage, MESSAGE_CHARS) || "not valid" : "",
  };
  return Object.fromEntries(
    Object.entries(all).filter(([key, v]) => key === "value" || (v !== "" && v !== false)),
  );
}

/** @param {Element} e @param {string} type @returns {string | boolean | string[]} */
function shownValue(e, type) {
  const field = /** @type {HTMLInputElement} */ (e);
  if (type === "checkbox" || type === "radio") return field.checked;
  if (type === "select") return chosenText(/** @type {any} */ (e));
  if (type === "file") return Array.from(field.files ?? [], (f) => line(f.name, 80)).slice(0, 10);
  const raw = type === "editable" ? editableText(/** @type {HTMLElement} */ (e)) : field.value;
  if (!raw) return "";
  return isSecret(e, type) ? "" : valueText(raw.slice(0, ANCHORED_VALUE_CHARS), VALUE_SHOWN);
}

/** @param {Element} e @param {string} type @returns {boolean} */
function isSecret(e, type) {
  return !/^(checkbox|radio|select|file)$/.test(type) && credentialReason(e) !== null;
}
