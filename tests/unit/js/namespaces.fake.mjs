// Namespaces of the browser's API that remember who listens; whatever else they are asked for does nothing.

/** @type {Record<string, any[]>} By the event's full name. */
export const listeners = {};

/** @param {string} name @returns {any} */
const space = (name) =>
  new Proxy(/** @type {any} */ ({}), {
    get: (known, key) =>
      known[key] ??
      (String(key).startsWith("on")
        ? {
            addListener: (/** @type {any} */ listener) => {
              const full = `${name}.${String(key)}`;
              listeners[full] = [...(listeners[full] ?? []), listener];
            },
          }
        : async () => undefined),
  });

const NAMES = [
  "runtime",
  "tabs",
  "webNavigation",
  "downloads",
  "debugger",
  "alarms",
  "offscreen",
  "sidePanel",
];

/** @returns {any} All that the service worker uses. */
export function namespaces() {
  const storage = { local: space("storage.local"), onChanged: space("storage").onChanged };
  return { ...Object.fromEntries(NAMES.map((name) => [name, space(name)])), storage };
}
