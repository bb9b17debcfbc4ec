// Copies of packaged files: whole ones of this version are used, and nothing else ever is.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { Copies, hash, READ_MS } from "../../../js/bridge/copies.js";
import { privateFiles } from "./privatefiles.fake.mjs";

const CONTENT = new TextEncoder().encode("what Python starts from").buffer;
const HASH = await hash(CONTENT);
const PATH = "py/snapshot.bin";
const packaged = async () => CONTENT.slice(0);

beforeEach(() => mock.method(console, "info", () => {}));

/** A page that began, ran long enough, and ended. @param {Parameters<typeof privateFiles>[0]} [how] */
async function lived(how) {
  const disk = privateFiles(how);
  await new Copies(disk.root).keep({ [PATH]: HASH }, packaged);
  return { ...disk, next: new Copies(disk.root) };
}

test("what was copied is found by the next start", async () => {
  const { next } = await lived();
  assert.deepEqual(await next.read(HASH), CONTENT);
});

test("without a copy there is nothing, and no error", async () => {
  assert.equal(await new Copies(privateFiles().root).read(HASH), null);
});

for (const [what, content] of /** @type {[string, Uint8Array<ArrayBuffer>][]} */ ([
  ["short", new Uint8Array(CONTENT.slice(0, 10))],
  ["empty", new Uint8Array()],
  ["damaged", new Uint8Array(CONTENT).map((byte, at) => (at === 5 ? byte ^ 1 : byte))],
])) {
  test(`a ${what} copy is not used but removed, and made again`, async () => {
    const { files, next } = await lived();
    files.set(HASH, content);
    assert.equal(await next.read(HASH), null);
    assert.equal(files.size, 0);
    await next.keep({ [PATH]: HASH }, packaged);
    assert.deepEqual(await next.read(HASH), CONTENT);
  });
}

test("copies of another version are not found, and make way", async () => {
  const { files, next } = await lived();
  const newer = new TextEncoder().encode("a newer version").buffer;
  const named = await hash(newer);
  assert.equal(await next.read(named), null);
  await next.keep({ [PATH]: named }, async () => newer.slice(0));
  assert.deepEqual([...files.keys()], [named]);
});

test("a file is not copied twice", async () => {
  const { next } = await lived();
  const read = mock.fn(packaged);
  await next.keep({ [PATH]: HASH }, read);
  assert.equal(read.mock.callCount(), 0);
});

test("a packaged file that is damaged itself is not copied", async () => {
  const disk = privateFiles();
  await new Copies(disk.root).keep({ [PATH]: HASH }, async () => new ArrayBuffer(3));
  assert.equal(disk.files.size, 0);
});

test("where there is no room nothing is kept and nothing breaks", async () => {
  const { files, next } = await lived({ room: 5 });
  assert.equal(files.size, 0, "not even a piece");
  assert.equal(await next.read(HASH), null);
});

test("a file system that does not answer holds nobody up", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const found = new Copies(() => new Promise(() => {})).read(HASH);
  context.mock.timers.tick(READ_MS);
  assert.equal(await found, null);
});

test("where there is no such file system nothing breaks", async () => {
  const copies = new Copies(() => Promise.reject(new DOMException("no", "SecurityError")));
  await copies.keep({ [PATH]: HASH }, packaged);
  assert.equal(await copies.read(HASH), null);
});
