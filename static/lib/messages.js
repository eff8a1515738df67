// @ts-check
// Messages to the application: the limit of the socket, and a queue that keeps their order.

/** @typedef {{ id: number, client_id: string, listener_id: string, args: string[] }} Message */

const HALF_CHARACTER = /\\u[dD][89a-fA-F]/; // in JSON: half of a character, as some programs put into the clipboard
export const LONGEST_MESSAGE = 900000; // characters of a message; NiceGUI drops those of a million
const SURELY_SMALL = 400000; // no more than doubled when it is written as JSON

/** @param {Message} message */
export function isLarge(message) {
  const inside = message.args.reduce((sum, part) => sum + (part?.length ?? 0), 0);
  return inside > SURELY_SMALL && JSON.stringify(message).length > LONGEST_MESSAGE;
}

/**
 * Replace halves of characters, which nothing can store, by the sign for an unknown character.
 * @param {string} part JSON
 */
export function replaceHalves(part) {
  return HALF_CHARACTER.test(part)
    ? JSON.stringify(JSON.parse(part, (_, value) => value?.toWellFormed?.() ?? value))
    : part;
}

/**
 * Whether the message contains the whole text of a field, not a change of it.
 * @param {Message} message
 */
const isWholeText = (message) => message.args[0]?.startsWith('"');

/** Messages that wait for a slow one, so that the order holds. */
export class MessageQueue {
  /** @type {Message[]} */
  #messages = [];
  #send;

  /** @param {(message: Message) => Promise<void> | void} send returns nothing where it is done at once */
  constructor(send) {
    this.#send = send;
  }

  get length() {
    return this.#messages.length;
  }

  /** @param {Message} message */
  add(message) {
    const last = this.#messages.at(-1);
    // The first is being sent. Of the others, a text takes the place of an older one of the same field.
    const newer = last && this.length > 1 && isWholeText(message) && last.id === message.id &&
      last.listener_id === message.listener_id;
    if (newer) this.#messages[this.length - 1] = message;
    else if (this.#messages.push(message) === 1) this.#sendAll();
  }

  async #sendAll() {
    for (; this.length; this.#messages.shift()) {
      const sent = this.#send(this.#messages[0]);
      if (sent) await sent;
    }
  }
}
