/**
 * Keyboard events with every field that old and new pages look at.
 */

import { dispatch, viewOf } from "./dom.js";

/** @type {Record<string, number>} */
const CODES = {
  Enter: 13,
  Tab: 9,
  Escape: 27,
  ArrowLeft: 37,
  ArrowUp: 38,
  ArrowRight: 39,
  ArrowDown: 40,
  " ": 32,
};
/** Punctuation on a US keyboard: virtual key code and the key's place. @type {Record<string, [number, string]>} */
const PUNCTUATION = {
  "-": [189, "Minus"],
  "=": [187, "Equal"],
  ",": [188, "Comma"],
  ".": [190, "Period"],
  "/": [191, "Slash"],
  ";": [186, "Semicolon"],
  "'": [222, "Quote"],
  "[": [219, "BracketLeft"],
  "]": [221, "BracketRight"],
  "\\": [220, "Backslash"],
  "`": [192, "Backquote"],
};

/** @param {string} key @returns {{ keyCode: number, code: string }} */
function placeOf(key) {
  const named = CODES[key];
  if (named !== undefined) return { keyCode: named, code: key === " " ? "Space" : key };
  if (/^[a-z]$/i.test(key))
    return { keyCode: key.toUpperCase().charCodeAt(0), code: `Key${key.toUpperCase()}` };
  if (/^\d$/.test(key)) return { keyCode: key.charCodeAt(0), code: `Digit${key}` };
  const mark = PUNCTUATION[key];
  return mark ? { keyCode: mark[0], code: mark[1] } : { keyCode: 0, code: "" };
}

/**
 * Press a key down, as far as its character.
 * @param {Element} e
 * @param {string} key
 * @returns {{ allowed: boolean, up: () => void }} whether the page left the key's effect to us; `up` releases it
 */
export function sendKey(e, key) {
  const { keyCode, code } = placeOf(key);
  const printable = key.length === 1 || Array.from(key).length === 1;
  const base = {
    key,
    code,
    bubbles: true,
    cancelable: true,
    composed: true,
    view: viewOf(e),
    shiftKey: /^[A-Z]$/.test(key),
  };
  let allowed = dispatch(e, new KeyboardEvent("keydown", { ...base, keyCode, which: keyCode }));
  if (allowed && (printable || key === "Enter")) {
    const charCode = key === "Enter" ? 13 : (key.codePointAt(0) ?? 0);
    allowed = dispatch(
      e,
      new KeyboardEvent("keypress", { ...base, keyCode: charCode, charCode, which: charCode }),
    );
  }
  return { allowed, up: () => dispatch(e, new KeyboardEvent("keyup", { ...base, keyCode, which: keyCode })) };
}
