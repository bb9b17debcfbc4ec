import { t } from "../i18n.js";
import { PortError } from "../port.js";
import { askAgain, giveBack, notSent, rememberSent, sentWith, takeFiles } from "./attachments.js";
import { isCommand, runCommand, said } from "./commands.js";
import { draftOf, setDraftOf } from "./drafts.js";
import { call } from "./line.js";
import { blocked, busy, patch, running, tab, view, views } from "./state.js";

/**
 * What goes from a person to the agent: messages, on their way until the conversation shows them, and the wish to stop.
 *
 * @typedef {import("./state.js").Outgoing} Outgoing
 * @typedef {import("./state.js").View} View
 * @typedef {import("../types.js").QueuedMessage} QueuedMessage
 */

/** How long an accepted start may take; the page shows Stop meanwhile. */
const START_TIMEOUT_MS = 120_000;
/** Failures after which nobody knows whether the message arrived. It goes out again with the same id. */
const UNCERTAIN = new Set(["disconnected", "outcome_unknown", "not_started"]);

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
  said.value = null;
  const wait = Boolean(running.value);
  enqueue(current, {
    requestId: newRequestId(),
    text,
    files,
    mode: current.mode,
    state: "queued",
    queue: wait,
  });
}

/**
 * Send a message that waits or was held back: now, or after the run that goes on.
 *
 * @param {QueuedMessage} item
 */
export function sendQueued({ id, text, mode }) {
  const current = view.value;
  if (!current || blocked.value) return;
  enqueue(current, { requestId: id, text, mode, state: "queued", queue: Boolean(running.value) });
}

/**
 * Take a message out, and its words into the composer, before those that stand there.
 *
 * @param {QueuedMessage} item
 */
export async function editQueued(item) {
  const tabId = view.value?.tabId;
  if (tabId === undefined || !(await removeQueued(item))) return;
  const typed = draftOf(tabId).trim();
  setDraftOf(tabId, typed ? `${item.text}\n${typed}` : item.text);
  document.getElementById("composer")?.focus();
}

/**
 * @param {QueuedMessage} item
 * @returns {Promise<boolean>} false if it does not wait any more
 */
export async function removeQueued({ id }) {
  const tabId = view.value?.tabId;
  if (tabId === undefined) return false;
  const answer = await call("queue.remove", { tabId, id }).catch(() => undefined);
  return Boolean(answer?.removed);
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
 * Do the same again, in the mode it was asked in.
 *
 * @param {import("../conversation.js").Turn} turn
 */
export function retry(turn) {
  const current = view.value;
  if (!current || blocked.value || busy.value) return;
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
  if (!current || blocked.value || busy.value) return;
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
export async function deliver(tabId, out) {
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
  const method = out.queue ? "queue.add" : out.text ? "chat.start" : "chat.continue";
  const beside = files.length
    ? { files: files.map(({ name, mediaType }, buffer) => ({ name, mediaType, buffer })) }
    : {};
  const message = { tabId, text: out.text, mode: out.mode };
  const params = out.queue
    ? { ...message, id: out.requestId }
    : out.text
      ? { ...message, requestId: out.requestId, ...beside }
      : { tabId, requestId: out.requestId };
  try {
    const answer = await call(method, params, {
      timeoutMs: START_TIMEOUT_MS,
      files: files.map((file) => file.blob),
    });
    if (!answer?.ok || answer.accepted === false) throw new PortError("refused", answer?.error ?? "");
    // It waits now, or was sent at once: what shows it came before the answer.
    if (out.queue)
      patch(tabId, (v) => ({ outgoing: v.outgoing.filter((o) => o.requestId !== out.requestId) }));
    else if (views.value[tabId]?.stopping) void abort(tabId);
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

export function stop() {
  const current = view.value;
  if (!current || !busy.value || current.stopping) return;
  const queued = current.outgoing.find((out) => out.state === "queued" && !out.queue);
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
  const answer = await call("chat.abort", { tabId }).catch(() => undefined);
  if (!answer?.stopped) patch(tabId, { stopping: false });
}

/** @returns {string} */
function newRequestId() {
  return crypto.randomUUID();
}
