/**
 * How Python starts: from a memory snapshot if one fits, the plain way otherwise.
 *
 * The same recipe runs in three places: the extension's Worker (both browsers), the build's snapshot maker and the
 * tests (both in Node). docs/boot.md explains the steps and the phases.
 *
 * What the Worker has to do, in this order:
 *
 * 1. Keep `const fetchAsset = globalThis.fetch.bind(globalThis)` (and whatever else it needs) in private references,
 *    then remove fetch, XMLHttpRequest, WebSocket, ... from the global scope.
 * 2. `const boot = await bootPython({ baseUrl, fetchAsset, onPhase })`, where `baseUrl` is the extension's root
 *    (`new URL("../", import.meta.url).href` from a bundle in `js/`).
 * 3. `boot.pyodide.pyimport("webbrain.main")`: the module is already imported in both modes; nothing has run yet.
 *
 * While Python is being loaded `globalThis.fetch` is a door to the extension's own packaged files and nothing else;
 * it is gone again when the promise settles. The runtime module is imported statically, so it is read while the
 * Worker's script is.
 */

import { loadPyodide } from "pyodide";
import createPyodideModule from "pyodide/pyodide.asm.mjs";
import { Assets } from "./assets.js";
import { hash, release } from "./copies.js";

/**
 * Entries the function table is padded to before a library is loaded. Every browser may start with a slightly different
 * number (9,042 in Node 20); above it, library addresses are the same everywhere.
 */
const TABLE_LENGTH = 9_300;

/** Functions that the runtime can point to and never does: it draws nothing. Each would be compiled at every start. */
const DRAWING = "emscripten_gl";

/** Where the archive of wheels and package lies in the virtual file system. Imports in a snapshot refer to it. */
const SITE_ARCHIVE = "/lib/webbrain/site.zip";

/** Directory that the compiled libraries pretend to lie in. The files there are empty: the code is already loaded. */
const LIBRARY_DIR = "/lib/webbrain";

/** What the interpreter is told it was started as, and what it finds in its environment: the same wherever it runs. */
const PROGRAM = "/bin/python";
const ENVIRONMENT = {
  LANG: "C.UTF-8",
  // Looking for plugins opens every archive on the path and keeps it; there are none.
  PYDANTIC_DISABLE_PLUGINS: "__all__",
};

/**
 * What the build writes into `py/boot.json`.
 * @typedef {object} BootManifest
 * @property {string} buildId Build of the runtime; a snapshot restores only into the very same one.
 * @property {string} runtime Version of the runtime.
 * @property {string} python Version of the interpreter.
 * @property {string} package Version of our package.
 * @property {import("pyodide").Lockfile["info"]} lockInfo What the runtime wants to know of its package index, which is empty.
 * @property {string[]} exports What the runtime's script and the libraries use of the runtime's WebAssembly.
 * @property {{path: string, sha256: string}} site Archive of wheels and package.
 * @property {{module: string, file: string, path: string, sha256: string}[]} libraries Compiled extension modules, in
 *   loading order: module name, file name of the module, packaged file.
 * @property {SnapshotFile | null} snapshot
 * @property {Record<string, string>} [files] SHA-256 in hex of everything large, by path; there once all is made.
 */

/**
 * The file holds only the parts of the snapshot that are not zero, one after the other.
 * @typedef {object} SnapshotFile
 * @property {string} path
 * @property {string} sha256 Of the file.
 * @property {string} buildId Runtime it was made by.
 * @property {number} size Bytes of the whole snapshot.
 * @property {number} header Bytes of it that come before the memory.
 * @property {[offset: number, length: number][]} runs Where each part belongs.
 */

/**
 * @typedef {object} Phase
 * @property {string} name
 * @property {number} ms
 */

/**
 * @typedef {object} BootOptions
 * @property {string} baseUrl Root of the packaged files, ending in a slash: an URL, or a directory in Node.
 * @property {(url: string) => Promise<Response>} fetchAsset Reads one packaged file.
 * @property {import("./ahead.js").Loans} [loans] Packaged files that somebody else reads meanwhile.
 * @property {"auto" | "snapshot" | "plain"} [mode] `auto` tries the snapshot and falls back; `snapshot` throws instead.
 * @property {(phase: Phase) => void} [onPhase] Told about each phase as it ends.
 * @property {(line: string) => void} [stdout] Takes what Python prints, line by line.
 * @property {(line: string) => void} [stderr]
 */

