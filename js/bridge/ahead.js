// Reads and compiles what Python starts from, in the page, while a Worker for it is still being made, and lends it out.

import { Copies, release } from "./copies.js";

/**
 * @typedef {object} Loan
 * @property {string} path A packaged file.
 * @property {ArrayBuffer | WebAssembly.Module} [given] Without it the file is not coming, and the Worker reads it itself.
 * @property {boolean} [checked] Its hash is the one the build recorded.
 */

const MANIFEST = "py/boot.json";
/** Compiled once; every later Worker gets the same, with all that browsers have made of it by then. */
const COMPILED = ["pyodide/pyodide.asm.wasm", "py/pydantic_core.wasm"];
/** In the order in which they are needed. */
const READ = ["py/snapshot.bin", "py/site.zip", "pyodide/python_stdlib.zip"];

/** What is lent to each Worker. */
export const LENT = [MANIFEST, ...COMPILED, ...READ];

export class Ahead {
  /** @type {Map<string, Promise<WebAssembly.Module>>} */ #modules = new Map();

  /**
   * @param {string} baseUrl Root of the packaged files.
   * @param {(url: string) => Promise<Response>} read
   * @param {() => Promise<any>} privateFiles Root of the private file system.
   */
  constructor(baseUrl, read, privateFiles) {
    this.baseUrl = baseUrl;
    this.read = read;
    this.copies = new Copies(privateFiles);
  }

  /** @param {{postMessage: (loan: Loan, transfer: ArrayBuffer[]) => void}} worker */
  async lend(worker) {
    const manifest = await this.#bytes(MANIFEST).catch(() => undefined);
    const files = hashes(manifest);
    /** @param {string} path @param {() => Promise<Loan>} find */
    const send = async (path, find) => {
      try {
        const loan = await find();
        worker.postMessage(loan, loan.given instanceof ArrayBuffer ? [loan.given] : []);
      } catch {
        worker.postMessage({ path }, []);
      }
    };
    const sent = [send(MANIFEST, async () => ({ path: MANIFEST, given: manifest }))];
    for (const path of COMPILED) {
      sent.push(send(path, async () => ({ path, given: await this.#compiled(path, files[path]) })));
    }
    for (const path of READ) {
      sent.push(
        send(path, async () => {
          const copy = files[path] ? await this.copies.read(files[path]) : null;
          return { path, given: copy ?? (await this.#bytes(path)), checked: copy !== null };
        }),
      );
    }
    await Promise.all(sent);
  }

  /** Have copies for the next start. */
  async keep() {
    const files = hashes(await this.#bytes(MANIFEST).catch(() => undefined));
    if (Object.keys(files).length) await this.copies.keep(files, (path) => this.#bytes(path));
  }

  /** @param {string} path @param {string | undefined} sha256 */
  #compiled(path, sha256) {
    const module = this.#modules.get(path) ?? this.#compile(path, sha256);
    this.#modules.set(path, module);
    // One that failed is tried again, by the Worker now and here for the next one.
    module.catch(() => this.#modules.delete(path));
    return module;
  }

  /** @param {string} path @param {string | undefined} sha256 */
  async #compile(path, sha256) {
    const copy = sha256 && (await this.copies.read(sha256));
    if (!copy) return WebAssembly.compileStreaming(this.#file(path));
    const module = await WebAssembly.compile(copy);
    release(copy);
    return module;
  }

  /** @param {string} path */
  async #file(path) {
    const response = await this.read(this.baseUrl + path);
    if (!response.ok) throw new Error(`${path} cannot be read: status ${response.status}`);
    return response;
  }

  /** @param {string} path */
  async #bytes(path) {
    return (await this.#file(path)).arrayBuffer();
  }
}

/**
 * @param {ArrayBuffer | undefined} manifest
 * @returns {import("./copies.js").Hashes} Of what is lent; none if the manifest is not there or not readable.
 */
function hashes(manifest) {
  try {
    const { files } = JSON.parse(new TextDecoder().decode(manifest));
    return Object.fromEntries(
      [...COMPILED, ...READ].filter((path) => files[path]).map((path) => [path, files[path]]),
    );
  } catch {
    return {};
  }
}

/** The Worker's side: what was lent to it, by path. */
export class Loans {
  /** @type {Map<string, Promise<Loan>>} */ #expected = new Map();
  /** @type {Map<string, (loan: Loan) => void>} */ #arrivals = new Map();

  /** @param {string[]} paths What will come, or be called off, in any order. */
  constructor(paths) {
    for (const path of paths) {
      this.#expected.set(path, new Promise((resolve) => this.#arrivals.set(path, resolve)));
    }
  }

  /** @param {Loan} loan */
  arrive(loan) {
    this.#arrivals.get(loan.path)?.(loan);
    this.#arrivals.delete(loan.path);
  }

  /** Each is given once. @param {string} path @returns {Promise<Loan> | undefined} Nothing if it must be read. */
  take(path) {
    const loan = this.#expected.get(path);
    this.#expected.delete(path);
    return loan;
  }
}
