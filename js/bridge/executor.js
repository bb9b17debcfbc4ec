// The privileged end of the bridge: one allow-list table, stateless, no logic of its own. Chrome runs it in the
// service worker, Firefox in the background page. A new browser API is a row of methods.json, not code here.

import METHODS from "./methods.json" with { type: "json" };
import { BridgeError, before, errorTo, mismatch, replyTo } from "./rpc.js";

/** @type {Record<string, import("./rpc.js").Row>} */
const ROWS = /** @type {any} */ (METHODS);

/** What browsers say, and what it means. First match wins. @type {[RegExp, string][]} */
const MEANINGS = [
  [/no tab with (given )?id|invalid tab id|tab was closed|tab is closed/i, "no_tab"],
  [/no window with id|invalid window id|no current window|no last-focused window/i, "no_window"],
  [
    /back\/forward cache|bfcache|(port|channel) (is )?closed|went out of scope|frame .* removed|'?Conduits'? destroyed/i,
    "page_gone",
  ],
  [/document .* is gone|message manager disconnected/i, "page_gone"],
  [/no frame with id|frame not found|invalid frame/i, "no_frame"],
  [/another debugger is already attached/i, "debugger_attached"],
  [/debugger is not attached|detached while handling/i, "debugger_detached"],
  [/no dialog is showing/i, "no_dialog"],
  [/image readback failed|view is invisible/i, "not_visible"],
  [/receiving end does not exist/i, "no_receiver"],
  [
    /cannot access|cannot be scripted|missing host permission|must request permission|showing error page/i,
    "restricted_page",
  ],
  [/(next|previous) page in history|go (back|forward)/i, "no_history"],
];

/** @param {string} method @returns {import("./rpc.js").Row | null} */
export function rowOf(method) {
  return Object.hasOwn(ROWS, method) ? ROWS[method] : null;
}

/**
 * Run one call of the table. Never rejects: faults are error frames.
 * @param {any} api `chrome` or `browser` @param {string} browser @param {import("./rpc.js").Frame} call
 * @returns {Promise<import("./rpc.js").Frame>}
 */
export async function execute(api, browser, call) {
  try {
    const row = rowOf(call.method ?? "");
    if (!row?.browsers.includes(browser))
      throw new BridgeError("not_allowed", `${call.method} is not in the table.`);
    const wrong = mismatch(call.params, row.params);
    if (wrong) throw new BridgeError("bad_params", wrong);
    const answer = await before(invoke(api, row, call.params), call.deadline);
    return replyTo(call, capped(pick(answer, row.result), row.cap), "python");
  } catch (error) {
    return errorTo(call, translate(error), "python");
  }
}

/** @param {any} api @param {import("./rpc.js").Row} row @param {any} params */
async function invoke(api, row, params) {
  const path = row.api.split(".");
  const name = /** @type {string} */ (path.pop());
  const owner = path.reduce((object, key) => object?.[key], api);
  if (typeof owner?.[name] !== "function")
    throw new BridgeError("not_allowed", `This browser has no ${row.api}.`);
  const values = row.args.map((key) => params[key]);
  // A trailing argument that was left out must not be passed as undefined: Firefox checks the number of arguments.
  while (values.length && values.at(-1) === undefined) values.pop();
  return owner[name](...values);
}

/** @param {any} value @param {string[] | "*" | null} fields @returns {any} */
function pick(value, fields) {
  if (fields === null || value === undefined || value === null) return null;
  if (fields === "*") return value;
  if (Array.isArray(value)) return value.map((item) => pick(item, fields));
  return Object.fromEntries(
    fields.filter((field) => value[field] !== undefined).map((field) => [field, value[field]]),
  );
}

/** @template T @param {T} value @param {number} cap @returns {T} */
function capped(value, cap) {
  const chars = JSON.stringify(value)?.length ?? 0;
  if (chars > cap)
    throw new BridgeError("too_large", `The answer has ${chars} characters, ${cap} are allowed.`);
  return value;
}

/** @param {any} error */
function translate(error) {
  if (error instanceof BridgeError) return error;
  const text = String(error?.message ?? error);
  const meaning = MEANINGS.find(([pattern]) => pattern.test(text));
  return meaning ? new BridgeError(meaning[1], text.slice(0, 500)) : error;
}
