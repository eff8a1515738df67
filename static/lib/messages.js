// @ts-check
// Messages to the application: which go by HTTP since they are too large for the socket, and in which order.

/** @typedef {{ id: number, client_id: string, listener_id: string, args: string[] }} Message */

const HALF = /\\u[dD][89a-fA-F]/; // in JSON: half of a character, as some programs put into the clipboard
export const MOST = 900000; // characters of a message; NiceGUI drops those of a million
const CERTAIN = 400000; // no more than doubled when it is written as JSON

/** @param {Message} message */
export function isLarge(message) {
  const inside = message.args.reduce((sum, part) => sum + (part?.length ?? 0), 0);
  return inside > CERTAIN && JSON.stringify(message).length > MOST;
}

/**
 * Nothing can store half of a character, so what stands for an unknown one takes its place.
 * @param {string} part JSON
 */
export function wellFormed(part) {
  return HALF.test(part) ? JSON.stringify(JSON.parse(part, (_, value) => value?.toWellFormed?.() ?? value)) : part;
}

/**
 * Whether it brings the whole text of a field, not a change of it.
 * @param {Message} message
 */
const isText = (message) => message.args[0]?.startsWith('"');

/** Messages that wait for one that takes its time, so that the order holds. */
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
    const newer = last && this.length > 1 && isText(message) && last.id === message.id &&
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
