// @ts-check
// Keys: their names, where they lead in a list, and what is typed before its field is there.

/** @typedef {Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">} Key */

/** @type {Record<string, string>} */
const NAMES = { " ": "Space", "\r": "Enter" };

/**
 * The name of what is pressed, such as `Ctrl+Shift+Enter`; the command key of a Mac counts as Ctrl.
 * @param {Key} event
 */
export function combination(event) {
  const parts = [];
  if (event.ctrlKey || event.metaKey) parts.push("Ctrl");
  if (event.altKey) parts.push("Alt");
  // With Alt held, keyboards give other signs; the key's own letter is meant.
  const letter = event.altKey && /^Key[A-Z]$/.test(event.code) ? event.code.slice(3) : event.key;
  const name = NAMES[letter] || (letter.length === 1 ? letter.toUpperCase() : letter);
  if (event.shiftKey && (parts.length || name.length > 1)) parts.push("Shift");
  return [...parts, name].join("+");
}

/**
 * Whether a text field could mean this key for itself.
 * @param {string} name
 */
export const isPlain = (name) => !/^(Ctrl|Alt)\+/.test(name) && !/^(Shift\+)?F\d+$/.test(name);

/** @param {Pick<KeyboardEvent, "ctrlKey" | "metaKey" | "altKey">} event */
export const isHeld = (event) => event.ctrlKey || event.altKey || event.metaKey;

/** @type {Record<string, number>} */
const ALONG = { ArrowDown: 1, ArrowUp: -1 };

/**
 * Where a key leads from a place in a list that has an end; undefined: nowhere.
 * @param {string} key
 * @param {number} here
 * @param {number} count
 * @param {{ steps?: Record<string, number>, page?: number }} [options] `page`: rows that PageUp and PageDown pass
 * @returns {number | undefined}
 */
export function moved(key, here, count, { steps = ALONG, page = 0 } = {}) {
  /** @type {Record<string, number>} */
  const places = { Home: 0, End: count - 1 };
  if (page) Object.assign(places, { PageDown: here + page, PageUp: here - page });
  const to = key in steps ? here + steps[key] : places[key];
  return to === undefined || count < 1 ? undefined : Math.min(Math.max(to, 0), count - 1);
}

/**
 * The place some steps further in a list without an end; `here` is -1 where one is in none yet.
 * @param {number} here
 * @param {number} step
 * @param {number} count
 */
export function around(here, step, count) {
  return here < 0 && step < 0 ? count - 1 : (here + step + count) % count;
}

/** What is typed while the field for it has not got the focus yet. */
export class HeldTyping {
  /** @type {string[]} */
  #keys = [];

  /**
   * @param {string} field a selector
   * @param {number} until then somebody types on elsewhere
   */
  constructor(field, until) {
    this.field = field;
    this.until = until;
  }

  /**
   * Keep a key; false where it is none that writes.
   * @param {Key} event
   */
  take(event) {
    if (isHeld(event)) return false;
    if (event.key === "Backspace") this.#keys.pop();
    else if (event.key.length === 1 || event.key === "Enter") this.#keys.push(event.key);
    else return false;
    return true;
  }

  get isEmpty() {
    return !this.#keys.length;
  }

  /** Up to the first Enter, which ends it. */
  get text() {
    return this.#keys.slice(0, this.isEntered ? this.#keys.indexOf("Enter") : undefined).join("");
  }

  get isEntered() {
    return this.#keys.includes("Enter");
  }
}
