/**
 * `scroll`: move what the user would move, and say what moved.
 */

import { whole } from "./args.js";
import {
  attribute,
  clientHeight,
  clientWidth,
  composedClosest,
  composedContains,
  deepActive,
  deepElementFromPoint,
  dispatch,
  documentOf,
  documentRoot,
  isConnected,
  isHTML,
  listen,
  localName,
  matches,
  pageRoot,
  pause,
  queryAll,
  rectOf,
  scrollHeight,
  scrollingElement,
  scrollTo,
  scrollTop,
  scrollWidth,
  textContent,
  unlisten,
  viewOf,
} from "./dom.js";
import { Refusal } from "./session.js";
import { isRendered, touchesViewport } from "./sight.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./session.js").Args} Args */
/** @typedef {import("./session.js").Answer} Answer */

/** How long the last action's element counts as where the user is. */
const RECENT_MS = 60_000;
/** A container chosen by ourselves must fill this part of the viewport. */
const CONTAINER_SHARE = 0.15;
/** Containers looked at when nothing else moves. */
const CANDIDATES = 3_000;
const SETTLE_MS = 30;
const DIALOGS = 'dialog[open],[role="dialog"],[role="alertdialog"],[aria-modal="true"]';

/**
 * The nearest ancestor (or the element) that can scroll along an axis; the page itself is not meant.
 * @param {Element} start
 * @param {"x" | "y"} axis
 * @returns {HTMLElement | null}
 */
export function scrollerOf(start, axis = "y") {
  const found = composedClosest(start, (e) => canScroll(e, axis));
  return /** @type {HTMLElement | null} */ (found);
}

/** @param {Element} e @param {"x" | "y"} axis */
function canScroll(e, axis) {
  if (!isHTML(e) || /^(html|body)$/.test(localName(e))) return false;
  const more = axis === "y" ? scrollHeight(e) - clientHeight(e) : scrollWidth(e) - clientWidth(e);
  if (more < 2 || clientHeight(e) === 0) return false;
  const style = viewOf(e).getComputedStyle(e);
  return (
    /^(auto|scroll|overlay)$/.test(axis === "y" ? style.overflowY : style.overflowX) ||
    localName(e) === "textarea"
  );
}

/**
 * @param {Session} session
 * @param {Args} args `direction`, `amount` (500), `ref_id`, `x`, `y`, `alsoWindow`
 * @returns {Promise<Answer>}
 */
export async function scroll(session, args) {
  const direction = String(args.direction ?? "");
  if (!/^(up|down|top|bottom)$/.test(direction))
    throw new Refusal("bad_direction", "direction must be up, down, top or bottom.");
  const amount = whole(args.amount, 500, 1, 100_000);
  const { origin, element, note } = originOf(session, args);
  const view = element ? viewOf(element) : window;
  const page = scrollingElement(view.document) ?? documentRoot(view.document);
  let container = element ? scrollerOf(element) : null;
  let source = container ? origin : "window";
  if (!container && origin !== "ref_id" && origin !== "point" && !canMove(page, direction)) {
    container = largestVisible(view);
    if (container) source = "largest visible container";
  }
  const places = () => ({
    container: container ? scrollTop(container) : 0,
    window: page ? scrollTop(page) : 0,
  });
  const before = places();
  const told = new Told([container, page]);
  if (container) shift(container, direction, amount);
  await pause(0);
  let movedContainer = !!container && scrollTop(container) !== before.container;
  const modal = !!container && insideDialog(container);
  if (page && (!container || args.alsoWindow === true || (!movedContainer && !modal && origin !== "ref_id")))
    shift(page, direction, amount);
  await pause(SETTLE_MS);
  told.end();
  const after = places();
  movedContainer = !!container && after.container !== before.container;
  const movedWindow = after.window !== before.window;
  const moved = movedContainer || movedWindow;
  const target = movedContainer || (container && !movedWindow) ? container : page;
  /** @type {Answer} */
  const answer = {
    success: true,
    moved,
    movedWindow,
    movedContainer,
    origin,
    originElement: element ? session.describe(element) : null,
    targetSource: source,
    targetElement: target === page || !target ? "window" : session.describe(target),
    containerBefore: container ? Math.round(before.container) : null,
    containerAfter: container ? Math.round(after.container) : null,
    windowBefore: Math.round(before.window),
    windowAfter: Math.round(after.window),
    scrollHeight: target ? scrollHeight(target) : 0,
    viewportHeight: target === page ? view.innerHeight : target ? clientHeight(target) : 0,
    ...textSizes(target ?? null),
  };
  if (note) answer.note = note;
  if (!moved) {
    const end = direction === "down" || direction === "bottom" ? "end" : "beginning";
    answer.warning =
      target && scrollHeight(target) > (clientHeight(target) || 0) + 1
        ? `Nothing moved: this part is already at its ${end}.`
        : "Nothing moved: there is nothing to scroll here.";
  }
  return answer;
}

/**
 * Where a scroll starts: reference, point, open dialog, focus, last action, page.
 * @param {Session} session
 * @param {Args} args
 * @returns {{ origin: string, element: Element | null, note: string | null }}
 */
