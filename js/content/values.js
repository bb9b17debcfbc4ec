/**
 * Putting values into form controls so that the page hears of it.
 *
 * Setters come from the prototypes: libraries that shadow `value` on the element itself, to notice their own writes,
 * then see a foreign write, as they do when a user types.
 */

import { attribute, dispatch, viewOf } from "./dom.js";
import { inputType } from "./roles.js";
import { Refusal } from "./session.js";
import { folded, line, quote } from "./text.js";

/**
 * @param {object} proto
 * @param {string} name
 * @returns {(self: Element, value: unknown) => void}
 */
function setter(proto, name) {
  const set = Object.getOwnPropertyDescriptor(proto, name)?.set;
  if (!set) throw new TypeError(`no setter ${name}`);
  return (self, value) => set.call(self, value);
}

const setInputValue = setter(HTMLInputElement.prototype, "value");
const setAreaValue = setter(HTMLTextAreaElement.prototype, "value");
const setSelectedOption = setter(HTMLOptionElement.prototype, "selected");
const setSelectedIndex = setter(HTMLSelectElement.prototype, "selectedIndex");

const setInputFiles = setter(HTMLInputElement.prototype, "files");

/** @typedef {HTMLInputElement | HTMLTextAreaElement} Field */

/** @param {HTMLInputElement} input @param {FileList} files */
export function setFiles(input, files) {
  setInputFiles(input, files);
}

/** @param {Field} field @param {string} text */
export function setValue(field, text) {
  (field.localName === "textarea" ? setAreaValue : setInputValue)(field, text);
}

/** @param {Element} e @param {string} [kind] @param {string | null} [data] */
export function sendInput(e, kind = "insertReplacementText", data = null) {
  dispatch(
    e,
    new InputEvent("input", { bubbles: true, composed: true, inputType: kind, data, view: viewOf(e) }),
  );
}

/** @param {Element} e */
export function sendChange(e) {
  dispatch(e, new Event("change", { bubbles: true }));
}

/**
 * Select exactly these options.
 * @param {HTMLSelectElement} select
 * @param {HTMLOptionElement[]} options
 */
export function chooseOptions(select, options) {
  if (select.multiple)
    for (const option of Array.from(select.options)) setSelectedOption(option, options.includes(option));
  else if (options[0]) setSelectedIndex(select, options[0].index);
  sendInput(select);
  sendChange(select);
}

/**
 * The options a text names: exactly, ignoring case, by value, by beginning, by part; several lines name several.
 * @param {HTMLSelectElement} select
 * @param {string} text
 * @returns {HTMLOptionElement[]}
 * @throws {Refusal} `no_option` with what there is, `ambiguous`
 */
export function optionsFor(select, text) {
  const all = Array.from(select.options).filter(
    (o) => !o.disabled && !(/** @type {any} */ (o.parentElement)?.disabled),
  );
  const one = findOption(all, text);
  if (one) return [one];
  if (select.multiple) {
    const parts = text.split(/\n|;|,/).map((part) => part.trim());
    const found = parts.filter(Boolean).map((part) => findOption(all, part));
    if (found.length && found.every((o) => o !== null)) return /** @type {HTMLOptionElement[]} */ (found);
    if (!text.trim()) return [];
  }
  const options = all.slice(0, 30).map((o) => line(o.text || o.label, 60));
  throw new Refusal(
    "no_option",
    `There is no option ${quote(line(text, 60))}. Use the text of one of the options${all.length > 30 ? " (the first 30 are listed)" : ""}.`,
    { options },
  );
}

/**
 * @param {HTMLOptionElement[]} all
 * @param {string} text
 * @returns {HTMLOptionElement | null}
 */
function findOption(all, text) {
  const wanted = folded(text);
  const label = (/** @type {HTMLOptionElement} */ o) => folded(o.text || o.label);
  const exact = all.find((o) => label(o) === wanted) ?? all.find((o) => o.value === text.trim());
  if (exact) return exact;
  if (!wanted) return null;
  for (const test of [
    (/** @type {string} */ t) => t.startsWith(wanted),
    (/** @type {string} */ t) => t.includes(wanted),
  ]) {
    const hits = all.filter((o) => test(label(o)));
    if (hits.length === 1) return hits[0] ?? null;
    if (hits.length > 1)
      throw new Refusal(
        "ambiguous",
        `${quote(line(text, 60))} fits several options. Give the full text of one.`,
        {
          options: hits.slice(0, 20).map((o) => line(o.text, 60)),
        },
      );
  }
  return null;
}

/** @type {Record<string, string>} */
const FORMATS = {
  date: "YYYY-MM-DD, for example 2026-03-09",
  time: "HH:MM, 24 hours, for example 14:30",
  "datetime-local": "YYYY-MM-DDTHH:MM, for example 2026-03-09T14:30",
  month: "YYYY-MM, for example 2026-03",
  week: "YYYY-Www, for example 2026-W11",
  color: "#rrggbb, for example #1e90ff",
  range: "a number",
};

/**
 * Set an input whose value has a format of its own.
 * @param {HTMLInputElement} input
 * @param {string} text
 * @throws {Refusal} `bad_value` if the browser does not take it; the old value is kept
 */
export function setFormatted(input, text) {
  const type = inputType(input);
  const before = input.value;
  const wanted = type === "color" ? text.trim().toLowerCase() : text.trim();
  const number = type === "range" ? Number(wanted) : 0;
  if (type === "range" && (!wanted || !Number.isFinite(number))) fail();
  setValue(input, wanted);
  if (type === "range") {
    const { min, max } = input;
    if (number < Number(min || 0) || number > Number(max || 100)) fail();
  } else if (wanted && !sameFormatted(input.value, wanted)) fail();
  if (wanted && (input.validity.rangeUnderflow || input.validity.rangeOverflow)) fail();
  sendInput(input);
  sendChange(input);

  /** @returns {never} */
  function fail() {
    setValue(input, before);
    const bounds = ["min", "max"]
      .map((key) => attribute(input, key))
      .map((given, i) => (given ? ` ${i ? "to" : "from"} ${given.slice(0, 20)}` : ""))
      .join("");
    throw new Refusal(
      "bad_value",
      `${quote(line(text, 40))} does not fit a ${type} field: it takes ${FORMATS[type]}${bounds}.`,
    );
  }
}

/** @param {string} got @param {string} wanted seconds may be added or dropped by the browser */
function sameFormatted(got, wanted) {
  return (
    got === wanted ||
    got === wanted.replace(" ", "T") ||
    got === `${wanted}:00` ||
    `${got}:00` === wanted ||
    `${got}:00.000` === wanted
  );
}

/**
 * What a user would read in the field now.
 * @param {HTMLSelectElement} select
 * @returns {string}
 */
export function chosenText(select) {
  return Array.from(select.selectedOptions)
    .slice(0, 20)
    .map((o) => line(o.text, 100))
    .join(", ");
}
