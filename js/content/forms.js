/**
 * `submit_probe`: would this action send a form, which one, where, and with what in it? Reads only.
 */

import { commits } from "./commits.js";
import { buttonsAt, controlsAt, isField, namedControls } from "./controls.js";
import { credentialReason, MASK } from "./credentials.js";
import {
  attribute,
  composedClosest,
  composedContains,
  composedParent,
  documentOf,
  documentURL,
  formAction,
  formElements,
  formMethod,
  hasAttribute,
  isEditable,
  isHTML,
  localName,
  queryAll,
} from "./dom.js";
import { dragPlaces, reachDrag } from "./drag.js";
import { matchOf } from "./frames.js";
import { defaultButton, formOf, implicitSubmission, isSubmitButton, keyTarget } from "./keys.js";
import { CARD_LABEL_CHARS, CARD_VALUE_CHARS, FORM_FIELDS, PROBE_FIELDS } from "./limits.js";
import { emptyText, framedEditors } from "./longtext.js";
import { describeName, editableText, labelText, nameOf } from "./names.js";
import { commonAncestor, pressPart, reach, underPress } from "./press.js";
import { inputType, isDisabled, isEditableRoot, isInteractive, isTypeable, roleOf } from "./roles.js";
import { Refusal } from "./session.js";
import { isRendered } from "./sight.js";
import { targetNow, targetOf } from "./target.js";
import { block, fingerprint, line } from "./text.js";
import { chosenText, optionsFor } from "./values.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./session.js").Args} Args */
/** @typedef {import("./session.js").Answer} Answer */
/** @typedef {{ label: string, value: string, masked: boolean, more?: number }} CardField `more`: characters missing */
/**
 * @typedef {object} Submission
 * @property {boolean} submits
 * @property {boolean} [commits] it sends no form, but its name says that it commits something
 * @property {string} reason
 * @property {string} [host]
 * @property {string} [action]
 * @property {string} [method]
 * @property {string} [control]
 * @property {CardField[]} [fields]
 * @property {number} [total] fields that hold something; not all of them are in `fields`
 * @property {string} [emptyText] the label of a field for a longer text, if all such fields are empty
 * @property {string} [print] fingerprint of form, destination, control and all values
 * @property {string} [others] the same without the field that is being typed into
 */

/** Ancestors searched for the button of a composer without a form. */
const COMPOSER_STEPS = 4;
const COMPOSER_BUTTONS = 60;

/**
 * @param {Session} session
 * @param {Args} args `tool`, `args`
 * @returns {Promise<Answer>}
 */
export async function submitProbe(session, args) {
  const tool = String(args.tool ?? "");
  const given = /** @type {Args} */ (args.args && typeof args.args === "object" ? args.args : {});
  await bringIntoView(session, tool, given);
  const found = submission(session, tool, given);
  if (!found.submits && !found.commits)
    return {
      success: true,
      submits: false,
      commits: false,
      host: "",
      action: "",
      method: "",
      reason: found.reason,
      control: found.control ?? "",
      fields: [],
      total: 0,
      emptyText: "",
      token: "",
    };
  const token = session.tokens.issue({ tool, print: found.print ?? "", others: found.others ?? "" });
  return {
    success: true,
    submits: found.submits,
    commits: found.commits ?? false,
    host: found.host ?? "",
    action: found.action ?? "",
    method: found.method ?? "",
    reason: found.reason,
    control: found.control ?? "",
    fields: found.fields ?? [],
    total: found.total ?? 0,
    emptyText: found.emptyText ?? "",
    token,
  };
}

/**
 * @param {Session} session
 * @param {string} tool
 * @param {Args} args
 * @returns {Submission}
 * @throws {import("./session.js").Refusal} if the reference is no good
 */
export function submission(session, tool, args) {
  if (tool === "set_field" || tool === "type_ax") {
    const { element } = session.element(args.ref_id);
    if (args.submit !== true || tool === "type_ax") return no("typing alone sends nothing");
    return describe(session, element, null, "Enter is pressed after the field is filled", {
      e: element,
      text: String(args.text ?? ""),
      clear: args.clear !== false,
    });
  }
  if (tool === "press_keys") {
    if (String(args.key ?? "").toLowerCase() !== "enter") return no("only Enter can send a form");
    return byEnter(session, keyTarget());
  }
  if (tool === "drag_drop") return byDrag(session, dragPlaces(session, args));
  const { element, text, point } = aimedAt(session, tool, args);
  return byPress(session, element, point ? (text ?? element) : underPress(element, text));
}

