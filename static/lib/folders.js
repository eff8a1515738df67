// @ts-check
// Folders that are handed over: what is too much, and in which parts the rest is sent.

/** @typedef {{ file: File, path: string }} Found a file, with its path in the folder */
/** @typedef {{ most: number, size: number, largest: number }} Limits of files, all bytes, and those of one file */

const PART_FILES = 50;
const PART_SIZE = 32 * 1024 * 1024;

/**
 * Why these are not taken, as the application is told; null: they are.
 * @param {Found[]} found
 * @param {number} folders
 * @param {Limits} limits
 */
export function refusalOf(found, folders, limits) {
  const size = sizeOf(found), large = found.find((each) => each.file.size > limits.largest);
  if (found.length + folders > limits.most) return { reason: "files" };
  if (size > limits.size) return { reason: "size", size };
  return large ? { reason: "large", path: large.path } : null;
}

/** @param {Found[]} found */
export const sizeOf = (found) => found.reduce((sum, each) => sum + each.file.size, 0);

/**
 * As many files as go in one request; at least one, however large.
 * @param {Found[]} found
 * @param {number} start
 */
export function partFrom(found, start) {
  let end = start + 1;
  for (let size = found[start].file.size; end < found.length && end - start < PART_FILES; end++) {
    if ((size += found[end].file.size) > PART_SIZE) break;
  }
  return found.slice(start, end);
}
