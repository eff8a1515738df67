// @ts-check
// Filter and labels of the question list.
import { formatCount, formatCountOf } from "./format.js";

/** @typedef {{
 *   number: number, question: string, finished: boolean, changed: boolean, template: string, tags: string[],
 *   returned?: boolean, author?: string, nameless?: boolean
 * }} Row
 */
/** @typedef {{
 *   text: string, finished: string, keyword: string, template: string, me?: string, only?: number[]
 * }} Filter `only`: numbers of the duplicates
 */

/**
 * The filter that an address has behind its `#`.
 * @param {string} hash
 * @returns {Filter}
 */
export function parseFilter(hash) {
  const written = new URLSearchParams(hash.slice(1));
  const [text, finished, keyword, template] = ["text", "finished", "keyword", "template"].map(
    (name) => written.get(name) || "",
  );
  return { text, finished, keyword, template };
}

const NO_PROBLEM = ["ok", "none", "unchecked"]; // states of a template

/** @param {Filter} filter */
export const isActive = ({ text, finished, keyword, template }) => [text, finished, keyword, template].some(Boolean);

/**
 * @param {Filter} filter
 * @param {Row} row
 * @param {string} [text] everything by which the question is found, in small letters; its own text until that is known
 */
export function matches({ text: sought, finished, keyword, template, me = "", only = [] }, row, text) {
  if (finished === "waiting" && !waitsFor(me, row)) return false;
  if (finished === "duplicates" && !only.includes(row.number)) return false;
  if (finished === "changed" && !row.changed) return false;
  if ((finished === "yes" || finished === "no") && row.finished !== (finished === "yes")) return false;
  if (template === "none" && row.template !== "none") return false;
  if (template === "problems" && NO_PROBLEM.includes(row.template)) return false;
  if (keyword && !row.tags.includes(keyword)) return false;
  const needle = sought.trim().toLowerCase();
  return !needle || (text ?? row.question.toLowerCase()).includes(needle);
}

/**
 * Same rule as `waits_for` in `schemas/review.py`: a returned question waits for its author, others for a reviewer.
 * @param {string} me
 * @param {Row} row
 */
export function waitsFor(me, row) {
  const name = me.trim().toLowerCase(), own = !!name && name === (row.author ?? "").trim().toLowerCase();
  if (row.returned) return own;
  return !own && !row.nameless && (!row.finished || row.changed);
}

/**
 * The question to open after a deletion: the next that stays, or else the one before.
 * @param {number[]} shown in their order
 * @param {number | null | undefined} open
 * @param {number[]} leaving
 */
export function nextToOpen(shown, open, leaving) {
  const gone = new Set(leaving), here = Math.max(open == null ? -1 : shown.indexOf(open), 0);
  const stays = (/** @type {number} */ number) => !gone.has(number);
  return shown.slice(here).find(stays) ?? shown.slice(0, here).reverse().find(stays) ?? null;
}

/**
 * @param {number} shown
 * @param {number} total
 */
export const countLabel = (shown, total) =>
  shown === total ? formatCount(shown, "question") : formatCountOf(shown, total);

/** @param {Row} question */
export function completion(question) {
  if (!question.finished) return question.returned ? "returned" : "";
  if (["problem", "none"].includes(question.template)) return "unusable";
  return question.changed ? "changed" : "finished";
}
