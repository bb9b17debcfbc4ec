// The Worker that reads one PDF: boots Python as worker.js does, closes the doors, answers once. Whoever started it ends it.

import { LENT, Loans } from "./ahead.js";
import { bootPython } from "./boot.js";
import { closeDoors } from "./doors.js";
import { describe } from "./rpc.js";

const toPage = self.postMessage.bind(self);
const fetchAsset = self.fetch.bind(self);
const loans = new Loans(LENT);

/** @param {{document: ArrayBuffer, options: object}} job @returns {Promise<string>} JSON: `{result}` or `{error}`. */
async function read({ document, options }) {
  closeDoors(self);
  const { pyodide } = await bootPython({ baseUrl: new URL("../", import.meta.url).href, fetchAsset, loans });
  return pyodide.pyimport("webbrain.pdf").answer(document, JSON.stringify(options));
}

self.onmessage = (event) => {
  if (event.data.path) loans.arrive(event.data);
  else read(event.data).then(toPage, (error) => toPage(JSON.stringify({ error: describe(error) })));
};
