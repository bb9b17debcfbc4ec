// What the page lends to a Worker that starts, and what the Worker does with it.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Ahead, LENT, Loans } from "../../../js/bridge/ahead.js";
import { Assets } from "../../../js/bridge/assets.js";
import { hash } from "../../../js/bridge/copies.js";
import { privateFiles } from "./privatefiles.fake.mjs";

const EMPTY_MODULE = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);
const RUNTIME = "pyodide/pyodide.asm.wasm";
const SNAPSHOT = "py/snapshot.bin";

// Node would end while it compiles: that is no work to it.
const alive = setInterval(() => {}, 1_000);
after(() => clearInterval(alive));

const noFiles = () => Promise.reject(new DOMException("not in private windows", "SecurityError"));

/** A page and what it read. @param {(path: string) => Response} answer @param {() => Promise<any>} [files] */
function page(answer, files = noFiles) {
  /** @type {string[]} */
  const read = [];
  const ahead = new Ahead(
    "x://me/",
    async (url) => {
      const path = url.slice("x://me/".length);
      read.push(path);
      return answer(path);
    },
    files,
  );
  return { ahead, read };
}

/** @param {string} path */
function packaged(path) {
  // One without hashes: then nothing is looked for among the copies.
  if (path === "py/boot.json") return new Response("{}");
  if (!path.endsWith(".wasm")) return new Response(`content of ${path}`);
  return new Response(EMPTY_MODULE, { headers: { "content-type": "application/wasm" } });
}

/** A Worker as far as loans go. @param {Ahead} ahead */
function borrower(ahead) {
  const loans = new Loans(LENT);
  /** @type {string[]} */
  const moved = [];
  ahead.lend({
    postMessage: (loan, transfer) => {
      if (transfer.length) moved.push(loan.path);
      // Node does not copy modules; browsers do, and share what is compiled.
      loans.arrive(loan.given instanceof WebAssembly.Module ? loan : structuredClone(loan, { transfer }));
    },
  });
  return { loans, moved };
}

/** @param {Loans} [loans] */
function assets(loans) {
  /** @type {string[]} */
  const read = [];
  const made = new Assets({
    baseUrl: "x://me/",
    fetchAsset: async (url) => {
      read.push(url.slice("x://me/".length));
      return packaged(url);
    },
    loans,
  });
  return { made, read };
}

test("what is lent is not read again", async () => {
  const { ahead, read } = page(packaged);
  const { loans, moved } = borrower(ahead);
  const { made, read: again } = assets(loans);
  assert.ok((await made.compile(RUNTIME)) instanceof WebAssembly.Module);
  assert.equal(new TextDecoder().decode(await made.bytes(SNAPSHOT)), `content of ${SNAPSHOT}`);
  assert.deepEqual([...read].sort(), [...LENT].sort());
  assert.deepEqual(again, []);
  assert.ok(moved.includes(SNAPSHOT), "content is moved, not copied");
});

test("the next Worker gets the same modules and content of its own", async () => {
  const { ahead, read } = page(packaged);
  for (const worker of [borrower(ahead), borrower(ahead)]) {
    for (const path of LENT) assert.ok((await worker.loans.take(path))?.given, path);
  }
  const count = (/** @type {string} */ path) => read.filter((one) => one === path).length;
  assert.equal(count(RUNTIME), 1);
  assert.equal(count(SNAPSHOT), 2);
});

test("what the page cannot read the Worker reads itself, and the page tries again for the next one", async () => {
  let broken = true;
  const { ahead, read } = page((path) => (broken ? new Response(null, { status: 404 }) : packaged(path)));
  const { loans } = borrower(ahead);
  const { made, read: own } = assets(loans);
  assert.ok((await made.compile(RUNTIME)) instanceof WebAssembly.Module);
  await made.bytes(SNAPSHOT);
  assert.deepEqual(own, [RUNTIME, SNAPSHOT]);
  broken = false;
  assert.ok((await borrower(ahead).loans.take(RUNTIME))?.given instanceof WebAssembly.Module);
  assert.equal(read.filter((path) => path === RUNTIME).length, 2);
});

test("a loan is taken once, so that a start after a failed one reads the file itself", async () => {
  const { ahead } = page(packaged);
  const { loans } = borrower(ahead);
  const { made, read } = assets(loans);
  const first = await made.bytes(SNAPSHOT);
  const second = await made.bytes(SNAPSHOT);
  assert.deepEqual(first.length, second.length - "x://me/".length);
  assert.deepEqual(read, [SNAPSHOT]);
});

test("a Worker that was lent nothing reads everything", async () => {
  const { made, read } = assets();
  await made.compile(RUNTIME);
  await made.bytes(SNAPSHOT);
  assert.deepEqual(read, [RUNTIME, SNAPSHOT]);
});

/** Files with the hashes of these packaged ones, in the manifest. */
async function recorded() {
  const named = LENT.filter((path) => path !== "py/boot.json");
  const entries = named.map(async (path) => [path, await hash(await packaged(path).arrayBuffer())]);
  const manifest = JSON.stringify({ files: Object.fromEntries(await Promise.all(entries)) });
  return (/** @type {string} */ path) => (path === "py/boot.json" ? new Response(manifest) : packaged(path));
}

test("after a while there are copies, and the next page reads nothing else", async () => {
  const disk = privateFiles();
  const answer = await recorded();
  const first = page(answer, disk.root);
  await first.ahead.keep();
  assert.equal(
    disk.files.size,
    new Set(await Promise.all(LENT.slice(1).map(async (p) => hash(await packaged(p).arrayBuffer())))).size,
  );
  const { ahead, read } = page(answer, disk.root);
  const { loans } = borrower(ahead);
  const { made } = assets(loans);
  assert.ok((await made.compile(RUNTIME)) instanceof WebAssembly.Module);
  await made.bytes(SNAPSHOT);
  assert.ok(made.checked.has(SNAPSHOT), "the Worker need not check it again");
  for (const path of LENT) await loans.take(path);
  assert.deepEqual(read, ["py/boot.json"]);
});

test("a damaged copy means the packaged file, which the Worker checks itself", async () => {
  const disk = privateFiles();
  const answer = await recorded();
  await page(answer, disk.root).ahead.keep();
  for (const name of disk.files.keys()) disk.files.set(name, new Uint8Array([1, 2, 3]));
  const { ahead, read } = page(answer, disk.root);
  const { made, read: own } = assets(borrower(ahead).loans);
  assert.ok((await made.compile(RUNTIME)) instanceof WebAssembly.Module);
  assert.equal(new TextDecoder().decode(await made.bytes(SNAPSHOT)), `content of ${SNAPSHOT}`);
  assert.ok(!made.checked.has(SNAPSHOT));
  assert.ok(read.includes(SNAPSHOT));
  assert.deepEqual(own, []);
});