function originOf(session, args) {
  if (args.ref_id) {
    const { element, note } = session.element(args.ref_id);
    return { origin: "ref_id", element, note };
  }
  if (typeof args.x === "number" && typeof args.y === "number") {
    const element = deepElementFromPoint(document, args.x, args.y);
    if (!element)
      throw new Refusal(
        "bad_point",
        "The point lies outside the viewport. Give x and y in CSS pixels of the visible page.",
      );
    return { origin: "point", element, note: null };
  }
  const dialog = topDialog();
  const active = deepActive();
  const focused = active && !/^(body|html|iframe)$/.test(localName(active)) ? active : null;
  if (dialog)
    return {
      origin: "dialog",
      element:
        focused && composedContains(dialog, focused)
          ? scrollerOf(focused)
            ? focused
            : inDialog(dialog)
          : inDialog(dialog),
      note: null,
    };
  if (focused && scrollerOf(focused) && visible(focused))
    return { origin: "focus", element: focused, note: null };
  const last = session.last?.weak.deref();
  if (
    session.last &&
    last &&
    isConnected(last) &&
    performance.now() - session.last.at < RECENT_MS &&
    scrollerOf(last) &&
    visible(last)
  )
    return { origin: "last action", element: last, note: null };
  return { origin: "window", element: null, note: null };
}

/** @param {Element} e */
function visible(e) {
  return isRendered(e) && touchesViewport(rectOf(e), viewOf(e));
}

/** @returns {Element | null} the dialog in front, if one is open and on screen */
function topDialog() {
  const all = Array.from(queryAll(document, DIALOGS)).filter(visible);
  return all.at(-1) ?? null;
}

/** @param {Element} e */
function insideDialog(e) {
  return composedClosest(e, (x) => matches(x, DIALOGS) || attribute(x, "aria-modal") === "true") !== null;
}

/** @param {Element} dialog @returns {Element} its first part that scrolls */
function inDialog(dialog) {
  if (canScroll(dialog, "y")) return dialog;
  const inside = Array.from(queryAll(dialog, "*"))
    .slice(0, CANDIDATES)
    .filter((e) => canScroll(e, "y") && visible(e));
  return inside.sort((a, b) => area(b) - area(a))[0] ?? dialog;
}

/** @param {Element} e */
function area(e) {
  const r = rectOf(e);
  const view = viewOf(e);
  const width = Math.min(r.right, view.innerWidth) - Math.max(r.left, 0);
  const height = Math.min(r.bottom, view.innerHeight) - Math.max(r.top, 0);
  return width > 0 && height > 0 ? width * height : 0;
}

/** @param {Window & typeof globalThis} view @returns {HTMLElement | null} */
function largestVisible(view) {
  const middle = deepElementFromPoint(view.document, view.innerWidth / 2, view.innerHeight / 2);
  const under = middle && scrollerOf(middle);
  const share = (/** @type {Element} */ e) => area(e) / (view.innerWidth * view.innerHeight);
  if (under && share(under) > CONTAINER_SHARE) return under;
  const root = pageRoot(view.document);
  if (!root) return null;
  /** @type {Element | null} */
  let best = null;
  const all = queryAll(root, "div,main,section,ul,ol,article,nav,aside,table,tbody,pre,textarea");
  for (let i = 0; i < all.length && i < CANDIDATES; i++) {
    const e = /** @type {Element} */ (all[i]);
    if (scrollHeight(e) - clientHeight(e) < 2 || !canScroll(e, "y") || !visible(e)) continue;
    if (share(e) > CONTAINER_SHARE && (!best || area(e) > area(best))) best = e;
  }
  return /** @type {HTMLElement | null} */ (best);
}

/**
 * What moves when a user scrolls for more: the open dialog's part, else the page, else its largest part.
 * @param {Element | null} dialog
 * @returns {Element | null}
 */
export function pageScroller(dialog) {
  if (dialog) {
    const inner = inDialog(dialog);
    return canScroll(inner, "y") ? inner : null;
  }
  const page = scrollingElement(document) ?? documentRoot(document);
  if (page && scrollHeight(page) > clientHeight(page) + 1 && canMove(page, "down")) return page;
  return largestVisible(window) ?? page;
}

/**
 * Sees to it that pages hear of a scroll: browsers tell them when they draw, which they do not for a tab that is hidden.
 */
class Told {
  #parts;
  /** @type {Set<EventTarget | null>} */
  #heard = new Set();
  #listen;

  /** @param {(Element | null)[]} parts */
  constructor(parts) {
    this.#parts = parts
      .filter((e) => e !== null)
      .map((e) => ({ e, at: scrollTop(e), on: /^(html|body)$/.test(localName(e)) ? documentOf(e) : e }));
    this.#listen = (/** @type {Event} */ event) => this.#heard.add(event.target);
    for (const { on } of this.#parts) listen(on, "scroll", this.#listen, { capture: true });
  }

  end() {
    for (const { e, at, on } of this.#parts) {
      unlisten(on, "scroll", this.#listen, { capture: true });
      if (scrollTop(e) !== at && !this.#heard.has(on))
        dispatch(on, new Event("scroll", { bubbles: on !== e }));
    }
  }
}

/** @param {Element | null} e @param {string} direction */
function canMove(e, direction) {
  if (!e || viewOf(e).getComputedStyle(e).overflowY === "hidden") return false;
  return direction === "up" || direction === "top"
    ? scrollTop(e) > 0
    : scrollTop(e) + clientHeight(e) < scrollHeight(e) - 1;
}

/** @param {Element} e @param {string} direction @param {number} amount */
function shift(e, direction, amount) {
  const top =
    direction === "top"
      ? 0
      : direction === "bottom"
        ? scrollHeight(e)
        : scrollTop(e) + (direction === "up" ? -amount : amount);
  scrollTo(e, { top, behavior: "instant" });
}

/** @param {Element | null} e @returns {{ visibleTextChars: number, documentTextChars: number }} how much text there is, roughly */
function textSizes(e) {
  if (!e) return { visibleTextChars: 0, documentTextChars: 0 };
  const total = (textContent(e) ?? "").length;
  const share =
    scrollHeight(e) > 0 ? Math.min(1, (clientHeight(e) || window.innerHeight) / scrollHeight(e)) : 1;
  return { visibleTextChars: Math.round(total * share), documentTextChars: total };
}
