/**
 * Bundles the JavaScript and the style sheets.
 *
 * Usage: node build/bundle.mjs JOB.json, where the job is
 * `{outdir, scripts: [{source, target, format}], styles: [{source, target}]}` with targets below `outdir`. In a build for
 * tests `instead` names files by which others are replaced, by the end of their names.
 *
 * Two things stay outside every bundle: the platform file, which is chosen per browser, and the Python runtime, which
 * is packaged apart.
 */

import { readFile } from "node:fs/promises";
import { build } from "esbuild";

/**
 * @typedef {{source: string, target: string}} Style
 * @typedef {Style & {format: "esm" | "iife"}} Script
 */

/** Syntax newer than this is rewritten. The manifests demand at least these. */
const TARGET = ["chrome123", "firefox142"];

/** @type {import("esbuild").Plugin} */
const external = {
  name: "external",
  setup({ onResolve }) {
    onResolve({ filter: /(^|\/)platform\.js$/ }, () => ({ path: "./platform.js", external: true }));
    onResolve({ filter: /^pyodide$/ }, () => ({ path: "../pyodide/pyodide.mjs", external: true }));
    onResolve({ filter: /^pyodide\// }, ({ path }) => ({ path: `../${path}`, external: true }));
  },
};

const jobFile = process.argv[2];
if (!jobFile) throw new Error("usage: node build/bundle.mjs JOB.json");
const job =
  /** @type {{outdir: string, scripts: Script[], styles: Style[], instead?: Record<string, string>}} */ (
    JSON.parse(await readFile(jobFile, "utf8"))
  );

/** @type {import("esbuild").Plugin} */
const instead = {
  name: "instead",
  setup({ onResolve }) {
    for (const [name, path] of Object.entries(job.instead ?? {})) {
      const filter = new RegExp(`/${name.replaceAll(".", "\\.")}$`);
      // What takes a file's place may import it.
      onResolve({ filter }, ({ importer }) => (importer === path ? undefined : { path }));
    }
  },
};

try {
  for (const { source, target, format } of job.scripts) {
    await build({
      entryPoints: [source],
      outfile: `${job.outdir}/${target}`,
      bundle: true,
      format,
      target: TARGET,
      charset: "utf8",
      jsx: "automatic",
      jsxImportSource: "preact",
      legalComments: "inline",
      // Comments name the modules; with links followed they could name folders of this machine.
      preserveSymlinks: true,
      // A fast failure is better than a bundle that loads half.
      logOverride: { "import-is-undefined": "error", "ignored-bare-import": "error" },
      plugins: [external, instead],
    });
  }
  for (const { source, target } of job.styles) {
    await build({
      entryPoints: [source],
      outfile: `${job.outdir}/${target}`,
      bundle: true,
      target: TARGET,
      charset: "utf8",
    });
  }
} catch {
  // esbuild has said what is wrong.
  process.exit(1);
}
