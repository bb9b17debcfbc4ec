/**
 * Arguments as they come in a message, made usable.
 */

/**
 * A whole number within bounds.
 * @param {unknown} given
 * @param {number} standard
 * @param {number} min
 * @param {number} max
 * @returns {number}
 */
export function whole(given, standard, min, max) {
  const n =
    typeof given === "number"
      ? given
      : typeof given === "string" && given.trim()
        ? Number(given)
        : Number.NaN;
  return Number.isFinite(n) ? Math.min(max, Math.max(min, Math.round(n))) : standard;
}
