// Recordings become WAV files of the one form that Python takes.

import assert from "node:assert/strict";
import test from "node:test";
import { mono, SAMPLE_RATE, wav } from "../../../js/ui/microphone.js";

test("a WAV file says what is in it", () => {
  const file = wav(new Float32Array([0, 1, -1, 2, 0.5]));
  const view = new DataView(file.buffer);
  const text = (/** @type {number} */ at, /** @type {number} */ length) =>
    String.fromCharCode(...file.subarray(at, at + length));
  assert.equal(text(0, 4) + text(8, 8), "RIFFWAVEfmt ");
  assert.equal(view.getUint32(4, true), file.length - 8);
  assert.deepEqual([view.getUint16(20, true), view.getUint16(22, true)], [1, 1]);
  assert.equal(view.getUint32(24, true), SAMPLE_RATE);
  assert.equal(view.getUint32(40, true), 10);
  const samples = [0, 1, 2, 3, 4].map((n) => view.getInt16(44 + 2 * n, true));
  assert.deepEqual(samples, [0, 32767, -32767, 32767, 16384]);
});

test("channels are mixed", () => {
  const channels = [new Float32Array([1, 0]), new Float32Array([0, -1])];
  const sound = { length: 2, numberOfChannels: 2, getChannelData: (/** @type {number} */ n) => channels[n] };
  assert.deepEqual([...mono(sound)], [0.5, -0.5]);
  assert.equal(mono({ ...sound, numberOfChannels: 1 }), channels[0]);
});
