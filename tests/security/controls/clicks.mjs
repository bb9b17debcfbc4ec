// Which clicks on a card count, by the real guard of cards. With "off" as its argument the look at whether a person made
// the click is left out, and nothing else. Prints, as JSON, the names of those that count.

import { register } from "node:module";

const off = process.argv[2] === "off";
const hooks = `
let places = [], place = 0;
export const again = () => { place = 0; };
export const useState = (first) => {
  const at = place++;
  places[at] ??= first;
  return [places[at], (value) => { places[at] = value; }];
};
export const useRef = (first) => {
  const at = place++;
  return (places[at] ??= { current: first });
};
export const useEffect = (run) => {
  const at = place++;
  if (!places[at]) { places[at] = true; run(); }
};`;
const fake = `data:text/javascript,${encodeURIComponent(hooks)}`;
const hook = `
export const resolve = (name, context, next) =>
  name === "preact/hooks" ? { url: ${JSON.stringify(fake)}, shortCircuit: true } : next(name, context);
export const load = async (url, context, next) => {
  const loaded = await next(url, context);
  if (!${off} || !url.endsWith("/consent.js")) return loaded;
  const source = String(loaded.source);
  const without = source.replaceAll("event.isTrusted && ", "");
  if (without === source) throw new Error("The guard asks in other words.");
  return { ...loaded, source: without };
};`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);

/** @type {any} */ (globalThis).document = {
  hidden: false,
  addEventListener: () => {},
  removeEventListener: () => {},
};
/** @type {any} */ (globalThis).window = globalThis;
const { again } = await import(fake);
const { GUARD_MS, useGuard } = await import("../../../js/ui/panel/consent.js");

const button = {};
/** @param {boolean} isTrusted @param {number} detail @returns {any} */
const event = (isTrusted, detail) => ({ isTrusted, detail, currentTarget: button });
useGuard("card_1");
await new Promise((resolve) => setTimeout(resolve, GUARD_MS + 100));
again();
const guard = useGuard("card_1");
/** @type {string[]} */
const counts = [];
/** @param {string} name @param {any} [pressed] @param {any} [clicked] */
const attempt = (name, pressed, clicked) => {
  if (pressed) guard.onPointerDown(pressed);
  if (clicked && guard.meant(clicked)) counts.push(name);
  guard.onPointerDown(event(false, 0));
};
attempt("a person's", event(true, 1), event(true, 1));
attempt("a key's", null, event(true, 0));
attempt("a script's", event(false, 1), event(false, 1));
attempt("a script's as of a key", null, event(false, 0));
process.stdout.write(`${JSON.stringify(counts)}\n`);
process.exit(0);
