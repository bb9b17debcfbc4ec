/**
 * Makes the memory snapshot: starts Python from a tree that has everything but the snapshot, imports the package, and
 * writes the interpreter's memory.
 *
 * Usage: node build/snapshot.mjs TREE TARGET
 *
 * Two runs over the same tree write the same bytes, because everything that differs between runs is made constant
 * before the runtime is loaded: the clocks, their zone and the source of random bytes. They are constant in this process only; a
 * restored interpreter sees real ones.
 */

import nodeCrypto from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { resolve } from "node:path";

/** The time that Python sees while it starts: the earliest a zip archive can hold, in milliseconds since 1970. */
const FROZEN_TIME = Date.UTC(1980, 0, 1);

/** What every random byte is. */
const FROZEN_RANDOM = 42;

const [treeArgument, target] = process.argv.slice(2);
if (!treeArgument || !target) throw new Error("usage: node build/snapshot.mjs TREE TARGET");
const baseUrl = `${resolve(treeArgument)}/`;

process.env.TZ = "UTC";
freezeClocks();
freezeRandom();

const { makeSnapshot } = await import("../js/bridge/boot.js");
const { scrub } = await import("./scrub.mjs");
try {
  const { snapshot } = await makeSnapshot(
    { baseUrl, fetchAsset: async (url) => new Response(await readFile(url)) },
    scrub,
  );
  await writeFile(target, snapshot);
  // Timers of the runtime's event loop would keep the process alive.
  process.exit(0);
} catch (error) {
  // Left to itself Node would print the line it comes from, which is the whole runtime.
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

function freezeClocks() {
  const RealDate = Date;
  globalThis.Date = /** @type {DateConstructor} */ (
    class extends RealDate {
      /** @param {[]} given */
      constructor(...given) {
        if (given.length === 0) super(FROZEN_TIME);
        else super(...given);
      }

      static now() {
        return FROZEN_TIME;
      }
    }
  );
  performance.now = () => 0;
}

function freezeRandom() {
  /** @type {any} */ (nodeCrypto).randomFillSync = (/** @type {any} */ view) => view.fill(FROZEN_RANDOM);
  syncBuiltinESMExports();
  globalThis.crypto.getRandomValues = (/** @type {any} */ view) => view.fill(FROZEN_RANDOM);
}
