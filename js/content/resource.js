/**
 * What a page shows besides text: the resource of one element, the page's media, the links of its main part.
 *
 * Addresses are only told; what cannot be fetched by its address (`blob:`, `data:`, a canvas) is handed over as base64, in
 * pieces.
 */

import { whole } from "./args.js";
import { selectorOf } from "./csspath.js";
import { deepQuery, scopesOf } from "./deep.js";
import {
  attribute,
  composedClosest,
  documentBase,
  documentTitle,
  documentURL,
  localName,
  matches,
  query,
  queryAll,
  rectOf,
  shadowRootOf,
} from "./dom.js";
import { CANDIDATES } from "./handlimits.js";
import { describeName, directText, textInside } from "./names.js";
import { roleOf } from "./roles.js";
import { everyMatch, matchesOf, validSelector } from "./selectors.js";
import { Refusal } from "./session.js";
import { isRendered, plainRect } from "./sight.js";
import { line, quote } from "./text.js";

/** @typedef {import("./session.js").Args} Args */
/** @typedef {import("./session.js").Answer} Answer */
/** @typedef {import("./session.js").Session} Session */

/** Bytes of one piece; as base64 about 600,000 characters. */
export const RESOURCE_BYTES = 450_000;
/** What one answer of `resource` may hold, in characters. */
export const RESOURCE_ANSWER_CHARS = 700_000;
const RESOURCE_MAX_BYTES = 30_000_000;
/** How long a file is kept for its next piece. */
const KEEP_MS = 30_000;
const URL_CHARS = 4_000;

/** What shows a file, and how many of them one place is searched for. */
const FILES = "img,video,audio,canvas,object,embed";
const FILES_MAX = 200;
const LINKS_MAX = 50;
const LINK_ELEMENTS = 50_000;
const MAINS = 50;
const LINK_TEXT_CHARS = 80;
const LINK_URL_CHARS = 300;

const MEDIA_MAX = 50;
/** Elements looked at; a page with more pictures than this shows the first ones first. */
const MEDIA_ELEMENTS = 2_000;
/** Smaller pictures are icons, avatars and buttons. CSS pixels. */
const MEDIA_SIDE = 120;
const OUTSIDE_CONTENT = "nav,header,footer,aside,[role=navigation],[role=banner],[role=contentinfo]";
const CONTENT = "main,article,[role=main],[role=dialog],dialog,figure";

/** The file under way: its pieces are asked for one by one. @type {{key: string, blob: Blob, timer: ReturnType<typeof setTimeout>} | null} */
let held = null;

/**
 * @param {Session} session
 * @param {Args} args `selector`, or `url` of a `blob:` that `media` told of; `offset`
 * @returns {Promise<Answer>} `{kind: "url", url}` or `{kind: "data", mime, size, offset, data, nextOffset}`
 */
export async function resource(session, args) {
  const given = typeof args.url === "string" ? args.url : "";
  if (given && !given.startsWith("blob:"))
    throw new Refusal("bad_url", "Only blob: addresses are read here.");
  const element = given ? null : chosen(session, args.selector);
  const key = given || String(args.selector);
  const offset = whole(args.offset, 0, 0, RESOURCE_MAX_BYTES);
  if (offset > 0 && held?.key === key) return piece(held.blob, key, offset);
  if (element && localName(element) === "canvas") return piece(await painted(element), key, 0);
  const url = given || (element ? addressOf(element) : "");
  if (!url) throw new Refusal("no_resource", "This element shows no file: no picture, video, sound or link.");
  if (!/^(blob|data):/i.test(url)) return { success: true, kind: "url", url: url.slice(0, URL_CHARS) };
  return piece(await loaded(url), key, 0);
}

/**
 * The element that shows the file: the one the selector names, or the only one within it.
 * @param {Session} session
 * @param {unknown} given
 * @returns {Element}
 * @throws {Refusal} `bad_selector`, `not_found`, `ambiguous`
 */
function chosen(session, given) {
  const selector = validSelector(given);
  const shown = matchesOf(selector);
  const found = shown.length ? shown : everyMatch(selector);
  if (!found[0]) throw new Refusal("not_found", "Nothing on the page matches the selector.");
  /** What leads to the same file is one. @type {Map<string | Element, Element>} */
  const files = new Map();
  for (const e of found.flatMap(showing)) {
    const key = addressOf(e) || e;
    if (!files.has(key)) files.set(key, e);
  }
  const all = [...files.values()];
  if (all.length > 1)
    throw new Refusal(
      "ambiguous",
      `${quote(line(selector, 80))} fits ${all.length} files of the page, so none was taken. Repeat with the selector of the one you mean.`,
      { matchCount: all.length, candidates: all.slice(0, CANDIDATES).map((e) => candidate(session, e)) },
    );
  return all[0] ?? found[0];
}

