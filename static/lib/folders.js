// @ts-check
// Upload of folders: limits, and the parts in which files are sent.

/** @typedef {{ file: File, path: string }} FolderFile a file, with its path in the folder */
/** @typedef {{ most: number, size: number, largest: number }} Limits of files, all bytes, and those of one file */

const PART_FILES = 50;
const PART_SIZE = 32 * 1024 * 1024;

/**
 * The reason to refuse these files, as the application is told; null: there is none.
 * @param {FolderFile[]} found
 * @param {number} folders
 * @param {Limits} limits
 */
export function findRefusal(found, folders, limits) {
  const size = totalSize(found), large = found.find((each) => each.file.size > limits.largest);
  if (found.length + folders > limits.most) return { reason: "files" };
  if (size > limits.size) return { reason: "size", size };
  return large ? { reason: "large", path: large.path } : null;
}

/** @param {FolderFile[]} found */
export const totalSize = (found) => found.reduce((sum, each) => sum + each.file.size, 0);

/**
 * The files of the next request: at least one, however large.
 * @param {FolderFile[]} found
 * @param {number} start
 */
export function nextPart(found, start) {
  let end = start + 1;
  for (let size = found[start].file.size; end < found.length && end - start < PART_FILES; end++) {
    if ((size += found[end].file.size) > PART_SIZE) break;
  }
  return found.slice(start, end);
}
