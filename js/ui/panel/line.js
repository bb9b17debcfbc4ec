import { signal } from "@preact/signals";
import { ext } from "../browser.js";
import { Connection } from "../port.js";
import { serverConfig } from "../servers.js";

/**
 * The panel's line to the supervisor, and the calls that need nothing else.
 *
 * @typedef {import("../port.js").LineState} LineState
 */

const CALL_TIMEOUT_MS = 30_000;
/** For the words of a recording; a server on this computer may have to load its model first. */
const TRANSCRIBE_TIMEOUT_MS = 300_000;

/** @type {import("@preact/signals").Signal<{state: LineState, attempt: number, reason: string}>} */
export const line = signal({ state: /** @type {LineState} */ ("connecting"), attempt: 0, reason: "" });

/** @type {Connection} */
let connection;

/**
 * @param {(method: string, params: any) => void} onEvent
 * @param {() => void} onBack the line stands again after it was down
 */
export function connect(onEvent, onBack) {
  connection = new Connection({
    ext,
    onEvent,
    onState: (state, attempt, reason) => {
      const before = line.value.state;
      line.value = { state, attempt, reason };
      if (state === "connected" && before === "reconnecting") onBack();
    },
  });
  connection.open();
}

/**
 * @param {string} method
 * @param {Record<string, any>} [params]
 * @param {{timeoutMs?: number, files?: Blob[]}} [options] as of `Connection.call`
 * @returns {Promise<any>}
 */
export const call = (method, params = {}, { timeoutMs = CALL_TIMEOUT_MS, files = [] } = {}) =>
  connection.call(method, params, { timeoutMs, files });

export const retryConnection = () => connection.retryNow();
/** Start the whole extension anew, this page included: the way out when the browser has lost its background. */
export const restartExtension = () => ext.runtime.reload();
export const retryBoot = () => call("boot.retry").catch(() => {});

/**
 * @param {Blob} sound a WAV file
 * @returns {Promise<{text: string}>}
 */
export const transcribe = (sound) =>
  call(
    "transcription.run",
    { files: [{ name: "speech.wav", mediaType: sound.type, buffer: 0 }] },
    { timeoutMs: TRANSCRIBE_TIMEOUT_MS, files: [sound] },
  );

/**
 * @param {string} id of a picture
 * @returns {Promise<{dataUrl: string}>}
 */
export const askPicture = (id) => call("pictures.get", { id });

/** @returns {Promise<import("../types.js").FoundServer[]>} model servers on this computer */
export async function scanServers() {
  return (await call("providers.scan")).found;
}

/** @returns {Promise<import("../types.js").ProviderView[]>} every service there is */
export async function listProviders() {
  return (await call("providers.list")).providers;
}

/**
 * Use a service that is set up; `providers_changed` then shows it.
 *
 * @param {string} id
 */
export const activateProvider = (id) => call("providers.activate", { id });

/**
 * Set a found server up and use it; `providers_changed` then shows it.
 *
 * @param {import("../types.js").FoundServer} server
 * @param {string} model
 */
export async function useServer(server, model) {
  await call("providers.save", { id: server.id, config: serverConfig(server, model) });
  await activateProvider(server.id);
}
