// @ts-check
// Tables of runs, of one run's results, and of questions by model. Rows are fetched; cells are built as text.
import { clearOnEscape, element, icon, link } from "karenina/dom.js";
import { address, fetchJson } from "karenina/fetch.js";
import { formatCountOf, formatInteger, formatSeconds } from "karenina/format.js";
import { onOpen, waitForGrid } from "karenina/grids.js";
import { cellLook, cellTitle, columnOrder, isSameQuery, keepOrder, setSearch, withOrder } from "karenina/results.js";

/** @typedef {GridApi} Grid */
/** @typedef {import("karenina/results.js").Cell} Cell */
/**
 * @typedef {{
 *   title: string, answering: string, judge: string, condition: string, shown: boolean
 * }} Model a column; `shown`: whether the judge is told
 */
/** @typedef {{ id: number }} Row */
/** @typedef {Record<string, [glyph: string, word: string]>} Looks of each outcome its icon and its word */

/** @param {string} path */
const open = (path) => emitEvent("sub_pages_navigate", path);

/**
 * @param {number} grid
 * @returns {Promise<Grid | undefined>} undefined: the page was left meanwhile
 */
const waitForApi = async (grid) => (await waitForGrid(grid))?.api;

/** @type {Looks} as the page tells them */
let looks = {};

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

// ---- one run's results: rows, order and filter live on the server, the address says which

/** @type {{ api: Grid, run: number, query: string } | null} the one results table of this window */
let shown = null;
/**
 * Greatest id of the results that the page counts, so that its tables show these and no others; null: all.
 * @type {{ run: number | null, id: number | null | undefined }}
 */
let last = { run: null, id: null };
/** @param {number} run */
const untilQuery = (run) => (last.run !== run || last.id == null ? "" : "&last=" + last.id);
let drawTable = () => {};
const tableDrawn = new Promise((done) => {
  drawTable = () => setTimeout(done);
});
const PAUSE = 80; // ms without a further key before what is typed is looked for

/**
 * @param {number} grid its number, as of the other tables
 * @param {number} run
 * @param {string} query
 * @param {any} columns which there are, and what is said of them
 */
export async function results(grid, run, query, columns) {
  const api = await waitForApi(grid);
  if (!api) return;
  const state = (shown = { api, run, query });
  looks = columns.looks;
  // What is counted may have been told before the table was there.
  const counted = last.run === run && columns.last != null ? Math.max(last.id ?? 0, columns.last) : columns.last;
  last = { run, id: counted };
  const page = "/runs/" + run;
  const queryPart = () => (state.query ? "?" + state.query : "");
  const pagePath = (/** @type {Row} */ row) => page + "/results/" + row.id + queryPart();
  api.setGridOption("columnDefs", [
    {
      colId: "outcome",
      headerName: "Outcome",
      width: 116,
      cellRenderer: (p) => p.data ? outcome(p.data.look, p.data.verdict) : "",
    },
    {
      colId: "question",
      headerName: "Question",
      flex: 3,
      minWidth: 150,
      cellRenderer: (p) =>
        !p.data ? "" : p.node.rowPinned ? p.data.question_text : link(pagePath(p.data), p.data.question_text),
    },
    {
      colId: "category",
      headerName: columns.scores ? "Scores or reason" : "Why",
      flex: 3,
      minWidth: 108,
      valueGetter: (p) => p.data?.why || "",
      tooltipValueGetter: (p) => p.data?.why,
    },
    { colId: "answering", headerName: "Model", field: "answering", width: 122 },
    { colId: "condition", headerName: "Condition", field: "condition", width: 122, hide: !columns.condition },
    { colId: "judge", headerName: "Judge", field: "judge", width: 120, hide: !columns.judge },
    {
      colId: "replicate",
      headerName: "Replicate",
      field: "replicate",
      width: 92,
      hide: !columns.replicate,
      type: "rightAligned",
    },
    {
      colId: "judge_replicate",
      headerName: "Judgment",
      field: "judge_replicate",
      width: 92,
      hide: !columns.judge_replicate,
      type: "rightAligned",
    },
    {
      colId: "keywords",
      headerName: "Keywords",
      sortable: false,
      flex: 1,
      minWidth: 74,
      valueGetter: (p) => p.data?.keywords.join(", "),
    },
    {
      colId: "seconds",
      headerName: "Time",
      headerTooltip: columns.told.seconds,
      width: 74,
      type: "rightAligned",
      valueGetter: (p) => formatSeconds(p.data?.seconds),
    },
    {
      colId: "tokens",
      headerName: "Tokens",
      headerTooltip: columns.told.tokens,
      width: 88,
      type: "rightAligned",
      valueGetter: (p) => formatInteger(p.data?.tokens),
    },
  ]);
  const order = columnOrder(query);
  if (order.length) api.applyColumnState({ state: order });
  openPages(api, pagePath);
  fill(api, ({ startRow, endRow, sortModel }) => {
    state.query = withOrder(state.query, sortModel);
    const here = page + queryPart();
    if (location.pathname === address(page)) history.replaceState({ page: here }, "", address(here));
    return fetchJson(`/api${page}/results?start=${startRow}&end=${endRow}${untilQuery(run)}&${state.query}`);
  }, ({ total, all }) => {
    const place = document.getElementById("results-count");
    if (place) place.textContent = formatCountOf(total, all) + (all === 1 ? " result" : " results");
    drawTable();
  });
  searchAtOnce();
}

