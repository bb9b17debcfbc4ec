// What our content scripts may say to the extension: two things, which grant nothing and start nothing. A page that took
// over its own process could speak with their voice, so nothing else is heard, and which tab it is about is asked of the
// browser.

import { isOwnPage } from "./rpc.js";

/** Characters that may be put into the composer. */
const PREFILL_CHARS = 4_000;
/** Control and direction characters; line breaks and tabs stay. */
const UNSEEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * The message of one of our content scripts as it may be acted on, or null for everything else.
 * @param {any} message `{target: "background", action: "content_stop"}` or `{..., action: "content_prefill", text}`
 * @param {(import("./rpc.js").Sender & {frameId?: number}) | undefined} sender
 * @param {{id: string, getURL: (path: string) => string}} runtime
 * @returns {{action: "stop", tabId: number} | {action: "prefill", tabId: number, text: string} | null}
 */
export function contentVoice(message, sender, runtime) {
  const tabId = /** @type {{id?: number} | undefined} */ (sender?.tab)?.id;
  if (message?.target !== "background" || sender?.id !== runtime.id || isOwnPage(sender, runtime))
    return null;
  if (!Number.isInteger(tabId) || sender.frameId !== 0) return null;
  const tab = /** @type {number} */ (tabId);
  if (message.action === "content_stop") return { action: "stop", tabId: tab };
  if (message.action !== "content_prefill" || typeof message.text !== "string") return null;
  const text = message.text.slice(0, PREFILL_CHARS).replace(UNSEEN, "").trim();
  return text ? { action: "prefill", tabId: tab, text } : null;
}
