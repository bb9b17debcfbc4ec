/**
 * `frame_read` and `viewport`: what lies in this one frame.
 *
 * Each match has its place among the matches of the selector, which `frame_click` and `frame_type` take; without a
 * selector the frame's text and all its controls are given, each with a selector of its own.
 */

import { whole } from "./args.js";
import { selectorOf } from "./csspath.js";
import { documentTitle, documentURL } from "./dom.js";
import { controlsOf, describeElement } from "./elements.js";
import { FRAME_MATCHES, FRAME_MATCHES_MAX, FRAME_TEXT_CHARS } from "./limits.js";
import { readPage } from "./readpage.js";
import { matchesOf, validSelector } from "./selectors.js";
import { line } from "./text.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./session.js").Args} Args */
/** @typedef {import("./session.js").Answer} Answer */

/**
 * @param {Session} session
 * @param {Args} args `selector` (without one: the text and all controls), `limit`, `offset`
 * @returns {Answer}
 * @throws {import("./session.js").Refusal} `bad_selector`
 */
export function frameRead(session, args) {
  const limit = whole(args.limit, FRAME_MATCHES, 1, FRAME_MATCHES_MAX);
  const offset = whole(args.offset, 0, 0, 1_000_000);
  const asked = args.selector !== undefined && args.selector !== null && args.selector !== "";
  const { found, total } = asked ? matching(validSelector(args.selector)) : controls();
  const shown = found.slice(offset, offset + limit);
  const matches = shown.map(({ el, role, name }, i) => {
    const place = asked ? { matchIndex: offset + i } : { selector: selectorOf(el), matchIndex: 0 };
    return { ...place, ...describeElement(session, el, role, name) };
  });
  const hasMore = offset + shown.length < total;
  return {
    success: true,
    url: documentURL(document).slice(0, 2_000),
    title: line(documentTitle(document), 300),
    ...(asked || offset > 0 ? {} : { pageContent: textOfFrame() }),
    matches,
    total,
    offset,
    hasMore,
    nextOffset: hasMore ? offset + shown.length : null,
  };
}

/** @typedef {{ el: Element, role?: string, name?: string }} Match */

/** @param {string} selector @returns {{ found: Match[], total: number }} */
function matching(selector) {
  const found = matchesOf(selector).map((el) => ({ el }));
  return { found, total: found.length };
}

/** @returns {{ found: Match[], total: number }} */
function controls() {
  const { nodes } = controlsOf(document);
  return { found: nodes, total: nodes.length };
}

function textOfFrame() {
  return String(readPage({ includeChrome: true, limit: FRAME_TEXT_CHARS }).text);
}

/** @returns {Answer} */
export function viewport() {
  const view = window;
  return {
    success: true,
    width: view.innerWidth,
    height: view.innerHeight,
    devicePixelRatio: view.devicePixelRatio,
    scrollX: Math.round(view.scrollX),
    scrollY: Math.round(view.scrollY),
  };
}
