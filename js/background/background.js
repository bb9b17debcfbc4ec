// Chrome's service worker: the executor, and the watch over the offscreen document Python lives in. It holds nothing,
// so it may be killed at any moment.

import { contentVoice } from "../bridge/contentvoice.js";
import { hearEvents, hearSettings } from "../bridge/events.js";
import { execute } from "../bridge/executor.js";
import { BridgeError, describe, errorTo, isOwnPage, isSupervisor } from "../bridge/rpc.js";

const WATCHDOG = "host";
const WATCHDOG_MINUTES = 0.5;
/** How long a new supervisor page may take until it listens, and how often it is asked. */
const LISTENS_MS = 8_000;
const LISTENS_POLL_MS = 50;
/** What Chrome says if the document exists or is just being made. */
const CREATED_ALREADY = /single offscreen/i;

/** An offscreen document can exist only once, so it declares all it will ever need. @type {chrome.offscreen.CreateParameters} */
const HOST = {
  url: "host.html",
  reasons: /** @type {any} */ (["WORKERS", "AUDIO_PLAYBACK", "USER_MEDIA", "DISPLAY_MEDIA"]),
  justification: "Runs the agent in a Worker, speaks, records what the user asks it to record.",
};

async function hostExists() {
  const contexts = await chrome.runtime.getContexts({
    contextTypes: /** @type {any} */ (["OFFSCREEN_DOCUMENT"]),
  });
  return contexts.length > 0;
}

/** Make sure that the supervisor page is there and listens. If somebody else creates it first, that is fine too. */
async function ensureHost() {
  if (!(await hostExists())) {
    await chrome.offscreen.createDocument(HOST).catch((error) => {
      if (!CREATED_ALREADY.test(error.message)) throw error;
    });
  }
  // Whoever asks wants to connect, and a document that exists may not listen yet.
  const patience = Date.now() + LISTENS_MS;
  while (!(await toHost("hello", {}).catch(() => null))) {
    if (Date.now() > patience) throw new Error("The supervisor page does not answer.");
    await new Promise((resolve) => setTimeout(resolve, LISTENS_POLL_MS));
  }
}

/** Hand a message to the supervisor page and return its answer. @param {string} method @param {unknown} params */
function toHost(method, params) {
  return chrome.runtime.sendMessage({ target: "host", epoch: 0, kind: "call", method, params });
}

/** @param {any} message @returns {Promise<unknown>} */
async function forBackground(message) {
  try {
    await ensureHost();
    return message.action === "ensure_host" ? { ok: true } : await toHost("legacy", message);
  } catch (error) {
    const { code, message: text } = describe(error);
    return { error: text, code };
  }
}

chrome.runtime.onMessage.addListener((message, sender, respond) => {
  if (message?.target === "executor") {
    if (isSupervisor(sender, chrome.runtime)) execute(chrome, "chrome", message).then(respond);
    else
      respond(
        errorTo(message, new BridgeError("wrong_sender", "Only the supervisor page may call."), "python"),
      );
    return true;
  }
  if (message?.target === "background" && isOwnPage(sender, chrome.runtime)) {
    forBackground(message).then(respond);
    return true;
  }
  const said = contentVoice(message, sender, chrome.runtime);
  if (said) {
    // Without a supervisor page there is neither a run to stop nor a composer.
    toHost("content", said).then(respond, () => respond({ ok: false }));
    return true;
  }
  return false;
});

// A message wakes nobody: where there is no supervisor page there is no run that wants to know.
const tellEvent = (/** @type {object} */ event) => toHost("browser_event", event).catch(() => {});
hearSettings(chrome, tellEvent);
hearEvents(chrome, tellEvent, (tabId, seen) => observed(tabId, seen).catch(() => {}));

/**
 * What a script of a page asks for goes only where it is waited for: this worker remembers nothing, so it asks first.
 * @param {number} tabId @param {import("../bridge/requests.js").Seen} seen
 */
async function observed(tabId, seen) {
  if (await toHost("watches", { tabId })) await toHost("page_request", { tabId, seen });
}

const wake = () => ensureHost().catch((error) => console.warn(`The supervisor page did not start: ${error}`));

chrome.alarms.onAlarm.addListener((alarm) => {
  if (alarm.name === WATCHDOG) wake();
});
chrome.runtime.onStartup.addListener(wake);
chrome.runtime.onInstalled.addListener(wake);

// Settings of the browser, made anew at each start of this worker because an update may have lost them.
chrome.alarms.get(WATCHDOG).then((alarm) => {
  if (!alarm) chrome.alarms.create(WATCHDOG, { periodInMinutes: WATCHDOG_MINUTES });
});
chrome.sidePanel.setPanelBehavior({ openPanelOnActionClick: true });
// Keys of providers lie here; a web page that took over its renderer must not read them through our content script.
chrome.storage.local.setAccessLevel({ accessLevel: "TRUSTED_CONTEXTS" });
