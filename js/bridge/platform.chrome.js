// What is different about Chrome. platform.firefox.js has the same exports; the build copies one of them as
// platform.js, unbundled, so this file imports nothing.

export const BROWSER = "chrome";

/** What Python may offer on this browser, as `host.protocols.Capabilities`. */
export const CAPABILITIES = { cdp: true, captures_background_tabs: false };

export const api = chrome;

/** False: the service worker keeps content scripts out of `storage.local`. */
export const CONTENT_READS_STORAGE = false;

/** False: background messages and browser events go to the service worker, which passes on what concerns Python. */
export const HOST_IS_BACKGROUND = false;

/** True in the offscreen document, which has no other API; false if somebody opens host.html as a page. */
export const isHostPage = () => chrome.tabs === undefined;

/** The sender of messages for the supervisor. @param {chrome.runtime.MessageSender} sender */
export const isBackground = (sender) =>
  sender.id === chrome.runtime.id && !sender.tab && sender.url === chrome.runtime.getURL("js/background.js");

/**
 * Send a call to the executor and return its answer.
 * @param {object} call @param {(call: any) => Promise<any>} _here The executor, for browsers where it lives in this page.
 * @returns {Promise<any>} The answering frame; null if the service worker died before it could answer.
 */
export async function callExecutor(call, _here) {
  try {
    return (await chrome.runtime.sendMessage(call)) ?? null;
  } catch {
    return null;
  }
}

/** Hand a message to all our pages; none may be open. @param {object} message */
export function broadcast(message) {
  chrome.runtime.sendMessage(message).catch(() => {});
}

/** The toolbar button: Chrome opens the panel by itself. */
export function listen() {}
