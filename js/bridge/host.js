// The supervisor page: keeps Python alive and relays frames between it, the screens and the executor. It decides
// nothing. Chrome loads it as the offscreen document, Firefox as the background page.

import { Ahead } from "./ahead.js";
import * as builtin from "./builtin.js";
import { contentVoice } from "./contentvoice.js";
import { hearEvents } from "./events.js";
import { execute, rowOf } from "./executor.js";
import * as http from "./http.js";
import { isMediaMethod, media, revoke, revokeAll } from "./media.js";
import * as pdf from "./pdf.js";
import * as platform from "./platform.js";
import { isRequestMethod, Requests } from "./requests.js";
import { BridgeError, before, errorTo, FRAME_CHARS, isOwnPage, replyTo } from "./rpc.js";
import { Screens } from "./screens.js";
import { isStoreMethod, store } from "./store.js";
import { PROBE_MS, Supervisor } from "./supervisor.js";
import { Uploads } from "./uploads.js";
import { vault } from "./vault.js";

/** @typedef {import("./rpc.js").Frame} Frame */

/** Characters of a call from a screen. */
const UI_FRAME_CHARS = 1_000_000;
/** How long a screen's call may take; long work answers at once and reports by events. */
const UI_CALL_MS = 180_000;
/** How long a page may take with a request that it sends once more. */
const AS_PAGE_MS = 25_000;
/** What Python starts from is copied after so many probes: then nobody waits for the first answer any more. */
const COPIES_AFTER = 10;
/** The host waits this much longer than the executor, whose own answer says more. */
const GRACE_MS = 1_000;

const { runtime } = platform.api;
const screens = new Screens(() => supervisor?.status.epoch ?? 0);
const uploads = new Uploads();
const executorApi = platform.CONTENT_READS_STORAGE ? withVault(platform.api) : platform.api;

const ahead = new Ahead(runtime.getURL(""), fetch.bind(globalThis), () => navigator.storage.getDirectory());

/** @param {string} script @param {string} name */
function createWorker(script, name) {
  const worker = new Worker(runtime.getURL(script), { type: "module", name });
  ahead.lend(worker);
  return worker;
}

const supervisor = new Supervisor({
  createWorker: () => createWorker("js/worker.js", "Python"),
  options: { browser: platform.BROWSER, capabilities: platform.CAPABILITIES },
  onFrame: fromPython,
  onStatus: (status) => screens.tellNow("boot", status),
  onGone: () => {
    http.abortAll();
    requests.forgetAll();
    builtin.abortAll();
    pdf.stopAll();
    revokeAll();
  },
});

/** Whether one of our pages has sent an older message since this page began. */
let speaksOlder = false;

const requests = new Requests(platform.api, sendAsPage);

const pdfWorker = () => createWorker("js/pdfworker.js", "PDF");

/** @param {Frame} frame @param {ArrayBuffer[]} buffers */
function fromPython(frame, buffers) {
  if (frame.kind === "cancel") for (const end of [http.abort, builtin.abort, pdf.stop]) end(frame.id ?? "");
  else if (frame.kind === "event" && frame.method === "ui.emit")
    emit(frame.params.event, frame.params.params);
  else if (frame.kind === "event" && frame.method === "blob.revoke") revoke(frame.params.url);
  else if (frame.kind === "call") answer(frame, buffers);
}

/** @param {string} event @param {Record<string, unknown>} params */
function emit(event, params) {
  screens.tell(event, params);
  // In Chrome it reaches the service worker and every page, event by event: only for who speaks that language.
  if (event === "agent_update" && speaksOlder)
    platform.broadcast({ target: "sidepanel", action: event, ...params });
}

