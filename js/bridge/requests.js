// What pages ask their servers for by script, in the tabs a run watches because the user switched that on. What a
// request carries stays in this page: Python learns methods, addresses and names of headers, and may have a request
// sent once more by its id, by the page that sent it.

import { BridgeError, mismatch } from "./rpc.js";

/** Requests kept of a tab, the newest ones. */
const KEPT = 40;
/** Characters of a body that can be sent again; of an address; of one header. */
export const BODY_CHARS = 16_000;
const ADDRESS_CHARS = 2_000;
const HEADER_CHARS = 4_000;
const HEADER_NAMES = 40;
/** Requests of a tab whose head has not followed yet. */
const PENDING = 100;
/** Lines of a body that a person is shown, and characters of each. */
const LINES = 20;
const LINE_CHARS = 200;

/** Headers that go along again. None that says who asks: cookies are added by the browser. */
const REPEATED =
  /^(accept|content-type|x-requested-with|x-github-requested-with|x-turbo-request-id|(x-)?(csrf|xsrf)-?token)$/;
/** A request with one of these is nothing without it, and it is not kept. */
const PERSONAL = /^(authorization|proxy-authorization|x-api-key|x-auth-token|api-key)$/;
/** Names of what nobody is shown. */
const SECRET_NAME =
  /csrf|xsrf|token|auth|secret|session|\bsid\b|nonce|signature|passw|\bpwd\b|\botp\b|\bpin\b|api_?key|captcha|viewstate|credential/i;
/** Letters and digits in a row that nobody wrote. */
const RANDOM = /(?=[\w+/=~-]*\d)(?=[\w+/=~-]*[a-z])[\w+/=~-]{20,}/gi;
export const MASK = "••••••••";

const TAB = { type: "integer", minimum: 0 };
const ID = { type: "string", minLength: 1, maxLength: 64 };
/** @param {Record<string, import("./rpc.js").Schema>} properties @returns {import("./rpc.js").Schema} */
const all = (properties) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
/** @type {Record<string, import("./rpc.js").Schema>} */
const PARAMS = {
  "requests.watch": all({ tabId: TAB }),
  "requests.forget": all({ tabId: TAB }),
  "requests.list": all({ tabId: TAB }),
  "requests.describe": all({ tabId: TAB, id: ID }),
  "requests.replay": all({ tabId: TAB, id: ID }),
};

/**
 * A request as it was seen. `body` is null if it has none, undefined if it has one that cannot be sent again.
 * @typedef {{method: string, url: string, at: number, document: string, headers: Record<string, string>,
 *   body: string | null | undefined}} Seen
 * @typedef {Seen & {id: string, shown: string, again: boolean}} Kept
 * @typedef {{kept: Kept[], sending: string, deafen: () => void}} Watch
 */

/** @param {string} method */
export const isRequestMethod = (method) => Object.hasOwn(PARAMS, method);

export class Requests {
  /** @type {Map<number, Watch>} */
  #watched = new Map();

  /**
   * @param {any} api The browser's interface; where it has `webRequest`, requests are heard here.
   * @param {(tabId: number, request: {method: string, url: string, headers: Record<string, string>, body: string | null}) =>
   *   Promise<any>} send Have a page send a request; its answer.
   */
  constructor(api, send) {
    this.api = api;
    this.send = send;
  }

  /** @param {number} tabId @returns {boolean} */
  watches(tabId) {
    return this.#watched.has(tabId);
  }

