import { useLayoutEffect } from "preact/hooks";

/**
 * Close what stands over the panel when the person presses anywhere else. Pressing what opened it is left to its own
 * click, which closes it as well.
 *
 * @param {{current: HTMLElement | null}} box
 * @param {{current: HTMLElement | null}} opener
 * @param {() => void} onClose
 */
export function useDismiss(box, opener, onClose) {
  useLayoutEffect(() => {
    /** @param {PointerEvent} event */
    const press = (event) => {
      const target = /** @type {Node} */ (event.target);
      if (!box.current?.contains(target) && !opener.current?.contains(target)) onClose();
    };
    document.addEventListener("pointerdown", press, true);
    return () => document.removeEventListener("pointerdown", press, true);
  }, [onClose]);
}
