// A file that is dropped anywhere on the window goes to the place for files that is open, or else to that of the whole
// window.
(() => {
  let timer = 0;
  const carriesFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  const dialogs = () => [...document.querySelectorAll(".q-dialog .q-dialog__inner")];

  // A part of the page that takes what is dropped on it itself, such as the files of a workspace.
  const isTaken = (event) => !dialogs().length && event.target.closest?.("[data-own-drops]");

  // The last dialog's place, or the window's where no dialog is open; none where the dialog takes no files.
  function place() {
    const open = dialogs();
    return open.length ? open.pop().querySelector(".drop[data-uploader]") : document.querySelector(".drop-window");
  }

  function mark(where) {
    const chosen = where && (where.matches(".drop-window") ? "drop-anywhere" : "drop-here");
    for (const look of ["drop-anywhere", "drop-here"]) document.body.classList.toggle(look, look === chosen);
  }

  addEventListener("dragover", (event) => {
    if (!carriesFiles(event)) return;
    if (isTaken(event)) return mark(null);
    event.preventDefault(); // else the browser would leave the page for the file
    event.stopPropagation();
    const where = place();
    event.dataTransfer.dropEffect = where ? "copy" : "none";
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
    if (where) getElement(Number(where.dataset.uploader)).$refs.qRef.addFiles(event.dataTransfer.files);
  }, true);
})();
