// What is kept of pages' requests, how little of it is told, and how one is sent again.

import assert from "node:assert/strict";
import { test } from "node:test";
import { hearEvents } from "../../../js/bridge/events.js";
import { BODY_CHARS, MASK, Requests, seenOf, shownAddress } from "../../../js/bridge/requests.js";

const TOKEN = "a1b2c3d4e5f6a7b8c9d0e1f2";
const SEEN = {
  method: "POST",
  url: "https://shop.example/star",
  at: Date.now(),
  document: "https://shop.example/list",
  headers: {
    "Content-Type": "application/json",
    "X-CSRF-Token": TOKEN,
    Referer: "https://shop.example/list",
    "User-Agent": "Browser",
  },
  body: JSON.stringify({ id: 7, note: "nice", authenticity_token: TOKEN, more: { opaque: TOKEN } }),
};

/** @param {any} [api] */
function watching(api = {}) {
  /** @type {any[]} */
  const sent = [];
  const requests = new Requests(api, async (tabId, request) => {
    sent.push([tabId, request]);
    requests.take(tabId, { ...SEEN, ...request });
    return { success: true, status: 200 };
  });
  return { requests, sent };
}

/** @param {Requests} requests @returns {Promise<any[]>} */
async function list(requests, tabId = 1) {
  return /** @type {any} */ (await requests.call("requests.list", { tabId })).requests;
}

test("only a tab that is watched is kept account of, and forgotten whole", async () => {
  const { requests } = watching();
  requests.take(1, SEEN);
  assert.deepEqual(await list(requests), []);
  await requests.call("requests.watch", { tabId: 1 });
  requests.take(1, SEEN);
  requests.take(2, SEEN);
  assert.equal((await list(requests)).length, 1);
  assert.deepEqual(await list(requests, 2), []);
  await requests.call("requests.forget", { tabId: 1 });
  assert.deepEqual(await list(requests), []);
  requests.take(1, SEEN);
  assert.equal(requests.watches(1), false);
});

test("the newest forty are kept, and nothing of what they carry is told", async () => {
  const { requests } = watching();
  await requests.call("requests.watch", { tabId: 1 });
  for (let n = 0; n < 60; n++)
    requests.take(1, { ...SEEN, url: `https://shop.example/star/${n}?csrf=${TOKEN}` });
  const kept = await list(requests);
  assert.deepEqual(
    [kept.length, kept[0].url],
    [40, `https://shop.example/star/20?csrf=${encodeURIComponent(MASK)}`],
  );
  const { id, agoMs, ...rest } = kept[39];
  assert.match(id, /^rq_\w+$/);
  assert.ok(agoMs < 60_000);
  assert.deepEqual(rest, {
    method: "POST",
    url: `https://shop.example/star/59?csrf=${encodeURIComponent(MASK)}`,
    hasBody: true,
    headerNames: ["Content-Type", "X-CSRF-Token", "Referer", "User-Agent"],
    replayable: true,
  });
  assert.ok(!JSON.stringify(kept).includes(TOKEN));
  assert.ok(!JSON.stringify(kept).includes("nice"));
});

test("a person is shown what a request carries, without its secrets", async () => {
  const { requests } = watching();
  await requests.call("requests.watch", { tabId: 1 });
  requests.take(1, SEEN);
  requests.take(1, {
    ...SEEN,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: `to=Bob&_csrf=x&pin=1234&t=${TOKEN}`,
  });
  requests.take(1, { ...SEEN, headers: {}, body: `say hello ${TOKEN}` });
  const [json, form, text] = await Promise.all(
    (await list(requests)).map(({ id }) => requests.call("requests.describe", { tabId: 1, id })),
  );
  const shown = (/** @type {any} */ one) => one.fields.map((/** @type {any} */ f) => [f.name, f.value]);
  assert.deepEqual(shown(json), [
    ["id", "7"],
    ["note", "nice"],
    ["authenticity_token", MASK],
    ["more.opaque", MASK],
  ]);
  assert.deepEqual(shown(form), [
    ["to", "Bob"],
    ["_csrf", MASK],
    ["pin", MASK],
    ["t", MASK],
  ]);
  assert.deepEqual(shown(text), [["Body", `say hello ${MASK}`]]);
  assert.ok(!JSON.stringify([json, form, text]).includes(TOKEN));
});

