// @ts-check
// Copies to the clipboard. Some browsers allow it only for pages from this computer or by HTTPS, and the user may
// refuse; then an older command is tried. Success is reported only if one of the two worked.
import { element } from "karenina/dom.js";

/** @param {string} text */
function copyByCommand(text) {
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
  emitEvent("copied", copied || copyByCommand(text) ? said : null);
};
