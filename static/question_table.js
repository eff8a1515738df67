// @ts-check
// Table of questions: cells are edited in place, and blocks pasted from spreadsheets. The server parses the blocks.
import { link } from "karenina/dom.js";
import { address } from "karenina/fetch.js";
import { serve, Table } from "karenina/grids.js";
import { cells } from "karenina/question_cells.js";
import { countLabel } from "karenina/questions.js";
import { copiedBlock, lineCount } from "karenina/spreadsheets.js";
import { waitFor } from "karenina/waiting.js";

/** @typedef {{ benchmark: number, fields: string[] }} Fields `fields`: of the columns that can be edited, in order */

window.kareninaCells = cells;
window.kareninaTable = {
  link: (row) => link(address(`/benchmarks/${benchmark}/questions/${row.number}`), String(row.place ?? "")),
};
let benchmark = 0; // the one on this page

class QuestionTable extends Table {
  /** @type {{ place: string, value: string, base: string } | null} the cell that is open */
  #open = null;
  #path;
  #table;

  /**
   * @param {any} component the grid
   * @param {string} path of the rows
   * @param {Fields} table
   */
  constructor(component, path, table) {
    super(component);
    this.#path = path;
    this.#table = table;
    benchmark = table.benchmark;
    this.#listen();
    this.searchAtOnce((text) => this.api.setGridOption("quickFilterText", text));
  }

  /** @param {string} field */
  #isEditable(field) {
    return this.#table.fields.includes(field);
  }

  #listen() {
    const api = this.api, root = this.component.$el;
    api.addEventListener("cellValueChanged", (event) => this.#save(event));
    api.addEventListener("cellEditingStarted", (event) => this.#keepWhileTyping(event));
    api.addEventListener("cellEditingStopped", (event) => this.#forget(event));
    api.addEventListener("selectionChanged", () => this.tellChosen());
    api.addEventListener("modelUpdated", () => this.#count());
    api.addEventListener("cellKeyDown", (event) => this.#clear(event));
    root.addEventListener("paste", (/** @type {ClipboardEvent} */ event) => this.#paste(event));
    root.addEventListener("copy", (/** @type {ClipboardEvent} */ event) => this.#copy(event));
  }

  /** @param {any} event of a cell */
  #place({ data, colDef }) {
    return `table/${this.#table.benchmark}#${data.number}.${colDef.field}`;
  }

  /** @param {any} event */
  #save(event) {
    // As it was when the cell was opened: somebody else may have changed it since.
    const opened = this.#open?.place === this.#place(event) ? this.#open : null;
    const value = event.newValue ?? "", base = opened?.base ?? event.oldValue ?? "";
    if (value === base || !this.#isEditable(event.colDef.field)) return;
    // The browser keeps the text until the application has saved it.
    window.outbox.keep(this.#place(event), value, base, this.component.id);
    this.tell("edited", [{ number: event.data.number, field: event.colDef.field, value, base }]);
  }

  /** @param {any} event */
  async #keepWhileTyping(event) {
    const place = this.#place(event), base = event.value ?? "";
    this.#open = { place, value: base, base };
    const look = () => this.api.getCellEditorInstances()[0]?.getGui?.().querySelector("textarea, input");
    const field = await waitFor(look, 50);
    if (!field) return;
    field.setAttribute("aria-label", event.colDef.headerName);
    field.addEventListener("input", () => {
      this.#open = { place, value: field.value, base };
      window.outbox.keep(place, field.value, base, this.component.id);
    });
  }

  /**
   * What was typed and then cancelled is not kept.
   * @param {any} event
   */
  #forget(event) {
    const open = this.#open;
    this.#open = null;
    if (open && !event.valueChanged && open.value !== open.base) {
      window.outbox.settle(open.place, open.value, open.base);
    }
  }

  /** @param {any} event */
  #clear({ event, node, colDef, api }) {
    if (event.key !== "Delete" || event.ctrlKey || api.getEditingCells().length) return;
    if (this.#isEditable(colDef.field) && node.data[colDef.field]) node.setDataValue(colDef.field, "");
  }

  /** @param {ClipboardEvent} event */
  #paste(event) {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (/** @type {Element} */ (event.target).closest("input, textarea") || !text.trim()) return;
    const at = this.api.getFocusedCell(), field = at?.column.getColDef().field;
    // A table without rows has no cell for the focus; in any other, a block goes where the person has chosen.
    const isEmpty = this.api.getDisplayedRowCount() === 0;
    if (!isEmpty && !(at && this.#isEditable(field))) return;
    event.preventDefault();
    /** @type {number[]} */
    const numbers = [];
    const lines = lineCount(text);
    for (let index = at?.rowIndex ?? 0; numbers.length < lines; index++) {
      const node = this.api.getDisplayedRowAtIndex(index);
      if (!node) break;
      numbers.push(node.data.number);
    }
    this.tell("pasted", { text, field: isEmpty ? this.#table.fields[0] : field, numbers });
  }

  /**
   * Copy the selected questions, or the text of the cell with the focus.
   * @param {ClipboardEvent} event
   */
  #copy(event) {
    if (/** @type {Element} */ (event.target).closest("input, textarea") || String(getSelection())) return;
    const rows = this.api.getSelectedRows(), at = this.api.getFocusedCell();
    const focused = at && this.api.getDisplayedRowAtIndex(at.rowIndex)?.data[at.column.getColDef().field ?? ""];
    const block = rows.length
      ? copiedBlock(rows.map((row) => this.#table.fields.map((field) => String(row[field] ?? ""))))
      : typeof focused === "string" && copiedBlock([[focused]]);
    if (block === false) return;
    event.preventDefault();
    event.clipboardData?.setData("text/plain", block);
  }

  async start() {
    if (await this.load(this.#path)) this.#count();
  }

  /**
   * Open a cell once its row is there.
   * @param {number} number
   * @param {string} field
   */
  async edit(number, field) {
    const node = await waitFor(() => this.api.isDestroyed() || this.api.getRowNode(String(number)));
    if (!node || node === true || node.rowIndex == null) return;
    this.api.ensureNodeVisible(node);
    this.api.setFocusedCell(node.rowIndex, field);
    this.api.startEditingCell({ rowIndex: node.rowIndex, colKey: field });
  }

  search() {
    this.searchBox?.focus();
  }

  #count() {
    if (this.api.isDestroyed()) return;
    let total = 0;
    this.api.forEachNode(() => total++);
    this.showCount(countLabel(this.api.getDisplayedRowCount(), total));
  }
}

export const { attach, call } = serve(QuestionTable);
