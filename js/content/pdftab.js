/**
 * A tab that shows a PDF has a document, but nothing of the paper is in it: who reads there is told what to use instead.
 */

import { documentType } from "./dom.js";

/** @typedef {import("./session.js").Answer} Answer */

/** Actions that read what a page holds. */
const READING = new Set([
  "tree",
  "read_page",
  "get_interactive_elements",
  "extract_data",
  "get_selection",
  "find_text",
  "verify_form",
  "get_shadow_dom",
  "shadow_dom_query",
  "wait_for_element",
  "frame_read",
]);

/** @param {string} action @returns {Answer | null} what stands for the answer of this action here */
export function inPdf(action) {
  if (!READING.has(action) || documentType(document) !== "application/pdf") return null;
  return {
    success: false,
    code: "pdf_tab",
    error: "This tab shows a PDF, which has no page to read. Use read_pdf without an address.",
    useTool: "read_pdf",
  };
}
