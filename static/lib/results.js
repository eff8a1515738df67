// @ts-check
// Queries and labels of the tables of results.

/**
 * A query with the order of the query that is shown.
 * @param {string} query
 * @param {string} shown
 */
export function keepOrder(query, shown) {
  const wanted = new URLSearchParams(query), order = new URLSearchParams(shown).get("sort");
  if (order) wanted.set("sort", order);
  return wanted;
}

/**
 * A query with the order that the grid reports.
 * @param {string} query
 * @param {{ colId: string, sort: string }[]} model
 */
export function withOrder(query, [first]) {
  const wanted = new URLSearchParams(query);
  wanted.delete("sort");
  if (first) wanted.set("sort", (first.sort === "desc" ? "-" : "") + first.colId);
  return wanted.toString();
}

/**
 * The sorted column of a query, as the grid takes it.
 * @param {string} query
 */
export function columnOrder(query) {
  const order = new URLSearchParams(query).get("sort");
  return order ? [{ colId: order.replace(/^-/, ""), sort: order[0] === "-" ? "desc" : "asc" }] : [];
}

/**
 * @param {URLSearchParams} wanted
 * @param {string} text
 */
export function setSearch(wanted, text) {
  text.trim() ? wanted.set("text", text) : wanted.delete("text");
  return wanted;
}

/**
 * Whether two queries ask for the same.
 * @param {string | URLSearchParams} one
 * @param {string | URLSearchParams} other
 */
export function isSameQuery(one, other) {
  const inOrder = (/** @type {string | URLSearchParams} */ query) => [...new URLSearchParams(query)].sort().join("\n");
  return inOrder(one) === inOrder(other);
}

/**
 * A query of the table as the charts take it, which accept several models and conditions with commas between them.
 * @param {string} query
 */
export function chartsQuery(query) {
  const wanted = new URLSearchParams(query);
  for (const name of ["model", "condition"]) {
    const [one, several] = [wanted.get(name), wanted.get(name + "s")];
    if (one) wanted.set(name, one.replaceAll("%", "%25").replaceAll(",", "%2C"));
    else if (several) wanted.set(name, several);
  }
  return wanted.toString();
}

/**
 * @typedef {{
 *   passed: number, judged: number, left_out: number, outcome: string, score: { text: string, n: number } | null
 * }} Cell results of one question by one model
 */

/**
 * The look of a cell: that of its outcome, or `varies`.
 * @param {Cell} cell
 */
export function cellLook({ passed, judged, outcome }) {
  if (passed && passed < judged) return "varies";
  return judged && passed === judged ? "passed" : outcome;
}

/**
 * The tooltip of a cell.
 * @param {Cell} cell
 * @param {string} word of its kind
 */
export function cellTitle(cell, word) {
  if (cell.score) return `${cell.score.text}, n = ${cell.score.n}`;
  if (cellLook(cell) === "scored") return "Evaluated by traits only";
  const leftOut = cell.left_out ? `, ${cell.left_out} without a verdict` : "";
  return `${word}: ${cell.passed} of ${cell.judged} passed${leftOut}`;
}
