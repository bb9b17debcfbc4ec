/**
 * `click_ax` and `click`: press something and look what came of it.
 */

import { composedClosest, deepActive, documentURL, isHTML, localName } from "./dom.js";
import { REPEAT_MS } from "./handlimits.js";
import { HREF_CHARS } from "./limits.js";
import { anchorFields, hashOf, linkOf } from "./links.js";
import { describeName } from "./names.js";
import { press, pressPart, reach } from "./press.js";
import { mayRetry } from "./retry.js";
import { inputType, isListBox, isTypeable, roleOf } from "./roles.js";
import { Refusal } from "./session.js";
import { plainRect } from "./sight.js";
import { targetOf } from "./target.js";
import { line } from "./text.js";
import { chooseOptions } from "./values.js";
import { Watch } from "./watch.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./session.js").Args} Args */
/** @typedef {import("./session.js").Answer} Answer */
/** @typedef {import("./press.js").Pressed} Pressed */

/**
 * @typedef {object} Aimed what will be pressed
 * @property {string} method
 * @property {Element} element what is meant
 * @property {string} ref
 * @property {Element} [part] the part of it to press, if not its middle
 * @property {{ x: number, y: number }} [point] the very place to press, of the element's own viewport
 * @property {string | null} [note]
 * @property {number} [count]
 * @property {boolean} [add] an option besides those chosen
 */

/**
 * @typedef {Aimed & {
 *   tag: string, role: string, name: string, target: Element,
 *   reached: { point: { x: number, y: number }, hit: Element },
 *   link: import("./links.js").Link | null, url: string, scroll: [number, number], watch: Watch, repeated: number,
 * }} Ready
 */

/**
 * @param {Session} session
 * @param {Args} args `ref_id`; `count` 2 presses twice; `add`
 * @returns {Promise<Answer>}
 */
export async function clickAx(session, args) {
  const aimed = aimByRef(session, args);
  session.tokens.check(session, "click_ax", args);
  return clickOn(session, aimed);
}

/**
 * @param {Session} session
 * @param {Args} args one of `text` (+ `textMatch`), `selector`, `index`, `x` and `y` (+ `expected_name`, `expected_role`); `count`
 * @returns {Promise<Answer>}
 */
export async function click(session, args) {
  const aimed = await aimByTarget(session, args);
  session.tokens.check(session, "click", args);
  return clickOn(session, aimed);
}

/**
 * @param {Session} session
 * @param {Args} args
 * @returns {Aimed}
 */
export function aimByRef(session, args) {
  const { element, ref, note } = session.element(args.ref_id);
  return { method: "click_ax", element, ref, note, count: args.count === 2 ? 2 : 1, add: args.add === true };
}

/**
 * @param {Session} session
 * @param {Args} args
 * @returns {Promise<Aimed>}
 */
export async function aimByTarget(session, args) {
  const found = await targetOf(session, args);
  const role = roleOf(found.element);
  const ref = session.refs.of(found.element, {
    role,
    name: describeName(found.element, role),
    interactive: true,
  });
  return {
    method: `click_${found.by.split(",")[0]}`,
    element: found.element,
    ref,
    part: found.text,
    point: found.point,
    note: found.note ?? null,
    count: args.count === 2 ? 2 : 1,
    add: args.add === true,
  };
}

/**
 * @param {Session} session
 * @param {Aimed} aimed
 * @returns {Promise<Answer>}
 */
export async function clickOn(session, aimed) {
  if (localName(aimed.element) === "option") return clickOption(session, aimed);
  const ready = await prepare(session, aimed);
  let pressed;
  try {
    pressed = await press(session, ready.target, ready.reached, { count: aimed.count, fixed: !!aimed.point });
  } catch (error) {
    ready.watch.close();
    throw error;
  }
  ready.watch.acted(pressed.focus);
  return conclude(session, ready, pressed);
}

/**
 * Everything that comes before the press: checks, scrolling, the opening of the watch.
 * @param {Session} session
 * @param {Aimed} aimed
 * @returns {Promise<Ready>}
 * @throws {Refusal}
 */
export async function prepare(session, aimed) {
  const { element: e, part, point } = aimed;
  const tag = localName(e);
  refuse(e, tag);
  const target = pressPart(e, part);
  const role = roleOf(e);
  const reached = point ? { point, hit: part ?? e } : await reach(session, target);
  const ready = {
    ...aimed,
    tag,
    role,
    name: describeName(e, role),
    target,
    reached,
    link: linkOf(reached.hit) ?? linkOf(e),
    url: documentURL(document),
    scroll: /** @type {[number, number]} */ ([Math.round(window.scrollX), Math.round(window.scrollY)]),
    watch: new Watch(session, e, target),
    repeated: repeats(session, e),
  };
  session.touch(e);
  return ready;
}

