// Files on their way from a screen. A port carries text only, so they come in pieces of base64 before the call they
// belong to: no frame is large, and neither side is held up by a single one.

import { BridgeError } from "./rpc.js";

/** Characters of base64 of one piece: half a megabyte of a file takes a few milliseconds to decode. */
const PIECE_CHARS = 700_000;
/** Bytes of all files of a call; what a turn may have of them is for Python to say. */
const CALL_BYTES = 64_000_000;
const FILES = 100;
/** Calls of a screen whose files are coming at the same time; an older one is given up. */
const CALLS = 4;

/** @typedef {{files: Uint8Array<ArrayBuffer>[][], bytes: number, problem: BridgeError | null}} Upload */

export class Uploads {
  /** By screen and call. @type {Map<number, Map<string, Upload>>} */
  #screens = new Map();

  /** Take a piece; what is wrong with it is told to the call that follows. @param {number} screen @param {any} frame */
  take(screen, { id, file, data }) {
    if (typeof id !== "string") return;
    const upload = this.#of(screen, id);
    if (upload.problem) return;
    try {
      const bytes = decoded(data);
      upload.bytes += bytes.length;
      if (upload.bytes > CALL_BYTES) throw new BridgeError("too_large", "These files are too large to send.");
      placeOf(upload, file).push(bytes);
    } catch (error) {
      upload.problem = error instanceof BridgeError ? error : new BridgeError("bad_params", String(error));
      upload.files = [];
    }
  }

  /**
   * The whole files of a call, each in one buffer.
   * @param {number} screen @param {string} id @param {unknown} count How many the call says it has.
   * @returns {ArrayBuffer[]}
   */
  give(screen, id, count) {
    const upload = this.#screens.get(screen)?.get(id);
    this.#screens.get(screen)?.delete(id);
    if (upload?.problem) throw upload.problem;
    const files = upload?.files ?? [];
    if (files.length !== count) throw new BridgeError("bad_params", "Not all files arrived.");
    return files.map(joined);
  }

  /** The screen is gone. @param {number} screen */
  drop(screen) {
    this.#screens.delete(screen);
  }

  /** @param {number} screen @param {string} id @returns {Upload} */
  #of(screen, id) {
    const calls = this.#screens.get(screen) ?? new Map();
    this.#screens.set(screen, calls);
    const known = calls.get(id);
    if (known) return known;
    /** @type {Upload} */
    const upload = { files: [], bytes: 0, problem: null };
    calls.set(id, upload);
    if (calls.size > CALLS) calls.delete(calls.keys().next().value);
    return upload;
  }
}

/** The pieces of a file; files begin in order. @param {Upload} upload @param {unknown} file */
function placeOf(upload, file) {
  if (typeof file !== "number" || !Number.isInteger(file) || file < 0 || file >= FILES)
    throw new BridgeError("bad_params", "A piece of a file without its number.");
  if (file > upload.files.length)
    throw new BridgeError("bad_params", "A file begins before the one before it.");
  upload.files[file] ??= [];
  return upload.files[file];
}

/** @param {unknown} data @returns {Uint8Array<ArrayBuffer>} */
function decoded(data) {
  if (typeof data !== "string" || data.length > PIECE_CHARS)
    throw new BridgeError("bad_params", "A piece of a file is not what it should be.");
  const text = atob(data);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** @param {Uint8Array<ArrayBuffer>[]} pieces @returns {ArrayBuffer} */
function joined(pieces) {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole.buffer;
}
