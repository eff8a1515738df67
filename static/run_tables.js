// The tables of runs, of one run's results, and of questions by model. Rows come by fetch; cells are built as text.
const base = () => window.path_prefix || "";
const open = (path) => emitEvent("sub_pages_navigate", path);

const plain = { resizable: true, sortable: true, suppressHeaderMenuButton: true };

let looks = {}; // of each outcome its icon and its word, as the page tells them

function element(name, looks, ...content) {
  const made = document.createElement(name);
  if (looks) made.className = looks;
  made.append(...content);
  return made;
}

function icon(name) {
  const made = element("i", "q-icon material-icons notranslate", name);
  made.ariaHidden = "true";
  return made;
}

function outcome(name, told) {
  const [glyph, word] = looks[name] || ["help", name];
  return element("span", "oc oc-" + name, icon(glyph), told || word);
}

function link(path, text) {
  const made = element("a", "rt-link", text);
  made.href = path;
  return made;
}

async function rows(path) {
  const ahead = window.ahead?.[path]; // asked for by the page itself, see `fetch_ahead`
  delete window.ahead?.[path];
  let reply = await ahead?.catch(() => null);
  if (!reply?.ok) reply = await fetch(base() + path);
  if (!reply.ok) throw new Error(reply.statusText);
  return reply.json();
}

function byKey(address) {
  return (e) => {
    if (e.event.key === "Enter" && e.node.data && !e.node.rowPinned && !e.event.target.closest("a")) {
      open(address(e.node.data));
    }
  };
}

const seconds = (value) =>
  value == null ? "" : value < 1 ? Math.round(value * 1000) + " ms" : value.toFixed(value < 10 ? 2 : 1) + " s";
const whole = (value) => value == null ? "" : value.toLocaleString("en-US");

// ---- one run's results: rows, order and filter live on the server, the address says which

let shown = null; // the one results table of this window
// Greatest id of the results that the page counts, so that its tables show these and no others; null: all.
let last = { run: null, id: null };
const until = (run) => (last.run !== run || last.id == null ? "" : "&last=" + last.id);
let drawTable;
const tableDrawn = new Promise((done) => {
  drawTable = () => setTimeout(done);
});
const PAUSE = 80; // ms without a further key before what is typed is looked for

