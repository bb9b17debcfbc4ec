import { isAboutQueue, queueAfter } from "./queue.js";

/**
 * Events in, view model out. Pure: the same events always give the same picture, whether they came one by one
 * from a live run or all at once when the panel was reopened.
 *
 * @typedef {import("./types.js").RunEvent} RunEvent
 * @typedef {import("./types.js").CardData} CardData
 *
 * @typedef {{kind: "text", id: string, step: number, content: string, streaming: boolean, undone?: Undone[]}} TextItem
 * @typedef {{label: string, status: "pending" | "acted" | "skipped" | "failed" | "unknown" | "more", reason: string,
 *   count: number}} Undone something of the task that is not done; `more` stands for `count` others
 * @typedef {{id: string, label: string, status: "pending" | "acted" | "processed" | "skipped" | "failed",
 *   reason: string}} ProgressRow an item of the task
 * @typedef {{kind: "tool", id: string, name: string, label: string, args: string, step: number, startedAt: number,
 *   state: "running" | "ok" | "failed" | "unknown", summary: string, result: string, durationMs: number,
 *   pictures: Picture[]}} ToolItem
 * @typedef {{id: string, reason: "first" | "auto" | "fallback" | "asked", width: number, height: number,
 *   description: string}} Picture a picture of the page; the picture itself is fetched by its id
 * @typedef {{kind: "picture", id: string, picture: Picture}} PictureItem one that no step led to
 * @typedef {{name: string, mediaType: string, bytes: number, pictureId: string}} SentFile `pictureId`: of a picture, by
 *   which it is fetched
 * @typedef {{kind: "warning", id: string, code: string, message: string, tabs: {tabId: number, url: string}[]}}
 *   WarningItem
 * @typedef {{kind: "error", id: string, code: string, message: string, detail: string, retryable: boolean}} ErrorItem
 * @typedef {{kind: "card", id: string, card: CardData, answer: string, text: string,
 *   source: "user" | "timeout" | "auto", askedAt: number}} CardItem `askedAt` in milliseconds since 1970
 * @typedef {{planId: string, summary: string, steps: string[], risks: string[], confidence: number | null,
 *   markdown: string, expiresAt: number}} PlanData
 * @typedef {{kind: "plan", id: string, plan: PlanData, decision: "" | "auto" | "approved" | "edited" | "rejected" |
 *   "expired" | "withdrawn"}} PlanItem `auto`: nobody had to look at it
 * @typedef {{kind: "max_steps", id: string, steps: number, recap: string}} MaxStepsItem
 * @typedef {{kind: "compacted", id: string}} CompactedItem older messages were folded into a summary here
 * @typedef {TextItem | ToolItem | PictureItem | CompactedItem | WarningItem | ErrorItem | CardItem | PlanItem |
 *   MaxStepsItem} Item
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
 * What the person would copy: the assistant's text of a turn, without steps.
 *
 * @param {Turn} turn
 * @returns {string}
 */
