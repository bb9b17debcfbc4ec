import { Component, h } from "preact";

/**
 * A component that is drawn again only when one of its props is another. For what is costly to draw and stands in
 * a list that is drawn often: the turns of a long conversation while the last of them streams in. Signals that it
 * reads still redraw it by themselves.
 *
 * @template {Record<string, any>} P
 * @param {import("preact").FunctionComponent<P>} Inner
 * @returns {import("preact").FunctionComponent<P>}
 */
export function memo(Inner) {
  class Memo extends Component {
    /** @param {Record<string, unknown>} next */
    shouldComponentUpdate(next) {
      const before = /** @type {Record<string, unknown>} */ (this.props);
      const names = Object.keys(next);
      return names.length !== Object.keys(before).length || names.some((name) => before[name] !== next[name]);
    }

    /** @override */
    render() {
      return h(
        Inner,
        /** @type {any} the props of `Inner`, which a class cannot be generic in */ (this.props),
      );
    }
  }
  return /** @type {any} called as a function component would be, and with its props */ (Memo);
}
