/**
 * What a `click` means: an element by text, selector, number or place.
 */

import { deepQuery, scopesOf } from "./deep.js";
import {
  attribute,
  childElementCount,
  clientHeight,
  composedClosest,
  composedContains,
  composedParent,
  deepElementFromPoint,
  frameDocument,
  isHTML,
  localName,
  matches,
  pageRoot,
  pause,
  queryAll,
  rectOf,
  scrollTo,
  scrollTop,
} from "./dom.js";
import { CANDIDATES, LOOKALIKES, SCROLL_LOAD_MS, SCROLL_RETRIES, SCROLL_SHARE } from "./handlimits.js";
import { describeName } from "./names.js";
import { isDisabled, isInteractive, roleOf } from "./roles.js";
import { pageScroller } from "./scroll.js";
import { everyMatch, matchesOf, validSelector } from "./selectors.js";
import { Refusal } from "./session.js";
import { intoFrame, isRendered, modalDialog, plainRect } from "./sight.js";
import { folded, line, quote } from "./text.js";
import { findText, MATCHES, similarTexts } from "./textsearch.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./session.js").Args} Args */

/**
 * @typedef {object} Target
 * @property {Element} element what is meant
 * @property {Element} [text] the part of it that carries the text, where the press goes
 * @property {{ x: number, y: number }} [point] of the element's own viewport, if a place was given
 * @property {string} [note]
 * @property {string} by how it was found
 */

const TEXT_CHARS = 500;
/** What may lie over a modal dialog and belong to it. */
const FLOATING = '[role="listbox"],[role="menu"],[role="tooltip"],[popover]';
const OPTION_LIMIT = 5_000;
const DIALOG_LIMIT = 200;
const ANCESTOR_STEPS = 6;

/**
 * @param {Session} session
 * @param {Args} args one of `text` (+ `textMatch`), `selector`, `index`, `x` and `y`
 * @param {{ look?: boolean }} [how] `look`: only look, without scrolling
 * @returns {Promise<Target>}
 * @throws {Refusal}
 */
export async function targetOf(session, args, how = {}) {
  const target = targetNow(session, args);
  if (target instanceof Refusal) {
    if (how.look || target.code !== "not_found") throw target;
    return scrollFor(session, args, target);
  }
  return target;
}

/**
 * @param {Session} session
 * @param {Args} args
 * @returns {Target | Refusal} a refusal of the kind `not_found` is returned: scrolling may help
 * @throws {Refusal} any other
 */
export function targetNow(session, args) {
  const given = ["text", "selector", "index"].filter((key) => args[key] !== undefined && args[key] !== null);
  if (args.x !== undefined || args.y !== undefined) given.push("x, y");
  if (given.length !== 1)
    throw new Refusal(
      "bad_target",
      given.length
        ? `Give one of text, selector, index, or x and y; not ${given.join(" and ")}.`
        : "Say what to click: text, selector, index, or x and y. A ref_id goes to click_ax.",
    );
  if (given[0] === "index") return { element: session.numbers.element(args.index), by: "index" };
  if (given[0] === "selector") return bySelector(session, args.selector);
  if (given[0] === "text") return byText(session, args);
  return byPoint(session, args);
}

/**
 * @param {Session} session
 * @param {unknown} given
 * @returns {Target}
 */
function bySelector(session, given) {
  const selector = validSelector(given);
  const shown = matchesOf(selector);
  if (shown.length > 1) throw ambiguous(session, `The selector ${quote(line(selector, 80))} matches`, shown);
  const element = shown[0] ?? everyMatch(selector)[0];
  if (!element)
    throw new Refusal(
      "not_found",
      `Nothing on the page matches ${quote(line(selector, 80))}. Read the accessibility tree and use a ref_id.`,
    );
  return { element, by: "selector" };
}

/**
 * @param {Session} session
 * @param {Args} args
 * @returns {Target | Refusal}
 */
