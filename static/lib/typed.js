// @ts-check
// Unsaved edits in the storage of this browser; see `outbox.js`.

/** @typedef {{ place: string, control: number | undefined, value: string, base: string, at: number }} Entry */

const KEPT_FOR = 30 * 24 * 3600 * 1000; // milliseconds

export class TypedTexts {
  /**
   * Entries of this page by key, also those that the storage has no room for.
   * @type {Map<string, Entry>}
   */
  own = new Map();
  /**
   * The library's value of each place, as far as this page knows.
   * @type {Map<string, string>}
   */
  #bases = new Map();
  /**
   * Stored words of fields that hold several.
   * @type {Map<string, string[]>}
   */
  #words = new Map();
  #storage;
  #changed;
  #now;
  #page;

  /**
   * @param {string} all how the keys of all pages begin
   * @param {string} page this loading of the page
   * @param {Storage} storage
   * @param {() => void} changed called after each change
   * @param {() => number} now milliseconds
   */
  constructor(all, page, storage, changed, now = Date.now) {
    this.all = all;
    this.#page = page;
    this.#storage = storage;
    this.#changed = changed;
    this.#now = now;
  }

  /** @param {string} place */
  #key(place) {
    return `${this.all}${this.#page}:${place}`;
  }

  /**
   * @param {string} name
   * @returns {Entry | null}
   */
  #read(name) {
    try {
      return JSON.parse(this.#storage.getItem(name) ?? "null");
    } catch {
      return null;
    }
  }

  /**
   * @param {string} place of the field
   * @param {string | null} value
   * @param {string} first its value in the library when it was drawn
   * @param {number} [control] number of the element that shows it; another one when its page is drawn again
   */
  keep(place, value, first, control) {
    const key = this.#key(place);
    const text = value?.toWellFormed?.() ?? value ?? ""; // as it is sent
    const base = this.#bases.has(place) ? /** @type {string} */ (this.#bases.get(place)) : first;
    const entry = { place, control, value: text, base, at: this.own.get(key)?.at ?? this.#now() };
    this.own.set(key, entry);
    try {
      this.#storage.setItem(key, JSON.stringify({ ...entry, at: this.#now() }));
    } catch {
      this.#storage.removeItem(key); // no room: leaving the page asks first
    }
    this.#changed();
  }

  /**
   * Keep a word that is typed in a field of several words; an empty field keeps nothing.
   * @param {string} place
   * @param {string} value
   * @param {number} control
   */
  keepWord(place, value, control) {
    if (value) this.keep(place, value, "", control);
    else this.#drop(this.#key(place));
  }

  /**
   * @param {string} place
   * @param {number} control
   * @param {string | undefined} offered the word that was chosen from a list, if one was
   */
  enterWord(place, control, offered) {
    const chosen = offered || this.own.get(this.#key(place))?.value.trim();
    this.#drop(this.#key(place));
    if (chosen && !this.#words.get(place)?.includes(chosen)) this.keep(`${place}-${chosen}`, chosen, "", control);
  }

  /**
   * Drop entries of these words, which are in the library; a comma separates words.
   * @param {string} place
   * @param {string[]} stored
   */
  settleWords(place, stored) {
    this.#words.set(place, stored);
    const words = (/** @type {string} */ text) => text.split(",").map((word) => word.trim()).filter(Boolean);
    const isStored = (/** @type {Entry} */ { place: at, value }) =>
      at.startsWith(place) && (stored.includes(value.trim()) || words(value).every((word) => stored.includes(word)));
    for (const [name, entry] of [...this.own]) if (isStored(entry)) this.#drop(name);
    this.#forget(isStored);
  }

  /**
   * Drop the entry of a value that is in the library or its drafts now.
   * @param {string} place
   * @param {string} value
   * @param {string} [base] that of the library, where drafts have another
   */
  settle(place, value, base = value) {
    this.#bases.set(place, base);
    const key = this.#key(place), entry = this.own.get(key);
    if (entry && entry.value !== value) {
      this.own.set(key, { ...entry, base, at: this.#now() });
      if (this.#storage.getItem(key)) this.#storage.setItem(key, JSON.stringify({ ...entry, base }));
    } else {
      this.own.delete(key);
    }
    this.#forget((left) => left.place === place && left.value === value);
    this.#changed();
  }

  /**
   * Drop the entries of a list that are saved or whose line is gone.
   * @param {string} place
   * @param {Record<string, string>} cells stored ones by their paths
   * @param {string[]} lines the first pieces of the paths that exist
   */
  settleCells(place, cells, lines) {
    for (const [path, text] of Object.entries(cells)) {
      if (this.#bases.has(`${place}#${path}`)) this.#bases.set(`${place}#${path}`, text);
    }
    for (const [name, entry] of [...this.own]) {
      const path = pathIn(place, entry);
      if (path in cells) this.settle(entry.place, cells[path]);
      else if (path && !lines.includes(path.split(".")[0])) this.#drop(name);
    }
    this.#forget((entry) => {
      const path = pathIn(place, entry);
      return path in cells && cells[path] === entry.value;
    });
    this.#changed();
  }

  /**
   * Entries in the storage that pages with these names left; those that are old or cannot be read are removed.
   * @param {(page: string) => boolean} wanted
   * @returns {[string, Entry][]}
   */
  leftEntries(wanted) {
    return Object.keys(this.#storage).filter((name) => name.startsWith(this.all)).flatMap((name) => {
      const entry = this.#read(name);
      if (!entry || this.#now() - entry.at > KEPT_FOR) this.#storage.removeItem(name);
      /** @type {[string, Entry][]} */
      const found = entry && wanted(name.slice(this.all.length).split(":")[0]) ? [[name, entry]] : [];
      return found;
    });
  }

  /** @param {(entry: Entry) => boolean} done */
  #forget(done) {
    for (const [name, entry] of this.leftEntries(() => true)) if (done(entry)) this.#storage.removeItem(name);
  }

  /** @param {string} name */
  #drop(name) {
    this.own.delete(name);
    this.#storage.removeItem(name);
    this.#changed();
  }
}

/**
 * The path of an entry in a list; empty where it is in another.
 * @param {string} place
 * @param {Entry} entry
 */
const pathIn = (place, entry) => (entry.place.startsWith(`${place}#`) ? entry.place.slice(place.length + 1) : "");
