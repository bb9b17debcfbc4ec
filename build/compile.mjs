/**
 * Compiles Python sources to byte code with the interpreter that will run them, in Node.
 *
 * Usage: node build/compile.mjs JOB.json, where the job is `{root, files: [{source, name, target, docs}]}`: `source` and
 * `target` are paths below `root`, `name` is the file name the code object carries (it is seen in tracebacks, and is
 * where the interpreter will find the module), `docs` says whether docstrings are kept.
 *
 * The byte code is of the unchecked-hash kind: it holds no time, and import never looks for the source beside it.
 */

import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { loadPyodide } from "pyodide";

/** @typedef {{root: string, files: {source: string, name: string, target: string, docs: boolean}[]}} Job */

const COMPILE = `
import ast
import importlib._bootstrap_external as external
import importlib.util
import json
import os
import pathlib

DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)

def without_docs(tree):
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            # A body must not be empty. optimize=2 would leave out assertions as well.
            node.body = node.body[1:] or [ast.copy_location(ast.Pass(), node.body[0])]
    return tree

def compile_all(root, files):
    for file in files:
        source = pathlib.Path(root, file["source"]).read_bytes()
        tree = source if file["docs"] else without_docs(ast.parse(source, file["name"]))
        code = compile(tree, file["name"], "exec", dont_inherit=True, optimize=0)
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
  // Of where in a line an error happened nobody is told, and it is a tenth of the code.
  env: { PYTHONHASHSEED: "0", PYTHONNODEBUGRANGES: "1" },
});
pyodide.FS.mkdir("/job");
pyodide.mountNodeFS("/job", job.root);
pyodide.globals.set("job", text);
pyodide.runPython(COMPILE);
