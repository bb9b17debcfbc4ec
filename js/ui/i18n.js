import { signal } from "@preact/signals";
import { ext } from "./browser.js";

/**
 * Sentences for people, from `_locales/<language>/messages.json`. A message may hold `{name}` places. The chosen
 * language is ours and not the browser's, so the files are read here; `browser.i18n` only names the default.
 */

/** Languages there are complete files for. A test compares them with the folder. */
export const LANGUAGES = /** @type {const} */ (["en", "de"]);
const FALLBACK = "en";
const MIRROR = "wbLocale";

/** @type {Record<string, Record<string, string>>} */
const tables = {};

/** The language on screen. Reading it in a component (as `t` does) redraws that component on a change. */
export const language = signal(FALLBACK);

/**
 * @param {string} key
 * @param {Record<string, string | number>} [params]
 * @returns {string}
 */
export function t(key, params = {}) {
  const message = tables[language.value]?.[key] ?? tables[FALLBACK]?.[key] ?? key;
  return message.replace(/\{(\w+)\}/g, (place, name) => (name in params ? String(params[name]) : place));
}

/**
 * A counted message: `<key>_one` or `<key>_other`, by the rules of the language, with the number as `{count}`.
 *
 * @param {string} key
 * @param {number} count
 * @returns {string}
 */
export function tn(key, count) {
  const form = new Intl.PluralRules(language.value).select(count) === "one" ? "one" : "other";
  return t(`${key}_${form}`, { count });
}

/**
 * The translation of a text that came over the port in English. A key may stand for other words in some places (a
 * service calls its key a token): what no message is the English of comes back as it is.
 *
 * @param {string} key
 * @param {string} english
 * @returns {string}
 */
export function tOr(key, english) {
  if (tables[FALLBACK]?.[key] !== english) return english;
  return tables[language.value]?.[key] ?? english;
}

/**
 * Choose the language: a setting, `auto` for the browser's own, or nothing for what was chosen last time.
 *
 * @param {string} [choice]
 */
export async function setLanguage(choice) {
  const wanted = choice ?? readMirror() ?? "auto";
  const name = supported(wanted === "auto" || wanted === "" ? browserLanguage() : wanted);
  await Promise.all([load(FALLBACK), load(name)]);
  language.value = tables[name] ? name : FALLBACK;
  document.documentElement.lang = language.value;
  if (choice !== undefined) writeMirror(choice);
}

/**
 * @param {string} name such as `de-AT`
 * @returns {string}
 */
function supported(name) {
  const short = name.toLowerCase().split(/[-_]/)[0];
  return /** @type {readonly string[]} */ (LANGUAGES).includes(short) ? short : FALLBACK;
}

/** @returns {string} */
function browserLanguage() {
  return ext?.i18n?.getUILanguage?.() || navigator.language || FALLBACK;
}

/** @param {string} name */
async function load(name) {
  if (tables[name]) return;
  try {
    const answer = await fetch(ext.runtime.getURL(`_locales/${name}/messages.json`));
    const messages = await answer.json();
    tables[name] = Object.fromEntries(
      Object.entries(messages).map(([key, entry]) => [key, /** @type {any} */ (entry).message]),
    );
  } catch (error) {
    console.error(`No messages for ${name}:`, error);
  }
}

/** @returns {string | null} */
function readMirror() {
  try {
    return localStorage.getItem(MIRROR);
  } catch {
    return null;
  }
}

/** @param {string} choice */
function writeMirror(choice) {
  try {
    localStorage.setItem(MIRROR, choice);
  } catch {
    // The setting itself is stored elsewhere; only the first paint loses.
  }
}
