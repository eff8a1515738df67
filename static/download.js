// @ts-check
// Downloads of exports that take a while: the status bar shows them until the file arrives or an error is reported.
import { saveAs } from "karenina/dom.js";
import { address, parseFileName } from "karenina/fetch.js";

let going = 0;

/** @param {number} step */
function count(step) {
  going += step;
  const place = document.getElementById("status-export");
  if (place) place.textContent = going ? "Exporting…" : "";
}

/** @param {string} path */
async function save(path) {
  const answer = await fetch(address(path));
  if (!answer.ok) throw new Error((await answer.json().catch(() => null))?.message ?? "The server couldn’t create it.");
  const made = URL.createObjectURL(await answer.blob());
  saveAs(made, parseFileName(answer.headers.get("content-disposition") ?? ""));
  setTimeout(() => URL.revokeObjectURL(made), 60000);
}

/** @param {string} path */
window.exportFile = (path) => {
  count(1);
  save(path).catch((error) => emitEvent("export_failed", error.message)).finally(() => count(-1));
};