/** Answer one of Python's calls. @param {Frame} call @param {ArrayBuffer[]} buffers */
async function answer(call, buffers) {
  try {
    /** @type {(() => void)[]} */
    const afterwards = [];
    const frame =
      call.target === "executor"
        ? await privileged(call)
        : replyTo(call, await own(call, buffers, afterwards), "python");
    supervisor.send({ ...frame, epoch: call.epoch });
    for (const go of afterwards) go();
  } catch (error) {
    supervisor.send(errorTo(call, error, "python"));
  }
}

/**
 * Calls this page answers itself.
 * @param {Frame} call @param {ArrayBuffer[]} buffers @param {(() => void)[]} afterwards What is to be done once the answer
 *   is out goes in here.
 * @returns {Promise<unknown>}
 */
async function own({ method = "", id = "", epoch, params, deadline }, buffers, afterwards) {
  if (isStoreMethod(method)) return store(method, params);
  if (isMediaMethod(method)) return media(method, params, buffers[0]);
  if (isRequestMethod(method)) return requests.call(method, params);
  /** @type {import("./builtin.js").Chunk} */
  const chunk = (part, pieces) =>
    supervisor.send({ target: "python", epoch, kind: "chunk", id, ...part }, pieces);
  if (method === "http.send") {
    const { head, begin } = await http.send(id, params, buffers[0], chunk);
    afterwards.push(begin);
    return head;
  }
  if (method === "http.cancel") {
    http.abort(params.stream);
    return { ok: true };
  }
  if (method === "builtin.status") return builtin.status();
  if (method === "builtin.prompt") return builtin.prompt(id, params, chunk);
  if (method === "pdf.read") return pdf.read({ id, params, deadline }, buffers[0], pdfWorker);
  throw new BridgeError("not_allowed", `${method} is not a call of the supervisor.`);
}

/** The browser's interface with the vault in the place of `storage.local`. @param {any} real */
function withVault(real) {
  const storage = { local: vault(real.storage.local), session: real.storage.session };
  return new Proxy(
    {},
    { get: (_target, key) => (key === "storage" ? storage : real[/** @type {string} */ (key)]) },
  );
}

/** Calls the executor answers. @param {Frame} call @returns {Promise<Frame>} */
async function privileged(call) {
  const deadline = call.deadline && call.deadline + GRACE_MS;
  const send = () =>
    before(platform.callExecutor(call, execute.bind(null, executorApi, platform.BROWSER)), deadline);
  const first = await send();
  if (first) return first;
  const again = rowOf(call.method ?? "")?.idempotent ? await send() : null;
  if (again) return again;
  throw new BridgeError(
    "outcome_unknown",
    "The browser's side of the extension was restarted during this call.",
  );
}

/**
 * Have a page send a request of its own once more. What it carries goes from here to the page, never through Python.
 * @param {number} tabId @param {object} request
 */
async function sendAsPage(tabId, request) {
  const message = { target: "content", action: "replay_request", args: request };
  const params = { tabId, message, options: { frameId: 0 } };
  const deadline = Date.now() + AS_PAGE_MS;
  const { result, error } = await privileged({
    target: "executor",
    epoch: supervisor.status.epoch,
    kind: "call",
    id: "as-page",
    method: "tabs.sendMessage",
    params,
    deadline,
  });
  if (error) throw new BridgeError(error.code, error.message, error.data);
  return result;
}

/** A screen's call. @param {number} screen @param {Frame} call */
async function fromScreen(screen, call) {
  if (call?.kind === "chunk") return uploads.take(screen, call);
  if (call?.kind !== "call" || typeof call.id !== "string" || typeof call.method !== "string") return;
  let frame;
  try {
    if (JSON.stringify(call).length > UI_FRAME_CHARS)
      throw new BridgeError("too_large", "This is too long to send.");
    const files = uploads.give(screen, call.id, call.buffers ?? 0);
    frame = replyTo(call, await screenCall(screen, call.method, call.params ?? {}, files), "ui");
  } catch (error) {
    frame = errorTo(call, error, "ui");
  }
  screens.answer(screen, frame);
}