/**
 * Let the server filter, sort, and cut the rows of a grid.
 * @param {Grid} api
 * @param {(asked: { startRow: number, endRow: number, sortModel: any }) => Promise<any>} find
 * @param {(found: any) => void} look sees each part before its rows are drawn
 */
function fill(api, find, look) {
  api.setGridOption("datasource", {
    async getRows(p) {
      try {
        const found = await find(p);
        if (api.isDestroyed()) return; // the page was left meanwhile
        look(found);
        p.successCallback(found.rows, found.total);
        showEmptiness(api, found.total);
      } catch {
        if (!api.isDestroyed()) p.failCallback();
      }
    },
  });
}

/**
 * Say that a grid has no rows, unless jobs are running: their rows stand where the words would be.
 * @param {Grid} api
 * @param {number} total
 */
function showEmptiness(api, total) {
  total || api.getPinnedTopRowCount() ? api.hideOverlay() : api.showNoRowsOverlay();
}

/**
 * Show another filter in the same order.
 * @param {string} query
 */
export function show(query) {
  if (!shown || shown.api.isDestroyed()) return;
  const wanted = keepOrder(query, shown.query), search = searchBox();
  if (search && search === document.activeElement) setSearch(wanted, search.value); // typed on, since this was sent
  narrow(wanted);
}

/** @param {URLSearchParams} wanted */
function narrow(wanted) {
  if (!shown || isSameQuery(wanted, shown.query)) return;
  shown.query = wanted.toString();
  if (shown.api.getDisplayedRowCount()) shown.api.ensureIndexVisible(0);
  shown.api.purgeInfiniteCache();
}

const searchBox = () => /** @type {HTMLInputElement | null} */ (document.querySelector(".results-search input"));

/** The search answers before the server hears of what is typed. */
function searchAtOnce() {
  const search = searchBox();
  let waiting = 0;
  search?.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      if (!shown || shown.api.isDestroyed()) return;
      narrow(setSearch(new URLSearchParams(shown.query), search.value));
    }, PAUSE);
  });
  clearOnEscape(search);
}

/**
 * Load new results.
 * @param {number} run
 * @param {number} counted greatest id of those that the page counts
 */
export function refresh(run, counted) {
  last = { run, id: counted };
  if (shown && !shown.api.isDestroyed()) shown.api.refreshInfiniteCache();
  refreshMatrix?.();
}

/** @param {object[]} jobs above the results, while a run is going */
export function showJobs(jobs) {
  if (!shown || shown.api.isDestroyed()) return;
  shown.api.setGridOption("pinnedTopRowData", jobs);
  showEmptiness(shown.api, shown.api.getDisplayedRowCount());
}