/** @param {Session} session @param {Element} e @returns {number} how often it has been pressed in a row, this time included */
function repeats(session, e) {
  const now = performance.now();
  const last = session.pressed;
  const again =
    last && last.weak.deref() === e && now - last.at < REPEAT_MS && last.actions === session.actions;
  session.pressed = {
    weak: new WeakRef(e),
    at: now,
    count: again ? last.count + 1 : 1,
    actions: session.actions + 1,
  };
  session.actions++;
  return session.pressed.count;
}

/**
 * Wait for what the press leads to and say it.
 * @param {Session} session
 * @param {Ready} ready
 * @param {Pressed | null} pressed `null`: the debugger pressed, and only the page can tell what came of it
 * @returns {Promise<Answer>}
 */
export async function conclude(session, ready, pressed) {
  const { element: e, link, watch } = ready;
  const follows =
    !!link &&
    !!pressed &&
    !pressed.prevented &&
    !link.download &&
    link.target !== "_blank" &&
    !link.sameDocument;
  const soft = !!link && !!pressed?.prevented && link.href !== "#";
  const changed = await watch.done({ leaving: follows, patient: true, soft });
  const afterUrl = documentURL(document);
  const focused = deepActive() === e;
  /** @type {Answer} */
  const answer = {
    success: true,
    method: ready.method,
    ref_id: ready.ref,
    tag: ready.tag,
    role: ready.role,
    rect: plainRect(e),
    name: ready.name,
    text: ready.name,
    beforeUrl: ready.url,
    afterUrl,
    navigates: follows || watch.leaving,
    scrollChanged:
      ready.scroll[0] !== Math.round(window.scrollX) || ready.scroll[1] !== Math.round(window.scrollY),
    hashChanged: hashOf(ready.url) !== hashOf(afterUrl),
    focused,
    changed,
  };
  if (ready.point) answer.hit = session.describe(ready.reached.hit);
  if (link) Object.assign(answer, anchorFields(link, pressed?.prevented ?? false, afterUrl));
  const delivered = !pressed || pressed.clicked !== null;
  const nothing = changed[0] === "nothing";
  if (!delivered)
    answer.hint =
      "The page replaced the element while it was being pressed, so no click was delivered. Read the tree again.";
  else if (isTypeable(e) && focused) answer.next_required = "type_ax";
  if (changed.some((text) => text.startsWith("opened:"))) answer.opened_popup_likely = true;
  if (nothing && !answer.hint) answer.hint = quietHint(follows, watch.elsewhere);
  if (ready.repeated > 1)
    answer.warning = `This is press number ${ready.repeated} on the same element in a row. If it did not help before, it will not now: look at the page again.`;
  if (ready.note) answer.note = ready.note;
  if (!delivered && nothing)
    return { ...answer, success: false, code: "not_clicked", error: String(answer.hint) };
  if (nothing && !follows) answer.retry = mayRetry(session, ready);
  return answer;
}

/** @param {boolean} follows @param {boolean} elsewhere */
function quietHint(follows, elsewhere) {
  if (follows) return "The link was followed, but the page has not begun to change yet.";
  if (elsewhere)
    return "The press was delivered, but nothing near the element changed; other parts of the page move by themselves. Do not assume it worked.";
  return "The press was delivered, but nothing on the page changed. Do not assume it worked.";
}

/**
 * Elements that a press is the wrong means for.
 * @param {Element} e
 * @param {string} tag
 */
function refuse(e, tag) {
  if (tag === "select" && isHTML(e))
    throw new Refusal(
      "use_set_field",
      `A native ${isListBox(e) ? "list" : "drop-down"} opens outside the page. Choose an option with set_field (or type_ax) on this ref, giving the option's text.`,
    );
  const label = composedClosest(e, (x) => localName(x) === "label" && isHTML(x));
  const control = label && /** @type {HTMLLabelElement} */ (label).control;
  if (inputType(e) === "file" || (control && control !== e && inputType(control) === "file"))
    throw new Refusal(
      "file_input",
      "This opens the system's file chooser, which a page cannot operate. Put a file in with upload_file, or ask the user to choose it.",
    );
}

/**
 * @param {Session} session
 * @param {Aimed} aimed
 * @returns {Promise<Answer>}
 */
async function clickOption(session, aimed) {
  const option = /** @type {HTMLOptionElement} */ (aimed.element);
  const select = /** @type {HTMLSelectElement | null} */ (
    composedClosest(option, (x) => localName(x) === "select")
  );
  if (!select) throw new Refusal("hidden", "The option belongs to no list on the page.");
  if (option.disabled || select.disabled) throw new Refusal("disabled", "The option is disabled.");
  const watch = new Watch(session, select);
  session.touch(select);
  session.actions++;
  const others = aimed.add && select.multiple ? Array.from(select.selectedOptions) : [];
  chooseOptions(select, [...others, option]);
  watch.acted();
  const changed = await watch.done();
  const verified = option.selected;
  return {
    success: verified,
    method: "click_ax_option",
    ref_id: aimed.ref,
    tag: "option",
    name: line(option.text, HREF_CHARS),
    verified,
    changed,
    ...(verified ? {} : { code: "not_verified", error: "The page did not keep the option selected." }),
  };
}
