import { computed, signal } from "@preact/signals";
import { ext } from "../browser.js";
import { emptyConversation, fromEvents, openCard, openPlan, reduce, runningTurn } from "../conversation.js";
import { setLanguage, t } from "../i18n.js";
import { Connection, PortError } from "../port.js";
import { serverConfig } from "../servers.js";
import { applyTheme } from "../theme.js";
import { askAgain, basketOf, giveBack, notSent, rememberSent, sentWith, takeFiles } from "./attachments.js";
import { isCommand, runCommand } from "./commands.js";
import { draftOf, loadDraft, setDraftOf } from "./drafts.js";
import { fixedTab, followTab, restriction } from "./tabs.js";

/**
 * The panel's state and everything that changes it. Components read signals and call the functions below.
 *
 * @typedef {import("../types.js").BootStatus} BootStatus
 * @typedef {import("../types.js").PanelView} PanelView
 * @typedef {import("../types.js").RunEvent} RunEvent
 * @typedef {import("../conversation.js").Conversation} Conversation
 * @typedef {import("../port.js").LineState} LineState
 *
 * @typedef {object} Outgoing a message that is not yet part of the conversation
 * @property {string} requestId
 * @property {string} text empty for Continue
 * @property {import("./attachments.js").Attachment[]} [files]
 * @property {import("../types.js").Mode} mode
 * @property {"queued" | "sending" | "failed"} state
 * @property {string} [error]
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

/** How long an accepted start may take; the page shows Stop meanwhile. */
const START_TIMEOUT_MS = 120_000;
const CALL_TIMEOUT_MS = 30_000;
/** For the words of a recording; a server on this computer may have to load its model first. */
const TRANSCRIBE_TIMEOUT_MS = 300_000;

/** @type {Outgoing[]} */
const NOTHING = [];

/** @type {import("@preact/signals").Signal<{state: LineState, attempt: number}>} */
export const line = signal({ state: /** @type {LineState} */ ("connecting"), attempt: 0 });
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
export const running = computed(() => (conversation.value ? runningTurn(conversation.value) : undefined));
export const busy = computed(
  () => Boolean(running.value) || outgoing.value.some((out) => out.state !== "failed"),
);
/** What a person must answer before the run goes on. */
export const waitingCard = computed(() =>
  running.value ? (openCard(running.value) ?? openPlan(running.value)) : undefined,
);
export const restricted = computed(() => restriction(tab.value?.url));
/** Why a message cannot be sent right now, as a message key; empty if it can. */
export const blocked = computed(() => {
  const current = view.value;
  if (line.value.state === "invalidated") return "blocked_reload";
  if (current?.gone) return "blocked_gone";
  if (current?.loaded && !current.provider) return "blocked_no_provider";
  if (busy.value) return waitingCard.value ? "blocked_card" : "blocked_busy";
  if (basketOf(current?.tabId).reading) return "blocked_reading";
  return "";
});

/** @type {Connection} */
let connection;
/** Of the last Worker that was seen ready. */
let readyEpoch = 0;
/** Failures after which nobody knows whether the message arrived. It goes out again with the same id. */
const UNCERTAIN = new Set(["disconnected", "outcome_unknown", "not_started"]);

/** Start: connect, find the tab, open its conversation. */
export function start() {
  connection = new Connection({
    ext,
    onEvent: receive,
    onState: (state, attempt) => {
      const before = line.value.state;
      line.value = { state, attempt };
      // Events may have been missed while the line was down.
      if (state === "connected" && before === "reconnecting") reopenAll();
    },
  });
  connection.open();
  void followTab(showTab, tabGone);
}

export const retryConnection = () => connection.retryNow();
export const retryBoot = () =>
  connection.call("boot.retry", {}, { timeoutMs: CALL_TIMEOUT_MS }).catch(() => {});

/** @param {import("./tabs.js").TabInfo} info */
function showTab(info) {
  const known = views.value[info.id];
  tab.value = info;
  if (known) return;
  patch(info.id, {});
  void loadDraft(info.id);
  void openConversation(info.id);
}

/** @param {number} tabId */
function tabGone(tabId) {
  if (tabId === fixedTab()) {
    tab.value ??= { id: tabId, url: "", title: "" };
    patch(tabId, { gone: true });
    return;
  }
  const { [tabId]: _, ...rest } = views.value;
  views.value = rest;
}

/**
 * @param {number} tabId
 * @param {Partial<View> | ((view: View) => Partial<View>)} change
 */
