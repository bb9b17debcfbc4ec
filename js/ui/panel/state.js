import { computed, signal } from "@preact/signals";
import { emptyConversation, openCard, openPlan, runningTurn } from "../conversation.js";
import { basketOf } from "./attachments.js";
import { line } from "./line.js";
import { restriction } from "./tabs.js";

/**
 * What the panel knows, in signals. Components read them; `store.js` (what comes in), `sending.js` (what goes out) and
 * the calls of `line.js` change them.
 *
 * @typedef {import("../types.js").BootStatus} BootStatus
 * @typedef {import("../types.js").PanelView} PanelView
 * @typedef {import("../types.js").RunEvent} RunEvent
 * @typedef {import("../conversation.js").Conversation} Conversation
 *
 * @typedef {object} Outgoing a message that is not yet part of the conversation
 * @property {string} requestId
 * @property {string} text empty for Continue
 * @property {import("./attachments.js").Attachment[]} [files]
 * @property {import("../types.js").Mode} mode
 * @property {"queued" | "sending" | "failed"} state
 * @property {string} [error]
 * @property {boolean} [queue] it is to wait for the run that goes on
 *
 * @typedef {object} View one tab's side of the panel
 * @property {number} tabId
 * @property {boolean} loaded
 * @property {Conversation} conversation
 * @property {import("../types.js").Mode} mode
 * @property {PanelView["provider"]} provider
 * @property {boolean} voice there is a transcription model
 * @property {boolean} allowApi `/allow-api` was given in this conversation
 * @property {Outgoing[]} outgoing
 * @property {number} opening answers to `panel.open` under way
 * @property {RunEvent[]} early events that came meanwhile: the answer may be older than they are
 * @property {boolean} stopping
 * @property {boolean} gone the tab was closed
 * @property {string} problem why the conversation could not be opened
 */

/** @type {Outgoing[]} */
const NOTHING = [];
/** @type {import("../types.js").QueuedMessage[]} */
const NOBODY = [];
/** As many messages may wait as `services/queue.py` lets wait. */
const MOST_QUEUED = 20;

/** @type {import("@preact/signals").Signal<BootStatus | null>} */
export const boot = signal(/** @type {BootStatus | null} */ (null));
/** @type {import("@preact/signals").Signal<import("./tabs.js").TabInfo | null>} */
export const tab = signal(/** @type {import("./tabs.js").TabInfo | null} */ (null));
/** @type {import("@preact/signals").Signal<Record<number, View>>} */
export const views = signal({});

/** Steps show their arguments and results without being opened. */
export const verbose = signal(false);
/** Questions are asked before the agent acts. */
export const asks = signal(true);
/** The button to speak is wanted. */
export const voiceEnabled = signal(true);
export const view = computed(() => (tab.value ? views.value[tab.value.id] : undefined));
/** Narrow views of it, so that a component redraws only for what it shows. */
export const conversation = computed(() => view.value?.conversation);
export const outgoing = computed(() => view.value?.outgoing ?? NOTHING);
export const queue = computed(() => conversation.value?.queue ?? NOBODY);
export const running = computed(() => (conversation.value ? runningTurn(conversation.value) : undefined));
export const busy = computed(
  () => Boolean(running.value) || outgoing.value.some((out) => out.state !== "failed"),
);
/** What a person must answer before the run goes on. */
export const waitingCard = computed(() =>
  running.value ? (openCard(running.value) ?? openPlan(running.value)) : undefined,
);
export const restricted = computed(() => restriction(tab.value?.url));
/** Why a message can neither be sent nor wait right now, as a message key; empty if it can. */
export const blocked = computed(() => {
  const current = view.value;
  if (line.value.state === "invalidated") return "blocked_reload";
  if (current?.gone) return "blocked_gone";
  if (current?.loaded && !current.provider) return "blocked_no_provider";
  if (running.value) {
    if (basketOf(current?.tabId).files.length) return "blocked_queue_files";
    return queue.value.length < MOST_QUEUED ? "" : "blocked_queue_full";
  }
  if (busy.value) return "blocked_busy";
  if (basketOf(current?.tabId).reading) return "blocked_reading";
  return "";
});

/**
 * Change what is known of one tab.
 *
 * @param {number} tabId
 * @param {Partial<View> | ((view: View) => Partial<View>)} change
 */
export function patch(tabId, change) {
  const before = views.value[tabId] ?? {
    tabId,
    loaded: false,
    conversation: emptyConversation(""),
    mode: "ask",
    provider: null,
    voice: false,
    allowApi: false,
    outgoing: [],
    opening: 0,
    early: [],
    stopping: false,
    gone: false,
    problem: "",
  };
  const after = typeof change === "function" ? change(before) : change;
  views.value = { ...views.value, [tabId]: { ...before, ...after } };
}
