// The executor against a browser that is an object.

import assert from "node:assert/strict";
import { test } from "node:test";
import { execute } from "../../../js/bridge/executor.js";

/** @param {string} method @param {any} params @param {any} api */
async function run(method, params, api, browser = "chrome", deadline = Date.now() + 5_000) {
  return execute(api, browser, {
    target: "executor",
    epoch: 2,
    kind: "call",
    id: "p1",
    method,
    params,
    deadline,
  });
}

/** @param {any} value */
const tabs = (value) => ({ tabs: { get: async () => value } });

/** @param {string} message */
const failing = (message) => ({ tabs: { get: () => Promise.reject(new Error(message)) } });

test("an answer carries id and epoch, and only the fields of the row", async () => {
  const frame = await run(
    "tabs.get",
    { tabId: 1 },
    tabs({ id: 1, url: "https://x/", favIconUrl: "data:secret" }),
  );
  assert.deepEqual(frame, {
    target: "python",
    epoch: 2,
    kind: "reply",
    id: "p1",
    result: { id: 1, url: "https://x/" },
  });
});

test("arguments go by position, and an absent last one is not passed", async () => {
  /** @type {any[]} */
  let given = [];
  const api = { tabs: { update: async (/** @type {any[]} */ ...args) => (given = args) } };
  await run("tabs.update", { tabId: 7, updateProperties: { url: "https://x/" } }, api);
  assert.deepEqual(given, [7, { url: "https://x/" }]);
});

test("the method is called on its owner", async () => {
  const local = {
    values: { a: 1 },
    /** @this {any} */
    async get() {
      return this.values;
    },
  };
  const frame = await run("storage.local.get", { keys: null }, { storage: { local } });
  assert.deepEqual(frame.result, { a: 1 });
});

for (const method of ["cookies.getAll", "constructor", "__proto__", "", "tabs"]) {
  test(`there is no row ${JSON.stringify(method)}`, async () => {
    assert.equal((await run(method, {}, { cookies: { getAll: async () => [] } })).error?.code, "not_allowed");
  });
}

test("a row of another browser does not exist", async () => {
  assert.equal((await run("tabs.get", { tabId: 1 }, tabs({}), "safari")).error?.code, "not_allowed");
});

test("an API the browser does not have is no crash", async () => {
  assert.equal((await run("tabs.get", { tabId: 1 }, {})).error?.code, "not_allowed");
});

/** @type {[string, any][]} what a Worker that went astray might ask */
const REFUSED = [
  ["tabs.get", { tabId: "1" }],
  ["tabs.update", { tabId: 1, updateProperties: { url: "javascript:alert(1)" } }],
  ["tabs.update", { tabId: 1, updateProperties: { url: "file:///etc/passwd" } }],
  ["tabs.update", { tabId: 1, updateProperties: { url: "https://x/", pinned: true } }],
  ["tabs.create", { createProperties: { url: "chrome://settings", active: true } }],
  [
    "tabs.sendMessage",
    { tabId: 1, message: { target: "background", action: "x", args: {} }, options: { frameId: 0 } },
  ],
  [
    "scripting.executeScript",
    { injection: { target: { tabId: 1, frameIds: [0] }, files: ["js/host.js"], injectImmediately: true } },
  ],
  [
    "scripting.executeScript",
    {
      injection: {
        target: { tabId: 1, frameIds: [0] },
        files: ["js/content.js"],
        injectImmediately: true,
        world: "MAIN",
      },
    },
  ],
  ["tabs.query", { queryInfo: {} }],
  ["debugger.sendCommand", { target: { tabId: 1 }, method: "Runtime.evaluate", commandParams: {} }],
  ["debugger.sendCommand", { target: { tabId: 1 }, method: "Page.navigate", commandParams: {} }],
  [
    "debugger.sendCommand",
    { target: { tabId: 1 }, method: "Page.enable", commandParams: { expression: "1" } },
  ],
  ["debugger.attach", { target: { extensionId: "x" }, requiredVersion: "1.3" }],
  [
    "downloads.download",
    { options: { url: "file:///etc/passwd", conflictAction: "uniquify", saveAs: false } },
  ],
  [
    "downloads.download",
    { options: { url: "blob:https://a.example/1", conflictAction: "uniquify", saveAs: false } },
  ],
  ...["../x", "/etc/x", "a/../../x", "C:\\x", ""].map(
    (filename) =>
      /** @type {[string, any]} */ ([
        "downloads.download",
        { options: { url: "https://a.example/", filename, conflictAction: "uniquify", saveAs: false } },
      ]),
  ),
  [
    "downloads.download",
    { options: { url: "https://a.example/", conflictAction: "overwrite", saveAs: false } },
  ],
];

