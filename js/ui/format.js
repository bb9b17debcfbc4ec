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

/** Less than this is shown as such: nobody needs to know whether it was a hundredth of a cent. */
const SMALLEST_USD = 0.001;

/**
 * US dollars: `$3.20`, `$0.013`, `< $0.001`.
 *
 * @param {number} usd
 * @returns {string}
 */
export function money(usd) {
  if (usd > 0 && usd < SMALLEST_USD) return `< ${dollars(SMALLEST_USD, 3)}`;
  return dollars(usd, usd > 0 && usd < 0.995 ? 3 : 2);
}

/**
 * @param {number} usd
 * @param {number} digits
 */
function dollars(usd, digits) {
  return usd.toLocaleString(language.value, {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: 2,
    maximumFractionDigits: digits,
  });
}

/**
 * A count as people read it: `840`, `12.4k`.
 *
 * @param {number} count
 * @returns {string}
 */
export function compact(count) {
  return count.toLocaleString(language.value, { notation: "compact", maximumFractionDigits: 1 });
}

/**
 * The size of a file: `840 B`, `12 kB`, `3.4 MB`.
 *
 * @param {number} count
 * @returns {string}
 */
export function bytes(count) {
  if (count < 1_000) return `${number(count)} B`;
  return count < 1_000_000 ? `${number(count / 1_000)} kB` : `${number(count / 1_000_000, 1)} MB`;
}

/**
 * The time of day.
 *
 * @param {number} at milliseconds since 1970
 * @returns {string}
 */
export function time(at) {
  return new Date(at).toLocaleTimeString(language.value, { hour: "2-digit", minute: "2-digit" });
}

/**
 * A day as people name it: today, yesterday, or its date, with the year if it is another one.
 *
 * @param {number} at its first moment, in milliseconds since 1970
 * @returns {string}
 */
export function day(at) {
  const date = new Date(at);
  const today = new Date();
  today.setHours(0, 0, 0, 0);
  const before = new Date(today);
  before.setDate(before.getDate() - 1);
  if (date >= today) return t("history_today");
  if (date >= before) return t("history_yesterday");
  return date.toLocaleDateString(language.value, {
    weekday: "short",
    day: "numeric",
    month: "long",
    ...(date.getFullYear() !== today.getFullYear() && { year: "numeric" }),
  });
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
