/**
 * `upload_file`: files put into a file field, as if the user had chosen them.
 *
 * The bytes come in pieces (uploads.js). Fields are found even if they are hidden, as most are: behind a
 * button, a label or an item of a menu, or because it is the only one of the page. A page that drops files onto an area
 * without a field gets a drop. A field that is made when a control is pressed, and never put on the page, can only be
 * had where the debugger hands it over: it is moved into the document for a moment and taken out again here.
 */

import {
  attribute,
  composedClosest,
  composedParent,
  dispatch,
  documentOf,
  getter,
  hasAttribute,
  isConnected,
  isHTML,
  localName,
  pageRoot,
  pause,
  queryAll,
  rectOf,
  remove,
  viewOf,
} from "./dom.js";
import { UPLOAD_SHOWN_MS } from "./handlimits.js";
import { describeName, labelText, textInside } from "./names.js";
import { inputType, isDisabled, roleOf } from "./roles.js";
import { everyMatch, validSelector } from "./selectors.js";
import { Refusal } from "./session.js";
import { isRendered } from "./sight.js";
import { cut, line, quote } from "./text.js";
import { sendChange, sendInput, setFiles } from "./values.js";
import { Watch } from "./watch.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./session.js").Args} Args */
/** @typedef {import("./session.js").Answer} Answer */

/** Text as it is drawn: names in hidden parts and scripts do not count. @type {(e: HTMLElement) => string} */
const shownText = getter(HTMLElement.prototype, "innerText");
const NEAR_STEPS = 5;
const SHOWN_TEXT = 1_000_000;
const LISTED = 6;

/**
 * @param {Session} session
 * @param {Args} args `selector` or `ref_id` or neither, or `handed` for the field that `take_field` took; a piece of a
 *   file; `more`: another file follows for the same field
 * @returns {Promise<Answer>}
 */
export async function uploadFile(session, args) {
  // The place is looked at first: a wrong one must not cost the transfer.
  const place = placeOf(session, args);
  const file = session.uploads.take(args);
  if (!file) return { success: true, received: args.index ?? 0 };
  session.uploads.keep(file);
  if (args.more === true) return { success: true, received: args.index ?? 0, kept: true };
  const files = session.uploads.lot();
  session.touch(place.element);
  session.actions++;
  if (!("input" in place)) return ontoArea(session, place.element, files);
  session.uploads.handed = null;
  return intoField(session, place, files);
}

/** Where the debugger puts a field that belongs to no document: nothing is drawn in there. */
const HANDED = "html > head > input";

/**
 * Keep the field that a press has made for a file.
 * @param {Session} session
 * @param {Args} args `ref_id` of the control that was pressed; `moved`: the page has not put the field anywhere, so the
 *   debugger has just moved it into the document; it is taken out again
 * @returns {Answer}
 * @throws {Refusal} `no_file_input`
 */
export function takeField(session, args) {
  const { element: opener } = session.element(args.ref_id);
  const moved = args.moved === true;
  const inputs = moved ? Array.from(queryAll(documentOf(opener), HANDED)) : everyMatch("input");
  const found = /** @type {HTMLInputElement[]} */ (inputs.filter((e) => inputType(e) === "file"));
  if (moved) for (const e of found) remove(e);
  const input = found.at(-1);
  if (!input) throw new Refusal("no_file_input", "The control was pressed, but no file field came of it.");
  session.uploads.handed = { input, opener };
  return { success: true, accept: line(input.accept, 80), multiple: input.multiple };
}

/**
 * @param {Session} session
 * @param {Args} args
 * @returns {{ element: Element, input: HTMLInputElement } | { element: Element }}
 * @throws {Refusal} `no_file_input`, `ambiguous`, `disabled`
 */
function placeOf(session, args) {
  if (args.handed === true) {
    const { handed } = session.uploads;
    if (!handed) throw new Refusal("no_file_input", "The file field is gone. Begin again.");
    return { element: handed.opener, input: handed.input };
  }
  const given = args.ref_id !== undefined && args.ref_id !== null;
  const start = given
    ? [session.element(args.ref_id).element]
    : args.selector
      ? bySelector(args.selector)
      : [];
  if (start.length) {
    const inputs = [...new Set(start.map(inputAt).filter((e) => e !== null))];
    const one = single(session, inputs);
    if (one) return { element: one, input: one };
  }
  const all = /** @type {HTMLInputElement[]} */ (everyMatch("input").filter((e) => inputType(e) === "file"));
  const near = start[0] ? nearest(start[0], all) : [];
  const one = single(session, near.length ? near : all);
  if (one) return { element: one, input: one };
  const area = start[0];
  if (
    area &&
    !/^(button|a)$/.test(localName(area)) &&
    roleOf(area) !== "button" &&
    roleOf(area) !== "menuitem"
  )
    return { element: area };
  if (!area)
    throw new Refusal(
      "no_file_input",
      "The page has no file field. Give the ref_id of the button that asks for a file, or of the area to drop files on; a menu or dialog may have to be opened first.",
    );
  throw noField(session, area);
}

