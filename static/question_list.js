// @ts-check
// Rows and marks of the question list, which fetches its rows itself and tells the server only numbers of questions.
import { clearOnEscape } from "karenina/dom.js";
import { address, fetchJson } from "karenina/fetch.js";
import { waitForGrid } from "karenina/grids.js";
import { cells } from "karenina/question_cells.js";
import { countLabel, isActive, matches, nextToOpen, parseFilter } from "karenina/questions.js";
import { nextPaint, waitFor } from "karenina/waiting.js";

/** @typedef {import("karenina/questions.js").Row} Row */
/** @typedef {import("karenina/questions.js").Filter} Filter */
/** @typedef {{ rows: Row[], more?: boolean } | null} Rows null: they did not come */

const WIDE = 560; // pixels of a list that has room for keywords
const AHEAD = 100; // rows that are drawn before the others come, as in `questions/list.py`

window.kareninaCells = cells;

/**
 * The lists of this window by their grids.
 * @type {WeakMap<object, QuestionList>}
 */
const lists = new WeakMap();

class QuestionList {
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
  #turn = 0;
  #saysNothing = false;
  #component;
  #path;

  /**
   * @param {any} component the grid
   * @param {string} path of the rows
   */
  constructor(component, path) {
    this.#component = component;
    this.#path = path;
    const api = this.#api;
    api.setGridOption("isExternalFilterPresent", () => isActive(this.#filter));
    api.setGridOption(
      "doesExternalFilterPass",
      ({ data }) => matches(this.#filter, data, this.#texts.get(data.number)),
    );
    this.#listen();
    this.#searchAtOnce();
    if (isActive(this.#filter)) this.#tell("restored", this.#filter);
  }

  /**
   * The API of the grid, which may be replaced.
   * @returns {GridApi}
   */
  get #api() {
    return this.#component.api;
  }

  /**
   * @param {string} event
   * @param {any} what
   */
  #tell(event, what) {
    this.#component.$emit(event, what);
  }

  #listen() {
    const api = this.#api;
    api.addEventListener("rowClicked", ({ event, data }) => {
      if (!event.target.closest(".cell-check, .ag-selection-checkbox")) this.#tell("open", data.number);
    });
    api.addEventListener("cellKeyDown", ({ event, data }) => {
      if (event.key === "Enter") this.#tell("open", data.number);
    });
    const chosen = () => api.getSelectedNodes().map(({ data }) => data.number);
    api.addEventListener("selectionChanged", () => this.#tell("chosen", chosen()));
    api.addEventListener("modelUpdated", () => this.#count());
    api.addEventListener("gridSizeChanged", () => this.#fitKeywords());
  }

  /** @param {string} selector */
  #inSection(selector) {
    return this.#component.$el.closest("section")?.querySelector(selector);
  }

  /** Before the server hears of it, which keeps what is searched in the address. */
  #searchAtOnce() {
    const search = this.#inSection(".question-search input");
    search?.addEventListener("input", () => {
      this.#filter = { ...this.#filter, text: search.value };
      this.#api.onFilterChanged();
    });
    clearOnEscape(search);
  }

  /**
   * Load the rows; a long list is drawn with its first ones while the others come.
   * @param {Promise<Rows>} [begun] the first rows, on their way
   */
  async load(begun) {
    const turn = ++this.#turn;
    const overtaken = () => this.#turn !== turn || this.#api.isDestroyed(); // by a later call, or the page was left
    let came = await (begun ?? fetchRows(this.#path));
    if (came?.more && !overtaken() && !isActive(this.#filter)) {
      this.#draw(came.rows);
      await nextPaint();
    }
    if (came?.more) came = await fetchRows(this.#path);
    if (!came || overtaken()) return;
    this.total = came.rows.length;
    this.#draw(came.rows);
    this.#count();
    if (this.wanted !== undefined) this.show(this.wanted, true);
    this.#isRead = false;
    await nextPaint(); // what is looked at comes before what is looked for
    this.#reading = this.read();
    await this.#reading;
    this.#isRead = true;
    if (this.#filter.text) this.#api.onFilterChanged();
  }

  /** @param {Row[]} rows */
  #draw(rows) {
    this.#api.setGridOption("rowData", rows);
    this.#showKeywords(rows);
    this.#api.setGridOption("loading", false);
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
    const isWide = this.#component.$el.clientWidth >= WIDE;
    this.#api.setColumnsVisible(["keywords"], this.#hasKeywords && isWide);
  }

  /** @param {number} [only] this question's text */
  async read(only) {
    const response = await fetch(address(`${this.#path}/texts${only === undefined ? "" : `?only=${only}`}`));
    if (!response.ok) return;
    /** @type {{ texts: [number, string][] }} */
    const { texts } = await response.json();
    for (const [number, text] of texts) this.#texts.set(number, text.toLowerCase());
  }

  /** @param {Row} row */
  async update(row) {
    const known = this.#api.getRowNode(String(row.number));
    if (!known) return;
    this.#api.applyTransaction({ update: [{ ...known.data, ...row }] });
    this.#showKeywords([row]);
    await this.read(row.number);
  }

  /** @param {Filter} wanted */
  async narrow(wanted) {
    const shown = this.#isRead && JSON.stringify(this.#filter) === JSON.stringify(wanted); // as it was typed
    this.#filter = wanted;
    await this.#reading;
    if (this.#filter !== wanted) return; // a later one has overtaken this one
    if (!shown) this.#api.onFilterChanged();
    const hidden = this.#api.getSelectedNodes().filter((node) => !node.displayed);
    if (hidden.length) this.#api.setNodesSelected({ nodes: hidden, newValue: false });
    if (this.wanted !== undefined) this.show(this.wanted);
  }

  /** @param {number[]} numbers */
  rememberNeighbor(numbers) {
    /** @type {number[]} */
    const shown = [];
    this.#api.forEachNodeAfterFilterAndSort(({ data }) => shown.push(data.number));
    this.#next = nextToOpen(shown, this.wanted, numbers);
  }

  openNeighbor() {
    this.#tell("open", this.#next);
  }

  /** @param {number | null} number */
  mark(number) {
    const first = this.wanted === undefined;
    this.wanted = number;
    this.show(number, first);
  }

  /** @param {number} steps */
  step(steps) {
    const here = this.#api.getRowNode(String(this.wanted));
    const to = this.#api.getDisplayedRowAtIndex(here ? here.rowIndex + steps : 0);
    if (!to) return;
    this.wanted = to.data.number; // the next step is from there, also while it still opens
    this.show(to.data.number);
    this.#tell("open", this.wanted);
  }

  /** @param {boolean} all */
  select(all) {
    all ? this.#api.selectAll("filtered") : this.#api.deselectAll();
  }

  /** Tell which questions the filter shows; null: all. */
  tellShown() {
    /** @type {number[]} */
    const shown = [];
    this.#api.forEachNodeAfterFilterAndSort(({ data }) => shown.push(data.number));
    this.#tell("shown", isActive(this.#filter) ? shown : null);
  }

  /**
   * @param {number | null} number
   * @param {boolean} [first]
   */
  show(number, first) {
    const context = this.#api.getGridOption("context");
    const before = this.#api.getRowNode(String(context.current)), node = this.#api.getRowNode(String(number));
    context.current = number;
    // Their classes are looked at again; drawing the rows anew would take the focus from whatever has it.
    for (const changed of new Set([before, node])) changed?.updateData({ ...changed.data });
    if (node) this.#api.ensureNodeVisible(node, first ? "middle" : undefined);
  }

  #count() {
    const place = this.#inSection(".question-count");
    if (!place || this.total === undefined || this.#api.isDestroyed()) return;
    const shown = this.#api.getDisplayedRowCount(), text = countLabel(shown, this.total);
    if (place.textContent !== text) place.textContent = text;
    this.#sayNothingFits(this.total > 0 && shown === 0);
  }

  /** @param {boolean} nothing */
  #sayNothingFits(nothing) {
    if (this.#saysNothing === nothing) return;
    this.#saysNothing = nothing;
    const words = nothing ? "No questions match. Clear the filters to see all." : "";
    this.#api.setGridOption("overlayNoRowsTemplate", `<span class="hint">${words}</span>`);
    nothing ? this.#api.showNoRowsOverlay() : this.#api.hideOverlay();
  }
}

/**
 * @param {string} path
 * @returns {Promise<Rows>}
 */
const fetchRows = (path) => fetchJson(path).catch(() => null);

/**
 * Wait for the list in a grid; null: the page was left meanwhile.
 * @param {number} id
 */
const waitForList = (id, isReady = (/** @type {QuestionList} */ _) => true) =>
  waitFor(() => {
    const component = getElement(id), list = component && lists.get(component);
    return list && !component.api.isDestroyed() && isReady(list) && list;
  });

/**
 * @param {number} id
 * @param {string} path
 */
export async function attach(id, path) {
  const first = fetchRows(`${path}?first=${AHEAD}`); // on their way while the grid is built
  const component = await waitForGrid(id);
  if (!component || lists.has(component)) return;
  const list = new QuestionList(component, path);
  lists.set(component, list);
  await list.load(first);
}

/** @param {number} id */
export async function load(id) {
  await (await waitForList(id))?.load();
}

/**
 * @param {number} id
 * @param {Row} row
 */
export async function update(id, row) {
  await (await waitForList(id))?.update(row);
}

/**
 * @param {number} id
 * @param {{ wanted: Filter, written: string }} filter `written`: as the address has it
 */
export async function filter(id, { wanted, written }) {
  const list = await waitForList(id);
  if (!list) return;
  const { pathname, search } = location;
  history.replaceState(history.state, "", pathname + search + (written ? "#" + written : ""));
  await list.narrow(wanted);
}

/**
 * Remember the question beside those that are about to be deleted; `openNeighbor` opens it.
 * @param {number} id
 * @param {number[]} numbers
 */
export async function rememberNeighbor(id, numbers) {
  (await waitForList(id))?.rememberNeighbor(numbers);
}

/** @param {number} id */
export async function openNeighbor(id) {
  (await waitForList(id))?.openNeighbor();
}

/**
 * @param {number} id
 * @param {number | null} number
 */
export async function mark(id, number) {
  (await waitForList(id))?.mark(number);
}

/**
 * @param {number} id
 * @param {number} steps
 */
export async function step(id, steps) {
  (await waitForList(id, (list) => list.total !== undefined))?.step(steps); // also when the page has just been opened
}

/** @param {number} id */
export async function shown(id) {
  (await waitForList(id, (list) => list.total !== undefined))?.tellShown();
}

/**
 * @param {number} id
 * @param {boolean} all
 */
export async function select(id, all) {
  (await waitForList(id))?.select(all);
}
