/**
 * Pictures as they are sent: as large as a model looks at them, and no larger. The numbers are those of pictures of
 * pages (py/webbrain/agent/capture.py), and a test compares them.
 *
 * What is drawn anew also loses what a camera wrote into it: where and when it was taken, and by what.
 */

/** Pixels of the longest side. */
export const LONGEST_SIDE = 1_568;
/** Bytes, which are 1,398,100 characters of base64. */
export const PICTURE_BYTES = 1_048_575;
const QUALITIES = [0.75, 0.7, 0.65, 0.6, 0.55, 0.5, 0.45, 0.4, 0.35, 0.3, 0.25, 0.2, 0.15, 0.1];
const SMALLER = 0.75;
const SMALLEST_SIDE = 64;

/**
 * @param {Blob} blob
 * @param {string} type by its bytes
 * @returns {Promise<Blob>} a PNG or JPEG; rejects if it cannot be drawn
 */
export async function shrink(blob, type) {
  const bitmap = await createImageBitmap(blob);
  try {
    const longest = Math.max(bitmap.width, bitmap.height);
    if (type === "image/png" && longest <= LONGEST_SIDE && blob.size <= PICTURE_BYTES) {
      const bytes = await blob.arrayBuffer();
      // Chunks that hold words: a place, a time, an author.
      if (!/eXIf|[itz]TXt|tEXt/.test(new TextDecoder("latin1").decode(bytes)))
        return new Blob([bytes], { type });
    }
    let side = Math.min(longest, LONGEST_SIDE);
    if (type !== "image/jpeg") {
      // Drawings and screenshots stay exact, and what is transparent stays so.
      const png = await encode(draw(bitmap, side / longest, ""), "image/png");
      if (png.size <= PICTURE_BYTES) return png;
    }
    for (; side >= SMALLEST_SIDE; side = Math.floor(side * SMALLER)) {
      const canvas = draw(bitmap, side / longest, "#fff");
      for (const quality of QUALITIES) {
        const jpeg = await encode(canvas, "image/jpeg", quality);
        if (jpeg.size <= PICTURE_BYTES) return jpeg;
      }
    }
    throw new Error("The picture stays too large.");
  } finally {
    bitmap.close();
  }
}

/**
 * @param {ImageBitmap} bitmap
 * @param {number} scale
 * @param {string} ground empty for none
 */
function draw(bitmap, scale, ground) {
  const width = Math.max(1, Math.round(bitmap.width * scale));
  const height = Math.max(1, Math.round(bitmap.height * scale));
  const canvas = new OffscreenCanvas(width, height);
  const pen = /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext("2d"));
  pen.imageSmoothingQuality = "high";
  if (ground) {
    pen.fillStyle = ground;
    pen.fillRect(0, 0, width, height);
  }
  pen.drawImage(bitmap, 0, 0, width, height);
  return canvas;
}

/**
 * @param {OffscreenCanvas} canvas
 * @param {string} type
 * @param {number} [quality]
 */
async function encode(canvas, type, quality) {
  const blob = await canvas.convertToBlob({ type, quality });
  // A browser that cannot write a format writes another one without a word.
  if (blob.type !== type) throw new Error(`No ${type} here.`);
  return blob;
}
