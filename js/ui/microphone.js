/**
 * The microphone: the browser's permission, and recordings as the agent takes them (a WAV file with one channel of
 * 16-bit samples). A side panel cannot show the browser's question, a tab can; the answer holds for both.
 *
 * @typedef {"granted" | "denied" | "prompt" | "missing"} Permission
 */

/** Samples per second; py/webbrain/providers/speech.py says the same. */
export const SAMPLE_RATE = 16_000;
/** Longer recordings end by themselves. */
export const LONGEST_MS = 180_000;
/** Share of full loudness below which nobody has said anything. Models make up words for silence. */
const QUIET = 0.01;
const HEADER_BYTES = 44;
const WANTED = { audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true } };

/** @returns {Promise<Permission>} what the browser would say, without asking anybody */
export async function mayListen() {
  try {
    const name = /** @type {PermissionName} */ ("microphone");
    return /** @type {Permission} */ ((await navigator.permissions.query({ name })).state);
  } catch {
    return "prompt";
  }
}

/** @returns {Promise<Permission>} after the browser has asked the user, if it had to */
export async function askForMicrophone() {
  try {
    release(await navigator.mediaDevices.getUserMedia(WANTED));
    return "granted";
  } catch (error) {
    if (/** @type {DOMException} */ (error).name === "NotFoundError") return "missing";
    return (await mayListen()) === "denied" ? "denied" : "prompt";
  }
}

/** @param {MediaStream} stream */
function release(stream) {
  for (const track of stream.getTracks()) track.stop();
}

/** One recording, from its first moment on. */
export class Recording {
  /** @type {Blob[]} */
  #pieces = [];
  #stream;
  #recorder;
  /** @type {Promise<void>} */
  #ended;

  /** @param {MediaStream} stream */
  constructor(stream) {
    this.#stream = stream;
    this.#recorder = new MediaRecorder(stream);
    this.#recorder.ondataavailable = ({ data }) => this.#pieces.push(data);
    this.#ended = new Promise((resolve) => {
      this.#recorder.onstop = () => resolve();
    });
    this.#recorder.start();
  }

  /**
   * Begin. Rejects with what `getUserMedia` says.
   *
   * @returns {Promise<Recording>}
   */
  static async begin() {
    return new Recording(await navigator.mediaDevices.getUserMedia(WANTED));
  }

  /** End it and forget what was said. */
  cancel() {
    if (this.#recorder.state !== "inactive") this.#recorder.stop();
    release(this.#stream);
  }

  /**
   * End it.
   *
   * @returns {Promise<Blob | null>} the WAV file; nothing if nothing could be heard
   */
  async finish() {
    this.cancel();
    await this.#ended;
    const bytes = await new Blob(this.#pieces, { type: this.#recorder.mimeType }).arrayBuffer();
    if (bytes.byteLength === 0) return null;
    const sound = await decoded(bytes);
    if (!sound) return null;
    const samples = mono(sound);
    return loudest(samples) < QUIET ? null : new Blob([wav(samples)], { type: "audio/wav" });
  }
}

/**
 * @param {ArrayBuffer} bytes as a recorder wrote them
 * @returns {Promise<AudioBuffer | null>} nothing for a recording without any sound in it, which cannot be decoded
 */
async function decoded(bytes) {
  try {
    // Decoding in a context of this rate resamples as well.
    return await new OfflineAudioContext(1, 1, SAMPLE_RATE).decodeAudioData(bytes);
  } catch (error) {
    if (/** @type {DOMException} */ (error).name === "EncodingError") return null;
    throw error;
  }
}

/**
 * All channels as one.
 *
 * @param {Pick<AudioBuffer, "length" | "numberOfChannels" | "getChannelData">} sound
 * @returns {Float32Array}
 */
export function mono(sound) {
  const first = sound.getChannelData(0);
  if (sound.numberOfChannels === 1) return first;
  const out = new Float32Array(sound.length);
  for (let channel = 0; channel < sound.numberOfChannels; channel++) {
    const samples = sound.getChannelData(channel);
    for (let at = 0; at < out.length; at++) out[at] += samples[at] / sound.numberOfChannels;
  }
  return out;
}

/** @param {Float32Array} samples */
function loudest(samples) {
  let most = 0;
  for (const sample of samples) most = Math.max(most, Math.abs(sample));
  return most;
}

/**
 * A WAV file.
 *
 * @param {Float32Array} samples from -1 to 1
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function wav(samples) {
  const data = new DataView(new ArrayBuffer(HEADER_BYTES + samples.length * 2));
  const text = (/** @type {number} */ at, /** @type {string} */ word) => {
    for (let n = 0; n < word.length; n++) data.setUint8(at + n, word.charCodeAt(n));
  };
  text(0, "RIFF");
  data.setUint32(4, data.byteLength - 8, true);
  text(8, "WAVEfmt ");
  data.setUint32(16, 16, true);
  data.setUint16(20, 1, true);
  data.setUint16(22, 1, true);
  data.setUint32(24, SAMPLE_RATE, true);
  data.setUint32(28, SAMPLE_RATE * 2, true);
  data.setUint16(32, 2, true);
  data.setUint16(34, 16, true);
  text(36, "data");
  data.setUint32(40, samples.length * 2, true);
  for (let at = 0; at < samples.length; at++)
    data.setInt16(HEADER_BYTES + at * 2, Math.round(Math.max(-1, Math.min(1, samples[at])) * 0x7fff), true);
  return new Uint8Array(data.buffer);
}
