import { emptyConversation, fromEvents, reduce, runningTurn } from "../conversation.js";
import { setLanguage } from "../i18n.js";
import { applyTheme } from "../theme.js";
import { dropBasket } from "./attachments.js";
import { draftOf, loadDraft, setDraftOf } from "./drafts.js";
import { historyChanged } from "./history.js";
import { call, connect } from "./line.js";
import { deliver } from "./sending.js";
import { asks, boot, busy, patch, tab, verbose, view, views, voiceEnabled } from "./state.js";
import { fixedTab, followTab } from "./tabs.js";

/**
 * Conversations as the panel gets them: opened, kept up by events, answered.
 *
 * @typedef {import("../types.js").BootStatus} BootStatus
 * @typedef {import("../types.js").PanelView} PanelView
 * @typedef {import("../types.js").RunEvent} RunEvent
 * @typedef {import("../conversation.js").Conversation} Conversation
 */

/** Of the last Worker that was seen ready. */
let readyEpoch = 0;

/** Start: connect, find the tab, open its conversation. */
export function start() {
  // Events may have been missed while the line was down.
  connect(receive, reopenAll);
  void followTab(showTab, tabGone);
}

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
  dropBasket(tabId);
}

/** @param {number} tabId */
async function openConversation(tabId) {
  patch(tabId, (current) => ({ opening: current.opening + 1 }));
  try {
    /** @type {PanelView} */
    const answer = await call("panel.open", { tabId }, { timeoutMs: 0 });
    takeSettings(answer.settings);
    patch(tabId, (current) => {
      const told = fromEvents(answer.conversationId, answer.events);
      const opened = current.early.reduce(reduce, { ...told, queue: answer.queue ?? told.queue });
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
  return [...opened.turns.map((turn) => turn.requestId), ...opened.queue.map((one) => one.id)].includes(
    requestId,
  );
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
    case "conversation_opened":
      if (views.value[params.tabId]) void openConversation(params.tabId);
      break;
    case "history_changed":
      historyChanged();
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

/** @param {import("../types.js").Mode} mode */
export function setMode(mode) {
  const current = view.value;
  if (!current || busy.value || current.mode === mode) return;
  patch(current.tabId, { mode });
  call("mode.set", { tabId: current.tabId, mode }).catch(() => {
    // The message itself carries the mode, so nothing is lost.
  });
}

/** Begin a new conversation in this tab. */
export async function clearConversation() {
  const current = view.value;
  if (!current) return;
  const answer = await call("conversation.clear", { tabId: current.tabId });
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
  await call("card.answer", params);
}

/**
 * @param {string} planId
 * @param {{decision: string, summary?: string, steps?: string[], text?: string}} answer
 */
export async function answerPlan(planId, answer) {
  const tabId = view.value?.tabId;
  if (tabId === undefined) return;
  await call("plan.answer", { tabId, planId, ...answer });
}

/** Open the conversation again after a failure. */
export function reopen() {
  const id = view.value?.tabId;
  if (id === undefined) return;
  patch(id, { problem: "" });
  void openConversation(id);
}
