// @ts-check
// Context menus of rows, by the right mouse button, Shift+F10, and the menu key.
import { targetElement } from "karenina/dom.js";

const OWN_MENU = "input, textarea, .cm-editor, .q-menu"; // where the browser's menu has what one looks for: copy, paste

/**
 * The row under an event; of a list box with the focus, its chosen option.
 * @param {Element} where
 * @param {Element} list
 */
function rowAt(where, list) {
  const row = where.closest("[data-row], .ag-row[row-id]");
  if (row && list.contains(row)) return row;
  return document.getElementById(list.getAttribute("aria-activedescendant") ?? "");
}

/**
 * Where the menu opens: at the mouse, or below the row for a key.
 * @param {MouseEvent} event
 * @param {Element} row
 */
function pointOf(event, row) {
  const { left, right, top, bottom } = row.getBoundingClientRect(), { clientX: x, clientY: y } = event;
  const inside = event.button === 2 && x >= left && x <= right && y >= top && y <= bottom;
  return inside ? { x, y } : { x: left + 24, y: Math.min(bottom, innerHeight) };
}

addEventListener("contextmenu", (event) => {
  const where = targetElement(event), list = where?.closest("[data-row-menu]");
  if (!where || !list || where.closest(OWN_MENU)) return;
  const row = rowAt(where, list), anchor = document.getElementById("row-menu-anchor");
  const id = row?.getAttribute("data-row") ?? row?.getAttribute("row-id");
  if (!row || !anchor || id == null || !Number.isInteger(Number(id))) return; // a job that is running has no page yet
  event.preventDefault();
  const { x, y } = pointOf(event, row);
  anchor.style.left = `${x}px`;
  anchor.style.top = `${y}px`;
  emitEvent("row_menu", [list.getAttribute("data-row-menu"), Number(id)]);
});
