import { language, t } from "./i18n.js";

/**
 * A duration as people read it: `480 ms`, `3.2 s`, `1 min 05 s`.
 *
 * @param {number} ms
 * @returns {string}
 */
export function duration(ms) {
  if (ms < 1000) return t("unit_ms", { n: Math.round(ms) });
  const seconds = ms / 1000;
  if (seconds < 59.5) {
    const digits = seconds < 9.95 ? 1 : 0;
    return t("unit_s", { n: number(seconds, digits) });
  }
  const whole = Math.round(seconds);
  return t("unit_min", { m: Math.floor(whole / 60), s: String(whole % 60).padStart(2, "0") });
}

/**
 * Whole seconds, for a clock that ticks.
 *
 * @param {number} ms
 * @returns {string}
 */
export function elapsed(ms) {
  const whole = Math.max(0, Math.floor(ms / 1000));
  if (whole < 60) return t("unit_s", { n: whole });
  return t("unit_min", { m: Math.floor(whole / 60), s: String(whole % 60).padStart(2, "0") });
}

/**
 * @param {number} value
 * @param {number} [digits]
 * @returns {string}
 */
export function number(value, digits = 0) {
  return value.toLocaleString(language.value, { minimumFractionDigits: 0, maximumFractionDigits: digits });
}

/**
 * JSON text laid out for reading; anything else comes back as it is.
 *
 * @param {string} text
 * @returns {string}
 */
export function prettyJson(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "string" ? value : JSON.stringify(value, null, 2);
  } catch {
    return text;
  }
}

/**
 * The host of an address, or the address itself if it has none.
 *
 * @param {string} url
 * @returns {string}
 */
export function hostOf(url) {
  try {
    const parsed = new URL(url);
    return parsed.host || url;
  } catch {
    return url;
  }
}
