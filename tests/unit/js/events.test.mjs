// What is heard of the browser, and how little of it is told on.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { hearEvents, hearSettings, reduced } from "../../../js/bridge/events.js";

/** A browser whose events the test fires. @param {string[]} without Namespaces it does not have. */
function browser(...without) {
  /** @type {Record<string, any>} */
  const listeners = {};
  const space = (/** @type {string} */ name) =>
    new Proxy(
      {},
      {
        get: (_, event) => ({
          addListener: (/** @type {any} */ listener) => {
            listeners[`${name}.${String(event)}`] = listener;
          },
        }),
      },
    );
  /** @type {any} */
  const api = Object.fromEntries(
    ["tabs", "webNavigation", "downloads", "debugger"]
      .filter((name) => !without.includes(name))
      .map((name) => [name, space(name)]),
  );
  /** @type {any[]} */
  const told = [];
  hearEvents(api, (event) => told.push(event));
  return {
    told,
    listeners,
    fire: (/** @type {string} */ name, /** @type {any[]} */ ...args) => listeners[name](...args),
  };
}

test("all listeners are there at once, and none for what a browser lacks", () => {
  assert.ok(browser().listeners["debugger.onEvent"]);
  assert.equal(browser("debugger").listeners["debugger.onEvent"], undefined);
});

test("a new tab names the tab whose page opened it", () => {
  const { told, fire, listeners } = browser();
  fire("webNavigation.onCreatedNavigationTarget", {
    sourceTabId: 1,
    sourceFrameId: 4,
    tabId: 6,
    url: "https://b.example/",
  });
  assert.deepEqual(told, [{ kind: "tab_opened", tabId: 1, data: { tabId: 6, url: "https://b.example/" } }]);
  assert.equal(listeners["tabs.onCreated"], undefined, "what it says of openers is not true");
});

test("the page itself navigates in all its phases", () => {
  const { told, fire } = browser();
  fire("webNavigation.onCommitted", { tabId: 1, frameId: 0, url: `https://a.example/${"x".repeat(9_000)}` });
  fire("webNavigation.onHistoryStateUpdated", { tabId: 1, frameId: 0, url: "https://a.example/#2" });
  assert.deepEqual(
    told.map(({ data }) => data.phase),
    ["committed", "same_document"],
  );
  assert.equal(told[0].data.url.length, 2_000);
});

test("of a frame only the new document is told", () => {
  const { told, fire } = browser();
  for (const name of ["onBeforeNavigate", "onCommitted", "onCompleted", "onHistoryStateUpdated"])
    fire(`webNavigation.${name}`, { tabId: 1, frameId: 7, url: "https://ad.example/" });
  assert.deepEqual(told, [
    { kind: "frame_navigation", tabId: 1, data: { frameId: 7, url: "https://ad.example/" } },
  ]);
});

test("a page full of frames floods nobody", (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: 5_000 });
  const { told, fire } = browser();
  const frames = (/** @type {number} */ tabId) => {
    for (let frameId = 1; frameId <= 300; frameId++)
      fire("webNavigation.onCommitted", { tabId, frameId, url: "about:srcdoc" });
  };
  frames(1);
  assert.equal(told.length, 50);
  frames(2);
  assert.equal(told.length, 100, "every tab has its own");
  t.mock.timers.tick(1_000);
  frames(1);
  assert.equal(told.length, 150, "and every second anew");
});

test("a download is told when it begins and when its state changes", () => {
  const { told, fire } = browser();
  fire("downloads.onCreated", {
    id: 3,
    url: "https://a.example/f",
    filename: "/home/u/f",
    referrer: "secret",
  });
  fire("downloads.onChanged", { id: 3, filename: { current: "/home/u/g" } });
  fire("downloads.onChanged", { id: 3, state: { previous: "in_progress", current: "complete" } });
  assert.deepEqual(told, [
    {
      kind: "download_created",
      tabId: -1,
      data: { id: 3, url: "https://a.example/f", filename: "/home/u/f" },
    },
    { kind: "download_changed", tabId: -1, data: { id: 3, state: "complete" } },
  ]);
});

