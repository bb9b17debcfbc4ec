/**
 * Links: where a press on one leads.
 */

import { attribute, composedClosest, documentURL, hasAttribute, localName } from "./dom.js";

/**
 * @typedef {object} Link
 * @property {string} href as written
 * @property {string} resolved
 * @property {string} target
 * @property {boolean} download
 * @property {boolean} sameDocument only the part after # differs
 */

/** @param {Element} e @returns {Link | null} the link a press on the element follows */
export function linkOf(e) {
  const a = composedClosest(e, (x) => localName(x) === "a" && hasAttribute(x, "href"));
  if (!a) return null;
  const href = attribute(a, "href") ?? "";
  let resolved = "";
  try {
    resolved = new URL(href, a.baseURI).href;
  } catch {
    return null;
  }
  if (!/^(https?|file|ftp):/.test(resolved)) return null;
  const here = documentURL(document);
  return {
    href: href.slice(0, 2_000),
    resolved: resolved.slice(0, 2_000),
    target: (attribute(a, "target") ?? "").toLowerCase(),
    download: hasAttribute(a, "download"),
    sameDocument: resolved.includes("#") && resolved.split("#")[0] === here.split("#")[0],
  };
}

/**
 * @param {Link} link
 * @param {boolean} prevented
 * @param {string} afterUrl
 */
export function anchorFields(link, prevented, afterUrl) {
  const fields = {
    href: link.href,
    resolvedHref: link.resolved,
    targetUrl: link.resolved,
    sameDocumentAnchor: link.sameDocument,
  };
  const more = link.target === "_blank" && !prevented ? { opensNewTab: true } : {};
  if (!link.sameDocument) return { ...fields, ...more };
  const anchorTarget = decodeURIComponent(hashOf(link.resolved).slice(1) || "");
  return {
    ...fields,
    anchorTarget,
    atAnchor: hashOf(afterUrl) === hashOf(link.resolved),
    anchorActivated: !prevented,
  };
}

/** @param {string} url */
export function hashOf(url) {
  const at = url.indexOf("#");
  return at < 0 ? "" : url.slice(at);
}