test("it is sent again as it was, by its own tab, with none but the harmless headers", async () => {
  const { requests, sent } = watching();
  await requests.call("requests.watch", { tabId: 1 });
  await requests.call("requests.watch", { tabId: 2 });
  requests.take(1, SEEN);
  const [{ id }] = await list(requests);
  await requests.call("requests.replay", { tabId: 1, id });
  assert.deepEqual(sent, [
    [
      1,
      {
        method: "POST",
        url: SEEN.url,
        headers: { "Content-Type": "application/json", "X-CSRF-Token": TOKEN },
        body: SEEN.body,
      },
    ],
  ]);
  assert.equal((await list(requests)).length, 1, "what was sent again is no doing of the page");
  for (const other of [
    { tabId: 2, id },
    { tabId: 1, id: "rq_guessed" },
  ])
    await assert.rejects(requests.call("requests.replay", other), { code: "unknown_request" });
  await assert.rejects(requests.call("requests.replay", { tabId: 1, id, body: "x" }), { code: "bad_params" });
  assert.equal(sent.length, 1);
});

test("what cannot or must not be sent again is listed without leave to", async () => {
  const { requests, sent } = watching();
  await requests.call("requests.watch", { tabId: 1 });
  for (const seen of [
    { document: "https://evil.example/" },
    { url: "https://api.example/star" },
    { headers: { Authorization: "Bearer x" } },
    { body: undefined },
  ])
    requests.take(1, { ...SEEN, ...seen });
  const kept = await list(requests);
  assert.deepEqual(
    kept.map(({ replayable }) => replayable),
    [false, false, false, false],
  );
  for (const { id } of kept)
    await assert.rejects(requests.call("requests.replay", { tabId: 1, id }), { code: "unknown_request" });
  assert.deepEqual(sent, []);
});

/** @param {object} request @param {object} [report] */
const report = (request, report = {}) => ({
  type: "Fetch",
  documentURL: "https://shop.example/list",
  wallTime: 5,
  request: { method: "POST", url: "https://shop.example/star", headers: {}, ...request },
  ...report,
});

test("the debugger's reports: scripts only, no redirects, no bodies that are cut or have parts", () => {
  for (const type of ["Document", "Image", "Script", "Ping"])
    assert.equal(seenOf(report({}, { type })), null);
  assert.equal(seenOf(report({}, { redirectResponse: {} })), null);
  assert.equal(seenOf(report({ method: "GET" }))?.body, null);
  assert.equal(seenOf(report({ hasPostData: true, postData: "a=1" }))?.body, "a=1");
  assert.equal(seenOf(report({ hasPostData: true }))?.body, undefined);
  assert.equal(seenOf(report({ hasPostData: true, postData: "x".repeat(BODY_CHARS + 1) }))?.body, undefined);
  const parts = {
    headers: { "Content-Type": "multipart/form-data; boundary=x" },
    hasPostData: true,
    postData: "x",
  };
  assert.equal(seenOf(report(parts))?.body, undefined);
  assert.deepEqual(seenOf(report({ headers: { Cookie: "sid=1", Accept: "*/*" } }))?.headers, {
    Accept: "*/*",
  });
  assert.equal(seenOf(report({}))?.at, 5_000);
});