/** @param {Element} e @returns {Element[]} itself if it shows a file, else what does within it: pictures before links */
function showing(e) {
  if (addressOf(e) || localName(e) === "canvas") return [e];
  const own = shadowRootOf(e);
  const scopes = [...scopesOf(e).scopes, ...(own ? scopesOf(own).scopes : [])];
  for (const kind of [FILES, "a[href]"])
    for (const test of [isRendered, () => true]) {
      const { found } = deepQuery(kind, FILES_MAX, test, scopes);
      if (found.length) return found;
    }
  return [];
}

/** @param {Session} session @param {Element} e */
function candidate(session, e) {
  const own = selectorOf(e);
  const { width, height } = plainRect(e);
  const url = addressOf(e);
  return {
    // What names it in its shadow root or frame may name something else as well.
    selector: own && matchesOf(own).every((hit) => hit === e) ? own : "",
    tag: localName(e),
    url: /^data:/i.test(url) ? "data:" : line(url, LINK_URL_CHARS),
    text: line(attribute(e, "alt") || describeName(e, roleOf(e)), LINK_TEXT_CHARS),
    ref_id: session.refs.of(e),
    width,
    height,
  };
}

/** @param {Element} element @returns {string} The absolute address of what it shows or leads to. */
function addressOf(element) {
  const tag = localName(element);
  const source = ["video", "audio", "picture"].includes(tag) ? query(element, "source[src]") : null;
  const shown = /** @type {any} */ (element).currentSrc;
  const names = { a: "href", area: "href", link: "href", object: "data", image: "href" };
  const name = /** @type {Record<string, string>} */ (names)[tag] ?? "src";
  const written = attribute(element, name) ?? (source ? attribute(source, "src") : null);
  if (typeof shown === "string" && shown) return shown;
  return written ? absolute(written, element) : "";
}

/** @param {string} url @param {Element} by what carries it @returns {string} */
function absolute(url, by) {
  try {
    return new URL(url.trim(), documentBase(by)).href;
  } catch {
    return "";
  }
}

/** @param {string} url @returns {Promise<Blob>} */
async function loaded(url) {
  try {
    return await (await fetch(url)).blob();
  } catch {
    // Such an address names a stream that is fed by the page's script, or one that was taken back.
    throw new Refusal(
      "stream",
      "The page plays this from a stream in pieces, or has taken it back; there is no whole file to save.",
    );
  }
}

/** @param {Element} canvas @returns {Promise<Blob>} */
function painted(canvas) {
  return new Promise((resolve, reject) => {
    try {
      HTMLCanvasElement.prototype.toBlob.call(canvas, (blob) =>
        blob ? resolve(blob) : reject(new Refusal("no_resource", "The canvas is empty.")),
      );
    } catch {
      reject(new Refusal("no_resource", "The canvas holds pictures of another site and cannot be saved."));
    }
  });
}

/** @param {Blob} blob @param {string} key @param {number} offset @returns {Promise<Answer>} */
async function piece(blob, key, offset) {
  if (blob.size > RESOURCE_MAX_BYTES)
    throw new Refusal("too_large", `The file has ${blob.size} bytes, more than can be handed over.`);
  const end = Math.min(offset + RESOURCE_BYTES, blob.size);
  const more = end < blob.size;
  if (held) clearTimeout(held.timer);
  held = more ? { key, blob, timer: setTimeout(drop, KEEP_MS) } : null;
  return {
    success: true,
    kind: "data",
    mime: line(blob.type, 100),
    size: blob.size,
    offset,
    data: await base64(blob.slice(offset, end)),
    nextOffset: more ? end : null,
  };
}

function drop() {
  held = null;
}

/** @param {Blob} blob @returns {Promise<string>} */
function base64(blob) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).split(",")[1] ?? "");
    reader.onerror = () => reject(new Refusal("no_resource", "The file could not be read."));
    reader.readAsDataURL(blob);
  });
}

/**
 * Pictures and videos of the page, the one that matters most first.
 * @param {Session} _session
 * @param {Args} args `target` image, video or media; `limit`
 * @returns {Answer} `items: [{kind, url, width, height, alt, stream?}]`
 */
