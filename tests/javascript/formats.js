// @ts-check
import { formatReference, parseReference } from "../../static/lib/evidence.js";
import { parseFileName } from "../../static/lib/fetch.js";
import {
  formatCount,
  formatCountOf,
  formatInteger,
  formatLength,
  formatSeconds,
  formatSize,
  shorten,
} from "../../static/lib/format.js";
import { findChange } from "../../static/lib/texts.js";
import { equal, test } from "./testing.js";

test("whole numbers are grouped, and none is an empty cell", () => {
  equal([formatInteger(1234567), formatInteger(0), formatInteger(null), formatInteger(undefined)], [
    "1,234,567",
    "0",
    "",
    "",
  ]);
});

test("one of something is in the singular", () => {
  equal([formatCount(0, "edit"), formatCount(1, "edit"), formatCount(1200, "edit")], [
    "0 edits",
    "1 edit",
    "1,200 edits",
  ]);
  equal(formatCount(2, "entry", "entries"), "2 entries");
});

test("a part of all is told as one", () => {
  equal([formatCountOf(3, 1200), formatCountOf(1200, 1200), formatCountOf(0, 2)], ["3 of 1,200", "1,200", "0 of 2"]);
});

test("seconds have as many digits as they deserve", () => {
  equal([0.0004, 0.25, 1, 9.994, 12.34].map(formatSeconds), ["0 ms", "250 ms", "1.00 s", "9.99 s", "12.3 s"]);
  equal([formatSeconds(null), formatSeconds(undefined)], ["", ""]);
});

test("sizes are told in bytes, kilobytes, and megabytes", () => {
  equal([0, 999, 1000, 999999, 2500000].map((each) => formatSize(each)), [
    "0 B",
    "999 B",
    "1.0 kB",
    "1000.0 kB",
    "2.5 MB",
  ]);
  equal([formatSize(12, "bytes"), formatSize(1200, "bytes")], ["12 bytes", "1.2 kB"]);
});

test("lengths of texts are told in characters", () => {
  equal(["a", "ab", "a".repeat(1500)].map(formatLength), ["1 character", "2 characters", "1,500 characters"]);
});

test("a long text is shortened to what fits", () => {
  equal([shorten("twelve chars", 12), shorten("thirteen char", 12)], ["twelve chars", "thirteen ch…"]);
});

test("the name of an export is read from its header", () => {
  equal(parseFileName('attachment; filename="run 3.csv"'), "run 3.csv");
  equal(parseFileName("attachment; filename*=utf-8''L%C3%B6sung.csv"), "Lösung.csv");
  equal(parseFileName(""), "");
});

test("spots in files are written as they are read", () => {
  for (const written of ["notes/dose.md", "notes/dose.md:3", "notes/dose.md:3-5", "a:b/c.md:12"]) {
    equal(formatReference(parseReference(written)), written);
  }
  equal(parseReference("notes/dose.md:3"), { path: "notes/dose.md", first: 3, last: 3 });
  equal(parseReference("a:b"), { path: "a:b", first: 0, last: 0 });
});

test("a change of a text leaves what is equal around it", () => {
  equal(findChange("return 1\n", "return 12\n"), { from: 8, to: 8, insert: "2" });
  equal(findChange("aaa", "aa"), { from: 2, to: 3, insert: "" });
  equal(findChange("", "new"), { from: 0, to: 0, insert: "new" });
  equal(findChange("old", ""), { from: 0, to: 3, insert: "" });
});

test("a change leads from the one text to the other", () => {
  const texts = ["", "a", "aa", "aba", "abab", "bab", "def f():\n    return 1\n", "def g():\n    return 1\n"];
  for (const before of texts) {
    for (const after of texts) {
      const { from, to, insert } = findChange(before, after);
      equal(before.slice(0, from) + insert + before.slice(to), after);
    }
  }
});
