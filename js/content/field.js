/**
 * `type_ax` and `set_field`: text and values into a field, read back afterwards.
 */

import { credentialReason } from "./credentials.js";
import {
  attribute,
  composedClosest,
  deepActive,
  isConnected,
  isEditable,
  isHTML,
  localName,
  pause,
  queryAll,
  requestSubmit,
} from "./dom.js";
import { focusAsUser } from "./focus.js";
import { sendKey } from "./keyevents.js";
import { defaultButton, formOf, pressKey } from "./keys.js";
import { ACTUAL_CHARS, TYPE_CHARS } from "./limits.js";
import { editableText, labelText } from "./names.js";
import { press, pressTarget, reach } from "./press.js";
import { inputType, isDisabled, isEditableRoot, isTypeable, roleOf, VALUE_INPUTS } from "./roles.js";
import { Refusal } from "./session.js";
import { inertReason, isRendered, plainRect } from "./sight.js";
import { awaitSuggestions, isCombobox, listed, matching, openOptions, pick } from "./suggestions.js";
import { cut, folded, line, quote } from "./text.js";
import { holds, typeIntoEditor, typeIntoField } from "./typing.js";
import { chooseOptions, chosenText, optionsFor, setFormatted } from "./values.js";
import { Watch } from "./watch.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./session.js").Args} Args */
/** @typedef {import("./session.js").Answer} Answer */
/** @typedef {import("./values.js").Field} Field */

/** Between the two keys that commit a highlighted suggestion. */
const ARROW_MS = 80;
const COMMIT_MS = 30;
const YES = /^(true|yes|on|checked|1)$/i;
const NO = /^(false|no|off|unchecked|0)$/i;

/**
 * @param {Session} session
 * @param {Args} args `ref_id`, `text`, `clear` (false)
 * @returns {Promise<Answer>}
 */
export async function typeAx(session, args) {
  const how = { method: "type_ax", clear: args.clear === true, submit: false };
  return fill(session, session.element(args.ref_id), args, how);
}

/**
 * @param {Session} session
 * @param {Args} args `ref_id`, `text`, `clear` (true), `submit` (false), `token`
 * @returns {Promise<Answer>}
 */
export async function setField(session, args) {
  const how = { method: "set_field", clear: args.clear !== false, submit: args.submit === true };
  return fill(session, session.element(args.ref_id), args, how);
}

/**
 * @param {Session} session
 * @param {{ element: Element, ref: string, note: string | null }} found
 * @param {Args} args `text`, `token`
 * @param {{ method: string, clear: boolean, submit: boolean }} how
 * @returns {Promise<Answer>}
 */
