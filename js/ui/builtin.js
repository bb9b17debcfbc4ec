import { PURPOSE } from "../bridge/purpose.js";

/**
 * The browser's own language model as this page sees it. Runs reach it through the supervisor page; only its download
 * is begun here, because the browser wants a person's click for that.
 *
 * @typedef {"unsupported" | "unavailable" | "downloadable" | "downloading" | "available"} Availability
 */

const api = () => /** @type {any} */ (globalThis).LanguageModel;

/**
 * Whether there is a model. That the API exists says nothing.
 *
 * @returns {Promise<Availability>} `unsupported` where the browser knows no such thing
 */
export async function availability() {
  try {
    return (await api()?.availability(PURPOSE)) ?? "unsupported";
  } catch {
    return "unavailable";
  }
}

/**
 * Download the model. Call it from a click, or the browser refuses.
 *
 * @param {(part: number) => void} onProgress from 0 to 1
 * @returns {Promise<void>} once the model can be used
 */
export async function download(onProgress) {
  const session = await api().create({
    ...PURPOSE,
    monitor(/** @type {EventTarget} */ monitor) {
      monitor.addEventListener("downloadprogress", (event) => {
        const { loaded, total } = /** @type {ProgressEvent} */ (event);
        onProgress(Math.min(Math.max(loaded / (total || 1), 0), 1));
      });
    },
  });
  session.destroy();
}
