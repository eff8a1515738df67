// @ts-check
// What comes a little later.

const TRIES = 1000; // 30 ms apart: a busy computer takes its time to load a grid or an editor

/** @param {number} milliseconds */
export const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/** Resolves after the next frame was drawn. */
export const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));

/**
 * The first thing that `look` finds; null when it never comes, as where the page was left meanwhile.
 * @template T
 * @param {() => T | null | undefined | false} look
 * @returns {Promise<T | null>}
 */
export async function awaited(look) {
  for (let tries = 0; tries < TRIES; tries++) {
    const found = look();
    if (found) return found;
    await pause(30);
  }
  return null;
}
