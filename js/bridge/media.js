// What needs a document: pictures made smaller, and content of Python's that the browser is to save.

import { BridgeError, mismatch } from "./rpc.js";

const SIDE = { type: "integer", minimum: 1, maximum: 16_384 };
/** @type {Record<string, import("./rpc.js").Schema>} */
const PARAMS = {
  "image.resize": {
    type: "object",
    properties: {
      image: { type: "string", pattern: "^data:image/jpeg;base64,", maxLength: 15_000_000 },
      width: SIDE,
      height: SIDE,
      quality: { type: "integer", minimum: 1, maximum: 100 },
    },
    required: ["image", "width", "height", "quality"],
    additionalProperties: false,
  },
  "blob.create": {
    type: "object",
    properties: { type: { type: "string", maxLength: 200 } },
    required: ["type"],
    additionalProperties: false,
  },
};

/** Addresses of our own that are still good. @type {Set<string>} */
const blobs = new Set();

/** @param {string} method */
export const isMediaMethod = (method) => Object.hasOwn(PARAMS, method);

/** @param {string} method @param {any} params @param {ArrayBuffer | undefined} content @returns {Promise<object>} */
export async function media(method, params, content) {
  const wrong = mismatch(params, PARAMS[method]);
  if (wrong) throw new BridgeError("bad_params", wrong);
  if (method === "image.resize") return { image: await resized(params) };
  const url = URL.createObjectURL(new Blob([content ?? new ArrayBuffer(0)], { type: params.type }));
  blobs.add(url);
  return { url };
}

/** @param {string} url */
export function revoke(url) {
  if (blobs.delete(url)) URL.revokeObjectURL(url);
}

/** Let go of everything, as when the Worker that made it is gone. */
export function revokeAll() {
  for (const url of blobs) revoke(url);
}

/** @param {{image: string, width: number, height: number, quality: number}} params @returns {Promise<string>} */
async function resized({ image, width, height, quality }) {
  const whole = await (await fetch(image)).blob();
  const bitmap = await createImageBitmap(whole, {
    resizeWidth: width,
    resizeHeight: height,
    resizeQuality: "high",
  });
  const canvas = new OffscreenCanvas(width, height);
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0);
  bitmap.close();
  const small = await canvas.convertToBlob({ type: "image/jpeg", quality: quality / 100 });
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(small);
  });
}
