// @ts-check
// A conversation as the page shows it: parts of messages, names of unseen signs, and search.
import { formatSize } from "./format.js";

/**
 * @typedef {[begin: number, end: number, look: string, sign?: string]} Span
 * @typedef {{ before: number, after: number }} Cut sizes in bytes
 * @typedef {{ styles?: Span[], raw?: string }} Styled text, with its look; raw: output with its terminal codes
 * @typedef {Styled & { text: string, name?: string, error?: boolean, call?: number, cut?: Cut | null }} Result
 * @typedef {{ name: string, arguments: string, not_run?: string, marks: string[] }} Call
 * @typedef {Styled & {
 *   number: number, role: string, title: string, text: string, thinking: string[], calls: Call[], results: Result[],
 *   end?: string, at?: string, tokens?: number, sent?: boolean, final?: boolean, cut?: Cut | null
 * }} Message
 * @typedef {Styled & {
 *   kind: string, key: string, number: number, text: string, most?: number, look?: string, label?: string,
 *   icon?: string, title?: Part, notes?: Part[], error?: string | boolean, call?: number
 * }} Part
 * @typedef {{ number: number, key: string, nth: number }} Hit the message, the part, and which match in it
 */

const SHORT = 400; // a tool result up to this many characters is shown at once
const LONG = 4000; // a longer text is cut until it is opened, and longer arguments are folded
const LONG_INSTRUCTIONS = 500; // instructions are long, and the same in every conversation
export const MOST_HITS = 2000;
export const LONGEST_QUERY = 1000; // characters; a pattern of many more cannot be made
// Signs that nobody would see, as in gui/kit/html.py; tags in the flag of a region are seen.
const UNSEEN = String
  .raw`\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb`;
const TAG = String.raw`[\u{e0000}-\u{e007f}]`, IN_FLAG = String.raw`\u{1f3f4}[\u{e0020}-\u{e007e}]{0,6}` + TAG;
const SIGNS = new RegExp(String.raw`[${UNSEEN}]|${TAG}(?<!${IN_FLAG})|\r(?!\n)`, "gu");
const SKIPPED = String.raw`[${UNSEEN}\u{e0000}-\u{e007f}\u00ad\u200c\u200d]`; // what a search passes over

