// @ts-check
import { TypedTexts } from "../../static/lib/typed.js";
import { equal, test } from "./testing.js";

const DAY = 24 * 3600 * 1000;
const ALL = "karenina:typed:library:";

/** What one page typed, in an empty storage or in that of another page. */
function page(name = "page", storage = emptyStorage()) {
  const clock = { now: 1000 };
  let changes = 0;
  const texts = new TypedTexts(ALL, name, storage, () => changes++, () => clock.now);
  return { texts, storage, clock, changes: () => changes };
}

function emptyStorage() {
  localStorage.clear();
  return localStorage;
}

/** @param {TypedTexts} texts */
const own = (texts) => [...texts.own.values()].map(({ place, value, base }) => ({ place, value, base }));

/** @param {TypedTexts} texts */
const left = (texts) => texts.leftEntries(() => true).map(([, { place, value }]) => ({ place, value }));

test("what is typed is in the storage at once, with the text that it changes", () => {
  const { texts, changes } = page();
  texts.keep("question/1", "new", "old", 7);
  equal(own(texts), [{ place: "question/1", value: "new", base: "old" }]);
  equal(left(texts), [{ place: "question/1", value: "new" }]);
  equal(changes(), 1);
});

test("what is typed on keeps the time since when it waits", () => {
  const { texts, clock } = page();
  texts.keep("question/1", "n", "", 7);
  clock.now = 2000;
  texts.keep("question/1", "ne", "", 7);
  equal([...texts.own.values()].map(({ value, at }) => [value, at]), [["ne", 1000]]);
});

test("half of a character is kept as it is sent", () => {
  const { texts } = page();
  texts.keep("question/1", "a\ud83d", "", 7);
  equal(own(texts)[0].value, "a\ufffd");
});

test("an emptied field is kept as an empty text", () => {
  const { texts } = page();
  texts.keep("question/1", null, "old", 7);
  equal(own(texts)[0].value, "");
});

test("a stored text is forgotten, also that of an earlier page", () => {
  const earlier = page("earlier");
  earlier.texts.keep("question/1", "same", "", 7);
  const { texts } = page("page", earlier.storage);
  texts.keep("question/1", "same", "", 7);
  texts.settle("question/1", "same");
  equal([own(texts), left(texts)], [[], []]);
});

test("a text that was typed on stays, on the basis of what was stored", () => {
  const { texts } = page();
  texts.keep("question/1", "one two", "", 7);
  texts.settle("question/1", "one");
  equal(own(texts), [{ place: "question/1", value: "one two", base: "one" }]);
  texts.keep("question/1", "one two three", "", 7);
  equal(own(texts)[0].base, "one");
});

test("what is a draft has the basis of the library", () => {
  const { texts } = page();
  texts.settle("question/1", "draft", "library");
  texts.keep("question/1", "draft more", "", 7);
  equal(own(texts)[0].base, "library");
});

test("a cell of a list is forgotten once it is stored, and with its line", () => {
  const { texts } = page();
  texts.keep("rubric#dose.text", "new", "", 1);
  texts.keep("rubric#route.text", "typed on", "", 2);
  texts.keep("rubric#gone.text", "lost", "", 3);
  texts.keep("question/1", "other", "", 4);
  texts.settleCells("rubric", { "dose.text": "new", "route.text": "typed" }, ["dose", "route"]);
  equal(own(texts), [
    { place: "rubric#route.text", value: "typed on", base: "typed" },
    { place: "question/1", value: "other", base: "" },
  ]);
});

test("a word is kept until it is entered, then the entered one until it is stored", () => {
  const { texts } = page();
  texts.keepWord("keywords", "phar", 5);
  equal(own(texts).map(({ place }) => place), ["keywords"]);
  texts.enterWord("keywords", 5, "pharmacology");
  equal(own(texts), [{ place: "keywords-pharmacology", value: "pharmacology", base: "" }]);
  texts.settleWords("keywords", ["pharmacology"]);
  equal([own(texts), left(texts)], [[], []]);
});

test("words with commas between them are kept until each is stored", () => {
  const { texts } = page();
  texts.keepWord("keywords", "dose, route", 5);
  texts.enterWord("keywords", 5, undefined);
  texts.settleWords("keywords", ["dose"]);
  equal(own(texts).map(({ value }) => value), ["dose, route"]);
  texts.settleWords("keywords", ["dose", "route"]);
  equal(own(texts), []);
});

test("without a list of words the typed one is entered, unless it is there already", () => {
  const { texts } = page();
  texts.settleWords("keywords", ["dose"]);
  texts.keepWord("keywords", " dose ", 5);
  texts.enterWord("keywords", 5, undefined);
  equal(own(texts), []);
  texts.keepWord("keywords", "route ", 5);
  texts.enterWord("keywords", 5, "");
  equal(own(texts).map(({ value }) => value), ["route"]);
});

test("an emptied word field keeps nothing", () => {
  const { texts } = page();
  texts.keepWord("keywords", "phar", 5);
  texts.keepWord("keywords", "", 5);
  equal([own(texts), left(texts)], [[], []]);
});

test("texts of other pages are told apart by their pages", () => {
  const earlier = page("earlier");
  earlier.texts.keep("question/1", "left", "", 7);
  const { texts } = page("page", earlier.storage);
  texts.keep("question/2", "own", "", 8);
  equal(texts.leftEntries((name) => name !== "page").map(([, { value }]) => value), ["left"]);
});

test("texts of another library are not touched", () => {
  const { texts, storage } = page();
  storage.setItem("karenina:typed:other:page:question/1", "{}");
  equal(left(texts), []);
  equal(storage.length, 1);
});

test("what is older than a month, or unreadable, is removed", () => {
  const earlier = page("earlier");
  earlier.texts.keep("question/1", "old", "", 7);
  const { texts, storage, clock } = page("page", earlier.storage);
  storage.setItem(`${ALL}earlier:question/2`, "{");
  clock.now += 31 * DAY;
  texts.leftEntries(() => true);
  equal(storage.length, 0);
});

test("where the storage is full, the page keeps the text itself", () => {
  const { texts, storage } = page();
  texts.keep("question/1", "short", "", 7);
  texts.keep("question/1", "x".repeat(6_000_000), "", 7);
  equal([own(texts)[0].value.length, storage.length], [6_000_000, 0]);
});
