// What browsers do by themselves and Python wants to know of: heard, reduced to what is needed, told on. Listeners are
// registered at once, so that a service worker that was asleep loses nothing.

import { seenOf } from "./requests.js";

/** Characters of an address and of a dialog's text. */
const ADDRESS_CHARS = 2_000;
const DIALOG_CHARS = 5_000;

const REQUEST = "Network.requestWillBeSent";
/** Requests that ask for nothing to be changed. */
const HARMLESS = ["GET", "HEAD", "OPTIONS"];

/** Requests told in a second for a tab. That there are some is what counts; a page that sends thousands floods nobody. */
const REQUESTS = 30;
/** The same of new documents in frames. */
const FRAME_NAVIGATIONS = 50;
const SECOND_MS = 1_000;

/** Events of `webNavigation` and what they mean for a page. */
const PHASES = {
  onBeforeNavigate: "started",
  onCommitted: "committed",
  onCompleted: "completed",
  onErrorOccurred: "failed",
  onHistoryStateUpdated: "same_document",
  onReferenceFragmentUpdated: "same_document",
};

/** @param {unknown} text @param {number} [chars] */
const cut = (text, chars = ADDRESS_CHARS) => String(text ?? "").slice(0, chars);

/**
 * What the debugger reports, reduced; null for what nobody needs, which is most of it.
 * @type {Record<string, (params: any) => Record<string, unknown> | null>}
 */
const REPORTS = {
  "Page.javascriptDialogOpening": ({ type, message, defaultPrompt }) => ({
    type,
    message: cut(message, DIALOG_CHARS),
    defaultPrompt: cut(defaultPrompt, DIALOG_CHARS),
  }),
  "Page.javascriptDialogClosed": ({ result }) => ({ result }),
  [REQUEST]: ({ requestId, type, request }) =>
    HARMLESS.includes(request.method)
      ? null
      : { requestId, type, method: request.method, url: cut(request.url) },
  "Page.fileChooserOpened": ({ mode, backendNodeId }) => ({ mode, ...(backendNodeId && { backendNodeId }) }),
  // Just what Input.dispatchDragEvent takes back.
  "Input.dragIntercepted": ({ data: { items, dragOperationsMask } }) => ({
    data: {
      items: items.map((/** @type {any} */ { mimeType, data, title, baseURL }) => ({
        mimeType,
        data,
        ...(title && { title }),
        ...(baseURL && { baseURL }),
      })),
      dragOperationsMask,
    },
  }),
};

/** @param {string} method @param {any} params @returns {Record<string, unknown> | null} */
export function reduced(method, params) {
  return Object.hasOwn(REPORTS, method) ? REPORTS[method](params) : null;
}

/** @param {number} most in a second @returns {(tabId: number) => boolean} Whether one more of this tab may be told. */
function limitOf(most) {
  let second = 0;
  /** @type {Map<number, number>} */
  const told = new Map();
  return (tabId) => {
    const now = Math.floor(Date.now() / SECOND_MS);
    if (now !== second) told.clear();
    second = now;
    told.set(tabId, (told.get(tabId) ?? 0) + 1);
    return (told.get(tabId) ?? 0) <= most;
  };
}

/**
 * Hear of every setting that is written, by whomever: Python remembers what it has read. Only for browsers in which
 * nobody but our own pages can write there.
 * @param {any} api `chrome` @param {(event: {kind: string, tabId: number, data: object}) => void} tell
 */
export function hearSettings(api, tell) {
  api.storage.onChanged.addListener(
    (/** @type {Record<string, {newValue?: unknown}>} */ changes, /** @type {string} */ area) => {
      if (area !== "local") return;
      const values = Object.entries(changes).map(([key, { newValue }]) => [key, newValue ?? null]);
      tell({ kind: "settings_changed", tabId: -1, data: Object.fromEntries(values) });
    },
  );
}

/**
 * Hear everything from now on.
 * @param {any} api `chrome` or `browser` @param {(event: {kind: string, tabId: number, data: object}) => void} tell
 * @param {(tabId: number, seen: import("./requests.js").Seen) => void} [observe] Gets what scripts of debugged pages ask
 *   for, whole; whoever is given that must see to it that it was asked for.
 */
export function hearEvents(api, tell, observe) {
  const { tabs, webNavigation, downloads } = api;
  const mayTellRequest = limitOf(REQUESTS);
  const mayTellFrame = limitOf(FRAME_NAVIGATIONS);
  const mayObserve = limitOf(REQUESTS);
  // Not tabs.onCreated: the opener it names is in Chrome whatever tab is in front, and in Firefox missing for windows.
  webNavigation.onCreatedNavigationTarget.addListener((/** @type {any} */ { sourceTabId, tabId, url }) => {
    tell({ kind: "tab_opened", tabId: sourceTabId, data: { tabId, url: cut(url) } });
  });
  tabs.onRemoved.addListener((/** @type {number} */ tabId) => tell({ kind: "tab_removed", tabId, data: {} }));
  for (const [name, phase] of Object.entries(PHASES)) {
    webNavigation[name].addListener((/** @type {any} */ { tabId, frameId, url }) => {
      if (frameId === 0) tell({ kind: "navigation", tabId, data: { phase, url: cut(url) } });
      else if (phase === "committed" && mayTellFrame(tabId))
        tell({ kind: "frame_navigation", tabId, data: { frameId, url: cut(url) } });
    });
  }
  downloads.onCreated.addListener((/** @type {any} */ { id, url, filename }) => {
    tell({ kind: "download_created", tabId: -1, data: { id, url: cut(url), filename: cut(filename) } });
  });
  downloads.onChanged.addListener((/** @type {any} */ { id, state }) => {
    if (state) tell({ kind: "download_changed", tabId: -1, data: { id, state: state.current } });
  });
  api.debugger?.onEvent.addListener(
    (/** @type {any} */ { tabId }, /** @type {string} */ method, /** @type {any} */ params) => {
      const seen = observe && method === REQUEST && tabId !== undefined ? seenOf(params) : null;
      if (seen && mayObserve(tabId)) observe?.(tabId, seen);
      const report = tabId === undefined ? null : reduced(method, params);
      if (report && (method !== REQUEST || mayTellRequest(tabId)))
        tell({ kind: "cdp", tabId, data: { method, params: report } });
    },
  );
  api.debugger?.onDetach.addListener((/** @type {any} */ { tabId }, /** @type {string} */ reason) => {
    if (tabId !== undefined) tell({ kind: "debugger_detached", tabId, data: { reason } });
  });
}
