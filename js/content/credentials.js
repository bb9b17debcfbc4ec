/**
 * Which fields hold secrets. Their values never leave the page.
 */

import { secretAutocomplete, secretWord } from "./credentialwords.js";
import { attribute, localName } from "./dom.js";
import { labelText } from "./names.js";
import { inputType } from "./roles.js";

/** What is shown in place of a secret. */
export const MASK = "••••••••";

/**
 * Why a field counts as secret, `null` if it does not.
 * @param {Element} e
 * @param {string | null} [label] text of its labels, if the caller has it
 * @returns {string | null}
 */
export function credentialReason(e, label = null) {
  if (inputType(e) === "password") return "it is a password field";
  const autocomplete = secretAutocomplete(attribute(e, "autocomplete") ?? "");
  if (autocomplete) return `its autocomplete is ${autocomplete}`;
  for (const name of ["name", "id", "aria-label", "placeholder"]) {
    const found = secretWord(attribute(e, name) ?? "");
    if (found) return `its ${name} says "${found}"`;
  }
  const found = /^(input|textarea|select)$/.test(localName(e)) ? secretWord(label ?? labelText(e)) : null;
  return found ? `its label says "${found}"` : null;
}
