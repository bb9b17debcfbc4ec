/**
 * What one document's content script remembers between messages, and how an argument becomes an element.
 */

import { Aims } from "./aim.js";
import { composedParent, isElement, localName, pageRoot } from "./dom.js";
import { isRun } from "./items.js";
import { SUGGESTIONS } from "./limits.js";
import { describeName } from "./names.js";
import { Numbers } from "./numbers.js";
import { pathOf, Refs } from "./refs.js";
import { roleOf } from "./roles.js";
import { quote } from "./text.js";
import { Tokens } from "./tokens.js";
import { Trees } from "./tree.js";
import { Uploads } from "./uploads.js";
import { Walk } from "./walk.js";

/** @typedef {Record<string, unknown>} Args */
/** @typedef {Record<string, unknown> & { success: boolean }} Answer */

/** A failure that is an answer: it carries its code and what else the caller may use. */
export class Refusal extends Error {
  /**
   * @param {string} code
   * @param {string} message one sentence: what is wrong and what to do instead
   * @param {Record<string, unknown>} [more]
   */
  constructor(code, message, more = {}) {
    super(message);
    this.code = code;
    this.more = more;
  }
}

export class Session {
  refs = new Refs();
  trees = new Trees(this.refs);
  tokens = new Tokens();
  /** What `index` means. */
  numbers = new Numbers();
  uploads = new Uploads();
  aims = new Aims();
  /** Element of the last action and its time: where a scroll without a target starts. @type {{ at: number, weak: WeakRef<Element> } | null} */
  last = null;
  /** What the made-up pointer is over. @type {WeakRef<Element> | null} */
  hovered = null;
  /** Actions so far, to tell presses in a row from presses with something between them. */
  actions = 0;
  /** The last press, how often it was repeated, and the number of actions after it. @type {{ weak: WeakRef<Element>, at: number, count: number, actions: number } | null} */
  pressed = null;
  /** The last field typed into by `type_text`, and the number of actions after it. @type {{ weak: WeakRef<Element>, actions: number } | null} */
  typed = null;
  /** Elements whose one trusted press was offered (`open`) or taken. @type {WeakMap<Element, "open" | "taken">} */
  retries = new WeakMap();

  /** @param {Element} e */
  touch(e) {
    this.last = { at: performance.now(), weak: new WeakRef(e) };
  }

  /**
   * The element of a `ref_id`.
   * @param {unknown} ref
   * @returns {{ element: Element, ref: string, note: string | null }}
   * @throws {Refusal} `bad_ref`, `unknown_ref`, `stale_ref`
   */
  element(ref) {
    const found = this.refs.resolve(ref);
    if ("element" in found) return { element: found.element, ref: String(ref).trim(), note: null };
    const shown = typeof ref === "string" ? quote(ref.slice(0, 40)) : String(ref).slice(0, 40);
    if (found.fault === "malformed")
      throw new Refusal(
        "bad_ref",
        `${shown} is not a ref_id. Use one exactly as the accessibility tree shows it, such as ref_12.`,
        {
          suggestions: this.refs.suggest(ref),
        },
      );
    if (found.fault === "unknown")
      throw new Refusal(
        "unknown_ref",
        `${shown} was not given on this page. If the page changed since, read the accessibility tree again.`,
        {
          suggestions: this.refs.suggest(ref),
        },
      );
    const listed = found.listed;
    const equals = listed ? this.#equals(listed) : [];
    const successor = equals.length === 1 ? equals[0] : undefined;
    if (successor && listed) {
      const fresh = this.refs.of(successor, {
        role: listed.role,
        name: listed.name,
        interactive: listed.interactive,
      });
      // Named once already and replaced again: the page rebuilds faster than anybody can answer, so follow it.
      if (listed.offered && listed.path === pathOf(successor)) {
        this.refs.markOffered(fresh);
        return {
          element: successor,
          ref: fresh,
          note: `${shown} was rebuilt by the page; its successor ${fresh} was used`,
        };
      }
      this.refs.markOffered(fresh);
      throw new Refusal(
        "stale_ref",
        `${shown} is stale: the page replaced that element. An equal one (${listed.role} ${quote(listed.name)}) is now ${fresh}.`,
        { freshRef: fresh },
      );
    }
    const suggestions = equals.length
      ? equals
          .slice(0, SUGGESTIONS)
          .map((e) => ({ ref_id: this.refs.of(e), role: listed?.role ?? "", name: listed?.name ?? "" }))
      : this.refs.suggest(ref);
    const was = listed ? ` (${listed.role} ${quote(listed.name)})` : "";
    throw new Refusal(
      "stale_ref",
      `${shown}${was} is stale: that element is gone from the page. Read the accessibility tree again.`,
      {
        suggestions,
      },
    );
  }

  /**
   * Living elements with the role and name of a dead one; those in the same place first, if there are any.
   * @param {import("./refs.js").Listed} listed
   * @returns {Element[]}
   */
  #equals(listed) {
    const root = pageRoot(document);
    if (!root || !listed.name) return [];
    /** @type {Element[]} */
    const found = [];
    /** @param {import("./items.js").Item[]} items */
    const collect = (items) => {
      for (const item of items) {
        if (isRun(item)) continue;
        if (item.role === listed.role && item.name === listed.name) found.push(item.el);
        collect(item.kids);
      }
    };
    const walk = new Walk();
    collect(walk.run(root));
    collect(walk.overlays);
    const placed = found.filter((e) => pathOf(e) === listed.path);
    return placed.length ? placed : found;
  }

  /**
   * `role "name" [ref_3]`, for sentences about an element.
   * @param {Element} e
   * @returns {string}
   */
  describe(e) {
    const role = roleOf(e);
    const name = describeName(e, role);
    const ref = this.refs.of(e, { role, name, interactive: false });
    const tag = localName(e);
    const kind = role === "generic" ? tag : role;
    return name ? `${kind} ${quote(name)} [${ref}]` : `${kind}${marks(e)} [${ref}]`;
  }
}

/**
 * `#id.class` of an element without a name.
 * @param {Element} e
 * @returns {string}
 */
function marks(e) {
  for (let at = /** @type {Element | null} */ (e), i = 0; at && i < 3; at = composedParent(at), i++) {
    const id = Element.prototype.getAttribute.call(at, "id");
    const cls = Element.prototype.getAttribute.call(at, "class");
    const text =
      `${id ? `#${id}` : ""}${cls ? `.${cls.trim().split(/\s+/).slice(0, 2).join(".")}` : ""}`.slice(0, 60);
    if (text && isElement(at)) return ` ${quote(text)}`;
  }
  return "";
}
