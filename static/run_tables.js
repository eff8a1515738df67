// @ts-check
// Tables of runs, of one run's results, and of questions by model. Rows are fetched; cells are built as text.
import { element, icon, link } from "karenina/dom.js";
import { address, fetchJson } from "karenina/fetch.js";
import { formatCountOf, formatInteger, formatSeconds } from "karenina/format.js";
import { onOpen, serve, Table } from "karenina/grids.js";
import {
  cellLook,
  cellTitle,
  chartsQuery,
  columnOrder,
  isSameQuery,
  keepOrder,
  setSearch,
  withOrder,
} from "karenina/results.js";

/** @typedef {GridApi} Grid */
/** @typedef {import("karenina/results.js").Cell} Cell */
/**
 * @typedef {{
 *   group: string, title: string, answering: string, judge: string, condition: string, shown: boolean
 * }} Model a column; `shown`: whether the judge is told; `group`: the name above its title
 */
/** @typedef {{ id: number }} Row */
/** @typedef {Record<string, [glyph: string, word: string]>} Looks of each outcome its icon and its word */

/** @param {string} path */
const open = (path) => emitEvent("sub_pages_navigate", path);

/** @type {Looks} as the page tells them */
let looks = {};

/**
 * A text in at most so many lines as its class says; its tooltip says it whole.
 * @param {string} text
 * @param {string} look
 */
function lines(text, look) {
  const made = element("span", look, text);
  made.title = text;
  return made;
}

const NUMBERS = { type: "rightAligned", cellClass: "cell-lines cell-right" };
/** A column of texts that take two lines. */
const TEXTS = {
  cellClass: "cell-lines",
  cellRenderer: (/** @type {any} */ p) => p.value ? lines(p.value, "lines-2") : "",
};

/**
 * @param {string} name
 * @param {string} [told] instead of its word
 */
function outcome(name, told) {
  const [glyph, word] = looks[name] || ["help", name];
  return element("span", "outcome outcome-" + name, icon(glyph), told || word);
}

/**
 * Let clicks and Enter open the pages of rows; who selects text opens nothing.
 * @param {Grid} api
 * @param {(row: Row) => string} address
 */
const openPages = (api, address) =>
  onOpen(api, (row) => open(address(row)), (event) => event.defaultPrevented || !!String(getSelection()));

/**
 * Let the links to the other views of the run lead there with this query.
 * @param {string} query
 */
function keepInViews(query) {
  for (const view of document.querySelectorAll(".run-views a")) {
    const [path] = (view.getAttribute("href") ?? "").split("?");
    const kept = path.endsWith("/charts") ? chartsQuery(query) : query;
    view.setAttribute("href", path + (kept && "?" + kept));
  }
}

// ---- one run's results: rows, order and filter live on the server, the address says which

/**
 * Greatest id of the results that the page counts, so that its tables show these and no others; null: all.
 * @type {{ run: number | null, id: number | null | undefined }}
 */
let last = { run: null, id: null };
/** @param {number} run */
const untilQuery = (run) => (last.run !== run || last.id == null ? "" : "&last=" + last.id);
const PAUSE = 80; // ms without a further key before what is typed is looked for

/** A table whose rows the server filters, sorts, and cuts. */
class ServedTable extends Table {
  /**
   * @param {any} component the grid
   * @param {number} run
   */
  constructor(component, run) {
    super(component);
    this.run = run;
  }

  /**
   * @param {(asked: { startRow: number, endRow: number, sortModel: any }) => Promise<any>} find
   * @param {(found: any) => void} look sees each part before its rows are drawn
   * @param {() => void} [drawn] is called after it
   */
  fill(find, look, drawn = () => {}) {
    const api = this.api;
    api.setGridOption("datasource", {
      getRows: async (p) => {
        try {
          const found = await find(p);
          if (api.isDestroyed()) return; // the page was left meanwhile
          look(found);
          p.successCallback(found.rows, found.total);
          this.showEmptiness(found.total);
          drawn();
        } catch {
          if (!api.isDestroyed()) p.failCallback();
        }
      },
    });
  }

