// @ts-check
// Tests of scripts, which `tests/browser/test_javascript.py` plays in Chromium.

/** @typedef {() => void | Promise<void>} Test */

/** @type {Map<string, Test>} of all files, by their names */
export const tests = new Map();

/**
 * @param {string} name
 * @param {Test} act
 */
export function test(name, act) {
  if (tests.has(name)) throw new Error(`Two tests are named “${name}”`);
  tests.set(name, act);
}

/**
 * @param {unknown} found
 * @param {unknown} expected
 */
export function equal(found, expected) {
  const [one, other] = [found, expected].map((each) => JSON.stringify(each, plain, 1) ?? "undefined");
  if (one !== other) throw new Error(`Found ${one}\nexpected ${other}`);
}

/**
 * @param {string} _
 * @param {unknown} value
 */
function plain(_, value) {
  if (value instanceof Map || value instanceof Set) return [...value];
  return value instanceof RegExp ? String(value) : value;
}
