/**
 * `drag_drop`: press, move in small steps, let go. What is `draggable` gets the drag-and-drop events of HTML as well.
 */

import { whole } from "./args.js";
import {
  composedClosest,
  composedContains,
  composedParent,
  dispatch,
  documentOf,
  isConnected,
  isHTML,
  localName,
  pause,
  rectOf,
  viewOf,
} from "./dom.js";
import { blurAsUser, focusAsUser, focusable } from "./focus.js";
import { DRAG_STEP_MS, DRAG_STEPS, DRAG_STEPS_MAX } from "./handlimits.js";
import { TICK_MS } from "./limits.js";
import { describeName } from "./names.js";
import { hover, mouse, ownPoint, pressTarget, reach } from "./press.js";
import { roleOf } from "./roles.js";
import { Refusal } from "./session.js";
import { plainRect, topmostAt } from "./sight.js";
import { quote } from "./text.js";
import { Watch } from "./watch.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./session.js").Args} Args */
/** @typedef {import("./session.js").Answer} Answer */
/** @typedef {import("./sight.js").Point} Point */

/** Pixels an offset may have at most. */
const SHIFT_LIMIT = 20_000;
const PAINTED = /^(canvas|video|embed|object)$/;

/**
 * @typedef {object} Drag what is dragged where
 * @property {Element} source
 * @property {Element | null} target
 * @property {string} ref
 * @property {Point} from
 * @property {Point} to
 * @property {Element} hit what lies under the start
 * @property {number} steps
 * @property {Element | null} draggable the element HTML drag-and-drop would take along
 * @property {{ rect: ReturnType<typeof plainRect>, parent: Element | null }} before
 * @property {Watch} watch
 * @property {boolean} [dropped] the page took the drop
 */

/**
 * @param {Session} session
 * @param {Args} args `fromRefId`; `toRefId` and, from its centre, `dx`, `dy`; or only `dx`, `dy` from the start; `steps`
 * @returns {Promise<Answer>}
 */
export async function dragDrop(session, args) {
  const drag = await prepareDrag(session, args);
  try {
    await perform(session, drag);
  } catch (error) {
    drag.watch.close();
    throw error;
  }
  drag.watch.acted(null);
  return concludeDrag(session, drag, "drag_page");
}

/**
 * @param {Session} session
 * @param {Args} args
 * @returns {Promise<Drag>}
 * @throws {Refusal}
 */
export async function prepareDrag(session, args) {
  const { source, target, ref, from, to, hit } = await reachDrag(session, args);
  session.tokens.check(session, "drag_drop", args);
  return {
    source,
    target,
    ref,
    from,
    to,
    hit,
    steps: whole(args.steps, DRAG_STEPS, 1, DRAG_STEPS_MAX),
    draggable: composedClosest(hit, (x) => isHTML(x) && /** @type {HTMLElement} */ (x).draggable === true),
    before: { rect: plainRect(source), parent: composedParent(source) },
    watch: new Watch(session, source, target ?? undefined),
  };
}

/**
 * Bring both ends into view, and say where they are.
 * @param {Session} session
 * @param {Args} args
 * @returns {Promise<Ends & { ref: string, from: Point, to: Point, hit: Element }>}
 * @throws {Refusal}
 */
export async function reachDrag(session, args) {
  const ends = endsOf(session, args);
  const { source, target } = ends;
  const handle = pressTarget(source);
  let reached = await reach(session, handle);
  if (target && !inView(target)) {
    // Both ends must be on screen at once, as they must be for a hand.
    Element.prototype.scrollIntoView.call(target, {
      block: "nearest",
      inline: "nearest",
      behavior: "instant",
    });
    await pause(0);
    const again = ownPoint(handle);
    if (!("point" in again))
      throw new Refusal(
        "too_far",
        "Source and target do not fit on the screen together. Drag in parts with dx and dy, or use the page's own buttons for moving.",
      );
    reached = { ...again, scrolled: true };
  }
  return { ...ends, from: reached.point, hit: reached.hit, to: endPoint(ends, reached.point) };
}

/** @typedef {{ source: Element, ref: string, target: Element | null, dx: number, dy: number }} Ends */

/**
 * @param {Session} session
 * @param {Args} args
 * @returns {Ends}
 * @throws {Refusal}
 */
