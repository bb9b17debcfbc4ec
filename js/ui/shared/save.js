/** How long the browser may take to begin with a file. */
const KEPT_MS = 60_000;

/**
 * Let the browser save a text as a file, in its own way: in the folder for downloads, or where the person chooses.
 *
 * @param {string} filename
 * @param {string | string[]} text or its parts
 * @param {string} [type]
 */
export function saveText(filename, text, type = "text/markdown") {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text].flat(), { type: `${type};charset=utf-8` }));
  link.download = filename;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
}
