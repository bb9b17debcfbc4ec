/**
 * What a turn consists of, one item below the other: texts, steps, questions, notes. All of it is pure: items and an
 * event in, items out.
 *
 * @typedef {import("./types.js").RunEvent} RunEvent
 * @typedef {import("./types.js").CardData} CardData
 *
 * @typedef {{kind: "text", id: string, step: number, content: string, streaming: boolean, undone?: Undone[]}} TextItem
 * @typedef {{label: string, status: "pending" | "acted" | "skipped" | "failed" | "unknown" | "more", reason: string,
 *   count: number}} Undone something of the task that is not done; `more` stands for `count` others
 * @typedef {{kind: "tool", id: string, name: string, label: string, args: string, step: number, startedAt: number,
 *   state: "running" | "ok" | "failed" | "unknown", summary: string, result: string, durationMs: number,
 *   pictures: Picture[]}} ToolItem
 * @typedef {{id: string, reason: "first" | "auto" | "fallback" | "asked", width: number, height: number,
 *   description: string}} Picture a picture of the page; the picture itself is fetched by its id
 * @typedef {{kind: "picture", id: string, picture: Picture}} PictureItem one that no step led to
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
 */

/**
 * @param {{items: Item[], step: number}} turn
 * @param {RunEvent} event
 * @param {string} text
 * @param {"delta" | "append" | "replace"} how
 * @returns {Item[]}
 */
export function writeText(turn, event, text, how) {
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
export function withUndone(items, undone) {
  const last = items.at(-1);
  return undone?.length && last?.kind === "text" ? [...items.slice(0, -1), { ...last, undone }] : items;
}

/**
 * @param {Item[]} items
 * @returns {Item[]}
 */
export function settleText(items) {
  const last = items.at(-1);
  if (last?.kind !== "text" || !last.streaming) return items;
  return [...items.slice(0, -1), { ...last, streaming: false }];
}

/**
 * @param {RunEvent} event
 * @returns {ToolItem}
 */
export function toolItem(event) {
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
export function addPicture(items, event) {
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
export function finishTool(items, event) {
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
export function planItem(data, decision) {
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
export function cardItem(data, at) {
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
export function addError(items, event) {
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
 * Nothing of a finished run may look as if it went on.
 *
 * @param {Item[]} items
 * @returns {Item[]}
 */
export function closeItems(items) {
  return items.map((item) => {
    if (item.kind === "text" && item.streaming) return { ...item, streaming: false };
    if (item.kind === "tool" && item.state === "running") return { ...item, state: "unknown" };
    if (item.kind === "card" && item.answer === "") return { ...item, answer: "cancelled" };
    if (item.kind === "plan" && item.decision === "") return { ...item, decision: "withdrawn" };
    return item;
  });
}
