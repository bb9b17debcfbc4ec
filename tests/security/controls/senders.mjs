// What strangers reach of the real supervisor page and the real service worker: prints, as JSON, what got through.
// With "off" as its argument only the functions that judge a sender are switched off, and nothing else.

import { register } from "node:module";
import { listeners, namespaces } from "../../unit/js/namespaces.fake.mjs";

const off = process.argv[2] === "off";
const fake = new URL("../../unit/js/platform.fake.mjs", import.meta.url).href;
const judges = ["isOwnPage", "isSupervisor"];
const hook = `
export const resolve = (name, context, next) =>
  name === "./platform.js" ? { url: ${JSON.stringify(fake)}, shortCircuit: true } : next(name, context);
export const load = async (url, context, next) => {
  const loaded = await next(url, context);
  if (!${off} || !url.endsWith("/js/bridge/rpc.js")) return loaded;
  let source = String(loaded.source), found = 0;
  for (const name of ${JSON.stringify(judges)}) {
    const begin = "export function " + name + "(sender, runtime) {";
    if (source.includes(begin)) found += 1;
    source = source.replace(begin, begin + " return true;");
  }
  if (found !== ${judges.length}) throw new Error("The judges of senders are called otherwise.");
  return { ...loaded, source };
};`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);

/** @type {any[]} */
const sent = [];
/** @type {any} */
let python;
globalThis.Worker = /** @type {any} */ (
  class {
    constructor() {
      python = this;
    }
    /** @param {any} message */
    postMessage(message) {
      sent.push(message.text ? JSON.parse(message.text) : message);
    }
    terminate() {}
  }
);
globalThis.setInterval = /** @type {any} */ (() => 0);

/** @type {string[]} */
const reached = [];
const chrome = namespaces();
const api = {
  ...chrome,
  runtime: new Proxy(chrome.runtime, {
    get: (known, key) =>
      ({
        id: "me",
        getURL: (/** @type {string} */ path) => `x://me/${path}`,
        sendMessage: async (/** @type {any} */ message) => {
          if (message.method === "legacy") reached.push("the agent, by an older message");
          return true;
        },
        getContexts: async () => [{}],
      })[String(key)] ?? known[key],
  }),
  tabs: new Proxy(chrome.tabs, {
    get: (known, key) =>
      key === "query" ? async () => reached.push("the browser's tabs") && [] : known[key],
  }),
};
/** @type {any} */ (globalThis).chrome = api;

const platform = await import(fake);
await import("../../../js/bridge/host.js");
await import("../../../js/background/background.js");

const STRANGERS = [
  { id: "me", url: "https://evil.example/", tab: { id: 7 }, frameId: 0 },
  { id: "other", url: "x://other/page.html" },
  { id: "me", url: "https://evil.example/?x://me/host.html", tab: { id: 7 }, frameId: 4 },
];
const EXECUTOR = {
  target: "executor",
  epoch: 1,
  kind: "call",
  id: "x1",
  method: "tabs.query",
  params: { queryInfo: { windowType: "normal" } },
  deadline: Date.now() + 60_000,
};
const LEGACY = { target: "background", action: "chat_start", text: "hello", tabId: 1, mode: "act" };

/** @param {string} method */
const worker = (method) => sent.some((frame) => frame.params?.method === method || frame.method === method);
/** @param {any} message @param {any} sender */
const said = (message, sender) =>
  Promise.race([
    new Promise((resolve) => {
      for (const listener of listeners["runtime.onMessage"]) listener(message, sender, resolve);
    }),
    new Promise((resolve) => setTimeout(resolve, 300)),
  ]);

const ready = { target: "host", kind: "event", method: "boot.ready", params: { mode: "plain", reason: "" } };
python.onmessage({ data: { text: JSON.stringify({ epoch: 1, ...ready }), buffers: [] } });
for (const sender of STRANGERS) {
  await said(EXECUTOR, sender);
  await said(LEGACY, sender);
  /** @type {any} */
  const port = { name: "wb-ui", sender, closed: false, postMessage: () => {} };
  port.disconnect = () => {
    port.closed = true;
  };
  port.onMessage = {
    addListener: (/** @type {any} */ listener) => {
      port.say = listener;
    },
  };
  port.onDisconnect = { addListener: () => {} };
  for (const listener of platform.connectListeners) listener(port);
  if (!port.closed) reached.push("a screen's port");
  port.say?.({ kind: "call", id: "u1", method: "providers.list", params: {} });
}
await new Promise((resolve) => setTimeout(resolve, 100));
if (worker("providers.list")) reached.push("Python");
process.stdout.write(`${JSON.stringify([...new Set(reached)].sort())}\n`);
process.exit(0);