  /** @param {number} tabId @param {Seen} seen */
  take(tabId, seen) {
    const watch = this.#watched.get(tabId);
    if (!watch || !/^https?:\/\//.test(seen.url) || seen.url.length > ADDRESS_CHARS) return;
    if (`${seen.method} ${seen.url}` === watch.sending) return;
    const names = Object.keys(seen.headers).map((name) => name.toLowerCase());
    const again = seen.body !== undefined && sameOrigin(seen.url, seen.document) && !names.some(isPersonal);
    const id = `rq_${Array.from(crypto.getRandomValues(new Uint32Array(3)), (n) => n.toString(36)).join("")}`;
    watch.kept.push({ ...seen, id, shown: shownAddress(seen.url), again });
    if (watch.kept.length > KEPT) watch.kept.shift();
  }

  /** Forget a tab, and hear of it no more. @param {number} tabId */
  forget(tabId) {
    this.#watched.get(tabId)?.deafen();
    this.#watched.delete(tabId);
  }

  /** As when the Worker that asked is gone. */
  forgetAll() {
    for (const tabId of [...this.#watched.keys()]) this.forget(tabId);
  }

  /** @param {string} method @param {any} params @returns {Promise<unknown>} */
  async call(method, params) {
    const wrong = mismatch(params, /** @type {import("./rpc.js").Schema} */ (PARAMS[method]));
    if (wrong) throw new BridgeError("bad_params", wrong);
    const { tabId, id } = params;
    if (method === "requests.watch") this.#watch(tabId);
    else if (method === "requests.forget") this.forget(tabId);
    else if (method === "requests.list") return { requests: this.#list(tabId) };
    else if (method === "requests.describe") return described(this.#known(tabId, id));
    else return this.#replay(tabId, this.#known(tabId, id));
    return { ok: true };
  }

  /** @param {number} tabId */
  #watch(tabId) {
    if (this.watches(tabId)) return;
    const deafen = this.api.webRequest
      ? hear(this.api.webRequest, tabId, (seen) => this.take(tabId, seen))
      : () => {};
    this.#watched.set(tabId, { kept: [], sending: "", deafen });
  }

  /** @param {number} tabId */
  #list(tabId) {
    const now = Date.now();
    return (this.#watched.get(tabId)?.kept ?? []).map(({ id, method, shown, at, body, headers, again }) => ({
      id,
      method,
      url: shown,
      agoMs: Math.max(now - at, 0),
      hasBody: body !== null,
      headerNames: Object.keys(headers).slice(0, HEADER_NAMES),
      replayable: again,
    }));
  }

  /** @param {number} tabId @param {string} id @returns {Kept} */
  #known(tabId, id) {
    const found = this.#watched.get(tabId)?.kept.find((one) => one.id === id && one.again);
    if (!found)
      throw new BridgeError(
        "unknown_request",
        "No request of this tab that could be sent again has this id.",
      );
    return found;
  }

  /** @param {number} tabId @param {Kept} kept */
  async #replay(tabId, kept) {
    const watch = /** @type {Watch} */ (this.#watched.get(tabId));
    const headers = Object.fromEntries(
      Object.entries(kept.headers).filter(
        ([name, value]) => REPEATED.test(name.toLowerCase()) && value.length <= HEADER_CHARS,
      ),
    );
    // What is sent again is none of the page's own doing, so it is no sign of what presses do.
    watch.sending = `${kept.method} ${kept.url}`;
    try {
      return await this.send(tabId, { method: kept.method, url: kept.url, headers, body: kept.body ?? null });
    } finally {
      watch.sending = "";
    }
  }
}

/** @param {string} name */
const isPersonal = (name) => PERSONAL.test(name);

/** @param {string} a @param {string} b */
function sameOrigin(a, b) {
  try {
    return new URL(a).origin === new URL(b).origin;
  } catch {
    return false;
  }
}

/** @param {string} name @param {string} value @returns {boolean} whether it is shown to nobody */
function isSecret(name, value) {
  return SECRET_NAME.test(name) || value.search(RANDOM) >= 0;
}

/** @param {string} address @returns {string} the address without what it has of secrets */
export function shownAddress(address) {
  const url = new URL(address);
  url.username = url.password = url.hash = "";
  for (const [name, value] of [...url.searchParams])
    if (isSecret(name, value)) url.searchParams.set(name, MASK);
  return url.href;
}

/**
 * What a person is shown of a request.
 * @param {Kept} kept
 */
function described({ method, shown, body, headers }) {
  const lines = body ? fieldsOf(body, contentType(headers)) : [];
  return {
    method,
    url: shown,
    fields: lines.slice(0, LINES).map(([name, value]) => {
      const masked = isSecret(name, value);
      return { name: name.slice(0, LINE_CHARS), value: masked ? MASK : value.slice(0, LINE_CHARS), masked };
    }),
    more: Math.max(lines.length - LINES, 0),
  };
}

/** @param {string} body @param {string} type @returns {[string, string][]} */
function fieldsOf(body, type) {
  if (/x-www-form-urlencoded/i.test(type)) return [...new URLSearchParams(body)];
  try {
    const parsed = JSON.parse(body);
    if (parsed && typeof parsed === "object") return leaves(parsed, "");
  } catch {
    // Text of some other kind.
  }
  return [["Body", body.replace(RANDOM, MASK)]];
}

