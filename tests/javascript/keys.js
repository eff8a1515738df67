// @ts-check
import { findMove, isPlain, keyName, TypeAhead, wrapIndex } from "../../static/lib/keys.js";
import { equal, test } from "./testing.js";

/**
 * @param {string} key
 * @param {Partial<import("../../static/lib/keys.js").Key>} [held]
 */
const pressed = (key, held) => ({
  ...{ key, code: "", ctrlKey: false, metaKey: false, altKey: false, shiftKey: false },
  ...held,
});

test("a letter is named in capitals, and a shifted one alike", () => {
  equal(keyName(pressed("k")), "K");
  equal(keyName(pressed("K", { shiftKey: true })), "K");
  equal(keyName(pressed("?", { shiftKey: true })), "?");
});

test("keys that are held are named in one order", () => {
  equal(keyName(pressed("s", { shiftKey: true, ctrlKey: true })), "Ctrl+Shift+S");
  equal(keyName(pressed("Enter", { shiftKey: true, altKey: true, ctrlKey: true })), "Ctrl+Alt+Shift+Enter");
  equal(keyName(pressed("F6", { shiftKey: true })), "Shift+F6");
});

test("the command key of a Mac counts as Ctrl", () => {
  equal(keyName(pressed("k", { metaKey: true })), "Ctrl+K");
});

test("with Alt the letter on the key counts, not the sign that it gives", () => {
  equal(keyName(pressed("µ", { altKey: true, code: "KeyM" })), "Alt+M");
  equal(keyName(pressed("ArrowDown", { altKey: true, code: "ArrowDown" })), "Alt+ArrowDown");
});

test("a space and a carriage return have names", () => {
  equal([keyName(pressed(" ")), keyName(pressed("\r"))], ["Space", "Enter"]);
});

test("fields keep plain keys, not those with Ctrl or Alt, nor F keys", () => {
  equal(["K", "Delete", "Shift+Enter", "/"].map(isPlain), [true, true, true, true]);
  equal(["Ctrl+K", "Alt+1", "F6", "Shift+F6"].map(isPlain), [false, false, false, false]);
});

test("arrows lead along a list and stop at its ends", () => {
  equal(findMove("ArrowDown", 1, 3), 2);
  equal(findMove("ArrowDown", 2, 3), 2);
  equal(findMove("ArrowUp", 0, 3), 0);
  equal(findMove("ArrowDown", -1, 3), 0);
});

test("other keys lead to the ends of a list and by pages", () => {
  equal([findMove("Home", 5, 9), findMove("End", 5, 9)], [0, 8]);
  equal([findMove("PageDown", 5, 30, { page: 12 }), findMove("PageUp", 5, 30, { page: 12 })], [17, 0]);
  equal(findMove("PageDown", 5, 30), undefined);
});

test("a key that does not move, and an empty list, lead nowhere", () => {
  equal(findMove("Enter", 0, 3), undefined);
  equal(findMove("ArrowDown", -1, 0), undefined);
  equal(findMove("ArrowDown", 0, 3, { steps: { ArrowRight: 1 } }), undefined);
  equal(findMove("ArrowRight", 0, 3, { steps: { ArrowRight: 1 } }), 1);
});

test("a list without an end is gone around", () => {
  equal([wrapIndex(2, 1, 3), wrapIndex(0, -1, 3)], [0, 2]);
  equal([wrapIndex(-1, 1, 3), wrapIndex(-1, -1, 3)], [0, 2]);
});

test("what is typed before its field is there is kept up to Enter", () => {
  const held = new TypeAhead("input", 0);
  equal([held.isEmpty, held.text, held.isEntered], [true, "", false]);
  for (const key of ["d", "o", "x", "Backspace", "s", "e"]) equal(held.take(pressed(key)), true);
  equal([held.isEmpty, held.text, held.isEntered], [false, "dose", false]);
  held.take(pressed("Enter"));
  held.take(pressed("x"));
  equal([held.text, held.isEntered], ["dose", true]);
});

test("shortcuts and keys that write nothing are not kept", () => {
  const held = new TypeAhead("input", 0);
  equal(held.take(pressed("k", { ctrlKey: true })), false);
  equal(held.take(pressed("ArrowDown")), false);
  equal(held.isEmpty, true);
});
