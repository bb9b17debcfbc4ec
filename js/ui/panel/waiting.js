import { useEffect, useState } from "preact/hooks";

/**
 * The time, again and again.
 *
 * @param {number} every milliseconds
 * @returns {number} milliseconds since 1970
 */
export function useNow(every) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), every);
    return () => clearInterval(timer);
  }, [every]);
  return now;
}

/** @returns {boolean} whether the person is in the middle of writing something */
export function isTyping() {
  const active = document.activeElement;
  return active instanceof HTMLTextAreaElement && active.value !== "";
}