/** @param {object} value @param {string} path @returns {[string, string][]} every value of a JSON with the way to it */
function leaves(value, path) {
  return Object.entries(value).flatMap(([key, item]) => {
    const at = path ? `${path}.${key}` : key;
    return item && typeof item === "object"
      ? leaves(item, at)
      : [/** @type {[string, string]} */ ([at, String(item)])];
  });
}

/**
 * Hear the requests that scripts of a tab make, until the answer is called.
 * @param {any} webRequest @param {number} tabId @param {(seen: Seen) => void} tell
 */
function hear(webRequest, tabId, tell) {
  /** By the browser's id of a request; a redirect repeats it. @type {Map<string, Seen>} */
  const pending = new Map();
  const filter = { urls: ["<all_urls>"], types: ["xmlhttprequest"], tabId };
  const begins = (/** @type {any} */ details) => {
    const { requestId, method, url, timeStamp, documentUrl, originUrl, requestBody } = details;
    if (pending.has(requestId)) return;
    if (pending.size >= PENDING) pending.clear();
    pending.set(requestId, {
      method,
      url,
      at: timeStamp,
      document: documentUrl ?? originUrl ?? "",
      headers: {},
      body: textOf(requestBody),
    });
  };
  const hasHead = (/** @type {any} */ { requestId, requestHeaders }) => {
    const seen = pending.get(requestId);
    if (!seen) return;
    pending.delete(requestId);
    const named = (requestHeaders ?? []).filter((/** @type {any} */ one) => !/^cookie$/i.test(one.name));
    const headers = Object.fromEntries(
      named.map((/** @type {any} */ { name, value }) => [name, String(value ?? "")]),
    );
    tell({ ...seen, headers, body: hasParts(headers) ? undefined : seen.body });
  };
  webRequest.onBeforeRequest.addListener(begins, filter, ["requestBody"]);
  webRequest.onBeforeSendHeaders.addListener(hasHead, filter, ["requestHeaders"]);
  return () => {
    webRequest.onBeforeRequest.removeListener(begins);
    webRequest.onBeforeSendHeaders.removeListener(hasHead);
  };
}

/** @param {Record<string, unknown>} headers @returns {boolean} whether the body has a boundary in it, files perhaps */
const hasParts = (headers) => /^multipart/i.test(contentType(headers));

/** @param {Record<string, unknown>} headers */
const contentType = (headers) =>
  String(Object.entries(headers).find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "");

/** @param {any} body as `webRequest` tells it @returns {string | null | undefined} */
function textOf(body) {
  if (!body) return null;
  if (body.error) return undefined;
  if (body.formData) {
    const pairs = Object.entries(body.formData).flatMap(([name, values]) =>
      /** @type {string[]} */ (values).map((value) => [name, value]),
    );
    return within(new URLSearchParams(pairs).toString());
  }
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true });
    const parts = body.raw ?? [];
    if (parts.some((/** @type {any} */ part) => !part.bytes || part.bytes.byteLength > 4 * BODY_CHARS))
      return undefined;
    return within(parts.map((/** @type {any} */ part) => decoder.decode(part.bytes)).join(""));
  } catch {
    return undefined;
  }
}

/** @param {string} text @returns {string | undefined} */
const within = (text) => (text.length <= BODY_CHARS ? text : undefined);

/**
 * A report of the debugger as a request that was seen; null for what no script asked for.
 * @param {any} report `Network.requestWillBeSent` @returns {Seen | null}
 */
export function seenOf({ type, documentURL, wallTime, request, redirectResponse }) {
  if (!["XHR", "Fetch"].includes(type) || redirectResponse) return null;
  const { method, url, headers, postData, hasPostData } = request;
  const whole = postData === undefined || hasParts(headers) ? undefined : within(postData);
  return {
    method,
    url,
    at: wallTime * 1_000,
    document: documentURL,
    headers: Object.fromEntries(
      Object.entries(headers)
        .filter(([name]) => !/^cookie$/i.test(name))
        .slice(0, HEADER_NAMES)
        .map(([name, value]) => [name, String(value).slice(0, HEADER_CHARS)]),
    ),
    body: hasPostData || postData !== undefined ? whole : null,
  };
}
