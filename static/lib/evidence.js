// @ts-check
// References to lines of files, as addresses contain them: `notes/dose.md:3-5`.

/** @typedef {{ path: string, first?: number, last?: number }} FileReference a whole file, or lines of it */

/** @param {FileReference} reference */
export function formatReference({ path, first = 0, last = 0 }) {
  return path + (first ? ":" + first + (last > first ? "-" + last : "") : "");
}

/**
 * @param {string} written
 * @returns {{ path: string, first: number, last: number }} `first` and `last` are 0 where no lines are named
 */
export function parseReference(written) {
  const [, path, first, last] = /^(.*?)(?::(\d{1,7})(?:-(\d{1,7}))?)?$/s.exec(written) ?? [];
  return { path: path ?? "", first: Number(first ?? 0), last: Number(last ?? first ?? 0) };
}

/**
 * The lines of a reference in words.
 * @param {FileReference} reference
 */
export function lineWords({ first = 0, last = 0 }) {
  if (!first) return "";
  return last > first ? `, lines ${first} to ${last}` : `, line ${first}`;
}
