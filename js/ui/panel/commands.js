import { computed, signal } from "@preact/signals";
import { draftOf } from "./drafts.js";
import { exportConversation, openHistory } from "./history.js";
import { call } from "./line.js";
import { enqueueText, setDraft } from "./sending.js";
import { tab, views } from "./state.js";
import { clearConversation } from "./store.js";

/**
 * Slash commands: Python has the table and carries them out; the panel offers them and says what came of it.
 *
 * @typedef {object} Command
 * @property {string} name
 * @property {string} usage
 * @property {string} text in English; the message `command_<name>` says it in the user's language
 * @property {{name: string, text: string}[]} options
 * @property {boolean} whileRunning
 * @property {boolean} takesMessage
 *
 * @typedef {{value: string, usage: string, key: string}} Offer what stands in the box when it is taken
 * @typedef {{tabId: number | undefined, kind: "help" | "ok" | "bad", code: string, params: Record<string, string>}} Said
 */

/** @type {import("@preact/signals").Signal<Command[]>} */
export const commands = signal(/** @type {Command[]} */ ([]));
/** What came of the last command, in its own tab and until the next key. */
export const said = signal(/** @type {Said | null} */ (null));
/** The row that Tab takes. */
export const chosen = signal(0);
/** The draft for which the list was closed by Escape. */
const closedFor = signal("");

/**
 * @param {string} text
 * @returns {boolean} whether a draft is a command; a blank before the slash makes it a message
 */
export const isCommand = (text) => text.startsWith("/");

/** Rows that fit what is typed: commands, then the options of one. */
export const offers = computed(() => {
  const text = draftOf(tab.value?.id);
  if (!isCommand(text) || text === closedFor.value) return [];
  const [word, ...rest] = text.slice(1).split(" ");
  const name = word.toLowerCase();
  if (!rest.length) return commands.value.filter((one) => one.name.startsWith(name)).map(offerOf);
  const command = commands.value.find((one) => one.name === name);
  if (!command || rest.length > 1) return [];
  return command.options
    .filter((option) => option.name.startsWith(rest[0]))
    .map((option) => ({
      value: `/${command.name} ${option.name}`,
      usage: `/${command.name} ${option.name}`,
      key: keyOf(`${command.name}_${option.name.replaceAll("-", "")}`),
    }));
});

/** @param {Command} command @returns {Offer} */
function offerOf(command) {
  const more = command.takesMessage || command.options.length > 0;
  return {
    value: `/${command.name}${more ? " " : ""}`,
    usage: command.usage,
    key: keyOf(command.name),
  };
}

/** @param {string} name @returns {string} the end of its message's key */
export const keyOf = (name) => name.replaceAll("-", "_");

/** A model writes the summary. */
const SUMMARY_TIMEOUT_MS = 180_000;
/** @param {string} text */
const isSummary = (text) => /^\s*\/compact(?!\s+--)(?:\s|$)/i.test(text);

/** Fetch the table, once a slash is typed. */
export async function loadCommands() {
  if (commands.value.length) return;
  const answer = await call("commands.list").catch(() => null);
  if (answer) commands.value = answer.commands;
}

/**
 * A key in the message box while commands are offered.
 *
 * @param {KeyboardEvent} event
 * @returns {boolean} whether it was for the list
 */
export function commandKey(event) {
  const rows = offers.value;
  if (!rows.length || event.isComposing) return false;
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) {
    chosen.value = (chosen.value + step + rows.length) % rows.length;
  } else if (event.key === "Tab" && !event.shiftKey) {
    take(rows[Math.min(chosen.value, rows.length - 1)]);
  } else if (event.key === "Enter" && !event.shiftKey && !isWhole(draftOf(tab.value?.id))) {
    pick(rows[Math.min(chosen.value, rows.length - 1)]);
  } else if (event.key === "Escape") {
    closedFor.value = draftOf(tab.value?.id);
  } else {
    return false;
  }
  event.preventDefault();
  return true;
}

/** @param {Offer} offer */
export function take(offer) {
  chosen.value = 0;
  setDraft(offer.value);
}

/**
 * Take a row, and carry it out if nothing can be added to it.
 *
 * @param {Offer} offer
 */
export function pick(offer) {
  take(offer);
  const id = tab.value?.id;
  if (id !== undefined && !offer.value.endsWith(" ")) void runCommand(id, offer.value);
}

/** @param {string} text @returns {boolean} whether a command is written out, so that Enter means just that */
const isWhole = (text) => commands.value.some((one) => `/${one.name}` === text.trim().toLowerCase());

/** The draft has changed. @param {string} text */
export function typed(text) {
  said.value = null;
  chosen.value = 0;
  if (isCommand(text)) void loadCommands();
}

/**
 * Begin a new conversation by the button, which says what became of it where commands do.
 *
 * @returns {Promise<boolean>}
 */
export async function beginAnew() {
  const tabId = tab.value?.id;
  try {
    await clearConversation();
    said.value = { tabId, kind: "ok", code: "reset", params: {} };
    return true;
  } catch (error) {
    const { code, message } = /** @type {import("../port.js").PortError} */ (error);
    said.value = { tabId, kind: "bad", code, params: { message } };
    return false;
  }
}

/**
 * Carry out what stands in the box; what is left of it is sent as a message.
 *
 * @param {number} tabId
 * @param {string} text
 */
export async function runCommand(tabId, text) {
  try {
    if (isSummary(text)) said.value = { tabId, kind: "ok", code: "compacting", params: {} };
    const answer = await call("commands.run", { tabId, text }, { timeoutMs: SUMMARY_TIMEOUT_MS });
    setDraft("");
    if (answer.code === "history") {
      said.value = null;
      openHistory();
      return;
    }
    if (answer.code === "export") {
      const id = views.value[tabId]?.conversation.id ?? "";
      said.value = {
        tabId,
        kind: "ok",
        code: "exported",
        params: { filename: await exportConversation(id) },
      };
      return;
    }
    if (answer.code === "help") await loadCommands();
    said.value = {
      tabId,
      kind: answer.code === "help" ? "help" : "ok",
      code: answer.code,
      params: { about: answer.about ?? "" },
    };
    if (answer.send) enqueueText(tabId, answer.send);
  } catch (error) {
    const { code, message, data } = /** @type {import("../port.js").PortError} */ (error);
    said.value = { tabId, kind: "bad", code, params: { message, ...data } };
  }
}
