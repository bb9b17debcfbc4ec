// Copies of large packaged files, in the origin private file system: browsers hand out what is packaged ten times as
// slowly (docs/boot.md). A copy is named by its hash, so an outdated one is never found and a damaged one never used.

/** The folder that is ours alone. */
const FOLDER = "start";

/** A copy that takes longer to read, in milliseconds, is no gain; the packaged file comes by another way. */
export const READ_MS = 5_000;

/** @typedef {Record<string, string>} Hashes SHA-256 in hex, by the path of a packaged file. */

/** @param {ArrayBuffer} content @returns {Promise<string>} Its SHA-256 in hex. */
export async function hash(content) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", content));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Free large content now: who idles may not collect garbage for long.
 * @param {ArrayBuffer} content Of no use afterwards.
 */
export function release(content) {
  // Browsers of before 2024 do not know it; there the collector does it some day.
  /** @type {any} */ (content).transfer?.(0);
}

export class Copies {
  /** @type {Promise<any> | undefined} */ #folder;

  /** @param {() => Promise<any>} root The private file system's root; fails where there is none. */
  constructor(root) {
    this.root = root;
  }

  /** @param {string} sha256 @returns {Promise<ArrayBuffer | null>} Nothing if there is no copy, or not a whole one. */
  async read(sha256) {
    /** @type {any} */
    let timer;
    const late = new Promise((resolve) => {
      timer = setTimeout(() => resolve(null), READ_MS);
    });
    try {
      return await Promise.race([this.#whole(sha256), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** @param {string} sha256 @returns {Promise<ArrayBuffer | null>} */
  async #whole(sha256) {
    try {
      const folder = await this.#open();
      const content = await (await (await folder.getFileHandle(sha256)).getFile()).arrayBuffer();
      if ((await hash(content)) === sha256) return content;
      release(content);
      await folder.removeEntry(sha256);
    } catch {
      // None yet, or no such file system: the packaged file is as good.
    }
    return null;
  }

  /**
   * Copy what is not there yet, after removing what belongs to other versions. Gives up silently when there is no room.
   * @param {Hashes} files @param {(path: string) => Promise<ArrayBuffer>} packaged
   */
  async keep(files, packaged) {
    try {
      const folder = await this.#open();
      const wanted = new Set(Object.values(files));
      const there = new Set();
      for await (const name of folder.keys()) there.add(name);
      for (const name of there) if (!wanted.has(name)) await folder.removeEntry(name);
      for (const [path, sha256] of Object.entries(files)) {
        if (there.has(sha256)) continue;
        const content = await packaged(path);
        await write(folder, sha256, content);
        release(content);
      }
    } catch (error) {
      console.info("No copies are kept of what Python starts from:", error);
    }
  }

  #open() {
    this.#folder ??= this.root().then((root) => root.getDirectoryHandle(FOLDER, { create: true }));
    return this.#folder;
  }
}

/**
 * All of it appears at once, or nothing does.
 * @param {any} folder @param {string} sha256 @param {ArrayBuffer} content
 */
async function write(folder, sha256, content) {
  if ((await hash(content)) !== sha256) return;
  const file = await folder.getFileHandle(sha256, { create: true });
  try {
    const stream = await file.createWritable();
    await stream.write(content);
    await stream.close();
  } catch (error) {
    await folder.removeEntry(sha256);
    throw error;
  }
}
