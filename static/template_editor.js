// @ts-check
// Problems in the gutter and under the text, completion, and the theme of the template editor. Everything goes around
// the editor's properties: setting one would send the server's text back over what was typed since.
import * as CM from "nicegui-codemirror";
import { element, isDark, onColors } from "./lib/dom.js";
import { changeBetween, indentOf } from "./lib/texts.js";
import { awaited } from "./lib/waiting.js";

/** @typedef {{ line?: number, column?: number, severity: string, message: string }} Problem */
/** @typedef {import("nicegui-codemirror").View} View */

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
function place(doc, problems) {
  /** @type {Map<number, Dot>} */
  const dots = new Map(), marks = [];
  for (const problem of problems) {
    if (!problem.line || problem.line > doc.lines) continue;
    const line = doc.line(problem.line);
    const from = Math.min(
      line.from + Math.max(problem.column ?? 0, indentOf(line.text)),
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
      if (effect.is(setProblems)) return place(transaction.state.doc, effect.value);
    }
    if (!transaction.docChanged) return value;
    return { marks: value.marks.map(transaction.changes), dots: value.dots.map(transaction.changes) };
  },
  provide: (self) => CM.EditorView.decorations.from(self, (/** @type {typeof nothing} */ value) => value.marks),
});

/**
 * Words are not names: Enter after the last word of a description would turn it into one.
 * @param {{ state: any, pos: number }} place
 */
function inText({ state, pos }) {
  return /String|Comment/.test(CM.syntaxTree(state).resolveInner(pos, -1).name);
}

/**
 * The component with this number once its editor is there; null: the page was left meanwhile.
 * @param {number} id
 */
async function editor(id) {
  const component = await awaited(() => {
    const found = getElement(id);
    return found?.editorPromise && found;
  });
  await component?.editorPromise;
  return component;
}

/**
 * @param {number} id
 * @param {{ words: object[], label: string }} options
 */
export async function attach(id, { words, label }) {
  const component = await editor(id);
  const view = component?.editor;
  if (!view || view.state.field(field, false)) return;
  const source = [{ // keeps its identity, or CodeMirror drops what it found
    autocomplete: (/** @type {any} */ context) => {
      const word = context.matchBefore(/\w+$/);
      if ((!word && !context.explicit) || inText(context)) return null;
      return { from: word ? word.from : context.pos, options: words, validFor: /^\w*$/ };
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
  const dress = () => component.setTheme(isDark() ? "vscodeDark" : "vscodeLight");
  dress();
  const end = onColors(() => (view.dom.isConnected ? dress() : end()));
}

/**
 * What is typed stays in the browser until it is stored, see `outbox.js`.
 * @param {number} id
 * @param {{ place: string, base: string, drawn: string }} field
 */
export async function keep(id, { place, base, drawn }) {
  const view = (await editor(id))?.editor;
  const listener = CM.EditorView.updateListener.of((/** @type {any} */ update) => {
    if (update.docChanged) window.outbox.typed(place, update.state.doc.toString(), base, id);
  });
  view?.dispatch({ effects: CM.StateEffect.appendConfig.of(listener) });
  const text = view?.state.doc.toString() ?? drawn;
  if (text !== drawn) window.outbox.typed(place, text, base, id); // typed before this code was there
}

/**
 * @param {number} id
 * @param {Problem[]} list
 */
export async function problems(id, list) {
  const component = await editor(id);
  component?.editor.dispatch({ effects: setProblems.of(list) });
}

/**
 * @param {number} id
 * @param {{ text: string, instead: string | null }} change `instead`: of this text alone; null: of any
 */
export async function replace(id, { text, instead }) {
  const component = await editor(id);
  if (!component) return;
  const view = component.editor, before = view.state.doc.toString();
  if ((instead !== null && before !== instead) || before === text) return;
  view.dispatch({ changes: changeBetween(before, text), userEvent: "input" });
}

/** @param {number} id */
export async function focus(id) {
  (await editor(id))?.editor.focus();
}

/**
 * @param {number} id
 * @param {number} line
 */
export async function reveal(id, line) {
  const component = await editor(id);
  if (!component) return;
  const view = component.editor;
  const at = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines));
  view.dispatch({
    selection: { anchor: at.from + indentOf(at.text) },
    effects: CM.EditorView.scrollIntoView(at.from, { y: "center" }),
  });
  view.focus();
}
