// Chrome's service worker, woken by an event: it listens at once, hands the event on, and makes nothing.

import assert from "node:assert/strict";
import { test } from "node:test";
import { listeners, namespaces } from "./namespaces.fake.mjs";

/** @type {any[]} */
const made = [];
/** @type {any[]} */
const messages = [];

const chrome = namespaces();
chrome.runtime.sendMessage = async (/** @type {any} */ message) => {
  messages.push(message);
  throw new Error("Could not establish connection. Receiving end does not exist.");
};
chrome.runtime.getContexts = async () => [];
chrome.offscreen.createDocument = async (/** @type {any} */ what) => made.push(what);
/** @type {any} */ (globalThis).chrome = chrome;

const loading = import("../../../js/background/background.js");

test("listeners are there when the script has run, which is when the browser looks", async () => {
  await loading;
  for (const name of [
    "tabs.onRemoved",
    "webNavigation.onCreatedNavigationTarget",
    "webNavigation.onCommitted",
    "downloads.onCreated",
    "downloads.onChanged",
    "storage.onChanged",
    "debugger.onEvent",
    "debugger.onDetach",
    "runtime.onMessage",
  ])
    assert.equal(listeners[name]?.length, 1, name);
});

test("an event without a supervisor page is lost, and makes none", async () => {
  await loading;
  messages.length = 0;
  for (const listener of listeners["tabs.onRemoved"]) listener(7);
  for (const listener of listeners["debugger.onDetach"]) listener({ tabId: 7 }, "canceled_by_user");
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.deepEqual(
    messages.map(({ target, method, params }) => [target, method, params.kind]),
    [
      ["host", "browser_event", "tab_removed"],
      ["host", "browser_event", "debugger_detached"],
    ],
  );
  assert.deepEqual(made, []);
});

test("a screen that asks for the supervisor page does have it made", async () => {
  await loading;
  const sender = { id: "me", url: "x://me/sidepanel.html" };
  chrome.runtime.id = "me";
  chrome.runtime.getURL = (/** @type {string} */ path) => `x://me/${path}`;
  chrome.runtime.sendMessage = async () => true;
  const answer = await new Promise((resolve) => {
    for (const listener of listeners["runtime.onMessage"])
      listener({ target: "background", action: "ensure_host" }, sender, resolve);
  });
  assert.deepEqual(answer, { ok: true });
  assert.equal(made.length, 1);
});
