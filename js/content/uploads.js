/**
 * Files on their way into the page: pieces that are put together, and whole files that wait for the rest of their lot.
 */

import { UPLOAD_BYTES, UPLOAD_IDLE_MS, UPLOAD_PIECES, UPLOADS } from "./handlimits.js";
import { Refusal } from "./session.js";

/** @typedef {import("./session.js").Args} Args */

/**
 * @typedef {object} Upload
 * @property {string} name
 * @property {string} type
 * @property {Uint8Array<ArrayBuffer>[]} pieces
 * @property {number} bytes
 * @property {number} at when the last piece came
 */

const ID = /^[\w-]{1,64}$/;

/** @typedef {{ input: HTMLInputElement, opener: Element }} Handed a field that a press has made, and what was pressed */

/** Files that are being handed over. */
export class Uploads {
  /** What a press has made, until a file is in it. @type {Handed | null} */
  handed = null;
  /** @type {Map<string, Upload>} */
  #open = new Map();
  /** Whole files waiting for the last one of their lot. @type {File[]} */
  #ready = [];
  /** What their lot is called. */
  #lot = "";
  #kept = 0;

  /**
   * Take one piece.
   * @param {Args} args `upload`, `name`, `type`, `size`, `index`, `data` (base64), `last`, `lot` of files that go together
   * @returns {File | null} the file, once it is whole
   * @throws {Refusal} `bad_upload`, `too_large`
   */
  take(args) {
    const id = String(args.upload ?? "");
    const index = args.index ?? 0;
    if (!ID.test(id) || typeof args.data !== "string" || !Number.isInteger(index))
      throw new Refusal("bad_upload", "A piece of a file needs upload, index and data.");
    this.#expire();
    const lot = String(args.lot ?? "");
    // What is left of a lot that was broken off belongs to nobody.
    if (lot !== this.#lot) this.#ready = [];
    this.#lot = lot;
    if (index === 0) {
      if (this.#open.size >= UPLOADS)
        throw new Refusal("bad_upload", "Too many files are on their way at once.");
      this.#open.set(id, {
        name: fileName(args.name),
        type: String(args.type ?? "").slice(0, 100),
        pieces: [],
        bytes: 0,
        at: performance.now(),
      });
    }
    const upload = this.#open.get(id);
    if (!upload || upload.pieces.length !== index || upload.pieces.length >= UPLOAD_PIECES) {
      this.#open.delete(id);
      throw new Refusal("bad_upload", "A piece of the file is missing. Send it again from the beginning.");
    }
    const bytes = decoded(args.data);
    upload.pieces.push(bytes);
    upload.bytes += bytes.length;
    upload.at = performance.now();
    setTimeout(() => this.#expire(), UPLOAD_IDLE_MS + 1_000);
    if (upload.bytes + this.#ready.reduce((sum, file) => sum + file.size, 0) > UPLOAD_BYTES) {
      this.#open.delete(id);
      this.#ready = [];
      throw new Refusal("too_large", `At most ${UPLOAD_BYTES / 1024 / 1024} MB can be put into a page.`);
    }
    if (args.last !== true) return null;
    this.#open.delete(id);
    if (typeof args.size === "number" && args.size !== upload.bytes)
      throw new Refusal("bad_upload", "The file did not arrive whole. Send it again from the beginning.");
    return new File(upload.pieces, upload.name, { type: upload.type, lastModified: Date.now() });
  }

  /** @param {File} file */
  keep(file) {
    this.#ready.push(file);
    this.#kept = performance.now();
  }

  /** @returns {File[]} what was kept; nothing is left */
  lot() {
    return this.#ready.splice(0);
  }

  #expire() {
    const now = performance.now();
    for (const [id, upload] of this.#open) if (now - upload.at > UPLOAD_IDLE_MS) this.#open.delete(id);
    if (now - this.#kept > UPLOAD_IDLE_MS) this.#ready = [];
  }
}

/** @param {unknown} given @returns {string} a name without folders */
function fileName(given) {
  const name =
    String(given ?? "")
      .split(/[\\/]/)
      .at(-1)
      ?.trim() ?? "";
  return name.slice(0, 255) || "file";
}

/** @param {string} data @returns {Uint8Array<ArrayBuffer>} */
function decoded(data) {
  let raw;
  try {
    raw = atob(data);
  } catch {
    throw new Refusal("bad_upload", "A piece of the file is not base64.");
  }
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}