/**
 * @typedef {object} Boot
 * @property {import("pyodide").PyodideInterface} pyodide
 * @property {"snapshot" | "plain"} mode
 * @property {Phase[]} phases In order; the phases of a snapshot that failed come first.
 * @property {number} totalMs From the call to the promise's end.
 * @property {string | null} reason Why the snapshot was not used, if it was not.
 */

/** The snapshot does not belong to these files, or is damaged. */
export class SnapshotError extends Error {
  name = "SnapshotError";
}

/**
 * Starts the interpreter with `webbrain.main` imported.
 * @param {BootOptions} options
 * @returns {Promise<Boot>}
 */
export async function bootPython(options) {
  const started = performance.now();
  const clock = new PhaseClock(options.onPhase);
  const assets = new Assets(options);
  const wanted = options.mode ?? "auto";
  let reason = wanted === "plain" ? "asked for" : null;

  const manifest = await assets.manifest();
  clock.end("manifest");

  if (wanted !== "plain") {
    try {
      const pyodide = await restore(options, assets, manifest, clock);
      return {
        pyodide,
        mode: "snapshot",
        phases: clock.phases,
        totalMs: performance.now() - started,
        reason,
      };
    } catch (error) {
      if (wanted === "snapshot") throw error;
      reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      clock.end("snapshot_failed");
    }
  }
  const pyodide = await bootPlain(options, assets, manifest, clock);
  return { pyodide, mode: "plain", phases: clock.phases, totalMs: performance.now() - started, reason };
}

/**
 * Starts the interpreter from its sources, imports everything and returns it with its memory as bytes.
 * Only the build calls this; the caller has made the clocks and the random source constant.
 * @param {BootOptions} options
 * @param {(module: any) => void} tidy Called with the runtime's module when everything is imported.
 * @returns {Promise<{pyodide: import("pyodide").PyodideInterface, snapshot: Uint8Array}>}
 */
export async function makeSnapshot(options, tidy) {
  const clock = new PhaseClock(options.onPhase);
  const assets = new Assets(options);
  const manifest = await assets.manifest();
  const pyodide = await load(options, assets, manifest, clock, {
    _makeSnapshot: true,
    // Pages and models choose keys of dictionaries, and this seed is public: such dictionaries are capped in size.
    env: { ...ENVIRONMENT, PYTHONHASHSEED: "0", PYTHONNODEBUGRANGES: "1" },
  });
  installSite(pyodide, await assets.bytes(manifest.site.path));
  installFinder(pyodide, manifest);
  pyodide.runPython("from webbrain import boot; boot.warm(); del boot");
  tidy(/** @type {any} */ (pyodide)._module);
  return { pyodide, snapshot: pyodide.makeMemorySnapshot() };
}

/**
 * @param {BootOptions} options
 * @param {Assets} assets
 * @param {BootManifest} manifest
 * @param {PhaseClock} clock
 */
