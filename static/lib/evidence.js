// @ts-check
// Spots in files, as the address has them: `notes/dose.md:3-5`.

/** @typedef {{ path: string, first?: number, last?: number }} Spot lines of a file, or without them all of it */

/** @param {Spot} spot */
export function spotOf({ path, first = 0, last = 0 }) {
  return path + (first ? ":" + first + (last > first ? "-" + last : "") : "");
}

/**
 * @param {string} written
 * @returns {{ path: string, first: number, last: number }} lines are 0 where none are named
 */
export function spotIn(written) {
  const [, path, first, last] = /^(.*?)(?::(\d{1,7})(?:-(\d{1,7}))?)?$/s.exec(written) ?? [];
  return { path: path ?? "", first: Number(first ?? 0), last: Number(last ?? first ?? 0) };
}

/**
 * Which lines a spot has, in words.
 * @param {Spot} spot
 */
export function lines({ first = 0, last = 0 }) {
  if (!first) return "";
  return last > first ? `, lines ${first} to ${last}` : `, line ${first}`;
}
