// @ts-check
// Cells of questions in grids.
import { element, icon } from "karenina/dom.js";
import { completion } from "karenina/questions.js";

/** @type {Record<string, [name: string, look: string]>} */
const TEMPLATES = {
  ok: ["check", "cell-ok"],
  problem: ["error", "cell-bad"],
  begun: ["edit_note", "cell-off"],
  failing: ["cancel", "cell-bad"],
  lenient: ["lock_open", "cell-warn"],
  unchecked: ["hourglass_empty", "cell-off"],
  none: ["remove", "cell-off"],
};

// Cells: a sign and a word, never color alone.
export const cells = {
  done: completion,
  /** @param {string} done */
  finished(done) {
    if (done === "returned") return sign("undo", "cell-warn", "Returned to its author");
    if (done === "changed") return sign("rate_review", "cell-warn", "Finished, but changed since the review");
    if (done === "unusable") return sign("warning", "cell-warn", "Finished, but skipped in runs: no working template");
    return done
      ? sign("check_circle", "cell-ok", "Finished")
      : sign("radio_button_unchecked", "cell-off", "Unfinished");
  },
  /** @param {string} text */
  lines: (text) => element("span", "cell-lines", text),
  /**
   * @param {string} state
   * @param {Record<string, string>} words
   */
  template(state, words) {
    const cell = sign(...TEMPLATES[state]);
    cell.append(words[state]);
    return cell;
  },
};

/**
 * @param {string} name of the icon
 * @param {string} look
 * @param {string} [title] what it says, where no word stands beside it
 */
function sign(name, look, title) {
  const cell = element("span", `cell-icon ${look}`, icon(name));
  if (title) {
    cell.title = title;
    cell.append(element("span", "sr-only", title));
  }
  return cell;
}
