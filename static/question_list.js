// The question list beside its grid: fetches its own rows, marks the open question, tells the server numbers only.
const ahead = 100; // rows that are drawn before the others come, as in `questions/list.py`
const patience = 1000; // tries, 30 ms apart: a busy computer takes its time to load the grid

async function grid(id, ready = (list) => list.attached) {
  for (let tries = 0; tries < patience; tries++) {
    const component = getElement(id);
    if (component?.api && !component.api.isDestroyed() && ready(component)) return component;
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  return null; // the page was left meanwhile
}

export async function attach(id, path) {
  const rowsAt = (window.path_prefix || "") + path;
  const first = fetched(`${rowsAt}?first=${ahead}`, `${path}?first=${ahead}`); // on their way while the grid is built
  const list = await grid(id, () => true);
  if (!list || list.attached) return;
  list.attached = true;
  list.rowsAt = rowsAt;
  list.texts = new Map(); // number → everything by which the question is found
  list.filter = fromAddress();
  const { api } = list;
  api.setGridOption("isExternalFilterPresent", () => Object.values(list.filter).some(Boolean));
  api.setGridOption("doesExternalFilterPass", (node) => fits(list, node.data));
  api.addEventListener("rowClicked", (e) => {
    if (!e.event.target.closest(".cell-check, .ag-selection-checkbox")) list.$emit("open", e.data.number);
  });
  api.addEventListener("cellKeyDown", (e) => {
    if (e.event.key === "Enter") list.$emit("open", e.data.number);
  });
  api.addEventListener(
    "selectionChanged",
    () => list.$emit("chosen", api.getSelectedNodes().map((n) => n.data.number)),
  );
  api.addEventListener("modelUpdated", () => count(list));
  searchAtOnce(list);
  if (Object.values(list.filter).some(Boolean)) list.$emit("restored", list.filter);
  await load(id, first);
}

// `begun`: the first rows on their way; a long list is drawn with these while the others come.
export async function load(id, begun) {
  const list = await grid(id);
  if (!list) return;
  const turn = (list.turn = (list.turn || 0) + 1);
  const overtaken = () => list.turn !== turn || list.api.isDestroyed(); // by a later call, or the page was left
  let came = await (begun || fetched(list.rowsAt));
  if (came?.more && !overtaken() && !Object.values(list.filter).some(Boolean)) {
    list.api.setGridOption("rowData", came.rows);
    list.api.setGridOption("loading", false);
    await painted();
  }
  if (came?.more) came = await fetched(list.rowsAt);
  if (!came || overtaken()) return;
  const { rows } = came;
  list.total = rows.length;
  list.api.setGridOption("rowData", rows);
  list.api.setGridOption("loading", false);
  count(list);
  if (list.wanted !== undefined) show(list, list.wanted, true);
  list.read = false;
  await painted(); // what is looked at comes before what is looked for
  list.reading = read(list);
  await list.reading;
  list.read = true;
  if (list.filter.text) list.api.onFilterChanged();
}

async function fetched(rowsAt, path) {
  const asked = window.ahead?.[path]; // by the page itself, see `fetch_ahead`
  delete window.ahead?.[path];
  let response = await asked?.catch(() => null);
  if (!response?.ok) response = await fetch(rowsAt);
  return response.ok ? await response.json() : null;
}

const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));

export async function update(id, row) {
  const list = await grid(id);
  const known = list?.api.getRowNode(String(row.number));
  if (!known) return;
  list.api.applyTransaction({ update: [{ ...known.data, ...row }] });
  await read(list, row.number);
}

export async function filter(id, { wanted, written }) {
  const list = await grid(id);
  if (!list) return;
  const { pathname, search } = location;
  history.replaceState(history.state, "", pathname + search + (written ? "#" + written : ""));
  const shown = list.read && JSON.stringify(list.filter) === JSON.stringify(wanted); // as it was typed
  list.filter = wanted;
  await list.reading;
  if (list.filter !== wanted) return; // a later one has overtaken this one
  if (!shown) list.api.onFilterChanged();
  const hidden = list.api.getSelectedNodes().filter((node) => !node.displayed);
  if (hidden.length) list.api.setNodesSelected({ nodes: hidden, newValue: false });
  if (list.wanted !== undefined) show(list, list.wanted);
}

// Notes what stands beside the questions that are about to go, while they still stand here; `follow` opens it.
export async function leave(id, numbers) {
  const list = await grid(id);
  if (!list) return;
  const gone = new Set(numbers);
  const shown = [];
  list.api.forEachNodeAfterFilterAndSort((node) => shown.push(node.data.number));
  const here = Math.max(shown.indexOf(list.wanted), 0);
  const next = shown.slice(here).find((n) => !gone.has(n)) ?? shown.slice(0, here).reverse().find((n) => !gone.has(n));
  list.next = next ?? null;
}

