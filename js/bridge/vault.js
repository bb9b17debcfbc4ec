// The settings, keys of providers among them, where no content script reaches them: IndexedDB of the extension's own
// origin. For browsers in which content scripts may read and write storage.local (docs/security-model.md).

import { openDB } from "idb";

const DATABASE = "webbrain_settings";
const VALUES = "values";
/** What is known of the store itself, apart from the settings. */
const ABOUT = "about";
const MOVED = "moved";
const VERSION = 1;

/**
 * An object with the interface of `storage.local`. What an older version left in `area` moves over before the first
 * call is answered; until that has worked nothing is answered at all.
 * @param {{get: (keys: null) => Promise<Record<string, unknown>>, remove: (keys: string[]) => Promise<void>}} area
 */
export function vault(area) {
  /** @type {Promise<import("idb").IDBPDatabase> | null} */
  let opening = null;

  function database() {
    opening ??= opened(area, gone).catch((error) => {
      opening = null;
      throw error;
    });
    return opening;
  }

  /** The browser closed the file, or it is to be replaced: open it anew at the next call. */
  function gone() {
    opening = null;
  }

  return {
    /** @param {null | undefined | string | string[]} keys @returns {Promise<Record<string, unknown>>} */
    async get(keys) {
      const tx = (await database()).transaction(VALUES);
      const wanted = keys === null || keys === undefined ? await tx.store.getAllKeys() : [keys].flat();
      /** @type {Record<string, unknown>} */
      const found = {};
      for (const key of wanted) {
        const value = await tx.store.get(key);
        if (value !== undefined) found[String(key)] = value;
      }
      return found;
    },

    /** @param {Record<string, unknown>} items */
    async set(items) {
      const tx = (await database()).transaction(VALUES, "readwrite");
      for (const [key, value] of Object.entries(items)) void tx.store.put(value, key);
      await tx.done;
    },

    /** @param {string | string[]} keys */
    async remove(keys) {
      const tx = (await database()).transaction(VALUES, "readwrite");
      for (const key of [keys].flat()) void tx.store.delete(key);
      await tx.done;
    },
  };
}

/** @param {Parameters<typeof vault>[0]} area @param {() => void} gone */
async function opened(area, gone) {
  const db = await openDB(DATABASE, VERSION, {
    upgrade: (fresh) => {
      fresh.createObjectStore(VALUES);
      fresh.createObjectStore(ABOUT);
    },
    blocking: (_old, _new, event) => {
      /** @type {IDBDatabase} */ (event.target).close();
      gone();
    },
    terminated: gone,
  });
  const old = await area.get(null);
  // Once only: content scripts can write there as well, and nobody but this vault has any business there later.
  if (!(await db.get(ABOUT, MOVED))) {
    const tx = db.transaction([VALUES, ABOUT], "readwrite");
    for (const [key, value] of Object.entries(old)) void tx.objectStore(VALUES).put(value, key);
    void tx.objectStore(ABOUT).put(true, MOVED);
    await tx.done;
  }
  const keys = Object.keys(old);
  if (keys.length) await area.remove(keys);
  return db;
}
