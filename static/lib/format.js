// @ts-check
// Numbers for people.

/** @param {number | null | undefined} value */
export const whole = (value) => value == null ? "" : value.toLocaleString("en-US");

/**
 * @param {number} count
 * @param {string} one
 * @param {string} [many]
 */
export const counted = (count, one, many = one + "s") => `${whole(count)} ${count === 1 ? one : many}`;

/**
 * How many of all are shown, where not all are.
 * @param {number} count
 * @param {number} all
 */
export const ofAll = (count, all) => (count === all ? "" : whole(count) + " of ") + whole(all);

/** @param {number | null | undefined} value */
export function seconds(value) {
  if (value == null) return "";
  return value < 1 ? Math.round(value * 1000) + " ms" : value.toFixed(value < 10 ? 2 : 1) + " s";
}

/**
 * @param {number} count
 * @param {string} [unit] of small sizes
 */
export function bytes(count, unit = "B") {
  if (count < 1000) return count + " " + unit;
  return count < 1e6 ? (count / 1e3).toFixed(1) + " kB" : (count / 1e6).toFixed(1) + " MB";
}

/** @param {number} count */
export function characters(count) {
  return count < 1000 ? counted(count, "character") : (count / 1000).toFixed(1) + " kB";
}

/**
 * @param {string} text
 * @param {number} most characters
 */
export const shortened = (text, most) => text.length > most ? text.slice(0, most - 1) + "…" : text;
