/**
 * Boots a built tree in Node, by the extension's own recipe, and runs Python in it.
 *
 * The job comes by standard input as JSON, the answer goes to standard output as one line of JSON: `{mode, reason,
 * phases, totalMs, result, during}` or `{error}`.
 *
 * @typedef {object} Job
 * @property {string} tree
 * @property {"auto" | "snapshot" | "plain"} mode
 * @property {string} code Python; the value of its last expression must be JSON text or None.
 * @property {boolean} synchronous Run it outside the interpreter's own event loop.
 * @property {Record<string, string>} mounts Folders by the path they get in the interpreter.
 * @property {"none" | "flip" | "cut" | "missing" | "build" | "memory" | "garbage" | "library"} damage What is wrong
 *   with the files: a changed byte, a short snapshot, no snapshot file, a snapshot of another runtime, a wrong size,
 *   a snapshot of noise with the right hash, a broken library.
 */

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { bootPython } from "../../js/bridge/boot.js";

const job = /** @type {Job} */ (JSON.parse(await text(process.stdin)));
const baseUrl = `${job.tree}/`;
/** @type {string[]} */
const during = [];

/** @param {string} url */
async function fetchAsset(url) {
  const name = url.slice(baseUrl.length);
  let content = new Uint8Array(await readFile(url));
  if (name === "py/snapshot.bin") {
    if (job.damage === "missing") return new Response(null, { status: 404 });
    if (job.damage === "flip") content[content.length >> 1] ^= 1;
    if (job.damage === "cut") content = content.slice(0, content.length >> 1);
    if (job.damage === "garbage") content.fill(7);
  }
  if (name === "py/boot.json") {
    const manifest = JSON.parse(new TextDecoder().decode(content));
    if (job.damage === "build") manifest.snapshot.buildId = "0".repeat(64);
    if (job.damage === "memory") manifest.snapshot.size = 1 << 20;
    if (job.damage === "library") manifest.libraries[0].path = "py/boot.json";
    if (job.damage === "garbage") {
      const size = (await readFile(`${job.tree}/py/snapshot.bin`)).length;
      manifest.snapshot.sha256 = createHash("sha256").update(new Uint8Array(size).fill(7)).digest("hex");
    }
    content = new TextEncoder().encode(JSON.stringify(manifest));
  }
  return new Response(content);
}

/** What the global fetch does while Python is being loaded. */
async function tryDoor() {
  const root = pathToFileURL(baseUrl).href;
  for (const url of ["https://example.org/", "file:///etc/passwd", `${root}../x`, `${root}py/boot.json`]) {
    const answer = await globalThis.fetch(url).then(
      (response) => String(response.status),
      (error) => error.message,
    );
    during.push(answer);
  }
}

/** @type {Record<string, unknown>} */
let answer;
try {
  /** @type {Promise<void> | undefined} */
  let tried;
  const before = globalThis.fetch;
  const { pyodide, ...boot } = await bootPython({
    baseUrl,
    fetchAsset,
    mode: job.mode,
    onPhase: ({ name }) => {
      if (name === "runtime") tried ??= tryDoor();
    },
    stdout: (line) => console.error(line),
    stderr: (line) => console.error(line),
  });
  await tried;
  for (const [path, folder] of Object.entries(job.mounts)) {
    pyodide.FS.mkdirTree(path);
    pyodide.mountNodeFS(path, folder);
  }
  const result = job.synchronous ? pyodide.runPython(job.code) : await pyodide.runPythonAsync(job.code);
  answer = {
    ...boot,
    during,
    doorClosed: globalThis.fetch === before,
    result: result === undefined ? null : JSON.parse(result),
  };
} catch (error) {
  answer = { error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
}
// Written at once, and with the exit only after it: the interpreter's timers would keep the process alive.
process.stdout.write(JSON.stringify(answer), () => process.exit(0));
