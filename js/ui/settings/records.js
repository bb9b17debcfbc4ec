import { saveText } from "../shared/save.js";
import { ask } from "./store.js";

/**
 * Recordings of runs, as Python keeps them.
 *
 * @typedef {{runId: string, startedAt: number, endedAt?: number | null, durationMs?: number | null, status?: string,
 *   userMessage: string, continued?: boolean, finalContent: string, model?: string, providerLabel?: string,
 *   tabUrl?: string, tabTitle?: string, mode?: string, stepCount?: number, promptTokens?: number,
 *   completionTokens?: number, totalCost?: number | null, costEstimated?: boolean, chars?: number, cutOff?: boolean,
 *   legacy: boolean}} RunRow
 * @typedef {{n: number, at: number, type: string, step: number, data: Record<string, any>}} RunEvent
 * @typedef {{runs: number, chars: number, limit: number}} Total
 */

/**
 * @param {RunRow} [last] the last one that is known
 * @returns {Promise<{runs: RunRow[], more: boolean, total: Total}>}
 */
export const listRuns = (last) =>
  ask("traces.list", last ? { before: { time: last.startedAt, id: last.runId } } : {});

/**
 * @param {string} runId
 * @param {number} after the number of the last event that is known
 * @returns {Promise<{run: RunRow, events: RunEvent[], more: boolean}>}
 */
export const readRun = (runId, after) => ask("traces.read", { runId, after });

/**
 * @param {string} runId
 * @param {number} n
 * @returns {Promise<string>} the picture as a data URL, empty if it is gone
 */
export async function readShot(runId, n) {
  const { dataUrl } = await ask("traces.shot", { runId, n });
  return dataUrl?.startsWith("data:image/") ? dataUrl : "";
}

/** @param {string} runId */
export const deleteRun = (runId) => ask("traces.delete", { runId });

export const deleteAllRuns = () => ask("traces.delete", { all: true });

/** @returns {Promise<string>} the last exchanges with models */
export const readDebugLog = async () => (await ask("debuglog.get")).text;

/**
 * Save a recording as a file. Python hands it over in parts.
 *
 * @param {string} runId
 * @param {"markdown" | "json"} format
 */
export async function saveRun(runId, format) {
  const parts = [];
  let name = "";
  for (let after = 0; ; ) {
    const { filename, text, next } = await ask("traces.export", { runId, format, after });
    name = filename;
    parts.push(text);
    if (next === null) break;
    after = next;
  }
  saveText(name, parts, format === "json" ? "application/json" : "text/markdown");
}

/**
 * A text of a recording, or what is left of one that was too long to be kept.
 *
 * @param {any} value
 * @returns {string}
 */
export function textOf(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "object" && value._truncated) return `${value.head}… (${value.length})`;
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
