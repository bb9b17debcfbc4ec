/**
 * The WebExtension API under one name. Firefox gives promises on `browser`, Chrome on `chrome`.
 *
 * @type {typeof chrome}
 */
export const ext = /** @type {any} */ (globalThis).browser?.runtime
  ? /** @type {any} */ (globalThis).browser
  : /** @type {any} */ (globalThis).chrome;
