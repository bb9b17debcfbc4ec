/**
 * Page text made fit for one line of a report that a page must not be able to forge.
 */

import { RAW_CHARS } from "./limits.js";

/**
 * Control, bidirectional-override, zero-width, filler, tag and variation characters: invisible, and able to hide or
 * reorder what a reader sees. Joiners (U+200C, U+200D) are judged separately, scripts and emoji need them.
 */
const INVISIBLE =
  /(?![\t\n\v\f\r\u0085\ufffc\ufffd]|\ufe0f|\u200c|\u200d)[\p{Default_Ignorable_Code_Point}\p{Cc}\ufff9-\uffff]/gu;
/** Joiners after plain ASCII join nothing. */
const STRAY_JOINER = /(?<![^\u0020-\u007e])[\u200c\u200d]+/gu;
/** Anything that looks like one of our own references. */
const FAKE_REF = /[[［【]\s*ref[\s_=-]*\w{0,20}\s*[\]］】]/giu;

/** Printable ASCII without quotes, backslashes and brackets, blanks only singly between words: the ordinary case. */
const PLAIN_LINE = /^[!#-Z\]-~]+(?: [!#-Z\]-~]+)*$/;

/**
 * Cut to at most `cap` units, never through a character, and mark the cut.
 * @param {string} text
 * @param {number} cap
 * @returns {string}
 */
export function cut(text, cap) {
  if (text.length <= cap) return text;
  let end = Math.max(0, cap - 1);
  const last = text.charCodeAt(end - 1);
  if (last >= 0xd800 && last < 0xdc00) end--;
  return `${text.slice(0, end)}…`;
}

/**
 * Without invisible characters and look-alike references.
 * @param {string} text
 * @returns {string}
 */
export function neutral(text) {
  return text.replace(INVISIBLE, "").replace(STRAY_JOINER, "").replace(FAKE_REF, "(ref)");
}

/**
 * One line of visible text: white space folded, edges trimmed, neutralised, cut.
 * @param {string | null | undefined} raw
 * @param {number} cap
 * @returns {string}
 */
export function line(raw, cap) {
  if (!raw) return "";
  if (raw.length <= 2 * cap) {
    const trimmed = raw.trim();
    if (trimmed.length <= cap && (!trimmed || PLAIN_LINE.test(trimmed))) return trimmed;
  }
  const folded = neutral(raw.slice(0, RAW_CHARS).replace(/[\s\u0085\u2028\u2029]+/g, " ")).trim();
  return cut(raw.length > RAW_CHARS && folded.length <= cap ? `${folded}…` : folded, cap);
}

/**
 * A field's value: blanks kept as they are, line breaks written out.
 * @param {string} raw
 * @param {number} cap
 * @returns {string}
 */
export function value(raw, cap) {
  return cut(neutral(raw.slice(0, RAW_CHARS)), cap);
}

/**
 * A quoted string of a tree line. Quotes, backslashes and line breaks are escaped, so the closing quote is ours.
 * @param {string} text
 * @returns {string}
 */
export function quote(text) {
  if (PLAIN_LINE.test(text)) return `"${text}"`;
  return `"${text
    .replace(/\\/g, "\\\\")
    .replace(/"/g, '\\"')
    .replace(/\r\n|[\n\r\u0085\u2028\u2029]/g, "\\n")
    .replace(/[\t\v\f]/g, " ")}"`;
}

/**
 * Text with its lines kept, for `read_page`, selections and values that are given back.
 * @param {string} raw
 * @returns {string}
 */
export function block(raw) {
  return neutral(raw.replace(/\r\n?|[\u0085\u2028\u2029]/g, "\n"));
}

/**
 * What two texts must share to count as the same for a reader: case, white space and invisible characters aside.
 * @param {string} text
 * @returns {string}
 */
export function folded(text) {
  return neutral(text).replace(/\s+/g, " ").trim().toLocaleLowerCase();
}

/**
 * A 53-bit fingerprint as text, for noticing change; no secrecy is claimed (cyrb53-style mixing of two 32-bit states).
 * @param {string} text
 * @returns {string}
 */
export function fingerprint(text) {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36);
}
