// @ts-check
// Keys: names, moves in a list, and a buffer for text that is typed before its field exists.

/** @typedef {Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">} Key */

/** @type {Record<string, string>} */
const NAMES = { " ": "Space", "\r": "Enter" };

/**
 * The name of the pressed keys, such as `Ctrl+Shift+Enter`; the command key of a Mac counts as Ctrl.
 * @param {Key} event
 */
export function keyName(event) {
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
export const hasModifier = (event) => event.ctrlKey || event.altKey || event.metaKey;

/** @type {Record<string, number>} */
export const UP_AND_DOWN = { ArrowDown: 1, ArrowUp: -1 };

/**
 * The place to which a key moves in a list with an end; undefined: the key moves nowhere.
 * @param {string} key
 * @param {number} here
 * @param {number} count
 * @param {{ steps?: Record<string, number>, page?: number }} [options] `page`: rows that PageUp and PageDown pass
 * @returns {number | undefined}
 */
export function findMove(key, here, count, { steps = UP_AND_DOWN, page = 0 } = {}) {
  /** @type {Record<string, number>} */
  const places = { Home: 0, End: count - 1 };
  if (page) Object.assign(places, { PageDown: here + page, PageUp: here - page });
  const to = key in steps ? here + steps[key] : places[key];
  return to === undefined || count < 1 ? undefined : Math.min(Math.max(to, 0), count - 1);
}

/**
 * The place some steps further in a list that begins again at its end; `here` is -1 before the first move.
 * @param {number} here
 * @param {number} step
 * @param {number} count
 */
export function wrapIndex(here, step, count) {
  return here < 0 && step < 0 ? count - 1 : (here + step + count) % count;
}

/** A buffer for what is typed before its field has the focus. */
export class TypeAhead {
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
   * Keep a key; false where the key writes nothing.
   * @param {Key} event
   */
  take(event) {
    if (hasModifier(event)) return false;
    if (event.key === "Backspace") this.#keys.pop();
    else if (event.key.length === 1 || event.key === "Enter") this.#keys.push(event.key);
    else return false;
    return true;
  }

  get isEmpty() {
    return !this.#keys.length;
  }

  /** The text up to the first Enter. */
  get text() {
    return this.#keys.slice(0, this.isEntered ? this.#keys.indexOf("Enter") : undefined).join("");
  }

  get isEntered() {
    return this.#keys.includes("Enter");
  }
}