export function results(api, run, query, columns) {
  const state = (shown = { api, run, query });
  looks = columns.looks;
  // What is counted may have been told before the table was there.
  const told = last.run === run && last.id != null && columns.last != null;
  last = { run, id: told ? Math.max(last.id, columns.last) : columns.last };
  const page = () => "/runs/" + run;
  const address = (row) => page() + "/results/" + row.id + (state.query ? "?" + state.query : "");
  api.setGridOption("columnDefs", [
    {
      ...plain,
      colId: "outcome",
      headerName: "Verdict",
      width: 116,
      cellRenderer: (p) => p.data ? outcome(p.data.look, p.data.verdict) : "",
    },
    {
      ...plain,
      colId: "question",
      headerName: "Question",
      flex: 3,
      minWidth: 170,
      cellRenderer: (p) =>
        !p.data ? "" : p.node.rowPinned ? p.data.question_text : link(address(p.data), p.data.question_text),
    },
    {
      ...plain,
      colId: "category",
      headerName: columns.scores ? "Scores or reason" : "Why",
      flex: 3,
      minWidth: 190,
      valueGetter: (p) => p.data?.why || "",
      tooltipValueGetter: (p) => p.data?.why,
    },
    { ...plain, colId: "answering", headerName: "Model", field: "answering", width: 122 },
    { ...plain, colId: "condition", headerName: "Condition", field: "condition", width: 122, hide: !columns.condition },
    { ...plain, colId: "judge", headerName: "Judge", field: "judge", width: 120, hide: !columns.judge },
    {
      ...plain,
      colId: "replicate",
      headerName: "Replicate",
      field: "replicate",
      width: 92,
      hide: !columns.replicate,
      type: "rightAligned",
    },
    {
      ...plain,
      colId: "judge_replicate",
      headerName: "Judgment",
      field: "judge_replicate",
      width: 92,
      hide: !columns.judge_replicate,
      type: "rightAligned",
    },
    {
      ...plain,
      colId: "keywords",
      headerName: "Keywords",
      sortable: false,
      flex: 1,
      minWidth: 80,
      valueGetter: (p) => p.data?.keywords.join(", "),
    },
    {
      ...plain,
      colId: "seconds",
      headerName: "Time",
      headerTooltip: columns.told.seconds,
      width: 74,
      type: "rightAligned",
      valueGetter: (p) => seconds(p.data?.seconds),
    },
    {
      ...plain,
      colId: "tokens",
      headerName: "Tokens",
      headerTooltip: columns.told.tokens,
      width: 76,
      type: "rightAligned",
      valueGetter: (p) => whole(p.data?.tokens),
    },
  ]);
  const order = new URLSearchParams(query).get("sort");
  if (order) {
    api.applyColumnState({ state: [{ colId: order.replace(/^-/, ""), sort: order[0] === "-" ? "desc" : "asc" }] });
  }
  api.addEventListener("rowClicked", (e) => {
    if (
      e.node.data && !e.node.rowPinned && !e.event.defaultPrevented && !e.event.target.closest("a") &&
      !String(getSelection())
    ) open(address(e.node.data));
  });
  api.addEventListener("cellKeyDown", byKey(address));
  fill(api, (p) => {
    const wanted = new URLSearchParams(state.query);
    wanted.delete("sort");
    if (p.sortModel.length) wanted.set("sort", (p.sortModel[0].sort === "desc" ? "-" : "") + p.sortModel[0].colId);
    state.query = wanted.toString();
    const here = page() + (state.query ? "?" + state.query : "");
    if (location.pathname === base() + page()) history.replaceState({ page: here }, "", base() + here);
    return rows("/api" + page() + "/results?start=" + p.startRow + "&end=" + p.endRow + until(run) + "&" + state.query);
  }, (found) => {
    counted(found.total, found.all);
    drawTable();
  });
  searchAtOnce();
}

// Rows that the server filters, sorts and cuts; `look` sees each part before its rows are drawn.
function fill(api, fetched, look) {
  api.setGridOption("datasource", {
    async getRows(p) {
      try {
        const found = await fetched(p);
        if (api.isDestroyed()) return; // the page was left meanwhile
        look(found);
        p.successCallback(found.rows, found.total);
        found.total ? api.hideOverlay() : api.showNoRowsOverlay();
      } catch (problem) {
        if (!api.isDestroyed()) p.failCallback();
      }
    },
  });
}

export function show(query) { // another filter; the order stays
  if (!shown || shown.api.isDestroyed()) return;
  const wanted = new URLSearchParams(query), order = new URLSearchParams(shown.query).get("sort");
  if (order) wanted.set("sort", order);
  const search = searchBox();
  if (search && search === document.activeElement) sought(wanted, search.value); // typed on, since this was sent
  narrow(wanted);
}

function narrow(wanted) {
  const order = (query) => [...new URLSearchParams(query)].sort().join("\n");
  if (order(wanted) === order(shown.query)) return; // it is shown already
  shown.query = wanted.toString();
  if (shown.api.getDisplayedRowCount()) shown.api.ensureIndexVisible(0);
  shown.api.purgeInfiniteCache();
}

const searchBox = () => document.querySelector(".rt-search input");

function sought(wanted, text) {
  text.trim() ? wanted.set("text", text) : wanted.delete("text");
}

// The search answers before the server hears of what is typed; Escape empties it.
function searchAtOnce() {
  const search = searchBox();
  let waiting;
  search?.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      if (!shown || shown.api.isDestroyed()) return;
      const wanted = new URLSearchParams(shown.query);
      sought(wanted, search.value);
      narrow(wanted);
    }, PAUSE);
  });
  search?.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !search.value) return;
    event.preventDefault();
    search.value = "";
    search.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