export async function fill(session, found, args, how) {
  const text =
    typeof args.text === "number" || typeof args.text === "boolean" ? String(args.text) : args.text;
  if (typeof text !== "string") throw new Refusal("bad_text", "text must be a string.");
  if (text.length > TYPE_CHARS)
    throw new Refusal("too_long", `At most ${TYPE_CHARS} characters can be typed at once.`);
  const e = fieldOf(found.element);
  const ticket = how.submit ? session.tokens.check(session, "set_field", args) : null;
  refuse(e, how.method);
  const ref = e === found.element ? found.ref : session.refs.of(e);
  if (!isRendered(e) && !isChoice(e)) pressTarget(e);
  if (isRendered(e)) await bringIntoView(e);
  session.touch(e);
  session.actions++;
  const watch = new Watch(session, e);
  /** @type {Filled} */
  let done;
  try {
    done = await put(session, e, text, how, watch);
  } catch (error) {
    watch.close();
    throw error;
  }
  const secret = credentialReason(e);
  let changed = await watch.done({ quick: how.submit });
  // Looked at after the page had its time: a value it takes back a moment later was not accepted.
  done = { ...done, ...judge(e, text, how.clear, done) };
  const open = done.suggestions && isConnected(e) ? openOptions(e) : [];
  if (open.length) done.suggestions = listed(session, open);
  /** @type {Answer} */
  const answer = {
    success: done.verified || done.formatted === true,
    method: done.method,
    ref_id: ref,
    rect: isConnected(e) ? plainRect(e) : null,
    verified: done.verified,
    fieldMeta: metaOf(e),
    changed,
  };
  if (secret) Object.assign(answer, { sensitiveField: true, sensitiveReason: secret, actualRedacted: true });
  else answer.actual = cut(done.actual, ACTUAL_CHARS);
  if (secret) answer.changed = changed = changed.map((c) => (c.startsWith("value:") ? "value: (hidden)" : c));
  const complaint = complaintOf(e);
  if (complaint && !secret) answer.validationMessage = complaint;
  if (done.picked) answer.picked = done.picked;
  if (done.suggestions?.length) answer.suggestions = done.suggestions;
  if (done.stopped) answer.note = `Not everything was typed: ${done.stopped}.`;
  if (found.note) answer.note = [found.note, answer.note].filter(Boolean).join(". ");
  if (answer.success && !done.verified)
    answer.note = "The page shows the text in its own format; see actual.";
  if (!answer.success) return { ...answer, ...failure(done, secret) };
  if (done.suggestions?.length && !done.picked)
    answer.hint = "The field offers suggestions. If it takes only one of them, click it by its ref_id.";
  if (how.submit) {
    if (ticket) session.tokens.recheck(session, ticket, args);
    const more = await send(session, e);
    answer.submitted = more.submitted;
    answer.changed = [...changed.filter((c) => c !== "nothing"), ...more.changed];
    if (more.hint) answer.hint = more.hint;
  }
  return answer;
}

/**
 * @typedef {object} Filled
 * @property {string} method
 * @property {string} actual what the field shows afterwards
 * @property {boolean} verified
 * @property {boolean} [formatted] same letters and digits, other punctuation
 * @property {string | null} [picked] suggestion that was chosen
 * @property {{ ref_id: string, text: string }[]} [suggestions]
 * @property {string | null} [stopped]
 * @property {string} [before]
 */

/**
 * @param {Session} session
 * @param {Element} e
 * @param {string} text
 * @param {{ method: string, clear: boolean }} how
 * @param {Watch} watch
 * @returns {Promise<Filled>}
 */
async function put(session, e, text, how, watch) {
  const before = actualOf(e);
  if (localName(e) === "select" && isHTML(e)) {
    const select = /** @type {HTMLSelectElement} */ (e);
    const options = optionsFor(select, text);
    focusAsUser(select);
    chooseOptions(
      select,
      how.clear || !select.multiple ? options : [...Array.from(select.selectedOptions), ...options],
    );
    return { method: `${how.method}_select`, actual: "", verified: false, before };
  }
  if (isChoice(e))
    return { method: `${how.method}_choice`, actual: "", verified: await choose(session, e, text), before };
  if (VALUE_INPUTS.has(inputType(e))) {
    focusAsUser(e);
    setFormatted(/** @type {HTMLInputElement} */ (e), text);
    return { method: `${how.method}_input`, actual: "", verified: false, before };
  }
  if (isEditable(e) && !/^(input|textarea)$/.test(localName(e))) {
    await typeIntoEditor(/** @type {HTMLElement} */ (e), text, how.clear);
    return { method: `${how.method}_contenteditable`, actual: "", verified: false, before };
  }
  if (isPicker(e)) return pickFromPopup(session, e, text, how.method, before);
  const { stopped } = await typeIntoField(/** @type {Field} */ (e), text, how.clear);
  const options = await awaitSuggestions(e, () => watch.added);
  /** @type {Filled} */
  const done = { method: `${how.method}_input`, actual: "", verified: false, stopped, before };
  if (!options.length) return done;
  const match = how.method === "set_field" && isCombobox(e) ? matching(options, text) : null;
  if (match) done.picked = await pick(session, match);
  if (!done.picked) done.suggestions = listed(session, options);
  return done;
}

