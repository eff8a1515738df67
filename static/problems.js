// @ts-check
// Problems panel: its rows, which it fetches itself, and its height.
import { element, icon } from "karenina/dom.js";
import { fetchJson } from "karenina/fetch.js";
import { waitForGrid } from "karenina/grids.js";
import { waitFor } from "karenina/waiting.js";

/** @type {Record<string, [glyph: string, word: string, look: string]>} */
const LOOKS = {
  error: ["error", "Error", "cell-bad"],
  warning: ["warning", "Warning", "cell-warn"],
  note: ["info", "Note", "cell-off"],
};
const STEP = 3; // percent of the window by an arrow key

let turn = 0;

/**
 * @param {number} id of the grid
 * @param {number} handle
 */
export async function attach(id, handle) {
  const component = await waitForGrid(id);
  if (!component) return;
  /** @type {GridApi} */
  const api = component.api;
  const open = (/** @type {any} */ data) => component.$emit("open", data);
  api.addEventListener("rowClicked", ({ data }) => open(data));
  api.addEventListener("cellKeyDown", ({ event, data }) => {
    if (event.key === "Enter") open(data);
  });
  resizeBy(handle, (percent) => component.$emit("height", percent));
}

/**
 * @param {number} id
 * @param {string} path of the rows
 */
export async function load(id, path) {
  const mine = ++turn, component = await waitForGrid(id);
  const came = component && (await fetchJson(path).catch(() => null));
  if (!came || mine !== turn || component.api.isDestroyed()) return;
  component.api.setGridOption("rowData", came.rows);
  component.api.setGridOption("loading", false);
}

/**
 * Mark the row of the visited problem, and scroll to it.
 * @param {number} id
 * @param {{ number: number | null, tab: string, at: string, text: string }} visited
 */
export async function mark(id, visited) {
  const component = await waitForGrid(id);
  if (!component) return;
  const { api } = component, context = api.getGridOption("context"), before = api.getRowNode(String(context.current));
  /** @type {any} */
  let here;
  api.forEachNode((/** @type {any} */ node) => {
    const { number, tab, at, text } = node.data;
    if (number === visited.number && tab === visited.tab && at === visited.at && text === visited.text) here ??= node;
  });
  context.current = here?.id ?? null;
  // Their classes are looked at again; drawing the rows anew would take the focus from whatever has it.
  for (const changed of new Set([before, here])) changed?.updateData({ ...changed.data });
  if (here) api.ensureNodeVisible(here);
}

/** @param {number} id */
export async function focus(id) {
  const component = await waitForGrid(id);
  const filter = component?.$el.closest("section")?.querySelector("input");
  filter?.focus();
  // The first check takes a while, and somebody who moved on meanwhile keeps the focus.
  const waits = () => document.activeElement === filter;
  const rows = await waitFor(() => !waits() || component?.api.getDisplayedRowCount());
  if (rows && waits()) component.api.setFocusedCell(0, "severity");
}

/**
 * Let pointer and arrow keys move the upper edge of the panel.
 * @param {number} id of its handle
 * @param {(percent: number) => void} tell
 */
function resizeBy(id, tell) {
  const handle = getHtmlElement(id);
  if (!handle) return;
  const bound = (/** @type {number} */ percent) =>
    Math.min(Math.max(percent, Number(handle.ariaValueMin)), Number(handle.ariaValueMax));
  const show = (/** @type {number} */ percent) => document.body.style.setProperty("--problems", `${bound(percent)}vh`);
  const keep = (/** @type {number} */ percent) => tell(bound(percent));
  handle.addEventListener("keydown", (event) => {
    const step = { ArrowUp: STEP, ArrowDown: -STEP, Home: -100, End: 100 }[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    keep(Number(handle.ariaValueNow) + step);
  });
  handle.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
    const bottom = /** @type {HTMLElement} */ (handle.parentElement).getBoundingClientRect().bottom;
    const percent = (/** @type {PointerEvent} */ moved) => ((bottom - moved.clientY) / innerHeight) * 100;
    const move = (/** @type {PointerEvent} */ moved) => show(percent(moved));
    handle.addEventListener("pointermove", move);
    handle.addEventListener("pointerup", (last) => {
      handle.removeEventListener("pointermove", move);
      keep(percent(last));
    }, { once: true });
  });
}

// A sign and a word, never color alone.
window.kareninaProblems = {
  cell({ value }) {
    const [glyph, word, look] = LOOKS[value];
    return element("span", `cell-icon ${look}`, icon(glyph), word);
  },
};
