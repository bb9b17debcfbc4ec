/**
 * Which fields hold secrets. Their values never leave the page.
 */

import { attribute, localName } from "./dom.js";
import { labelText } from "./names.js";
import { inputType } from "./roles.js";

const AUTOCOMPLETE = /\b(current-password|new-password|one-time-code)\b/i;
const WORDS =
  /(?<![a-z])(pass[-_ ]?words?|pwd|passwd|pass[-_ ]?phrase|(client[-_ ]?)?secrets?|((access|refresh|auth|bearer)[-_ ]?)?tokens?|api[-_ ]?keys?|private[-_ ]?keys?|seed[-_ ]?phrases?|credentials?|otp|totp|2fa|mfa|(recovery|backup)[-_ ]?codes?|pin[-_ ]?code)(?![a-z])/i;
const LOOKED_AT = 200;

/** What is shown in place of a secret. */
export const MASK = "••••••••";

/**
 * Why a field counts as secret, `null` if it does not.
 * @param {Element} e
 * @returns {string | null}
 */
export function credentialReason(e) {
  if (inputType(e) === "password") return "it is a password field";
  const autocomplete = attribute(e, "autocomplete");
  if (autocomplete && AUTOCOMPLETE.test(autocomplete.slice(0, LOOKED_AT)))
    return `its autocomplete is ${autocomplete.slice(0, 40)}`;
  for (const name of ["name", "id", "aria-label", "placeholder"]) {
    const found = WORDS.exec(spaced(attribute(e, name) ?? ""));
    if (found) return `its ${name} says "${found[0]}"`;
  }
  const found = /^(input|textarea|select)$/.test(localName(e)) ? WORDS.exec(spaced(labelText(e))) : null;
  return found ? `its label says "${found[0]}"` : null;
}

/** @param {string} text camelCase is read as words */
function spaced(text) {
  return text.slice(0, LOOKED_AT).replace(/([a-z])([A-Z])/g, "$1 $2");
}
