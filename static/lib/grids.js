// @ts-check
// Tables of AG Grid: what all of them have in common. Their options are those of `gui/kit/grid.py`.
import { clearOnEscape } from "./dom.js";
import { fetchJson } from "./fetch.js";
import { waitFor } from "./waiting.js";

/**
 * Wait for the component of a grid; null: the page was left meanwhile.
 * @param {number} id
 */
export const waitForGrid = (id) =>
  waitFor(() => {
    const component = getElement(id);
    return component?.api && !component.api.isDestroyed() && component;
  });

/**
 * Let a click on a row and Enter open it, except where they are meant for a link or a checkbox.
 * @param {GridApi} api
 * @param {(data: any) => void} open
 * @param {(event: MouseEvent) => boolean} [ignores] further clicks that open nothing
 */
export function onOpen(api, open, ignores = () => false) {
  const opens = (/** @type {any} */ { node, event }) => node.data && !node.rowPinned && !event.target.closest("a");
  api.addEventListener("rowClicked", (row) => {
    const isCheck = row.event.target.closest(".cell-check, .ag-selection-checkbox");
    if (opens(row) && !isCheck && !ignores(row.event)) open(row.data);
  });
  api.addEventListener("cellKeyDown", (cell) => {
    if (cell.event.key === "Enter" && opens(cell)) open(cell.data);
  });
}

const SETTLED = 300; // ms without a further change of the columns

/** A table of a page, which fetches its rows itself; each kind adds what is its own. */
export class Table {
  #turn = 0;
  #tellColumns = () => {};

  /** @param {any} component the grid */
  constructor(component) {
    this.component = component;
    this.grid = component.api;
  }

  /**
   * The API of the grid, which may be replaced.
   * @returns {GridApi}
   */
  get api() {
    return this.component.api;
  }

  /**
   * Tell the server.
   * @param {string} event
   * @param {any} what
   */
  tell(event, what) {
    this.component.$emit(event, what);
  }

  /** @param {string} selector */
  inSection(selector) {
    return this.component.$el.closest("section")?.querySelector(selector);
  }

  get searchBox() {
    return this.inSection(".question-search input");
  }

  /**
   * Search before the server hears of what is typed.
   * @param {(text: string) => void} look
   */
  searchAtOnce(look) {
    const search = this.searchBox;
    search?.addEventListener("input", () => look(search.value));
    clearOnEscape(search);
  }

  tellChosen() {
    this.tell("chosen", this.api.getSelectedNodes().map(({ data }) => data.number));
  }

  /** Begin to load; returns whether a later load, or another page, has overtaken this one. */
  begin() {
    const turn = ++this.#turn;
    return () => this.#turn !== turn || this.api.isDestroyed();
  }

  /**
   * Load the rows; null: they did not come in time.
   * @param {string} path
   */
  async load(path) {
    const isOvertaken = this.begin(), reply = await fetchJson(path).catch(() => null);
    if (!reply || isOvertaken()) return null;
    this.draw(reply.rows);
    return reply;
  }

  /** @param {any[]} rows */
  draw(rows) {
    this.api.setGridOption("rowData", rows);
    this.api.setGridOption("loading", false);
  }

  /**
   * Show rows as they are now; returns whether there are any of them.
   * @param {any[]} rows
   */
  update(rows) {
    const changed = rows.flatMap((row) => {
      const node = this.api.getRowNode(String(row.number));
      return node ? [{ ...node.data, ...row }] : [];
    });
    this.api.applyTransaction({ update: changed });
    return changed.length > 0;
  }

  /** @param {boolean} all */
  select(all) {
    all ? this.api.selectAll("filtered") : this.api.deselectAll();
  }

  /**
   * Mark the row with this id, instead of the one before, and scroll to it.
   * @param {string | number | null} current
   * @param {string} [position] in the list
   */
  markRow(current, position) {
    const context = this.api.getGridOption("context");
    const [before, node] = [context.current, current].map((id) => this.api.getRowNode(String(id)));
    context.current = current;
    // Their classes are looked at again; drawing the rows anew would take the focus from whatever has it.
    for (const changed of new Set([before, node])) changed?.updateData({ ...changed.data });
    if (node) this.api.ensureNodeVisible(node, position);
  }

  /**
   * Arrange the columns as the person left them, and tell the server of each change.
   * @param {{ colId: string, hide: boolean }[]} states in their order; none: as they are
   * @param {(column: string) => boolean} has whether there is anything in a column
   */
  arrange(states, has) {
    const hidden = new Map(states.map(({ colId, hide }) => [colId, hide]));
    const shown = (/** @type {any} */ state) => ({ ...state, hide: state.hide || !has(state.colId) });
    this.api.applyColumnState({ state: states.map(shown), applyOrder: true });
    let waiting = 0;
    this.#tellColumns = () => {
      const now = this.api.getColumnState().map((/** @type {any} */ { colId, hide, pinned, width, flex }) => {
        // What a run does not have says nothing of what the person wants to see.
        return { colId, hide: has(colId) ? hide : hidden.get(colId) ?? false, pinned, width, flex };
      });
      this.tell("columns", now);
    };
    for (const event of ["columnMoved", "columnResized", "columnPinned"]) {
      this.api.addEventListener(event, ({ source }) => {
        if (!/^(ui|autosize)/.test(source)) return; // the grid's own doing
        clearTimeout(waiting);
        waiting = setTimeout(() => this.api.isDestroyed() || this.#tellColumns(), SETTLED);
      });
    }
  }

  /**
   * Show, hide, or pin a column.
   * @param {string} colId
   * @param {any} state
   */
  setColumn(colId, state) {
    this.api.applyColumnState({ state: [{ colId, ...state }] });
    this.#tellColumns();
  }

  resetColumns() {
    this.api.resetColumnState();
    this.tell("columns", []);
  }

  /** @param {string} text */
  showCount(text) {
    const element = this.inSection(".question-count");
    if (element && element.textContent !== text) element.textContent = text;
  }
}

/** @type {WeakMap<object, any>} tables by their grids */
const tables = new WeakMap();

/**
 * The functions of a module by which the server makes tables of a kind and calls their methods.
 * @param {any} Kind of `Table`; `Kind.ahead` may begin to fetch what the first load takes, while the grid is built
 */
export const serve = (Kind) => ({
  /**
   * @param {number} id of the grid
   * @param {...any} about the table
   */
  async attach(id, ...about) {
    const begun = Kind.ahead?.(...about);
    const component = await waitForGrid(id);
    // NiceGUI makes another grid for the component, for example when a hidden one is shown.
    if (!component || tables.get(component)?.grid === component.api) return;
    const table = new Kind(component, ...about);
    tables.set(component, table);
    await table.start?.(begun);
  },
  /**
   * @param {number} id of the grid
   * @param {string} method
   * @param {...any} values
   */
  async call(id, method, ...values) {
    const table = await waitFor(() => {
      const component = getElement(id), table = component && tables.get(component);
      return table && !component.api.isDestroyed() && table;
    });
    await table?.[method](...values);
  },
});
