import assert from "node:assert/strict";
import { test } from "node:test";
import {
  answerText,
  emptyConversation,
  fromEvents,
  openCard,
  reduce,
  runningTurn,
} from "../../js/ui/conversation.js";

/** Writes the events of one conversation. */
function script() {
  let seq = 0;
  /** @type {import("../../js/ui/types.js").RunEvent[]} */
  const events = [];
  const add = (/** @type {string} */ type, /** @type {any} */ data, runId = "r1") => {
    seq += 1;
    const base = { tabId: 1, conversationId: "c", runId, requestId: `q-${runId}`, seq, at: 1000 * seq };
    events.push({ ...base, type, data });
    return events;
  };
  return { add, events };
}

const ASKED = { text: "hi", mode: "ask", continued: false };

test("a run becomes one turn with its parts in order", () => {
  const { add, events } = script();
  add("user_message", { text: "buy it", mode: "act", continued: false });
  add("thinking", { step: 1, note: "" });
  add("text", { content: "Looking.", replace: true, final: false });
  add("tool_call", { callId: "a", name: "click_ax", label: "Click “Buy”", args: "{}", step: 1 });
  add("tool_result", {
    callId: "a",
    name: "click_ax",
    ok: true,
    summary: "",
    result: "{}",
    durationMs: 5,
    unknown: false,
  });
  add("run_complete", { status: "completed", outcome: "success", steps: 1, durationMs: 900 });
  const { turns } = fromEvents("c", events);
  assert.equal(turns.length, 1);
  assert.deepEqual(
    turns[0].items.map((item) => item.kind),
    ["text", "tool"],
  );
  assert.equal(turns[0].question, "buy it");
  assert.equal(turns[0].mode, "act");
  assert.equal(turns[0].status, "completed");
  assert.equal(turns[0].durationMs, 900);
  assert.equal(/** @type {any} */ (turns[0].items[1]).state, "ok");
});

test("one by one and all at once give the same picture, and events are never changed", () => {
  const { add, events } = script();
  add("user_message", ASKED);
  add("thinking", { step: 1, note: "" });
  add("text_delta", { delta: "a" });
  add("text_delta", { delta: "b" });
  add("error", { code: "stalled", message: "m", detail: "", retryable: true });
  add("run_complete", { status: "failed", outcome: "", steps: 1, durationMs: 1 });
  const frozen = JSON.stringify(events);
  let one = emptyConversation("c");
  const seen = [];
  for (const event of events) {
    const before = JSON.stringify(one);
    const next = reduce(one, event);
    assert.equal(JSON.stringify(one), before);
    seen.push(next);
    one = next;
  }
  assert.deepEqual(one, fromEvents("c", events));
  assert.equal(JSON.stringify(events), frozen);
});

test("an event that was seen, or that belongs elsewhere, changes nothing", () => {
  const { add, events } = script();
  add("user_message", ASKED);
  add("text_delta", { delta: "once" });
  const conversation = fromEvents("c", events);
  assert.equal(reduce(conversation, events[1]), conversation);
  assert.equal(reduce(conversation, events[0]), conversation);
  assert.equal(reduce(conversation, { ...events[1], seq: 9, conversationId: "other" }), conversation);
});

test("a missing event is noticed in a live conversation, not in one that was handed over", () => {
  const { add, events } = script();
  add("user_message", ASKED);
  add("text_delta", { delta: "a" });
  add("text_delta", { delta: "b" });
  add("text_delta", { delta: "c" });
  assert.equal(reduce(fromEvents("c", events.slice(0, 2)), events[3]).gap, true);
  assert.equal(reduce(fromEvents("c", events.slice(0, 3)), events[3]).gap, false);
  const joined = { ...events[2], data: { delta: "ab" } };
  const handed = fromEvents("c", [events[0], joined]);
  assert.equal(handed.gap, false);
  assert.equal(reduce(handed, events[3]).gap, false);
  assert.equal(/** @type {any} */ (reduce(handed, events[3]).turns[0].items[0]).content, "abc");
});

test("a history cut at its beginning still makes turns", () => {
  const { add, events } = script();
  add("user_message", ASKED);
  add("text_delta", { delta: "a" });
  const late = fromEvents("c", events.slice(1));
  assert.equal(late.turns.length, 1);
  assert.equal(late.turns[0].question, "");
});

test("whole text takes the place of what was streamed in the same step only", () => {
  const { add, events } = script();
  add("user_message", ASKED);
  add("thinking", { step: 1, note: "" });
  add("text_delta", { delta: "half a sen" });
  add("text", { content: "A whole sentence.", replace: true, final: false });
  add("thinking", { step: 2, note: "" });
  add("text_delta", { delta: "Second" });
  assert.deepEqual(
    fromEvents("c", events).turns[0].items.map((i) => /** @type {any} */ (i).content),
    ["A whole sentence.", "Second"],
  );
});

