import { signal } from "@preact/signals";
import { ext } from "../browser.js";

/**
 * What a person typed and has not sent, per tab. It outlives the panel (which the browser may close at any time)
 * but not the browser, whose tab numbers start anew.
 */

const SAVE_DELAY_MS = 300;
const key = (/** @type {number} */ tabId) => `draft:${tabId}`;
/** @type {Map<number, ReturnType<typeof setTimeout>>} */
const timers = new Map();

/** @type {import("@preact/signals").Signal<Record<number, string>>} */
const drafts = signal({});

/**
 * @param {number | undefined} tabId
 * @returns {string}
 */
export function draftOf(tabId) {
  return tabId === undefined ? "" : (drafts.value[tabId] ?? "");
}

/**
 * Bring back what was kept, unless the person has begun to type already.
 *
 * @param {number} tabId
 */
export async function loadDraft(tabId) {
  try {
    const stored = await ext.storage.session.get(key(tabId));
    const text = stored[key(tabId)];
    if (typeof text === "string" && !drafts.peek()[tabId]) drafts.value = { ...drafts.value, [tabId]: text };
  } catch {
    // No draft then.
  }
}

/**
 * @param {number} tabId
 * @param {string} text
 */
export function setDraftOf(tabId, text) {
  drafts.value = { ...drafts.value, [tabId]: text };
  clearTimeout(timers.get(tabId));
  timers.set(
    tabId,
    setTimeout(() => void keep(tabId, text), SAVE_DELAY_MS),
  );
}

/**
 * @param {number} tabId
 * @param {string} text
 */
async function keep(tabId, text) {
  timers.delete(tabId);
  try {
    if (text) await ext.storage.session.set({ [key(tabId)]: text });
    else await ext.storage.session.remove(key(tabId));
  } catch {
    // A draft that could not be kept is no reason to disturb anybody who is typing.
  }
}
