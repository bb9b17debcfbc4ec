import {
  addError,
  addPicture,
  cardItem,
  closeItems,
  finishTool,
  planItem,
  settleText,
  toolItem,
  withUndone,
  writeText,
} from "./items.js";
import { isAboutQueue, queueAfter } from "./queue.js";

/**
 * Events in, view model out. Pure: the same events always give the same picture, whether they came one by one
 * from a live run or all at once when the panel was reopened.
 *
 * @typedef {import("./types.js").RunEvent} RunEvent
 * @typedef {import("./items.js").Item} Item
 * @typedef {import("./items.js").CardItem} CardItem
 * @typedef {import("./items.js").PlanItem} PlanItem
 * @typedef {import("./items.js").TextItem} TextItem
 *
 * @typedef {{id: string, label: string, status: "pending" | "acted" | "processed" | "skipped" | "failed",
 *   reason: string}} ProgressRow an item of the task
 * @typedef {{name: string, mediaType: string, bytes: number, pictureId: string}} SentFile `pictureId`: of a picture, by
 *   which it is fetched
 *
 * @typedef {{code: string, message: string, until: number, seconds: number, attempt: number}} Pause `until` in
 *   milliseconds since 1970
 *
 * @typedef {"running" | "completed" | "stopped" | "failed" | "max_steps" | "cost_limit" |
 *   "interrupted"} TurnStatus
 *
 * @typedef {object} Turn one run: what the person asked and everything that followed
 * @property {string} id the run's id
 * @property {string} requestId
 * @property {string} question
 * @property {SentFile[]} files that came with it
 * @property {string} mode
 * @property {boolean} continued started by Continue, so it has no text of its own
 * @property {Item[]} items
 * @property {{session: string, rows: ProgressRow[]}} progress the task's items, as far as the run keeps a list of them
 * @property {number} step of the model call under way, from 1
 * @property {boolean} thinking waiting for the model
 * @property {boolean} planning it makes a plan
 * @property {Pause | null} waiting its service refused for now, and is asked again later
 * @property {TurnStatus} status
 * @property {string} outcome what the agent claims: success, partial, failed or nothing
 * @property {number} steps
 * @property {number} startedAt
 * @property {number} durationMs
 * @property {Usage | null} usage what it took, known at the end
 *
 * @typedef {object} Usage
 * @property {number} promptTokens
 * @property {number} cachedTokens a part of them
 * @property {number} completionTokens
 * @property {boolean} tokensEstimated
 * @property {number | null} costUsd null if nothing cost money
 * @property {boolean} costEstimated
 * @property {number | null} conversationCostUsd up to the end of this turn
 *
 * @typedef {object} Conversation
 * @property {string} id
 * @property {number} seq of the last event taken in
 * @property {boolean} gap an event is missing: ask for all of them again
 * @property {Turn[]} turns
 * @property {import("./types.js").QueuedMessage[]} queue what waits for the run that goes on
 */

/**
 * @param {string} id
 * @returns {Conversation}
 */
export function emptyConversation(id) {
  return { id, seq: 0, gap: false, turns: [], queue: [] };
}

/**
 * A conversation as Python handed it over. Pieces of streamed text come joined there, under the number of the last
 * piece, so jumps in the numbers mean nothing.
 *
 * @param {string} id
 * @param {RunEvent[]} events oldest first
 * @returns {Conversation}
 */
export function fromEvents(id, events) {
  return { ...events.reduce(reduce, emptyConversation(id)), gap: false };
}

/**
 * Take one event in. Events of another conversation and events already seen change nothing.
 *
 * @param {Conversation} conversation
 * @param {RunEvent} event
 * @returns {Conversation}
 */
export function reduce(conversation, event) {
  if (event.conversationId !== conversation.id || event.seq <= conversation.seq) return conversation;
  const gap = conversation.gap || (conversation.seq > 0 && event.seq > conversation.seq + 1);
  const queue = queueAfter(conversation.queue, event);
  if (isAboutQueue(event)) return { ...conversation, seq: event.seq, gap, queue };
  const index = conversation.turns.findLastIndex((turn) => turn.id === event.runId);
  const before = index >= 0 ? conversation.turns[index] : newTurn(event, conversation.turns.at(-1));
  // Whatever comes next: the wait is over.
  const after = apply({ ...before, waiting: null }, event);
  const turns = conversation.turns.slice();
  if (index >= 0) turns[index] = after;
  else turns.push(after);
  return { ...conversation, seq: event.seq, gap, turns, queue };
}

/**
 * The last turn, if it is still running.
 *
 * @param {Conversation} conversation
 * @returns {Turn | undefined}
 */
export function runningTurn(conversation) {
  const last = conversation.turns.at(-1);
  return last?.status === "running" ? last : undefined;
}

/**
 * The card that waits for an answer, if any.
 *
 * @param {Turn} turn
 * @returns {CardItem | undefined}
 */
export function openCard(turn) {
  return /** @type {CardItem | undefined} */ (
    turn.items.findLast((item) => item.kind === "card" && item.answer === "")
  );
}

/**
 * The plan that waits for an answer, if any.
 *
 * @param {Turn} turn
 * @returns {PlanItem | undefined}
 */
export function openPlan(turn) {
  return /** @type {PlanItem | undefined} */ (
    turn.items.findLast((item) => item.kind === "plan" && item.decision === "")
  );
}

/**
 * What the person would copy: what was said after the last step, or, where nothing was, all that was said on the way.
 *
 * @param {Turn} turn
 * @returns {string}
 */
