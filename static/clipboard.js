// @ts-check
// Texts for the clipboard. Where the browser keeps pages from it (they may have to come from this computer or by HTTPS,
// and the person may refuse), the older way is tried; only what was copied is called so.
import { element } from "./lib/dom.js";

/** @param {string} text */
function copiedTheOldWay(text) {
  const before = /** @type {HTMLElement | null} */ (document.activeElement);
  const box = /** @type {HTMLTextAreaElement} */ (element("textarea"));
  box.value = text;
  box.style.cssText = "position: fixed; opacity: 0";
  (before?.closest("[role=dialog]") ?? document.body).append(box); // a dialog keeps the focus inside
  box.select();
  const copied = document.execCommand("copy");
  box.remove();
  before?.focus();
  return copied;
}

/**
 * @param {string} text
 * @param {string} said of it, once it was copied
 */
window.copyText = async (text, said) => {
  const copied = await navigator.clipboard?.writeText(text).then(() => true, () => false);
  emitEvent("copied", copied || copiedTheOldWay(text) ? said : null);
};
