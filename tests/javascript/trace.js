// @ts-check
import {
  findCuts,
  findFailures,
  findHits,
  hitSpans,
  isShort,
  LONGEST_QUERY,
  messageParts,
  MOST_HITS,
  nameSigns,
  searchPattern,
  sizeChange,
  splitText,
} from "../../static/lib/trace.js";
import { equal, test } from "./testing.js";

/** @typedef {import("../../static/lib/trace.js").Message} Message */

/**
 * @param {Partial<Message>} [more]
 * @returns {Message}
 */
const message = (more) => ({
  ...{ number: 1, role: "assistant", title: "Assistant", text: "", thinking: [], calls: [], results: [] },
  ...more,
});

const CALL = { name: "look_up", arguments: '{"page": 1}', marks: [] };

/**
 * @param {string} query
 * @param {string} text
 */
const finds = (query, text) => [...text.matchAll(searchPattern(query) ?? /(?!)/g)].map((m) => m[0]);

test("a search passes over letters' size and over signs that nobody sees", () => {
  equal(finds("password", "Password, pass\u200bword, pass\u00adword"), [
    "Password",
    "pass\u200bword",
    "pass\u00adword",
  ]);
});

test("a search takes signs of patterns as they are", () => {
  equal(finds("f(x)*.[1]\\d/", "f(x)*.[1]\\d/ fx1d"), ["f(x)*.[1]\\d/"]);
});

test("nothing, and a single letter, are not searched for", () => {
  equal([searchPattern(""), searchPattern("a"), searchPattern("\u200ba")], [null, null, null]);
  equal(searchPattern("ab") !== null, true);
});

test("an unseen sign is found by itself and by its name", () => {
  equal(finds("\u200b", "a\u200bb"), ["\u200b"]);
  equal(finds("u+009b", "a\u009bb, U+009B"), ["\u009b", "U+009B"]);
  equal(finds("U+E0041", "\u{e0041}"), ["\u{e0041}"]);
});

test("characters beyond the first plane are one each", () => {
  equal(finds("😀", "😀😁"), ["😀"]);
});

test("a query of any length makes a pattern", () => {
  equal(finds("a".repeat(LONGEST_QUERY + 500), "a".repeat(LONGEST_QUERY)).length, 1);
});

test("a text names its unseen signs, but neither line ends nor flags", () => {
  equal(nameSigns("a\u200bb\x07"), "aU+200BbU+0007");
  equal(nameSigns("one\r\ntwo\n\tthree"), "one\r\ntwo\n\tthree");
  equal(nameSigns("\u{1f3f4}\u{e0067}\u{e0062}\u{e007f}"), "\u{1f3f4}\u{e0067}\u{e0062}\u{e007f}");
  equal(nameSigns("a\u{e0067}"), "aU+E0067");
});

test("a message is shown as thinking, text, calls, results, and its end", () => {
  const parts = messageParts(message({ thinking: ["Hm."], text: "So.", calls: [CALL], end: "Stopped" }));
  equal(parts.map(({ kind, key, text }) => [kind, key, text]), [
    ["thinking", "1thinking0", "Hm."],
    ["text", "1text0", "So."],
    ["call", "1call0", '{"page": 1}'],
    ["end", "1end0", "Stopped"],
  ]);
});

test("the text of a message with results is theirs", () => {
  const parts = messageParts(message({ text: "Page 1", results: [{ text: "Page 1", name: "look_up", call: 2 }] }));
  equal(parts.map(({ kind, title, call }) => [kind, title?.text, call]), [["result", "look_up", 2]]);
});

test("what went wrong with a call, and what was cut of a result, stands beside it", () => {
  const calls = [{ ...CALL, not_run: "not run", marks: ["cut off"] }];
  const results = [{ text: "", error: true, cut: { before: 2000, after: 500 } }];
  const notes = messageParts(message({ calls, results })).map((part) =>
    part.notes?.map(({ text, look }) => [text, look])
  );
  equal(notes[0]?.map(([text]) => text), ["not run", "cut off"]);
  equal(notes[1]?.map(([text]) => text), ["failed", "cut: 2.0 kB → 500 bytes"]);
  equal(notes.flat().map((note) => note?.[1]?.endsWith("-bad")), [true, true, true, false]);
});

