// @ts-check
// Events by HTTP that are too large for one message over the socket. Later events wait for them, so that the order
// holds; failed requests are repeated until they succeed. Leaving the page meanwhile asks for confirmation.
import { element, targetElement } from "karenina/dom.js";
import { address } from "karenina/fetch.js";
import { isLarge, LONGEST_MESSAGE, MessageQueue, replaceHalves } from "karenina/messages.js";
import { pause } from "karenina/waiting.js";

/** @typedef {import("karenina/messages.js").Message} Message */

const AGAIN = 1000; // milliseconds
/**
 * The message below each control whose text was refused.
 * @type {Map<number, HTMLElement>}
 */
const refused = new Map();
/** @type {any} */
let socket = null;
/** @type {((name: string, ...rest: any[]) => any) | null} */
let plain = null;
const queue = new MessageQueue((message) => {
  if (isLarge(message)) return post(message);
  plain?.call(socket, "event", message);
});

// Text typed in the last fraction of a second is sent before the page is left.
addEventListener(
  "beforeunload",
  () => document.activeElement?.dispatchEvent(new Event("change", { bubbles: true })),
);

/** @param {Message} message */
async function post(message) {
  for (;;) {
    const path = `/api/windows/${message.client_id}/events`;
    const sent = { method: "POST", body: JSON.stringify(message) };
    const answer = await fetch(address(path), sent).catch(() => null);
    if (answer?.ok || answer?.status === 413) return showRefusal(message.id, !answer.ok);
    await pause(AGAIN);
  }
}

/**
 * Show below the control that its text is too long, or remove this message. An event without a control is a copy.
 * @param {number} id
 * @param {boolean} tooLarge
 */
function showRefusal(id, tooLarge) {
  const control = getHtmlElement(id)?.closest("label.q-field, .nicegui-codemirror");
  if (!tooLarge || !control) {
    refused.get(id)?.remove();
    refused.delete(id);
  } else if (!refused.get(id)?.isConnected) {
    const text = "Not saved: this text is too long. Shorten it to 20 million characters.";
    const words = element("div", "field-error", text);
    words.setAttribute("role", "alert");
    control.after(words);
    refused.set(id, words);
  }
}

Object.defineProperty(window, "socket", {
  get: () => socket,
  set(made) { // once, by NiceGUI
    socket = made;
    plain = made.emit;
    /** @type {(this: any, name: string, ...rest: any[]) => any} */
    made.emit = function (name, ...rest) {
      if (name === "event") rest[0].args = rest[0].args.map(replaceHalves);
      if (name !== "event" || !(queue.length || isLarge(rest[0]))) return plain?.call(this, name, ...rest);
      queue.add(rest[0]);
      return this;
    };
  },
});

addEventListener("beforeunload", (event) => {
  const unsaved = queue.length || [...refused.values()].some((words) => words.isConnected);
  if (unsaved) event.preventDefault();
}, true);

// A short text in a control whose long one was refused.
addEventListener("input", (event) => {
  const field = targetElement(event), control = field?.closest("label.q-field");
  const [id] = [...refused].find(([, words]) => words.previousElementSibling === control) ?? [];
  if (id !== undefined && /** @type {HTMLInputElement} */ (field).value.length < LONGEST_MESSAGE) {
    showRefusal(id, false);
  }
});

/**
 * Lock this part of the page until `letGo`; false where the focus is inside it. See `when_still`.
 * @param {number} id
 */
window.holdStill = (id) => {
  const place = getHtmlElement(id);
  if (!place || place.contains(document.activeElement)) return false;
  place.inert = true;
  return true;
};

/** @param {number} id */
window.letGo = (id) => {
  const place = getHtmlElement(id);
  if (place) place.inert = false;
};
