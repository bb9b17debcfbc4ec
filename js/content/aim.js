/**
 * `aim` and `landed`: the page's half of an action whose input comes from the debugger.
 *
 * Aiming does everything that comes before the input (find, bring into view, check what lies on top, start to watch);
 * landing ends the watch and says what came of it, in the words of the same action made of page events.
 */

import { whole } from "./args.js";
import { aimByRef, aimByTarget, conclude, prepare } from "./click.js";
import { documentOf, frameOf } from "./dom.js";
import { concludeDrag, prepareDrag } from "./drag.js";
import { focusable } from "./focus.js";
import { AIM_MS, AIMS, DRAG_STEPS, DRAG_STEPS_MAX } from "./handlimits.js";
import { keyTarget, knownKey, REPEATS } from "./keys.js";
import { describeName } from "./names.js";
import { pressTarget, reach } from "./press.js";
import { roleOf } from "./roles.js";
import { Refusal } from "./session.js";
import { outOfFrame, plainRect } from "./sight.js";
import { atPoint, refuseForeign } from "./target.js";
import { Watch } from "./watch.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./session.js").Args} Args */
/** @typedef {import("./session.js").Answer} Answer */
/** @typedef {import("./sight.js").Point} Point */

/**
 * @typedef {object} Aim
 * @property {() => Promise<Answer>} land
 * @property {() => void} close
 */

export class Aims {
  /** @type {Map<string, Aim>} */
  #open = new Map();
  #last = 0;

