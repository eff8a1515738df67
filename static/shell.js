// Shortcuts: recognised here, so that ordinary typing never travels to the server.
(() => {
  const NAMES = { " ": "Space", "\r": "Enter" };
  let table = {};

  function typing(target) {
    return target instanceof Element && !!target.closest("input, textarea, select, [contenteditable=true], .cm-editor");
  }

  function written(event) {
    const parts = [];
    if (event.ctrlKey || event.metaKey) parts.push("Ctrl");
    if (event.altKey) parts.push("Alt");
    // With Alt held, keyboards give other signs; the key's own letter is meant.
    const letter = event.altKey && /^Key[A-Z]$/.test(event.code) ? event.code.slice(3) : event.key;
    const name = NAMES[letter] || (letter.length === 1 ? letter.toUpperCase() : letter);
    if (event.shiftKey && (parts.length || name.length > 1)) parts.push("Shift");
    return [...parts, name].join("+");
  }

  addEventListener("keydown", (event) => {
    const combination = written(event);
    const command = table[combination];
    if (!command || event.isComposing) return;
    const plain = !/^(Ctrl|Alt)\+/.test(combination) && !/^F\d+$/.test(combination);
    const dialog = document.querySelector(".q-dialog .q-dialog__inner");
    if (plain && (typing(event.target) || dialog || event.target.closest?.(".q-menu"))) return;
    event.preventDefault();
    event.stopPropagation();
    // What was typed last is saved before anything else happens.
    if (!plain && typing(event.target)) event.target.dispatchEvent(new Event("change", { bubbles: true }));
    emitEvent("command", command);
  }, true);

  window.listenForShortcuts = (shortcuts) => { table = shortcuts; };
})();

// Cells of the question list: a sign and a word, never colour alone.
window.kareninaCells = {
  finished(done) {
    return icon(done ? "check_circle" : "radio_button_unchecked", done ? "Finished" : "Unfinished", done ? "cell-ok" : "cell-off");
  },
  template(state, words) {
    const look = { ok: ["check", "cell-ok"], problem: ["error", "cell-bad"], unchecked: ["hourglass_empty", "cell-off"], none: ["remove", "cell-off"] }[state];
    const cell = icon(look[0], "", look[1]);
    cell.append(words[state]);
    return cell;
  },
};

function icon(name, title, look) {
  const cell = document.createElement("span");
  cell.className = `cell-icon ${look}`;
  const glyph = document.createElement("i");
  glyph.className = "q-icon notranslate material-icons";
  glyph.setAttribute("aria-hidden", "true");
  glyph.textContent = name;
  cell.append(glyph);
  if (title) {
    cell.title = title;
    const words = document.createElement("span");
    words.className = "sr-only";
    words.textContent = title;
    cell.append(words);
  }
  return cell;
}

// What was typed in the last fraction of a second is sent before the page goes.
addEventListener("beforeunload", () => document.activeElement?.dispatchEvent(new Event("change", { bubbles: true })));
