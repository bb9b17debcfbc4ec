/**
 * `replay_request`: send once more what the page has sent before, as the page itself. What it carries comes from the
 * extension's own memory and is not in the answer.
 */

import { Refusal } from "./session.js";

/** Characters of an answer's text that are returned. */
const TEXT_CHARS = 120_000;
const METHODS = /^(GET|HEAD|POST|PUT|PATCH|DELETE)$/;

/** @typedef {import("./session.js").Args} Args */
/** @typedef {import("./session.js").Answer} Answer */

/**
 * @param {Args} args `method`, `url`, `headers`, `body` (text or null)
 * @returns {Promise<Answer>}
 * @throws {Refusal} `other_origin`, `redirected`, `net_refused`
 */
export async function replayRequest(args) {
  const url = new URL(String(args.url));
  if (url.origin !== window.location.origin)
    throw new Refusal("other_origin", "The page is of another origin than this request, so it was not sent.");
  const method = String(args.method);
  if (!METHODS.test(method)) throw new Refusal("bad_method", "A request of this kind is not sent again.");
  // A content script of Firefox speaks for the extension unless it asks as the page.
  const page = /** @type {any} */ (globalThis).content ?? globalThis;
  const body = args.body === null || args.body === undefined ? undefined : String(args.body);
  let response;
  try {
    response = await page.fetch(url.href, {
      method,
      headers: /** @type {Record<string, string>} */ (args.headers ?? {}),
      credentials: "same-origin",
      // Wherever a redirect leads, it would be another request than the one that was allowed.
      redirect: "manual",
      cache: "no-store",
      ...(body === undefined ? {} : { body }),
    });
  } catch {
    throw new Refusal("net_refused", "The page could not send this request.", { sent: true });
  }
  if (response.type === "opaqueredirect")
    throw new Refusal("redirected", "The server answered with a redirect, which is not followed.", {
      sent: true,
    });
  const text = await response.text();
  return {
    success: true,
    status: response.status,
    contentType: response.headers.get("content-type") ?? "",
    text: text.slice(0, TEXT_CHARS),
    truncated: text.length > TEXT_CHARS,
  };
}