/**
 * @param {Session} session
 * @param {Element} control
 * @returns {Refusal} names the control in `opener`: it may make a file field when it is pressed
 */
function noField(session, control) {
  return new Refusal(
    "no_file_input",
    `The page has no file field. If ${session.describe(control)} opens a file chooser all the same, it makes the field in the moment it is pressed and never puts it on the page, where a page script cannot reach it. A menu or dialog may also have to be opened first. Otherwise ask the user to press it and choose the file.`,
    { opener: session.refs.of(control) },
  );
}

/** @param {unknown} given @returns {Element[]} */
function bySelector(given) {
  const selector = validSelector(given);
  const found = everyMatch(selector);
  if (!found.length)
    throw new Refusal(
      "not_found",
      `Nothing on the page matches ${quote(line(selector, 80))}. Leave the selector out if the page has one file field, or use a ref_id.`,
    );
  return found;
}

/**
 * @param {Session} session
 * @param {HTMLInputElement[]} inputs
 * @returns {HTMLInputElement | null} `null`: there is none
 * @throws {Refusal} `ambiguous`, `disabled`
 */
function single(session, inputs) {
  const usable = inputs.filter((input) => !isDisabled(input));
  if (!usable.length && inputs.length)
    throw new Refusal(
      "disabled",
      "The file field is disabled. Something else may have to be filled in first.",
    );
  if (usable.length > 1)
    throw new Refusal(
      "ambiguous",
      `There are ${usable.length} file fields, so no file was put anywhere. Give the ref_id of one of the candidates.`,
      {
        matchCount: usable.length,
        candidates: usable.slice(0, LISTED).map((input) => ({
          ref_id: session.refs.of(input),
          name: calledAs(input),
          accept: line(input.accept, 80),
          multiple: input.multiple,
          visible: isRendered(input),
        })),
      },
    );
  return usable[0] ?? null;
}

/** @param {HTMLInputElement} input @returns {string} its label, or whatever else tells it apart */
function calledAs(input) {
  const named = line(labelText(input) || describeName(input, "button"), 80);
  if (named) return named;
  const mark = attribute(input, "name") ?? attribute(input, "id") ?? "";
  const around = composedParent(input);
  return line([mark, around ? textInside(around, 60) : ""].filter(Boolean).join(": "), 80);
}

/** @param {Element} e @returns {HTMLInputElement | null} the file field an element is, labels or holds */
function inputAt(e) {
  if (inputType(e) === "file") return /** @type {HTMLInputElement} */ (e);
  const label = composedClosest(e, (x) => localName(x) === "label" && isHTML(x));
  const control = label && /** @type {HTMLLabelElement} */ (label).control;
  if (control && inputType(control) === "file") return /** @type {HTMLInputElement} */ (control);
  const inside = Array.from(queryAll(e, "input")).filter((x) => inputType(x) === "file");
  return inside.length === 1 ? /** @type {HTMLInputElement} */ (inside[0]) : null;
}

/** @param {Element} e @param {HTMLInputElement[]} all @returns {HTMLInputElement[]} those that share the closest container with it */
function nearest(e, all) {
  let steps = NEAR_STEPS;
  for (let at = composedParent(e); at && steps-- > 0 && localName(at) !== "body"; at = composedParent(at)) {
    const inside = all.filter((input) => Element.prototype.contains.call(at, input));
    if (inside.length) return inside;
  }
  return [];
}

/**
 * @param {Session} session
 * @param {{ element: Element, input: HTMLInputElement }} place `element` is the field itself, or what asks for one that
 *   is not on the page
 * @param {File[]} files
 * @returns {Promise<Answer>}
 */
