/**
 * Words that say that a field holds a secret, from a table that Python reads too. A blank in a word stands for a blank,
 * `-`, `_` or nothing.
 */

import TABLE from "../../py/webbrain/policy/credential_words.json" with { type: "json" };

const AUTOCOMPLETE = new Set(TABLE.autocomplete);
const ANY_WORD = TABLE.words.map((word) => word.replace(" ", " ?")).join("|");
/** How each of them begins: most texts have none of that, and are done with one look. */
const BEGINNING = new RegExp([...new Set(TABLE.words.map((word) => word.split(" ")[0]))].join("|"), "iu");
const WORD = new RegExp(`(?<![a-z0-9])(?:${ANY_WORD})s?(?![a-z])`);

/**
 * The word by which a name or label, like `userPassword` or `API-key`, is that of a credential.
 * @param {string} text
 * @returns {string | null}
 */
export function secretWord(text) {
  if (!text || !BEGINNING.test(text)) return null;
  const words = text.slice(0, TABLE.hintChars).replace(/([a-z])(?=[A-Z])/g, "$1 ");
  return WORD.exec(words.toLowerCase().replace(/[\s_-]+/g, " "))?.[0] ?? null;
}

/**
 * The word of an `autocomplete` attribute by which its field is for a credential.
 * @param {string} autocomplete
 * @returns {string | null}
 */
export function secretAutocomplete(autocomplete) {
  if (!autocomplete) return null;
  const words = autocomplete.slice(0, TABLE.hintChars).toLowerCase().split(/\s+/);
  return words.find((word) => AUTOCOMPLETE.has(word)) ?? null;
}