/** @param {Element} e @returns {boolean} a drop-down made by the page, without a field to type into */
function isPicker(e) {
  return roleOf(e) === "combobox" && !isTypeable(e) && localName(e) !== "select";
}

/**
 * Open a drop-down and press the option that was meant.
 * @param {Session} session
 * @param {Element} e
 * @param {string} text
 * @param {string} method
 * @param {string} before
 * @returns {Promise<Filled>}
 * @throws {Refusal} `no_option` with what the opened list offers
 */
async function pickFromPopup(session, e, text, method, before) {
  if (attribute(e, "aria-expanded") !== "true") {
    const target = pressTarget(e);
    await press(session, target, await reach(session, target));
  }
  const options = await awaitSuggestions(e, () => []);
  const match = matching(options, text);
  const picked = match ? await pick(session, match) : null;
  if (picked !== null) return { method: `${method}_picker`, actual: "", verified: false, picked, before };
  throw new Refusal(
    "no_option",
    options.length
      ? `The open list has no option ${quote(line(text, 60))}. Click one of the options by its ref_id.`
      : "The drop-down was pressed, but no list of options opened. Click it and read the tree again.",
    { suggestions: listed(session, options) },
  );
}

/**
 * @param {Element} e
 * @param {string} text
 * @param {boolean} clear
 * @param {Filled} done
 * @returns {{ actual: string, verified: boolean, formatted?: boolean }}
 */
function judge(e, text, clear, done) {
  const actual = actualOf(e);
  if (!isConnected(e)) return { actual: "", verified: false };
  if (isChoice(e)) return { actual, verified: YES.test(text.trim()) === (actual === "true") };
  if (localName(e) === "select") {
    try {
      const select = /** @type {HTMLSelectElement} */ (e);
      return { actual, verified: optionsFor(select, text).every((o) => o.selected) };
    } catch {
      return { actual, verified: false };
    }
  }
  if (VALUE_INPUTS.has(inputType(e)))
    return {
      actual,
      verified:
        inputType(e) === "range"
          ? Number(actual) === Number(text)
          : actual.startsWith(text.trim().toLowerCase().replace(" ", "T")) || actual === text.trim(),
    };
  if (done.picked) {
    const fits = [folded(done.picked), folded(text)].some((t) => t !== "" && folded(actual).includes(t));
    return { actual, verified: fits || (actual === "" && chipBeside(e, done.picked)) };
  }
  if (isEditableRoot(e))
    return {
      actual,
      verified: text === "" ? actual.trim() === "" : holds(/** @type {HTMLElement} */ (e), text),
    };
  const single = localName(e) === "input";
  const typed = single ? text.replace(/\s*[\r\n]+\s*/g, " ") : text.replace(/\r\n?/g, "\n");
  const wanted = clear ? typed : (done.before ?? "") + typed;
  if (
    actual === wanted ||
    (inputType(e) === "number" && actual !== "" && Number(actual) === Number(wanted)) ||
    (inputType(e) === "email" && actual === wanted.trim())
  )
    return { actual, verified: true };
  const bare = (/** @type {string} */ t) => folded(t).replace(/[\s\p{P}\p{S}]/gu, "");
  return { actual, verified: false, formatted: bare(wanted) !== "" && bare(actual) === bare(wanted) };
}

/** @param {Element} e @param {string} text a chosen value that left the field and stands beside it */
function chipBeside(e, text) {
  const parent = e.parentElement?.parentElement ?? e.parentElement;
  return !!parent && folded(parent.textContent ?? "").includes(folded(text));
}

/**
 * @param {Filled} done
 * @param {string | null} secret
 */
function failure(done, secret) {
  const shown = secret ? "" : ` It now holds ${quote(line(done.actual, 80))}.`;
  const error = done.suggestions?.length
    ? `The field did not keep the text.${shown} It offers suggestions: click one by its ref_id.`
    : `The field did not take the text as given.${shown} Read the tree again before trying otherwise.`;
  return { code: "not_verified", error, recoveryRequired: "fresh_tree" };
}

