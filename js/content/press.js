/**
 * The press of a pointer, made of page events: from the pointer's coming to the click.
 */

import {
  composedClosest,
  composedContains,
  composedParent,
  dispatch,
  documentOf,
  hasAttribute,
  isConnected,
  isHTML,
  localName,
  makeRange,
  pause,
  rectOf,
  textsIn,
  viewOf,
} from "./dom.js";
import { blurAsUser, focusAsUser, focusable } from "./focus.js";
import { TICK_MS } from "./limits.js";
import { inputType, isDisabled, isInteractive, roleOf } from "./roles.js";
import { Refusal } from "./session.js";
import {
  hasBox,
  inertReason,
  isRendered,
  pressPoints,
  reachablePoint,
  topmostAt,
  touchesViewport,
} from "./sight.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./sight.js").Point} Point */

/** How often a target that moves away under the pointer is followed. */
const FOLLOWS = 3;
const TEXT_NODES = 60;

/**
 * Where to press so that `e` is meant: the element itself, or the label of a control that is not drawn.
 * @param {Element} e
 * @returns {Element}
 * @throws {Refusal} `disabled`, `inert`, `hidden`
 */
export function pressTarget(e) {
  if (isDisabled(e))
    throw new Refusal(
      "disabled",
      "The element is disabled: the page does not accept input on it now. Something else may have to be filled in first.",
    );
  const inert = inertReason(e);
  if (inert)
    throw new Refusal(
      "inert",
      `The element takes no input: ${inert}. Close or finish what is in front first.`,
    );
  const rect = rectOf(e);
  if (isRendered(e) && rect.width > 0 && rect.height > 0 && !clippedAway(e, rect)) return e;
  const type = inputType(e);
  if (type === "checkbox" || type === "radio") {
    const labels = /** @type {HTMLInputElement} */ (e).labels ?? [];
    for (const label of Array.from(labels)) if (isRendered(label)) return label;
    const parent = composedParent(e);
    if (parent && isRendered(parent) && rectOf(parent).width > 0 && parent.childElementCount <= 3)
      return parent;
  }
  if (!isRendered(e)) throw new Refusal("hidden", hiddenReason(e));
  for (const child of Array.from(e.children)) {
    const inner = rectOf(child);
    if (inner.width > 0 && inner.height > 0 && isRendered(child)) return child;
  }
  throw new Refusal(
    "hidden",
    "The element has no size on the page, so nobody could press it. It may be opened or shown by another control.",
  );
}

/**
 * The element whose middle is pressed: the part that carries the text which was meant, if there is room on it.
 * @param {Element} e
 * @param {Element} [part]
 * @returns {Element}
 * @throws {Refusal} `disabled`, `inert`, `hidden`
 */
export function pressPart(e, part) {
  const whole = pressTarget(e);
  return part && part !== e && whole === e && composedContains(e, part) && hasSize(part) ? part : whole;
}

/** @param {Element} e */
function hasSize(e) {
  const rect = rectOf(e);
  return isRendered(e) && rect.width > 0 && rect.height > 0;
}

/**
 * What a press that is meant for `e` would land on, as things are now.
 * @param {Element} e
 * @param {Element} [part]
 * @returns {Element | null} `null`: nothing, where it is
 */
