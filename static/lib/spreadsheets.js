// @ts-check
// Blocks of cells as spreadsheets copy them: rows in lines, columns separated by tabs.

/**
 * The most rows that a block can have; cells with line breaks make it too many.
 * @param {string} text
 */
export const lineCount = (text) => text.split(/\r\n|\r|\n/).length;

/** @param {string[][]} rows */
export const copiedBlock = (rows) => rows.map((row) => row.map(quoted).join("\t")).join("\n");

/**
 * Excel and LibreOffice read quoted cells whole, with their tabs and line breaks.
 * @param {string} cell
 */
const quoted = (cell) => (/[\t\n\r"]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
