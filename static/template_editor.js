// Problems in the gutter and under the text, completion, and the theme of the template editor. Everything goes around
// the editor's properties: setting one would send the server's text back over what was typed since.
import * as CM from "nicegui-codemirror";

class Dot extends CM.GutterMarker {
  constructor(severity, message) {
    super();
    this.severity = severity;
    this.message = message;
  }
  eq(other) {
    return other.severity === this.severity && other.message === this.message;
  }
  toDOM() {
    const dot = document.createElement("div");
    dot.className = `lint-dot lint-${this.severity}`;
    dot.title = this.message;
    return dot;
  }
}

const setProblems = CM.StateEffect.define();
const nothing = { marks: CM.Decoration.none, dots: CM.RangeSet.empty };

function place(doc, problems) {
  const marks = [], dots = new Map();
  for (const problem of problems) {
    if (!problem.line || problem.line > doc.lines) continue;
    const line = doc.line(problem.line);
    const indent = line.text.length - line.text.trimStart().length;
    const from = Math.min(line.from + Math.max(problem.column ?? 0, indent), Math.max(line.from, line.to - 1));
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
  provide: (self) => CM.EditorView.decorations.from(self, (value) => value.marks),
});

// Words are not names: Enter after the last word of a description would turn it into one.
function inText({ state, pos }) {
  return /String|Comment/.test(CM.syntaxTree(state).resolveInner(pos, -1).name);
}

async function editor(id) {
  for (let tries = 0; tries < 1000; tries++) {
    const component = getElement(id);
    if (component?.editorPromise) {
      await component.editorPromise;
      return component;
    }
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  return null; // the page was left meanwhile
}

export async function attach(id, { words, label }) {
  const component = await editor(id);
  const view = component?.editor;
  if (!view || view.state.field(field, false)) return;
  const source = [{ // keeps its identity, or CodeMirror drops what it found
    autocomplete: (context) => {
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
        markers: (v) => v.state.field(field).dots,
        initialSpacer: () => new Dot("none", ""),
      }),
      CM.EditorState.languageData.of(() => source),
    ]),
  });
  view.contentDOM.setAttribute("aria-label", label);
  view.scrollDOM.tabIndex = 0; // scrolls by keyboard without entering the text
  view.scrollDOM.setAttribute("role", "group");
  view.scrollDOM.setAttribute("aria-label", label);
  const dress = () => component.setTheme(document.body.classList.contains("body--dark") ? "vscodeDark" : "vscodeLight");
  dress();
  const observer = new MutationObserver(() => (view.dom.isConnected ? dress() : observer.disconnect()));
  observer.observe(document.body, { attributes: true, attributeFilter: ["class"] });
}

// What is typed stays in the browser until it is stored, see `outbox.js`.
export async function keep(id, { place, base, drawn }) {
  const view = (await editor(id))?.editor;
  const listener = CM.EditorView.updateListener.of((update) => {
    if (update.docChanged) outbox.typed(place, update.state.doc.toString(), base, id);
  });
  view?.dispatch({ effects: CM.StateEffect.appendConfig.of(listener) });
  const text = view?.state.doc.toString() ?? drawn;
  if (text !== drawn) outbox.typed(place, text, base, id); // typed before this code was there
}

export async function problems(id, list) {
  const component = await editor(id);
  component?.editor.dispatch({ effects: setProblems.of(list) });
}

export async function replace(id, { text, instead }) {
  const component = await editor(id);
  if (!component) return;
  const view = component.editor, before = view.state.doc.toString();
  if ((instead !== null && before !== instead) || before === text) return;
  let from = 0, end = 0; // what is equal around the change stays, and the cursor with it
  const shorter = Math.min(before.length, text.length);
  while (from < shorter && before[from] === text[from]) from++;
  while (end < shorter - from && before[before.length - 1 - end] === text[text.length - 1 - end]) end++;
  view.dispatch({
    changes: { from, to: before.length - end, insert: text.slice(from, text.length - end) },
    userEvent: "input",
  });
}

export async function focus(id) {
  (await editor(id))?.editor.focus();
}

export async function reveal(id, line) {
  const component = await editor(id);
  if (!component) return;
  const view = component.editor;
  const at = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines));
  view.dispatch({
    selection: { anchor: at.from + (at.text.length - at.text.trimStart().length) },
    effects: CM.EditorView.scrollIntoView(at.from, { y: "center" }),
  });
  view.focus();
}
