// @ts-check
// Files dropped anywhere on the window: they go to the open drop area, or else to that of the whole window.
import { openDialogs, targetElement } from "karenina/dom.js";

const MARKS = ["drop-anywhere", "drop-here"];
let timer = 0;

/** @param {DragEvent} event */
const carriesFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");

/**
 * Whether a part of the page takes what is dropped on it itself, such as the files of a workspace.
 * @param {DragEvent} event
 */
const isTaken = (event) => !openDialogs().length && targetElement(event)?.closest("[data-own-drops]");

/**
 * The last dialog's place, or the window's where no dialog is open; none where the dialog takes no files.
 * @returns {HTMLElement | null | undefined}
 */
function place() {
  const open = openDialogs();
  return open.length ? open.at(-1)?.querySelector(".drop[data-uploader]") : document.querySelector(".drop-window");
}

/** @param {HTMLElement | null | undefined} where */
function mark(where) {
  const chosen = where && (where.matches(".drop-window") ? "drop-anywhere" : "drop-here");
  for (const look of MARKS) document.body.classList.toggle(look, look === chosen);
}

addEventListener("dragover", (event) => {
  if (!carriesFiles(event)) return;
  if (isTaken(event)) return mark(null);
  event.preventDefault(); // else the browser would leave the page for the file
  event.stopPropagation();
  const where = place();
  if (event.dataTransfer) event.dataTransfer.dropEffect = where ? "copy" : "none";
  mark(where);
  clearTimeout(timer);
  timer = setTimeout(mark, 200, null); // the last of many: the file was dropped or carried off
}, true);

addEventListener("drop", (event) => {
  if (!carriesFiles(event) || isTaken(event)) return;
  event.preventDefault();
  event.stopPropagation();
  const where = place();
  mark(null);
  if (where) getElement(Number(where.dataset.uploader)).$refs.qRef.addFiles(event.dataTransfer?.files);
}, true);
