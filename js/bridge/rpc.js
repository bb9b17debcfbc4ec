// Frames, errors and the parameter checker: what the rooms of the bridge share (docs/protocol.md).

/**
 * @typedef {{code: string, message: string, data?: Record<string, unknown>}} FrameError
 * @typedef {{
 *   target: string, epoch: number, kind: string, id?: string, method?: string, params?: any, result?: any,
 *   error?: FrameError, deadline?: number, buffers?: number, done?: boolean,
 * }} Frame
 * @typedef {{id?: string, url?: string, tab?: unknown}} Sender
 * @typedef {{
 *   type?: string, properties?: Record<string, Schema>, required?: string[], additionalProperties?: boolean,
 *   items?: Schema, anyOf?: Schema[], enum?: unknown[], const?: unknown, pattern?: string, minLength?: number,
 *   maxLength?: number, maxItems?: number, maxProperties?: number, minimum?: number, maximum?: number,
 * }} Schema
 * @typedef {{
 *   api: string, args: string[], params: Schema, result: string[] | "*" | null, browsers: string[],
 *   idempotent: boolean, cap: number, permission: string | null,
 * }} Row
 */

/** Characters a single frame may have on any border; bigger things travel as buffers. */
export const FRAME_CHARS = 16_000_000;

/** Characters of an error's message: the end is kept, which is where a traceback says what happened. */
const ERROR_CHARS = 2_000;

/** The longest a deadline may lie ahead, so that no call is waited for without end. */
export const LONGEST_CALL_MS = 300_000;

/** An error with one of the codes of docs/protocol.md. */
export class BridgeError extends Error {
  /** @param {string} code @param {string} message @param {Record<string, unknown>} [data] */
  constructor(code, message, data) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** @param {unknown} error @returns {FrameError} What is sent of an error; strangers become `api_error`. */
export function describe(error) {
  if (error instanceof BridgeError) {
    return { code: error.code, message: error.message, ...(error.data && { data: error.data }) };
  }
  return {
    code: "api_error",
    message: String((error instanceof Error && error.message) || error).slice(-ERROR_CHARS),
  };
}

/** @param {Frame} call @param {unknown} result @param {string} target @returns {Frame} */
export function replyTo(call, result, target) {
  return { target, epoch: call.epoch ?? 0, kind: "reply", id: call.id, result: result ?? null };
}

/** @param {Frame} call @param {unknown} error @param {string} target @returns {Frame} */
export function errorTo(call, error, target) {
  return { target, epoch: call.epoch ?? 0, kind: "error", id: call.id, error: describe(error) };
}

/**
 * Settle as `promise` does, or reject with `timeout` once `deadline` (ms since 1970) is over.
 * @template T @param {Promise<T>} promise @param {number | undefined} deadline @returns {Promise<T>}
 */
export function before(promise, deadline) {
  const rest = Math.min((deadline ?? Number.POSITIVE_INFINITY) - Date.now(), LONGEST_CALL_MS);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new BridgeError("timeout", "No answer in time.")),
      Math.max(rest, 0),
    );
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/**
 * True for a message of one of this extension's own pages. A content script has our id too, but its url is the
 * web page's; the browser fills in both.
 * @param {Sender | undefined} sender @param {{id: string, getURL: (path: string) => string}} runtime
 */
export function isOwnPage(sender, runtime) {
  return Boolean(sender && sender.id === runtime.id && sender.url?.startsWith(runtime.getURL("")));
}

/**
 * True only for the supervisor page itself, which never lives in a tab.
 * @param {Sender | undefined} sender @param {{id: string, getURL: (path: string) => string}} runtime
 */
export function isSupervisor(sender, runtime) {
  return Boolean(
    sender && sender.id === runtime.id && sender.url === runtime.getURL("host.html") && !sender.tab,
  );
}

/** @type {Record<string, (value: any) => boolean>} */
const TYPES = {
  object: (v) => typeof v === "object" && v !== null && !Array.isArray(v),
  array: Array.isArray,
  string: (v) => typeof v === "string",
  integer: Number.isSafeInteger,
  number: Number.isFinite,
  boolean: (v) => typeof v === "boolean",
  null: (v) => v === null,
};

/**
 * Check a value against the part of JSON Schema that methods.json uses (a test refuses other keywords there).
 * @param {any} value @param {Schema} schema @param {string} [path] @returns {string | null} What is wrong, or null.
 */
export function mismatch(value, schema, path = "params") {
  if (schema.anyOf)
    return schema.anyOf.some((s) => !mismatch(value, s, path)) ? null : `${path} fits no alternative`;
  if (schema.type && !TYPES[schema.type](value)) return `${path} is not of type ${schema.type}`;
  if ("const" in schema && value !== schema.const) return `${path} is not ${JSON.stringify(schema.const)}`;
  if (schema.enum && !schema.enum.includes(value)) return `${path} is none of ${JSON.stringify(schema.enum)}`;
  if (typeof value === "string") {
    if (value.length > (schema.maxLength ?? FRAME_CHARS)) return `${path} is longer than ${schema.maxLength}`;
    if (value.length < (schema.minLength ?? 0)) return `${path} is shorter than ${schema.minLength}`;
    if (schema.pattern && !new RegExp(schema.pattern, "u").test(value))
      return `${path} does not match ${schema.pattern}`;
  }
  if (typeof value === "number") {
    if (value < (schema.minimum ?? value)) return `${path} is below ${schema.minimum}`;
    if (value > (schema.maximum ?? value)) return `${path} is above ${schema.maximum}`;
  }
  if (Array.isArray(value)) {
    if (value.length > (schema.maxItems ?? value.length))
      return `${path} has more than ${schema.maxItems} items`;
    return schema.items
      ? firstOf(value.map((v, i) => () => mismatch(v, schema.items ?? {}, `${path}[${i}]`)))
      : null;
  }
  return TYPES.object(value) ? objectMismatch(value, schema, path) : null;
}

/** @param {Record<string, any>} value @param {Schema} schema @param {string} path */
function objectMismatch(value, schema, path) {
  const known = schema.properties ?? {};
  const missing = schema.required?.find((key) => !Object.hasOwn(value, key));
  if (missing) return `${path}.${missing} is missing`;
  const keys = Object.keys(value);
  if (keys.length > (schema.maxProperties ?? keys.length)) return `${path} has too many properties`;
  const stranger = schema.additionalProperties === false && keys.find((key) => !Object.hasOwn(known, key));
  if (stranger) return `${path}.${stranger} is not allowed`;
  return firstOf(
    keys
      .filter((key) => Object.hasOwn(known, key))
      .map((key) => () => mismatch(value[key], known[key], `${path}.${key}`)),
  );
}

/** @param {(() => string | null)[]} checks @returns {string | null} */
function firstOf(checks) {
  for (const check of checks) {
    const found = check();
    if (found) return found;
  }
  return null;
}
