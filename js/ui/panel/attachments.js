import { computed, signal } from "@preact/signals";
import { shrink } from "./shrink.js";

/**
 * Files that a person wants to send with the next message, per tab. They are in this panel's memory only: read and
 * scaled down as soon as they are chosen, gone with the panel. What may really go is for Python to say; what surely
 * may not is told here at once.
 *
 * @typedef {object} Attachment
 * @property {string} id
 * @property {string} name
 * @property {string} mediaType
 * @property {"picture" | "pdf" | "text"} kind
 * @property {Blob} blob what is sent
 * @property {string} preview address of the picture, empty for others
 * @property {string} problem why it was refused, in a sentence; empty if it was not
 *
 * @typedef {object} Basket
 * @property {Attachment[]} files
 * @property {number} reading files that are still being read
 * @property {Problem[]} problems with files that were not taken
 *
 * @typedef {{name: string, code: string}} Problem `code`: of a message key
 */

/** These are the numbers of py/webbrain/services/attachments.py; a test compares them. */
export const FILES_MAX = 10;
export const TOTAL_BYTES = 20_000_000;
/** Of what is chosen; a picture is sent much smaller. */
export const FILE_BYTES = { picture: 16_000_000, pdf: 16_000_000, text: 5_000_000 };
const HEAD_BYTES = 1_024;
/** Sent ones that Retry can still send again. */
const SENT_KEPT = 5;

/** @type {Basket} */
const EMPTY = { files: [], reading: 0, problems: [] };
/** @type {import("@preact/signals").Signal<Record<number, Basket>>} */
const baskets = signal({});
/** By request. @type {Map<string, Attachment[]>} */
const sent = new Map();
let count = 0;

/** A file is being dragged over the panel. */
export const dragging = signal(false);
/** Whether anything is still being read, in any tab. */
export const reading = computed(() => Object.values(baskets.value).some((basket) => basket.reading > 0));

/**
 * @param {number | undefined} tabId
 * @returns {Basket}
 */
export function basketOf(tabId) {
  return (tabId !== undefined && baskets.value[tabId]) || EMPTY;
}

/**
 * @param {number} tabId
 * @param {(basket: Basket) => Partial<Basket>} change
 */
function patch(tabId, change) {
  const before = basketOf(tabId);
  baskets.value = { ...baskets.value, [tabId]: { ...before, ...change(before) } };
}

/**
 * Read files and put them beside what is typed.
 *
 * @param {number | undefined} tabId
 * @param {Iterable<File>} files
 */
export async function attach(tabId, files) {
  if (tabId === undefined) return;
  const chosen = [...files];
  patch(tabId, ({ reading }) => ({ reading: reading + chosen.length, problems: [] }));
  for (const file of chosen) {
    const found = await read(file);
    patch(tabId, (basket) => {
      const taken = typeof found === "string" ? found : room(basket, found);
      return {
        reading: basket.reading - 1,
        files: typeof taken === "string" ? basket.files : [...basket.files, taken],
        problems:
          typeof taken === "string"
            ? [...basket.problems, { name: file.name, code: taken }]
            : basket.problems,
      };
    });
  }
}

/**
 * @param {Basket} basket
 * @param {Attachment} file
 * @returns {Attachment | string} the file, or why there is no room for it
 */
function room(basket, file) {
  if (basket.files.length >= FILES_MAX) return refuse(file, "too_many");
  const bytes = basket.files.reduce((sum, one) => sum + one.blob.size, file.blob.size);
  return bytes > TOTAL_BYTES ? refuse(file, "too_large_together") : file;
}

/**
 * @param {Attachment} file
 * @param {string} code
 */
function refuse(file, code) {
  forget([file]);
  return code;
}

/**
 * @param {File} file
 * @returns {Promise<Attachment | string>} the file, or the code of why it cannot go
 */
async function read(file) {
  try {
    if (file.size === 0) return "empty";
    const type = typeOf(new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer()), file.type);
    const kind = type.startsWith("image/") ? "picture" : type === "application/pdf" ? "pdf" : "text";
    if (!type) return "unsupported";
    if (file.size > FILE_BYTES[kind]) return `too_large_${kind}`;
    // Read now: the file may change or go before the message is sent.
    const blob =
      kind === "picture" ? await shrink(file, type) : new Blob([await file.arrayBuffer()], { type });
    const preview = kind === "picture" ? URL.createObjectURL(blob) : "";
    count += 1;
    return {
      id: `f${count}`,
      name: file.name || "file",
      mediaType: blob.type,
      kind,
      blob,
      preview,
      problem: "",
    };
  } catch {
    return "broken";
  }
}

/**
 * The media type by the bytes; what no mark tells is a text if it has no byte that texts do not have.
 *
 * @param {Uint8Array} head
 * @param {string} claimed
 * @returns {string} empty for what cannot be sent
 */
export function typeOf(head, claimed) {
  const text = String.fromCharCode(...head);
  if (text.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (text.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (/^GIF8[79]a/.test(text)) return "image/gif";
  if (/^RIFF.{4}WEBP/s.test(text)) return "image/webp";
  if (text.includes("%PDF-")) return "application/pdf";
  // Formats that only the browser knows; it says so itself if it does not.
  if (/^image\/(?!svg)/.test(claimed)) return claimed;
  if (/^(?:\xff\xfe|\xfe\xff)/.test(text) || !text.includes("\x00")) return "text/plain";
  return "";
}

/**
 * @param {number} tabId
 * @param {string} id
 */
export function detach(tabId, id) {
  forget(basketOf(tabId).files.filter((file) => file.id === id));
  patch(tabId, (basket) => ({ files: basket.files.filter((file) => file.id !== id), problems: [] }));
}

/**
 * The files go with a message.
 *
 * @param {number} tabId
 * @returns {Attachment[]}
 */
export function takeFiles(tabId) {
  const { files } = basketOf(tabId);
  patch(tabId, () => ({ files: [], problems: [] }));
  return files.map((file) => ({ ...file, problem: "" }));
}

/**
 * A message was not sent: its files are beside what is typed again.
 *
 * @param {number} tabId
 * @param {Attachment[]} files
 */
export function giveBack(tabId, files) {
  if (files.length) patch(tabId, (basket) => ({ files: [...files, ...basket.files], problems: [] }));
}

/**
 * A message was taken: Retry may want its files again.
 *
 * @param {string} requestId
 * @param {Attachment[]} files
 */
export function rememberSent(requestId, files) {
  if (!files.length) return;
  sent.set(requestId, files);
  const [oldest] = sent.keys();
  if (sent.size > SENT_KEPT && oldest !== undefined) {
    forget(sent.get(oldest) ?? []);
    sent.delete(oldest);
  }
}

/**
 * @param {string} requestId
 * @returns {Attachment[] | undefined}
 */
export const sentWith = (requestId) => sent.get(requestId);

/**
 * It was not sent after all.
 *
 * @param {string} requestId
 */
export const notSent = (requestId) => sent.delete(requestId);

/**
 * Say that the files of an earlier message are not at hand any more.
 *
 * @param {number} tabId
 * @param {string[]} names
 */
export function askAgain(tabId, names) {
  patch(tabId, () => ({ problems: names.map((name) => ({ name, code: "gone" })) }));
}

/**
 * The tab is gone, and with it the message they were for.
 *
 * @param {number} tabId
 */
export function dropBasket(tabId) {
  forget(basketOf(tabId).files);
  const { [tabId]: _, ...rest } = baskets.value;
  baskets.value = rest;
}

/** @param {Attachment[]} files */
function forget(files) {
  for (const file of files) if (file.preview) URL.revokeObjectURL(file.preview);
}
