/**
 * Small readings: `page_state`, `get_selection`, `wait_for_element`.
 */

import { whole } from "./args.js";
import { deepQuery, scopesOf } from "./deep.js";
import {
  composedClosest,
  deepActive,
  documentOf,
  documentTitle,
  documentURL,
  formElements,
  formMethod,
  isHTML,
  localName,
  nodeType,
  readyState,
  selectionOf,
} from "./dom.js";
import { SELECTION_CHARS, WAIT_DEFAULT_MS, WAIT_MAX_MS } from "./limits.js";
import { describeName, textInside } from "./names.js";
import { inputType, roleOf } from "./roles.js";
import { firstMatch, validSelector } from "./selectors.js";
import { isRendered } from "./sight.js";
import { block, cut, line } from "./text.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./session.js").Args} Args */
/** @typedef {import("./session.js").Answer} Answer */
/** @typedef {import("./deep.js").Scope} Scope */

const DIALOGS = 'dialog[open],[role="dialog"],[role="alertdialog"],[aria-modal="true"]';
const LIVE = '[role="alert"],[role="status"],[aria-live="polite"],[aria-live="assertive"]';
const LISTED = 10;
/** Fields looked at, of one form and of all that stand outside the forms listed. */
const FIELDS = 1_000;
const RECHECK_MS = 250;
/** How many times as long as a look took the page is left alone after it. */
const RECHECK_SHARE = 5;

/**
 * @param {Session} session
 * @returns {Answer}
 */
export function pageState(session) {
  const { scopes } = scopesOf();
  /** @param {string} selector */
  const shown = (selector) => deepQuery(selector, LISTED, isRendered, scopes).found;
  const dialogs = shown(DIALOGS).map((e) => ({
    ref_id: session.refs.of(e),
    role: roleOf(e),
    title: line(describeName(e, roleOf(e)), 100),
  }));
  const listed = shown("form");
  const forms = listed.map((e) => formState(session, /** @type {HTMLFormElement} */ (e)));
  return {
    success: true,
    url: documentURL(document).slice(0, 2_000),
    title: line(documentTitle(document), 300),
    readyState: readyState(document),
    openDialogs: dialogs,
    forms,
    loose: looseState(scopes, new Set(listed)),
    openDialogCount: dialogs.length,
    visibleFormCount: forms.length,
    liveRegionMessages: shown(LIVE)
      .map((e) => textInside(e, 200))
      .filter(Boolean)
      .slice(0, LISTED),
  };
}

/** @param {Session} session @param {HTMLFormElement} form */
function formState(session, form) {
  const elements = Array.from(formElements(form)).slice(0, FIELDS);
  const { fields, entered, files } = draft(elements);
  return {
    ref_id: session.refs.of(form),
    name: line(describeName(form, "form"), 60),
    method: formMethod(form),
    fields,
    dirty: entered.length,
    files,
    search: isForSearch(form) || elements.some(isSearchField),
  };
}

/**
 * Fields that stand outside the forms listed: without a form, in one that is not shown, or in one too many.
 * @param {Scope[]} scopes
 * @param {Set<Element>} listed
 * @returns {{ fields: number, dirty: number, files: number, search: boolean }}
 */
function looseState(scopes, listed) {
  const { found } = deepQuery(
    "input,textarea,select",
    FIELDS,
    (e) => {
      const form = isHTML(e) && /** @type {HTMLInputElement} */ (e).form;
      return form === null || (form !== false && !listed.has(form));
    },
    scopes,
  );
  const { fields, entered, files } = draft(found);
  const search = entered.length > 0 && entered.every((e) => isSearchField(e) || isForSearch(e));
  return { fields, dirty: entered.length, files, search };
}

/** @param {Element} e @returns {boolean} */
function isSearchField(e) {
  return roleOf(e) === "searchbox";
}

/** @param {Element} e @returns {boolean} whether it lies in a part of the page that is for searching */
function isForSearch(e) {
  return composedClosest(e, (outer) => roleOf(outer) === "search" || localName(outer) === "search") !== null;
}

/**
 * How many of these are fields, which hold something else than the page was delivered with, and how many files
 * they hold.
 * @param {Element[]} elements
 */