async function intoField(session, { element, input }, files) {
  if (files.length > 1 && !input.multiple)
    throw new Refusal("single_file", "This field takes one file only.");
  const data = new DataTransfer();
  for (const file of files) data.items.add(file);
  const away = element !== input;
  const before = pageText(element);
  const watch = new Watch(session, element, away ? undefined : (composedParent(input) ?? undefined));
  setFiles(input, data.files);
  sendInput(input, "");
  sendChange(input);
  watch.acted();
  const names = files.map((file) => file.name);
  const shown = await shownNames(element, before, names);
  const changed = await watch.done();
  const held = away || isConnected(input) ? Array.from(input.files ?? []) : [];
  const holds = names.every((name) => held.some((file) => file.name === name));
  const success = holds || shown.length > 0 || changed[0] !== "nothing";
  /** @type {Answer} */
  const answer = {
    success,
    method: away ? "upload_handed_field" : "upload_field",
    ref_id: session.refs.of(element),
    target: session.describe(element),
    matchCount: 1,
    files: held.slice(0, 20).map((file) => ({ name: cut(file.name, 120), size: file.size })),
    shown,
    changed: shown.length ? changed.filter((text) => text !== "nothing") : changed,
  };
  if (!success)
    Object.assign(answer, {
      code: "not_verified",
      error: "The file was put into the field, but the page took it out again and shows nothing of it.",
    });
  else if (!holds)
    answer.note = "The page took the file over and emptied the field, as many do; see shown and changed.";
  else if (away && !shown.length && changed[0] === "nothing")
    answer.note = "The field holds the file, but the page shows nothing of it yet. Read it before you go on.";
  const misfit = files.filter((file) => !accepts(input, file)).map((file) => file.name);
  if (misfit.length)
    answer.warning = `The field asks for ${quote(line(input.accept, 60))}; ${misfit.map((name) => quote(line(name, 60))).join(", ")} may be refused.`;
  return answer;
}

/**
 * @param {Session} session
 * @param {Element} area
 * @param {File[]} files
 * @returns {Promise<Answer>}
 */
async function ontoArea(session, area, files) {
  if (!isRendered(area)) throw new Refusal("hidden", "The area is not shown on the page.");
  const data = new DataTransfer();
  for (const file of files) data.items.add(file);
  const before = pageText(area);
  const rect = rectOf(area);
  const watch = new Watch(session, area);
  /** @param {string} type @returns {boolean} true if the page takes it */
  const send = (type) =>
    !dispatch(
      area,
      new DragEvent(type, {
        bubbles: true,
        cancelable: true,
        composed: true,
        view: viewOf(area),
        clientX: rect.left + rect.width / 2,
        clientY: rect.top + rect.height / 2,
        dataTransfer: data,
      }),
    );
  const entered = send("dragenter");
  const accepted = send("dragover") || entered;
  const taken = accepted && send("drop");
  if (!accepted) send("dragleave");
  watch.acted();
  const names = files.map((file) => file.name);
  const shown = accepted ? await shownNames(area, before, names) : [];
  const changed = await watch.done();
  if (!accepted) throw noField(session, area);
  const success = shown.length > 0 || (taken && changed[0] !== "nothing");
  return {
    success,
    method: "upload_drop",
    target: session.describe(area),
    matchCount: 0,
    files: files.map((file) => ({ name: cut(file.name, 120), size: file.size })),
    shown,
    changed: shown.length ? changed.filter((text) => text !== "nothing") : changed,
    ...(success
      ? {}
      : { code: "not_verified", error: "The file was dropped, but the page shows nothing of it." }),
  };
}

/** @param {Element} near @returns {string} what the page shows as text */
function pageText(near) {
  const root = pageRoot(documentOf(near));
  return root && isHTML(root) ? shownText(root).slice(0, SHOWN_TEXT) : "";
}

/**
 * @param {Element} near
 * @param {string} before text of the page before
 * @param {string[]} names
 * @returns {Promise<string[]>} names that the page shows now and did not show before as often
 */
async function shownNames(near, before, names) {
  const count = (/** @type {string} */ text, /** @type {string} */ name) => text.split(name).length;
  const until = performance.now() + UPLOAD_SHOWN_MS;
  for (;;) {
    const now = pageText(near);
    const found = names.filter((name) => count(now, name) > count(before, name));
    if (found.length === names.length || performance.now() >= until) return found;
    await pause(50);
  }
}

/** @param {HTMLInputElement} input @param {File} file @returns {boolean} */
function accepts(input, file) {
  if (!hasAttribute(input, "accept")) return true;
  const wanted = input.accept
    .toLowerCase()
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
  if (!wanted.length) return true;
  const name = file.name.toLowerCase();
  const type = file.type.toLowerCase();
  return wanted.some((part) =>
    part.startsWith(".")
      ? name.endsWith(part)
      : part.endsWith("/*")
        ? type.startsWith(part.slice(0, -1))
        : type === part,
  );
}
