/**
 * Wrap a handler so that it only takes what a person did. A script in reach of the page (another extension, a
 * console) can dispatch clicks, but it cannot make trusted ones.
 *
 * @template {Event} E
 * @param {(event: E) => void} handler
 * @returns {(event: E) => void}
 */
export function trusted(handler) {
  return (event) => {
    if (event.isTrusted) handler(event);
  };
}

/**
 * @param {string} text
 * @returns {Promise<boolean>} whether the clipboard took it
 */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