test("an empty whole text clears a stream that went wrong", () => {
  const { add, events } = script();
  add("user_message", ASKED);
  add("thinking", { step: 1, note: "" });
  add("text_delta", { delta: "<tool_call>" });
  add("text", { content: "", replace: true, final: false });
  assert.deepEqual(fromEvents("c", events).turns[0].items, []);
});

test("nothing of a finished run looks as if it went on", () => {
  const { add, events } = script();
  add("user_message", ASKED);
  add("thinking", { step: 1, note: "" });
  add("text_delta", { delta: "wri" });
  add("tool_call", { callId: "a", name: "click_ax", label: "Click", args: "{}", step: 1 });
  add("clarify", {
    cardId: "k",
    kind: "clarify",
    title: "t",
    question: "q",
    host: "",
    fields: [],
    options: [],
  });
  add("run_complete", { status: "interrupted", outcome: "", steps: 1, durationMs: 0 });
  const [turn] = fromEvents("c", events).turns;
  assert.equal(turn.thinking, false);
  assert.equal(/** @type {any} */ (turn.items[0]).streaming, false);
  assert.equal(/** @type {any} */ (turn.items[1]).state, "unknown");
  assert.equal(/** @type {any} */ (turn.items[2]).answer, "cancelled");
  assert.equal(openCard(turn), undefined);
  assert.equal(turn.durationMs, 5000, "measured by the events when the run could not say");
});

test("a tool's outcome can be unknown, and a result without its call is still shown", () => {
  const { add, events } = script();
  add("user_message", ASKED);
  add("tool_result", {
    callId: "z",
    name: "navigate",
    ok: false,
    summary: "s",
    result: "",
    durationMs: 3,
    unknown: true,
  });
  const item = /** @type {any} */ (fromEvents("c", events).turns[0].items[0]);
  assert.equal(item.state, "unknown");
  assert.equal(item.label, "navigate");
});

test("a card is open until it is answered", () => {
  const { add, events } = script();
  add("user_message", ASKED);
  add("clarify", {
    cardId: "k",
    kind: "submit",
    title: "t",
    question: "q",
    host: "h",
    options: [{ id: "once" }],
  });
  const waiting = fromEvents("c", events);
  assert.equal(openCard(waiting.turns[0])?.id, "k");
  assert.deepEqual(openCard(waiting.turns[0])?.card.fields, []);
  add("card_resolved", { cardId: "k", answer: "once" });
  assert.equal(openCard(fromEvents("c", events).turns[0]), undefined);
});

test("the same error is shown once per run", () => {
  const { add, events } = script();
  add("user_message", ASKED);
  for (const _ of [1, 2]) add("error", { code: "stalled", message: "m", detail: "", retryable: true });
  assert.equal(fromEvents("c", events).turns[0].items.length, 1);
});

test("only the last turn can be running", () => {
  const { add, events } = script();
  add("user_message", ASKED, "r1");
  assert.equal(runningTurn(fromEvents("c", events))?.id, "r1");
  add("run_complete", { status: "stopped", outcome: "", steps: 0, durationMs: 0 }, "r1");
  assert.equal(runningTurn(fromEvents("c", events)), undefined);
  add("user_message", { ...ASKED, text: "", continued: true }, "r2");
  const both = fromEvents("c", events);
  assert.equal(runningTurn(both)?.id, "r2");
  assert.equal(both.turns[1].continued, true);
});

test("an event type from a newer version is passed over", () => {
  const { add, events } = script();
  add("user_message", ASKED);
  add("context_compacted", { kept: 3 });
  add("text", { content: "x", replace: true, final: true });
  const conversation = fromEvents("c", events);
  assert.equal(conversation.gap, false);
  assert.equal(answerText(conversation.turns[0]), "x");
});

test("the answer is what was said after the last step; without any, all that was said", () => {
  const { add, events } = script();
  add("user_message", { text: "buy it", mode: "act", continued: false });
  add("thinking", { step: 1, note: "" });
  add("text", { content: "I'll look first.", replace: true, final: false });
  add("tool_call", { callId: "a", name: "click_ax", label: "Click", args: "{}", step: 1 });
  add("tool_result", { callId: "a", name: "click_ax", ok: true, result: "{}", durationMs: 5 });
  assert.equal(answerText(fromEvents("c", events).turns[0]), "I'll look first.");
  add("thinking", { step: 2, note: "" });
  add("text", { content: "Bought.", replace: true, final: true });
  assert.equal(answerText(fromEvents("c", events).turns[0]), "Bought.");
});