/**
 * @param {Session} session
 * @param {string} tool
 * @param {Args} args
 * @returns {{ element: Element, text?: Element, point?: import("./sight.js").Point }} what is to be pressed
 * @throws {import("./session.js").Refusal}
 */
function aimedAt(session, tool, args) {
  if (tool === "frame_click") return matchOf(session, args);
  if (tool !== "click") return session.element(args.ref_id);
  const target = targetNow(session, args);
  if (target instanceof Refusal) throw target;
  return target;
}

/**
 * What a press lands on can only be seen in view, and the action would scroll for its target as well.
 * @param {Session} session
 * @param {string} tool
 * @param {Args} args
 */
async function bringIntoView(session, tool, args) {
  if (tool === "drag_drop") return void (await reachDrag(session, args));
  if (tool === "click") await targetOf(session, args);
  else if (!/^(click_ax|set_checked|frame_click)$/.test(tool) || args.ref_id === undefined) return;
  const { element, text, point } = aimedAt(session, tool, args);
  if (point || localName(element) === "option") return;
  try {
    await reach(session, pressPart(element, text));
  } catch (error) {
    // The action itself will say why it is not possible.
    if (!(error instanceof Refusal)) throw error;
  }
}

/** @param {string} reason @param {string} [control] @returns {Submission} */
function no(reason, control = "") {
  return { submits: false, reason, control };
}

/**
 * A press that is meant for one element may land on something inside it.
 * @param {Session} session
 * @param {Element} e
 * @param {Element | null} hit
 * @returns {Submission}
 */
function byPress(session, e, hit) {
  return firstOf(session, [...(hit && hit !== e ? controlsAt(hit) : []), ...controlsAt(e)]);
}

/**
 * A drag that begins and ends on the same thing is a press of it; buttons may act on the pointer's going down or up.
 * @param {Session} session
 * @param {ReturnType<typeof dragPlaces>} places
 * @returns {Submission}
 */
function byDrag(session, { source, hit, up }) {
  if (!hit) return firstOf(session, controlsAt(source));
  const clicked = up && commonAncestor(hit, up);
  const pressed = clicked ? namedControls(clicked) : [];
  if (up && (composedContains(source, up) || composedContains(hit, up)))
    pressed.push(...controlsAt(source), ...controlsAt(hit));
  return firstOf(session, [...pressed, ...buttonsAt(hit), ...(up ? buttonsAt(up) : [])]);
}

/**
 * @param {Session} session
 * @param {Element[]} controls
 * @returns {Submission} of the first that sends or commits something
 */
function firstOf(session, controls) {
  /** @type {Submission | null} */
  let quiet = null;
  const sends = (/** @type {Element} */ e) => Number(isSubmitButton(e) && formOf(e) !== null);
  for (const control of [...new Set(controls)].sort((a, b) => sends(b) - sends(a))) {
    const found = byControl(session, control);
    if (found.submits || found.commits) return found;
    quiet ??= found;
  }
  return quiet ?? no("no button is pressed by it");
}

/**
 * @param {Session} session
 * @param {Element} button
 * @returns {Submission}
 */
function byControl(session, button) {
  if (isSubmitButton(button) && formOf(button))
    return describe(session, button, button, "it is the submit button of a form");
  const role = roleOf(button);
  const name = describeName(button, role);
  if (isField(button)) return no("it is a field", name);
  if (!commits(name)) return no("it is neither a submit button nor named like one", name);
  const scope = scopeOf(button);
  if (!scope)
    return {
      ...describe(session, button, null, "its name says that it commits something"),
      submits: false,
      commits: true,
    };
  return describe(
    session,
    button,
    null,
    `its name says that it commits what is in this ${localName(scope) === "form" ? "form" : "dialog"}`,
  );
}

/**
 * @param {Session} session
 * @param {Element} e
 * @returns {Submission}
 */
