// @ts-check
// Preview of find and replace: its rows, which it fetches itself, and which of them are checked.
import { element, icon, link } from "karenina/dom.js";
import { fetchJson } from "karenina/fetch.js";
import { waitForGrid } from "karenina/grids.js";

let turn = 0;

/** @param {number} id */
export async function attach(id) {
  const component = await waitForGrid(id);
  if (!component) return;
  /** @type {GridApi} */
  const api = component.api;
  api.addEventListener("selectionChanged", ({ source }) => {
    if (source === "api" || source === "rowDataChanged") return; // as the server has chosen
    component.$emit("chosen", api.getSelectedNodes().map(({ data }) => data.id));
  });
}

/**
 * @param {number} id
 * @param {string} path of the rows
 * @param {number[]} chosen ids of the rows that are checked
 */
export async function load(id, path, chosen) {
  const mine = ++turn, component = await waitForGrid(id);
  const came = component && (await fetchJson(path).catch(() => null));
  if (!came || mine !== turn || component.api.isDestroyed()) return;
  const { api } = component, checked = new Set(chosen);
  api.setGridOption("rowData", came.rows);
  /** @type {[any[], any[]]} */
  const [on, off] = [[], []];
  api.forEachNode((/** @type {any} */ node) => (checked.has(node.data.id) ? on : off).push(node));
  api.setNodesSelected({ nodes: off, newValue: false });
  api.setNodesSelected({ nodes: on, newValue: true });
}

/**
 * @param {any} row
 * @param {HTMLElement} marked
 */
const inContext = ({ start, end }, marked) => element("span", "cell-lines", start, marked, end);

window.kareninaReplace = {
  place: ({ place, number, title }) => {
    if (number === null) return "";
    const [, benchmark] = /benchmarks\/(\d+)/.exec(location.pathname) ?? [];
    const to = link(`/benchmarks/${benchmark}/questions/${number}`, String(place));
    to.title = title;
    return to;
  },
  before: (row) => inContext(row, element("del", "replace-old", row.match)),
  after: (row) => inContext(row, element("ins", "replace-new", row.replaced)),
  reason: ({ reason }) =>
    reason ? element("span", "cell-icon cell-warn", icon("warning"), element("span", "cell-lines", reason)) : "",
};
