// @ts-check
// The menu bar by arrow keys: right and left from menu to menu, up and down within one.
import { target } from "./lib/dom.js";
import { around, isHeld } from "./lib/keys.js";
import { pause } from "./lib/waiting.js";

/** @typedef {HTMLElement[]} Elements */

/** @returns {Elements} */
const buttons = () => [...document.querySelectorAll(/** @type {"button"} */ (".menus .q-btn"))];
/**
 * @param {Element} menu
 * @returns {Elements}
 */
const entries = (menu) => [...menu.querySelectorAll(/** @type {"div"} */ (".q-item"))];
const opened = () => [...document.querySelectorAll(/** @type {"div"} */ (".q-menu[data-menu]"))].pop();

/**
 * @param {Elements} all
 * @param {Element | null} here
 */
const placeOf = (all, here) => all.indexOf(/** @type {HTMLElement} */ (here));

/**
 * @param {Element} menu
 * @param {number} step
 */
async function within(menu, step) {
  for (let tries = 50; !entries(menu).length && tries; tries--) await pause(20); // they are on their way
  const all = entries(menu);
  all[around(placeOf(all, document.activeElement), step, all.length)]?.focus();
}

/**
 * @param {HTMLElement} menu
 * @param {number} step
 */
function besides(menu, step) {
  const all = buttons(), here = all.findIndex((button) => button.textContent?.trim() === menu.dataset.menu);
  const next = all[around(here, step, all.length)];
  all[here].click(); // closes it
  next.focus();
  next.click();
}

/**
 * Act once the menu has given the focus back.
 * @param {() => void} act
 */
window.afterMenu = async (act) => {
  for (let tries = 50; tries && document.activeElement?.closest(".q-menu[data-menu]"); tries--) await pause(10);
  act();
};

/** @type {Record<string, number>} */
const SIDEWAYS = { ArrowRight: 1, ArrowLeft: -1 };
/** @type {Record<string, number>} */
const UP_AND_DOWN = { ArrowDown: 1, ArrowUp: -1 };

addEventListener("keydown", (event) => {
  const sideways = SIDEWAYS[event.key], along = UP_AND_DOWN[event.key];
  if (!(sideways || along) || isHeld(event)) return;
  const where = target(event);
  const small = where?.closest(".q-menu.menu:not([data-menu])"); // of a button, such as that for exports
  if (small && along) {
    event.preventDefault();
    within(small, along);
    return;
  }
  const menu = opened(), button = /** @type {HTMLElement | null} */ (where?.closest(".menus .q-btn") ?? null);
  if (!button && !where?.closest(".q-menu[data-menu]")) return;
  event.preventDefault();
  event.stopPropagation();
  if (menu && along) within(menu, along);
  else if (menu) besides(menu, sideways);
  else if (sideways) buttons()[around(placeOf(buttons(), button), sideways, buttons().length)].focus();
  else button?.click();
}, true);
