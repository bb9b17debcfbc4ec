/**
 * `get_shadow_dom` and `shadow_dom_query`: what is in shadow roots, open and closed ones.
 */

import { selectorOf } from "./csspath.js";
import { deepQuery, scopesOf } from "./deep.js";
import { attribute, childElementCount, localName, nodeType, queryAll } from "./dom.js";
import { describeElement } from "./elements.js";
import { NAME_CHARS, SELECTOR_CHARS, SHADOW_MATCHES, SHADOW_ROOTS } from "./limits.js";
import { textInside } from "./names.js";
import { validSelector } from "./selectors.js";
import { Refusal } from "./session.js";
import { isRendered } from "./sight.js";
import { line, quote } from "./text.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./session.js").Args} Args */
/** @typedef {import("./session.js").Answer} Answer */
/** @typedef {import("./deep.js").Scope} Scope */

/** Between the hosts of a path. */
const STEP = " >>> ";
const PATH_STEPS = 250;
const TEXT_CHARS = 160;
const TAGS = 12;

/**
 * @param {Session} session
 * @returns {Answer}
 */
export function getShadowDom(session) {
  const { scopes, cut } = scopesOf();
  const roots = scopes.filter(isShadow);
  const listed = roots.slice(0, SHADOW_ROOTS).map((scope) => {
    const host = /** @type {Element} */ (scope.host);
    return {
      shadowPath: pathOf(scope),
      tag: line(localName(host), 60),
      id: line(attribute(host, "id"), 60) || undefined,
      ref_id: session.refs.of(host),
      mode: isOpen(host) ? "open" : "closed",
      rendered: isRendered(host),
      elements: queryAll(scope.root, "*").length,
      holds: tagsOf(scope),
      text: textInside(host, TEXT_CHARS),
    };
  });
  return {
    success: true,
    hosts: listed,
    total: roots.length,
    truncated: cut || roots.length > listed.length,
  };
}

/**
 * @param {Session} session
 * @param {Args} args `selector`; `shadowPath`: hosts from outside in, joined by `>>>`, or a list of them; without it
 *   all shadow roots are searched
 * @returns {Answer}
 * @throws {Refusal} `bad_selector`, `no_host`, `no_shadow_root`
 */
export function shadowDomQuery(session, args) {
  const selector = validSelector(args.selector);
  const path = pathGiven(args.shadowPath);
  const { scopes } = scopesOf();
  const inside = path.length ? follow(path, scopes) : scopes.filter(isShadow);
  const { found, total } = deepQuery(selector, SHADOW_MATCHES, undefined, inside);
  return {
    success: true,
    searchedRoots: inside.length,
    total,
    truncated: total > found.length,
    matches: found.map((e, matchIndex) => ({
      matchIndex,
      ...describeElement(session, e),
      class: line(attribute(e, "class"), NAME_CHARS) || undefined,
      children: childElementCount(e),
      rendered: isRendered(e),
      shadowPath: pathOf(scopeOfElement(e, inside)),
    })),
  };
}

/** @param {Scope} scope */
function isShadow(scope) {
  return nodeType(scope.root) === 11;
}

const openRoot = Object.getOwnPropertyDescriptor(Element.prototype, "shadowRoot")?.get;

/** @param {Element} host */
function isOpen(host) {
  return !!openRoot?.call(host);
}

/** @param {Element} e @param {Scope[]} scopes @returns {Scope | undefined} */
function scopeOfElement(e, scopes) {
  const root = Node.prototype.getRootNode.call(e);
  return scopes.find((scope) => scope.root === root);
}

/**
 * Hosts and frames from outside in, as selectors.
 * @param {Scope | undefined} scope
 * @returns {string}
 */
function pathOf(scope) {
  const steps = [];
  let length = 0;
  for (
    let at = scope;
    at?.host && steps.length < PATH_STEPS && length < 2 * SELECTOR_CHARS;
    at = at.outer ?? undefined
  ) {
    const step = selectorOf(at.host) || localName(at.host);
    length += step.length + STEP.length;
    steps.unshift(step);
  }
  return steps.join(STEP);
}

/** @param {Scope} scope @returns {string} which elements are in it, most frequent first */
function tagsOf(scope) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  const all = queryAll(scope.root, "*");
  for (let i = 0; i < all.length && i < 500; i++) {
    const tag = localName(/** @type {Element} */ (all[i]));
    counts.set(tag, (counts.get(tag) ?? 0) + 1);
  }
  const sorted = [...counts].sort((a, b) => b[1] - a[1]).slice(0, TAGS);
  return sorted.map(([tag, n]) => (n > 1 ? `${line(tag, 40)}×${n}` : line(tag, 40))).join(" ");
}

/** @param {unknown} given @returns {string[]} */
function pathGiven(given) {
  const steps = Array.isArray(given) ? given : typeof given === "string" ? given.split(">>>") : [];
  return steps
    .map((step) => String(step).trim())
    .filter(Boolean)
    .slice(0, PATH_STEPS);
}

/**
 * The root a path leads to, with all that lies inside it.
 * @param {string[]} path
 * @param {Scope[]} scopes
 * @returns {Scope[]}
 */
function follow(path, scopes) {
  let at = /** @type {Scope} */ (scopes[0]);
  for (const given of path) {
    const step = validSelector(given);
    const hosts = new Set(queryAll(at.root, step));
    if (!hosts.size)
      throw new Refusal(
        "no_host",
        `Nothing matches ${quote(line(step, 80))} of shadowPath. get_shadow_dom lists the paths there are.`,
      );
    const inner = scopes.find((scope) => scope.host && hosts.has(scope.host));
    if (!inner)
      throw new Refusal(
        "no_shadow_root",
        `${quote(line(step, 80))} has no shadow root. get_shadow_dom lists those that have one.`,
      );
    at = inner;
  }
  const inside = new Set([at]);
  for (const scope of scopes) if (scope.outer && inside.has(scope.outer)) inside.add(scope);
  return [...inside];
}
