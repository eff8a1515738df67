// @ts-check
// Keyboard shortcuts, recognized here so that ordinary typing never travels to the server.
import { openDialogs, targetElement } from "karenina/dom.js";
import { isPlain, keyName, TypeAhead } from "karenina/keys.js";

/** @typedef {{ id: string, act?: () => void, field?: string, opens?: string }} Command
 * `field`: a selector of what gets the focus; `opens`: of what appears and then gets it */

const LONGEST = 10_000; // milliseconds that a field may take to appear, such as while the library is locked
/** @type {Record<string, Command>} */
let table = {};
/**
 * What is typed on while the field of a command has not got the focus yet is kept for it, and goes nowhere else.
 * @type {TypeAhead | null}
 */
let held = null;
/** Key of the last shortcut, which must do nothing else when it is released: a checkbox would change its state. */
let pressed = "";

/** @param {string} field */
const hold = (field) => new TypeAhead(field, performance.now() + LONGEST);

/** @param {Element | null} where */
function isTyping(where) {
  return !!where?.closest("input, textarea, select, .cm-editor") ||
    !!(where instanceof HTMLElement && where.isContentEditable);
}

/**
 * Whether the focus is in a text, which has its own undo.
 * @param {Element | null} where
 */
function isInText(where) {
  return isTyping(where) && !where?.closest("input[type=checkbox], input[type=radio]");
}

/** @param {KeyboardEvent} event */
function holdKey(event) {
  const over = event.key === "Escape" || (held && performance.now() > held.until);
  if (over || (held && targetElement(event)?.matches(held.field))) held = null;
  if (event.isComposing || !held?.take(event)) return false;
  event.preventDefault();
  event.stopPropagation();
  return true;
}

/** @param {Element | null} where */
const ownKeys = (where) =>
  /** @type {HTMLElement | null | undefined} */ (where?.closest("[data-own-keys]"))?.dataset.ownKeys;

/**
 * Whether a key belongs to where it was pressed, and is no shortcut there.
 * @param {KeyboardEvent} event
 * @param {string} name
 */
function isTaken(event, name) {
  if (event.isComposing) return true;
  if (event.getModifierState("AltGraph")) return true; // writes a sign: @ is AltGr+Q on many keyboards
  const where = targetElement(event);
  if (ownKeys(where)?.split(" ").includes(name)) return true;
  if (/^Ctrl\+(Z|Y|Shift\+Z)$/.test(name) && isInText(where)) return true;
  if (name.startsWith("Alt+Arrow") && where?.closest(".cm-editor")) return true; // moves lines there
  return isPlain(name) && (isTyping(where) || openDialogs().length > 0 || !!where?.closest(".q-menu"));
}

addEventListener("focusin", (event) => {
  const field = targetElement(event);
  if (!held || !field?.matches(held.field)) return;
  const { isEmpty, text, isEntered } = held;
  held = null;
  if (isEmpty) return;
  /** @type {HTMLInputElement} */ (field).value += text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  if (isEntered) field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
});

addEventListener("pointerdown", (event) => {
  if (isTyping(targetElement(event))) held = null; // somebody writes elsewhere instead
}, true);

addEventListener("click", (event) => {
  const opener = /** @type {HTMLElement | null | undefined} */ (
    targetElement(event)?.closest("[data-typing-goes-to]")
  );
  if (opener?.dataset.typingGoesTo) window.holdTyping(opener.dataset.typingGoesTo);
}, true);

addEventListener("keydown", (event) => {
  if (holdKey(event)) return;
  const name = keyName(event), command = table[name];
  if (!command || isTaken(event, name)) return;
  pressed = event.key;
  event.preventDefault();
  event.stopPropagation();
  if (openDialogs().length) return; // what lies behind it stays as it is
  const plain = isPlain(name), where = targetElement(event);
  // What was typed last is saved before anything else happens.
  if (!plain && isTyping(where)) where?.dispatchEvent(new Event("change", { bubbles: true }));
  if (command.act) return command.act();
  const field = command.field && /** @type {HTMLElement | null} */ (document.querySelector(command.field));
  if (field) return field.focus();
  // The field that is open now may look like the one that is about to appear.
  if (command.opens && where instanceof HTMLElement) where.blur();
  const next = command.opens || command.field;
  held = plain || !next ? null : hold(next);
  setTimeout(() => send(command.id));
}, true);

addEventListener("keyup", (event) => {
  if (event.key !== pressed) return;
  pressed = "";
  event.stopPropagation();
}, true);

/**
 * What is pressed while the page is still connecting is done as soon as it is.
 * @param {string} command
 */
function send(command) {
  window.did_handshake ? emitEvent("command", command) : setTimeout(() => send(command), 10);
}

/**
 * The field that fits is about to appear and gets the focus then.
 * @param {string} field
 */
window.holdTyping = (field) => {
  if (held?.field !== field || performance.now() > held.until) held = hold(field);
};
/** @param {Record<string, Command>} shortcuts */
window.listenForShortcuts = (shortcuts) => {
  table = shortcuts;
};
