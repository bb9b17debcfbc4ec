// How boot.js reads the files it needs, and what the Python runtime may read meanwhile.

/** Packaged files, read by a reference to fetch that Python cannot reach. */
export class Assets {
  /** @param {{baseUrl: string, fetchAsset: (url: string) => Promise<Response>}} options As of `bootPython`. */
  constructor({ baseUrl, fetchAsset }) {
    this.baseUrl = baseUrl;
    this.fetchAsset = fetchAsset;
    /** @type {(error: unknown) => void} Told when the loader could not read a file. */
    this.onFailure = () => {};
  }

  /** @param {string} path */
  async response(path) {
    const response = await this.fetchAsset(this.baseUrl + path);
    if (!response.ok) throw new Error(`${path} cannot be read: status ${response.status}`);
    return response;
  }

  /** @param {string} path */
  async bytes(path) {
    return new Uint8Array(await (await this.response(path)).arrayBuffer());
  }

  /** @param {string} path */
  async compile(path) {
    const response = await this.response(path);
    if (response.headers.get("content-type") === "application/wasm") {
      return WebAssembly.compileStreaming(response);
    }
    return WebAssembly.compile(await response.arrayBuffer());
  }

  /** @returns {Promise<import("./boot.js").BootManifest>} */
  async manifest() {
    return (await this.response("py/boot.json")).json();
  }

  /**
   * Makes `globalThis.fetch` read packaged files only, for the loader, which knows no other way. A runtime that does
   * not compile is told to `onFailure`, since the loader only logs it.
   * @returns {() => void} Puts back what was there before.
   */
  openDoor() {
    const { instantiateStreaming } = WebAssembly;
    WebAssembly.instantiateStreaming = async (/** @type {[any, any]} */ ...given) => {
      try {
        return await instantiateStreaming.apply(WebAssembly, given);
      } catch (error) {
        this.onFailure(error);
        throw error;
      }
    };
    const before = Object.getOwnPropertyDescriptor(globalThis, "fetch");
    // An URL, so that steps upwards are resolved before the comparison; a directory becomes one.
    const root = new URL(this.baseUrl, "file:").href;
    /** @param {string | URL} url */
    const door = async (url) => {
      const { href } = new URL(url, root);
      if (!href.startsWith(root)) throw new Error("only packaged files can be read while Python starts");
      try {
        return await this.response(href.slice(root.length));
      } catch (error) {
        this.onFailure(error);
        throw error;
      }
    };
    Object.defineProperty(globalThis, "fetch", { value: door, configurable: true, writable: true });
    return () => {
      WebAssembly.instantiateStreaming = instantiateStreaming;
      if (before) Object.defineProperty(globalThis, "fetch", before);
      else Reflect.deleteProperty(globalThis, "fetch");
    };
  }
}