export function refresh(run, counted) { // new results have come, and are counted up to this one
  last = { run, id: counted };
  if (shown && !shown.api.isDestroyed()) shown.api.refreshInfiniteCache();
  drawn?.();
}

export function underWay(jobs) { // above the results, while a run is going
  if (shown && !shown.api.isDestroyed()) shown.api.setGridOption("pinnedTopRowData", jobs);
}

export function download(kind) { // exactly what the filter shows
  exportFile("/api/runs/" + shown.run + "/export." + kind + (shown.query ? "?" + shown.query : ""));
}

function counted(total, all) {
  const place = document.getElementById("results-count");
  const noun = all === 1 ? " result" : " results";
  if (place) place.textContent = (total === all ? "" : whole(total) + " of ") + whole(all) + noun;
}

// ---- questions by model

export function matrix(api, run, told, grid) {
  looks = told;
  let models = [], headers = null;
  const column = (model, i) => ({
    ...plain,
    colId: "m" + i,
    headerName: model.title,
    headerTooltip: model.title,
    wrapHeaderText: true,
    autoHeaderHeight: true,
    width: models.length > 3 ? 104 : 124,
    cellRenderer: (p) => p.data?.cells[i] ? cell(run, p.data.id, model, p.data.cells[i], grid) : "",
  });
  const draw = ({ columns: found, score }) => {
    models = found;
    const columns = models.map(column);
    const names = [score, ...columns.map((each) => each.headerName)].join("\n");
    const every = [
      { ...plain, colId: "question", headerName: "Question", field: "question", flex: 1, minWidth: 140 },
      ...columns,
    ];
    if (names !== headers) { // where traits alone were rated, a line above all columns says what the cells are
      api.setGridOption("columnDefs", score ? [{ headerName: score, headerTooltip: score, children: every }] : every);
    }
    headers = names;
  };
  const order = ([sorted]) => {
    if (!sorted) return {};
    const descending = sorted.sort === "desc";
    if (sorted.colId === "question") return { key: "question", descending };
    const { answering, judge, condition } = models[Number(sorted.colId.slice(1))];
    return { key: "share", descending, answering, judge, condition };
  };
  fill(api, async (p) => {
    await tableDrawn; // which is looked at first
    const asked = new URLSearchParams({ start: p.startRow, end: p.endRow, order: JSON.stringify(order(p.sortModel)) });
    return rows("/api/runs/" + run + "/matrix?" + asked + until(run));
  }, draw);
  drawn = () => {
    if (!api.isDestroyed()) api.refreshInfiniteCache();
  };
}

let drawn = null;

function cell(run, question, model, { passed, judged, left_out, outcome: other, score }, grid) {
  const varies = passed && passed < judged;
  const kind = varies ? "varies" : judged && passed === judged ? "passed" : other;
  const [glyph, word] = looks[kind];
  const wanted = {
    model: model.answering,
    question,
    ...(model.shown && model.judge ? { judge: model.judge } : {}),
    ...(model.condition ? { condition: model.condition } : {}),
  };
  const made = link("/runs/" + run + "?" + new URLSearchParams(wanted), "");
  made.className = score ? "mx mx-score" : "mx oc oc-" + kind;
  if (score) made.append(score.text, element("span", "mx-more", "n = " + score.n));
  else made.append(icon(glyph), judged > 1 ? passed + " of " + judged : word);
  if (judged && left_out) made.append(element("span", "mx-more", "+" + left_out));
  made.title = score
    ? score.text + ", n = " + score.n
    : kind === "scored"
    ? "Evaluated by traits only"
    : word + ": " + passed + " of " + judged + " passed" + (left_out ? ", " + left_out + " without a verdict" : "");
  made.addEventListener("click", (e) => {
    if (e.metaKey || e.ctrlKey || e.shiftKey) return;
    e.preventDefault();
    e.stopPropagation(); // the table below narrows itself to these results; a new window would load them by the address
    getElement(grid).$emit("narrow", wanted);
  });
  return made;
}

