/**
 * `click_ax`: press an element of the tree and look what came of it.
 */

import {
  attribute,
  composedClosest,
  deepActive,
  documentURL,
  hasAttribute,
  isHTML,
  localName,
} from "./dom.js";
import { HREF_CHARS } from "./limits.js";
import { describeName } from "./names.js";
import { press, pressTarget, reach } from "./press.js";
import { inputType, isListBox, isTypeable, roleOf } from "./roles.js";
import { Refusal } from "./session.js";
import { plainRect } from "./sight.js";
import { line } from "./text.js";
import { chooseOptions } from "./values.js";
import { Watch } from "./watch.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./session.js").Args} Args */
/** @typedef {import("./session.js").Answer} Answer */

/**
 * @param {Session} session
 * @param {Args} args `ref_id`; `count` 2 presses twice
 * @returns {Promise<Answer>}
 */
export async function clickAx(session, args) {
  const { element: e, ref, note } = session.element(args.ref_id);
  const tag = localName(e);
  session.tokens.check(session, "click_ax", args);
  if (tag === "option") return clickOption(session, e, ref, args);
  refuse(session, e, tag);
  const target = pressTarget(e);
  const role = roleOf(e);
  const name = describeName(e, role);
  const reached = await reach(session, target);
  const link = linkOf(e);
  const beforeUrl = documentURL(document);
  const beforeScroll = [Math.round(window.scrollX), Math.round(window.scrollY)];
  const watch = new Watch(session, e, target);
  session.touch(e);
  let pressed;
  try {
    pressed = await press(session, target, reached, args.count === 2 ? 2 : 1);
  } catch (error) {
    watch.close();
    throw error;
  }
  const follows =
    !!link && !pressed.prevented && !link.download && link.target !== "_blank" && !link.sameDocument;
  const changed = await watch.done({ leaving: follows });
  const afterUrl = documentURL(document);
  const focused = deepActive() === e;
  /** @type {Answer} */
  const answer = {
    success: true,
    method: "click_ax",
    ref_id: ref,
    tag,
    role,
    rect: plainRect(e),
    name,
    beforeUrl,
    afterUrl,
    navigates: follows || watch.leaving,
    scrollChanged:
      beforeScroll[0] !== Math.round(window.scrollX) || beforeScroll[1] !== Math.round(window.scrollY),
    hashChanged: hashOf(beforeUrl) !== hashOf(afterUrl),
    focused,
    changed,
  };
  if (link) Object.assign(answer, anchorFields(link, pressed.prevented, afterUrl));
  if (!pressed.clicked)
    answer.hint =
      "The page replaced the element while it was being pressed, so no click was delivered. Read the tree again.";
  else if (isTypeable(e) && focused) answer.next_required = "type_ax";
  if (changed.some((text) => text.startsWith("opened:"))) answer.opened_popup_likely = true;
  if (changed[0] === "nothing" && !answer.hint)
    answer.hint = follows
      ? "The link was followed, but the page has not begun to change yet."
      : "The press was delivered, but nothing on the page changed. Do not assume it worked.";
  if (note) answer.note = note;
  if (!pressed.clicked && changed[0] === "nothing")
    return { ...answer, success: false, code: "not_clicked", error: String(answer.hint) };
  return answer;
}

/**
 * Elements that a press is the wrong means for.
 * @param {Session} session
 * @param {Element} e
 * @param {string} tag
 */
function refuse(session, e, tag) {
  if (tag === "select" && isHTML(e))
    throw new Refusal(
      "use_set_field",
      `A native ${isListBox(e) ? "list" : "drop-down"} opens outside the page. Choose an option with set_field (or type_ax) on this ref, giving the option's text.`,
    );
  if (inputType(e) === "file")
    throw new Refusal(
      "file_input",
      "This opens the system's file chooser, which a page cannot operate. Ask the user to choose the file.",
    );
  const label = composedClosest(e, (x) => localName(x) === "label" && isHTML(x));
  const control = label && /** @type {HTMLLabelElement} */ (label).control;
  if (control && control !== e && inputType(control) === "file")
    throw new Refusal(
      "file_input",
      "This opens the system's file chooser, which a page cannot operate. Ask the user to choose the file.",
    );
  if (inputType(e) === "color" || /^(date|time|month|week|datetime-local)$/.test(inputType(e)))
    session.touch(e);
}

/**
 * @param {Session} session
 * @param {Element} e
 * @param {string} ref
 * @param {Args} args
 * @returns {Promise<Answer>}
 */
async function clickOption(session, e, ref, args) {
  const option = /** @type {HTMLOptionElement} */ (e);
  const select = /** @type {HTMLSelectElement | null} */ (
    composedClosest(e, (x) => localName(x) === "select")
  );
  if (!select) throw new Refusal("hidden", "The option belongs to no list on the page.");
  if (option.disabled || select.disabled) throw new Refusal("disabled", "The option is disabled.");
  const watch = new Watch(session, select);
  session.touch(select);
  chooseOptions(
    select,
    args.add === true && select.multiple ? [...Array.from(select.selectedOptions), option] : [option],
  );
  const changed = await watch.done();
  const verified = option.selected;
  return {
    success: verified,
    method: "click_ax_option",
    ref_id: ref,
    tag: "option",
    name: line(option.text, HREF_CHARS),
    verified,
    changed,
    ...(verified ? {} : { code: "not_verified", error: "The page did not keep the option selected." }),
  };
}

/**
 * @typedef {object} Link
 * @property {string} href as written
 * @property {string} resolved
 * @property {string} target
 * @property {boolean} download
 * @property {boolean} sameDocument only the part after # differs
 */

/** @param {Element} e @returns {Link | null} the link a press on the element follows */
function linkOf(e) {
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
function anchorFields(link, prevented, afterUrl) {
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
function hashOf(url) {
  const at = url.indexOf("#");
  return at < 0 ? "" : url.slice(at);
}
