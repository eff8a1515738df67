// @ts-check
// Below a proxy's path, a link that the page's own markup made gets that path before anybody follows or copies it.
import { target } from "./lib/dom.js";
import { address } from "./lib/fetch.js";

/** @param {Event} event */
function complete(event) {
  const prefix = address("");
  const link = target(event)?.closest('a[href^="/"]'), path = link?.getAttribute("href");
  if (!link || !path || path.startsWith("//") || path === prefix || path.startsWith(prefix + "/")) return;
  link.setAttribute("href", address(path));
}

if (address("")) {
  for (const kind of ["pointerover", "pointerdown", "focusin", "click"]) addEventListener(kind, complete, true);
}
