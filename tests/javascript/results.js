// @ts-check
import { partFrom, refusalOf } from "../../static/lib/folders.js";
import { isSame, keepingOrder, kindOf, ordered, orderIn, sought, titleOf } from "../../static/lib/results.js";
import { equal, test } from "./testing.js";

const CELL = { passed: 3, judged: 3, left_out: 0, outcome: "failed", score: null };

test("another filter keeps the order", () => {
  equal(keepingOrder("outcome=failed", "model=a&sort=-seconds").toString(), "outcome=failed&sort=-seconds");
  equal(keepingOrder("outcome=failed", "model=a").toString(), "outcome=failed");
});

test("the grid's order is written in the query, and replaces the one before", () => {
  equal(ordered("sort=tokens&model=a", [{ colId: "seconds", sort: "desc" }]), "model=a&sort=-seconds");
  equal(ordered("sort=tokens&model=a", []), "model=a");
});

test("the order of a query is read as it was written", () => {
  equal(orderIn("model=a&sort=-seconds"), [{ colId: "seconds", sort: "desc" }]);
  equal(orderIn("sort=seconds"), [{ colId: "seconds", sort: "asc" }]);
  equal(orderIn("model=a"), []);
});

test("blanks are not searched for", () => {
  equal(sought(new URLSearchParams("text=old"), "  ").toString(), "");
  equal(sought(new URLSearchParams("text=old"), " new").get("text"), " new");
});

test("queries that ask for the same are the same in any order", () => {
  equal([isSame("a=1&b=2", "b=2&a=1"), isSame("a=1", "a=2"), isSame("", "a=1")], [true, false, false]);
});

test("a cell is passed, varies, or has the outcome of its results", () => {
  equal(kindOf(CELL), "passed");
  equal(kindOf({ ...CELL, passed: 1 }), "varies");
  equal(kindOf({ ...CELL, passed: 0 }), "failed");
  equal(kindOf({ ...CELL, passed: 0, judged: 0, outcome: "error" }), "error");
});

test("a cell says in full how many results passed, and how many have no verdict", () => {
  equal(titleOf(CELL, "Passed"), "Passed: 3 of 3 passed");
  equal(titleOf({ ...CELL, passed: 1, left_out: 2 }, "Varies"), "Varies: 1 of 3 passed, 2 without a verdict");
});

test("a cell of traits says their score", () => {
  equal(titleOf({ ...CELL, score: { text: "4.2", n: 5 } }, "Passed"), "4.2, n = 5");
  equal(titleOf({ ...CELL, passed: 0, judged: 0, outcome: "scored" }, "Scored"), "Evaluated by traits only");
});

/** @param {...number} sizes */
const files = (...sizes) => sizes.map((size, at) => ({ file: /** @type {File} */ ({ size }), path: `f/${at}` }));
const LIMITS = { most: 4, size: 100, largest: 60 };

test("a folder is refused for its number of files, its size, or one file", () => {
  equal(refusalOf(files(1, 1, 1), 2, LIMITS), { reason: "files" });
  equal(refusalOf(files(50, 51), 0, LIMITS), { reason: "size", size: 101 });
  equal(refusalOf(files(1, 61), 0, LIMITS), { reason: "large", path: "f/1" });
  equal(refusalOf(files(40, 60), 2, LIMITS), null);
});

test("a folder is sent in parts of fifty files and of 32 MB, each of one file at least", () => {
  const MB = 1024 * 1024;
  equal(partFrom(files(...Array(60).fill(1)), 0).length, 50);
  equal(partFrom(files(...Array(60).fill(1)), 50).length, 10);
  equal(partFrom(files(20 * MB, 12 * MB, 1), 0).length, 2);
  equal(partFrom(files(40 * MB, 1), 0).length, 1);
});
