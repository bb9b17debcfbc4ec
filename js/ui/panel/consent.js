import { useEffect, useRef, useState } from "preact/hooks";

/**
 * Whether a click on a card was meant for it. A card may appear under a finger that is already on its way to something
 * else, and a script may dispatch what it likes: neither is an answer.
 */

/** So long a card that has just come into sight takes no answer. */
export const GUARD_MS = 500;

/**
 * @param {string} id of the card; another one begins anew
 * @returns {{ready: boolean, onPointerDown: (event: PointerEvent) => void, meant: (event: MouseEvent) => boolean}}
 */
export function useGuard(id) {
  const [ready, setReady] = useState(false);
  const pressed = useRef(/** @type {EventTarget | null} */ (null));
  useEffect(() => {
    setReady(false);
    pressed.current = null;
    let timer = 0;
    // Nobody has seen it while the panel was hidden.
    const begin = () => {
      clearTimeout(timer);
      if (document.hidden) setReady(false);
      else timer = window.setTimeout(() => setReady(true), GUARD_MS);
    };
    begin();
    document.addEventListener("visibilitychange", begin);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", begin);
    };
  }, [id]);
  return {
    ready,
    onPointerDown: (event) => {
      pressed.current = event.isTrusted && ready ? event.currentTarget : null;
    },
    // A key or a screen reader presses without a pointer: detail is 0.
    meant: (event) =>
      event.isTrusted && ready && (event.detail === 0 || pressed.current === event.currentTarget),
  };
}
