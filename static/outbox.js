// What was typed and is not known to be stored stays in this browser until it is: through lost connections, reloads and
// restarts of the application. `gui/session/outbox.py` is the other side.
window.outbox = (() => {
  const library = document.querySelector("meta[name=karenina-library]")?.content ?? "";
  const page = crypto.randomUUID?.() ?? String(Math.random()).slice(2); // this loading of the page
  const ALL = `karenina:typed:${library}:`;
  const KEPT_FOR = 30 * 24 * 3600 * 1000; // milliseconds
  const SLOW = 3000; // milliseconds without an acknowledgement after which the screen says so
  const ADOPTED = 8000; // milliseconds until text of a page that is gone becomes a draft
  const REJOINED = 30000; // milliseconds at most until a window that is connected again is known
  const BEAT = 5000, SILENT = 90000; // milliseconds; for browsers that cannot tell which pages are open
  const bases = new Map(); // of each place: its value in the library, as far as this page knows
  const renames = new Map(); // lines of lists: the name with which their controls were drawn, and the present one
  const kept = new Map(); // stored words of fields that hold several
  const own = new Map(); // entries of this page by key, also those that the browser's storage has no room for
  let rejoining = 0, adopting = 0, offline = false, connected = false;

  const key = (place, of = page) => `${ALL}${of}:${place}`;
  const read = (name) => {
    try {
      return JSON.parse(localStorage.getItem(name));
    } catch {
      return null;
    }
  };

  // `control`: number of the element that shows it; the same field gets another one when its page is drawn again.
  function typed(drawnAs, value, first, control) {
    const place = current(drawnAs);
    const text = value?.toWellFormed?.() ?? value ?? ""; // as it is sent
    const entry = {
      place,
      control,
      value: text,
      base: bases.has(place) ? bases.get(place) : first,
      at: own.get(key(place))?.at ?? Date.now(),
    };
    own.set(key(place), entry);
    try {
      localStorage.setItem(key(place), JSON.stringify({ ...entry, at: Date.now() }));
    } catch {
      localStorage.removeItem(key(place)); // no room: leaving the page asks first
    }
    show();
  }

  // A word in a field of several. Once it is entered, the field is empty for the next one.
  function word(place, value, control) {
    if (value) typed(place, value, "", control);
    else drop(key(place));
  }

  function wordEntered(place, control) {
    const before = own.get(key(place))?.value.trim();
    const chosen = document.querySelector(".q-menu .q-manual-focusable--focused")?.textContent.trim() || before;
    drop(key(place));
    if (chosen && !kept.get(place)?.includes(chosen)) typed(`${place}-${chosen}`, chosen, "", control);
  }

  // These words are in the library.
  function storedWords(place, stored) {
    kept.set(place, stored);
    for (const [name, entry] of [...own]) {
      if (entry.place.startsWith(place) && stored.includes(entry.value.trim())) drop(name);
    }
    for (const [name, entry] of left_behind(() => true)) {
      if (entry.place.startsWith(place) && stored.includes(entry.value.trim())) localStorage.removeItem(name);
    }
  }

  // The library, or its drafts, have this value of a field now.
  function settled(place, value, base = value) {
    bases.set(place, base);
    const entry = own.get(key(place));
    if (entry && entry.value !== value) {
      own.set(key(place), { ...entry, base, at: Date.now() });
      if (localStorage.getItem(key(place))) localStorage.setItem(key(place), JSON.stringify({ ...entry, base }));
    } else {
      own.delete(key(place));
    }
    for (const [name, left] of left_behind(() => true)) {
      if (left.place === place && left.value === value) localStorage.removeItem(name);
    }
    show();
  }

  // The texts of a list: `cells` has stored ones by their paths, `lines` the first pieces of the paths that exist.
  function settledCells(place, cells, lines) {
    for (const [path, text] of Object.entries(cells)) {
      if (bases.has(`${place}#${path}`)) bases.set(`${place}#${path}`, text);
    }
    for (const [name, entry] of [...own]) {
      const path = pathIn(place, entry);
      if (path in cells) settled(entry.place, cells[path]);
      else if (path && !lines.includes(path.split(".")[0])) drop(name);
    }
    for (const [name, entry] of left_behind(() => true)) {
      const path = pathIn(place, entry);
      if (path in cells && cells[path] === entry.value) localStorage.removeItem(name);
    }
    show();
  }

  const pathIn = (place, entry) => (entry.place.startsWith(`${place}#`) ? entry.place.slice(place.length + 1) : "");

  // A line of a list has another name now; its controls may still use the one with which they were drawn.
  function renamed(place, from, to) {
    for (const [old, now] of renames) if (now === `${place}#${from}`) renames.set(old, `${place}#${to}`);
    renames.set(`${place}#${from}`, `${place}#${to}`);
    renames.delete(`${place}#${to}`);
    for (const [old, base] of [...bases]) if (current(old) !== old) bases.set(current(old), base);
    for (const [name, entry] of [...own]) {
      if (current(entry.place) === entry.place) continue;
      drop(name);
      typed(entry.place, entry.value, entry.base, entry.control);
    }
  }

  function current(place) {
    const [line, ...path] = place.split(".");
    return renames.has(line) ? [renames.get(line), ...path].join(".") : place;
  }

  function drop(name) {
    own.delete(name);
    localStorage.removeItem(name);
    show();
  }

  function left_behind(wanted) {
    const names = Object.keys(localStorage).filter((name) => name.startsWith(ALL));
    return names.map((name) => [name, read(name)]).filter(([name, entry]) => {
      if (!entry || Date.now() - entry.at > KEPT_FOR) localStorage.removeItem(name);
      return entry && wanted(name.slice(ALL.length).split(":")[0]);
    });
  }

  // Which loadings of the page are open, in any window of this browser.
  const held = `${ALL}page:`;
  if (navigator.locks) {
    navigator.locks.request(held + page, () => new Promise(() => {}));
  } else {
    const beat = () => localStorage.setItem(`karenina:open:${page}`, Date.now());
    beat();
    setInterval(beat, BEAT);
    addEventListener("pagehide", () => localStorage.removeItem(`karenina:open:${page}`));
  }
  async function open() {
    if (navigator.locks) {
      const { held: all } = await navigator.locks.query();
      return new Set(all.filter(({ name }) => name.startsWith(held)).map(({ name }) => name.slice(held.length)));
    }
    const beats = Object.keys(localStorage).filter((name) => name.startsWith("karenina:open:"));
    const alive = beats.filter((name) => Date.now() - Number(localStorage.getItem(name)) < SILENT);
    return new Set(alive.map((name) => name.slice("karenina:open:".length)));
  }

  // Called by the application whenever this window is connected, and when a page with fields was drawn. Text of a page
  // that is gone belongs to the window that shows its field: that may be loading just now, so others wait a while.
  async function offer() {
    clearTimeout(rejoining);
    rejoining = 0;
    await offerNow(false);
    clearTimeout(adopting);
    adopting = setTimeout(() => !offline && offerNow(true), ADOPTED);
  }

  async function offerNow(adopt) {
    const alive = await open();
    alive.add(page);
    const entries = left_behind((of) => !alive.has(of)).map(([, entry]) => ({ ...entry, left: true, adopt }));
    if (!adopt) entries.push(...[...own.values()].map((entry) => ({ ...entry, left: false, adopt })));
    if (entries.length) emitEvent("outbox", entries);
  }

  addEventListener("beforeunload", (event) => {
    if (own.size && !rejoining) event.preventDefault();
  });

  // The window reloads itself where the application does not know it any more; nothing is asked then. How long that
  // takes depends on the application: until it answers by `offer`.
  function rejoin() {
    clearTimeout(rejoining);
    rejoining = setTimeout(() => (rejoining = 0), REJOINED);
  }

  function follow(socket) {
    socket.on("connect", () => {
      if (offline) rejoin();
      offline = false;
      connected = true;
      show();
    });
    socket.on("disconnect", () => {
      offline = true;
      show();
    });
    // Before the listeners that are there: one of them reloads the window at once.
    const others = socket.listeners("connect_error");
    socket.off("connect_error");
    socket.on("connect_error", ({ message }) => {
      offline = true; // also where it was never connected
      show();
      if (message === "Implicit handshake failed") rejoin();
    });
    // A reload while the application is away would leave an empty window: once connected, it only tries again.
    const known = (error) => error.message !== "timeout" || !connected;
    for (const other of others) socket.on("connect_error", (error) => known(error) && other(error));
  }

  const edits = (n) => `${n.toLocaleString("en-US")} ${n === 1 ? "edit" : "edits"}`;

  function words() {
    const n = own.size;
    if (offline) return n ? `Offline: ${edits(n)} stored in this browser` : "Offline";
    if (!n || document.querySelector(".sb-saved.sb-warn")) return null;
    const since = Math.min(...[...own.values()].map((entry) => entry.at));
    return Date.now() - since < SLOW ? "Saving…" : `Not saved yet: no response. ${edits(n)} stored in this browser`;
  }

  function show() {
    const place = document.querySelector(".sb-unsaved");
    if (!place) return;
    const text = words();
    if (place.textContent !== (text ?? "")) place.textContent = text ?? "";
    place.classList.toggle("sb-warn", !!text && text !== "Saving…");
    document.body.toggleAttribute("data-unsaved", text !== null);
    banner();
  }

  function banner() {
    let place = document.querySelector(".offline");
    if (!offline) return place?.remove();
    if (!place) {
      place = document.createElement("div");
      place.className = "offline";
      place.setAttribute("role", "status");
      document.body.append(place);
    }
    const n = own.size;
    const text = "Connection lost. Reconnecting…" + (n ? ` ${edits(n)} stored in this browser.` : "");
    if (place.textContent !== text) place.textContent = text;
  }

  setInterval(show, 500);
  const wait = setInterval(() => {
    if (!window.socket) return;
    clearInterval(wait);
    follow(window.socket);
  }, 20);

  return { typed, word, wordEntered, storedWords, settled, settledCells, renamed, offer, unsaved: () => own.size };
})();
