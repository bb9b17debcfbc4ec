/**
 * `hover`: the pointer comes to an element and stays there.
 */

import { pause } from "./dom.js";
import { TICK_MS } from "./limits.js";
import { describeName } from "./names.js";
import { hover as moveTo, pressTarget, reach } from "./press.js";
import { roleOf } from "./roles.js";
import { plainRect } from "./sight.js";
import { Watch } from "./watch.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./session.js").Args} Args */
/** @typedef {import("./session.js").Answer} Answer */

/** How often a target that moves away is followed. */
const FOLLOWS = 3;

/**
 * @param {Session} session
 * @param {Args} args `ref_id`
 * @returns {Promise<Answer>}
 */
export async function hover(session, args) {
  const { element: e, ref, note } = session.element(args.ref_id);
  const target = pressTarget(e);
  let reached = await reach(session, target);
  const watch = new Watch(session, e, target);
  session.touch(e);
  session.actions++;
  try {
    for (let i = 0; i < FOLLOWS; i++) {
      moveTo(session, reached.hit, reached.point);
      await pause(TICK_MS);
      const again = await reach(session, target);
      if (again.hit === reached.hit) break;
      reached = again;
    }
  } catch (error) {
    watch.close();
    throw error;
  }
  watch.acted();
  const changed = await watch.done({ patient: true });
  /** @type {Answer} */
  const answer = {
    success: true,
    method: "hover_page",
    ref_id: ref,
    name: describeName(e, roleOf(e)),
    rect: plainRect(e),
    changed,
  };
  if (note) answer.note = note;
  if (changed[0] === "nothing")
    answer.hint =
      "The pointer's events were delivered, but nothing changed. What a style sheet alone shows on hover does not appear this way; try a click.";
  return answer;
}
