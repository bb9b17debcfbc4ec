// The npm package describes the loader, not the runtime it loads.
declare module "pyodide/pyodide.asm.mjs" {
  /** Creates the runtime's Emscripten module. Its settings and the module are Pyodide's own affair. */
  // biome-ignore lint/suspicious/noExplicitAny: the runtime publishes no types for these.
  export default function createPyodideModule(settings: any): Promise<any>;
}