async function restore(options, assets, manifest, clock) {
  const { snapshot } = manifest;
  if (!snapshot) throw new SnapshotError("the package has none");
  if (snapshot.buildId !== manifest.buildId) {
    throw new SnapshotError(`made by runtime build ${snapshot.buildId}, this one is ${manifest.buildId}`);
  }
  // The loader wants the snapshot before it compiles the runtime. It gets the head alone, filled while it compiles;
  // the memory is written below, its occupied parts only: what nobody touches costs nothing.
  const head = new Uint8Array(snapshot.header);
  const file = assets.bytes(snapshot.path);
  const site = assets.bytes(manifest.site.path);
  // Begun when the file is there, which is mostly while the runtime is still being compiled.
  const digest = file.then((bytes) =>
    assets.checked.has(snapshot.path) ? snapshot.sha256 : hash(bytes.buffer),
  );
  // All are awaited below; an earlier failure elsewhere must not turn these into unhandled rejections.
  for (const work of [file, site, digest]) work.catch(() => {});

  const pyodide = await load(options, assets, manifest, clock, {
    _loadSnapshot: head,
    /** @param {any} module */
    beforeRestore: async (module) => {
      const bytes = await file;
      clock.end("snapshot");
      const heap = snapshot.size - snapshot.header;
      if (module.HEAP8.length < heap && !module.growMemory(heap)) {
        throw new SnapshotError(`memory did not grow to ${heap} bytes`);
      }
      if (module.HEAP8.length !== heap) {
        throw new SnapshotError(
          `the runtime has ${module.HEAP8.length} bytes of memory, the snapshot ${heap}`,
        );
      }
      put(bytes, snapshot, head, module.HEAP8);
      // Checked beside the copying; nothing has run yet that could be misled.
      if ((await digest) !== snapshot.sha256)
        throw new SnapshotError("its hash is not the one the build recorded");
      release(bytes.buffer);
    },
  });
  installSite(pyodide, await site);
  // Not as text: nothing has to be compiled for it.
  const boot = pyodide.pyimport("webbrain.boot");
  boot.renew();
  boot.destroy();
  clock.end("restore");
  return pyodide;
}

/**
 * @param {BootOptions} options
 * @param {Assets} assets
 * @param {BootManifest} manifest
 * @param {PhaseClock} clock
 */
async function bootPlain(options, assets, manifest, clock) {
  const site = assets.bytes(manifest.site.path);
  site.catch(() => {});
  const pyodide = await load(options, assets, manifest, clock, {});
  clock.end("interpreter");
  installSite(pyodide, await site);
  installFinder(pyodide, manifest);
  pyodide.runPython("import webbrain.main");
  clock.end("imports");
  return pyodide;
}

/**
 * Loads the runtime with the compiled libraries at fixed addresses.
 * @param {BootOptions} options
 * @param {Assets} assets
 * @param {BootManifest} manifest
 * @param {PhaseClock} clock
 * @param {{_makeSnapshot?: boolean, _loadSnapshot?: Uint8Array, env?: Record<string, string>,
 *   beforeRestore?: (module: any) => Promise<void>}} extra
 */
async function load(options, assets, manifest, clock, extra) {
  const { beforeRestore, ...config } = extra;
  const libraries = manifest.libraries.map((library) => {
    // Compiled while the runtime is; one that fails is reported when it is waited for.
    const compiled = assets.compile(library.path);
    compiled.catch(() => {});
    return { virtual: `${LIBRARY_DIR}/${library.file}`, compiled };
  });

  /** @param {any} settings Settings of the Emscripten module, as the loader made them. */
  const createModule = async (settings) => {
    settings.preRun.push((/** @type {any} */ module) => {
      clock.end("runtime");
      module.FS.mkdirTree(LIBRARY_DIR);
      preloadLibraries(module, libraries, () => clock.end("libraries"));
    });
    const instantiate = settings.instantiateWasm;
    settings.instantiateWasm = (/** @type {any} */ imports, /** @type {any} */ receive) =>
      instantiate(
        { ...imports, "GOT.func": withoutDrawing(imports["GOT.func"]) },
        (/** @type {WebAssembly.Instance} */ instance, /** @type {WebAssembly.Module} */ compiled) =>
          receive({ exports: only(manifest.exports, instance.exports) }, compiled),
      );
    // The loader logs a file or library that does not load, and then waits for it for ever.
    const failed = new Promise((_, reject) => {
      settings.onLibraryFailure = reject;
      assets.onFailure = reject;
    });
    const module = await Promise.race([createPyodideModule(settings), failed]);
    await beforeRestore?.(module);
    return module;
  };

  const closeDoor = assets.openDoor();
  try {
    return await loadPyodide({
      env: ENVIRONMENT,
      ...config,
      _sysExecutable: PROGRAM,
      indexURL: `${options.baseUrl}pyodide/`,
      // Nothing is ever installed at run time, so the index is empty and no address is known to it.
      lockFileContents: { info: manifest.lockInfo, packages: {} },
      packageBaseUrl: `${options.baseUrl}pyodide/`,
      createPyodideModule: createModule,
      stdin: () => null,
      stdout: options.stdout ?? ((line) => console.log(line)),
      stderr: options.stderr ?? ((line) => console.warn(line)),
    });
  } finally {
    closeDoor();
  }
}

