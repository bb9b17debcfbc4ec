/**
 * Names of controls that commit something. `py/webbrain/policy/consequential.py` has the same lists and says more; a
 * test pins the two to each other.
 */

/** Verbs, and phrases that stand for one, with which a name begins. A blank stands for a blank, "-" or nothing. */
export const COMMITS_FIRST = [
  "create",
  "save",
  "submit",
  "add",
  "post",
  "publish",
  "send",
  "confirm",
  "sign up",
  "sign in",
  "log in",
  "register",
  "place order",
  "place your order",
  "place my order",
  "pay",
  "check out",
  "update",
  "apply",
  "finish",
  "done",
  "buy",
  "purchase",
  "order now",
  "book now",
  "delete",
  "donate",
  "transfer",
  "jetzt kaufen",
  "jetzt bestellen",
  "jetzt buchen",
  "jetzt bezahlen",
  "zahlungspflichtig bestellen",
  "zur kasse",
  "in den warenkorb",
  "fertig",
];
/** Verbs that stand first or last: German says "Nachricht senden". */
export const COMMITS_LAST = [
  "absenden",
  "abschicken",
  "senden",
  "einreichen",
  "speichern",
  "erstellen",
  "anlegen",
  "hinzufügen",
  "posten",
  "veröffentlichen",
  "bestätigen",
  "registrieren",
  "anmelden",
  "einloggen",
  "bestellen",
  "kaufen",
  "bezahlen",
  "zahlen",
  "buchen",
  "aktualisieren",
  "übernehmen",
  "anwenden",
  "abschließen",
  "fertigstellen",
  "löschen",
  "spenden",
  "überweisen",
  "aufgeben",
];
/** A name with more words than this is a sentence; its last word is no command. */
const LAST_WORDS = 5;
const NAME_CHARS = 200;

const FIRST = new RegExp(
  `^(?:${[...COMMITS_FIRST, ...COMMITS_LAST].map((verb) => verb.replaceAll(" ", "[\\s-]?")).join("|")})(?![\\p{L}\\p{N}_-])`,
  "u",
);
const LAST = new RegExp(`[\\s-](?:${COMMITS_LAST.join("|")})$`, "u");
/** Advertising, not a command. */
const OFFER = /^save\s+(?:up\s+to\s+)?[\d$€£]/;

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
