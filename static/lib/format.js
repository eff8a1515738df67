// @ts-check
// Numbers and texts as people read them.

/** @param {number | null | undefined} value */
export const formatInteger = (value) => value == null ? "" : value.toLocaleString("en-US");

/**
 * @param {number} count
 * @param {string} one
 * @param {string} [many]
 */
export const formatCount = (count, one, many = one + "s") => `${formatInteger(count)} ${count === 1 ? one : many}`;

/**
 * A count of all, such as `3 of 12`; only the total where both are equal.
 * @param {number} count
 * @param {number} all
 */
export const formatCountOf = (count, all) => (count === all ? "" : formatInteger(count) + " of ") + formatInteger(all);

/** @param {number | null | undefined} value */
export function formatSeconds(value) {
  if (value == null) return "";
  return value < 1 ? Math.round(value * 1000) + " ms" : value.toFixed(value < 10 ? 2 : 1) + " s";
}

/**
 * @param {number} count
 * @param {string} [unit] of small sizes
 */
export function formatSize(count, unit = "B") {
  if (count < 1000) return count + " " + unit;
  return count < 1e6 ? (count / 1e3).toFixed(1) + " kB" : (count / 1e6).toFixed(1) + " MB";
}

/**
 * The length of a text in words, such as `1,500 characters`.
 * @param {string} text
 */
export const formatLength = (text) => formatCount(text.length, "character");

/**
 * @param {string} text
 * @param {number} most characters
 */
export const shorten = (text, most) => text.length > most ? text.slice(0, most - 1) + "…" : text;
