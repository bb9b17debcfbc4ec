// How boot.js reads the files it needs, and what the Python runtime may read meanwhile.

const RUNTIME = "pyodide/pyodide.asm.wasm";

/** Packaged files, read by a reference to fetch that Python cannot reach. */
export class Assets {
  /**
   * @param {{baseUrl: string, fetchAsset: (url: string) => Promise<Response>, loans?: import("./ahead.js").Loans}} options
   *   As of `bootPython`.
   */
  constructor({ baseUrl, fetchAsset, loans }) {
    this.baseUrl = baseUrl;
    this.fetchAsset = fetchAsset;
    this.loans = loans;
    /** Files whose hash was found right by who lent them. @type {Set<string>} */
    this.checked = new Set();
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
    const loan = await this.loans?.take(path);
    if (loan?.checked) this.checked.add(path);
    if (loan?.given instanceof ArrayBuffer) return new Uint8Array(loan.given);
    return new Uint8Array(await (await this.response(path)).arrayBuffer());
  }

  /** @param {string} path */
  async compile(path) {
    const loan = await this.loans?.take(path);
    if (loan?.given instanceof WebAssembly.Module) return loan.given;
    const response = await this.response(path);
    if (response.headers.get("content-type") === "application/wasm") {
      return WebAssembly.compileStreaming(response);
    }
    return WebAssembly.compile(await response.arrayBuffer());
  }

  /** @returns {Promise<import("./boot.js").BootManifest>} */
  async manifest() {
    return JSON.parse(new TextDecoder().decode(await this.bytes("py/boot.json")));
  }

  /**
   * Makes `globalThis.fetch` read packaged files only, for the loader, which knows no other way. A runtime that does
   * not compile is told to `onFailure`, since the loader only logs it.
   * @returns {() => void} Puts back what was there before.
   */
  openDoor() {
    const { instantiateStreaming } = WebAssembly;
    const runtime = this.compile(RUNTIME);
    runtime.catch(() => {});
    WebAssembly.instantiateStreaming = async (/** @type {any} */ _response, /** @type {any} */ imports) => {
      try {
        const module = await runtime;
        return { module, instance: await WebAssembly.instantiate(module, imports) };
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
      const path = href.slice(root.length);
      try {
        // It is compiled already, or being compiled.
        if (path === RUNTIME) return new Response();
        return new Response(await this.bytes(path));
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
