// @ts-check
import { isLarge, MessageQueue, replaceHalves } from "../../static/lib/messages.js";
import { pause } from "../../static/lib/waiting.js";
import { equal, test } from "./testing.js";

/**
 * @param {number} id
 * @param {...string} args
 */
const message = (id, ...args) => ({ id, client_id: "c", listener_id: "l" + id, args });

/** A queue whose first message takes its time; `sent` has what was sent, `done` ends the time. */
function slowQueue() {
  /** @type {string[][]} */
  const sent = [];
  let done = () => {};
  const first = new Promise((resolve) => (done = () => resolve(undefined)));
  const queue = new MessageQueue(({ args }) => {
    sent.push(args);
    if (sent.length === 1) return first;
  });
  return { queue, sent, done };
}

test("a message of a million characters is large, also where quotes double it", () => {
  equal(isLarge(message(1, '"short"', "{}")), false);
  equal(isLarge(message(1, "x".repeat(899_000))), false);
  equal(isLarge(message(1, "x".repeat(450_000), "x".repeat(450_000))), true);
  equal(isLarge(message(1, '"'.repeat(460_000))), true);
});

test("half of a character is replaced, whole ones stay", () => {
  equal(replaceHalves(String.raw`"a\ud83d"`), '"a\ufffd"');
  equal(replaceHalves(String.raw`{"key":["\udc00"]}`), '{"key":["\ufffd"]}');
  equal(replaceHalves('"a😀"'), '"a😀"');
});

test("without a large one before it, a message is sent at once", () => {
  /** @type {number[]} */
  const sent = [];
  const queue = new MessageQueue(({ id }) => void sent.push(id));
  queue.add(message(1, '"a"'));
  queue.add(message(2, '"b"'));
  equal(sent, [1, 2]);
});

test("what follows a large message waits for it, in order", async () => {
  const { queue, sent, done } = slowQueue();
  for (const args of [["large"], ["two"], ["three"]]) queue.add(message(args[0].length, ...args));
  equal([sent, queue.length], [[["large"]], 3]);
  done();
  await pause(0);
  equal([sent, queue.length], [[["large"], ["two"], ["three"]], 0]);
});

test("of a field's waiting texts the newest is sent", async () => {
  const { queue, sent, done } = slowQueue();
  queue.add(message(1, '"large"'));
  queue.add(message(1, '"larg"'));
  queue.add(message(1, '"lar"'));
  done();
  await pause(0);
  equal(sent, [['"large"'], ['"lar"']]);
});

test("changes of a text are all sent, and texts of several fields", async () => {
  const { queue, sent, done } = slowQueue();
  queue.add(message(1, '"large"'));
  for (const args of [["[1]"], ["[2]"]]) queue.add(message(1, ...args));
  for (const id of [2, 3, 2]) queue.add(message(id, `"${id}"`));
  done();
  await pause(0);
  equal(sent.flat(), ['"large"', "[1]", "[2]", '"2"', '"3"', '"2"']);
});