/** @param {string} method @param {string} [type] */
const request = (method, type = "Fetch") => ({
  requestId: "9.1",
  type,
  documentURL: "https://a.example/",
  request: { method, url: "https://a.example/pay", headers: { cookie: "secret" }, postData: "card=4111" },
});

test("of requests only those that change something are told, without what they carry", () => {
  for (const method of ["GET", "HEAD", "OPTIONS"])
    assert.equal(reduced("Network.requestWillBeSent", request(method)), null);
  for (const method of ["POST", "PUT", "PATCH", "DELETE"])
    assert.deepEqual(reduced("Network.requestWillBeSent", request(method, "Ping")), {
      requestId: "9.1",
      type: "Ping",
      method,
      url: "https://a.example/pay",
    });
});

test("a page that sends thousands of requests floods nobody, nor keeps those of another from being told", () => {
  mock.timers.enable({ apis: ["Date"], now: 10_000 });
  try {
    const { told, fire } = browser();
    const flood = () => {
      for (let n = 0; n < 5_000; n++)
        fire("debugger.onEvent", { tabId: 1 }, "Network.requestWillBeSent", request("POST"));
    };
    flood();
    assert.equal(told.length, 30);
    fire("debugger.onEvent", { tabId: 2 }, "Network.requestWillBeSent", request("POST"));
    fire("debugger.onEvent", { tabId: 1 }, "Page.javascriptDialogClosed", { result: true });
    assert.deepEqual(
      told.slice(30).map(({ tabId }) => tabId),
      [2, 1],
    );
    mock.timers.tick(1_000);
    flood();
    assert.equal(told.length, 62);
  } finally {
    mock.timers.reset();
  }
});

test("a drag is told as it can be sent back", () => {
  const item = { mimeType: "text/plain", data: "x", title: "" };
  assert.deepEqual(
    reduced("Input.dragIntercepted", { data: { items: [item], files: [], dragOperationsMask: 1 } }),
    { data: { items: [{ mimeType: "text/plain", data: "x" }], dragOperationsMask: 1 } },
  );
});

test("of the debugger only what the table lists is told", () => {
  const { told, fire } = browser();
  fire("debugger.onEvent", { tabId: 1 }, "Network.responseReceived", { response: {} });
  fire("debugger.onEvent", { tabId: 1 }, "toString", {});
  fire("debugger.onEvent", { targetId: "T" }, "Page.javascriptDialogOpening", {
    type: "alert",
    message: "x",
  });
  fire("debugger.onEvent", { tabId: 1 }, "Page.javascriptDialogOpening", {
    type: "prompt",
    message: "m".repeat(9_000),
    defaultPrompt: "d",
    url: "https://a.example/",
  });
  fire("debugger.onDetach", { tabId: 1 }, "canceled_by_user");
  assert.deepEqual(
    told.map(({ kind, tabId }) => [kind, tabId]),
    [
      ["cdp", 1],
      ["debugger_detached", 1],
    ],
  );
  assert.equal(told[0].data.params.message.length, 5_000);
  assert.equal(told[0].data.params.defaultPrompt, "d");
});

test("settings that are written are told of, those of other areas are not", () => {
  /** @type {any} */
  let fire;
  /** @type {any[]} */
  const told = [];
  const api = { storage: { onChanged: { addListener: (/** @type {any} */ listener) => (fire = listener) } } };
  hearSettings(api, (event) => told.push(event));
  fire({ a: { oldValue: 1, newValue: [2] }, gone: { oldValue: 1 } }, "local");
  fire({ b: { newValue: 3 } }, "session");
  assert.deepEqual(told, [{ kind: "settings_changed", tabId: -1, data: { a: [2], gone: null } }]);
});