/** @param {string} sign */
const codePointName = (sign) => "U+" + (sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");

/**
 * Replace the unseen signs of a text by their names.
 * @param {string} text
 */
export const nameSigns = (text) => text.replace(SIGNS, codePointName);

/**
 * Stretches of unseen signs, with their names.
 * @param {string} text
 * @returns {Span[]}
 */
const findSigns = (text) =>
  [...text.matchAll(SIGNS)].map((m) => [m.index, m.index + m[0].length, "sign", codePointName(m[0])]);

/**
 * The pattern of a search, which ignores unseen signs in the text; null: the query is too short.
 * @param {string} typed
 */
export function searchPattern(typed) {
  const query = typed.slice(0, LONGEST_QUERY);
  const sign = /^u\+([0-9a-f]{4,5})$/i.exec(query)?.[1];
  const seen = [...query.replace(new RegExp(SKIPPED, "gu"), "")];
  if (!query || seen.join("").length === 1) return null;
  const letters = (seen.length ? seen : [...query]).map((each) => each.replace(/[.*+?^${}()|[\]\\/]/, "\\$&"));
  const found = letters.join(SKIPPED + "*");
  // A sign is found by the name that is shown of it.
  return new RegExp(sign ? `${found}|\\u{${sign}}` : found, "giu");
}

/**
 * @param {Message} message
 * @returns {Part[]}
 */
export function messageParts({ number, role, text, thinking, calls, results, end, styles }) {
  /** @type {(kind: string, i: number, text: string, more?: Partial<Part>) => Part} */
  const part = (kind, i, text, more) => ({ kind, key: number + kind + i, number, text, ...more });
  /** @type {(kind: string, i: number, text: string | false | null | undefined, look: string) => Part[]} */
  const note = (kind, i, text, look) => (text ? [part(kind, i, text, { look: "trace-tag-" + look })] : []);
  /** @type {(kind: string, i: number, name?: string) => Part | undefined} */
  const title = (kind, i, name) => (name ? part(kind, i, name) : undefined);
  const sizes = (/** @type {Cut | null | undefined} */ cut) => cut && `cut: ${sizeChange(cut)}`;
  const most = role === "system" ? LONG_INSTRUCTIONS : LONG;
  return [
    ...thinking.map((text, i) => part("thinking", i, text, { label: "Thinking", icon: "psychology" })),
    ...(text && !results.length ? [part("text", 0, text, { most, styles })] : []),
    ...calls.map((call, i) =>
      part("call", i, call.arguments, {
        label: "Calls",
        title: title("callname", i, call.name),
        icon: "build",
        error: call.not_run,
        notes: [
          ...note("callnote", i, call.not_run, "bad"),
          ...call.marks.flatMap((mark, n) => note("callmark" + n + "_", i, mark, "bad")),
        ],
      })
    ),
    ...results.map((result, i) =>
      part("result", i, result.text, {
        label: "Result",
        title: title("resultname", i, result.name),
        icon: "output",
        error: result.error,
        call: result.call,
        styles: result.styles,
        raw: result.raw,
        notes: [
          ...note("resultnote", i, result.error && "failed", "bad"),
          ...note("resultcut", i, sizes(result.cut), "cut"),
        ],
      })
    ),
    ...note("end", 0, end, "bad"),
  ];
}

/** @param {Cut} cut */
export const sizeChange = ({ before, after }) => formatSize(before, "bytes") + " → " + formatSize(after, "bytes");

/**
 * Whether a part is short enough to be shown before anybody asks.
 * @param {Part} part
 */
export function isShort({ kind, text, most }) {
  /** @type {Record<string, number | undefined>} */
  const longest = { call: LONG, text: most, result: SHORT };
  return text.length <= (longest[kind] ?? -1);
}

/**
 * Numbers of the messages with a failure, and of those that called for it.
 * @param {Message[]} messages
 */
export function findFailures(messages) {
  const refused = messages.filter(({ calls }) => calls.some((call) => call.not_run)).map(({ number }) => number);
  const failed = messages.flatMap(({ number, results }) =>
    results.filter((result) => result.error).flatMap((result) => [number, result.call])
  );
  return new Set([...refused, ...failed]);
}

/**
 * Cut texts with the numbers of their messages and their sizes.
 * @param {Message[]} messages
 */
export function findCuts(messages) {
  const found = (/** @type {Message} */ { cut, results }) => [cut, ...results.map((result) => result.cut)];
  return messages.flatMap((message) =>
    found(message).flatMap((cut) => (cut ? [{ number: message.number, ...cut }] : []))
  );
}

/**
 * Matches of a search in the order in which they are shown.
 * @param {Message[]} messages
 * @param {RegExp} pattern
 */
export function findHits(messages, pattern) {
  /** @type {Hit[]} */
  const hits = [];
  for (const { number, key, text } of messages.flatMap(messageParts).flatMap(withTitles)) {
    let nth = 0;
    for (const _ of text.matchAll(pattern)) {
      if (hits.length >= MOST_HITS) return hits;
      hits.push({ number, key, nth: nth++ });
    }
  }
  return hits;
}

/**
 * @param {Part} part
 * @returns {Part[]}
 */
const withTitles = (part) => [...(part.title ? [part.title] : []), ...(part.notes ?? []), part];

/**
 * Matches in a text; `now` is the current one.
 * @param {string} key of the part
 * @param {string} text
 * @param {RegExp | null} pattern
 * @param {Hit | undefined} now
 * @returns {Span[]}
 */
export function hitSpans(key, text, pattern, now) {
  if (!pattern) return [];
  return [...text.matchAll(pattern)].map((m, nth) => {
    const isNow = now?.key === key && now.nth === nth;
    return [m.index, m.index + m[0].length, isNow ? "trace-hit trace-now" : "trace-hit"];
  });
}

/**
 * A text in pieces of one look: `c` are its classes, `sign` the name of an unseen sign.
 * @param {string} text
 * @param {Span[]} spans
 * @returns {{ t: string, c: string, sign?: string }[]}
 */
export function splitText(text, spans) {
  const found = [...spans, ...findSigns(text)];
  if (!found.length) return [{ t: text, c: "" }];
  found.sort((one, other) => one[0] - other[0]);
  const edges = [...new Set([0, text.length, ...found.flatMap(([begin, end]) => [begin, end])])];
  const places = edges.filter((edge) => edge <= text.length).sort((one, other) => one - other);
  /** @type {Span[]} */
  let over = [];
  let next = 0;
  return places.slice(0, -1).map((begin, i) => {
    over = over.filter((each) => each[1] > begin);
    for (; next < found.length && found[next][0] <= begin; next++) over.push(found[next]);
    const looks = over.map((each) => each[2]).join(" ");
    return { t: text.slice(begin, places[i + 1]), c: looks, sign: over.find((each) => each[3])?.[3] };
  });
}