function endsOf(session, args) {
  const { element: source, ref } = session.element(args.fromRefId);
  const target =
    args.toRefId === undefined || args.toRefId === null ? null : session.element(args.toRefId).element;
  const [dx, dy] = [offset(args.dx, "dx"), offset(args.dy, "dy")];
  if (!target && !dx && !dy)
    throw new Refusal("bad_target", "Say where to: toRefId, or dx and dy in pixels from the start.");
  if (target && documentOf(target) !== documentOf(source))
    throw new Refusal("other_frame", "Source and target lie in different frames; a drag cannot cross them.");
  return { source, ref, target, dx, dy };
}

/** @param {Ends} ends @param {Point} from @returns {Point} */
function endPoint({ target, dx, dy }, from) {
  const base = target ? centre(target) : from;
  return { x: Math.round(base.x + dx), y: Math.round(base.y + dy) };
}

/**
 * What lies under both ends of a drag as things are now, without scrolling.
 * @param {Session} session
 * @param {Args} args
 * @returns {{ source: Element, hit: Element | null, up: Element | null }}
 * @throws {Refusal}
 */
export function dragPlaces(session, args) {
  const ends = endsOf(session, args);
  const { source } = ends;
  const reached = ownPoint(pressTarget(source));
  if (!("point" in reached)) return { source, hit: null, up: null };
  const root = documentOf(source).documentElement;
  return { source, hit: reached.hit, up: topmostAt(root, endPoint(ends, reached.point)) };
}

/** @param {Element} e */
function inView(e) {
  const p = centre(e);
  const view = viewOf(e);
  return p.x >= 0 && p.y >= 0 && p.x < view.innerWidth && p.y < view.innerHeight;
}

/** @param {unknown} given @param {string} name @returns {number} */
function offset(given, name) {
  if (given === undefined || given === null) return 0;
  const n = Number(given);
  if (!Number.isFinite(n) || Math.abs(n) > SHIFT_LIMIT)
    throw new Refusal("bad_offset", `${name} must be a number of pixels.`);
  return n;
}

/** @param {Element} e @returns {Point} */
function centre(e) {
  const r = rectOf(e);
  return { x: Math.round(r.left + r.width / 2), y: Math.round(r.top + r.height / 2) };
}

/**
 * @param {Session} session
 * @param {Drag} drag
 */
async function perform(session, drag) {
  const { hit, from, to } = drag;
  session.touch(drag.source);
  session.actions++;
  hover(session, hit, from);
  mouse(hit, "pointerdown", from, { buttons: 1, detail: 1 });
  const allowed = mouse(hit, "mousedown", from, { buttons: 1, detail: 1 });
  if (allowed) {
    const focus = focusable(hit);
    if (focus) focusAsUser(focus);
    else blurAsUser(hit);
  }
  await pause(TICK_MS);
  const native = allowed && drag.draggable ? new NativeDrag(drag.draggable) : null;
  /** @type {Element} */
  let over = hit;
  let taken = false;
  for (let i = 1; i <= drag.steps; i++) {
    const at = {
      x: Math.round(from.x + ((to.x - from.x) * i) / drag.steps),
      y: Math.round(from.y + ((to.y - from.y) * i) / drag.steps),
    };
    const under =
      topmostAt(documentOf(drag.source).documentElement, at) ?? documentOf(drag.source).documentElement;
    if (i === 1 && native) {
      mouse(hit, "pointermove", at, { buttons: 1 });
      mouse(hit, "mousemove", at, { buttons: 1 });
      taken = native.start(from);
      if (taken) mouse(hit, "pointercancel", at);
    }
    if (taken) native?.move(under, at);
    else {
      if (under !== over) {
        crossed(over, under, at);
        over = under;
      }
      mouse(under, "pointermove", at, { buttons: 1 });
      mouse(under, "mousemove", at, { buttons: 1 });
    }
    await pause(DRAG_STEP_MS);
  }
  await pause(TICK_MS);
  if (taken) drag.dropped = native?.end(to) === true;
  else {
    const up = topmostAt(documentOf(drag.source).documentElement, to) ?? over;
    mouse(up, "pointerup", to, { detail: 1 });
    mouse(up, "mouseup", to, { detail: 1 });
    if (isConnected(hit) && isConnected(up)) {
      const both = composedClosest(hit, (x) => composedContains(x, up));
      if (both) mouse(both, "click", to, { detail: 1 });
    }
  }
  session.hovered = null;
}

