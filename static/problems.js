// @ts-check
// Problems panel: its rows, which it fetches itself, and its height.
import { element, icon } from "karenina/dom.js";
import { onOpen, serve, Table } from "karenina/grids.js";
import { waitFor } from "karenina/waiting.js";

/** @type {Record<string, [glyph: string, word: string, look: string]>} */
const LOOKS = {
  error: ["error", "Error", "cell-bad"],
  warning: ["warning", "Warning", "cell-warn"],
  note: ["info", "Note", "cell-off"],
};
const STEP = 3; // percent of the window by an arrow key

class ProblemTable extends Table {
  /**
   * @param {any} component the grid
   * @param {number} handle
   */
  constructor(component, handle) {
    super(component);
    onOpen(this.api, (row) => this.tell("open", row));
    resizeBy(handle, (percent) => this.tell("height", percent));
  }

  /**
   * Mark the row of the visited problem, and scroll to it.
   * @param {{ number: number | null, tab: string, at: string, text: string }} visited
   */
  mark(visited) {
    /** @type {any} */
    let here;
    this.api.forEachNode((/** @type {any} */ node) => {
      const { number, tab, at, text } = node.data;
      if (number === visited.number && tab === visited.tab && at === visited.at && text === visited.text) here ??= node;
    });
    this.markRow(here?.id ?? null);
  }

  async focus() {
    const filter = this.inSection("input");
    filter?.focus();
    // The first check takes a while, and somebody who moved on meanwhile keeps the focus.
    const waits = () => document.activeElement === filter;
    const rows = await waitFor(() => !waits() || this.api.getDisplayedRowCount());
    if (rows && waits()) this.api.setFocusedCell(0, "severity");
  }
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

export const { attach, call } = serve(ProblemTable);

// A sign and a word, never color alone.
window.kareninaProblems = {
  cell({ value }) {
    const [glyph, word, look] = LOOKS[value];
    return element("span", `cell-icon ${look}`, icon(glyph), word);
  },
};