export async function follow(id) {
  const list = await grid(id);
  if (list) list.$emit("open", list.next ?? null);
}

export async function mark(id, number) {
  const list = await grid(id);
  if (!list) return;
  const first = list.wanted === undefined;
  list.wanted = number;
  show(list, number, first);
}

export async function step(id, steps) {
  const list = await grid(id, (list) => list.total !== undefined); // also when the page has just been opened
  if (!list) return;
  const here = list.api.getRowNode(String(list.wanted));
  const target = list.api.getDisplayedRowAtIndex(here ? here.rowIndex + steps : 0);
  if (!target) return;
  list.wanted = target.data.number; // the next step is from there, also while it still opens
  show(list, list.wanted);
  list.$emit("open", list.wanted);
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

function fits(list, row) {
  const { text, finished, keyword } = list.filter;
  if (finished && row.finished !== (finished === "yes")) return false;
  if (keyword && !row.tags.includes(keyword)) return false;
  if (list.sought !== text) [list.sought, list.needle] = [text, text.trim().toLowerCase()];
  return !list.needle || (list.texts.get(row.number) ?? row.question.toLowerCase()).includes(list.needle);
}

async function read(list, only) {
  const response = await fetch(`${list.rowsAt}/texts${only === undefined ? "" : `?only=${only}`}`);
  if (!response.ok) return;
  for (const [number, text] of (await response.json()).texts) list.texts.set(number, text.toLowerCase());
}

function fromAddress() {
  const written = new URLSearchParams(location.hash.slice(1));
  const [text, finished, keyword] = ["text", "finished", "keyword"].map((name) => written.get(name) || "");
  return { text, finished, keyword };
}

// Before the server hears of it, which keeps what is searched in the address; Escape empties the field.
function searchAtOnce(list) {
  const search = list.$el.closest("section")?.querySelector(".question-search input");
  search?.addEventListener("input", () => {
    list.filter = { ...list.filter, text: search.value };
    list.api.onFilterChanged();
  });
  search?.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !search.value) return;
    event.preventDefault();
    search.value = "";
    search.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

function count(list) {
  const place = list.$el.closest("section")?.querySelector(".question-count");
  if (!place || list.total === undefined || list.api.isDestroyed()) return;
  const shown = list.api.getDisplayedRowCount();
  const words = list.total === 1 ? "question" : "questions";
  const text = shown === list.total
    ? `${shown.toLocaleString("en")} ${words}`
    : `${shown.toLocaleString("en")} of ${list.total.toLocaleString("en")}`;
  if (place.textContent !== text) place.textContent = text;
  sayNothingFits(list, list.total > 0 && shown === 0);
}

function sayNothingFits(list, nothing) {
  if (list.nothing === nothing) return;
  list.nothing = nothing;
  const words = nothing ? "No questions match. Clear the filters to see all." : "";
  list.api.setGridOption("overlayNoRowsTemplate", `<span class="hint">${words}</span>`);
  nothing ? list.api.showNoRowsOverlay() : list.api.hideOverlay();
}

// Cells: a sign and a word, never colour alone.
window.kareninaCells = {
  done(question) {
    const leftOut = question.finished && ["problem", "none"].includes(question.template);
    return leftOut ? "unusable" : question.finished ? "finished" : "";
  },
  finished(done) {
    if (done === "unusable") {
      return icon("warning", "Finished, but skipped in runs: no working template", "cell-warn");
    }
    return icon(
      done ? "check_circle" : "radio_button_unchecked",
      done ? "Finished" : "Unfinished",
      done ? "cell-ok" : "cell-off",
    );
  },
  template(state, words) {
    const look = {
      ok: ["check", "cell-ok"],
      problem: ["error", "cell-bad"],
      unchecked: ["hourglass_empty", "cell-off"],
      none: ["remove", "cell-off"],
    }[state];
    const cell = icon(look[0], "", look[1]);
    cell.append(words[state]);
    return cell;
  },
};

function icon(name, title, look) {
  const cell = document.createElement("span");
  cell.className = `cell-icon ${look}`;
  const glyph = document.createElement("i");
  glyph.className = "q-icon notranslate material-icons";
  glyph.setAttribute("aria-hidden", "true");
  glyph.textContent = name;
  cell.append(glyph);
  if (title) {
    cell.title = title;
    const words = document.createElement("span");
    words.className = "sr-only";
    words.textContent = title;
    cell.append(words);
  }
  return cell;
}
