// @ts-check
// Preview of find and replace: its rows, which it fetches itself, and which of them are checked.
import { element, icon, link } from "karenina/dom.js";
import { serve, Table } from "karenina/grids.js";

class ReplacePreview extends Table {
  /** @param {any} component the grid */
  constructor(component) {
    super(component);
    this.api.addEventListener("selectionChanged", ({ source }) => {
      if (source === "api" || source === "rowDataChanged") return; // as the server has chosen
      this.tell("chosen", this.api.getSelectedNodes().map(({ data }) => data.id));
    });
  }

  /**
   * @param {string} path of the rows
   * @param {number[]} chosen ids of the rows that are checked
   */
  async show(path, chosen) {
    if (!(await this.load(path))) return;
    const checked = new Set(chosen);
    /** @type {[any[], any[]]} */
    const [on, off] = [[], []];
    this.api.forEachNode((/** @type {any} */ node) => (checked.has(node.data.id) ? on : off).push(node));
    this.api.setNodesSelected({ nodes: off, newValue: false });
    this.api.setNodesSelected({ nodes: on, newValue: true });
  }
}

export const { attach, call } = serve(ReplacePreview);

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
