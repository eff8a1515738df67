// @ts-check
// Links below a proxy's path: those of the page's own markup get the path before anybody follows or copies them.
import { targetElement } from "karenina/dom.js";
import { address } from "karenina/fetch.js";

/** @param {Event} event */
function complete(event) {
  const prefix = address("");
  const link = targetElement(event)?.closest('a[href^="/"]'), path = link?.getAttribute("href");
  if (!link || !path || path.startsWith("//") || path === prefix || path.startsWith(prefix + "/")) return;
  link.setAttribute("href", address(path));
}

if (address("")) {
  for (const kind of ["pointerover", "pointerdown", "focusin", "click"]) addEventListener(kind, complete, true);
}
