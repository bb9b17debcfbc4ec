// What browsers make of hosts: reads a JSON list of them, prints the host of each address, or null where there is none.

import { readFileSync } from "node:fs";

/** @param {string} host */
const opened = (host) => {
  try {
    return new URL(`https://${host}/`).hostname;
  } catch {
    return null;
  }
};
process.stdout.write(`${JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(opened))}\n`);