  /**
   * Say that there are no rows, unless jobs are running: their rows stand where the words would be.
   * @param {number} total
   */
  showEmptiness(total) {
    total || this.api.getPinnedTopRowCount() ? this.api.hideOverlay() : this.api.showNoRowsOverlay();
  }

  /**
   * Load new results.
   * @param {number} counted greatest id of those that the page counts
   */
  refresh(counted) {
    last = { run: this.run, id: counted };
    this.api.refreshInfiniteCache();
  }
}

/** The result that was last opened from a table, its place there, and the query of the table. */
let opened = { run: 0, id: 0, index: 0, query: "" };

class ResultsTable extends ServedTable {
  #query;
  #hasReturned = false;

  /**
   * @param {any} component the grid
   * @param {number} run
   * @param {string} query
   * @param {any} columns which there are, and what is said of them
   */
  constructor(component, run, query, columns) {
    super(component, run);
    this.#query = query;
    looks = columns.looks;
    last = { run, id: columns.last };
    this.#setColumns(columns);
    this.arrange(columns.arranged, (column) => column in columns.titles);
    const order = columnOrder(query);
    if (order.length) this.api.applyColumnState({ state: order });
    openPages(this.api, (row) => this.#pagePath(row));
    if (opened.run === run) this.api.getGridOption("context").current = opened.id;
    for (const event of ["rowClicked", "cellKeyDown"]) this.api.addEventListener(event, (row) => this.#note(row));
    this.fill((asked) => this.#find(asked), ({ total, all }) => {
      const place = document.getElementById("results-count");
      if (place) place.textContent = formatCountOf(total, all) + (all === 1 ? " result" : " results");
    }, () => this.#return());
    this.#searchSoon();
  }

  /** @param {any} row that may be opened now */
  #note({ data, rowIndex, rowPinned }) {
    if (data && !rowPinned) opened = { run: this.run, id: data.id, index: rowIndex, query: this.#query };
  }

  /** Scroll to the result that was opened from this table, once. */
  #return() {
    if (this.#hasReturned) return;
    this.#hasReturned = true;
    const isSame = opened.run === this.run && isSameQuery(opened.query, this.#query);
    if (isSame && opened.index < this.api.getDisplayedRowCount()) this.api.ensureIndexVisible(opened.index, "middle");
  }

  get #suffix() {
    return this.#query ? "?" + this.#query : "";
  }

  /** @param {Row} row */
  #pagePath(row) {
    return `/runs/${this.run}/results/${row.id}${this.#suffix}`;
  }

  /** @param {{ startRow: number, endRow: number, sortModel: any }} asked */
  #find({ startRow, endRow, sortModel }) {
    this.#query = withOrder(this.#query, sortModel);
    const run = "/runs/" + this.run, here = run + "/results" + this.#suffix;
    const isHere = [run, run + "/results"].some((page) => location.pathname === address(page));
    if (isHere) history.replaceState({ page: here }, "", address(here));
    keepInViews(this.#query);
    return fetchJson(`/api${run}/results?start=${startRow}&end=${endRow}${untilQuery(this.run)}&${this.#query}`);
  }

  /** @param {{ data: any, node: any }} cell */
  #questionCell({ data, node }) {
    if (node.rowPinned) return lines(data.question_text, "lines-2");
    const made = link(this.#pagePath(data), data.question_text, "results-link lines-2");
    made.title = data.question_text;
    return made;
  }

  /** @param {{ titles: Record<string, string>, told: Record<string, string> }} columns titles of those with a value */
  #setColumns(columns) {
    const { titles, told } = columns;
    /** @type {Column[]} */
    const defs = [
      {
        colId: "outcome",
        width: 112,
        cellRenderer: (p) => p.data ? outcome(p.data.look, p.data.verdict) : "",
      },
      {
        colId: "question",
        flex: 3,
        minWidth: 300,
        cellClass: "cell-lines",
        cellRenderer: (p) => p.data ? this.#questionCell(p) : "",
      },
      {
        colId: "category",
        flex: 3,
        minWidth: 304,
        valueGetter: (p) => p.data?.why || "",
        cellClass: "cell-lines",
        cellRenderer: (p) => p.value ? lines(p.value, "lines-3") : "",
      },
      { ...TEXTS, colId: "answering", field: "answering", width: 104 },
      { ...TEXTS, colId: "condition", field: "condition", width: 84 },
      { ...TEXTS, colId: "judge", field: "judge", width: 96 },
      { ...NUMBERS, colId: "replicate", field: "replicate", width: 72 },
      { ...NUMBERS, colId: "judge_replicate", field: "judge_replicate", width: 84 },
      {
        ...NUMBERS,
        colId: "seconds",
        headerTooltip: told.seconds,
        width: 74,
        valueGetter: (p) => formatSeconds(p.data?.seconds),
      },
      {
        ...NUMBERS,
        colId: "tokens",
        headerTooltip: told.tokens,
        width: 88,
        valueGetter: (p) => formatInteger(p.data?.tokens),
      },
      {
        ...TEXTS,
        colId: "keywords",
        sortable: false,
        flex: 1,
        minWidth: 110,
        valueGetter: (p) => p.data?.keywords.join(", "),
      },
    ];
    const named = (/** @type {any} */ def) => ({ ...def, headerName: titles[def.colId], hide: !(def.colId in titles) });
    this.api.setGridOption("columnDefs", defs.map(named));
  }

