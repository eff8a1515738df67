// @ts-check
import { findRefusal, nextPart } from "../../static/lib/folders.js";
import {
  cellLook,
  cellTitle,
  chartsQuery,
  columnOrder,
  isSameQuery,
  keepOrder,
  setSearch,
  withOrder,
} from "../../static/lib/results.js";
import { equal, test } from "./testing.js";

const CELL = { passed: 3, judged: 3, left_out: 0, outcome: "failed", score: null };

test("another filter keeps the order", () => {
  equal(keepOrder("outcome=failed", "model=a&sort=-seconds").toString(), "outcome=failed&sort=-seconds");
  equal(keepOrder("outcome=failed", "model=a").toString(), "outcome=failed");
});

test("the grid's order is written in the query, and replaces the one before", () => {
  equal(withOrder("sort=tokens&model=a", [{ colId: "seconds", sort: "desc" }]), "model=a&sort=-seconds");
  equal(withOrder("sort=tokens&model=a", []), "model=a");
});

test("the order of a query is read as it was written", () => {
  equal(columnOrder("model=a&sort=-seconds"), [{ colId: "seconds", sort: "desc" }]);
  equal(columnOrder("sort=seconds"), [{ colId: "seconds", sort: "asc" }]);
  equal(columnOrder("model=a"), []);
});

test("charts get one model with its commas escaped, or the several models that they had", () => {
  equal(chartsQuery("model=a%2C5%25&sort=-seconds"), "model=a%252C5%2525&sort=-seconds");
  equal(chartsQuery("models=a%2Cb&model=c"), "models=a%2Cb&model=c");
  equal(new URLSearchParams(chartsQuery("models=a%2Cb")).get("model"), "a,b");
});

test("blanks are not searched for", () => {
  equal(setSearch(new URLSearchParams("text=old"), "  ").toString(), "");
  equal(setSearch(new URLSearchParams("text=old"), " new").get("text"), " new");
});

test("queries that ask for the same are the same in any order", () => {
  equal([isSameQuery("a=1&b=2", "b=2&a=1"), isSameQuery("a=1", "a=2"), isSameQuery("", "a=1")], [true, false, false]);
});

test("a cell is passed, varies, or has the outcome of its results", () => {
  equal(cellLook(CELL), "passed");
  equal(cellLook({ ...CELL, passed: 1 }), "varies");
  equal(cellLook({ ...CELL, passed: 0 }), "failed");
  equal(cellLook({ ...CELL, passed: 0, judged: 0, outcome: "error" }), "error");
});

test("a cell says in full how many results passed, and how many have no verdict", () => {
  equal(cellTitle(CELL, "Passed"), "Passed: 3 of 3 passed");
  equal(cellTitle({ ...CELL, passed: 1, left_out: 2 }, "Varies"), "Varies: 1 of 3 passed, 2 without a verdict");
});

test("a cell of traits says their score", () => {
  equal(cellTitle({ ...CELL, score: { text: "4.2", n: 5 } }, "Passed"), "4.2, n = 5");
  equal(cellTitle({ ...CELL, passed: 0, judged: 0, outcome: "scored" }, "Scored"), "Evaluated by traits only");
});

/** @param {...number} sizes */
const files = (...sizes) => sizes.map((size, at) => ({ file: /** @type {File} */ ({ size }), path: `f/${at}` }));
const LIMITS = { most: 4, size: 100, largest: 60 };

test("a folder is refused for its number of files, its size, or one file", () => {
  equal(findRefusal(files(1, 1, 1), 2, LIMITS), { reason: "files" });
  equal(findRefusal(files(50, 51), 0, LIMITS), { reason: "size", size: 101 });
  equal(findRefusal(files(1, 61), 0, LIMITS), { reason: "large", path: "f/1" });
  equal(findRefusal(files(40, 60), 2, LIMITS), null);
});

test("a folder is sent in parts of fifty files and of 32 MB, each of one file at least", () => {
  const MB = 1024 * 1024;
  equal(nextPart(files(...Array(60).fill(1)), 0).length, 50);
  equal(nextPart(files(...Array(60).fill(1)), 50).length, 10);
  equal(nextPart(files(20 * MB, 12 * MB, 1), 0).length, 2);
  equal(nextPart(files(40 * MB, 1), 0).length, 1);
});