  /** @param {Aim} aim @returns {string} */
  add(aim) {
    const id = `aim_${++this.#last}`;
    this.#open.set(id, aim);
    // Whoever aimed may be gone before it lands; nothing may go on watching the page then.
    setTimeout(() => this.take(id)?.close(), AIM_MS);
    for (const [old, { close }] of this.#open) {
      if (this.#open.size <= AIMS) break;
      close();
      this.#open.delete(old);
    }
    return id;
  }

  /** @param {unknown} id @returns {Aim | null} */
  take(id) {
    const aim = this.#open.get(String(id)) ?? null;
    this.#open.delete(String(id));
    return aim;
  }
}

/**
 * @param {Session} session
 * @param {Args} args `tool`, `args` of that tool
 * @returns {Promise<Answer>}
 */
export async function aim(session, args) {
  const tool = String(args.tool ?? "");
  const given = /** @type {Args} */ (args.args && typeof args.args === "object" ? args.args : {});
  if (tool === "click_ax" || tool === "click" || tool === "open_chooser")
    return aimClick(session, tool, given);
  if (tool === "hover") return aimHover(session, given);
  if (tool === "drag_drop") return aimDrag(session, given);
  if (tool === "press_keys") return aimKeys(session, given);
  throw new Refusal("bad_tool", "aim knows click_ax, click, open_chooser, hover, drag_drop and press_keys.");
}

/**
 * @param {Session} session
 * @param {Args} args `aim`
 * @returns {Promise<Answer>}
 */
export async function landed(session, args) {
  const found = session.aims.take(args.aim);
  if (!found)
    throw new Refusal(
      "unknown_aim",
      "This aim is not known on this page: the page was loaded anew, or it was used already.",
    );
  return found.land();
}

/**
 * @param {Session} session
 * @param {"click_ax" | "click" | "open_chooser"} tool a file chooser opens only at a real press
 * @param {Args} args
 * @returns {Promise<Answer>}
 */
async function aimClick(session, tool, args) {
  const aimed = tool === "click" ? await aimByTarget(session, args) : aimByRef(session, args);
  session.tokens.check(session, tool, args);
  // These are pressed by the debugger in the first place; anything else was pressed by page events before.
  const first = aimed.point !== undefined || tool === "open_chooser";
  if (!first) claimRetry(session, aimed.element);
  let ready;
  try {
    ready = await prepare(session, aimed);
  } catch (error) {
    if (!first) session.retries.set(aimed.element, "open");
    throw error;
  }
  const { target, reached, watch } = ready;
  keepOut(watch, reached.hit);
  return opened(session, watch, [inTab(target, reached.point)], aimed.element, aimed.ref, () => {
    watch.acted(focusable(reached.hit));
    return conclude(session, { ...ready, method: `${ready.method}_trusted` }, null);
  });
}

/**
 * Real input goes wherever the pointer is, into frames of other sites too, whose forms nobody has looked at.
 * @param {Watch} watch
 * @param {Element} hit
 * @throws {Refusal} `in_frame`
 */
function keepOut(watch, hit) {
  try {
    refuseForeign(hit);
  } catch (error) {
    watch.close();
    throw error;
  }
}

/**
 * The one trusted press of an element is used up.
 * @param {Session} session
 * @param {Element} e
 * @throws {Refusal} `not_eligible`
 */
function claimRetry(session, e) {
  if (session.retries.get(e) !== "open")
    throw new Refusal(
      "not_eligible",
      "No trusted press was offered for this element, or it was used already.",
    );
  session.retries.set(e, "taken");
}

/**
 * @param {Session} session
 * @param {Args} args
 * @returns {Promise<Answer>}
 */
async function aimHover(session, args) {
  const { element: e, ref, note } = session.element(args.ref_id);
  const target = pressTarget(e);
  const reached = await reach(session, target);
  const watch = new Watch(session, e, target);
  session.touch(e);
  session.actions++;
  return opened(session, watch, [inTab(target, reached.point)], e, ref, async () => {
    watch.acted();
    const changed = await watch.done({ patient: true });
    return {
      success: true,
      method: "hover_trusted",
      ref_id: ref,
      name: describeName(e, roleOf(e)),
      rect: plainRect(e),
      changed,
      ...(note ? { note } : {}),
      ...(changed[0] === "nothing"
        ? {
            hint: "The pointer is over the element, but nothing in the page's content changed; styles may have.",
          }
        : {}),
    };
  });
}

/**
 * @param {Session} session
 * @param {Args} args
 * @returns {Promise<Answer>}
 */
async function aimDrag(session, args) {
  const drag = await prepareDrag(session, args);
  session.touch(drag.source);
  session.actions++;
  const points = [inTab(drag.source, drag.from), inTab(drag.source, drag.to)];
  for (const { x, y } of points) {
    const { hit } = atPoint(x, y);
    if (hit) keepOut(drag.watch, hit);
  }
  const answer = opened(session, drag.watch, points, drag.source, drag.ref, () => {
    drag.watch.acted(focusable(drag.hit));
    return concludeDrag(session, drag, "drag_trusted");
  });
  return {
    ...answer,
    steps: whole(args.steps, DRAG_STEPS, 1, DRAG_STEPS_MAX),
    draggable: drag.draggable !== null,
  };
}

/**
 * @param {Session} session
 * @param {Args} args
 * @returns {Promise<Answer>}
 */
async function aimKeys(session, args) {
  const key = knownKey(args.key);
  const repeat = whole(args.repeat, 1, 1, REPEATS);
  session.tokens.check(session, "press_keys", args);
  const target = keyTarget(key);
  const described = session.describe(target);
  const watch = new Watch(session, target);
  session.actions++;
  return opened(session, watch, [], target, session.refs.of(target), async () => {
    watch.acted();
    const changed = await watch.done();
    return {
      success: true,
      key,
      repeat,
      target: described,
      changed,
      ...(changed[0] === "nothing"
        ? { hint: "The key was delivered, but nothing on the page changed." }
        : {}),
    };
  });
}

/**
 * @param {Session} session
 * @param {Watch} watch
 * @param {Point[]} points
 * @param {Element} e
 * @param {string} ref
 * @param {() => Promise<Answer>} land
 * @returns {Answer}
 */
function opened(session, watch, points, e, ref, land) {
  const id = session.aims.add({ land, close: () => watch.close() });
  return {
    success: true,
    aim: id,
    points,
    ref_id: ref,
    role: roleOf(e),
    name: describeName(e, roleOf(e)),
    rect: plainRect(e),
  };
}

/**
 * A point of an element's own viewport as a point of the tab's: frames around it are added, scaled ones as well.
 * @param {Element} e
 * @param {Point} point
 * @returns {Point}
 */
function inTab(e, point) {
  let { x, y } = point;
  for (let frame = frameOf(documentOf(e)); frame; frame = frameOf(documentOf(frame)))
    ({ x, y } = outOfFrame(frame, { x, y }));
  return { x: Math.round(x * 10) / 10, y: Math.round(y * 10) / 10 };
}