export function media(_session, args) {
  const target = args.target === "image" || args.target === "video" ? args.target : "media";
  const limit = whole(args.limit, MEDIA_MAX, 1, MEDIA_MAX);
  /** @type {Map<string, {item: Record<string, unknown>, weight: number}>} */
  const found = new Map();
  for (const element of deepQuery("img,video", MEDIA_ELEMENTS).found) {
    const kind = localName(element) === "video" ? "video" : "image";
    if (target !== "media" && target !== kind) continue;
    if (!isRendered(element) || composedClosest(element, within(OUTSIDE_CONTENT))) continue;
    const { width, height } = rectOf(element);
    if (Math.min(width, height) < MEDIA_SIDE) continue;
    const url = kind === "video" ? addressOf(element) : bestOf(element);
    if (!url || found.has(url)) continue;
    const weight =
      width * height * (kind === "video" ? 2 : 1) * (composedClosest(element, within(CONTENT)) ? 2 : 1);
    const item = {
      kind,
      url: url.slice(0, URL_CHARS),
      width: Math.round(width),
      height: Math.round(height),
      alt: line(attribute(element, "alt") ?? attribute(element, "aria-label") ?? "", LINK_TEXT_CHARS),
    };
    found.set(url, { item, weight });
  }
  if (found.size === 0) for (const item of named(target)) found.set(String(item.url), { item, weight: 0 });
  const items = Array.from(found.values()).sort((a, b) => b.weight - a.weight);
  return {
    success: true,
    url: documentURL(document).slice(0, 2_000),
    total: items.length,
    items: items.slice(0, limit).map(({ item }) => item),
  };
}

/** @param {string} selector @returns {(e: Element) => boolean} */
const within = (selector) => (e) => matches(e, selector);

/** @param {Element} img @returns {string} The largest of the sizes it offers. */
function bestOf(img) {
  const sets = [attribute(img, "srcset")];
  const parent = composedClosest(img, within("picture"));
  if (parent) for (const source of queryAll(parent, "source[srcset]")) sets.push(attribute(source, "srcset"));
  let best = "";
  let most = 0;
  for (const entry of sets.filter(Boolean).join(", ").split(/,\s+/)) {
    const [url, size = "1x"] = entry.trim().split(/\s+/);
    const weight = Number.parseFloat(size) * (size.endsWith("x") ? 100 : 1);
    if (url && weight > most) [best, most] = [absolute(url, img), weight];
  }
  return best || addressOf(img);
}

/** What the page tells other sites about itself, where it shows nothing itself. @param {string} target */
function named(target) {
  /** @type {Record<string, unknown>[]} */
  const items = [];
  for (const kind of ["video", "image"]) {
    if (target !== "media" && target !== kind) continue;
    const meta = query(
      document,
      `meta[property="og:${kind}:secure_url"],meta[property="og:${kind}"],meta[name="twitter:${kind === "video" ? "player:stream" : kind}"]`,
    );
    const url = meta ? absolute(attribute(meta, "content") ?? "", meta) : "";
    if (/^https?:/.test(url))
      items.push({ kind, url: url.slice(0, URL_CHARS), width: 0, height: 0, alt: "" });
  }
  return items;
}

/**
 * Links of the page's main part, in order, each address once.
 * @param {Session} _session
 * @param {Args} args `limit`
 * @returns {Answer} `links: [{text, url}]`
 */
export function links(_session, args) {
  const limit = whole(args.limit, LINKS_MAX, 1, LINKS_MAX);
  const { scopes } = scopesOf();
  const mains = deepQuery('main,[role="main"],article', MAINS, isRendered, scopes).found;
  const main = mains.length === 1 ? mains[0] : undefined;
  const found = deepQuery("a[href]", LINK_ELEMENTS, undefined, main ? scopesOf(main).scopes : scopes).found;
  /** @type {Map<string, string>} */
  const out = new Map();
  for (const a of found) {
    if (out.size >= limit) break;
    const url = absolute(attribute(a, "href") ?? "", a).split("#")[0] ?? "";
    if (!/^https?:/.test(url) || out.has(url) || url === documentURL(document).split("#")[0]) continue;
    if (!isRendered(a) || (!main && composedClosest(a, within(OUTSIDE_CONTENT)))) continue;
    const text = line(textInside(a, LINK_TEXT_CHARS) || directText(a), LINK_TEXT_CHARS);
    if (text) out.set(url, text);
  }
  return {
    success: true,
    url: documentURL(document).slice(0, 2_000),
    title: line(documentTitle(document), 300),
    links: Array.from(out, ([url, text]) => ({ text, url: url.slice(0, LINK_URL_CHARS) })),
  };
}