/** @param {Element} from @param {Element} to @param {Point} at */
function crossed(from, to, at) {
  for (const kind of ["pointer", "mouse"]) {
    if (isConnected(from)) {
      mouse(from, `${kind}out`, at, { buttons: 1, relatedTarget: to });
      if (!composedContains(from, to)) mouse(from, `${kind}leave`, at, { buttons: 1, relatedTarget: to });
    }
    mouse(to, `${kind}over`, at, { buttons: 1, relatedTarget: from });
    mouse(to, `${kind}enter`, at, { buttons: 1, relatedTarget: from });
  }
}

/** Drag-and-drop of HTML (HTML standard, "drag-and-drop processing model"), as far as pages see it. */
class NativeDrag {
  #source;
  #data = new DataTransfer();
  /** @type {Element | null} */
  #over = null;
  #accepted = false;

  /** @param {Element} source */
  constructor(source) {
    this.#source = source;
  }

  /**
   * @param {Element} on
   * @param {string} type
   * @param {Point} at
   * @param {Element | null} [other]
   * @returns {boolean} false if the page prevented the default
   */
  #send(on, type, at, other = null) {
    const view = viewOf(on);
    const event = new DragEvent(type, {
      bubbles: true,
      cancelable: !/^drag(leave|end)$/.test(type),
      composed: true,
      view,
      clientX: at.x,
      clientY: at.y,
      screenX: at.x + view.screenX,
      screenY: at.y + view.screenY,
      buttons: type === "dragend" || type === "drop" ? 0 : 1,
      relatedTarget: other,
      dataTransfer: this.#data,
    });
    return dispatch(on, event);
  }

  /** @param {Point} at @returns {boolean} the page lets it be dragged */
  start(at) {
    return this.#send(this.#source, "dragstart", at);
  }

  /** @param {Element} under @param {Point} at */
  move(under, at) {
    if (isConnected(this.#source)) this.#send(this.#source, "drag", at);
    if (under !== this.#over) {
      const left = this.#over;
      this.#over = under;
      this.#send(under, "dragenter", at, left);
      if (left && isConnected(left)) this.#send(left, "dragleave", at, under);
    }
    // A made-up DataTransfer keeps no dropEffect, so what the page wants shows only in its taking the event.
    this.#accepted = !this.#send(under, "dragover", at);
  }

  /** @param {Point} at @returns {boolean} the page took the drop */
  end(at) {
    const over = this.#over;
    let dropped = false;
    if (over && isConnected(over)) {
      if (this.#accepted) dropped = !this.#send(over, "drop", at);
      else this.#send(over, "dragleave", at);
    }
    if (isConnected(this.#source)) this.#send(this.#source, "dragend", at);
    return dropped;
  }
}

/**
 * @param {Session} session
 * @param {Drag} drag
 * @param {string} method
 * @returns {Promise<Answer>}
 */
export async function concludeDrag(session, drag, method) {
  const changed = (await drag.watch.done({ patient: true })).filter((text) => text !== "nothing");
  const { source, before } = drag;
  if (isConnected(source)) {
    const rect = plainRect(source);
    const [mx, my] = [rect.x - before.rect.x, rect.y - before.rect.y];
    const [mw, mh] = [rect.width - before.rect.width, rect.height - before.rect.height];
    const parent = composedParent(source);
    if (parent && parent !== before.parent) changed.unshift(`moved: into ${session.describe(parent)}`);
    else if (mx || my) changed.unshift(`moved: by ${mx},${my} pixels`);
    if (mw || mh) changed.unshift(`resized: by ${mw},${mh} pixels`);
  }
  if (!changed.length && drag.dropped) changed.push("dropped: the page's own script took it");
  const nothing = changed.length === 0;
  /** @type {Answer} */
  const answer = {
    success: !nothing,
    method,
    fromRefId: drag.ref,
    name: describeName(source, roleOf(source)),
    from: drag.from,
    to: drag.to,
    steps: drag.steps,
    draggable: drag.draggable !== null,
    rect: isConnected(source) ? plainRect(source) : null,
    changed: nothing ? ["nothing"] : changed,
  };
  // What is painted on a canvas shows in no tree and no mutation.
  if (nothing && PAINTED.test(localName(drag.hit))) {
    answer.success = true;
    answer.hint =
      "The drag was carried out on a drawing surface; whether it drew or moved something only a picture can tell.";
  } else if (nothing) {
    answer.code = "nothing_moved";
    answer.error = `The drag of ${quote(String(answer.name))} was carried out, but nothing on the page changed. Look for another handle to drag by, or for buttons that move it.`;
  }
  return answer;
}