// ---- all runs

export async function runs(api, benchmark, told) {
  const address = (row) => "/runs/" + row.id;
  // What such a cell says is more than its value, by which it is sorted: 8 of 10 and 4 of 5 are the same.
  const toldAnew = { ...plain, equals: () => false };
  api.setGridOption("columnDefs", [
    {
      ...plain,
      headerName: "Run",
      field: "name",
      flex: 2,
      minWidth: 190,
      cellRenderer: (p) => named(p.data, address(p.data)),
    },
    { ...plain, headerName: "Benchmark", field: "benchmark_name", flex: 1, minWidth: 90 },
    {
      ...toldAnew,
      headerName: "Status",
      field: "status",
      width: 184,
      cellRenderer: (p) => element("span", "rs rs-" + p.data.status_look, p.data.status_title),
    },
    {
      ...toldAnew,
      headerName: "Jobs",
      headerTooltip: told.jobs,
      width: 104,
      type: "rightAligned",
      valueGetter: (p) => p.data.done / Math.max(1, p.data.total),
      valueFormatter: (p) => whole(p.data.done) + " of " + whole(p.data.total),
    },
    // A count: a rate of all models together would be weighed otherwise than those of the run's page.
    {
      ...toldAnew,
      headerName: "Results passed",
      headerTooltip: told.passed,
      width: 128,
      type: "rightAligned",
      valueGetter: (p) => p.data.judged ? p.data.passed / p.data.judged : -1,
      valueFormatter: (p) => p.data.judged ? whole(p.data.passed) + " of " + whole(p.data.judged) : "–",
    },
    {
      ...plain,
      headerName: "Errors",
      headerTooltip: told.errors,
      width: 66,
      type: "rightAligned",
      field: "errors",
      valueFormatter: (p) => p.value || "",
    },
    { ...plain, headerName: "Models", field: "models", flex: 1, minWidth: 90 },
    { ...plain, colId: "conditions", headerName: "Conditions", field: "conditions", flex: 1, minWidth: 90, hide: true },
    {
      ...plain,
      headerName: "Started",
      width: 138,
      valueGetter: (p) => p.data.started,
      valueFormatter: (p) => p.data.when,
    },
  ]);
  api.addEventListener("rowClicked", (e) => {
    if (!e.event.target.closest("a") && !String(getSelection())) open(address(e.data));
  });
  api.addEventListener("cellKeyDown", byKey(address));
  const load = async () => {
    if (api.isDestroyed()) return;
    const found = await rows("/api/runs" + (benchmark ? "?benchmark=" + benchmark : ""));
    if (api.isDestroyed()) return;
    api.setGridOption("rowData", found);
    api.setColumnsVisible(["conditions"], found.some((run) => run.conditions));
    api.setGridOption("loading", false);
  };
  listed = load;
  await load();
}

let listed = null;
export function reload() {
  listed?.();
}

function named(row, path) {
  const made = element("span", "rt-name", link(path, row.name));
  if (row.recording_label) made.append(element("span", "chip", row.recording_label));
  if (row.origin) made.append(element("span", "chip", "Imported from " + row.origin));
  return made;
}

// ---- questions to pick for a run

export async function pick(api, benchmark, chosen, grid) {
  const found = await rows("/api/benchmarks/" + benchmark + "/questions").catch(() => null);
  if (!found || api.isDestroyed()) return; // the benchmark was deleted, of which the page speaks, or the page was left
  api.updateGridOptions({
    columnDefs: [
      { ...plain, headerName: "Question", field: "question", flex: 1, minWidth: 160 },
      { ...plain, headerName: "Keywords", field: "keywords", width: 150 },
      { ...plain, headerName: "Status", width: 110, valueGetter: (p) => (p.data.finished ? "finished" : "unfinished") },
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
