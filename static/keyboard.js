// Shortcuts: recognised here, so that ordinary typing never travels to the server.
(() => {
  const NAMES = { " ": "Space", "\r": "Enter" };
  let table = {};

  function typing(target) {
    return !!target?.closest?.("input, textarea, select, .cm-editor") || !!target?.isContentEditable;
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

  // What is typed on while the field of a command has not got the focus yet is kept for it, and goes nowhere else.
  const LONGEST = 3000; // milliseconds until somebody types on elsewhere
  let awaited = null;

  function holds(event) {
    const over = event.key === "Escape" || (awaited && performance.now() > awaited.until);
    if (over || (awaited && event.target.matches?.(awaited.field))) awaited = null;
    if (!awaited || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return false;
    if (event.key === "Backspace") awaited.keys.pop();
    else if (event.key.length === 1 || event.key === "Enter") awaited.keys.push(event.key);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  addEventListener("focusin", (event) => {
    if (!awaited || !event.target.matches(awaited.field)) return;
    const { keys } = awaited, enter = keys.indexOf("Enter");
    awaited = null;
    if (!keys.length) return;
    event.target.value += keys.slice(0, enter < 0 ? undefined : enter).join("");
    event.target.dispatchEvent(new Event("input", { bubbles: true }));
    if (enter >= 0) event.target.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  });

  addEventListener("keydown", (event) => {
    if (holds(event)) return;
    const combination = written(event);
    const command = table[combination];
    if (!command || event.isComposing) return;
    if (event.getModifierState("AltGraph")) return; // writes a sign: @ is AltGr+Q on many keyboards
    if (event.target.closest?.("[data-own-keys]")?.dataset.ownKeys.split(" ").includes(combination)) return;
    if (combination.startsWith("Alt+Arrow") && event.target.closest?.(".cm-editor")) return; // moves lines there
    const plain = !/^(Ctrl|Alt)\+/.test(combination) && !/^(Shift\+)?F\d+$/.test(combination);
    const dialog = document.querySelector(".q-dialog .q-dialog__inner:not([class*=leave-active])");
    if (plain && (typing(event.target) || dialog || event.target.closest?.(".q-menu"))) return;
    event.preventDefault();
    event.stopPropagation();
    if (dialog) return; // what lies behind it stays as it is
    // What was typed last is saved before anything else happens.
    if (!plain && typing(event.target)) event.target.dispatchEvent(new Event("change", { bubbles: true }));
    if (command.act) return command.act();
    const field = command.field && document.querySelector(command.field);
    if (field) return field.focus();
    if (plain || !command.field) awaited = null;
    else awaited = { field: command.field, keys: [], until: performance.now() + LONGEST };
    setTimeout(() => send(command.id));
  }, true);

  // What is pressed while the page is still connecting is done as soon as it is.
  function send(command) {
    window.did_handshake ? emitEvent("command", command) : setTimeout(() => send(command), 10);
  }

  // The field that fits is about to appear and gets the focus then.
  window.holdTyping = (field) => {
    awaited = { field, keys: [], until: performance.now() + LONGEST };
  };
  window.listenForShortcuts = (shortcuts) => {
    table = shortcuts;
  };
})();

// The menu bar by arrow keys: right and left from menu to menu, up and down within one.
(() => {
  const buttons = () => [...document.querySelectorAll(".menus .q-btn")];
  const entries = (menu) => [...menu.querySelectorAll(".q-item")];
  const opened = () => [...document.querySelectorAll(".q-menu[data-menu]")].pop();
  const after = (all, here, step) => all[(here + step + all.length) % all.length];

  function within(menu, step, tries = 50) {
    const all = entries(menu), here = all.indexOf(document.activeElement);
    if (!all.length && tries) return setTimeout(() => within(menu, step, tries - 1), 20); // they are on their way
    (here < 0 ? all[step > 0 ? 0 : all.length - 1] : after(all, here, step))?.focus();
  }

  function besides(menu, step) {
    const all = buttons(), here = all.findIndex((button) => button.textContent.trim() === menu.dataset.menu);
    const next = after(all, here, step);
    all[here].click(); // closes it
    next.focus();
    next.click();
  }

  // Act once the menu has given the focus back.
  window.afterMenu = (act, tries = 50) => {
    const inside = tries && document.activeElement?.closest(".q-menu[data-menu]");
    inside ? setTimeout(() => afterMenu(act, tries - 1), 10) : act();
  };

  addEventListener("keydown", (event) => {
    const sideways = { ArrowRight: 1, ArrowLeft: -1 }[event.key], along = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!(sideways || along) || event.ctrlKey || event.altKey || event.metaKey) return;
    const small = event.target.closest?.(".q-menu.mn:not([data-menu])"); // of a button, such as that for exports
    if (small && along) {
      event.preventDefault();
      return within(small, along);
    }
    const menu = opened(), button = event.target.closest?.(".menus .q-btn");
    if (!button && !event.target.closest?.(".q-menu[data-menu]")) return;
    event.preventDefault();
    event.stopPropagation();
    if (menu && along) within(menu, along);
    else if (menu) besides(menu, sideways);
    else if (sideways) after(buttons(), buttons().indexOf(button), sideways).focus();
    else button.click();
  }, true);
})();

// From part to part of the window with F6: menu bar, navigation, each pane, status bar; to where one was in it before.
// A table is two stops of Tab, its heads and its rows, however many cells it has; arrows go from cell to cell.
(() => {
  const PARTS = ".menus, .nav, .page section.pane, .sb";
  const STOPS = "a[href], button, input, textarea, select, summary, [tabindex='0'], [contenteditable=true]";
  const last = new WeakMap(), rows = new WeakMap(); // of each part: what had the focus; of each table: which row
  const stops = (place) =>
    [...place.querySelectorAll(STOPS)].filter((each) =>
      !each.disabled && each.tabIndex >= 0 && each.checkVisibility({ visibilityProperty: true })
    );
  const parts = () =>
    [...document.querySelectorAll(PARTS)].filter((part) =>
      part.checkVisibility() && !part.querySelector("section.pane") && stops(part).length
    );
  const inOrder = (one, other) => (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1);

  addEventListener("focusin", (event) => {
    const part = event.target.closest?.(PARTS);
    if (part) last.set(part, event.target);
  });

  window.goToPart = (step) => {
    const all = parts().sort(inOrder), here = all.indexOf(document.activeElement?.closest(PARTS));
    const next = here < 0 ? all[0] : all[(here + step + all.length) % all.length], known = last.get(next);
    (known?.isConnected && known.checkVisibility({ visibilityProperty: true }) ? known : stops(next)[0])?.focus();
  };

  // Focus what Tab reaches beyond this place, however much there is in it.
  window.focusBeyond = (place, back) => {
    const beyond = stops(document).filter((each) => !place.contains(each) && inOrder(place, each) === (back ? 1 : -1));
    (back ? beyond.at(-1) : beyond[0])?.focus();
  };

  // Nothing behind an open dialog is reached: after its last control comes its first.
  function stayIn(dialog, event) {
    const inside = stops(dialog), first = inside[0], last = inside.at(-1), here = document.activeElement;
    if (!first || (dialog.contains(here) && here !== (event.shiftKey ? first : last))) return;
    event.preventDefault();
    (event.shiftKey ? last : first).focus();
  }

  addEventListener("keydown", (event) => {
    if (event.key !== "Tab" || event.ctrlKey || event.altKey || event.metaKey) return;
    const dialog = [...document.querySelectorAll(".q-dialog .q-dialog__inner:not([class*=leave-active])")].pop();
    if (dialog && !event.target.closest?.(".q-menu, .cm-editor")) stayIn(dialog, event);
    const cell = event.target.closest?.(".ag-cell, .ag-header-cell"), table = cell?.closest(".nicegui-aggrid");
    const api = table && getElement(Number(table.id.slice(1)))?.api;
    if (!api) return;
    event.preventDefault();
    event.stopPropagation();
    const column = cell.getAttribute("col-id"), inHead = cell.matches(".ag-header-cell");
    if (!inHead) rows.set(table, api.getFocusedCell()?.rowIndex);
    if (inHead && !event.shiftKey && api.getDisplayedRowCount()) {
      const row = Math.min(rows.get(table) ?? api.getFirstDisplayedRowIndex(), api.getDisplayedRowCount() - 1);
      api.ensureIndexVisible(row);
      api.setFocusedCell(row, column);
    } else if (!inHead && event.shiftKey) api.setFocusedHeader(column);
    else focusBeyond(table, event.shiftKey);
  }, true);
})();
