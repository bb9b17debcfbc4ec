/**
 * Small readings: `page_state`, `get_selection`, `wait_for_element`.
 */

import { whole } from "./args.js";
import {
  deepActive,
  documentTitle,
  documentURL,
  formElements,
  formMethod,
  isHTML,
  localName,
  query,
  queryAll,
  readyState,
} from "./dom.js";
import { SELECTION_CHARS, SELECTOR_CHARS, WAIT_DEFAULT_MS, WAIT_MAX_MS } from "./limits.js";
import { describeName, textInside } from "./names.js";
import { inputType, roleOf } from "./roles.js";
import { Refusal } from "./session.js";
import { isRendered } from "./sight.js";
import { block, cut, line, quote } from "./text.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./session.js").Args} Args */
/** @typedef {import("./session.js").Answer} Answer */

const DIALOGS = 'dialog[open],[role="dialog"],[role="alertdialog"],[aria-modal="true"]';
const LIVE = '[role="alert"],[role="status"],[aria-live="polite"],[aria-live="assertive"]';
const LISTED = 10;
const FIELDS = 200;
const RECHECK_MS = 250;

/**
 * @param {Session} session
 * @returns {Answer}
 */
export function pageState(session) {
  const dialogs = shown(DIALOGS).map((e) => ({
    ref_id: session.refs.of(e),
    role: roleOf(e),
    title: line(describeName(e, roleOf(e)), 100),
  }));
  const forms = shown("form").map((e) => formState(session, /** @type {HTMLFormElement} */ (e)));
  return {
    success: true,
    url: documentURL(document).slice(0, 2_000),
    title: line(documentTitle(document), 300),
    readyState: readyState(document),
    openDialogs: dialogs,
    forms,
    openDialogCount: dialogs.length,
    visibleFormCount: forms.length,
    liveRegionMessages: shown(LIVE)
      .map((e) => textInside(e, 200))
      .filter(Boolean)
      .slice(0, LISTED),
  };
}

/** @param {string} selector @returns {Element[]} */
function shown(selector) {
  const found = [];
  const all = queryAll(document, selector);
  for (let i = 0; i < all.length && found.length < LISTED; i++) {
    const e = /** @type {Element} */ (all[i]);
    if (isRendered(e)) found.push(e);
  }
  return found;
}

/** @param {Session} session @param {HTMLFormElement} form */
function formState(session, form) {
  const elements = formElements(form);
  let fields = 0;
  let dirty = 0;
  let files = 0;
  for (let i = 0; i < elements.length && i < FIELDS; i++) {
    const e = /** @type {HTMLInputElement} */ (elements[i]);
    const type = inputType(e);
    if (!/^(input|textarea|select)$/.test(localName(e)) || /^(hidden|submit|button|reset|image)$/.test(type))
      continue;
    fields++;
    if (type === "file") files += e.files?.length ?? 0;
    else if (type === "checkbox" || type === "radio") dirty += Number(e.checked !== e.defaultChecked);
    else if (localName(e) === "select")
      dirty += Number(
        Array.from(
          /** @type {any} */ (e).options,
          (/** @type {any} */ o) => o.selected !== o.defaultSelected,
        ).includes(true),
      );
    else dirty += Number(e.value !== e.defaultValue);
  }
  return {
    ref_id: session.refs.of(form),
    name: line(describeName(form, "form"), 60),
    method: formMethod(form),
    fields,
    dirty,
    files,
  };
}

/** @returns {Answer} */
export function getSelectionText() {
  const active = deepActive();
  let text = "";
  if (
    active &&
    isHTML(active) &&
    /^(input|textarea)$/.test(localName(active)) &&
    inputType(active) !== "password"
  ) {
    const field = /** @type {HTMLInputElement} */ (active);
    try {
      text = field.value.slice(field.selectionStart ?? 0, field.selectionEnd ?? 0);
    } catch {
      text = "";
    }
  }
  text ||= String(Document.prototype.getSelection.call(document) ?? "");
  return {
    success: true,
    text: cut(block(text.slice(0, SELECTION_CHARS + 100)), SELECTION_CHARS),
    truncated: text.length > SELECTION_CHARS,
  };
}

/**
 * @param {Session} session
 * @param {Args} args `selector`, `timeout` in ms
 * @returns {Promise<Answer>}
 */
export async function waitForElement(session, args) {
  const selector = typeof args.selector === "string" ? args.selector.trim() : "";
  if (!selector || selector.length > SELECTOR_CHARS)
    throw new Refusal("bad_selector", "selector must be a CSS selector.");
  try {
    query(Document.prototype.createDocumentFragment.call(document), selector);
  } catch {
    throw new Refusal(
      "bad_selector",
      `${quote(line(selector, 80))} is not a CSS selector. Text cannot be searched this way: :contains and :has-text do not exist.`,
    );
  }
  const timeout = whole(args.timeout, WAIT_DEFAULT_MS, 0, WAIT_MAX_MS);
  const start = performance.now();
  const find = () => {
    const first = query(document, selector);
    if (!first || isRendered(first)) return first;
    return Array.from(queryAll(document, selector)).slice(0, 50).find(isRendered) ?? null;
  };
  const found = find() ?? (timeout > 0 ? await appear(find, timeout) : null);
  const elapsedMs = Math.round(performance.now() - start);
  if (!found) return { success: true, found: false, timedOut: true, elapsedMs };
  return { success: true, found: true, timedOut: false, elapsedMs, element: session.describe(found) };
}

/**
 * @param {() => Element | null} find
 * @param {number} timeout
 * @returns {Promise<Element | null>}
 */
function appear(find, timeout) {
  return new Promise((done) => {
    let due = false;
    /** @param {Element | null} found */
    const end = (found) => {
      observer.disconnect();
      clearTimeout(last);
      clearInterval(ticking);
      done(found);
    };
    const look = () => {
      due = false;
      const found = find();
      if (found) end(found);
    };
    // A storm of changes costs one look per tick, not one per change.
    const observer = new MutationObserver(() => {
      if (due) return;
      due = true;
      setTimeout(look, 20);
    });
    observer.observe(document, { subtree: true, childList: true, attributes: true });
    // What style sheets do is no mutation.
    const ticking = setInterval(look, RECHECK_MS);
    const last = setTimeout(() => end(find()), timeout);
  });
}