function draft(elements) {
  let fields = 0;
  /** @type {Element[]} */
  const entered = [];
  let files = 0;
  for (const element of elements) {
    const e = /** @type {HTMLInputElement} */ (element);
    const type = inputType(e);
    if (!/^(input|textarea|select)$/.test(localName(e)) || /^(hidden|submit|button|reset|image)$/.test(type))
      continue;
    fields++;
    if (type === "file") files += e.files?.length ?? 0;
    else if (isEntered(e, type)) entered.push(e);
  }
  return { fields, entered, files };
}

/** @param {HTMLInputElement} e @param {string} type @returns {boolean} */
function isEntered(e, type) {
  if (type === "checkbox" || type === "radio") return e.checked !== e.defaultChecked;
  if (localName(e) === "select") return isChosenAnew(/** @type {any} */ (e));
  return e.value !== e.defaultValue;
}

/** @param {HTMLSelectElement} select @returns {boolean} */
function isChosenAnew(select) {
  const options = Array.from(select.options);
  if (select.multiple || options.some((o) => o.defaultSelected))
    return options.some((o) => o.selected !== o.defaultSelected);
  // Nothing was chosen by the markup: a list of one line then shows its first option that can be chosen.
  const first = options.findIndex((o) => !o.disabled);
  return select.selectedIndex > Math.max(first, 0);
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
  text ||= selectedIn(active);
  return {
    success: true,
    text: cut(block(text.slice(0, SELECTION_CHARS + 100)), SELECTION_CHARS),
    truncated: text.length > SELECTION_CHARS,
  };
}

/**
 * Each document has a selection of its own, and in Chromium each shadow root as well; the one where the focus is counts first.
 * @param {Element | null} active
 * @returns {string}
 */
function selectedIn(active) {
  const roots = scopesOf().scopes.map(({ root }) => root);
  if (active)
    roots.unshift(/** @type {ShadowRoot} */ (Node.prototype.getRootNode.call(active)), documentOf(active));
  for (const root of roots) {
    const text =
      nodeType(root) === 9
        ? selectionOf(/** @type {Document} */ (root))
        : /** @type {any} */ (ShadowRoot.prototype).getSelection?.call(root);
    if (text && String(text)) return String(text);
  }
  return "";
}

/**
 * @param {Session} session
 * @param {Args} args `selector`, `timeout` in ms
 * @returns {Promise<Answer>}
 */
export async function waitForElement(session, args) {
  const selector = validSelector(args.selector);
  const timeout = whole(args.timeout, WAIT_DEFAULT_MS, 0, WAIT_MAX_MS);
  const start = performance.now();
  const found = firstMatch(selector) ?? (timeout > 0 ? await appear(selector, timeout) : null);
  const elapsedMs = Math.round(performance.now() - start);
  if (!found) return { success: true, found: false, timedOut: true, elapsedMs };
  return { success: true, found: true, timedOut: false, elapsedMs, element: session.describe(found) };
}

/**
 * @param {string} selector
 * @param {number} timeout
 * @returns {Promise<Element | null>}
 */
function appear(selector, timeout) {
  return new Promise((done) => {
    let due = false;
    /** @param {Element | null} found */
    const end = (found) => {
      observer.disconnect();
      clearTimeout(last);
      clearTimeout(ticking);
      done(found);
    };
    // A storm of changes costs one look at the document per tick, not one per change.
    const observer = new MutationObserver(() => {
      if (due) return;
      due = true;
      setTimeout(() => {
        due = false;
        const found = firstMatch(selector, [{ root: document, host: null, outer: null }]);
        if (found) end(found);
      }, 20);
    });
    observer.observe(document, { subtree: true, childList: true, attributes: true });
    // What style sheets, shadow roots and frames do is no mutation of the document. On a huge page a look costs time.
    const look = () => {
      const start = performance.now();
      const found = firstMatch(selector);
      if (found) return end(found);
      ticking = setTimeout(look, Math.max(RECHECK_MS, RECHECK_SHARE * (performance.now() - start)));
    };
    let ticking = setTimeout(look, RECHECK_MS);
    const last = setTimeout(() => end(firstMatch(selector)), timeout);
  });
}
