// @ts-check
import {
  completion,
  countLabel,
  isActive,
  matches,
  nextToOpen,
  parseFilter,
  waitsFor,
} from "../../static/lib/questions.js";
import { rowIcon, treeRows } from "../../static/lib/tree.js";
import { equal, test } from "./testing.js";

const NONE = { text: "", finished: "", keyword: "", template: "" };
const ROW = {
  number: 3,
  question: "Which Enzyme is inhibited?",
  finished: true,
  changed: false,
  template: "ok",
  tags: ["dose"],
};

test("a filter is read from the address", () => {
  equal(parseFilter("#text=CYP3A4%20dose&finished=no"), { ...NONE, text: "CYP3A4 dose", finished: "no" });
  equal(parseFilter("#template=problems"), { ...NONE, template: "problems" });
  equal(parseFilter(""), NONE);
});

test("a filter with nothing in it is none", () => {
  equal([isActive(NONE), isActive({ ...NONE, keyword: "dose" })], [false, true]);
});

test("questions are found by their text in any letters", () => {
  equal(matches({ ...NONE, text: "  enzyme " }, ROW), true);
  equal(matches({ ...NONE, text: "enzymes" }, ROW), false);
});

test("questions are found by all their texts once these are there", () => {
  equal(matches({ ...NONE, text: "CYP3A4" }, ROW, "which enzyme is inhibited?\ncyp3a4"), true);
  equal(matches({ ...NONE, text: "CYP3A4" }, ROW), false);
});

test("questions are told apart by whether they are finished", () => {
  equal(["yes", "no", ""].map((finished) => matches({ ...NONE, finished }, ROW)), [true, false, true]);
  equal([true, false].map((changed) => matches({ ...NONE, finished: "changed" }, { ...ROW, changed })), [true, false]);
});

test("duplicates are those that the server has found", () => {
  const filter = { ...NONE, finished: "duplicates" };
  equal([[3], [4], undefined].map((only) => matches({ ...filter, only }, ROW)), [true, false, false]);
});

test("questions are told apart by their keywords", () => {
  equal(["dose", "dos"].map((keyword) => matches({ ...NONE, keyword }, ROW)), [true, false]);
});

test("questions are told apart by their templates", () => {
  const states = ["ok", "unchecked", "none", "problem", "a state of tomorrow"];
  const shown = (/** @type {string} */ wanted) =>
    states.filter((template) => matches({ ...NONE, template: wanted }, { ...ROW, template }));
  equal(shown("none"), ["none"]);
  equal(shown("problems"), ["problem", "a state of tomorrow"]);
  equal(shown(""), states);
});

test("every part of a filter has to fit", () => {
  const filter = { text: "enzyme", finished: "yes", keyword: "dose", template: "" };
  equal(matches(filter, ROW), true);
  equal(matches({ ...filter, finished: "no" }, ROW), false);
});

test("after a deletion the next question opens, or else the one before", () => {
  equal(nextToOpen([1, 2, 3, 4], 2, [2]), 3);
  equal(nextToOpen([1, 2, 3, 4], 2, [2, 3]), 4);
  equal(nextToOpen([1, 2, 3, 4], 4, [4, 3]), 2);
});

test("a question that stays open is opened again", () => {
  equal(nextToOpen([1, 2, 3, 4], 2, [3]), 2);
});

test("without an open question the first that stays opens, if one does", () => {
  equal([nextToOpen([5, 6, 7], undefined, [5]), nextToOpen([5, 6], null, [5, 6]), nextToOpen([], 1, [1])], [
    6,
    null,
    null,
  ]);
});

test("the count tells of all questions, or how many of them are shown", () => {
  equal([countLabel(1, 1), countLabel(0, 0), countLabel(1200, 1200)], ["1 question", "0 questions", "1,200 questions"]);
  equal([countLabel(0, 1), countLabel(3, 1200)], ["0 of 1", "3 of 1,200"]);
});

test("a finished question without a working template is told as one", () => {
  const templates = ["ok", "unchecked", "problem", "none"];
  equal(templates.map((template) => completion({ ...ROW, template })), [
    "finished",
    "finished",
    "unusable",
    "unusable",
  ]);
  equal(completion({ ...ROW, finished: false, template: "none" }), "");
  equal(completion({ ...ROW, changed: true, template: "ok" }), "changed");
});

const FOLDERS = {
  "": {
    entries: [{ path: "notes", name: "notes", kind: "folder" }, { path: "a.png", name: "a.png", kind: "file" }],
    more: 0,
  },
  notes: { entries: [{ path: "notes/b.md", name: "b.md", kind: "file" }], more: 700 },
};

test("of a tree, entries of open folders are rows", () => {
  equal(treeRows(FOLDERS, {}).map(({ path, level }) => [path, level]), [["notes", 1], ["a.png", 1]]);
  const rows = treeRows(FOLDERS, { notes: true });
  equal(rows.map(({ name, level }) => [name, level]), [
    ["notes", 1],
    ["b.md", 2],
    ["… and 700 more: show 300", 2],
    ["a.png", 1],
  ]);
  equal(new Set(rows.map(({ key }) => key)).size, 4);
});

test("a tree says where a folder is empty, unknown, or could not be read", () => {
  const empty = { entries: [], more: 0 };
  equal(treeRows({ "": empty }, {})[0].name, "No files yet. Add files with the buttons above, or drop them here.");
  equal(treeRows({ ...FOLDERS, notes: empty }, { notes: true })[1].name, "empty");
  equal(treeRows({ ...FOLDERS, notes: { ...empty, problem: "No" } }, { notes: true })[1].name, "No");
  equal(treeRows({}, {}), []);
});

test("files of a tree have signs by their kinds and names", () => {
  const row = { key: "", path: "", level: 1, name: "Figure.JPEG", kind: "file" };
  equal(rowIcon(row, false), "image");
  equal(rowIcon({ ...row, name: "jpeg.txt" }, false), "description");
  equal(rowIcon({ ...row, kind: "outside" }, false), "link_off");
  equal([true, false].map((open) => rowIcon({ ...row, kind: "folder" }, open)), ["folder_open", "folder"]);
});

test("a question waits for its author once it is returned, else for a reviewer", () => {
  const open = { ...ROW, finished: false, changed: false, author: "Ada" };
  equal([waitsFor("Grace", open), waitsFor(" ada", open), waitsFor("", open)], [true, false, true]);
  const returned = { ...open, returned: true };
  equal([waitsFor("Grace", returned), waitsFor("Ada", returned), waitsFor("", returned)], [false, true, false]);
  equal([waitsFor("Grace", { ...open, finished: true }), waitsFor("Grace", { ...open, nameless: true })], [
    false,
    false,
  ]);
  equal(waitsFor("Grace", { ...open, finished: true, changed: true }), true);
  equal(matches({ ...NONE, finished: "waiting", me: "Grace" }, returned), false);
  equal(isActive({ ...NONE, me: "Grace" }), false);
});
