/**
 * Has micropip resolve requirements in the very interpreter that will import the wheels, and writes its frozen lock to
 * a file. Fails with micropip's own words.
 *
 * The job comes by standard input: `{tools, index, requirements, target}`: the folder that micropip lies in, the address
 * of the index it may use, what is wanted, and where the lock goes.
 */

import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { loadPyodide } from "pyodide";

const RESOLVE = `
import json
import sys

sys.path.insert(0, "/tools")
import micropip

wanted = json.loads(job)
await micropip.install(wanted["requirements"], index_urls=[wanted["index"]])
micropip.freeze()
`;

const job = await text(process.stdin);
const { tools, target } = JSON.parse(job);
const indexURL = dirname(fileURLToPath(import.meta.resolve("pyodide")));
const { info } = JSON.parse(await readFile(join(indexURL, "pyodide-lock.json"), "utf8"));

// The runtime's own lock knows hundreds of packages, older ones than ours among them. Without them, micropip can take
// nothing that is not in the index.
const pyodide = await loadPyodide({
  indexURL,
  lockFileContents: { info, packages: {} },
  packageBaseUrl: indexURL,
});
pyodide.FS.mkdir("/tools");
pyodide.mountNodeFS("/tools", tools);
pyodide.globals.set("job", job);
try {
  await writeFile(target, await pyodide.runPythonAsync(RESOLVE));
} catch (error) {
  console.error(String(error).trim().split("\n").at(-1));
  process.exit(1);
}
process.exit(0);
