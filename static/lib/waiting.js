// @ts-check
// Waiting for time, frames, and conditions.

const STEP = 10; // milliseconds
const TRIES = 3000; // a busy computer takes its time to load a grid or an editor

/** @param {number} milliseconds */
export const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/** Resolves after the next frame was drawn. */
export const nextPaint = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));

/**
 * Wait for the first thing that `look` finds; null: it never came, as when the page was left meanwhile.
 * @template T
 * @param {() => T | null | undefined | false} look
 * @returns {Promise<T | null>}
 */
export async function waitFor(look, tries = TRIES) {
  for (; tries > 0; tries--) {
    const found = look();
    if (found) return found;
    await pause(STEP);
  }
  return null;
}
