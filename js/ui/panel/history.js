import { signal } from "@preact/signals";
import { tn } from "../i18n.js";
import { saveText } from "../shared/save.js";
import { call } from "./line.js";
import { tab } from "./state.js";
import { goToTab } from "./tabs.js";

/**
 * The history: conversations as Python finds them, and what a person does with them.
 *
 * @typedef {object} Row
 * @property {string} id
 * @property {string} title
 * @property {number} startedAt milliseconds since 1970
 * @property {number} updatedAt
 * @property {number} turns
 * @property {string} tabUrl where it began, perhaps empty
 * @property {number | null} tabId of the tab that shows it
 * @property {boolean} running
 * @property {string} found the surroundings of what was searched
 *
 * @typedef {object} Found
 * @property {Row[]} rows newest first
 * @property {boolean} more
 * @property {boolean} indexing older ones are still being read
 * @property {boolean} loaded
 */

const TYPING_MS = 150;
/** Deleting hundreds takes seconds. */
const DELETE_TIMEOUT_MS = 120_000;

/** @type {Found} */
const NOTHING = { rows: [], more: false, indexing: false, loaded: false };

export const historyShown = signal(false);
export const query = signal("");
/** @type {import("@preact/signals").Signal<Found>} */
export const found = signal(NOTHING);
/** What went wrong, or is to be known; `code` is empty for what is no problem. */
export const note = signal(/** @type {{code: string, text: string} | null} */ (null));

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
let asked = 0;

export function openHistory() {
  query.value = "";
  found.value = NOTHING;
  note.value = null;
  historyShown.value = true;
  void load();
}

/** @param {string} focus id of what gets the focus back */
export function closeHistory(focus = "open-history") {
  clearTimeout(timer);
  historyShown.value = false;
  // What gets it may be drawn only now.
  setTimeout(() => document.getElementById(focus)?.focus());
}

/** @param {string} text */
export function search(text) {
  query.value = text;
  clearTimeout(timer);
  timer = setTimeout(() => void load(), TYPING_MS);
}

/** Something was added, changed or deleted. */
export function historyChanged() {
  if (!historyShown.value) return;
  clearTimeout(timer);
  timer = setTimeout(() => void load(Math.max(found.value.rows.length, 1)), TYPING_MS);
}

/** @param {number} [atLeast] so many rows were shown, and shall be again */
async function load(atLeast = 0) {
  asked += 1;
  const mine = asked;
  const limit = atLeast > PAGE ? { limit: Math.min(atLeast, MOST) } : {};
  try {
    const answer = await call("history.list", { query: query.value.trim(), ...limit });
    // An answer that a newer question has overtaken is none.
    if (mine === asked) found.value = taken(answer, []);
  } catch (error) {
    if (mine === asked) fail(error);
  }
}

/** Python's own numbers of py/webbrain/services/history.py. */
const PAGE = 50;
const MOST = 100;

let adding = false;

export async function loadMore() {
  const last = found.value.rows.at(-1);
  // A second click would bring the same rows twice.
  if (!last || adding) return;
  adding = true;
  const mine = asked;
  try {
    const before = { updatedAt: last.updatedAt, id: last.id };
    const answer = await call("history.list", { query: query.value.trim(), before });
    if (mine === asked) found.value = taken(answer, found.value.rows);
  } catch (error) {
    fail(error);
  } finally {
    adding = false;
  }
}

/**
 * @param {any} answer
 * @param {Row[]} rows
 * @returns {Found}
 */
function taken(answer, rows) {
  return {
    rows: [...rows, ...answer.conversations],
    more: answer.more,
    indexing: Boolean(answer.indexing),
    loaded: true,
  };
}

/** @param {unknown} error */
function fail(error) {
  const { code, message } = /** @type {import("../port.js").PortError} */ (error);
  note.value = { code, text: message };
  if (!found.value.loaded) found.value = { ...NOTHING, loaded: true };
}

/**
 * Go on with a conversation in this tab, or go to the tab that has it.
 *
 * @param {Row} row
 */
export async function openRow(row) {
  const tabId = tab.value?.id;
  if (tabId === undefined) return;
  try {
    const answer = await call("history.open", { tabId, id: row.id });
    closeHistory("composer");
    if (answer.tabId !== tabId) await goToTab(answer.tabId);
  } catch (error) {
    fail(error);
  }
}

/**
 * Save a conversation as a file.
 *
 * @param {string} id
 * @returns {Promise<string>} the file's name
 */
export async function exportConversation(id) {
  const { filename, markdown } = await call("history.export", { id });
  saveText(filename, markdown);
  return filename;
}

/** @param {string} id */
export async function exportRow(id) {
  await exportConversation(id).catch(fail);
}

/** @param {string} id of one, or nothing for all */
export async function deleteRows(id = "") {
  note.value = null;
  try {
    const answer = await call("history.delete", id ? { id } : { all: true }, {
      timeoutMs: DELETE_TIMEOUT_MS,
    });
    if (answer.kept) note.value = { code: "", text: tn("history_kept", answer.kept) };
    await load(found.value.rows.length);
  } catch (error) {
    fail(error);
  }
}

/**
 * Rows of one day after another.
 *
 * @param {Row[]} rows newest first
 * @returns {{day: number, rows: Row[]}[]} `day`: its first moment here, in milliseconds since 1970
 */
export function byDay(rows) {
  /** @type {{day: number, rows: Row[]}[]} */
  const days = [];
  for (const row of rows) {
    const day = new Date(row.updatedAt).setHours(0, 0, 0, 0);
    const last = days.at(-1);
    if (last?.day === day) last.rows.push(row);
    else days.push({ day, rows: [row] });
  }
  return days;
}