/**
 * What a user would read in a field.
 * @param {Element} e
 * @returns {string}
 */
function actualOf(e) {
  if (localName(e) === "select") return chosenText(/** @type {any} */ (e));
  if (isChoice(e)) return String(isChecked(e));
  if (isHTML(e) && /^(input|textarea)$/.test(localName(e))) return /** @type {Field} */ (e).value;
  return isHTML(e) ? editableText(e) : "";
}

/** @param {Element} e @returns {boolean} */
function isChoice(e) {
  return /^(checkbox|radio|switch|menuitemcheckbox|menuitemradio)$/.test(roleOf(e));
}

/** @param {Element} e @returns {boolean} */
function isChecked(e) {
  return localName(e) === "input"
    ? /** @type {HTMLInputElement} */ (e).checked
    : attribute(e, "aria-checked") === "true";
}

/**
 * Tick or untick by a press, if it is not yet as wanted.
 * @param {Session} session
 * @param {Element} e
 * @param {string} text
 * @returns {Promise<boolean>}
 */
async function choose(session, e, text) {
  const word = text.trim();
  if (!YES.test(word) && !NO.test(word))
    throw new Refusal(
      "bad_value",
      'A checkbox or radio button takes "true" or "false"; or use click_ax to switch it.',
    );
  const wanted = YES.test(word);
  if (isChecked(e) === wanted) return true;
  if (!wanted && /radio/.test(roleOf(e)))
    throw new Refusal("bad_value", "A radio button cannot be switched off; choose another one of its group.");
  const target = pressTarget(e);
  await press(session, target, await reach(session, target));
  await pause(0);
  return isChecked(e) === wanted;
}

/**
 * The field that is meant: a label stands for its control, a wrapper for the only field in it.
 * @param {Element} e
 * @returns {Element}
 */
function fieldOf(e) {
  if (isTypeable(e) || /^(input|select|textarea)$/.test(localName(e)) || isChoice(e)) return editorOf(e);
  const label = composedClosest(e, (x) => localName(x) === "label" && isHTML(x));
  const control = label && /** @type {HTMLLabelElement} */ (label).control;
  if (control) return control;
  if (localName(e) === "option") return composedClosest(e, (x) => localName(x) === "select") ?? e;
  const inside = Array.from(queryAll(e, "input,textarea,select,[contenteditable]")).filter(
    (x) => isTypeable(x) || localName(x) === "select",
  );
  return inside.length === 1 && inside[0] ? editorOf(inside[0]) : e;
}

/** @param {Element} e @returns {Element} the whole editor a part belongs to */
function editorOf(e) {
  if (/^(input|textarea|select)$/.test(localName(e)) || !isEditable(e)) return e;
  return composedClosest(e, isEditableRoot) ?? e;
}

/**
 * @param {Element} e
 * @param {string} method
 */
function refuse(e, method) {
  const type = inputType(e);
  if (type === "file")
    throw new Refusal(
      "file_input",
      "A file field takes no text, and its chooser cannot be operated. Ask the user to choose the file.",
    );
  if (type === "hidden") throw new Refusal("not_typeable", "This field is not for users and takes no text.");
  if (/^(submit|button|reset|image)$/.test(type))
    throw new Refusal("not_typeable", "This is a button; use click_ax.");
  if (method !== "set_field") {
    if (isChoice(e))
      throw new Refusal(
        "not_typeable",
        'This is switched, not typed into: use click_ax, or set_field with "true" or "false".',
      );
    if (type === "color" || type === "range")
      throw new Refusal("not_typeable", `A ${type} field takes a whole value: use set_field.`);
  }
  const choice = isChoice(e);
  if (!choice && !isTypeable(e) && !isPicker(e) && localName(e) !== "select" && !VALUE_INPUTS.has(type))
    throw new Refusal(
      "not_typeable",
      `This is not a field: a ${roleOf(e)} takes no text. Choose a textbox of the tree.`,
    );
  if (isDisabled(e))
    throw new Refusal("disabled", "The field is disabled. Something else may have to be filled in first.");
  const inert = inertReason(e);
  if (inert)
    throw new Refusal("inert", `The field takes no input: ${inert}. Close or finish what is in front first.`);
  if (isHTML(e) && /** @type {HTMLInputElement} */ (e).readOnly && !choice && localName(e) !== "select")
    throw new Refusal(
      "readonly",
      "The field is read-only; the page sets it in another way, often by a picker that opens on a click.",
    );
}

