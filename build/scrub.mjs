/**
 * Zeroes what the interpreter has freed, so that a snapshot holds nothing but what is in use.
 *
 * Freed memory keeps its bytes, and half of what a start allocates is freed before the snapshot is made: sources that
 * were unmarshalled, tables that were rebuilt. All free memory is taken once, piece by piece, filled with zeros and given
 * back. The interpreter of the browser has no blocks of its own (`--without-pymalloc`): all memory is the C library's.
 */

/** Pieces are small, so that taking the last one moves the end of the heap as little as possible. Bytes. */
const PIECES = [64 * 1024, 4 * 1024, 512, 64, 16];

/** What an allocator writes into a free piece: its own size, links to other pieces. Bytes from its start. */
const BOOKKEEPING = 40;
const HEADER = 8;
const FLAGS = 7;

/**
 * @typedef {object} Module The Emscripten module.
 * @property {Uint8Array} HEAPU8
 * @property {Uint32Array} HEAPU32
 * @property {(bytes: number) => number} _malloc
 * @property {(at: number) => void} _free
 * @property {(bytes: number) => number} _sbrk
 */

/**
 * @param {Module} module
 * @returns {number} Bytes that were zeroed.
 */
export function scrub(module) {
  const end = module._sbrk(0);
  let bytes = 0;
  /** @type {number[]} */
  const pieces = [];
  for (const size of PIECES) bytes += take(module, pieces, size, end);
  giveBack(module, pieces);
  return bytes;
}

/**
 * Take pieces of a size, and clear them, until one lies beyond the old end of the heap.
 * @param {Module} module
 * @param {number[]} taken
 * @param {number} size
 * @param {number} end
 * @returns {number} Bytes taken.
 */
function take(module, taken, size, end) {
  for (let count = 0; ; count++) {
    const at = module._malloc(size);
    if (at === 0 || at + size > end) {
      if (at) module._free(at);
      return count * size;
    }
    module.HEAPU8.fill(0, at, at + size);
    taken.push(at);
  }
}

/**
 * Free the pieces in the order of their addresses, and clear what the allocator wrote where two of them became one.
 * @param {Module} module
 * @param {number[]} pieces
 */
function giveBack(module, pieces) {
  pieces.sort((a, b) => a - b);
  /** @type {[start: number, end: number][]} */
  const seams = [];
  let next = 0;
  for (const at of pieces) {
    const size = ((module.HEAPU32[(at - 4) >> 2] ?? 0) & ~FLAGS) >>> 0;
    const start = at - HEADER;
    // What follows the piece may be in use.
    if (start === next) seams.push([start, start + Math.min(BOOKKEEPING, size)]);
    next = start + size;
  }
  for (const at of pieces) module._free(at);
  for (const [start, end] of seams) module.HEAPU8.fill(0, start, end);
}
