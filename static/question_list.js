// @ts-check
// Rows and marks of the question list, which fetches its rows itself and tells the server only numbers of questions.
import { address, fetchJson } from "karenina/fetch.js";
import { onOpen, serve, Table } from "karenina/grids.js";
import { cells } from "karenina/question_cells.js";
import { countLabel, isActive, matches, nextToOpen, parseFilter } from "karenina/questions.js";
import { nextPaint, waitFor } from "karenina/waiting.js";

/** @typedef {import("karenina/questions.js").Row} Row */
/** @typedef {import("karenina/questions.js").Filter} Filter */
/** @typedef {{ rows: Row[], more?: boolean } | null} Rows null: they did not come */

const WIDE = 560; // pixels of a list that has room for keywords
const AHEAD = 100; // rows that are drawn before the others come, as in `questions/list.py`

window.kareninaCells = cells;

class QuestionList extends Table {
  /** @type {number | undefined} of all questions, once they are there */
  total;
  /** @type {number | null | undefined} the question that is to be open; undefined: nothing was said yet */
  wanted;
  /** @type {number | null} the one to open once others are gone */
  #next = null;
  /** @type {Map<number, string>} everything by which a question is found, in small letters */
  #texts = new Map();
  /** @type {Filter} */
  #filter = parseFilter(location.hash);
  /** @type {Promise<void> | undefined} while texts are on their way */
  #reading;
  #isRead = false;
  #hasKeywords = false;
  #saysNothing = false;
  /** @type {Set<number>} questions whose texts have changed since */
  #edited = new Set();
  #path;

  /**
   * The first rows, on their way while the grid is built.
   * @param {string} path
   */
  static ahead(path) {
    return fetchRows(`${path}?first=${AHEAD}`);
  }