export function answerText(turn) {
  return turn.items
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
 * @param {Turn} turn
 * @param {RunEvent} event
 * @param {string} text
 * @param {"delta" | "append" | "replace"} how
 * @returns {Item[]}
 */
function writeText(turn, event, text, how) {
  const items = turn.items.slice();
  const last = items.at(-1);
  const open = last?.kind === "text" && last.step === turn.step ? last : undefined;
  if (!open) {
    // An empty text only clears what deltas showed; on its own it is nothing to draw.
    if (text)
      items.push({
        kind: "text",
        id: `t${event.seq}`,
        step: turn.step,
        content: text,
        streaming: how === "delta",
      });
    return items;
  }
  const joint = how === "append" && open.content ? "\n\n" : "";
  const content = how === "replace" ? text : open.content + joint + text;
  if (content) items[items.length - 1] = { ...open, content, streaming: how === "delta" };
  else items.pop();
  return items;
}

/**
 * @param {Item[]} items
 * @param {Undone[] | undefined} undone
 * @returns {Item[]}
 */
function withUndone(items, undone) {
  const last = items.at(-1);
  return undone?.length && last?.kind === "text" ? [...items.slice(0, -1), { ...last, undone }] : items;
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
 * @param {Item[]} items
 * @returns {Item[]}
 */
function settleText(items) {
  const last = items.at(-1);
  if (last?.kind !== "text" || !last.streaming) return items;
  return [...items.slice(0, -1), { ...last, streaming: false }];
}

/**
 * @param {RunEvent} event
 * @returns {ToolItem}
 */
function toolItem(event) {
  const { callId, name, label, args, step } = event.data;
  return {
    kind: "tool",
    id: callId,
    name,
    label: label || name,
    args: args ?? "",
    step,
    startedAt: event.at,
    state: "running",
    summary: "",
    result: "",
    durationMs: 0,
    pictures: [],
  };
}

/**
 * A picture shows what the step before it led to. At the beginning there is none, so it stands by itself.
 *
 * @param {Item[]} items
 * @param {RunEvent} event
 * @returns {Item[]}
 */
function addPicture(items, event) {
  const { pictureId: id, reason, width, height, description } = event.data;
  /** @type {Picture} */
  const picture = { id, reason, width, height, description: description ?? "" };
  const settled = settleText(items);
  const last = settled.at(-1);
  if (last?.kind !== "tool") return [...settled, { kind: "picture", id, picture }];
  return [...settled.slice(0, -1), { ...last, pictures: [...last.pictures, picture] }];
}

/**
 * @param {Item[]} items
 * @param {RunEvent} event
 * @returns {Item[]}
 */
function finishTool(items, event) {
  const { callId, name, ok, unknown, summary, result, durationMs } = event.data;
  const index = items.findLastIndex((item) => item.kind === "tool" && item.id === callId);
  const state = /** @type {ToolItem["state"]} */ (unknown ? "unknown" : ok ? "ok" : "failed");
  const base =
    index >= 0
      ? /** @type {ToolItem} */ (items[index])
      : toolItem({ ...event, data: { callId, name, label: name, args: "", step: 0 } });
  const item = { ...base, state, summary: summary ?? "", result: result ?? "", durationMs: durationMs ?? 0 };
  return index >= 0 ? items.with(index, item) : [...items, item];
}

/**
 * @param {any} data
 * @param {PlanItem["decision"]} decision
 * @returns {PlanItem}
 */
function planItem(data, decision) {
  return {
    kind: "plan",
    id: data.planId,
    plan: { risks: [], markdown: "", expiresAt: 0, ...data },
    decision,
  };
}

/**
 * @param {CardData} data
 * @param {number} at
 * @returns {CardItem}
 */
function cardItem(data, at) {
  // One that an older version stored knows less.
  const blank = { origin: "", ask: "", params: {}, warnings: [], details: [], fields: [] };
  const card = { ...blank, ...data };
  return { kind: "card", id: data.cardId, card, answer: "", text: "", source: "user", askedAt: at };
}

/**
 * @param {Item[]} items
 * @param {RunEvent} event
 * @returns {Item[]}
 */
function addError(items, event) {
  const { code, message, detail, retryable } = event.data;
  const twice = items.some((item) => item.kind === "error" && item.code === code && item.message === message);
  if (twice) return items;
  return [
    ...settleText(items),
    {
      kind: "error",
      id: `e${event.seq}`,
      code,
      message,
      detail: detail ?? "",
      retryable: retryable !== false,
    },
  ];
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

/**
 * Nothing of a finished run may look as if it went on.
 *
 * @param {Item[]} items
 * @returns {Item[]}
 */
function closeItems(items) {
  return items.map((item) => {
    if (item.kind === "text" && item.streaming) return { ...item, streaming: false };
    if (item.kind === "tool" && item.state === "running") return { ...item, state: "unknown" };
    if (item.kind === "card" && item.answer === "") return { ...item, answer: "cancelled" };
    if (item.kind === "plan" && item.decision === "") return { ...item, decision: "withdrawn" };
    return item;
  });
}
