/**
 * Numbers of listed elements: the `index` of `get_interactive_elements` and of the candidates of an ambiguous click.
 *
 * Like a reference, a number is bound to one element for the life of its document and never means another.
 */

import { isAlive } from "./dom.js";
import { Refusal } from "./session.js";

export class Numbers {
  /** @type {WeakRef<Element>[]} */
  #elements = [];
  /** @type {WeakMap<Element, number>} */
  #numbers = new WeakMap();

  /**
   * @param {Element} e
   * @returns {number} its number, given now if it has none yet
   */
  of(e) {
    const known = this.#numbers.get(e);
    if (known !== undefined) return known;
    const number = this.#elements.push(new WeakRef(e)) - 1;
    this.#numbers.set(e, number);
    return number;
  }

  /**
   * @param {unknown} index
   * @returns {Element}
   * @throws {Refusal} `bad_index`, `unknown_index`, `stale_index`
   */
  element(index) {
    const number = typeof index === "string" && /^\d{1,6}$/.test(index.trim()) ? Number(index) : index;
    if (typeof number !== "number" || !Number.isInteger(number) || number < 0)
      throw new Refusal("bad_index", "index must be a number of the list of get_interactive_elements.");
    const entry = this.#elements[number];
    if (!entry)
      throw new Refusal(
        "unknown_index",
        `No element with the index ${number} was listed on this page. Call get_interactive_elements, or use a ref_id of the accessibility tree.`,
      );
    const element = entry.deref();
    if (!element || !isAlive(element))
      throw new Refusal(
        "stale_index",
        `The element with the index ${number} is gone from the page. Call get_interactive_elements again.`,
      );
    return element;
  }
}
