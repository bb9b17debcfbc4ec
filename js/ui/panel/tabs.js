import { ext } from "../browser.js";

/**
 * Which tab the panel is about: the one named in `?tabId=N`, or else the active tab of its own window.
 *
 * @typedef {{id: number, url: string, title: string}} TabInfo
 */

/** Pages where the browser keeps every extension out. */
const STORES =
  /^https:\/\/(?:chromewebstore\.google\.com|chrome\.google\.com\/webstore|addons\.mozilla\.org)(?:\/|$)/;

/**
 * Why a page cannot be read, or an empty string.
 *
 * @param {string | undefined} url
 * @returns {"" | "browser" | "own" | "store"}
 */
export function restriction(url) {
  if (!url) return "";
  if (url.startsWith(ext.runtime.getURL(""))) return "own";
  if (STORES.test(url)) return "store";
  return /^(?:https?|file|ftp|blob|data):/.test(url) ? "" : "browser";
}

/**
 * The tab of the address, if the page was opened with one.
 *
 * @returns {number | undefined}
 */
export function fixedTab() {
  const text = new URLSearchParams(location.search).get("tabId");
  return text !== null && /^\d+$/.test(text) ? Number(text) : undefined;
}

/**
 * Follow the active tab of this window, or watch the fixed one.
 *
 * @param {(tab: TabInfo) => void} onTab called at once, on every switch and when address or title change
 * @param {(tabId: number) => void} onGone
 */
export async function followTab(onTab, onGone) {
  const fixed = fixedTab();
  const ownWindow = fixed === undefined ? (await ext.windows.getCurrent()).id : undefined;
  /** @type {number | undefined} */
  let current = fixed;

  const show = async (/** @type {number} */ id) => {
    current = id;
    try {
      const tab = await ext.tabs.get(id);
      if (current === id) onTab(info(tab));
    } catch {
      if (current === id) onGone(id);
    }
  };

  if (fixed === undefined) {
    ext.tabs.onActivated.addListener(({ tabId, windowId }) => {
      if (windowId === ownWindow) void show(tabId);
    });
  }
  ext.tabs.onUpdated.addListener((tabId, change, tab) => {
    if (tabId === current && (change.url || change.title)) onTab(info(tab));
  });
  ext.tabs.onRemoved.addListener((tabId) => onGone(tabId));

  if (fixed !== undefined) {
    await show(fixed);
    return;
  }
  const [active] = await ext.tabs.query({ active: true, windowId: ownWindow });
  if (active?.id !== undefined) await show(active.id);
}

/**
 * @param {chrome.tabs.Tab} tab
 * @returns {TabInfo}
 */
function info(tab) {
  return { id: tab.id ?? -1, url: tab.url ?? tab.pendingUrl ?? "", title: tab.title ?? "" };
}

/**
 * Show a tab. One that is gone meanwhile is passed over.
 *
 * @param {number} tabId
 */
export async function goToTab(tabId) {
  try {
    const { windowId } = await ext.tabs.get(tabId);
    await ext.tabs.update(tabId, { active: true });
    await ext.windows.update(windowId, { focused: true });
  } catch {
    // It was closed.
  }
}

/**
 * Open the settings page, or bring it to the front if it is open already.
 *
 * @param {string} [section]
 */
export async function openSettings(section = "providers") {
  const page = ext.runtime.getURL("settings.html");
  const [open] = await ext.tabs.query({ url: `${page}*` });
  if (open?.id === undefined) {
    await ext.tabs.create({ url: `${page}#${section}` });
    return;
  }
  await ext.tabs.update(open.id, { active: true, url: `${page}#${section}` });
  if (open.windowId !== undefined) await ext.windows.update(open.windowId, { focused: true });
}
