// @ts-check
// Downloads of exports that take a while: the status bar shows them until the file arrives or an error is reported.
import { saveAs } from "karenina/dom.js";
import { address, parseFileName } from "karenina/fetch.js";

/** @type {Map<AbortController, number>} exports under way, with the bytes that have arrived */
const going = new Map();
const cancel = Object.assign(document.createElement("button"), { textContent: "Cancel", className: "status-cancel" });
cancel.addEventListener("click", () => [...going.keys()].forEach((one) => one.abort()));
const size = document.createElement("span");
size.ariaHidden = "true"; // it changes all the time, and would be said each time

function show() {
  const place = document.getElementById("status-export");
  if (!place) return;
  const bytes = [...going.values()].reduce((sum, own) => sum + own, 0);
  size.textContent = bytes < 1e6 ? "" : `${Math.round(bytes / 1e6)} MB `;
  if (!going.size) place.replaceChildren();
  else if (!place.contains(cancel)) place.replaceChildren("Exporting… ", size, cancel);
}

/**
 * @param {string} path
 * @param {AbortController} one
 */
async function save(path, one) {
  const answer = await fetch(address(path), { signal: one.signal });
  if (!answer.ok) throw new Error((await answer.json().catch(() => null))?.message ?? "The server couldn’t create it.");
  /** @type {BlobPart[]} */
  const parts = [];
  const reader = answer.body?.getReader();
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    parts.push(next.value);
    going.set(one, (going.get(one) ?? 0) + next.value.length);
    show();
  }
  const made = URL.createObjectURL(new Blob(parts, { type: answer.headers.get("content-type") ?? "" }));
  saveAs(made, parseFileName(answer.headers.get("content-disposition") ?? ""));
  setTimeout(() => URL.revokeObjectURL(made), 60000);
}

/** @param {string} path */
window.exportFile = (path) => {
  const one = new AbortController();
  going.set(one, 0);
  show();
  save(path, one)
    .catch((error) => one.signal.aborted || emitEvent("export_failed", error.message))
    .finally(() => {
      going.delete(one);
      show();
    });
};