  /**
   * @param {any} component the grid
   * @param {string} path of the rows
   */
  constructor(component, path) {
    super(component);
    this.#path = path;
    const api = this.api;
    api.setGridOption("isExternalFilterPresent", () => isActive(this.#filter));
    api.setGridOption(
      "doesExternalFilterPass",
      ({ data }) => matches(this.#filter, data, this.#texts.get(data.number)),
    );
    this.#listen();
    this.searchAtOnce((text) => {
      this.#filter = { ...this.#filter, text };
      this.api.onFilterChanged();
      this.#readEdited();
    });
    if (isActive(this.#filter)) this.tell("restored", this.#filter);
  }

  #listen() {
    const api = this.api;
    onOpen(api, ({ number }) => this.tell("open", number));
    api.addEventListener("selectionChanged", () => this.tellChosen());
    api.addEventListener("modelUpdated", () => this.#count());
    api.addEventListener("gridSizeChanged", () => this.#fitKeywords());
  }

  /**
   * Load the rows; a long list is drawn with its first ones while the others come.
   * @param {Promise<Rows>} [begun] the first rows, on their way
   */
  async start(begun) {
    const overtaken = this.begin();
    let came = await (begun ?? fetchRows(this.#path));
    if (came?.more && !overtaken() && !isActive(this.#filter)) {
      this.draw(came.rows);
      await nextPaint();
    }
    if (came?.more) came = await fetchRows(this.#path);
    if (!came || overtaken()) return;
    this.total = came.rows.length;
    this.draw(came.rows);
    this.#count();
    if (this.wanted !== undefined) this.show(this.wanted, true);
    this.#isRead = false;
    this.#edited = new Set();
    await nextPaint(); // what is looked at comes before what is looked for
    this.#reading = this.read();
    await this.#reading;
    this.#isRead = true;
    if (this.#filter.text) this.api.onFilterChanged();
  }

  /**
   * @override
   * @param {Row[]} rows
   */
  draw(rows) {
    super.draw(rows);
    this.#showKeywords(rows);
  }

  /**
   * The column appears once a question has keywords.
   * @param {Row[]} rows
   */
  #showKeywords(rows) {
    this.#hasKeywords ||= rows.some(({ tags }) => tags.length);
    this.#fitKeywords();
  }

  /** In a narrow list, the questions need all of the room. */
  #fitKeywords() {
    const isWide = this.component.$el.clientWidth >= WIDE;
    this.api.setColumnsVisible(["keywords"], this.#hasKeywords && isWide);
  }

  /** @param {Iterable<number>} [only] texts of these questions */
  async read(only) {
    const response = await fetch(address(`${this.#path}/texts${only ? `?only=${[...only]}` : ""}`));
    if (!response.ok) return;
    /** @type {{ texts: [number, string][] }} */
    const { texts } = await response.json();
    for (const [number, text] of texts) this.#texts.set(number, text.toLowerCase());
  }

  /** @param {Row[]} rows */
  async updateRows(rows) {
    if (!this.update(rows)) return;
    this.#showKeywords(rows);
    for (const { number } of rows) this.#edited.add(number);
    if (this.#filter.text) await this.#readEdited();
  }

  /** Others may edit all the time: their texts are read only if they are searched. */
  async #readEdited() {
    if (!this.#edited.size) return;
    const edited = this.#edited;
    this.#edited = new Set();
    await this.read(edited);
    this.api.onFilterChanged();
  }

  /** @param {{ wanted: Filter, written: string }} filter `written`: as the address has it */
  async filter({ wanted, written }) {
    const { pathname, search } = location;
    history.replaceState(history.state, "", pathname + search + (written ? "#" + written : ""));
    await this.narrow(wanted);
  }

  /** @param {Filter} wanted */
  async narrow(wanted) {
    const shown = this.#isRead && JSON.stringify(this.#filter) === JSON.stringify(wanted); // as it was typed
    this.#filter = wanted;
    await this.#reading;
    if (wanted.text) await this.#readEdited();
    if (this.#filter !== wanted) return; // a later one has overtaken this one
    if (!shown) this.api.onFilterChanged();
    const hidden = this.api.getSelectedNodes().filter((node) => !node.displayed);
    if (hidden.length) this.api.setNodesSelected({ nodes: hidden, newValue: false });
    if (this.wanted !== undefined) this.show(this.wanted);
  }

  /**
   * Remember the question beside those that are about to be deleted; `openNeighbor` opens it.
   * @param {number[]} numbers
   */
  rememberNeighbor(numbers) {
    /** @type {number[]} */
    const shown = [];
    this.api.forEachNodeAfterFilterAndSort(({ data }) => shown.push(data.number));
    this.#next = nextToOpen(shown, this.wanted, numbers);
  }

  openNeighbor() {
    this.tell("open", this.#next);
  }

  /** @param {number | null} number */
  mark(number) {
    const first = this.wanted === undefined;
    this.wanted = number;
    this.show(number, first);
  }

  /** @param {number} steps */
  async step(steps) {
    if (!(await this.#isCounted())) return; // the page has just been opened
    const here = this.api.getRowNode(String(this.wanted));
    const to = this.api.getDisplayedRowAtIndex(here ? here.rowIndex + steps : 0);
    if (!to) return;
    this.wanted = to.data.number; // the next step is from there, also while it still opens
    this.show(to.data.number);
    this.tell("open", this.wanted);
  }

  /** Tell which questions the filter shows; null: all. */
  async tellShown() {
    if (!(await this.#isCounted())) return;
    /** @type {number[]} */
    const shown = [];
    this.api.forEachNodeAfterFilterAndSort(({ data }) => shown.push(data.number));
    this.tell("shown", isActive(this.#filter) ? shown : null);
  }

  /** Wait for all rows; false: the page was left meanwhile. */
  async #isCounted() {
    await waitFor(() => this.total !== undefined || this.api.isDestroyed());
    return !this.api.isDestroyed();
  }

  /**
   * @param {number | null} number
   * @param {boolean} [first]
   */
  show(number, first) {
    this.markRow(number, first ? "middle" : undefined);
  }

  #count() {
    if (this.total === undefined || this.api.isDestroyed()) return;
    const shown = this.api.getDisplayedRowCount();
    this.showCount(countLabel(shown, this.total));
    this.#sayNothingFits(this.total > 0 && shown === 0);
  }

  /** @param {boolean} nothing */
  #sayNothingFits(nothing) {
    if (this.#saysNothing === nothing) return;
    this.#saysNothing = nothing;
    const words = nothing ? "No questions match. Clear the filters to see all." : "";
    this.api.setGridOption("overlayNoRowsTemplate", `<span class="hint">${words}</span>`);
    nothing ? this.api.showNoRowsOverlay() : this.api.hideOverlay();
  }
}

/**
 * @param {string} path
 * @returns {Promise<Rows>}
 */
const fetchRows = (path) => fetchJson(path).catch(() => null);

export const { attach, call } = serve(QuestionList);