/**
 * @param {number} screen @param {string} method @param {unknown} params @param {ArrayBuffer[]} files
 * @returns {Promise<unknown>}
 */
async function screenCall(screen, method, params, files) {
  if (method === "boot.status") return supervisor.status;
  if (method === "boot.retry") return { ok: supervisor.retry() };
  await supervisor.whenReady();
  return before(supervisor.call("ui", { port: screen, method, params }, files), Date.now() + UI_CALL_MS);
}

/** One of the reference system's messages from a page of ours. @param {Record<string, unknown>} message */
function fromOlderPage(message) {
  speaksOlder = true;
  return legacy(message);
}

/** The reference system's runtime messages. @param {Record<string, unknown>} message */
async function legacy(message) {
  try {
    if (JSON.stringify(message).length > FRAME_CHARS)
      throw new BridgeError("too_large", "This is too long to send.");
    return await supervisor.call("legacy", message);
  } catch (error) {
    const { message: text, code } = errorTo({ target: "", epoch: 0, kind: "" }, error, "ui").error ?? {};
    return { error: text, code };
  }
}

/**
 * Do what a content script may ask for: stop the run of its own tab, put text into that tab's composer.
 * @param {NonNullable<ReturnType<typeof contentVoice>>} said
 */
async function contentSaid(said) {
  const { tabId } = said;
  if (said.action === "stop") return legacy({ target: "background", action: "abort", tabId });
  screens.tellNow("prefill", { tabId, text: said.text });
  return { ok: true };
}

/** Tell Python what the browser did. While Python starts it waits, in order. @param {any} event */
async function browserEvent(event) {
  if (event.kind === "tab_removed") requests.forget(event.tabId);
  await supervisor.whenReady().catch(() => {});
  supervisor.send({
    target: "python",
    epoch: supervisor.status.epoch,
    kind: "event",
    method: "browser_event",
    params: event,
  });
}

/** A message to the supervisor: from the service worker in Chrome. @param {Frame} frame @returns {Promise<unknown> | null} */
function fromBackground({ method, params }) {
  if (method === "hello") return Promise.resolve(true);
  if (method === "legacy") return fromOlderPage(params);
  if (method === "content") return contentSaid(params);
  if (method === "watches") return Promise.resolve(requests.watches(params.tabId));
  if (method === "page_request") requests.take(params.tabId, params.seen);
  if (method === "browser_event") browserEvent(params);
  return null;
}

function begin() {
  runtime.onConnect.addListener((/** @type {any} */ port) => {
    if (port.name !== "wb-ui") return;
    if (!isOwnPage(port.sender, runtime)) return port.disconnect();
    const screen = screens.add(port);
    port.onMessage.addListener((/** @type {any} */ frame) => fromScreen(screen, frame));
    port.onDisconnect.addListener(() => {
      screens.drop(screen);
      uploads.drop(screen);
    });
  });
  runtime.onMessage.addListener(
    (/** @type {any} */ message, /** @type {any} */ sender, /** @type {any} */ respond) => {
      let work = null;
      if (message?.target === "host" && platform.isBackground(sender)) {
        work = fromBackground(message);
      } else if (
        message?.target === "background" &&
        platform.HOST_IS_BACKGROUND &&
        isOwnPage(sender, runtime)
      ) {
        work = message.action === "ensure_host" ? Promise.resolve({ ok: true }) : fromOlderPage(message);
      } else if (platform.HOST_IS_BACKGROUND) {
        const said = contentVoice(message, sender, runtime);
        work = said && contentSaid(said);
      }
      work?.then(respond);
      return work !== null;
    },
  );
  platform.listen();
  if (platform.HOST_IS_BACKGROUND) hearEvents(platform.api, browserEvent);
  let probes = 0;
  setInterval(() => {
    supervisor.tick();
    probes += 1;
    if (probes === COPIES_AFTER) ahead.keep();
  }, PROBE_MS);
  supervisor.start();
}

if (platform.isHostPage()) begin();