function byEnter(session, e) {
  const none = no("Enter sends nothing from here", describeName(e, roleOf(e)));
  if (!isField(e)) {
    const active = attribute(e, "aria-activedescendant");
    const chosen = active ? documentOf(e).getElementById(active) : null;
    if (!isInteractive(e, roleOf(e))) return none;
    return firstOf(session, [...controlsAt(e), ...(chosen ? controlsAt(chosen) : [])]);
  }
  if (localName(e) === "input") {
    const found = implicitSubmission(/** @type {HTMLInputElement} */ (e));
    if (found) return describe(session, e, found.button, "Enter in this field sends its form");
  }
  const button = isTypeable(e) ? composerButton(e) : null;
  if (!button) return none;
  return describe(
    session,
    e,
    null,
    `Enter may send what is written, as "${line(describeName(button, roleOf(button)), 40)}" does`,
  );
}

/** @param {Element} e @returns {Element | null} the form or dialog around an element */
function scopeOf(e) {
  return (
    formOf(e) ??
    composedClosest(
      e,
      (x) =>
        localName(x) === "dialog" ||
        /^(dialog|alertdialog)$/.test(attribute(x, "role") ?? "") ||
        attribute(x, "aria-modal") === "true",
    )
  );
}

/** @param {Element} e @returns {Element | null} what holds the fields that a button without a form may send */
function fieldsNear(e) {
  if (isEditable(e)) return null;
  let at = composedParent(e);
  for (let i = 0; at && i < COMPOSER_STEPS && localName(at) !== "body"; i++, at = composedParent(at))
    if (queryAll(at, "input:not([type=hidden]),select,textarea,[contenteditable]").length) return at;
  return null;
}

/** @param {Element} e @returns {Element | null} a button near an editor whose name says that it sends */
function composerButton(e) {
  let at = composedParent(e);
  for (let i = 0; at && i < COMPOSER_STEPS && localName(at) !== "body"; i++, at = composedParent(at)) {
    const buttons = queryAll(at, 'button,[role="button"],input[type="submit"]');
    for (let n = 0; n < buttons.length && n < COMPOSER_BUTTONS; n++) {
      const button = /** @type {Element} */ (buttons[n]);
      if (isRendered(button) && !isDisabled(button) && commits(describeName(button, "button"))) return button;
    }
  }
  return null;
}

/**
 * @param {Session} session
 * @param {Element} control what is pressed or typed into
 * @param {Element | null} submitter
 * @param {string} reason
 * @param {{ e: Element, text: string, clear: boolean }} [typed] a field whose value will be another by then
 * @returns {Submission}
 */
function describe(session, control, submitter, reason, typed) {
  const form = /** @type {HTMLFormElement | null} */ (formOf(control));
  const button = submitter ?? (form && typed ? defaultButton(form) : null);
  const to = destination(control, form, button);
  const all = valuesOf(form ?? scopeOf(control) ?? fieldsNear(control), control, typed);
  const named = button && button !== control ? button : control;
  const name = line(describeName(named, roleOf(named)), CARD_LABEL_CHARS);
  const frame = [form ? session.refs.of(form) : "", to.action, to.method, session.refs.of(control), name];
  const shown = all.filter((f) => f.value !== "").sort((a, b) => Number(b.changed) - Number(a.changed));
  return {
    submits: true,
    reason,
    ...to,
    control: name,
    fields: shown.slice(0, PROBE_FIELDS).map(cardField),
    total: shown.length + unread(form),
    emptyText: emptyText(all),
    print: fingerprint(JSON.stringify([frame, all.map((f) => [f.key, f.value])])),
    others: fingerprint(JSON.stringify([frame, all.filter((f) => !f.typed).map((f) => [f.key, f.value])])),
  };
}

/** @param {{ label: string, value: string, secret: boolean }} field @returns {CardField} */
function cardField({ label, value, secret }) {
  if (secret) return { label, value: MASK, masked: true };
  const text = block(value).trim();
  const more = text.length - CARD_VALUE_CHARS;
  return more > 0
    ? { label, value: text.slice(0, CARD_VALUE_CHARS), masked: false, more }
    : { label, value: text, masked: false };
}

/** @param {HTMLFormElement | null} form @returns {number} its elements that nobody looked at */
function unread(form) {
  return form ? Math.max(formElements(form).length - FORM_FIELDS, 0) : 0;
}

/**
 * @param {Element} control
 * @param {HTMLFormElement | null} form
 * @param {Element | null} button
 * @returns {{ host: string, action: string, method: string }}
 */
