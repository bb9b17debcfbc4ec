/**
 * `wait_for_stable`: until nothing has changed, loaded or moved for a while.
 *
 * What counts as a change: mutations (shadow roots and same-origin frames included), resources that finished loading
 * (resource timing), a document or image that is still on its way, animations that will end. Requests of scripts under
 * way cannot be seen from here before they are answered, so a page that says of itself that it is at work (`aria-busy`,
 * "Loading...") is not taken for still. Nothing is left behind: observers end with the answer.
 */

import { saysWorking } from "./answering.js";
import { whole } from "./args.js";
import { deepQuery, scopesOf } from "./deep.js";
import { characterData, composedParent, documentOf, nodeType, queryAll, readyState, textsIn } from "./dom.js";
import {
  QUIET_DEFAULT_MS,
  QUIET_MAX_MS,
  STABLE_DEFAULT_MS,
  STABLE_LOOK_MS,
  STABLE_MAX_MS,
} from "./limits.js";
import { isRendered, isTransparent } from "./sight.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./session.js").Args} Args */
/** @typedef {import("./session.js").Answer} Answer */

/** Images and style sheets looked at, and animations. */
const PENDING = 500;
/** Texts looked at for words like "Loading...", and how many times as long as a look took nothing is looked at after it. */
const TEXTS = 50_000;
const WORKING_SHARE = 5;
/** Kinds of resources that say nothing about the page: they come at any time, or never end. */
const BACKGROUND = new Set(["beacon", "ping", "eventsource", "video", "audio", "track"]);

/**
 * @param {Session} _session
 * @param {Args} args `timeout`, `quietMs`, `checkNetwork`
 * @returns {Promise<Answer>}
 */
export function waitForStable(_session, args) {
  const timeout = whole(args.timeout, STABLE_DEFAULT_MS, 0, STABLE_MAX_MS);
  const quietMs = whole(args.quietMs, QUIET_DEFAULT_MS, 0, QUIET_MAX_MS);
  const network = args.checkNetwork !== false;
  const start = performance.now();
  let last = start;
  let mutations = 0;
  let loaded = 0;
  const { scopes } = scopesOf();
  const observer = new MutationObserver((records) => {
    mutations += records.length;
    last = performance.now();
  });
  for (const { root } of scopes)
    observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
  const traffic = network
    ? watchTraffic(() => {
        loaded++;
        last = performance.now();
      })
    : null;
  const documents = scopes.map(({ root }) => root).filter((root) => nodeType(root) === 9);
  return new Promise((done) => {
    const look = () => {
      const now = performance.now();
      const fresh = observer.takeRecords().length;
      if (fresh) {
        mutations += fresh;
        last = now;
      }
      const moving = isMoving(document);
      const pending = network ? pendingIn(/** @type {Document[]} */ (documents)) : 0;
      if (moving || pending) last = now;
      const quiet = now - last;
      const over = now - start >= timeout;
      const working = network && (quiet >= quietMs || over) && isWorking();
      if (quiet >= quietMs && !working) return end(true, 0);
      if (over) return end(false, pending, reason(pending, moving, working, mutations));
      const next = working ? STABLE_LOOK_MS : Math.min(STABLE_LOOK_MS, quietMs - quiet);
      const pause = Math.max(10, next, WORKING_SHARE * (performance.now() - now));
      timer = setTimeout(look, Math.min(pause, Math.max(10, timeout - (now - start))));
    };
    /** @param {boolean} stable @param {number} pending @param {string} [note] */
    const end = (stable, pending, note) => {
      clearTimeout(timer);
      observer.disconnect();
      traffic?.disconnect();
      done({
        success: true,
        stable,
        timedOut: !stable,
        elapsedMs: Math.round(performance.now() - start),
        mutations,
        ...(network ? { resourcesLoaded: loaded, inFlightAtExit: pending } : {}),
        ...(note ? { note } : {}),
      });
    };
    let timer = setTimeout(look, Math.min(quietMs, timeout));
  });
}

/** @param {number} pending @param {boolean} moving @param {boolean} working @param {number} mutations */
function reason(pending, moving, working, mutations) {
  if (working)
    return "The page itself still says that it is at work (aria-busy, or words like Loading...); what is there can be used.";
  if (pending) return "Parts of the page are still loading; what is there can be used.";
  if (moving) return "Something on the page is still moving; what is there can be used.";
  return mutations
    ? "The page keeps changing; what is there can be used."
    : "The page was not quiet for long enough.";
}

/**
 * @param {() => void} heard called for each resource that finished
 * @returns {PerformanceObserver | null}
 */
function watchTraffic(heard) {
  try {
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        if (!BACKGROUND.has(/** @type {PerformanceResourceTiming} */ (entry).initiatorType)) heard();
    });
    observer.observe({ type: "resource", buffered: false });
    return observer;
  } catch {
    return null;
  }
}

/**
 * What is on its way as far as the page shows it: documents, style sheets, images that are in view.
 * @param {Document[]} documents
 * @returns {number}
 */
function pendingIn(documents) {
  let pending = 0;
  for (const doc of documents) {
    if (readyState(doc) !== "complete") pending++;
    const images = queryAll(doc, "img[src]");
    for (let i = 0; i < images.length && i < PENDING; i++) {
      const image = /** @type {HTMLImageElement} */ (images[i]);
      if (!image.complete && image.loading !== "lazy" && isRendered(image)) pending++;
    }
  }
  return pending;
}

/** @returns {boolean} something that is shown says that the page is at work */
function isWorking() {
  const { scopes } = scopesOf();
  if (deepQuery('[aria-busy="true"]', 1, isPlain, scopes).total) return true;
  let left = TEXTS;
  for (const { root } of scopes) {
    const texts = textsIn(root);
    for (let node = texts.nextNode(); node && left-- > 0; node = texts.nextNode()) {
      if (!saysWorking(characterData(/** @type {Text} */ (node)))) continue;
      const bearer = composedParent(node);
      if (bearer && isPlain(bearer)) return true;
    }
  }
  return false;
}

/** @param {Element} e @returns {boolean} is to be seen, not merely kept in the page */
function isPlain(e) {
  return isRendered(e) && !isTransparent(e);
}

/** @param {Document} doc @returns {boolean} an animation that ends by itself is under way */
function isMoving(doc) {
  try {
    const all = documentOf(doc).getAnimations();
    for (let i = 0; i < all.length && i < PENDING; i++) {
      const animation = /** @type {Animation} */ (all[i]);
      const ends = animation.effect?.getComputedTiming().endTime;
      if (animation.playState === "running" && typeof ends === "number" && Number.isFinite(ends)) return true;
    }
  } catch {
    // A document without animations (XML in some browsers).
  }
  return false;
}
