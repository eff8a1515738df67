// @ts-check
import { callAround } from "../../static/lib/python.js";
import { equal, test } from "./testing.js";

const nameAround = (/** @type {string} */ before) => callAround(before)?.name ?? null;

test("the innermost call that is open is found", () => {
  const before = "class Answer(BaseAnswer):\n    x: float = VerifiedField(\n        verify_with=NumericTolerance(";
  equal(nameAround(before), "NumericTolerance");
  equal(nameAround(before + "tolerance=0.1"), "NumericTolerance");
  equal(nameAround(before + "tolerance=0.1),"), "VerifiedField");
  equal(nameAround(before + "tolerance=0.1))"), null);
});

test("arguments that are given are told, and the one that is being written", () => {
  equal(callAround('NumericTolerance(tolerance=0.1, mode="abs'), {
    name: "NumericTolerance",
    given: ["tolerance", "mode"],
    value: "mode",
  });
  equal(callAround("NumericTolerance(tolerance=0.1, ")?.value, null);
  equal(callAround("F(a == b")?.given, []);
});

test("brackets and signs in strings and comments do not count", () => {
  equal(nameAround('ExactMatch(description="a ( b", '), "ExactMatch");
  equal(nameAround("ExactMatch(  # once (\n"), "ExactMatch");
  equal(nameAround("'''F('''\nG("), "G");
  equal(nameAround("F('it\\'s (', "), "F");
});

test("in a list within a call nothing of the call is offered", () => {
  equal(nameAround("AllOf(conditions=["), null);
  equal(nameAround("AllOf(conditions=[FieldCheck("), "FieldCheck");
  equal(nameAround("x = (1, "), null);
});