/** @param {string} kind of file, with exactly what the filter shows */
export function download(kind) {
  if (shown) window.exportFile(`/api/runs/${shown.run}/export.${kind}` + (shown.query ? "?" + shown.query : ""));
}

// ---- questions by model

/** @type {(() => void) | null} */
let refreshMatrix = null;

/**
 * @param {number} grid
 * @param {number} run
 * @param {Looks} told
 */
export async function matrix(grid, run, told) {
  const api = await waitForApi(grid);
  if (!api) return;
  looks = told;
  /** @type {Model[]} */
  let models = [];
  /** @type {string | null} */
  let headers = null;
  /** @type {(model: Model, i: number) => Column} */
  const column = (model, i) => ({
    colId: "m" + i,
    headerName: model.title,
    headerTooltip: model.title,
    wrapHeaderText: true,
    autoHeaderHeight: true,
    width: models.length > 3 ? 104 : 124,
    cellRenderer: (p) => p.data?.cells[i] ? cell(run, p.data.id, model, p.data.cells[i], grid) : "",
  });
  const draw = (/** @type {{ columns: Model[], score: string }} */ { columns: found, score }) => {
    models = found;
    const columns = models.map(column);
    const names = [score, ...columns.map((each) => each.headerName)].join("\n");
    const every = [
      { colId: "question", headerName: "Question", field: "question", flex: 1, minWidth: 140 },
      ...columns,
    ];
    if (names !== headers) { // where traits alone were rated, a line above all columns says what the cells are
      api.setGridOption("columnDefs", score ? [{ headerName: score, headerTooltip: score, children: every }] : every);
    }
    headers = names;
  };
  const order = (/** @type {{ colId: string, sort: string }[]} */ [sorted]) => {
    if (!sorted) return {};
    const descending = sorted.sort === "desc";
    if (sorted.colId === "question") return { key: "question", descending };
    const { answering, judge, condition } = models[Number(sorted.colId.slice(1))];
    return { key: "share", descending, answering, judge, condition };
  };
  fill(api, async (p) => {
    await tableDrawn; // which is looked at first
    const asked = new URLSearchParams({ order: JSON.stringify(order(p.sortModel)) });
    return fetchJson(`/api/runs/${run}/matrix?start=${p.startRow}&end=${p.endRow}&${asked}${untilQuery(run)}`);
  }, draw);
  refreshMatrix = () => {
    if (!api.isDestroyed()) api.refreshInfiniteCache();
  };
}

/**
 * @param {number} run
 * @param {string} question
 * @param {Model} model
 * @param {Cell} results
 * @param {number} grid
 */
function cell(run, question, model, results, grid) {
  const { passed, judged, left_out, score } = results;
  const kind = cellLook(results), [glyph, word] = looks[kind];
  const wanted = {
    model: model.answering,
    question,
    ...(model.shown && model.judge ? { judge: model.judge } : {}),
    ...(model.condition ? { condition: model.condition } : {}),
  };
  const made = link(
    `/runs/${run}?${new URLSearchParams(wanted)}`,
    "",
    score ? "matrix matrix-score" : "matrix outcome outcome-" + kind,
  );
  if (score) made.append(score.text, element("span", "matrix-more", "n = " + score.n));
  else made.append(icon(glyph), judged > 1 ? passed + " of " + judged : word);
  if (judged && left_out) made.append(element("span", "matrix-more", "+" + left_out));
  made.title = cellTitle(results, word);
  made.addEventListener("click", (e) => {
    if (e.metaKey || e.ctrlKey || e.shiftKey) return;
    e.preventDefault();
    e.stopPropagation(); // the table below narrows itself to these results; a new window would load them by the address
    getElement(grid).$emit("narrow", wanted);
  });
  return made;
}

// ---- all runs

/** @type {(() => Promise<void>) | null} */
let reloadRuns = null;

/**
 * @param {number} grid
 * @param {number | null} benchmark whose runs; null: all
 * @param {Record<string, string>} told of the columns
 */
