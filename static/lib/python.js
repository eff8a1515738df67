// @ts-check
// The call around a place in Python source, for completion.

/**
 * @typedef {{
 *   name: string, given: string[], value: string | null
 * }} Call `value`: the argument whose value is being written
 */

const TOKEN = new RegExp(
  [
    /(?:[rbfu]{0,2})(?:"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$))/, // strings of several lines
    /(?:[rbfu]{0,2})(?:"(?:\\[^]|[^"\\\n])*(?:"|$)|'(?:\\[^]|[^'\\\n])*(?:'|$))/,
    /#[^\n]*/,
    /[A-Za-z_]\w*(?=\s*\()/, // what is called
    /[A-Za-z_]\w*\s*=(?!=)/, // what is named
    /[()[\]{},]/,
  ].map(({ source }) => source).join("|"),
  "gi",
);

/**
 * The call whose arguments are written at the end of a text, with the names that were given already; null: none, or a
 * list or the like within it.
 * @param {string} before
 * @returns {Call | null}
 */
export function callAround(before) {
  /** @type {(Call | null)[]} */
  const open = [];
  let called = "";
  for (const [token] of before.matchAll(TOKEN)) {
    const here = open.at(-1);
    if (/^[a-z_]\w*$/i.test(token)) {
      called = token;
      continue;
    }
    if (token === "(") open.push(called ? { name: called, given: [], value: null } : null);
    else if ("[{".includes(token)) open.push(null);
    else if (")]}".includes(token)) open.pop();
    else if (token === ",") here && (here.value = null);
    else if (token.endsWith("=") && here) {
      const name = token.slice(0, -1).trim();
      here.given.push(name);
      here.value = name;
    }
    called = "";
  }
  return open.at(-1) ?? null;
}
