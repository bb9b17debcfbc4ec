// What is kept in IndexedDB, in one database (docs/protocol.md): append-only records keyed [stream, seq] (`store.*`), and
// tables of entries that may be replaced, keyed by an id or by [id, number] (`table.*`).

import { openDB } from "idb";
import { BridgeError, mismatch } from "./rpc.js";

const DATABASE = "webbrain_journal";
const RECORDS = "records";
/** 1: records. 2: the tables. An upgrade adds, and leaves what is there alone. */
const VERSION = 2;
/** Each table's field that says when an entry was, in ms since 1970; null: it is never listed by time. */
const TABLES = { runs: "startedAt", events: null, shots: null, conversations: "updatedAt" };
const TIME = "time";

/** Characters of records in one answer; the caller asks again for the rest. */
const READ_CHARS = 4_000_000;
const MAX_RECORDS = 10_000;

const STREAM = { type: "string", minLength: 1, maxLength: 200 };
const TABLE = { enum: Object.keys(TABLES) };
const ID = STREAM;
const NUMBER = { type: "integer", minimum: 0 };
const LIMIT = { type: "integer", minimum: 1, maximum: MAX_RECORDS };
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
      after: NUMBER,
      limit: LIMIT,
    },
    required: ["stream", "after", "limit"],
  },
  "store.streams": {},
  "store.delete": { properties: { stream: STREAM }, required: ["stream"] },
  "table.put": {
    properties: {
      entries: {
        type: "array",
        maxItems: MAX_RECORDS,
        items: {
          type: "object",
          properties: { table: TABLE, id: ID, n: NUMBER, value: { type: "object" } },
          required: ["table", "id", "value"],
          additionalProperties: false,
        },
      },
    },
    required: ["entries"],
  },
  "table.get": {
    properties: { table: TABLE, ids: { type: "array", maxItems: MAX_RECORDS, items: ID } },
    required: ["table", "ids"],
  },
  "table.newest": {
    properties: {
      table: { enum: Object.keys(TABLES).filter((name) => TABLES[/** @type {Table} */ (name)]) },
      before: {
        type: "object",
        properties: { time: { type: "number" }, id: ID },
        required: ["time", "id"],
        additionalProperties: false,
      },
      limit: LIMIT,
    },
    required: ["table", "limit"],
  },
  "table.under": {
    properties: { table: TABLE, id: ID, after: NUMBER, limit: LIMIT },
    required: ["table", "id", "after", "limit"],
  },
  "table.delete": {
    properties: {
      tables: { type: "array", maxItems: Object.keys(TABLES).length, items: TABLE },
      ids: { type: "array", maxItems: MAX_RECORDS, items: ID },
    },
    required: ["tables"],
  },
};

/** @typedef {keyof typeof TABLES} Table */
/** @typedef {{table: Table, id: string, n?: number, value: object}} Entry */
/** @typedef {import("idb").IDBPDatabase} Database */

/** @type {Promise<Database> | null} */
let opening = null;

function database() {
  opening ??= openDB(DATABASE, VERSION, {
    upgrade,
    // Another version of ours wants to upgrade, or the browser closed the file: open it anew at the next call.
    blocking: (_old, _new, event) => {
      opening = null;
      /** @type {IDBDatabase} */ (event.target).close();
    },
    terminated: () => {
      opening = null;
    },
  }).catch((error) => {
    opening = null;
    throw error;
  });
  return opening;
}

/** @param {Database} db @param {number} from The version that is there; 0: none. */
function upgrade(db, from) {
  if (from < 1) db.createObjectStore(RECORDS);
  if (from < 2) {
    for (const [name, time] of Object.entries(TABLES)) {
      const table = db.createObjectStore(name);
      if (time) table.createIndex(TIME, time);
    }
  }
}

// In IndexedDB's order an array sorts after every number, so [stream, []] lies behind the stream's last record.
/** @param {string} stream @param {number} [after] */
const range = (stream, after = 0) => IDBKeyRange.bound([stream, after], [stream, []], true);

/** @param {[string, number]} key */
const last = (key) => key[1];

/**
 * What a cursor finds, as far as one answer may hold it.
 * @param {import("idb").IDBPCursorWithValue<any, any, any, any, any> | null} first @param {number} limit
 * @param {(key: any) => unknown} name What the caller knows an entry by.
 */
async function gather(first, limit, name) {
  const found = [];
  let chars = 0;
  for (let cursor = first; cursor; cursor = await cursor.continue()) {
    chars += JSON.stringify(cursor.value).length;
    if (found.length && (chars > READ_CHARS || found.length === limit)) return { found, more: true };
    found.push([name(cursor.primaryKey), cursor.value]);
  }
  return { found, more: false };
}

