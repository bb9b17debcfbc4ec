import assert from "node:assert/strict";
import { test } from "node:test";
import { Uploads } from "../../../js/bridge/uploads.js";

/** @param {string} id @param {number} file @param {string} text */
const piece = (id, file, text) => ({ kind: "chunk", id, file, data: btoa(text) });
/** @param {ArrayBuffer[]} buffers */
const texts = (buffers) => buffers.map((buffer) => new TextDecoder().decode(buffer));

test("pieces become whole files, by call and by screen", () => {
  const uploads = new Uploads();
  uploads.take(1, piece("a", 0, "Hel"));
  uploads.take(2, piece("a", 0, "other"));
  uploads.take(1, piece("b", 0, "b"));
  uploads.take(1, piece("a", 0, "lo"));
  uploads.take(1, piece("a", 1, "two"));
  assert.deepEqual(texts(uploads.give(1, "a", 2)), ["Hello", "two"]);
  assert.deepEqual(texts(uploads.give(2, "a", 1)), ["other"]);
  assert.deepEqual(texts(uploads.give(1, "b", 1)), ["b"]);
});

test("a call without files has none", () => {
  assert.deepEqual(new Uploads().give(1, "a", 0), []);
});

test("files are given once, and not to a call that says another number", () => {
  const uploads = new Uploads();
  uploads.take(1, piece("a", 0, "x"));
  uploads.give(1, "a", 1);
  assert.throws(() => uploads.give(1, "a", 1), { code: "bad_params" });
  uploads.take(1, piece("b", 0, "x"));
  assert.throws(() => uploads.give(1, "b", 2), { code: "bad_params" });
  uploads.take(1, piece("c", 0, "x"));
  uploads.drop(1);
  assert.throws(() => uploads.give(1, "c", 1), { code: "bad_params" });
});

test("what is no piece is told to the call, and nothing of it is kept", () => {
  const long = "x".repeat(700_001);
  for (const wrong of [
    { file: 0, data: "not base64!" },
    { file: 0, data: long },
    { file: 0, data: 7 },
    { file: -1, data: "" },
    { file: "0", data: "" },
    { file: 1, data: "" },
    { file: 1e9, data: "" },
  ]) {
    const uploads = new Uploads();
    uploads.take(1, { kind: "chunk", id: "a", ...wrong });
    uploads.take(1, piece("a", 0, "more"));
    assert.throws(() => uploads.give(1, "a", 1), { code: "bad_params" }, JSON.stringify(wrong).slice(0, 60));
  }
});

test("all files of a call have a limit", () => {
  const uploads = new Uploads();
  const half = btoa("x".repeat(500_000));
  for (let n = 0; n < 129; n++) uploads.take(1, { kind: "chunk", id: "a", file: 0, data: half });
  assert.throws(() => uploads.give(1, "a", 1), { code: "too_large" });
});

test("calls whose files never end are given up, the oldest first", () => {
  const uploads = new Uploads();
  for (const id of ["a", "b", "c", "d", "e"]) uploads.take(1, piece(id, 0, id));
  assert.throws(() => uploads.give(1, "a", 1), { code: "bad_params" });
  assert.deepEqual(texts(uploads.give(1, "e", 1)), ["e"]);
});