function byText(session, args) {
  const text = typeof args.text === "number" ? String(args.text) : args.text;
  if (typeof text !== "string" || !text.trim() || text.length > TEXT_CHARS)
    throw new Refusal(
      "bad_text",
      `text must be the visible text of what to click, at most ${TEXT_CHARS} characters.`,
    );
  const level = MATCHES.find((m) => m === args.textMatch);
  if (args.textMatch !== undefined && args.textMatch !== null && !level)
    throw new Refusal("bad_text_match", "textMatch must be exact, prefix or contains.");
  const modal = topModal();
  const scopes = modal ? [modal, ...floatingOver(modal)] : pageScope();
  const found = findText(text, scopes, level ? [level] : MATCHES);
  const options = level === undefined || level === "exact" ? optionsNamed(scopes, text) : [];
  const hits = found.match === "exact" || !options.length ? found.hits : [];
  if (hits.length + options.length > 1)
    throw ambiguous(session, `The text ${quote(line(text, 60))} fits`, [
      ...hits.map((hit) => hit.e),
      ...options,
    ]);
  if (options[0]) return { element: options[0], by: "option" };
  const hit = hits[0];
  if (hit)
    return {
      element: hit.e,
      text: composedContains(hit.e, hit.text) ? hit.text : hit.e,
      by: `text, ${found.match}`,
    };
  const similar = similarTexts(text, scopes, LOOKALIKES);
  const hint = similar.length ? ` Similar: ${similar.map((t) => quote(line(t, 60))).join(", ")}.` : "";
  const behind = modal ? findText(text, pageScope(), level ? [level] : MATCHES).hits.length : 0;
  const where = modal
    ? ` in the open ${roleOf(modal)} ${quote(line(describeName(modal, roleOf(modal)), 60))}${behind ? "; it is on the page behind it, which takes no input until that is closed" : ""}`
    : " on the page";
  const refusal = new Refusal(
    "not_found",
    `${quote(line(text, 60))} was not found${where}.${hint} Read the accessibility tree and use a ref_id.`,
    similar.length ? { similar } : {},
  );
  if (behind) throw refusal;
  return refusal;
}

/**
 * Look again further down: long lists make their rows only when they come into view.
 * @param {Session} session
 * @param {Args} args
 * @param {Refusal} refusal what to say if that does not help
 * @returns {Promise<Target>}
 */
async function scrollFor(session, args, refusal) {
  const modal = topModal();
  const scroller = pageScroller(modal);
  const start = scroller ? scrollTop(scroller) : 0;
  for (let i = 0; scroller && i < SCROLL_RETRIES; i++) {
    const before = scrollTop(scroller);
    scrollTo(scroller, { top: before + clientHeight(scroller) * SCROLL_SHARE, behavior: "instant" });
    if (scrollTop(scroller) === before) break;
    await pause(SCROLL_LOAD_MS);
    const target = targetNow(session, args);
    if (!(target instanceof Refusal)) return { ...target, note: "It came up after scrolling down." };
  }
  if (scroller && scrollTop(scroller) !== start) scrollTo(scroller, { top: start, behavior: "instant" });
  throw refusal;
}

/**
 * @param {Session} session
 * @param {Args} args
 * @returns {Target}
 */
function byPoint(session, args) {
  const [x, y] = [Number(args.x ?? Number.NaN), Number(args.y ?? Number.NaN)];
  if (!Number.isFinite(x) || !Number.isFinite(y))
    throw new Refusal("bad_point", "x and y must both be numbers: CSS pixels of the visible page.");
  if (x >= 0 && x <= 1 && y >= 0 && y <= 1)
    throw new Refusal(
      "normalised_point",
      `x=${x}, y=${y} look like fractions of the page. Give CSS pixels of the viewport, which is ${window.innerWidth} wide and ${window.innerHeight} high.`,
    );
  if (x < 0 || y < 0 || x >= window.innerWidth || y >= window.innerHeight)
    throw new Refusal(
      "outside_viewport",
      `x=${x}, y=${y} lies outside the viewport, which is ${window.innerWidth} wide and ${window.innerHeight} high. Scroll first, or use a ref_id.`,
    );
  const { hit, point } = atPoint(x, y);
  if (!hit) throw new Refusal("bad_point", "There is nothing at this point.");
  refuseForeign(hit);
  const element = composedClosest(hit, (e) => isInteractive(e, roleOf(e))) ?? hit;
  expect(session, args, element, hit);
  return { element, text: hit, point, by: "coordinates" };
}

/**
 * What lies in a frame of another site cannot be judged from here, so no input may go there by its place alone.
 * @param {Element} hit
 * @throws {Refusal} `in_frame`
 */
export function refuseForeign(hit) {
  if (isForeign(hit))
    throw new Refusal(
      "in_frame",
      "This place lies in an embedded frame of another site. Read it with iframe_read, and use its refs or iframe_click there.",
    );
}

/** @param {Element} e @returns {boolean} it shows a document that this page may not look into */
export function isForeign(e) {
  return /^(i?frame|fencedframe|object|embed|portal)$/.test(localName(e)) && !frameDocument(e);
}

/** @param {number} x @param {number} y @returns {{ hit: Element | null, point: { x: number, y: number } }} the innermost element, frames of the same origin entered */
export function atPoint(x, y) {
  let point = { x, y };
  let hit = deepElementFromPoint(document, x, y);
  for (let depth = 0; hit && depth < 20 && /^i?frame$/.test(localName(hit)); depth++) {
    const doc = frameDocument(hit);
    if (!doc || !pageRoot(doc)) break;
    const inner = intoFrame(hit, point);
    const next = deepElementFromPoint(doc, inner.x, inner.y);
    if (!next) break;
    point = inner;
    hit = next;
  }
  return { hit, point };
}