/**
 * Do all of it or nothing.
 * @param {{abort: () => void, done: Promise<void>}} tx @param {() => Promise<unknown>[]} work
 */
async function whole(tx, work) {
  try {
    await Promise.all([...work(), tx.done]);
  } catch (error) {
    tx.done.catch(() => {});
    try {
      tx.abort();
    } catch {} // the browser has aborted it
    throw error;
  }
}

/** @type {Record<string, (params: any) => Promise<unknown>>} */
const HANDLERS = {
  "store.append": async ({ stream, records }) => {
    const tx = (await database()).transaction(RECORDS, "readwrite");
    const newest = await tx.store.openKeyCursor(range(stream), "prev");
    let seq = newest ? last(/** @type {[string, number]} */ (newest.key)) : 0;
    await whole(tx, () =>
      records.map((/** @type {object} */ record) => tx.store.put(record, [stream, ++seq])),
    );
    return { seq };
  },
  "store.read": async ({ stream, after, limit }) => {
    const store = (await database()).transaction(RECORDS).store;
    const { found, more } = await gather(await store.openCursor(range(stream, after)), limit, last);
    return { records: found, more };
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
  "table.put": async ({ entries }) => {
    const tables = [...new Set(entries.map((/** @type {Entry} */ entry) => entry.table))];
    if (!tables.length) return { ok: true };
    const tx = (await database()).transaction(tables, "readwrite");
    await whole(tx, () =>
      entries.map((/** @type {Entry} */ { table, id, n, value }) =>
        tx.objectStore(table).put(value, n === undefined ? id : [id, n]),
      ),
    );
    return { ok: true };
  },
  "table.get": async ({ table, ids }) => {
    const store = (await database()).transaction(table).store;
    const values = await Promise.all(ids.map((/** @type {string} */ id) => store.get(id)));
    return { values: values.map((value) => value ?? null) };
  },
  "table.newest": async ({ table, before, limit }) => {
    const index = (await database()).transaction(table).store.index(TIME);
    const until = before ? IDBKeyRange.upperBound(before.time) : null;
    let cursor = await index.openCursor(until, "prev");
    while (cursor && before && cursor.key === before.time && cursor.primaryKey >= before.id)
      cursor = await cursor.continue();
    const { found, more } = await gather(cursor, limit, (key) => key);
    return { entries: found, more };
  },
  "table.under": async ({ table, id, after, limit }) => {
    const store = (await database()).transaction(table).store;
    const { found, more } = await gather(await store.openCursor(range(id, after)), limit, last);
    return { entries: found, more };
  },
  "table.delete": async ({ tables, ids }) => {
    if (!tables.length) return { ok: true };
    const tx = (await database()).transaction(tables, "readwrite");
    await whole(tx, () =>
      tables.flatMap((/** @type {Table} */ table) => {
        const store = tx.objectStore(table);
        const under = (/** @type {string} */ id) => [id, IDBKeyRange.bound([id], [id, []])];
        return ids ? ids.flatMap(under).map((/** @type {any} */ key) => store.delete(key)) : [store.clear()];
      }),
    );
    return { ok: true };
  },
};

/** What the user must know of a refusal, by the name of the browser's error. @type {Record<string, string>} */
const REASONS = {
  QuotaExceededError: "full",
  VersionError: "newer",
};
/** @type {Record<string, string>} */
const SAID = {
  full: "The browser's storage is full.",
  newer: "What is stored was written by a newer version of this extension. Update the extension to use it.",
};

/**
 * Answer one call.
 * @param {string} method @param {unknown} params @returns {Promise<unknown>} Errors: `bad_params`; `store_failed`, with
 * `data.reason` `full`, `newer` (a newer build's database) or `broken`.
 */
export async function store(method, params) {
  const wrong = mismatch(params, { type: "object", ...PARAMS[method] });
  if (wrong) throw new BridgeError("bad_params", wrong);
  try {
    return await HANDLERS[method](params);
  } catch (error) {
    const reason = REASONS[/** @type {Error} */ (error)?.name] ?? "broken";
    const said =
      SAID[reason] ?? `The browser's storage refused: ${error instanceof Error ? error.message : error}`;
    throw new BridgeError("store_failed", said, { reason });
  }
}

/** @param {string} method */
export const isStoreMethod = (method) => Object.hasOwn(HANDLERS, method);
