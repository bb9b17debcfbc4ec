// The Worker that reads one PDF: boots Python as worker.js does, closes the doors, answers once. Whoever started it ends it.

import { bootPython } from "./boot.js";
import { closeDoors } from "./doors.js";
import { describe } from "./rpc.js";

const toPage = self.postMessage.bind(self);
const fetchAsset = self.fetch.bind(self);

/** @param {{document: ArrayBuffer, options: object}} job @returns {Promise<string>} JSON: `{result}` or `{error}`. */
async function read({ document, options }) {
  closeDoors(self);
  const { pyodide } = await bootPython({ baseUrl: new URL("../", import.meta.url).href, fetchAsset });
  return pyodide.pyimport("webbrain.pdf").answer(document, JSON.stringify(options));
}

self.onmessage = (event) => {
  read(event.data).then(toPage, (error) => toPage(JSON.stringify({ error: describe(error) })));
};