for (const [method, params] of REFUSED) {
  test(`refused: ${method} ${JSON.stringify(params).slice(0, 90)}`, async () => {
    const api = new Proxy({}, { get: () => assert.fail("the browser was called") });
    assert.equal((await run(method, params, api)).error?.code, "bad_params");
  });
}

/** @type {[string, string][]} what Chromium 156 and Firefox 153 say */
const MEANINGS = [
  ["No tab with id: 99999.", "no_tab"],
  ["Invalid tab ID: 99999", "no_tab"],
  ["No tab with given id 99999.", "no_tab"],
  ["No window with id: 3.", "no_window"],
  ["No frame with id 7 in tab with id: 1", "no_frame"],
  ["Invalid frame IDs: [7]", "no_frame"],
  ["Another debugger is already attached to the tab with id: 1.", "debugger_attached"],
  ["Debugger is not attached to the tab with id: 1.", "debugger_detached"],
  ["Detached while handling command.", "debugger_detached"],
  ['{"code":-32602,"message":"No dialog is showing"}', "no_dialog"],
  ["Failed to capture tab: image readback failed", "not_visible"],
  ["Could not establish connection. Receiving end does not exist.", "no_receiver"],
  [
    "A listener indicated an asynchronous response by returning true, but the message channel closed before a response was received",
    "page_gone",
  ],
  ["The message port closed before a response was received.", "page_gone"],
  [
    "The page keeping the extension port is moved into back/forward cache, so the message channel is closed.",
    "page_gone",
  ],
  ["Frame with ID 0 was removed.", "page_gone"],
  ["Cannot access a chrome:// URL", "restricted_page"],
  [
    "Cannot access contents of the page. Extension manifest must request permission to access the respective host.",
    "restricted_page",
  ],
  ["The extensions gallery cannot be scripted.", "restricted_page"],
  ["Frame with ID 0 is showing error page", "restricted_page"],
  ["Missing host permission for the tab", "restricted_page"],
  ["Cannot find a next page in history.", "no_history"],
  ["Something new.", "api_error"],
];

for (const [said, code] of MEANINGS) {
  test(`"${said}" means ${code}`, async () => {
    assert.equal((await run("tabs.get", { tabId: 1 }, failing(said))).error?.code, code);
  });
}

test("an API that throws at once is an error frame too", async () => {
  const api = {
    tabs: {
      get: () => {
        throw new TypeError("Bad arguments.");
      },
    },
  };
  assert.equal((await run("tabs.get", { tabId: 1 }, api)).error?.code, "api_error");
});

test("a silent API ends at the deadline", async () => {
  const api = { tabs: { get: () => new Promise(() => {}) } };
  assert.equal((await run("tabs.get", { tabId: 1 }, api, "chrome", Date.now() + 20)).error?.code, "timeout");
});

test("too large an answer is refused", async () => {
  const api = { tabs: { sendMessage: async () => ({ text: "x".repeat(4_100_000) }) } };
  const message = { target: "content", action: "tree", args: {} };
  const frame = await run("tabs.sendMessage", { tabId: 1, message, options: { frameId: 0 } }, api);
  assert.equal(frame.error?.code, "too_large");
});
