// @ts-check
// Arrow keys in the menu bar: right and left from menu to menu, up and down within one.
import { targetElement } from "karenina/dom.js";
import { hasModifier, UP_AND_DOWN, wrapIndex } from "karenina/keys.js";
import { waitFor } from "karenina/waiting.js";

/** @typedef {HTMLElement[]} Elements */

const ENTRIES = 100, FOCUS = 50; // tries

/** @returns {Elements} */
const buttons = () => [...document.querySelectorAll(/** @type {"button"} */ (".menus .q-btn"))];
/**
 * @param {Element} menu
 * @returns {Elements}
 */
const entries = (menu) => [...menu.querySelectorAll(/** @type {"div"} */ (".q-item"))];
const openMenu = () => [...document.querySelectorAll(/** @type {"div"} */ (".q-menu[data-menu]"))].pop();

/**
 * @param {Elements} all
 * @param {Element | null} here
 */
const indexIn = (all, here) => all.indexOf(/** @type {HTMLElement} */ (here));

/**
 * @param {Element} menu
 * @param {number} step
 */
async function moveWithin(menu, step) {
  await waitFor(() => entries(menu).length, ENTRIES); // they are on their way
  const all = entries(menu);
  all[wrapIndex(indexIn(all, document.activeElement), step, all.length)]?.focus();
}

/**
 * @param {HTMLElement} menu
 * @param {number} step
 */
function openNeighbor(menu, step) {
  const all = buttons(), here = all.findIndex((button) => button.textContent?.trim() === menu.dataset.menu);
  const next = all[wrapIndex(here, step, all.length)];
  all[here].click(); // closes it
  next.focus();
  next.click();
}

/**
 * Act once the menu has given the focus back.
 * @param {() => void} act
 */
window.afterMenu = async (act) => {
  await waitFor(() => !document.activeElement?.closest(".q-menu.menu"), FOCUS);
  act();
};

/** @type {Record<string, number>} */
const SIDEWAYS = { ArrowRight: 1, ArrowLeft: -1 };

addEventListener("keydown", (event) => {
  const sideways = SIDEWAYS[event.key], along = UP_AND_DOWN[event.key];
  if (!(sideways || along) || hasModifier(event)) return;
  const where = targetElement(event);
  const small = where?.closest(".q-menu.menu:not([data-menu])"); // of a button, such as that for exports
  if (small && along) {
    event.preventDefault();
    moveWithin(small, along);
    return;
  }
  const menu = openMenu(), button = /** @type {HTMLElement | null} */ (where?.closest(".menus .q-btn") ?? null);
  if (!button && !where?.closest(".q-menu[data-menu]")) return;
  event.preventDefault();
  event.stopPropagation();
  if (menu && along) moveWithin(menu, along);
  else if (menu) openNeighbor(menu, sideways);
  else if (sideways) buttons()[wrapIndex(indexIn(buttons(), button), sideways, buttons().length)].focus();
  else button?.click();
}, true);
