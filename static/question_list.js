// The question list beside its grid: fetches its own rows, marks the open question, tells the server numbers only.
const patience = 1000; // tries, 30 ms apart: a busy computer takes its time to load the grid

async function grid(id) {
  for (let tries = 0; tries < patience; tries++) {
    const component = getElement(id);
    if (component?.api) return component;
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  return null; // the page was left meanwhile
}

const latest = new WeakMap();

export async function attach(id, rowsAt) {
  const list = await grid(id);
  if (!list || list.attached) return;
  list.attached = true;
  const { api } = list;
  api.addEventListener("rowClicked", (e) => {
    if (!e.event.target.closest(".cell-check, .ag-selection-checkbox")) list.$emit("open", e.data.number);
  });
  api.addEventListener("cellKeyDown", (e) => {
    if (e.event.key === "Enter") list.$emit("open", e.data.number);
  });
  api.addEventListener("selectionChanged", () => list.$emit("chosen", api.getSelectedNodes().map((n) => n.data.number)));
  api.addEventListener("modelUpdated", () => count(list));
  await load(id, rowsAt);
}

export async function load(id, rowsAt) {
  const list = await grid(id);
  if (!list) return;
  latest.set(list, rowsAt);
  const response = await fetch((window.path_prefix || "") + rowsAt);
  if (!response.ok || latest.get(list) !== rowsAt) return; // a later filter has overtaken this one
  const { rows, total } = await response.json();
  list.total = total;
  const nothing = total ? "No question fits. Clear the filters to see all." : "";
  list.api.setGridOption("overlayNoRowsTemplate", `<span class="hint">${nothing}</span>`);
  list.api.setGridOption("rowData", rows);
  list.api.setGridOption("loading", false);
  count(list);
  if (list.wanted !== undefined) show(list, list.wanted, true);
}

export async function update(id, rows) {
  const list = await grid(id);
  const known = list ? rows.filter((row) => list.api.getRowNode(String(row.number))) : [];
  if (known.length) list.api.applyTransaction({ update: known });
}

export async function mark(id, number) {
  const list = await grid(id);
  if (!list) return;
  const first = list.wanted === undefined;
  list.wanted = number;
  show(list, number, first);
}

export async function step(id, steps) {
  const list = await grid(id);
  if (!list) return;
  const here = list.api.getRowNode(String(list.wanted));
  const target = list.api.getDisplayedRowAtIndex(here ? here.rowIndex + steps : 0);
  if (target) list.$emit("open", target.data.number);
}

export async function select(id, all) {
  const list = await grid(id);
  if (list) all ? list.api.selectAll("filtered") : list.api.deselectAll();
}

function show(list, number, first) {
  const { api } = list;
  const context = api.getGridOption("context");
  const before = api.getRowNode(String(context.current));
  const node = api.getRowNode(String(number));
  context.current = number;
  // Their classes are looked at again; drawing the rows anew would take the focus from whatever has it.
  for (const changed of new Set([before, node])) changed?.updateData({ ...changed.data });
  if (node) api.ensureNodeVisible(node, first ? "middle" : undefined);
}

function count(list) {
  const place = list.$el.closest("section")?.querySelector(".question-count");
  if (!place || list.total === undefined) return;
  const shown = list.api.getDisplayedRowCount();
  const words = list.total === 1 ? "question" : "questions";
  const text = shown === list.total ? `${shown.toLocaleString("en")} ${words}` : `${shown.toLocaleString("en")} of ${list.total.toLocaleString("en")}`;
  if (place.textContent !== text) place.textContent = text;
}
