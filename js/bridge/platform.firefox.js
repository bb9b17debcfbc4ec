// What is different about Firefox. platform.chrome.js has the same exports; the build copies one of them as
// platform.js, unbundled, so this file imports nothing.

export const BROWSER = "firefox";

/** What Python may offer on this browser, as `host.protocols.Capabilities`. */
export const CAPABILITIES = { cdp: false, captures_background_tabs: true };

export const api = browser;

/** True: any content script of ours reads and writes `storage.local`, so settings do not lie there. */
export const CONTENT_READS_STORAGE = true;

/** True: the supervisor page is the background page. */
export const HOST_IS_BACKGROUND = true;

/** False if somebody opens host.html as a page: the one background page exists already. */
export const isHostPage = () => browser.extension.getBackgroundPage() === window;

/** There is no other background than this page, so nobody else speaks for it. @param {unknown} _sender */
export const isBackground = (_sender) => false;

/**
 * Send a call to the executor and return its answer.
 * @param {object} call @param {(call: any) => Promise<any>} here The executor, for browsers where it lives in this page.
 * @returns {Promise<any>} The answering frame; null if the executor died before it could answer.
 */
export const callExecutor = (call, here) => here(call);

/** Hand a message to all our pages; none may be open. @param {object} message */
export function broadcast(message) {
  browser.runtime.sendMessage(message).catch(() => {});
}

/** The toolbar button. */
export function listen() {
  // The sidebar may only be opened from inside the click's own handler.
  browser.browserAction.onClicked.addListener(() => /** @type {any} */ (browser).sidebarAction.toggle());
}