/** A `webRequest` whose events the test fires. */
function fakeWebRequest() {
  /** @type {Record<string, any[]>} */
  const heard = { onBeforeRequest: [], onBeforeSendHeaders: [] };
  /** @type {any[]} */
  const filters = [];
  const event = (/** @type {string} */ name) => ({
    addListener: (/** @type {any} */ listener, /** @type {any} */ filter) => {
      heard[name]?.push(listener);
      filters.push(filter);
    },
    removeListener: (/** @type {any} */ listener) => heard[name]?.splice(heard[name].indexOf(listener), 1),
  });
  return {
    heard,
    filters,
    api: {
      webRequest: {
        onBeforeRequest: event("onBeforeRequest"),
        onBeforeSendHeaders: event("onBeforeSendHeaders"),
      },
    },
    fire: (/** @type {string} */ name, /** @type {any} */ details) => {
      for (const listener of heard[name] ?? []) listener(details);
    },
  };
}

test("where the browser has webRequest it is listened to for that tab alone, and not after", async () => {
  const { api, heard, filters, fire } = fakeWebRequest();
  const { requests, sent } = watching(api);
  assert.deepEqual([heard.onBeforeRequest?.length, filters], [0, []]);
  await requests.call("requests.watch", { tabId: 1 });
  await requests.call("requests.watch", { tabId: 1 });
  assert.equal(heard.onBeforeRequest?.length, 1);
  assert.deepEqual(filters[0], { urls: ["<all_urls>"], types: ["xmlhttprequest"], tabId: 1 });
  const begin = { requestId: "1", method: "POST", url: SEEN.url, timeStamp: 1, documentUrl: SEEN.document };
  fire("onBeforeRequest", { ...begin, requestBody: { formData: { a: ["1"], b: ["2", "3"] } } });
  assert.deepEqual(await list(requests), []);
  fire("onBeforeSendHeaders", {
    requestId: "1",
    requestHeaders: [
      { name: "Cookie", value: "sid=1" },
      { name: "content-type", value: "application/x-www-form-urlencoded" },
    ],
  });
  const bytes = new TextEncoder().encode("raw ü").buffer;
  fire("onBeforeRequest", { ...begin, requestId: "2", requestBody: { raw: [{ bytes }] } });
  fire("onBeforeSendHeaders", { requestId: "2", requestHeaders: [] });
  fire("onBeforeRequest", { ...begin, requestId: "3", requestBody: { raw: [{ file: "x" }] } });
  fire("onBeforeSendHeaders", { requestId: "3" });
  const kept = await list(requests);
  assert.deepEqual(
    kept.map(({ replayable, headerNames }) => [replayable, headerNames]),
    [
      [true, ["content-type"]],
      [true, []],
      [false, []],
    ],
  );
  for (const { id } of kept.slice(0, 2)) await requests.call("requests.replay", { tabId: 1, id });
  assert.deepEqual(
    sent.map(([, { body }]) => body),
    ["a=1&b=2&b=3", "raw ü"],
  );
  requests.forgetAll();
  assert.deepEqual([heard.onBeforeRequest, heard.onBeforeSendHeaders], [[], []]);
});

test("of an address secrets are not shown", () => {
  assert.equal(
    shownAddress(`https://me:pw@a.example/x?q=tea&access_token=1&v=${TOKEN}#frag`),
    `https://a.example/x?q=tea&access_token=${encodeURIComponent(MASK)}&v=${encodeURIComponent(MASK)}`,
  );
});

test("a worker that hears the debugger hands requests to who asked for them, and to nobody else", () => {
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
  const api = Object.fromEntries(
    ["tabs", "webNavigation", "downloads", "debugger"].map((name) => [name, space(name)]),
  );
  /** @type {any[]} */
  const observed = [];
  const get = report({ method: "GET" });
  hearEvents(api, () => {});
  listeners["debugger.onEvent"]({ tabId: 1 }, "Network.requestWillBeSent", get);
  hearEvents(
    api,
    () => {},
    (tabId, seen) => observed.push([tabId, seen.method]),
  );
  listeners["debugger.onEvent"]({ tabId: 1 }, "Network.requestWillBeSent", get);
  listeners["debugger.onEvent"]({ tabId: 1 }, "Page.javascriptDialogClosed", { result: true });
  assert.deepEqual(observed, [[1, "GET"]]);
});
