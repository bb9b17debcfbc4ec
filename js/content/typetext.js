/**
 * `type_text`: text into the field that has the focus, or the one a selector means.
 */

import { deepActive, frameDocument, hasAttribute, isConnected, localName } from "./dom.js";
import { fill } from "./field.js";
import { sendKey } from "./keyevents.js";
import { KEYED_CHARS } from "./limits.js";
import { isTypeable, roleOf } from "./roles.js";
import { matchesOf, validSelector } from "./selectors.js";
import { Refusal } from "./session.js";
import { ambiguous } from "./target.js";
import { cut, line, quote } from "./text.js";
import { Watch } from "./watch.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./session.js").Args} Args */
/** @typedef {import("./session.js").Answer} Answer */

const VALUE_CHARS = 100;

/**
 * @param {Session} session
 * @param {Args} args `text`, `selector`, `clear` (false)
 * @returns {Promise<Answer>}
 */
export async function typeText(session, args) {
  const given = args.selector !== undefined && args.selector !== null && args.selector !== "";
  const e = given ? bySelector(session, args.selector) : focused();
  if (!given && takesKeysOnly(e)) return typeKeys(session, e, args.text);
  const again = session.typed?.weak.deref() === e && session.typed.actions === session.actions;
  const answer = await fill(session, { element: e, ref: session.refs.of(e), note: null }, args, {
    method: "type_text",
    clear: args.clear === true,
    submit: false,
  });
  session.typed = { weak: new WeakRef(e), actions: session.actions };
  if (typeof answer.actual === "string") answer.value = cut(answer.actual, VALUE_CHARS);
  if (again && args.clear !== true)
    answer.warning = `This is the same field as the last time, and the text was added to what stood there. It now holds ${answer.sensitiveField ? "both" : quote(line(String(answer.actual ?? ""), VALUE_CHARS))}. Use clear: true to replace it.`;
  return answer;
}

/** @param {Element} e @returns {boolean} no field, but something a page gave the focus for its own keys: a game, a terminal */
function takesKeysOnly(e) {
  return (
    hasAttribute(e, "tabindex") &&
    !isTypeable(e) &&
    !/^(button|a|input|select|summary|textarea)$/.test(localName(e)) &&
    !/^(button|link|checkbox|radio|switch|combobox|slider|spinbutton)$/.test(roleOf(e))
  );
}

/**
 * @param {Session} session
 * @param {Element} e
 * @param {unknown} text
 * @returns {Promise<Answer>}
 */
async function typeKeys(session, e, text) {
  if (typeof text !== "string" || !text || text.length > KEYED_CHARS)
    throw new Refusal(
      "bad_text",
      `text must be 1 to ${KEYED_CHARS} characters where only keys can be typed.`,
    );
  const watch = new Watch(session, e);
  session.touch(e);
  session.actions++;
  // A line break is text and never a press of Enter; where there is no text there is nothing to put it into.
  for (const char of text.replace(/[\r\n]+/g, " ")) {
    if (!isConnected(e)) break;
    sendKey(e, char).up();
    await null;
  }
  watch.acted();
  const changed = await watch.done({ patient: true });
  const nothing = changed[0] === "nothing";
  return {
    success: !nothing,
    method: "type_text_keys",
    ref_id: session.refs.of(e),
    target: session.describe(e),
    changed,
    note: "This is no field: only the keys were sent, so there is no text to read back.",
    ...(nothing
      ? {
          code: "nothing_changed",
          error: "The keys were sent, but nothing on the page changed. Focus the field that is meant.",
        }
      : {}),
  };
}

/** @returns {Element} */
function focused() {
  const active = deepActive();
  if (!active || /^(body|html)$/.test(localName(active)))
    throw new Refusal(
      "no_focus",
      "No field has the focus. Click one first, give a selector, or use set_field with a ref_id.",
    );
  if (/^i?frame$/.test(localName(active)) && !frameDocument(active))
    throw new Refusal(
      "focus_in_frame",
      "The focus is inside a frame of another site. Use iframe_type, or set_field with a ref_id of that frame's tree.",
    );
  return active;
}

/** @param {Session} session @param {unknown} given @returns {Element} */
function bySelector(session, given) {
  const selector = validSelector(given);
  const found = matchesOf(selector);
  if (found.length > 1) throw ambiguous(session, `The selector ${quote(line(selector, 80))} matches`, found);
  if (!found[0])
    throw new Refusal(
      "not_found",
      `No visible element matches ${quote(line(selector, 80))}. Read the accessibility tree and use set_field with a ref_id.`,
    );
  return found[0];
}
