// @ts-check
// Rows of a file tree whose folders are loaded as they are opened.
import { formatInteger } from "./format.js";

/** @typedef {{ path: string, name: string, kind: string, link?: boolean, words?: string }} Entry */
/** @typedef {{ entries: Entry[], more: number, problem?: string }} Folder `more`: entries that are not here yet */
/**
 * @typedef {{
 *   key: string, path: string, level: number, name: string, kind?: string, link?: boolean, words?: string,
 *   note?: boolean, more?: boolean
 * }} Row `note`: stands in the folder, and is no file; `more`: shows further ones
 */

export const PART = 300; // entries of a folder that come at once

/**
 * @param {Record<string, Folder>} folders
 * @param {Record<string, boolean>} open
 * @param {string} folder where to begin
 * @returns {Row[]}
 */
export function treeRows(folders, open, folder = "", level = 1) {
  const found = folders[folder];
  /** @type {(name: string, more?: boolean) => Row} */
  const note = (name, more) => {
    const key = folder + "\n" + (more ? "more" : "note");
    return { key, path: folder, level, note: true, name, more };
  };
  if (!found) return [];
  if (found.problem) return [note(found.problem)];
  const rows = found.entries.flatMap((entry) => [
    { ...entry, key: entry.path, level },
    ...(open[entry.path] ? treeRows(folders, open, entry.path, level + 1) : []),
  ]);
  if (found.more) rows.push(note(`… and ${formatInteger(found.more)} more: show ${Math.min(PART, found.more)}`, true));
  else if (!found.entries.length) {
    rows.push(note(level > 1 ? "empty" : "No files yet. Add files with the buttons above, or drop them here."));
  }
  return rows;
}

/**
 * @param {Row} row
 * @param {boolean} isOpen
 */
export function rowIcon({ kind, name }, isOpen) {
  if (kind === "folder") return isOpen ? "folder_open" : "folder";
  if (kind === "outside") return "link_off";
  return /\.(png|jpe?g|gif|webp|bmp)$/i.test(name) ? "image" : "description";
}
