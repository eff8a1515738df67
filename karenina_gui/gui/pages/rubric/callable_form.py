"""Form of a function trait: source editor with error markers, and a trial on a sample answer."""

from __future__ import annotations

import asyncio

from nicegui import background_tasks, run, ui

from karenina_gui.authoring.changes import Change
from karenina_gui.authoring.trait_playground import TraitPlayground, TriedFunction
from karenina_gui.gui.forms.bound_field import FieldError
from karenina_gui.gui.kit.code_editor import CodeEditor
from karenina_gui.gui.kit.elements import button, note, text_area
from karenina_gui.gui.kit.html import Html, tag, tick
from karenina_gui.gui.pages.rubric.busy_message import busy_when_slow
from karenina_gui.gui.pages.rubric.form import TraitForm
from karenina_gui.gui.pages.rubric.form_values import to_record
from karenina_gui.gui.pages.rubric.kinds import FUNCTION, Record
from karenina_gui.gui.pages.rubric.outcome_form import OutcomeForm
from karenina_gui.gui.pages.templates.editor import with_plain_messages
from karenina_gui.gui.pages.templates.problems import plain_error, plain_message
from karenina_gui.gui.records.conflict import ConflictPanel
from karenina_gui.gui.records.form_field import FormField
from karenina_gui.gui.records.optimistic_edit import OptimisticEdit
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.rubric.returned import in_python
from karenina_gui.schemas.template import TemplateProblem

SOURCE = FormField[Record](
    "source",
    "Function",
    read=lambda values: str(values.get("source") or ""),
    write=lambda _, source: {"source": source},
)
PAUSE = 0.3
"""Pause in seconds after the last keystroke before the function is checked."""
# A longer sample would slow down the sandboxed call without testing more of the function.
LONGEST_TEXT = 50_000


def draw_callable(form: TraitForm, playground: TraitPlayground, window: Window) -> None:
    OutcomeForm(form, ("boolean", "score", "literal"))
    values = form.values
    part = ui.element("div").classes("trait-part")

    def replace_with_source() -> None:
        # The compiled function stays in the record until the source is saved.
        part.clear()
        with part:
            FunctionForm(form, playground, window, FUNCTION).edit.flush()

    with part:
        if values.get("source") is None and values.get("callable_code"):
            _draw_compiled(replace_with_source)
        else:
            FunctionForm(form, playground, window)


def _draw_compiled(replace_with_source: object) -> None:
    with note(
        "This function was saved as compiled Python. Compiled code could do anything on your computer, so it isn’t "
        "opened or run. It stays in the file unchanged.",
        "plain",
    ):
        button("Replace with source", replace_with_source)  # type: ignore[arg-type]


class FunctionForm:
    """Source of a function: control of its field, with the check and the trial."""

    def __init__(self, form: TraitForm, playground: TraitPlayground, window: Window, source: str | None = None) -> None:
        """`source` replaces the saved one."""
        self.form, self.playground, self.window = form, playground, window
        self._task: asyncio.Task[None] | None = None
        self._problems: list[TemplateProblem] = []
        with form.section("Function", "receives the answer text and returns the result"):
            field = form.field(SOURCE)
            self.edit = OptimisticEdit(field, self)
            if source is not None:
                self.edit.type(source)
            self.editor = CodeEditor(
                self.source, "Python", "Trait function", self._on_edit, self._on_focus, words=COMPLETIONS
            ).classes("trait-code")
            self.conflict_panel = ConflictPanel("Function", self.edit)
            self.edit.keep_in_browser("Function", self.editor)
            self.state = ui.element("div").classes("template-state trait-code-state").props('role="status"')
            self.error = FieldError()
            form.watch(SOURCE, self.edit)
            form.on_problems(lambda _: self.show_status())
        with ui.element("div").classes("trait-try"), form.section("Try it"):
            self.sample = text_area("Sample answer", placeholder="Paste an answer to test the function")
            self.sample.on_value_change(self._try)
            self.outcome = ui.html("").props('role="status"')
        window.listen(window.services.benchmark_changed, self._on_change)
        self._check_after(0)

    @property
    def source(self) -> str:
        return str(self.edit.mine)

    # Control of the field

    def follow(self, source: str) -> None:
        self.editor.replace(source, instead_of=self.editor.value or "")

    def set_value(self, source: str) -> None:
        self.editor.replace(source, instead_of=None)

    def show_status(self) -> None:
        if not self.editor.is_deleted:
            self.error.show_message(
                None if self.edit.undecided else self.edit.problem or self.form.problems.get("source")
            )
            self.conflict_panel.show()

    def focus(self) -> None:
        self.editor.focus()

    def _on_focus(self, inside: bool) -> None:
        if not inside:
            self.edit.leave()

    def _on_edit(self) -> None:
        self.edit.type(self.editor.value or "")
        self.editor.show_problems([])
        self._check_after(PAUSE)

    # Check

    def _on_change(self, change: Change) -> None:
        """Check again after a change of trust: refused code may run now."""
        if change.benchmark_id == self.window.benchmark_id and change.kind == "replaced":
            self._check_after(0)

    def _check_after(self, pause: float) -> None:
        if self._task is not None:
            self._task.cancel()
        self._task = background_tasks.create(self._check(pause), name="check a function", context=self.editor)

    async def _check(self, pause: float) -> None:
        await asyncio.sleep(pause)
        source = self.source
        problems = await run.io_bound(self.playground.check_function, source) if source.strip() else []
        if not self.editor.is_deleted and source == self.source:
            self._problems = problems or []
            self._show(self._problems)
            await self._try()

    def _show(self, problems: list[TemplateProblem]) -> None:
        self.editor.show_problems(with_plain_messages(problems))
        self.state.clear()
        with self.state:
            for problem in problems:
                self._problem(problem)
            # The rule of the form says so about an unfinished one.
            if not problems and self.source.strip() != FUNCTION.strip():
                with ui.element("div").classes("problem problem-none"):
                    ui.icon("check_circle")
                    ui.label("No problems." if self.source.strip() else "No function yet.")

    def _problem(self, problem: TemplateProblem) -> None:
        line = problem.line
        with ui.element("div").classes("problem problem-error"):
            ui.icon("error")
            if line is not None:
                button(f"Line {line}", lambda: self.editor.reveal(line), look="quiet")
            ui.label(plain_message(problem.message))

    async def _try(self) -> None:
        text = (self.sample.value or "")[:LONGEST_TEXT]
        if not text or not self.source.strip() or self._problems:
            self.outcome.content = ""
            return
        trait = to_record("callable", self.form.values) | {"source": self.source}
        with busy_when_slow(self.outcome):
            tried = await run.io_bound(self.playground.try_function, trait, text)
        if tried is not None and not self.outcome.is_deleted:
            self.outcome.content = _outcome(tried, bool(trait.get("invert_result")))


def _outcome(tried: TriedFunction, inverted: bool) -> Html:
    if tried.problem:
        line = f" (line {tried.line})" if tried.line else ""
        return tag("div", f"{plain_error(tried.problem)}{line}", class_="field-error")
    if isinstance(tried.value, bool):
        return tag("div", tick(tried.value != inverted, yes="Yes for this text", no="No for this text"))
    return tag("div", "Returned a valid result: ", tag("code", in_python(tried.value)))


COMPLETIONS = [
    {"label": "text", "type": "variable", "detail": "the answer"},
    {"label": "len", "type": "function", "detail": "length of a text or list"},
    {"label": "lower", "type": "function", "detail": "text in lowercase"},
    {"label": "split", "type": "function", "detail": "text split into words"},
    {"label": "return", "type": "keyword", "detail": "the result"},
]