export function answerText(turn) {
  const end = turn.items.findLastIndex((item) => item.kind === "tool") + 1;
  return textOf(turn.items.slice(end)) || textOf(turn.items);
}

/**
 * @param {Item[]} items
 * @returns {string}
 */
function textOf(items) {
  return items
    .filter((item) => item.kind === "text")
    .map((item) => /** @type {TextItem} */ (item).content.trim())
    .filter(Boolean)
    .join("\n\n");
}

/**
 * @param {RunEvent} event
 * @param {Turn} [last] the turn before it; a Continue goes on with its list
 * @returns {Turn}
 */
function newTurn(event, last) {
  return {
    id: event.runId,
    requestId: event.requestId,
    question: "",
    files: [],
    mode: "ask",
    continued: false,
    items: [],
    progress: event.data.continued && last ? last.progress : { session: "", rows: [] },
    step: 0,
    thinking: false,
    planning: false,
    waiting: null,
    status: "running",
    outcome: "",
    steps: 0,
    startedAt: event.at,
    durationMs: 0,
    usage: null,
  };
}

/**
 * @param {Turn} turn
 * @param {RunEvent} event
 * @returns {Turn}
 */
function apply(turn, event) {
  const data = event.data;
  switch (event.type) {
    case "user_message":
      return {
        ...turn,
        question: data.text,
        files: data.files ?? [],
        mode: data.mode,
        continued: Boolean(data.continued),
        startedAt: event.at,
      };
    case "thinking":
      return {
        ...turn,
        items: settleText(turn.items),
        step: data.step,
        thinking: true,
        planning: data.note === "plan",
      };
    case "waiting":
      return {
        ...turn,
        items: settleText(turn.items),
        thinking: false,
        waiting: {
          code: data.code,
          message: data.message,
          until: data.until,
          seconds: data.seconds,
          attempt: data.attempt,
        },
      };
    case "text_delta":
      return { ...turn, thinking: false, items: writeText(turn, event, data.delta, "delta") };
    case "text":
      return {
        ...turn,
        thinking: false,
        items: withUndone(
          writeText(turn, event, data.content, data.replace === false ? "append" : "replace"),
          data.undone,
        ),
      };
    case "progress":
      return { ...turn, progress: mergeRows(turn.progress, data) };
    case "tool_call":
      return { ...turn, thinking: false, items: [...settleText(turn.items), toolItem(event)] };
    case "tool_result":
      return { ...turn, items: finishTool(turn.items, event) };
    case "picture":
      return { ...turn, items: addPicture(turn.items, event) };
    case "clarify":
      return { ...turn, thinking: false, items: [...turn.items, cardItem(data, event.at)] };
    case "plan_review":
      return { ...turn, thinking: false, items: [...turn.items, planItem(data, "")] };
    case "plan_auto_approved":
      return { ...turn, thinking: false, items: [...turn.items, planItem(data, "auto")] };
    case "plan_resolved":
      return {
        ...turn,
        items: turn.items.map((item) =>
          item.kind === "plan" && item.id === data.planId ? { ...item, decision: data.decision } : item,
        ),
      };
    case "card_resolved":
      return {
        ...turn,
        items: turn.items.map((item) =>
          item.kind === "card" && item.id === data.cardId
            ? { ...item, answer: data.answer, text: data.text ?? "", source: data.source ?? "user" }
            : item,
        ),
      };
    case "context_compacted":
      return { ...turn, items: [...turn.items, { kind: "compacted", id: `c${event.seq}` }] };
    case "warning":
      return {
        ...turn,
        items: [
          ...turn.items,
          {
            kind: "warning",
            id: `w${event.seq}`,
            code: data.code,
            message: data.message,
            tabs: data.tabs ?? [],
          },
        ],
      };
    case "error":
      return { ...turn, thinking: false, items: addError(turn.items, event) };
    case "max_steps_reached":
      return {
        ...turn,
        thinking: false,
        items: [
          ...turn.items,
          { kind: "max_steps", id: `m${event.seq}`, steps: data.steps, recap: data.recap },
        ],
      };
    case "run_complete":
      return {
        ...turn,
        thinking: false,
        status: data.status,
        outcome: data.outcome ?? "",
        steps: data.steps ?? 0,
        durationMs: data.durationMs || Math.max(0, event.at - turn.startedAt),
        usage: usageOf(data),
        items: closeItems(turn.items),
      };
    case "attachment_rejected":
      // The request became no turn; the composer has its words and files again, and says why.
      return turn;
    default:
      // A newer agent may say more than this panel knows; it must not break on it.
      return turn;
  }
}

/**
 * Rows that are new or different; the others stay. Another session is another list.
 *
 * @param {Turn["progress"]} known
 * @param {{session: string, rows: ProgressRow[]}} news
 * @returns {Turn["progress"]}
 */
function mergeRows(known, news) {
  const rows = new Map(known.session === news.session ? known.rows.map((row) => [row.id, row]) : []);
  for (const row of news.rows) rows.set(row.id, row);
  return { session: news.session, rows: [...rows.values()] };
}

/**
 * @param {any} data of `run_complete`; one that an older version stored knows less
 * @returns {Usage | null}
 */
function usageOf(data) {
  if (!data.promptTokens && !data.completionTokens && data.costUsd == null) return null;
  return {
    promptTokens: data.promptTokens ?? 0,
    cachedTokens: data.cachedTokens ?? 0,
    completionTokens: data.completionTokens ?? 0,
    tokensEstimated: Boolean(data.tokensEstimated),
    costUsd: data.costUsd ?? null,
    costEstimated: Boolean(data.costEstimated),
    conversationCostUsd: data.conversationCostUsd ?? null,
  };
}
