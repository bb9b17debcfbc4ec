// What is heard of content scripts: two messages, and of nobody else not even those.

import assert from "node:assert/strict";
import { test } from "node:test";
import { contentVoice } from "../../../js/bridge/contentvoice.js";

const runtime = { id: "me", getURL: (/** @type {string} */ path) => `chrome-extension://me/${path}` };
const page = { id: "me", url: "https://shop.example/", tab: { id: 7 }, frameId: 0 };
const stop = { target: "background", action: "content_stop" };
const prefill = { target: "background", action: "content_prefill", text: "Summarise this" };

test("a content script of the page itself may stop and prefill", () => {
  assert.deepEqual(contentVoice(stop, page, runtime), { action: "stop", tabId: 7 });
  assert.deepEqual(contentVoice(prefill, page, runtime), {
    action: "prefill",
    tabId: 7,
    text: "Summarise this",
  });
});

test("the tab is the sender's, whatever the message says", () => {
  assert.equal(contentVoice({ ...stop, tabId: 1 }, page, runtime)?.tabId, 7);
});

test("nobody else is heard", () => {
  const strangers = [
    undefined,
    { ...page, id: "other" },
    { ...page, id: undefined },
    { ...page, tab: undefined },
    { ...page, tab: { id: "7" } },
    { ...page, frameId: 4 },
    { ...page, frameId: undefined },
    { ...page, url: "chrome-extension://me/settings.html" },
  ];
  for (const sender of strangers) {
    assert.equal(contentVoice(stop, /** @type {any} */ (sender), runtime), null);
    assert.equal(contentVoice(prefill, /** @type {any} */ (sender), runtime), null);
  }
});

test("nothing else is heard", () => {
  const others = [
    null,
    "content_stop",
    {},
    { action: "content_stop" },
    { target: "host", action: "content_stop" },
    { target: "background", action: "chat_start", text: "x", tabId: 7 },
    { target: "background", action: "abort", tabId: 7 },
    { target: "background", action: "clarify_response", tabId: 7 },
    { target: "background", action: "ensure_host" },
    { ...prefill, text: 7 },
    { ...prefill, text: "" },
    { ...prefill, text: "\u202e\u200b" },
  ];
  for (const message of others) assert.equal(contentVoice(message, page, runtime), null);
});

test("what is put into the composer is bounded and holds no unseen characters", () => {
  const said = contentVoice({ ...prefill, text: `a\u202eb\0c\n${"x".repeat(9_000)}` }, page, runtime);
  assert.equal(said?.action, "prefill");
  const text = said?.action === "prefill" ? said.text : "";
  assert.ok(text.startsWith("abc\nxxx"));
  assert.ok(text.length <= 4_000);
});
