// @ts-check
// Differences between texts, for the editor.

/**
 * The change that makes one text of another, as an editor takes it. What is equal around it stays, and a cursor there.
 * @param {string} before
 * @param {string} after
 */
export function findChange(before, after) {
  const shorter = Math.min(before.length, after.length);
  let from = 0, end = 0;
  while (from < shorter && before[from] === after[from]) from++;
  while (end < shorter - from && before.at(-1 - end) === after.at(-1 - end)) end++;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}

/**
 * The number of blank characters at the beginning of a line.
 * @param {string} line
 */
export const indentation = (line) => line.length - line.trimStart().length;