export function underPress(e, part) {
  try {
    const found = ownPoint(pressPart(e, part));
    return "point" in found ? found.hit : null;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/** @param {Element} e @param {DOMRect} rect visually hidden controls: one pixel, or clipped to nothing */
function clippedAway(e, rect) {
  const type = inputType(e);
  if (type !== "checkbox" && type !== "radio") return false;
  return (
    rect.width <= 1 || rect.height <= 1 || viewOf(e).getComputedStyle(e).clip === "rect(0px, 0px, 0px, 0px)"
  );
}

/** @param {Element} e */
function hiddenReason(e) {
  for (let at = composedParent(e); at; at = composedParent(at))
    if (localName(at) === "details" && !hasAttribute(at, "open"))
      return "The element is inside a closed section (details). Click its summary first.";
  return hasBox(e)
    ? "The element is invisible (visibility: hidden). Another control may show it."
    : "The element is not shown on the page (display: none). Another control may show it.";
}

/**
 * Bring an element into view if it is not, or not where a press reaches it.
 * @param {Element} e
 * @returns {Promise<{ point: Point, hit: Element, scrolled: boolean }>}
 * @throws {Refusal} `covered`
 */
export async function reach(/** @type {Session} */ session, e) {
  /** @param {ScrollLogicalPosition} block */
  const scroll = (block) =>
    Element.prototype.scrollIntoView.call(e, { block, inline: "nearest", behavior: "instant" });
  let scrolled = false;
  if (!inView(e)) {
    scroll("center");
    scrolled = true;
  }
  let found = ownPoint(e);
  for (const block of /** @type {ScrollLogicalPosition[]} */ (["center", "end", "start"])) {
    if ("point" in found) return { ...found, scrolled };
    scroll(block);
    scrolled = true;
    await pause(0);
    found = ownPoint(e);
  }
  if ("point" in found) return { ...found, scrolled };
  const by = found.coveredBy;
  if (by) {
    const front = frontOf(by, e);
    throw new Refusal(
      "covered",
      `The element is covered by ${session.describe(front)}, which would get the press instead. Close or move that first (Escape, its close button), then try again.`,
      { coveredBy: session.describe(front), coveredByRef: session.refs.of(front) },
    );
  }
  throw new Refusal(
    "out_of_view",
    "The element could not be brought into view, so it was not pressed. Scroll the part of the page it is in, or read the tree again.",
  );
}

/** @param {Element} e middle of the element lies in the viewport */
function inView(e) {
  const r = rectOf(e);
  const view = viewOf(e);
  if (!touchesViewport(r, view) || !pressPoints(e).length) return false;
  const middle = r.top + r.height / 2;
  return r.height > view.innerHeight || (middle > 0 && middle < view.innerHeight);
}

/**
 * The whole thing in front: the outermost ancestor of what was hit that does not hold the target too.
 * @param {Element} hit
 * @param {Element} target
 * @returns {Element}
 */
function frontOf(hit, target) {
  let front = hit;
  for (
    let up = composedParent(front);
    up && !composedContains(up, target) && localName(up) !== "body";
    up = composedParent(up)
  )
    front = up;
  return front;
}

/**
 * @param {Element} on
 * @param {string} type
 * @param {Point} at
 * @param {MouseEventInit & PointerEventInit} [more]
 * @returns {boolean} false if the page prevented the default
 */
export function mouse(on, type, at, more = {}) {
  const quiet = /(enter|leave)$/.test(type);
  const view = viewOf(on);
  const init = {
    bubbles: !quiet,
    cancelable: !quiet,
    composed: true,
    view,
    clientX: at.x,
    clientY: at.y,
    screenX: at.x + view.screenX,
    screenY: at.y + view.screenY,
    button: 0,
    buttons: 0,
    ...more,
  };
  const pointer = type.startsWith("pointer") || type === "click";
  const event = pointer
    ? new PointerEvent(type, {
        pointerId: 1,
        pointerType: "mouse",
        isPrimary: true,
        pressure: init.buttons ? 0.5 : 0,
        ...init,
      })
    : new MouseEvent(type, init);
  return dispatch(on, event);
}

/**
 * Move the made-up pointer onto an element. As with a real one, everything around the element is entered too, from
 * outside in, and everything around the last one is left, from inside out, but for what is around both.
 * @param {Session} session
 * @param {Element} on
 * @param {Point} at
 */
export function hover(session, on, at) {
  const last = session.hovered?.deref();
  const before = last && isConnected(last) ? last : null;
  if (before !== on) {
    const left = before ? around(before).filter((e) => !composedContains(e, on)) : [];
    const entered = around(on)
      .filter((e) => !before || !composedContains(e, before))
      .reverse();
    for (const kind of ["pointer", "mouse"]) {
      if (!before) break;
      mouse(before, `${kind}out`, at, { relatedTarget: on });
      for (const e of left) mouse(e, `${kind}leave`, at, { relatedTarget: on });
    }
    for (const kind of ["pointer", "mouse"]) {
      mouse(on, `${kind}over`, at, { relatedTarget: before });
      for (const e of entered) mouse(e, `${kind}enter`, at, { relatedTarget: before });
    }
  }
  mouse(on, "pointermove", at);
  mouse(on, "mousemove", at);
  session.hovered = new WeakRef(on);
}

/** @param {Element} e @returns {Element[]} the element and what it lies in, from inside out */
function around(e) {
  const found = [];
  for (let at = /** @type {Element | null} */ (e); at; at = composedParent(at)) found.push(at);
  return found;
}

/**
 * @typedef {object} Pressed
 * @property {boolean} prevented the page prevented the click's default
 * @property {Element | null} clicked where the click landed, `null` if none was delivered
 * @property {Element | null | undefined} focus what the press itself gave the focus to, `null` if it took it away
 */

/**
 * The full press sequence on an element that was reached. Like a real pointer it acts on what lies under the point at
 * each moment, so a page that moves or replaces things under it is treated as a hand would treat it.
 * @param {Session} session
 * @param {Element} e the element that is meant
 * @param {{ point: Point, hit: Element }} reached
 * @param {{ count?: number, fixed?: boolean }} [how] `count` 2: double-click; `fixed`: the place is meant, not the element
 * @returns {Promise<Pressed>}
 */
export async function press(session, e, reached, { count = 1, fixed = false } = {}) {
  let { point, hit } = reached;
  for (let i = 0; i < FOLLOWS; i++) {
    hover(session, hit, point);
    // Coming near may have moved or swapped what we are about to press.
    const again = fixed ? null : pointNow(e);
    const under = again?.hit ?? (fixed ? topmostAt(documentOf(hit).documentElement, point) : null);
    if (!under || (under === hit && (!again || samePoint(again.point, point)))) break;
    hit = under;
    if (again) point = again.point;
  }
  let prevented = false;
  /** @type {Element | null} */
  let clicked = null;
  /** @type {Element | null | undefined} */
  let focus;
  for (let detail = 1; detail <= count; detail++) {
    mouse(hit, "pointerdown", point, { buttons: 1, detail });
    if (mouse(hit, "mousedown", point, { buttons: 1, detail })) {
      const target = focusable(hit);
      if (target) focusAsUser(target);
      else blurAsUser(hit);
      focus = target;
    }
    const up = isConnected(hit)
      ? (topmostAt(hit, point) ?? hit)
      : topmostAt(documentOf(hit).documentElement, point);
    if (!up) break;
    mouse(up, "pointerup", point, { detail });
    mouse(up, "mouseup", point, { detail });
    clicked = commonAncestor(hit, up);
    if (!clicked) break;
    if (isHTML(e) && isDisabled(e))
      throw new Refusal(
        "disabled",
        "The element became disabled while it was pressed: something the page opened is in front of it now. Read the tree again.",
      );
    prevented = !mouse(clicked, "click", point, { detail });
    if (detail < count) await pause(TICK_MS);
  }
  if (count > 1 && clicked && isConnected(clicked)) mouse(clicked, "dblclick", point, { detail: count });
  return { prevented, clicked, focus };
}

/** @param {Element} e @returns {{ point: Point, hit: Element } | null} */
function pointNow(e) {
  const found = ownPoint(e);
  return "point" in found ? found : null;
}

/** @param {Point} a @param {Point} b */
function samePoint(a, b) {
  return Math.abs(a.x - b.x) < 1 && Math.abs(a.y - b.y) < 1;
}

/**
 * A point where a press means the element itself and not a control inside it, if there is one.
 * @param {Element} e
 * @returns {ReturnType<typeof reachablePoint>}
 */
export function ownPoint(e) {
  const found = reachablePoint(e);
  if (!("point" in found) || !innerControl(e, found.hit)) return found;
  for (const point of textPoints(e)) {
    const hit = topmostAt(e, point);
    if (hit && composedContains(e, hit) && !innerControl(e, hit)) return { point, hit };
  }
  for (const point of pressPoints(e)) {
    const hit = topmostAt(e, point);
    if (hit && composedContains(e, hit) && !innerControl(e, hit)) return { point, hit };
  }
  return found;
}

/** @param {Element} e @param {Element} hit @returns {boolean} */
function innerControl(e, hit) {
  if (!composedContains(e, hit) || localName(e) === "label") return false;
  const control = composedClosest(hit, (x) => x === e || isInteractive(x, roleOf(x)));
  return !!control && control !== e;
}

/** @param {Element} e @returns {Point[]} middles of its own text, that of controls inside left out */
function textPoints(e) {
  const view = viewOf(e);
  const walker = textsIn(e);
  /** @type {Point[]} */
  const points = [];
  for (
    let i = 0, node = walker.nextNode();
    node && i < TEXT_NODES && points.length < 4;
    i++, node = walker.nextNode()
  ) {
    const parent = composedParent(node);
    if (!(node.nodeValue ?? "").trim() || !parent || innerControl(e, parent)) continue;
    const range = makeRange(documentOf(e));
    range.selectNodeContents(node);
    const r = range.getBoundingClientRect();
    const point = { x: r.left + r.width / 2, y: r.top + r.height / 2 };
    if (r.width > 0 && point.x > 0 && point.y > 0 && point.x < view.innerWidth && point.y < view.innerHeight)
      points.push(point);
  }
  return points;
}

/** @param {Element} down @param {Element} up @returns {Element | null} where a click lands that began and ended there */
export function commonAncestor(down, up) {
  if (!isConnected(down)) return null;
  for (let at = /** @type {Element | null} */ (down); at; at = composedParent(at))
    if (composedContains(at, up)) return at;
  return null;
}
