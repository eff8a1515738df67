// @ts-check
// Problem marks, completion, and theme of the template editor. Nothing here sets a property of the editor: that would
// send the server's text back over what was typed since.
import * as CM from "nicegui-codemirror";
import { element, isDark, watchColors } from "karenina/dom.js";
import { callAround } from "karenina/python.js";
import { findChange, indentation } from "karenina/texts.js";
import { waitFor } from "karenina/waiting.js";

/** @typedef {{ line?: number, column?: number, severity: string, message: string }} Problem */
/** @typedef {import("nicegui-codemirror").View} View */
/** @typedef {{ label: string, detail: string, values: string[] }} Argument */

class Dot extends CM.GutterMarker {
  /**
   * @param {string} severity
   * @param {string} message
   */
  constructor(severity, message) {
    super();
    this.severity = severity;
    this.message = message;
  }
  /** @param {Dot} other */
  eq(other) {
    return other.severity === this.severity && other.message === this.message;
  }
  toDOM() {
    const dot = element("div", `lint-dot lint-${this.severity}`);
    dot.title = this.message;
    return dot;
  }
}

const setProblems = CM.StateEffect.define();
const nothing = { marks: CM.Decoration.none, dots: CM.RangeSet.empty };

/**
 * @param {import("nicegui-codemirror").Text} doc
 * @param {Problem[]} problems
 */
function markProblems(doc, problems) {
  /** @type {Map<number, Dot>} */
  const dots = new Map(), marks = [];
  for (const problem of problems) {
    if (!problem.line || problem.line > doc.lines) continue;
    const line = doc.line(problem.line);
    const from = Math.min(
      line.from + Math.max(problem.column ?? 0, indentation(line.text)),
      Math.max(line.from, line.to - 1),
    );
    if (line.to > from) {
      marks.push(
        CM.Decoration.mark({ class: `lint-mark lint-mark-${problem.severity}`, attributes: { title: problem.message } })
          .range(from, line.to),
      );
    }
    if (!dots.has(line.from) || problem.severity === "error") {
      dots.set(line.from, new Dot(problem.severity, problem.message));
    }
  }
  return {
    marks: CM.Decoration.set(marks, true),
    dots: CM.RangeSet.of([...dots].map(([at, dot]) => dot.range(at)), true),
  };
}

const field = CM.StateField.define({
  create: () => nothing,
  update(value, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setProblems)) return markProblems(transaction.state.doc, effect.value);
    }
    if (!transaction.docChanged) return value;
    return { marks: value.marks.map(transaction.changes), dots: value.dots.map(transaction.changes) };
  },
  provide: (self) => CM.EditorView.decorations.from(self, (/** @type {typeof nothing} */ value) => value.marks),
});

/**
 * Whether the cursor is in a string or comment: there Enter would turn the last word into a name.
 * @param {{ state: any, pos: number }} place
 */
function isInText({ state, pos }) {
  return /String|Comment/.test(CM.syntaxTree(state).resolveInner(pos, -1).name);
}

/**
 * Wait for the editor of this component; null: the page was left meanwhile.
 * @param {number} id
 */
async function waitForEditor(id) {
  const component = await waitFor(() => {
    const found = getElement(id);
    return found?.editorPromise && found;
  });
  await component?.editorPromise;
  return component;
}

/**
 * What fits the call at the cursor: its arguments that are not given yet, or the values of the one that is written.
 * Before everything else, because the other words of Python fit everywhere.
 * @param {any} context
 * @param {number} from
 * @param {Record<string, Argument[]>} calls
 */
function argumentsAt(context, from, calls) {
  const call = callAround(context.state.sliceDoc(0, from));
  const known = call && calls[call.name];
  if (!known) return [];
  if (call.value) {
    const values = known.find(({ label }) => label === call.value)?.values ?? [];
    return values.map((label, place) => ({ label, type: "constant", boost: 99 - place }));
  }
  return known.filter(({ label }) => !call.given.includes(label)).map(({ label, detail }, place) => ({
    label: `${label}=`,
    detail,
    type: "property",
    boost: 99 - place,
  }));
}

/**
 * @param {number} id
 * @param {{ words: object[], calls: Record<string, Argument[]>, label: string }} options
 */
export async function attach(id, { words, calls, label }) {
  const component = await waitForEditor(id);
  const view = component?.editor;
  if (!view || view.state.field(field, false)) return;
  const source = [{ // keeps its identity, or CodeMirror drops what it found
    autocomplete: (/** @type {any} */ context) => {
      const word = context.matchBefore(/\w+$/);
      if ((!word && !context.explicit) || isInText(context)) return null;
      const from = word ? word.from : context.pos;
      return { from, options: [...argumentsAt(context, from, calls), ...words], validFor: /^\w*$/ };
    },
  }];
  view.dispatch({
    effects: CM.StateEffect.appendConfig.of([
      field,
      CM.gutter({
        class: "lint-gutter",
        markers: (/** @type {View} */ v) => v.state.field(field).dots,
        initialSpacer: () => new Dot("none", ""),
      }),
      CM.EditorState.languageData.of(() => source),
    ]),
  });
  view.contentDOM.setAttribute("aria-label", label);
  view.scrollDOM.tabIndex = 0; // scrolls by keyboard without entering the text
  view.scrollDOM.setAttribute("role", "group");
  view.scrollDOM.setAttribute("aria-label", label);
  const applyTheme = () => component.setTheme(isDark() ? "vscodeDark" : "vscodeLight");
  applyTheme();
  const end = watchColors(() => (view.dom.isConnected ? applyTheme() : end()));
}

/**
 * Keep what is typed in the browser until it is stored, see `outbox.js`.
 * @param {number} id
 * @param {{ place: string, base: string, drawn: string }} field
 */
export async function keep(id, { place, base, drawn }) {
  const view = (await waitForEditor(id))?.editor;
  const listener = CM.EditorView.updateListener.of((/** @type {any} */ update) => {
    if (update.docChanged) window.outbox.keep(place, update.state.doc.toString(), base, id);
  });
  view?.dispatch({ effects: CM.StateEffect.appendConfig.of(listener) });
  const text = view?.state.doc.toString() ?? drawn;
  if (text !== drawn) window.outbox.keep(place, text, base, id); // typed before this code was there
}

/**
 * @param {number} id
 * @param {Problem[]} list
 */
export async function showProblems(id, list) {
  const component = await waitForEditor(id);
  component?.editor.dispatch({ effects: setProblems.of(list) });
}

/**
 * @param {number} id
 * @param {{ text: string, instead: string | null }} change `instead`: of this text alone; null: of any
 */
export async function replace(id, { text, instead }) {
  const component = await waitForEditor(id);
  if (!component) return;
  const view = component.editor, before = view.state.doc.toString();
  if ((instead !== null && before !== instead) || before === text) return;
  view.dispatch({ changes: findChange(before, text), userEvent: "input" });
}

/** @param {number} id */
export async function focus(id) {
  (await waitForEditor(id))?.editor.focus();
}

/**
 * @param {number} id
 * @param {number} line
 */
export async function reveal(id, line) {
  const component = await waitForEditor(id);
  if (!component) return;
  const view = component.editor;
  const at = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines));
  view.dispatch({
    selection: { anchor: at.from + indentation(at.text) },
    effects: CM.EditorView.scrollIntoView(at.from, { y: "center" }),
  });
  view.focus();
}