  /**
   * Show another filter in the same order.
   * @param {string} query
   */
  show(query) {
    const wanted = keepOrder(query, this.#query), search = this.searchBox;
    if (search && search === document.activeElement) setSearch(wanted, search.value); // typed on, since this was sent
    this.#narrow(wanted);
  }

  /** @param {URLSearchParams} wanted */
  #narrow(wanted) {
    if (isSameQuery(wanted, this.#query)) return;
    this.#query = wanted.toString();
    if (this.api.getDisplayedRowCount()) this.api.ensureIndexVisible(0);
    this.api.purgeInfiniteCache();
  }

  /** @override */
  get searchBox() {
    return /** @type {HTMLInputElement | null} */ (document.querySelector(".results-search input"));
  }

  /** The search answers before the server hears of what is typed. */
  #searchSoon() {
    let waiting = 0;
    this.searchAtOnce((text) => {
      clearTimeout(waiting);
      waiting = setTimeout(() => {
        if (!this.api.isDestroyed()) this.#narrow(setSearch(new URLSearchParams(this.#query), text));
      }, PAUSE);
    });
  }

  /** @param {object[]} jobs above the results, while a run is going */
  showJobs(jobs) {
    this.api.setGridOption("pinnedTopRowData", jobs);
    this.showEmptiness(this.api.getDisplayedRowCount());
  }

  /** @param {string} kind of file, with exactly what the filter shows */
  download(kind) {
    window.exportFile(`/api/runs/${this.run}/export.${kind}${this.#suffix}`);
  }
}

// ---- questions by model

const FEW = 4; // columns beside which questions need not stay in sight

class Matrix extends ServedTable {
  /** @type {Model[]} */
  #models = [];
  /** @type {string | null} */
  #headers = null;