/** @param {Element} e */
async function bringIntoView(e) {
  const rect = plainRect(e);
  if (rect.y < 0 || rect.y + rect.height > window.innerHeight) {
    Element.prototype.scrollIntoView.call(e, { block: "center", inline: "nearest", behavior: "instant" });
    await pause(0);
  }
}

/** @param {Element} e @returns {string} what the browser or the page has against the value, empty if nothing */
function complaintOf(e) {
  if (!isHTML(e) || !/^(input|textarea|select)$/.test(localName(e))) return "";
  const field = /** @type {HTMLInputElement} */ (e);
  if (!field.willValidate || field.validity.valid) return "";
  // Browsers show the title beside a pattern's message: it says what the pattern is.
  const asked = field.validity.patternMismatch ? (attribute(field, "title") ?? "") : "";
  return line(`${field.validationMessage} ${asked}`, 160);
}

/** @param {Element} e */
function metaOf(e) {
  const short = (/** @type {string | null} */ t) => line(t, 100);
  return {
    tag: localName(e),
    type: inputType(e) || (isEditable(e) ? "contenteditable" : ""),
    name: short(attribute(e, "name")),
    id: short(attribute(e, "id")),
    autocomplete: short(attribute(e, "autocomplete")),
    ariaLabel: short(attribute(e, "aria-label")),
    placeholder: short(attribute(e, "placeholder")),
    labelText: labelText(e),
  };
}

/**
 * Send what was typed: commit a highlighted suggestion, or press Enter, or ask the form to submit.
 * @param {Session} session
 * @param {Element} e
 * @returns {Promise<{ submitted: boolean, changed: string[], hint?: string }>}
 */
async function send(session, e) {
  if (!isConnected(e))
    throw new Refusal(
      "replaced",
      "The page replaced the field after it was filled, so it was not sent. Read the tree again.",
    );
  const watch = new Watch(session, e);
  try {
    focusAsUser(e);
    const form = /** @type {HTMLFormElement | null} */ (formOf(e));
    if (isCombobox(e) && openOptions(e).length) {
      pressKey(e, "ArrowDown");
      await pause(ARROW_MS);
      pressKey(deepActive() ?? e, "Enter");
      await pause(COMMIT_MS);
    } else if (localName(e) === "textarea" || isEditable(e) || localName(e) === "select")
      await sendLong(e, form);
    else pressKey(e, "Enter");
  } catch (error) {
    watch.close();
    throw error;
  }
  const changed = await watch.done();
  const submitted = watch.submitted !== null || watch.leaving;
  if (changed[0] !== "nothing") return { submitted, changed };
  return {
    submitted,
    changed: [],
    hint: "Enter was pressed, but nothing on the page changed: it was probably not sent.",
  };
}

/**
 * A field in which Enter is a line break unless the page says otherwise.
 * @param {Element} e
 * @param {HTMLFormElement | null} form
 * @returns {Promise<void>}
 */
async function sendLong(e, form) {
  // Without a form only the page's own listener can send; the key's default, a line break, is not wanted.
  if (!form) return sendKey(e, "Enter").up();
  await pause(0);
  if (isConnected(e)) requestSubmit(form, defaultButton(form));
}
