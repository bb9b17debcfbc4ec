/**
 * `frame_click` and `frame_type`: actions of a frame's own script, for frames that the page around them cannot enter.
 */

import { clickOn } from "./click.js";
import { fill } from "./field.js";
import { FRAME_MATCHES } from "./handlimits.js";
import { describeName } from "./names.js";
import { roleOf } from "./roles.js";
import { matchesOf, validSelector } from "./selectors.js";
import { Refusal } from "./session.js";
import { line, quote } from "./text.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./session.js").Args} Args */
/** @typedef {import("./session.js").Answer} Answer */

/**
 * @param {Session} session
 * @param {Args} args `selector`, `matchIndex`, `count`, `token`
 * @returns {Promise<Answer>}
 */
export async function frameClick(session, args) {
  const found = matchOf(session, args);
  session.tokens.check(session, "frame_click", args);
  return clickOn(session, { ...found, method: "frame_click", count: args.count === 2 ? 2 : 1 });
}

/**
 * @param {Session} session
 * @param {Args} args `selector`, `matchIndex`, `text`, `clear` (false)
 * @returns {Promise<Answer>}
 */
export async function frameType(session, args) {
  const found = matchOf(session, args);
  return fill(session, found, args, { method: "frame_type", clear: args.clear === true, submit: false });
}

/**
 * @param {Session} session
 * @param {Args} args
 * @returns {{ element: Element, ref: string, note: null }}
 * @throws {Refusal} `bad_selector`, `not_found`, `ambiguous`
 */
export function matchOf(session, args) {
  const selector = validSelector(args.selector);
  const found = matchesOf(selector);
  const given = args.matchIndex !== undefined && args.matchIndex !== null;
  const index = given ? Number(args.matchIndex) : 0;
  if (!found.length)
    throw new Refusal(
      "not_found",
      `No visible element of the frame matches ${quote(line(selector, 80))}. Read the frame first.`,
    );
  if (given && !(Number.isInteger(index) && index >= 0 && index < found.length))
    throw new Refusal(
      "not_found",
      `matchIndex must be a number from 0 to ${found.length - 1}: so many elements of the frame match ${quote(line(selector, 80))}.`,
      { matchCount: found.length, matches: listed(session, found) },
    );
  if (!given && found.length > 1)
    throw new Refusal(
      "ambiguous",
      `${found.length} elements of the frame match ${quote(line(selector, 80))}, so nothing was done. Repeat with the matchIndex of the one you mean.`,
      { matchCount: found.length, matches: listed(session, found) },
    );
  const element = /** @type {Element} */ (found[index]);
  const role = roleOf(element);
  const ref = session.refs.of(element, { role, name: describeName(element, role), interactive: true });
  return { element, ref, note: null };
}

/** @param {Session} session @param {Element[]} found */
function listed(session, found) {
  return found.slice(0, FRAME_MATCHES).map((e, matchIndex) => {
    const role = roleOf(e);
    const name = describeName(e, role);
    return { matchIndex, ref_id: session.refs.of(e, { role, name, interactive: true }), role, name };
  });
}
