// Append-only records in IndexedDB: one database, one object store keyed [stream, seq] (docs/protocol.md, `store.*`).

import { openDB } from "idb";
import { BridgeError, mismatch } from "./rpc.js";

const DATABASE = "webbrain_journal";
const RECORDS = "records";
const VERSION = 1;

/** Characters of records in one answer; the caller asks again for the rest. */
const READ_CHARS = 4_000_000;
const MAX_RECORDS = 10_000;

const STREAM = { type: "string", minLength: 1, maxLength: 200 };
/** @type {Record<string, import("./rpc.js").Schema>} */
const PARAMS = {
  "store.append": {
    properties: {
      stream: STREAM,
      records: { type: "array", maxItems: MAX_RECORDS, items: { type: "object" } },
    },
    required: ["stream", "records"],
  },
  "store.read": {
    properties: {
      stream: STREAM,
      after: { type: "integer", minimum: 0 },
      limit: { type: "integer", minimum: 1, maximum: MAX_RECORDS },
    },
    required: ["stream", "after", "limit"],
  },
  "store.streams": {},
  "store.delete": { properties: { stream: STREAM }, required: ["stream"] },
};

/** @type {Promise<import("idb").IDBPDatabase> | null} */
let opening = null;

function database() {
  opening ??= openDB(DATABASE, VERSION, {
    upgrade: (db) => void db.createObjectStore(RECORDS),
    // Another version of ours wants to upgrade, or the browser closed the file: open it anew at the next call.
    blocking: (_old, _new, event) => /** @type {IDBDatabase} */ (event.target).close(),
    terminated: () => {
      opening = null;
    },
  }).catch((error) => {
    opening = null;
    throw error;
  });
  return opening;
}

// In IndexedDB's order an array sorts after every number, so [stream, []] lies behind the stream's last record.
/** @param {string} stream @param {number} [after] */
const range = (stream, after = 0) => IDBKeyRange.bound([stream, after], [stream, []], true);

/** @type {Record<string, (params: any) => Promise<unknown>>} */
const HANDLERS = {
  "store.append": async ({ stream, records }) => {
    const tx = (await database()).transaction(RECORDS, "readwrite");
    const last = await tx.store.openKeyCursor(range(stream), "prev");
    let seq = last ? /** @type {[string, number]} */ (last.key)[1] : 0;
    for (const record of records) void tx.store.put(record, [stream, ++seq]);
    await tx.done;
    return { seq };
  },
  "store.read": async ({ stream, after, limit }) => {
    const records = [];
    let chars = 0;
    const store = (await database()).transaction(RECORDS).store;
    for (
      let cursor = await store.openCursor(range(stream, after));
      cursor;
      cursor = await cursor.continue()
    ) {
      chars += JSON.stringify(cursor.value).length;
      if (records.length && chars > READ_CHARS) return { records, more: true };
      records.push([/** @type {[string, number]} */ (cursor.key)[1], cursor.value]);
      if (records.length === limit) break;
    }
    return { records, more: false };
  },
  "store.streams": async () => {
    const streams = [];
    const store = (await database()).transaction(RECORDS).store;
    let cursor = await store.openKeyCursor();
    while (cursor) {
      const stream = /** @type {[string, number]} */ (cursor.key)[0];
      streams.push(stream);
      cursor = await cursor.continue([stream, []]);
    }
    return { streams };
  },
  "store.delete": async ({ stream }) => {
    await (await database()).delete(RECORDS, range(stream));
    return { ok: true };
  },
};

/** @param {string} method @param {unknown} params @returns {Promise<unknown>} Errors: `bad_params`, `store_failed`. */
export async function store(method, params) {
  const wrong = mismatch(params, { type: "object", ...PARAMS[method] });
  if (wrong) throw new BridgeError("bad_params", wrong);
  try {
    return await HANDLERS[method](params);
  } catch (error) {
    throw new BridgeError(
      "store_failed",
      `The browser's storage refused: ${error instanceof Error ? error.message : error}`,
    );
  }
}

/** @param {string} method */
export const isStoreMethod = (method) => Object.hasOwn(HANDLERS, method);
