// @ts-check
// Unsaved edits: they stay in this browser until the library has them, through lost connections, reloads, and restarts
// of the application. `gui/session/outbox.py` is the other side.
import { element } from "karenina/dom.js";
import { formatCount } from "karenina/format.js";
import { TypedTexts } from "karenina/typed.js";

const SLOW = 3000; // milliseconds without an acknowledgement after which the screen says so
const ADOPTED = 8000; // milliseconds until text of a page that is gone becomes a draft
const REJOINED = 30000; // milliseconds at most until a window that is connected again is known
const BEAT = 5000, SILENT = 90000; // milliseconds; for browsers that cannot tell which pages are open
const BEATS = "karenina:open:";

const library = /** @type {HTMLMetaElement | null} */ (document.querySelector("meta[name=karenina-library]"))?.content;
const page = crypto.randomUUID?.() ?? String(Math.random()).slice(2); // this loading of the page
const ALL = `karenina:typed:${library ?? ""}:`;
const LOCKS = `${ALL}page:`;
const texts = new TypedTexts(ALL, page, localStorage, showState);
let rejoining = 0, adopting = 0, offline = false, connected = false;

/** The word that is chosen in the list below a field of several. */
const chosenWord = () => document.querySelector(".q-menu .q-manual-focusable--focused")?.textContent?.trim();

// Which loadings of the page are open, in any window of this browser.
if (navigator.locks) {
  navigator.locks.request(LOCKS + page, () => new Promise(() => {}));
} else {
  const beat = () => localStorage.setItem(BEATS + page, String(Date.now()));
  beat();
  setInterval(beat, BEAT);
  addEventListener("pagehide", () => localStorage.removeItem(BEATS + page));
}

/** @returns {Promise<Set<string>>} */
async function openPages() {
  if (navigator.locks) {
    const names = ((await navigator.locks.query()).held ?? []).map(({ name }) => name ?? "");
    return new Set(names.filter((name) => name.startsWith(LOCKS)).map((name) => name.slice(LOCKS.length)));
  }
  const beats = Object.keys(localStorage).filter((name) => name.startsWith(BEATS));
  const alive = beats.filter((name) => Date.now() - Number(localStorage.getItem(name)) < SILENT);
  return new Set(alive.map((name) => name.slice(BEATS.length)));
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

/** @param {boolean} adopt */
async function offerNow(adopt) {
  const alive = await openPages();
  alive.add(page);
  const entries = texts.leftEntries((of) => !alive.has(of)).map(([, entry]) => ({ ...entry, left: true, adopt }));
  if (!adopt) entries.push(...[...texts.own.values()].map((entry) => ({ ...entry, left: false, adopt })));
  if (entries.length) emitEvent("outbox", entries);
}

// The application redraws only windows that somebody can see.
const tellHidden = () => emitEvent("hidden", document.hidden);
document.addEventListener("visibilitychange", tellHidden);
if (document.hidden) addEventListener("load", tellHidden);

// Other windows wait less for the application the fewer windows without a browser it keeps.
addEventListener("pagehide", (event) => event.persisted || emitEvent("leave"));

addEventListener("beforeunload", (event) => {
  if (texts.own.size && !rejoining) event.preventDefault();
});

// The window reloads itself where the application does not know it any more; nothing is asked then. How long that
// takes depends on the application: until it answers by `offer`.
function rejoin() {
  clearTimeout(rejoining);
  rejoining = setTimeout(() => (rejoining = 0), REJOINED);
}

/** @param {any} socket of Socket.IO */
function watchSocket(socket) {
  socket.on("connect", () => {
    if (offline) rejoin();
    offline = false;
    connected = true;
    showState();
  });
  socket.on("disconnect", () => {
    offline = true;
    showState();
  });
  // Before the listeners that are there: one of them reloads the window at once.
  const others = socket.listeners("connect_error");
  socket.off("connect_error");
  socket.on("connect_error", (/** @type {Error} */ { message }) => {
    offline = true; // also where it was never connected
    showState();
    if (message === "Implicit handshake failed") rejoin();
  });
  // A reload while the application is away would leave an empty window: once connected, it only tries again.
  const isKnown = (/** @type {Error} */ error) => error.message !== "timeout" || !connected;
  for (const other of others) {
    socket.on("connect_error", (/** @type {Error} */ error) => isKnown(error) && other(error));
  }
}

function statusText() {
  const edits = formatCount(texts.own.size, "edit");
  if (offline) return texts.own.size ? `Offline: ${edits} stored in this browser` : "Offline";
  if (!texts.own.size || document.querySelector(".status-saved.status-warn")) return null;
  const since = Math.min(...[...texts.own.values()].map((entry) => entry.at));
  return Date.now() - since < SLOW ? "Saving…" : `Not saved yet: no response. ${edits} stored in this browser`;
}

/**
 * @param {Element} place
 * @param {string} text
 */
function setText(place, text) {
  if (place.textContent !== text) place.textContent = text;
}

function showState() {
  const place = document.querySelector(".status-unsaved");
  if (!place) return;
  const text = statusText();
  setText(place, text ?? "");
  place.classList.toggle("status-warn", !!text && text !== "Saving…");
  document.body.toggleAttribute("data-unsaved", text !== null);
  showBanner();
}

function showBanner() {
  let place = document.querySelector(".offline");
  if (!offline) return place?.remove();
  if (!place) {
    place = element("div", "offline");
    place.setAttribute("role", "status");
    document.body.append(place);
  }
  const stored = texts.own.size ? ` ${formatCount(texts.own.size, "edit")} stored in this browser.` : "";
  setText(place, "Connection lost. Reconnecting…" + stored);
}

setInterval(showState, 500);
const wait = setInterval(() => {
  if (!window.socket) return;
  clearInterval(wait);
  watchSocket(window.socket);
}, 20);

/** For the application, which calls them by name. */
window.outbox = {
  keep: texts.keep.bind(texts),
  keepWord: texts.keepWord.bind(texts),
  enterWord: (place, control) => texts.enterWord(place, control, chosenWord()),
  settleWords: texts.settleWords.bind(texts),
  settle: texts.settle.bind(texts),
  settleCells: texts.settleCells.bind(texts),
  offer,
  unsavedCount: () => texts.own.size,
};
