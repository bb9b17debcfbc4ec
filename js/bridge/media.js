// What needs a document: pictures made smaller, and content of Python's that the browser is to save.

import { BridgeError, mismatch } from "./rpc.js";

const SIDE = { type: "integer", minimum: 1, maximum: 16_384 };
const PLACE = { type: "integer", minimum: 0, maximum: 16_384 };
/** Pixels of the page that one square of a mosaic stands for. */
const MOSAIC = 10;
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
  "image.mask": {
    type: "object",
    properties: {
      image: { type: "string", pattern: "^data:image/jpeg;base64,", maxLength: 15_000_000 },
      scale: { type: "number", minimum: 0.01, maximum: 20 },
      regions: {
        type: "array",
        maxItems: 400,
        items: {
          type: "object",
          properties: { x: PLACE, y: PLACE, width: SIDE, height: SIDE },
          required: ["x", "y", "width", "height"],
          additionalProperties: false,
        },
      },
      quality: { type: "integer", minimum: 1, maximum: 100 },
    },
    required: ["image", "scale", "regions", "quality"],
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
  if (method === "image.mask") return { image: await masked(params) };
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
  return asDataUrl(canvas, quality);
}

/**
 * Draw a mosaic over places of a picture: what was there can be guessed at by its colours, not read.
 * @param {{image: string, scale: number, regions: {x: number, y: number, width: number, height: number}[],
 *   quality: number}} params `regions` in CSS pixels, of which the picture has `scale` pixels each
 * @returns {Promise<string>}
 */
async function masked({ image, scale, regions, quality }) {
  const bitmap = await createImageBitmap(await (await fetch(image)).blob());
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  const context = canvas.getContext("2d");
  if (!context) throw new BridgeError("api_error", "Nothing can be drawn here.");
  context.drawImage(bitmap, 0, 0);
  context.imageSmoothingEnabled = false;
  for (const region of regions) {
    const [x, y] = [Math.floor(region.x * scale), Math.floor(region.y * scale)];
    const width = Math.min(Math.ceil(region.width * scale) + 1, bitmap.width - x);
    const height = Math.min(Math.ceil(region.height * scale) + 1, bitmap.height - y);
    if (width <= 0 || height <= 0) continue;
    const columns = Math.max(Math.round(width / (MOSAIC * scale)), 1);
    const rows = Math.max(Math.round(height / (MOSAIC * scale)), 1);
    // Averaged on the way down, so that no single pixel of a letter comes through.
    const tiny = new OffscreenCanvas(columns, rows);
    const small = tiny.getContext("2d");
    if (!small) throw new BridgeError("api_error", "Nothing can be drawn here.");
    small.imageSmoothingQuality = "high";
    small.drawImage(bitmap, x, y, width, height, 0, 0, columns, rows);
    context.drawImage(tiny, 0, 0, columns, rows, x, y, width, height);
  }
  bitmap.close();
  return asDataUrl(canvas, quality);
}

/** @param {OffscreenCanvas} canvas @param {number} quality @returns {Promise<string>} */
async function asDataUrl(canvas, quality) {
  const small = await canvas.convertToBlob({ type: "image/jpeg", quality: quality / 100 });
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(small);
  });
}