/**
 * @param {Session} session
 * @param {Args} args `expected_name`, `expected_role`
 * @param {Element} element
 * @param {Element} hit
 */
function expect(session, args, element, hit) {
  const name = typeof args.expected_name === "string" ? folded(args.expected_name) : "";
  const role = typeof args.expected_role === "string" ? args.expected_role.trim().toLowerCase() : "";
  if (!name && !role) return;
  /** @type {Element[]} */
  const chain = [];
  // From what lies at the point up to the control it belongs to: an outer container holds every name of the page.
  for (
    let at = /** @type {Element | null} */ (hit);
    at && !/^(body|html)$/.test(localName(at)) && chain.length < ANCESTOR_STEPS;
    at = at === element ? null : composedParent(at)
  )
    chain.push(at);
  const fits = chain.some((e) => {
    const r = roleOf(e);
    return (!role || r === role) && (!name || folded(describeName(e, r)).includes(name));
  });
  if (!fits)
    throw new Refusal(
      "unexpected_target",
      `At this point lies ${session.describe(element)}, not what was expected, so nothing was pressed. Look at the page again.`,
      { found: session.describe(element) },
    );
}

/** @returns {Element[]} */
function pageScope() {
  const root = pageRoot(document);
  return root ? [root] : [];
}

/** @returns {Element | null} the modal dialog in front, by the browser's own or by the page's word */
export function topModal() {
  const native = modalDialog(document);
  if (native) return native;
  const { scopes } = scopesOf(document, { frames: false });
  const named = deepQuery(
    '[aria-modal="true"]',
    DIALOG_LIMIT,
    (e) => isRendered(e) && (rectOf(e).width > 0 || childElementCount(e) > 0),
    scopes,
  );
  return named.found.at(-1) ?? null;
}

/** @param {Element} modal @returns {Element[]} */
function floatingOver(modal) {
  const native = modalDialog(document) === modal;
  const { scopes } = scopesOf(document, { frames: false });
  return deepQuery(
    FLOATING,
    DIALOG_LIMIT,
    (e) =>
      localName(e) !== "select" &&
      !composedContains(modal, e) &&
      isRendered(e) &&
      (!native || matches(e, ":popover-open")),
    scopes,
  ).found;
}

/** @param {Element[]} scopes @param {string} text @returns {HTMLOptionElement[]} options of drop-downs with exactly this text */
function optionsNamed(scopes, text) {
  const wanted = folded(text);
  /** @type {HTMLOptionElement[]} */
  const found = [];
  for (const scope of scopes)
    for (const option of Array.from(queryAll(scope, "select option")).slice(0, OPTION_LIMIT)) {
      const o = /** @type {HTMLOptionElement} */ (option);
      if (folded(o.text || o.label) !== wanted) continue;
      const select = composedClosest(o, (x) => localName(x) === "select" && isHTML(x));
      if (select && isRendered(select) && !isDisabled(select) && !o.disabled) found.push(o);
    }
  return found;
}

/**
 * @param {Session} session
 * @param {string} what
 * @param {Element[]} hits
 * @returns {Refusal}
 */
export function ambiguous(session, what, hits) {
  return new Refusal(
    "ambiguous",
    `${what} ${hits.length} elements, so nothing was pressed. Choose one of the candidates by its ref_id with click_ax.`,
    { matchCount: hits.length, candidates: hits.slice(0, CANDIDATES).map((e) => candidate(session, e)) },
  );
}

/**
 * @param {Session} session
 * @param {Element} e
 */
export function candidate(session, e) {
  const role = roleOf(e);
  const name = describeName(e, role);
  const shown = localName(e) === "option" ? (composedClosest(e, (x) => localName(x) === "select") ?? e) : e;
  const rect = plainRect(shown);
  return {
    index: session.numbers.of(e),
    tag: localName(e),
    role,
    text: name,
    ref_id: session.refs.of(e, { role, name, interactive: true }),
    cx: Math.round(rect.x + rect.width / 2),
    cy: Math.round(rect.y + rect.height / 2),
    rect,
    ancestor: surroundings(e, name),
  };
}

/** @param {Element} e @param {string} name @returns {string} what tells it from its equals: the text around it */
function surroundings(e, name) {
  let steps = ANCESTOR_STEPS;
  for (let at = composedParent(e); at && steps-- > 0; at = composedParent(at)) {
    const role = roleOf(at);
    const label = attribute(at, "aria-label") ?? attribute(at, "id");
    const text = line(describeName(at, role), 80);
    if (text && folded(text) !== folded(name))
      return `${role === "generic" ? localName(at) : role} ${quote(text)}`;
    if (label && /^(form|section|dialog|nav|header|footer|main|aside)$/.test(localName(at)))
      return `${localName(at)} ${quote(line(label, 60))}`;
  }
  return "";
}
