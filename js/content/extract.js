/**
 * `extract_data`: tables, headings or images of a page as data.
 */

import { deepQuery } from "./deep.js";
import { attribute, hasAttribute, isHTML, localName, rectOf } from "./dom.js";
import {
  CELL_CHARS,
  HEADINGS,
  HREF_CHARS,
  IMAGES,
  NAME_CHARS,
  TABLE_CELLS,
  TABLE_COLUMNS,
  TABLE_ROWS,
  TABLES,
} from "./limits.js";
import { nameOf, textInside } from "./names.js";
import { roleOf } from "./roles.js";
import { Refusal } from "./session.js";
import { isRendered } from "./sight.js";
import { line } from "./text.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./session.js").Args} Args */
/** @typedef {import("./session.js").Answer} Answer */

/** Smaller pictures are decoration. */
const PICTURE_PIXELS = 8;

/** @type {Record<string, (session: Session) => Record<string, unknown>>} */
const KINDS = { tables, headings, images };

/**
 * @param {Session} session
 * @param {Args} args `type`: tables, headings or images
 * @returns {Answer}
 * @throws {Refusal} `bad_type`
 */
export function extractData(session, args) {
  const kind = String(args.type ?? "");
  const read = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
  if (!read) throw new Refusal("bad_type", "type must be tables, headings or images.");
  return { success: true, type: kind, ...read(session) };
}

/** @param {Session} session */
function tables(session) {
  const { found, total } = deepQuery(
    'table,[role="table"],[role="grid"],[role="treegrid"]',
    TABLES,
    (e) => !/^(presentation|none)$/.test(attribute(e, "role") ?? "") && isRendered(e),
  );
  let cells = TABLE_CELLS;
  const out = found.map((table) => {
    const rows = /** @type {string[][]} */ ([]);
    let headers = /** @type {string[]} */ ([]);
    let rowCount = 0;
    let columnCount = 0;
    for (const row of rowsOf(table)) {
      const parts = cellsOf(row);
      rowCount++;
      columnCount = Math.max(columnCount, parts.length);
      if (rows.length >= TABLE_ROWS || cells <= 0) continue;
      const texts = parts.slice(0, TABLE_COLUMNS).map((cell) => textInside(cell, CELL_CHARS));
      cells -= texts.length;
      if (!headers.length && !rows.length && parts.length > 0 && parts.every(isHeader)) headers = texts;
      else rows.push(texts);
    }
    const listed = rows.length + (headers.length ? 1 : 0);
    return {
      ref_id: session.refs.of(table),
      caption: line(nameOf(table, roleOf(table)), NAME_CHARS),
      headers,
      rows,
      rowCount,
      columnCount,
      truncated: listed < rowCount || columnCount > TABLE_COLUMNS,
    };
  });
  return { tables: out, total, truncated: total > out.length };
}

/**
 * @param {Element} table
 * @returns {Element[]} its own rows, not those of a table inside it
 */
function rowsOf(table) {
  if (localName(table) === "table" && isHTML(table))
    return Array.from(/** @type {HTMLTableElement} */ (table).rows).filter(isRendered);
  return Array.from(table.querySelectorAll('[role="row"]')).filter(
    (row) => row.closest('[role="table"],[role="grid"],[role="treegrid"]') === table && isRendered(row),
  );
}

/** @param {Element} row @returns {Element[]} */
function cellsOf(row) {
  if (localName(row) === "tr" && isHTML(row))
    return Array.from(/** @type {HTMLTableRowElement} */ (row).cells);
  return Array.from(
    row.querySelectorAll('[role="cell"],[role="gridcell"],[role="columnheader"],[role="rowheader"]'),
  ).filter((cell) => cell.closest('[role="row"]') === row);
}

/** @param {Element} cell */
function isHeader(cell) {
  return localName(cell) === "th" || attribute(cell, "role") === "columnheader";
}

/** @param {Session} session */
function headings(session) {
  const { found, total } = deepQuery("h1,h2,h3,h4,h5,h6,[role=heading]", HEADINGS, isRendered);
  const out = found.map((e) => {
    const given = Number(attribute(e, "aria-level"));
    const own = /^h[1-6]$/.test(localName(e)) ? Number(localName(e)[1]) : 2;
    return {
      level: given >= 1 && given <= 9 ? given : own,
      text: nameOf(e, "heading"),
      ref_id: session.refs.of(e),
      ...(attribute(e, "id") ? { id: line(attribute(e, "id"), 60) } : {}),
    };
  });
  return { headings: out, total, truncated: total > out.length };
}

/** @param {Session} session */
function images(session) {
  const { found, total } = deepQuery('img,picture>source~img,svg[role="img"],[role="img"]', IMAGES, (e) => {
    const rect = rectOf(e);
    return rect.width >= PICTURE_PIXELS && rect.height >= PICTURE_PIXELS && isRendered(e);
  });
  const out = found.map((e) => {
    const rect = rectOf(e);
    const picture = localName(e) === "img" && isHTML(e) ? /** @type {HTMLImageElement} */ (e) : null;
    const source = picture ? picture.currentSrc || picture.src : "";
    return {
      ref_id: session.refs.of(e),
      src: source.startsWith("data:") ? "data: address inside the page" : line(source, HREF_CHARS * 4),
      alt: picture ? line(picture.alt, NAME_CHARS) : nameOf(e, "image"),
      ...(hasAttribute(e, "title") ? { title: line(attribute(e, "title"), NAME_CHARS) } : {}),
      width: Math.round(rect.width),
      height: Math.round(rect.height),
      ...(picture ? { naturalWidth: picture.naturalWidth, naturalHeight: picture.naturalHeight } : {}),
    };
  });
  return { images: out, total, truncated: total > out.length };
}