export async function runs(grid, benchmark, told) {
  const api = await waitForApi(grid);
  if (!api) return;
  const pagePath = (/** @type {Row} */ row) => "/runs/" + row.id;
  // What such a cell says is more than its value, by which it is sorted: 8 of 10 and 4 of 5 are the same.
  const toldAnew = { equals: () => false };
  api.setGridOption("columnDefs", [
    {
      headerName: "Run",
      field: "name",
      flex: 2,
      minWidth: 214,
      cellRenderer: (p) => runName(p.data, pagePath(p.data)),
    },
    { headerName: "Benchmark", field: "benchmark_name", flex: 1, minWidth: 90 },
    {
      ...toldAnew,
      headerName: "Status",
      field: "status",
      width: 168,
      cellRenderer: (p) =>
        element("span", "run-status one-line small strong run-status-" + p.data.status_look, p.data.status_title),
    },
    {
      ...toldAnew,
      headerName: "Jobs",
      headerTooltip: told.jobs,
      width: 96,
      type: "rightAligned",
      valueGetter: (p) => p.data.done / Math.max(1, p.data.total),
      valueFormatter: (p) => formatInteger(p.data.done) + " of " + formatInteger(p.data.total),
    },
    // A count: a rate of all models together would be weighed otherwise than those of the run's page.
    {
      ...toldAnew,
      headerName: "Results passed",
      headerTooltip: told.passed,
      width: 128,
      type: "rightAligned",
      valueGetter: (p) => p.data.judged ? p.data.passed / p.data.judged : -1,
      valueFormatter: (p) => p.data.judged ? formatInteger(p.data.passed) + " of " + formatInteger(p.data.judged) : "–",
    },
    {
      headerName: "Errors",
      headerTooltip: told.errors,
      width: 66,
      type: "rightAligned",
      field: "errors",
      valueFormatter: (p) => p.value || "",
    },
    { headerName: "Models", field: "models", flex: 1, minWidth: 90 },
    { colId: "conditions", headerName: "Conditions", field: "conditions", flex: 1, minWidth: 90, hide: true },
    {
      headerName: "Started",
      width: 130,
      valueGetter: (p) => p.data.started,
      valueFormatter: (p) => p.data.when,
    },
  ]);
  openPages(api, pagePath);
  const load = async () => {
    if (api.isDestroyed()) return;
    /** @type {{ conditions: string }[]} */
    const found = await fetchJson("/api/runs" + (benchmark ? "?benchmark=" + benchmark : ""));
    if (api.isDestroyed()) return;
    api.setGridOption("rowData", found);
    api.setColumnsVisible(["conditions"], found.some((run) => run.conditions));
    api.setGridOption("loading", false);
  };
  reloadRuns = load;
  await load();
}

export function reload() {
  reloadRuns?.();
}

/**
 * @param {{ name: string, recording_label?: string, origin?: string, version?: string }} row
 * @param {string} path
 */
function runName(row, path) {
  const made = element("span", "results-name line shrinks gap-8", link(path, row.name));
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

/**
 * @param {number} grid
 * @param {number} benchmark
 * @param {number[]} chosen
 */
export async function pick(grid, benchmark, chosen) {
  const api = await waitForApi(grid);
  if (!api) return;
  const found = await fetchJson(`/api/benchmarks/${benchmark}/questions`).catch(() => null);
  if (!found || api.isDestroyed()) return; // the benchmark was deleted, of which the page speaks, or the page was left
  api.updateGridOptions({
    columnDefs: [
      { headerName: "Question", field: "question", flex: 1, minWidth: 160 },
      { headerName: "Keywords", field: "keywords", width: 150 },
      { headerName: "Status", width: 110, valueGetter: (p) => (p.data.finished ? "finished" : "unfinished") },
    ],
    rowSelection: { mode: "multiRow", enableClickSelection: true, enableSelectionWithoutKeys: true },
    rowData: found.rows,
    loading: false,
  });
  const before = new Set(chosen);
  api.forEachNode((node) => {
    if (before.has(node.data.number)) node.setSelected(true);
  });
  api.addEventListener(
    "selectionChanged",
    () => getElement(grid).$emit("picked", api.getSelectedRows().map((row) => row.number)),
  );
}
