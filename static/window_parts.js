// @ts-check
// From part to part of the window with F6: menu bar, navigation, each pane, status bar; to where one was in it before.
// A table is two stops of Tab, its heads and its rows, however many cells it has; arrows go from cell to cell.
import { openDialogs, target } from "./lib/dom.js";
import { around, isHeld } from "./lib/keys.js";

const PARTS = ".menus, .nav, .page section.pane, .status";
const STOPS = "a[href], button, input, textarea, select, summary, [tabindex='0'], [contenteditable=true]";
/**
 * Of each part: what had the focus.
 * @type {WeakMap<Element, HTMLElement>}
 */
const last = new WeakMap();
/**
 * Of each table: which row had it.
 * @type {WeakMap<Element, number | undefined>}
 */
const rows = new WeakMap();

/** @param {Element} each */
const isSeen = (each) => each.checkVisibility({ visibilityProperty: true });

/** @param {HTMLElement} each */
const isStop = (each) => !(/** @type {HTMLButtonElement} */ (each).disabled) && each.tabIndex >= 0 && isSeen(each);

/** @param {ParentNode} place */
const stops = (place) => [...place.querySelectorAll(/** @type {"button"} */ (STOPS))].filter(isStop);

/** @param {Element} part */
const isPart = (part) => part.checkVisibility() && !part.querySelector("section.pane") && stops(part).length;

/**
 * @param {Node} one
 * @param {Node} other
 */
const inOrder = (one, other) => (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1);

addEventListener("focusin", (event) => {
  const part = target(event)?.closest(PARTS);
  if (part) last.set(part, /** @type {HTMLElement} */ (event.target));
});

/** @param {number} step */
window.goToPart = (step) => {
  const all = [...document.querySelectorAll(PARTS)].filter(isPart).sort(inOrder);
  const inside = document.activeElement?.closest(PARTS), here = inside ? all.indexOf(inside) : -1;
  const next = all[here < 0 ? 0 : around(here, step, all.length)], known = last.get(next);
  (known?.isConnected && isSeen(known) ? known : stops(next)[0])?.focus();
};

/**
 * Focus what Tab reaches beyond this place, however much there is in it.
 * @param {Element} place
 * @param {boolean} back
 */
window.focusBeyond = (place, back) => {
  const beyond = stops(document).filter((each) => !place.contains(each) && inOrder(place, each) === (back ? 1 : -1));
  (back ? beyond.at(-1) : beyond[0])?.focus();
};

/**
 * Nothing behind an open dialog is reached: after its last control comes its first.
 * @param {HTMLElement} dialog
 * @param {KeyboardEvent} event
 */
function stayIn(dialog, event) {
  const inside = stops(dialog), first = inside[0], final = inside.at(-1), here = document.activeElement;
  if (!first || (dialog.contains(here) && here !== (event.shiftKey ? first : final))) return;
  event.preventDefault();
  (event.shiftKey ? final : first)?.focus();
}

/**
 * Between the heads and the rows of a table, and out of it.
 * @param {Element} cell
 * @param {KeyboardEvent} event
 */
function goOn(cell, event) {
  const table = cell.closest(".nicegui-aggrid"), api = table && getElement(Number(table.id.slice(1)))?.api;
  if (!api) return;
  event.preventDefault();
  event.stopPropagation();
  const column = cell.getAttribute("col-id"), inHead = cell.matches(".ag-header-cell");
  if (!inHead) rows.set(table, api.getFocusedCell()?.rowIndex);
  if (inHead && !event.shiftKey && api.getDisplayedRowCount()) {
    const row = Math.min(rows.get(table) ?? api.getFirstDisplayedRowIndex(), api.getDisplayedRowCount() - 1);
    api.ensureIndexVisible(row);
    api.setFocusedCell(row, column);
  } else if (!inHead && event.shiftKey) api.setFocusedHeader(column);
  else window.focusBeyond(table, event.shiftKey);
}

addEventListener("keydown", (event) => {
  if (event.key !== "Tab" || isHeld(event)) return;
  const dialog = openDialogs().at(-1), where = target(event);
  if (dialog && !where?.closest(".q-menu, .cm-editor")) stayIn(dialog, event);
  const cell = where?.closest(".ag-cell, .ag-header-cell");
  if (cell) goOn(cell, event);
}, true);
