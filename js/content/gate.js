/**
 * What stands between a reader and the page: a check for robots, a sign-in, a wall of payment. Found by structure only;
 * the evidence is in our own words, so that a page cannot speak through it.
 */

import { attribute, getter, isHTML, pageRoot, query, queryAll, rectOf } from "./dom.js";
import { RAW_CHARS } from "./limits.js";
import { isRendered } from "./sight.js";

/** @typedef {{ kind: "captcha" | "login" | "paywall", evidence: string }} Gate */

const CHALLENGE =
  /^(https?:)?\/\/((www\.)?(google\.com|recaptcha\.net)\/recaptcha\/|([\w-]+\.)*hcaptcha\.com\/|challenges\.cloudflare\.com\/)/i;
const WALL =
  '[class*="paywall" i],[id*="paywall" i],[data-testid*="paywall" i],[class*="regwall" i],[id*="regwall" i]';
/** Nearly every page has nothing of all this, which one look tells. */
const FRAME = "iframe[src]";
const PASSWORD = 'input[type="password"]';
const ANY = `${FRAME},${PASSWORD},${WALL}`;
const PAID = /"isAccessibleForFree"\s*:\s*"?false/i;
/** A page with more text than this has a sign-in form beside its content, not instead of it. */
const LOGIN_TEXT_CHARS = 1_500;
/** Smaller things are badges and buttons. */
const WALL_WIDTH = 200;
const WALL_HEIGHT = 80;
const LOOKED_AT = 50;

/** @type {(e: Element) => string} */
const innerText = getter(HTMLElement.prototype, "innerText");

/** @returns {Gate | null} */
export function pageGate() {
  if (!query(document, ANY)) return null;
  if (shown(FRAME, 60).some((frame) => CHALLENGE.test((attribute(frame, "src") ?? "").slice(0, RAW_CHARS))))
    return { kind: "captcha", evidence: "a check for robots is shown" };
  if (shown(PASSWORD, 0).length && textChars() < LOGIN_TEXT_CHARS)
    return { kind: "login", evidence: "a password field is shown and little else" };
  if (shown(WALL, WALL_HEIGHT).some((e) => rectOf(e).width >= WALL_WIDTH))
    return {
      kind: "paywall",
      evidence: saysPaid()
        ? "an element marked as a paywall is shown, and the page declares that it is not free"
        : "an element marked as a paywall is shown",
    };
  return null;
}

/** @returns {number} how much text the page shows */
function textChars() {
  const root = pageRoot(document);
  return root && isHTML(root) ? innerText(root).length : 0;
}

/** @param {string} selector @param {number} height @returns {Element[]} */
function shown(selector, height) {
  const all = queryAll(document, selector);
  const found = [];
  for (let i = 0; i < all.length && i < LOOKED_AT; i++) {
    const e = /** @type {Element} */ (all[i]);
    if (isRendered(e) && rectOf(e).height >= height) found.push(e);
  }
  return found;
}

function saysPaid() {
  const data = queryAll(document, 'script[type="application/ld+json"]');
  for (let i = 0; i < data.length && i < LOOKED_AT; i++)
    if (PAID.test((data[i]?.textContent ?? "").slice(0, 100_000))) return true;
  return false;
}