  /**
   * @param {any} component the grid
   * @param {number} run
   * @param {Looks} told
   * @param {number | null} counted greatest id of the results that the page counts
   */
  constructor(component, run, told, counted) {
    super(component, run);
    looks = told;
    last = { run, id: counted };
    this.fill(({ startRow, endRow, sortModel }) => {
      const asked = new URLSearchParams({ order: JSON.stringify(this.#order(sortModel)) });
      return fetchJson(`/api/runs/${run}/matrix?start=${startRow}&end=${endRow}&${asked}${untilQuery(run)}`);
    }, (found) => this.#setColumns(found));
  }

  /** @param {{ columns: Model[], about: string }} found */
  #setColumns({ columns: models, about }) {
    this.#models = models;
    const names = [about, ...models.map(({ group, title }) => group + "\t" + title)].join("\n");
    if (names === this.#headers) return;
    this.#headers = names;
    const place = this.inSection(".matrix-about");
    if (place) place.textContent = about;
    const question = {
      ...TEXTS,
      colId: "question",
      headerName: "Question",
      field: "question",
      minWidth: 300,
      // Both cases set the same properties, because a column keeps those that are not set.
      ...(models.length > FEW ? { pinned: "left", width: 312, flex: null } : { pinned: null, flex: 1 }),
    };
    this.api.setGridOption("columnDefs", [question, ...this.#groups()]);
  }

  /** The columns below the names that neighbors share, if there are any. */
  #groups() {
    /** @type {Column[]} */
    const made = [];
    for (const [i, model] of this.#models.entries()) {
      const column = this.#column(model, i), group = made.at(-1);
      if (!model.group) made.push(column);
      else if (group?.children && group.headerName === model.group) group.children.push(column);
      else made.push({ headerName: model.group, headerTooltip: model.group, children: [column] });
    }
    return made;
  }

  /**
   * @param {Model} model
   * @param {number} i
   * @returns {Column}
   */
  #column(model, i) {
    return {
      colId: "m" + i,
      headerName: model.title,
      headerTooltip: model.title,
      wrapHeaderText: !model.group, // a name of two lines, or two names
      width: Math.min(150, Math.max(96, 24 + 7 * model.title.length)),
      cellRenderer: (p) => p.data?.cells[i] ? cell(this, p.data.id, model, p.data.cells[i]) : "",
    };
  }

  /** @param {{ colId: string, sort: string }[]} sorted */
  #order([sorted]) {
    if (!sorted) return {};
    const descending = sorted.sort === "desc";
    if (sorted.colId === "question") return { key: "question", descending };
    const { answering, judge, condition } = this.#models[Number(sorted.colId.slice(1))];
    return { key: "share", descending, answering, judge, condition };
  }
}

/**
 * @param {Matrix} matrix
 * @param {string} question
 * @param {Model} model
 * @param {Cell} results
 */
function cell(matrix, question, model, results) {
  const { passed, judged, left_out, score } = results;
  const kind = cellLook(results), [glyph, word] = looks[kind];
  const wanted = {
    model: model.answering,
    question,
    ...(model.shown && model.judge ? { judge: model.judge } : {}),
    ...(model.condition ? { condition: model.condition } : {}),
  };
  const made = link(
    `/runs/${matrix.run}/results?${new URLSearchParams(wanted)}`,
    "",
    score ? "matrix matrix-score" : "matrix outcome outcome-" + kind,
  );
  if (score) made.append(score.text, element("span", "matrix-more", "n = " + score.n));
  else made.append(icon(glyph), judged > 1 ? passed + " of " + judged : word);
  if (judged && left_out) made.append(element("span", "matrix-more", "+" + left_out));
  made.title = cellTitle(results, word);
  return made;
}

// ---- all runs

/** A column that cuts its names after two lines; a tooltip says them whole. */
const NAMES = { ...TEXTS, tooltipValueGetter: (/** @type {any} */ p) => p.value };

class RunList extends Table {
  #benchmark;

  /**
   * @param {any} component the grid
   * @param {number | null} benchmark whose runs; null: all
   * @param {Record<string, string>} told of the columns
   */
  constructor(component, benchmark, told) {
    super(component);
    this.#benchmark = benchmark;
    this.#setColumns(told);
    openPages(this.api, runPath);
  }

  async start() {
    const isOvertaken = this.begin();
    /** @type {{ conditions: string }[]} */
    const runs = await fetchJson("/api/runs" + (this.#benchmark ? "?benchmark=" + this.#benchmark : ""));
    if (isOvertaken()) return;
    this.draw(runs);
    this.api.setColumnsVisible(["conditions"], runs.some((run) => run.conditions));
  }

  /** @param {Record<string, string>} told of the columns */
  #setColumns(told) {
    // What such a cell says is more than its value, by which it is sorted: 8 of 10 and 4 of 5 are the same.
    const toldAnew = { equals: () => false };
    /** @type {Column[]} */
    const columns = [
      {
        headerName: "Run",
        field: "name",
        flex: 2,
        minWidth: 150,
        cellClass: "cell-lines",
        cellRenderer: (p) => runName(p.data, runPath(p.data)),
      },
      { ...NAMES, headerName: "Benchmark", field: "benchmark_name", flex: 2, minWidth: 130 },
      {
        ...NAMES,
        colId: "conditions",
        headerName: "Conditions",
        field: "conditions",
        flex: 1,
        minWidth: 110,
        hide: true,
      },
      {
        headerName: "Started",
        cellClass: "cell-lines",
        width: 156,
        valueGetter: (p) => p.data.started,
        valueFormatter: (p) => p.data.when,
      },
      {
        ...toldAnew,
        headerName: "Status",
        field: "status",
        width: 166,
        cellClass: "cell-lines",
        cellRenderer: (p) =>
          element("span", "run-status one-line small strong run-status-" + p.data.status_look, p.data.status_title),
      },
      {
        ...toldAnew,
        headerName: "Jobs",
        headerTooltip: told.jobs,
        width: 86,
        ...NUMBERS,
        valueGetter: (p) => p.data.done / Math.max(1, p.data.total),
        valueFormatter: (p) => formatInteger(p.data.done) + " of " + formatInteger(p.data.total),
      },
      // A count: a rate of all models together would be weighed otherwise than those of the run's page.
      {
        ...toldAnew,
        headerName: "Results passed",
        headerTooltip: told.passed,
        width: 112,
        ...NUMBERS,
        valueGetter: (p) => p.data.judged ? p.data.passed / p.data.judged : -1,
        valueFormatter: (p) =>
          p.data.judged ? formatInteger(p.data.passed) + " of " + formatInteger(p.data.judged) : "–",
      },
      {
        headerName: "Errors",
        headerTooltip: told.errors,
        width: 66,
        ...NUMBERS,
        field: "errors",
        valueFormatter: (p) => p.value || "",
      },
      { ...NAMES, headerName: "Models", field: "models", flex: 1, minWidth: 102 },
    ];
    this.api.setGridOption("columnDefs", columns);
  }
}

/** @param {Row} row */
const runPath = (row) => "/runs/" + row.id;

/**
 * @param {{ name: string, recording_label?: string, origin?: string, version?: string }} row
 * @param {string} path
 */
function runName(row, path) {
  const made = element("span", "results-name line wraps shrinks gap-4", link(path, row.name));
  if (row.recording_label) made.append(chip(row.recording_label));
  if (row.origin) made.append(chip("Imported from " + row.origin));
  if (row.version) made.append(chip(row.version));
  return made;
}

/** A narrow column cuts its text, which its tooltip says whole. @param {string} text */
function chip(text) {
  const made = element("span", "chip", text);
  made.title = text;
  return made;
}

// ---- questions to pick for a run

class QuestionPicker extends Table {
  #benchmark;
  #chosen;

  /**
   * @param {any} component the grid
   * @param {number} benchmark
   * @param {number[]} chosen
   */
  constructor(component, benchmark, chosen) {
    super(component);
    this.#benchmark = benchmark;
    this.#chosen = new Set(chosen);
    this.api.updateGridOptions({
      columnDefs: [
        { headerName: "Question", field: "question", flex: 1, minWidth: 160 },
        { headerName: "Keywords", field: "keywords", width: 150 },
        { headerName: "Status", width: 110, valueGetter: (p) => (p.data.finished ? "finished" : "unfinished") },
      ],
      rowSelection: { mode: "multiRow", enableClickSelection: true, enableSelectionWithoutKeys: true },
    });
  }

  async start() {
    // Where they don't come, the benchmark was deleted, of which the page speaks.
    if (!(await this.load(`/api/benchmarks/${this.#benchmark}/questions`))) return;
    this.api.forEachNode((node) => {
      if (this.#chosen.has(node.data.number)) node.setSelected(true);
    });
    this.api.addEventListener("selectionChanged", () => this.tellChosen());
  }
}

export const { attach: results, call } = serve(ResultsTable);
export const { attach: matrix } = serve(Matrix);
export const { attach: runs } = serve(RunList);
export const { attach: pick } = serve(QuestionPicker);
