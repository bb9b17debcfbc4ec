// The origin private file system as far as the bridge uses it, in memory.

/**
 * @param {{room?: number}} [how] `room`: bytes after which it is full.
 */
export function privateFiles({ room = Number.POSITIVE_INFINITY } = {}) {
  /** @type {Map<string, Uint8Array<ArrayBuffer>>} */
  const files = new Map();
  /** @param {string} name */
  const handle = (name) => ({
    getFile: async () => new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (files.get(name))]),
    createWritable: async () => {
      /** @type {Uint8Array<ArrayBuffer>} */
      let content = new Uint8Array();
      return {
        write: async (/** @type {ArrayBuffer} */ given) => {
          if (given.byteLength > room) throw new DOMException("full", "QuotaExceededError");
          content = new Uint8Array(given.slice(0));
        },
        close: async () => {
          files.set(name, content);
        },
      };
    },
  });
  const folder = {
    keys: async function* () {
      yield* [...files.keys()];
    },
    getFileHandle: async (/** @type {string} */ name, { create = false } = {}) => {
      if (!files.has(name) && !create) throw new DOMException("none", "NotFoundError");
      if (!files.has(name)) files.set(name, new Uint8Array());
      return handle(name);
    },
    removeEntry: async (/** @type {string} */ name) => {
      if (!files.delete(name)) throw new DOMException("none", "NotFoundError");
    },
  };
  return { files, root: async () => ({ getDirectoryHandle: async () => folder }) };
}
