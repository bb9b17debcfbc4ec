/**
 * Compiles Python sources to byte code with the interpreter that will run them, in Node.
 *
 * Usage: node build/compile.mjs JOB.json, where the job is `{root, files: [{source, name, target}]}`: `source` and
 * `target` are paths below `root`, `name` is the file name the code object carries (it is seen in tracebacks, and is
 * where the interpreter will find the module).
 *
 * The byte code is of the unchecked-hash kind: it holds no time, and import never looks for the source beside it.
 */

import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { loadPyodide } from "pyodide";

/** @typedef {{root: string, files: {source: string, name: string, target: string}[]}} Job */

const COMPILE = `
import importlib._bootstrap_external as external
import importlib.util
import json
import os
import pathlib

def compile_all(root, files):
    for file in files:
        source = pathlib.Path(root, file["source"]).read_bytes()
        # optimize=0 keeps docstrings, which are what a model is told about a tool, and assertions.
        code = compile(source, file["name"], "exec", dont_inherit=True, optimize=0)
        target = pathlib.Path(root, file["target"])
        os.makedirs(target.parent, exist_ok=True)
        target.write_bytes(external._code_to_hash_pyc(code, importlib.util.source_hash(source), False))

compile_all("/job", json.loads(job)["files"])
`;

const jobFile = process.argv[2];
if (!jobFile) throw new Error("usage: node build/compile.mjs JOB.json");
const text = await readFile(jobFile, "utf8");
const job = /** @type {Job} */ (JSON.parse(text));
const pyodide = await loadPyodide({
  indexURL: dirname(fileURLToPath(import.meta.resolve("pyodide"))),
  // Sets of constants are written in the order of their hashes; with a random seed two builds would differ.
  env: { PYTHONHASHSEED: "0" },
});
pyodide.FS.mkdir("/job");
pyodide.mountNodeFS("/job", job.root);
pyodide.globals.set("job", text);
pyodide.runPython(COMPILE);