function destination(control, form, button) {
  const page = documentURL(documentOf(control));
  let address = form ? formAction(form) || page : page;
  let method = form ? formMethod(form) : "";
  if (button && hasAttribute(button, "formaction"))
    address = /** @type {HTMLButtonElement} */ (button).formAction;
  if (button && hasAttribute(button, "formmethod"))
    method = /** @type {HTMLButtonElement} */ (button).formMethod;
  try {
    const url = new URL(address, page);
    const action =
      url.protocol === "http:" || url.protocol === "https:" ? url.origin + url.pathname : `${url.protocol}…`;
    return { host: url.host || url.protocol, action: action.slice(0, 300), method: method || "script" };
  } catch {
    return { host: "", action: line(address, 300), method: method || "script" };
  }
}

/**
 * @param {Element | null} scope
 * @param {Element} control
 * @param {{ e: Element, text: string, clear: boolean }} [typed]
 * @returns {{ e: Element, key: string, label: string, value: string, changed: boolean, secret: boolean, typed: boolean }[]}
 */
function valuesOf(scope, control, typed) {
  /** @type {Element[]} */
  const fields = [];
  if (scope && localName(scope) === "form" && isHTML(scope)) {
    const elements = formElements(/** @type {HTMLFormElement} */ (scope));
    for (let i = 0; i < elements.length && i < FORM_FIELDS; i++)
      fields.push(/** @type {Element} */ (elements[i]));
    fields.push(...Array.from(queryAll(scope, "[contenteditable]")).slice(0, 10));
  } else if (scope)
    fields.push(
      ...Array.from(queryAll(scope, "input,select,textarea,[contenteditable]")).slice(0, FORM_FIELDS),
    );
  else if (isEditable(control)) fields.push(control);
  if (scope) fields.push(...framedEditors(scope));
  if (typed && !fields.includes(typed.e)) fields.push(typed.e);
  const out = [];
  for (const e of fields) {
    const read = readField(e);
    if (!read) continue;
    const is = typed?.e === e;
    const value = is && typed ? projected(e, typed.text, typed.clear, read.value) : read.value;
    const key = attribute(e, "name") ?? attribute(e, "id") ?? "";
    const role = roleOf(e);
    const label = line(
      labelText(e) ||
        (localName(e) === "select" ? attribute(e, "aria-label") : nameOf(e, role)) ||
        key ||
        role,
      CARD_LABEL_CHARS,
    );
    out.push({
      e,
      key,
      label,
      value,
      changed: is || read.changed,
      secret: credentialReason(e) !== null,
      typed: is,
    });
  }
  return out;
}

/** @param {Element} e @param {string} text @param {boolean} clear @param {string} now @returns {string} the value once typed */
function projected(e, text, clear, now) {
  if (localName(e) === "select")
    try {
      return optionsFor(/** @type {HTMLSelectElement} */ (e), text)
        .map((o) => o.text)
        .join(", ");
    } catch {
      return text;
    }
  return clear ? text : now + text;
}

/** @param {Element} e @returns {{ value: string, changed: boolean } | null} `null` for what is no user's field */
function readField(e) {
  const tag = localName(e);
  if (tag === "select") {
    const options = Array.from(/** @type {HTMLSelectElement} */ (e).options);
    return {
      value: chosenText(/** @type {any} */ (e)),
      changed: options.some((o) => o.selected !== o.defaultSelected),
    };
  }
  if (tag === "textarea") {
    const area = /** @type {HTMLTextAreaElement} */ (e);
    return { value: area.value, changed: area.value !== area.defaultValue };
  }
  if (tag !== "input") {
    if (!isEditableRoot(e)) return null;
    return { value: editableText(/** @type {HTMLElement} */ (e)), changed: true };
  }
  const input = /** @type {HTMLInputElement} */ (e);
  const type = inputType(e);
  if (/^(hidden|submit|button|reset|image)$/.test(type)) return null;
  if (type === "checkbox" || type === "radio") {
    // Its label stands before it already.
    return { value: input.checked ? "yes" : "", changed: input.checked !== input.defaultChecked };
  }
  if (type === "file")
    return { value: Array.from(input.files ?? [], (f) => f.name).join(", "), changed: true };
  return { value: input.value, changed: input.value !== input.defaultValue };
}