test("short parts are shown at once, thinking never is, and instructions are shortened sooner", () => {
  const [thinking, text] = messageParts(message({ thinking: ["Hm."], text: "x".repeat(501) }));
  const [instructions] = messageParts(message({ role: "system", text: "x".repeat(501) }));
  equal([thinking, text, instructions].map(isShort), [false, true, false]);
  const [short, long] = [400, 401].map((length) =>
    messageParts(message({ results: [{ text: "x".repeat(length) }] }))[0]
  );
  equal([short, long].map(isShort), [true, false]);
});

test("failures are the messages with one and those that called for it", () => {
  const refused = message({ number: 2, calls: [{ ...CALL, not_run: "no" }] });
  const failed = message({ number: 5, results: [{ text: "", error: true, call: 4 }, { text: "", call: 3 }] });
  equal(findFailures([message(), refused, failed]), new Set([2, 5, 4]));
});

test("cuts are those of messages and of results", () => {
  const one = message({ number: 2, cut: { before: 9, after: 3 } });
  const other = message({ number: 3, results: [{ text: "", cut: { before: 8, after: 4 } }, { text: "", cut: null }] });
  equal(findCuts([message(), one, other]), [{ number: 2, before: 9, after: 3 }, { number: 3, before: 8, after: 4 }]);
  equal(sizeChange({ before: 2500000, after: 12 }), "2.5 MB → 12 bytes");
});

test("hits come in the order in which they are shown: name, notes, arguments", () => {
  const calls = [{ name: "bash", arguments: "bash bash", marks: ["no bash"] }];
  const hits = findHits([message({ number: 4, calls }), message({ number: 5, text: "bash" })], /bash/giu);
  equal(hits.map(({ number, key, nth }) => [number, key, nth]), [
    [4, "4callname0", 0],
    [4, "4callmark0_0", 0],
    [4, "4call0", 0],
    [4, "4call0", 1],
    [5, "5text0", 0],
  ]);
});

test("hits end at a number that nobody steps through", () => {
  equal(findHits([message({ text: "ab ".repeat(MOST_HITS + 10) })], /ab/gu).length, MOST_HITS);
});

test("the match at which one is looks unlike the others", () => {
  const marks = hitSpans("1text0", "ab ab", /ab/gu, { number: 1, key: "1text0", nth: 1 });
  equal(marks.map(([begin, end]) => [begin, end]), [[0, 2], [3, 5]]);
  equal(marks[0][2] !== marks[1][2], true);
  equal(hitSpans("2text0", "ab ab", /ab/gu, { number: 1, key: "1text0", nth: 1 }).map((mark) => mark[2]), [
    marks[0][2],
    marks[0][2],
  ]);
  equal(hitSpans("1text0", "ab", null, undefined), []);
});

test("a text is cut into pieces where its looks change", () => {
  const pieces = splitText("one two three", [[4, 7, "bold"], [6, 9, "hit"]]);
  equal(pieces.map(({ t, c }) => [t, c]), [["one ", ""], ["tw", "bold"], ["o", "bold hit"], [" t", "hit"], [
    "hree",
    "",
  ]]);
});

test("pieces make the whole text, also where a look goes beyond it", () => {
  const text = "a\u200bb c",
    spans = /** @type {import("../../static/lib/trace.js").Span[]} */ ([[3, 99, "x"], [0, 2, "y"]]);
  equal(splitText(text, spans).map(({ t }) => t).join(""), text);
  equal(splitText(text, []).map(({ t, c, sign }) => [t, c, sign ?? ""]), [
    ["a", "", ""],
    ["\u200b", "sign", "U+200B"],
    ["b c", "", ""],
  ]);
});

test("a text without looks is one piece", () => {
  equal(splitText("plain", []), [{ t: "plain", c: "" }]);
});
