/** Names of controls that commit something. `py/webbrain/policy/consequential.py` reads the same table, and says more. */

import TABLE from "../../py/webbrain/policy/commit_words.json" with { type: "json" };

/** A blank stands for a blank, "-" or nothing. */
const ANYWHERE = [...Object.values(TABLE.first).flat(), ...TABLE.last].map((verb) =>
  verb.replaceAll(" ", "[\\s-]?"),
);
/** A name with more words than this is a sentence; its last word is no command. */
const LAST_WORDS = 5;
const NAME_CHARS = 200;

const FIRST = new RegExp(`^(?:${ANYWHERE.join("|")})(?![\\p{L}\\p{N}_-])`, "u");
const LAST = new RegExp(`[\\s-](?:${TABLE.last.join("|")})$`, "u");
/** Advertising, banners about cookies, and nouns: no command. */
const OFFER =
  /^(?:save\s+(?:up\s+to\s+)?[\d$€£]|accept\b.*\bcookies?\b|accept\s+(?:all|necessary|essential|only)\b|share\s+(?:price|capital|index))/;

/**
 * @param {string} name
 * @returns {boolean} whether a control so named commits something
 */
export function commits(name) {
  const words = name
    .slice(0, NAME_CHARS)
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\p{Cf}/gu, "")
    .replace(/\s+/gu, " ")
    .replace(/^[^\p{L}\p{N}_]+|[^\p{L}\p{N}_]+$/gu, "");
  if (FIRST.test(words)) return !OFFER.test(words);
  return words.split(" ").length <= LAST_WORDS && LAST.test(words);
}