test("a picture belongs to the step before it, the first one to none", () => {
  const { add, events } = script();
  const picture = (/** @type {string} */ pictureId, /** @type {string} */ reason) =>
    add("picture", { pictureId, reason, width: 10, height: 7, description: "" });
  add("user_message", { text: "buy it", mode: "act", continued: false });
  picture("p1", "first");
  add("thinking", { step: 1, note: "" });
  add("tool_call", { callId: "a", name: "click_ax", label: "Click", args: "{}", step: 1 });
  add("tool_result", { callId: "a", name: "click_ax", ok: true, result: "{}", durationMs: 5 });
  picture("p2", "auto");
  add("tool_call", { callId: "b", name: "inspect_viewport", label: "Look", args: "{}", step: 2 });
  picture("p3", "asked");
  add("tool_result", { callId: "b", name: "inspect_viewport", ok: true, result: "{}", durationMs: 5 });
  picture("p4", "auto");
  const items = fromEvents("c", events).turns[0].items;
  assert.deepEqual(
    items.map((item) => item.kind),
    ["picture", "tool", "tool"],
  );
  const ids = items.map((item) =>
    item.kind === "picture" ? [item.picture.id] : item.kind === "tool" ? item.pictures.map((p) => p.id) : [],
  );
  assert.deepEqual(ids, [["p1"], ["p2"], ["p3", "p4"]]);
  const state = items[2].kind === "tool" && items[2].state;
  assert.equal(state, "ok");
});

test("a warning keeps the tabs it speaks of", () => {
  const { add, events } = script();
  add("user_message", ASKED);
  add("warning", { code: "tabs_left_open", message: "m", tabs: [{ tabId: 4, url: "https://a.example/" }] });
  add("warning", { code: "other", message: "m" });
  const [left, other] = fromEvents("c", events).turns[0].items;
  assert.deepEqual(left.kind === "warning" && left.tabs, [{ tabId: 4, url: "https://a.example/" }]);
  assert.deepEqual(other.kind === "warning" && other.tabs, []);
});

test("a wait lasts until the next event, whatever that is", () => {
  const { add, events } = script();
  add("user_message", ASKED);
  add("thinking", { step: 1, note: "" });
  add("waiting", { code: "rate_limited", message: "Slow.", seconds: 9, until: 12_000, attempt: 1 });
  const waiting = fromEvents("c", events);
  assert.deepEqual(waiting.turns[0].waiting, {
    code: "rate_limited",
    message: "Slow.",
    seconds: 9,
    until: 12_000,
    attempt: 1,
  });
  assert.equal(waiting.turns[0].thinking, false);
  for (const [type, data] of /** @type {[string, any][]} */ ([
    ["text", { content: "a", replace: true, final: false }],
    ["tool_call", { callId: "a", name: "x", label: "", args: "{}", step: 1 }],
    ["error", { code: "rate_limited", message: "m", detail: "", retryable: true }],
    ["run_complete", { status: "stopped", outcome: "", steps: 1, durationMs: 1 }],
  ])) {
    const next = { ...events[0], seq: 4, type, data };
    assert.equal(reduce(waiting, next).turns[0].waiting, null, type);
  }
});

test("the end of a run says what it took, and an older one nothing", () => {
  const { add, events } = script();
  add("user_message", ASKED);
  add("run_complete", { status: "completed", promptTokens: 900, completionTokens: 20, costUsd: 0.5 });
  add("user_message", ASKED, "r2");
  add("run_complete", { status: "completed", outcome: "", steps: 1, durationMs: 1 }, "r2");
  const [first, second] = fromEvents("c", events).turns;
  assert.deepEqual(first.usage, {
    promptTokens: 900,
    cachedTokens: 0,
    completionTokens: 20,
    tokensEstimated: false,
    costUsd: 0.5,
    costEstimated: false,
    conversationCostUsd: null,
  });
  assert.equal(second.usage, null);
});

test("rows of a list come one by one, a Continue goes on with them, and a new task begins its own", () => {
  const { add, events } = script();
  const row = (/** @type {string} */ id, /** @type {string} */ status) => ({
    id,
    label: id,
    status,
    reason: "",
  });
  const shown = () => {
    const turn = fromEvents("c", events).turns.at(-1);
    return turn?.progress.rows.map((one) => `${one.id} ${one.status}`);
  };
  add("user_message", ASKED);
  add("progress", { session: "1", rows: [row("a", "pending"), row("b", "pending")] });
  add("progress", { session: "1", rows: [row("a", "processed")] });
  assert.deepEqual(shown(), ["a processed", "b pending"]);
  add("user_message", { ...ASKED, text: "", continued: true }, "r2");
  assert.deepEqual(shown(), ["a processed", "b pending"]);
  add("progress", { session: "1", rows: [row("b", "failed")] }, "r2");
  assert.deepEqual(shown(), ["a processed", "b failed"]);
  add("progress", { session: "2", rows: [row("c", "acted")] }, "r2");
  assert.deepEqual(shown(), ["c acted"], "another list");
  add("user_message", ASKED, "r3");
  assert.deepEqual(shown(), []);
});

test("what was not done stands with the answer, and with nothing else", () => {
  const { add, events } = script();
  const undone = [{ label: "Bo", status: "failed", reason: "private", count: 0 }];
  add("user_message", ASKED);
  add("thinking", { step: 1, note: "" });
  add("text", { content: "Two of three.", replace: true, final: true, undone });
  const [turn] = fromEvents("c", events).turns;
  assert.deepEqual(/** @type {any} */ (turn.items[0]).undone, undone);
  assert.equal(answerText(turn), "Two of three.");
});
