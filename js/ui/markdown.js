import DOMPurify from "dompurify";
import { Marked } from "marked";

/**
 * Markdown of a model to safe HTML. The text is hostile ground: a page may have dictated it. So nothing in it may
 * load anything (no images, no styles, no frames, no forms), and links go only to the web or to a mail program,
 * in a tab of their own.
 *
 * The text is cut into its top-level blocks, and each block is cut out and rendered once: while an answer streams
 * in, only its last block changes, so earlier blocks keep the reader's selection and cost nothing.
 *
 * @typedef {{kind: "html", key: string, html: string} | {kind: "code", key: string, code: string, lang: string}} Block
 */

const ALLOWED_TAGS = [
  ..."a abbr b blockquote br code del div em h1 h2 h3 h4 h5 h6 hr i input kbd li ol p pre s span strong sub sup".split(
    " ",
  ),
  ..."table tbody td th thead tr ul".split(" "),
];
const ALLOWED_ATTRIBUTES = [
  "href",
  "title",
  "target",
  "rel",
  "class",
  "start",
  "align",
  "tabindex",
  "role",
  "type",
  "checked",
  "disabled",
  "aria-label",
];
const LINK = /^(?:https?|mailto):/i;
const QUESTION_LEVEL = 2;
const DEEPEST = 6;
/** Rendered blocks kept; an answer of 30,000 characters has far fewer. */
const CACHE_SIZE = 400;

const marked = new Marked({
  gfm: true,
  breaks: false,
  renderer: {
    // A picture would be loaded from wherever the text says, telling its server that it was read.
    image({ href, text }) {
      return LINK.test(href)
        ? `<a href="${escapeHtml(href)}">${escapeHtml(text || href)}</a>`
        : escapeHtml(text);
    },
    // Shown as it was written instead of vanishing.
    html({ text }) {
      return escapeHtml(text);
    },
  },
});

const purifier = DOMPurify(window);
purifier.addHook("afterSanitizeAttributes", (node) => {
  const element = /** @type {Element} */ (node);
  if (element.tagName === "A") {
    if (!LINK.test(element.getAttribute("href") ?? "")) {
      element.removeAttribute("href");
      return;
    }
    element.setAttribute("target", "_blank");
    element.setAttribute("rel", "noopener noreferrer");
  }
  if (element.tagName === "INPUT") {
    // Only the ticks of a task list.
    if (element.getAttribute("type") !== "checkbox") element.remove();
    else {
      element.setAttribute("disabled", "");
      element.setAttribute("aria-label", element.hasAttribute("checked") ? "✓" : "–");
    }
  }
});

/** @type {Map<string, string>} */
const cache = new Map();

/**
 * @param {string} text
 * @returns {Block[]}
 */
export function blocks(text) {
  const { tokens, links } = lex(text);
  const depth = headingDepths(tokens);
  /** @type {Block[]} */
  const result = [];
  for (const [index, found] of tokens.entries()) {
    const token = found.type === "heading" ? { ...found, depth: depth(found.depth) } : found;
    if (token.type === "space" || token.type === "def") continue;
    if (token.type === "code") {
      const lang = /^[\w+#.-]{1,20}/.exec(token.lang ?? "")?.[0] ?? "";
      result.push({ kind: "code", key: `${index}c`, code: token.text, lang });
      continue;
    }
    // References are defined elsewhere in the text, so they belong to what a block's HTML depends on.
    const id = `${token.raw} ${"depth" in token ? token.depth : ""} ${JSON.stringify(links)}`;
    let html = cache.get(id);
    if (html === undefined) {
      html = sanitize(marked.parser(/** @type {any} */ (Object.assign([token], { links }))));
      if (cache.size >= CACHE_SIZE) cache.delete(/** @type {string} */ (cache.keys().next().value));
      cache.set(id, html);
    }
    if (html.trim()) result.push({ kind: "html", key: `${index}h`, html });
  }
  return result;
}

/** The text that was cut last, and its blocks. */
let known = { text: "", tokens: /** @type {import("marked").Token[]} */ ([]) };

/**
 * Cut a text into its top-level blocks. Of one that begins with the text before it (it streams in), only what follows
 * the last block but one is looked at again: what is appended can change no other. Where something is defined for
 * the whole text, all of it is.
 *
 * @param {string} text
 * @returns {{tokens: import("marked").Token[], links: import("marked").Links}}
 */
function lex(text) {
  const grows = known.text !== "" && text.startsWith(known.text);
  const settled = grows
    ? known.tokens.slice(
        0,
        known.tokens.findLastIndex((one) => one.type !== "space"),
      )
    : [];
  const at = settled.reduce((sum, token) => sum + token.raw.length, 0);
  const rest = marked.lexer(text.slice(at));
  const tokens = [...settled, ...rest];
  const defines = Object.keys(rest.links).length > 0;
  // Line ends are made alike while cutting, and then the places in the text are others.
  known = defines || text.includes("\r") ? { text: "", tokens: [] } : { text, tokens };
  if (!defines || !at) return { tokens, links: rest.links };
  const all = marked.lexer(text);
  return { tokens: all, links: all.links };
}

/**
 * Headings of an answer stand below the question (level 2) and skip no level, whatever the model began with:
 * people who listen walk through a page by its headings.
 *
 * @param {import("marked").Token[]} tokens
 * @returns {(depth: number) => number}
 */
function headingDepths(tokens) {
  const found = tokens.map((token) => ("depth" in token ? token.depth : DEEPEST));
  const top = Math.min(DEEPEST, ...found);
  let last = QUESTION_LEVEL;
  return (depth) => {
    last = Math.min(QUESTION_LEVEL + 1 + depth - top, last + 1, DEEPEST);
    return last;
  };
}

/**
 * @param {string} html
 * @returns {string}
 */
export function sanitize(html) {
  const scrollable = html
    .replaceAll("<table>", '<div class="scroll-x" tabindex="0" role="group"><table>')
    .replaceAll("</table>", "</table></div>")
    .replaceAll("<pre>", '<pre tabindex="0">');
  return purifier.sanitize(scrollable, {
    ALLOWED_TAGS,
    ALLOWED_ATTR: ALLOWED_ATTRIBUTES,
    ALLOWED_URI_REGEXP: LINK,
    // The address check would otherwise be made of every value.
    ADD_URI_SAFE_ATTR: ALLOWED_ATTRIBUTES.filter((name) => name !== "href"),
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  });
}

/**
 * @param {string} text
 * @returns {string}
 */
function escapeHtml(text) {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}