/**
 * @param {Record<string, WebAssembly.Global>} addresses Of functions, filled in by the runtime's script when asked for.
 * @returns {Record<string, WebAssembly.Global>} The same, with no address for what nobody calls.
 */
function withoutDrawing(addresses) {
  return new Proxy(addresses, {
    get: (all, name) =>
      String(name).startsWith(DRAWING)
        ? new WebAssembly.Global({ value: "i32", mutable: true }, 0)
        : all[/** @type {string} */ (name)],
  });
}

/**
 * The runtime's script enters whatever is exported into several tables, 8,500 things of which it uses a sixth.
 * @param {string[]} names
 * @param {WebAssembly.Exports} all
 */
function only(names, all) {
  return Object.fromEntries(names.map((name) => [name, all[name]]));
}

/**
 * Loads the libraries before the runtime starts. So early they get statically allocated, which gives them the same
 * memory and table addresses in the run that makes the snapshot and in every run that restores it.
 * @param {any} module
 * @param {{virtual: string, compiled: Promise<WebAssembly.Module>}[]} libraries
 * @param {() => void} done
 */
async function preloadLibraries(module, libraries, done) {
  const table = module.wasmTable;
  module.addRunDependency("libraries");
  try {
    if (table.length > TABLE_LENGTH)
      throw new Error(`the function table has ${table.length} entries already`);
    table.grow(TABLE_LENGTH - table.length);
    for (const { virtual, compiled } of libraries) {
      const flags = { loadAsync: true, global: false, nodelete: true, allowUndefined: true };
      module.FS.writeFile(virtual, new Uint8Array());
      module.preloadedWasm[virtual] = await module.loadWebAssemblyModule(await compiled, flags, virtual, {});
      await module.loadDynamicLibrary(virtual, flags, {});
    }
  } catch (error) {
    module.onLibraryFailure(error);
    return;
  }
  done();
  module.removeRunDependency("libraries");
}

/**
 * Puts the archive where imports look for it. The bytes are handed over, not copied.
 * @param {import("pyodide").PyodideInterface} pyodide
 * @param {Uint8Array} bytes
 */
function installSite(pyodide, bytes) {
  pyodide.FS.writeFile(SITE_ARCHIVE, bytes, { canOwn: true });
}

/**
 * @param {import("pyodide").PyodideInterface} pyodide
 * @param {BootManifest} manifest
 */
function installFinder(pyodide, manifest) {
  const libraries = Object.fromEntries(
    manifest.libraries.map(({ module, file }) => [module, `${LIBRARY_DIR}/${file}`]),
  );
  pyodide.runPython(
    `import sys, json
sys.path.insert(0, ${JSON.stringify(SITE_ARCHIVE)})
from webbrain import boot
boot.install(json.loads(${JSON.stringify(JSON.stringify(libraries))}))
del sys, json, boot`,
  );
}

/**
 * Puts the parts of the snapshot where they belong.
 * @param {Uint8Array} bytes The file.
 * @param {SnapshotFile} snapshot
 * @param {Uint8Array} head All zero.
 * @param {Int8Array} heap The runtime's memory, as it is before anything ran in it.
 */
function put(bytes, snapshot, head, heap) {
  let start = 0;
  for (const [offset, length] of snapshot.runs) {
    const part = bytes.subarray(start, start + length);
    const inHead = Math.min(Math.max(head.length - offset, 0), length);
    if (inHead) head.set(part.subarray(0, inHead), offset);
    if (inHead < length) heap.set(part.subarray(inHead), offset + inHead - head.length);
    start += length;
  }
}

/** Splits the time since it was made into named phases. */
class PhaseClock {
  /** @param {((phase: Phase) => void) | undefined} onPhase */
  constructor(onPhase) {
    this.onPhase = onPhase;
    this.last = performance.now();
    /** @type {Phase[]} */
    this.phases = [];
  }

  /** @param {string} name Of the phase that ends now. */
  end(name) {
    const now = performance.now();
    const phase = { name, ms: Math.round((now - this.last) * 10) / 10 };
    this.last = now;
    this.phases.push(phase);
    this.onPhase?.(phase);
  }
}
