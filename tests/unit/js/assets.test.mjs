// What the loader may read while Python starts, and that its failures are heard.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Assets } from "../../../js/bridge/assets.js";

const EMPTY_MODULE = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);
const WASM = { headers: { "content-type": "application/wasm" } };

/** @param {BodyInit} body */
function assets(body) {
  const made = new Assets({ baseUrl: "x://me/", fetchAsset: async () => new Response(body, WASM) });
  /** @type {unknown[]} */
  const failures = [];
  made.onFailure = (error) => failures.push(error);
  return { made, failures };
}

test("a runtime that does not compile is a failure and not a boot that hangs", async () => {
  const before = WebAssembly.instantiateStreaming;
  const { made, failures } = assets("no such program");
  const close = made.openDoor();
  await assert.rejects(WebAssembly.instantiateStreaming(fetch("x://me/pyodide/runtime.wasm"), {}));
  assert.equal(failures.length, 1);
  close();
  assert.equal(WebAssembly.instantiateStreaming, before);
});

test("a runtime that compiles is handed on", async () => {
  const { made, failures } = assets(EMPTY_MODULE);
  const close = made.openDoor();
  try {
    const { instance } = await WebAssembly.instantiateStreaming(fetch("x://me/pyodide/runtime.wasm"), {});
    assert.deepEqual(Object.keys(instance.exports), []);
    assert.deepEqual(failures, []);
  } finally {
    close();
  }
});

test("while Python starts nothing but packaged files can be read", async () => {
  const { made } = assets(EMPTY_MODULE);
  const close = made.openDoor();
  try {
    await assert.rejects(fetch("https://example.org/"));
    assert.equal((await fetch("x://me/py/boot.json")).status, 200);
  } finally {
    close();
  }
});
