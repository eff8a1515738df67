// @ts-check
// Focus of the window's parts. F6 moves between menu bar, navigation, panes, and status bar, to the last focus in each.
// Tab stops twice in a table, at its heads and its rows, however many cells it has; arrows move between cells.
import { openDialogs, targetElement } from "karenina/dom.js";
import { hasModifier, wrapIndex } from "karenina/keys.js";

const PARTS = ".menus, .nav, .page section.pane, .problems, .status";
const STOPS = "a[href], button, input, textarea, select, summary, [tabindex='0'], [contenteditable=true]";
/**
 * The last focus of each part.
 * @type {WeakMap<Element, HTMLElement>}
 */
const last = new WeakMap();
/**
 * The row that had the focus in each table.
 * @type {WeakMap<Element, number | undefined>}
 */
const rows = new WeakMap();

/** @param {Element} each */
const isVisible = (each) => each.checkVisibility({ visibilityProperty: true });

/** @param {HTMLElement} each */
const isStop = (each) => !(/** @type {HTMLButtonElement} */ (each).disabled) && each.tabIndex >= 0 && isVisible(each);

/** @param {ParentNode} place */
const tabStops = (place) => [...place.querySelectorAll(/** @type {"button"} */ (STOPS))].filter(isStop);

/** @param {Element} part */
const isPart = (part) => part.checkVisibility() && !part.querySelector("section.pane") && tabStops(part).length;

/**
 * @param {Node} one
 * @param {Node} other
 */
const byPosition = (one, other) => (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1);

addEventListener("focusin", (event) => {
  const part = targetElement(event)?.closest(PARTS);
  if (part) last.set(part, /** @type {HTMLElement} */ (event.target));
});

/** @param {number} step */
window.goToPart = (step) => {
  const all = [...document.querySelectorAll(PARTS)].filter(isPart).sort(byPosition);
  const inside = document.activeElement?.closest(PARTS), here = inside ? all.indexOf(inside) : -1;
  // From nowhere, such as after another page has opened, to the page itself.
  const first = Math.max(0, all.findIndex((part) => part.matches("section.pane")));
  const next = all[here < 0 ? first : wrapIndex(here, step, all.length)], known = last.get(next);
  (known?.isConnected && isVisible(known) ? known : tabStops(next)[0])?.focus();
};

/**
 * Focus what Tab reaches behind this element, however much is in it.
 * @param {Element} place
 * @param {boolean} back
 */
window.focusBeyond = (place, back) => {
  const beyond = tabStops(document).filter((each) =>
    !place.contains(each) && byPosition(place, each) === (back ? 1 : -1)
  );
  (back ? beyond.at(-1) : beyond[0])?.focus();
};

/**
 * Keep Tab inside an open dialog: after its last control comes its first.
 * @param {HTMLElement} dialog
 * @param {KeyboardEvent} event
 */
function keepFocusIn(dialog, event) {
  const inside = tabStops(dialog), first = inside[0], final = inside.at(-1), here = document.activeElement;
  if (!first || (dialog.contains(here) && here !== (event.shiftKey ? first : final))) return;
  event.preventDefault();
  (event.shiftKey ? final : first)?.focus();
}

/**
 * Focus a row of a table.
 * @param {any} api of its grid
 * @param {number} row
 * @param {any} column
 */
function focusRow(api, row, column) {
  api.ensureIndexVisible(row);
  api.setFocusedCell(row, column);
}

/**
 * Focus the first row of a table, unless it has none.
 * @param {string} selector
 */
window.enterTable = (selector) => {
  const table = document.querySelector(selector), api = table && getElement(Number(table.id.slice(1)))?.api;
  if (api?.getDisplayedRowCount()) focusRow(api, 0, api.getAllDisplayedColumns()[0]);
};

/**
 * Move from the heads of a table to its rows, or out of it.
 * @param {Element} cell
 * @param {KeyboardEvent} event
 */
function leaveCell(cell, event) {
  const table = cell.closest(".nicegui-aggrid"), api = table && getElement(Number(table.id.slice(1)))?.api;
  if (!api) return;
  event.preventDefault();
  event.stopPropagation();
  const column = cell.getAttribute("col-id"), inHead = cell.matches(".ag-header-cell");
  if (!inHead) rows.set(table, api.getFocusedCell()?.rowIndex);
  if (inHead && !event.shiftKey && api.getDisplayedRowCount()) {
    const row = Math.min(rows.get(table) ?? api.getFirstDisplayedRowIndex(), api.getDisplayedRowCount() - 1);
    focusRow(api, row, column);
  } else if (!inHead && event.shiftKey) api.setFocusedHeader(column);
  else window.focusBeyond(table, event.shiftKey);
}

addEventListener("keydown", (event) => {
  if (event.key !== "Tab" || hasModifier(event)) return;
  const dialog = openDialogs().at(-1), where = targetElement(event);
  if (dialog && !where?.closest(".q-menu, .cm-editor")) keepFocusIn(dialog, event);
  const cell = where?.closest(".ag-cell, .ag-header-cell");
  if (cell) leaveCell(cell, event);
}, true);
