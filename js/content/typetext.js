/**
 * `type_text`: text into the field that has the focus, or the one a selector means.
 */

import { deepActive, frameDocument, localName } from "./dom.js";
import { fill } from "./field.js";
import { matchesOf, validSelector } from "./selectors.js";
import { Refusal } from "./session.js";
import { ambiguous } from "./target.js";
import { cut, line, quote } from "./text.js";

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
