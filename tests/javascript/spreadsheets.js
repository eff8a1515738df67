// @ts-check
// Blocks of cells, of `static/lib/spreadsheets.js`.
import { copiedBlock, lineCount } from "../../static/lib/spreadsheets.js";
import { equal, test } from "./testing.js";

test("cells with tabs, line breaks, or quotation marks are quoted", () => {
  equal(copiedBlock([["a", "b\nc"], ['5"', "d\te"]]), 'a\t"b\nc"\n"5"""\t"d\te"');
});

test("rows of any system are counted", () => {
  equal(lineCount("a\tb\r\nc\rd\ne"), 4);
});
