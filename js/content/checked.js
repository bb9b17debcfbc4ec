/**
 * `set_checked`: a checkbox, radio button or switch brought into a state, by one press at most.
 */

import { attribute, composedClosest, isConnected, isHTML, localName, pause } from "./dom.js";
import { SWITCH_MS } from "./handlimits.js";
import { describeName } from "./names.js";
import { press, pressTarget, reach } from "./press.js";
import { inputType, isDisabled, roleOf } from "./roles.js";
import { Refusal } from "./session.js";
import { plainRect } from "./sight.js";
import { Watch } from "./watch.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./session.js").Args} Args */
/** @typedef {import("./session.js").Answer} Answer */
/** @typedef {boolean | "mixed"} State */

const CHECKED_ROLES = /^(checkbox|radio|switch|menuitemcheckbox|menuitemradio)$/;

/**
 * @param {Session} session
 * @param {Args} args `ref_id`, `checked`
 * @returns {Promise<Answer>}
 */
export async function setChecked(session, args) {
  const found = session.element(args.ref_id);
  const wanted = args.checked === true || args.checked === "true";
  if (!wanted && args.checked !== false && args.checked !== "false")
    throw new Refusal("bad_value", "checked must be true or false.");
  session.tokens.check(session, "set_checked", args);
  const e = switchOf(found.element);
  const before = stateOf(e);
  if (before === null)
    throw new Refusal(
      "not_a_switch",
      `This ${roleOf(e)} has no checked state. Use set_checked on a checkbox, radio button or switch, click_ax on anything else.`,
    );
  const ref = e === found.element ? found.ref : session.refs.of(e);
  const base = {
    method: "set_checked",
    ref_id: ref,
    name: describeName(e, roleOf(e)),
    checkedBefore: before,
    ...(found.note ? { note: found.note } : {}),
  };
  if (before === wanted)
    return {
      success: true,
      ...base,
      checkedAfter: before,
      pressed: false,
      changed: ["nothing"],
      rect: plainRect(e),
    };
  if (!wanted && /radio$/.test(roleOf(e)))
    throw new Refusal("bad_value", "A radio button cannot be switched off; choose another one of its group.");
  if (inputType(e) !== "" && isDisabled(e))
    throw new Refusal("disabled", "The control is disabled. Something else may have to be filled in first.");
  const target = pressTarget(e);
  const reached = await reach(session, target);
  const watch = new Watch(session, e, target);
  session.touch(e);
  session.actions++;
  try {
    const pressed = await press(session, target, reached);
    watch.acted(pressed.focus);
    await pause(SWITCH_MS);
  } catch (error) {
    watch.close();
    throw error;
  }
  const changed = await watch.done({ quick: stateOf(e) === wanted });
  const after = isConnected(e) ? stateOf(e) : stateOfSuccessor(session, args);
  const answer = { ...base, checkedAfter: after, pressed: true, changed, rect: plainRect(e) };
  if (after === wanted) return { success: true, ...answer };
  const dialog = changed.find((text) => /^opened: (dialog|alertdialog)/.test(text));
  if (dialog)
    return {
      success: false,
      ...answer,
      confirmationRequired: true,
      code: "confirmation_required",
      error: `The page asks before it switches (${dialog}). Answer that dialog, then check the state again.`,
    };
  return {
    success: false,
    ...answer,
    code: "not_verified",
    error: `The control was pressed once, but it is ${after === null ? "gone" : after === "mixed" ? "partly checked" : after ? "checked" : "not checked"} now. Read the tree again before trying otherwise.`,
  };
}

/** @param {Element} e @returns {Element} the control a label stands for */
function switchOf(e) {
  if (stateOf(e) !== null) return e;
  const label = composedClosest(e, (x) => localName(x) === "label" && isHTML(x));
  const control = label && /** @type {HTMLLabelElement} */ (label).control;
  return control ?? composedClosest(e, (x) => stateOf(x) !== null) ?? e;
}

/** @param {Element} e @returns {State | null} `null`: it has no such state */
function stateOf(e) {
  const type = inputType(e);
  if (type === "checkbox" || type === "radio") {
    const input = /** @type {HTMLInputElement} */ (e);
    return input.indeterminate ? "mixed" : input.checked;
  }
  const given = attribute(e, "aria-checked") ?? attribute(e, "aria-pressed");
  if (given === "mixed") return "mixed";
  if (given === "true" || given === "false") return given === "true";
  return CHECKED_ROLES.test(roleOf(e)) ? false : null;
}

/** @param {Session} session @param {Args} args @returns {State | null} state of the equal control the page put in its place */
function stateOfSuccessor(session, args) {
  try {
    return stateOf(session.element(args.ref_id).element);
  } catch (error) {
    const fresh = error instanceof Refusal ? error.more.freshRef : null;
    return typeof fresh === "string" ? stateOf(session.element(fresh).element) : null;
  }
}