function patch(tabId, change) {
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

/** @param {number} tabId */
async function openConversation(tabId) {
  patch(tabId, (current) => ({ opening: current.opening + 1 }));
  try {
    /** @type {PanelView} */
    const answer = await connection.call("panel.open", { tabId });
    takeSettings(answer.settings);
    patch(tabId, (current) => {
      const opened = current.early.reduce(reduce, fromEvents(answer.conversationId, answer.events));
      return {
        loaded: true,
        conversation: opened,
        mode: answer.mode,
        provider: answer.provider,
        voice: Boolean(answer.voice),
        allowApi: Boolean(answer.allowApi),
        problem: "",
        stopping: current.stopping && Boolean(runningTurn(opened)),
        outgoing: current.outgoing.filter((out) => !isKnown(opened, out.requestId)),
      };
    });
    for (const out of views.value[tabId]?.outgoing ?? [])
      if (out.state === "queued") void deliver(tabId, out);
  } catch (error) {
    const { code, message } = /** @type {import("../port.js").PortError} */ (error);
    if (code === "no_tab") patch(tabId, { gone: true });
    else patch(tabId, { problem: message || code });
  } finally {
    if (views.value[tabId])
      patch(tabId, ({ opening, early }) => ({ opening: opening - 1, early: opening > 1 ? early : [] }));
  }
}

function reopenAll() {
  for (const id of Object.keys(views.value)) void openConversation(Number(id));
}

/**
 * @param {Conversation} opened
 * @param {string} requestId
 */
function isKnown(opened, requestId) {
  return opened.turns.some((turn) => turn.requestId === requestId);
}

/**
 * @param {string} method
 * @param {any} params
 */
function receive(method, params) {
  switch (method) {
    case "boot":
      bootChanged(params);
      break;
    case "agent_update":
      takeEvent(params);
      break;
    case "conversation_cleared":
      if (views.value[params.tabId])
        patch(params.tabId, {
          conversation: emptyConversation(params.conversationId),
          allowApi: false,
          outgoing: [],
          early: [],
          stopping: false,
        });
      break;
    case "api_allowed":
      if (views.value[params.tabId]) patch(params.tabId, { allowApi: params.allowed });
      break;
    case "mode_changed":
      if (views.value[params.tabId]) patch(params.tabId, { mode: params.mode });
      break;
    case "providers_changed":
    case "transcription_changed":
      reopenAll();
      break;
    case "settings_changed":
      takeSettings(params.values);
      break;
    case "prefill":
      // A content script's wish: never over what a person has typed, and never sent by itself.
      if (!draftOf(params.tabId).trim()) setDraftOf(params.tabId, params.text);
      break;
    case "tab_gone":
      tabGone(params.tabId);
      break;
  }
}

/** @param {PanelView["settings"] | undefined} values */
function takeSettings(values = {}) {
  applyTheme(values.themeMode);
  if (values.wbLocale !== undefined) void setLanguage(values.wbLocale);
  if (values.verboseMode !== undefined) verbose.value = values.verboseMode;
  if (values.askBeforeConsequentialActions !== undefined) asks.value = values.askBeforeConsequentialActions;
  if (values.voiceInputEnabled !== undefined) voiceEnabled.value = values.voiceInputEnabled;
}

/** @param {BootStatus} status */
function bootChanged(status) {
  boot.value = status;
  if (status.state !== "ready" || status.epoch === readyEpoch) return;
  const first = readyEpoch === 0;
  readyEpoch = status.epoch;
  // A new Worker: the journal has settled what the old one was doing. What was asked before the first one still
  // waits for its answer, unless it was refused because the start had failed.
  for (const current of Object.values(views.value))
    if (!first || current.problem) void openConversation(current.tabId);
}

/** @param {RunEvent} event */
function takeEvent(event) {
  const current = views.value[event.tabId];
  // What a request was refused for is in the answer to it.
  if (!current || event.type === "attachment_rejected") return;
  if (current.opening) patch(event.tabId, { early: [...current.early, event] });
  if (!current.loaded) return;
  if (event.conversationId !== current.conversation.id) {
    // The tab has a new conversation that nobody told us of.
    if (!current.opening) void openConversation(event.tabId);
    return;
  }
  const next = reduce(current.conversation, event);
  patch(event.tabId, {
    conversation: next,
    outgoing: current.outgoing.filter((out) => out.requestId !== event.requestId),
    stopping: current.stopping && Boolean(runningTurn(next)),
  });
  if (next.gap && !current.opening) void openConversation(event.tabId);
}

/**
 * @param {Blob} sound a WAV file
 * @returns {Promise<{text: string}>}
 */
export const transcribe = (sound) =>
  connection.call(
    "transcription.run",
    { files: [{ name: "speech.wav", mediaType: sound.type, buffer: 0 }] },
    { timeoutMs: TRANSCRIBE_TIMEOUT_MS, files: [sound] },
  );

/** @param {string} text */
export function setDraft(text) {
  const id = tab.value?.id;
  if (id !== undefined) setDraftOf(id, text);
}

/** Send what is in the composer. */
export function send() {
  const current = view.value;
  if (current && isCommand(draftOf(current.tabId))) {
    void runCommand(current.tabId, draftOf(current.tabId));
    return;
  }
  if (!current || blocked.value) return;
  const words = draftOf(current.tabId).trim();
  const files = takeFiles(current.tabId);
  const text = words || (files.length ? t("attach_no_words") : "");
  if (!text) return;
  setDraft("");
  enqueue(current, { requestId: newRequestId(), text, files, mode: current.mode, state: "queued" });
}

/**
 * Send what is left of a command.
 *
 * @param {number} tabId
 * @param {string} text
 */
export function enqueueText(tabId, text) {
  const current = views.value[tabId];
  if (!current || busy.value) return;
  enqueue(current, { requestId: newRequestId(), text, mode: current.mode, state: "queued" });
}

/**
 * One call of the port, for the parts of the panel that need no more than that.
 *
 * @param {string} method
 * @param {Record<string, any>} [params]
 * @returns {Promise<any>}
 */
export const call = (method, params = {}) => connection.call(method, params, { timeoutMs: CALL_TIMEOUT_MS });

/**
 * Do the same again, in the mode it was asked in.
 *
 * @param {import("../conversation.js").Turn} turn
 */
export function retry(turn) {
  const current = view.value;
  if (!current || blocked.value) return;
  const mode = /** @type {import("../types.js").Mode} */ (turn.mode);
  const text = turn.continued ? "" : turn.question;
  const files = sentWith(turn.requestId) ?? [];
  if (files.length < turn.files.length) {
    // Only this panel had them, until it was closed. Without them it would be another question.
    if (!draftOf(current.tabId)) setDraft(text);
    askAgain(
      current.tabId,
      turn.files.map((file) => file.name),
    );
    return;
  }
  enqueue(current, { requestId: newRequestId(), text, files, mode, state: "queued" });
}

/** Go on after the step limit. */
export function continueRun() {
  const current = view.value;
  if (!current || blocked.value) return;
  enqueue(current, { requestId: newRequestId(), text: "", mode: current.mode, state: "queued" });
}

/**
 * @param {View} current
 * @param {Outgoing} out
 */
function enqueue(current, out) {
  patch(current.tabId, (v) => ({ outgoing: [...v.outgoing.filter((o) => o.state !== "failed"), out] }));
  // Before the conversation is open nobody knows the mode and whether there is a model: opening delivers it.
  if (current.loaded) void deliver(current.tabId, out);
}

/**
 * @param {number} tabId
 * @param {Outgoing} out
 */
async function deliver(tabId, out) {
  const set = (/** @type {Partial<Outgoing>} */ change) =>
    patch(tabId, (v) => ({
      outgoing: v.outgoing.map((o) => (o.requestId === out.requestId ? { ...o, ...change } : o)),
    }));
  if (!views.value[tabId]?.provider) {
    // Typed while Python started, and now it turns out that there is no model: give the words back.
    withdraw(tabId, out);
    return;
  }
  set({ state: "sending" });
  const files = out.files ?? [];
  rememberSent(out.requestId, files);
  const method = out.text ? "chat.start" : "chat.continue";
  const beside = files.length
    ? { files: files.map(({ name, mediaType }, buffer) => ({ name, mediaType, buffer })) }
    : {};
  const params = out.text
    ? { tabId, text: out.text, mode: out.mode, requestId: out.requestId, ...beside }
    : { tabId, requestId: out.requestId };
  try {
    const answer = await connection.call(method, params, {
      timeoutMs: START_TIMEOUT_MS,
      files: files.map((file) => file.blob),
    });
    if (!answer?.ok || answer.accepted === false) throw new PortError("refused", answer?.error ?? "");
    if (views.value[tabId]?.stopping) void abort(tabId);
  } catch (error) {
    const { code, message, data } = /** @type {import("../port.js").PortError} */ (error);
    if (code === "attachment_rejected") {
      patch(tabId, { stopping: false });
      withdraw(tabId, out, data?.rejected);
      return;
    }
    // It may have arrived: once the line stands again the conversation shows it, or it is sent with the same id.
    if (UNCERTAIN.has(code)) set({ state: "queued" });
    else {
      set({ state: "failed", error: message || code });
      patch(tabId, { stopping: false });
    }
  }
}

/**
 * Take a message back: its words and files are in the composer again, those that were refused with the reason.
 *
 * @param {number} tabId
 * @param {Outgoing} out
 * @param {{index: number, code: string, reason: string}[]} [rejected]
 */
function withdraw(tabId, out, rejected = []) {
  patch(tabId, (v) => ({ outgoing: v.outgoing.filter((o) => o.requestId !== out.requestId) }));
  notSent(out.requestId);
  const typed = draftOf(tabId);
  if (out.text && out.text !== t("attach_no_words") && !typed) setDraftOf(tabId, out.text);
  const files = (out.files ?? []).map((file, index) => {
    const refusal = rejected.find((one) => one.index === index);
    return refusal ? { ...file, problem: reasonOf(refusal) } : file;
  });
  giveBack(tabId, files);
}

/**
 * Python's reason, in the language of the screen where there are words for it.
 *
 * @param {{code: string, reason: string}} refusal
 */
function reasonOf({ code, reason }) {
  const words = t(`attach_reason_${code}`);
  return words.startsWith("attach_reason_") ? reason : words;
}

/** @param {string} requestId */
export function discardOutgoing(requestId) {
  const current = view.value;
  const out = current?.outgoing.find((o) => o.requestId === requestId);
  if (current && out) withdraw(current.tabId, out);
}

/** @param {string} requestId */
export function resend(requestId) {
  const current = view.value;
  const out = current?.outgoing.find((o) => o.requestId === requestId);
  if (current && out) void deliver(current.tabId, out);
}

/** @param {import("../types.js").Mode} mode */
export function setMode(mode) {
  const current = view.value;
  if (!current || busy.value || current.mode === mode) return;
  patch(current.tabId, { mode });
  connection.call("mode.set", { tabId: current.tabId, mode }, { timeoutMs: CALL_TIMEOUT_MS }).catch(() => {
    // The message itself carries the mode, so nothing is lost.
  });
}

export function stop() {
  const current = view.value;
  if (!current || !busy.value || current.stopping) return;
  const queued = current.outgoing.find((out) => out.state === "queued");
  if (queued) {
    discardOutgoing(queued.requestId);
    return;
  }
  patch(current.tabId, { stopping: true });
  // A message on its way has no run yet that could be stopped: its delivery sees the wish.
  if (running.value) void abort(current.tabId);
}

/** @param {number} tabId */
async function abort(tabId) {
  const answer = await connection
    .call("chat.abort", { tabId }, { timeoutMs: CALL_TIMEOUT_MS })
    .catch(() => undefined);
  if (!answer?.stopped) patch(tabId, { stopping: false });
}

/** Begin a new conversation in this tab. */
export async function clearConversation() {
  const current = view.value;
  if (!current) return;
  const answer = await connection.call(
    "conversation.clear",
    { tabId: current.tabId },
    { timeoutMs: CALL_TIMEOUT_MS },
  );
  if (answer?.ok && views.value[current.tabId]?.conversation.id !== answer.conversationId)
    patch(current.tabId, {
      conversation: emptyConversation(answer.conversationId),
      outgoing: [],
      stopping: false,
    });
}

/**
 * @param {string} cardId
 * @param {string} answer an option's id, or `text`
 * @param {string} [text] an answer in the person's own words
 */
export async function answerCard(cardId, answer, text = "") {
  const tabId = view.value?.tabId;
  if (tabId === undefined) return;
  const params = { tabId, cardId, answer, ...(text && { text }) };
  await connection.call("card.answer", params, { timeoutMs: CALL_TIMEOUT_MS });
}

/**
 * @param {string} planId
 * @param {{decision: string, summary?: string, steps?: string[], text?: string}} answer
 */
export async function answerPlan(planId, answer) {
  const tabId = view.value?.tabId;
  if (tabId === undefined) return;
  await connection.call("plan.answer", { tabId, planId, ...answer }, { timeoutMs: CALL_TIMEOUT_MS });
}

/**
 * @param {string} id of a picture
 * @returns {Promise<{dataUrl: string}>}
 */
export const askPicture = (id) => connection.call("pictures.get", { id }, { timeoutMs: CALL_TIMEOUT_MS });

/** @returns {Promise<import("../types.js").FoundServer[]>} model servers on this computer */
export async function scanServers() {
  return (await connection.call("providers.scan", {}, { timeoutMs: CALL_TIMEOUT_MS })).found;
}

/**
 * Set a found server up and use it; `providers_changed` then shows it.
 *
 * @param {import("../types.js").FoundServer} server
 * @param {string} model
 */
export async function useServer(server, model) {
  const config = serverConfig(server, model);
  await connection.call("providers.save", { id: server.id, config }, { timeoutMs: CALL_TIMEOUT_MS });
  await connection.call("providers.activate", { id: server.id }, { timeoutMs: CALL_TIMEOUT_MS });
}

/** Open the conversation again after a failure. */
export function reopen() {
  const id = view.value?.tabId;
  if (id === undefined) return;
  patch(id, { problem: "" });
  void openConversation(id);
}

/** @returns {string} */
function newRequestId() {
  return crypto.randomUUID();
}
