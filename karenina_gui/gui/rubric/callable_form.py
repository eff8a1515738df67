"""Form of a function trait: source editor with error markers, and a trial on a sample answer."""

from __future__ import annotations

import asyncio

from nicegui import background_tasks, run, ui

from karenina_gui.authoring.changes import Change
from karenina_gui.authoring.trait_playground import TraitPlayground, TriedFunction
from karenina_gui.gui.components.elements import button, note, text_area
from karenina_gui.gui.components.html import Html, tag, tick
from karenina_gui.gui.rubric.busy_message import busy_when_slow
from karenina_gui.gui.rubric.form import TraitForm
from karenina_gui.gui.rubric.form_values import to_record
from karenina_gui.gui.rubric.function_editor import FunctionEditor
from karenina_gui.gui.rubric.kinds import FUNCTION
from karenina_gui.gui.rubric.outcome_form import OutcomeForm
from karenina_gui.gui.session.window import Window
from karenina_gui.gui.templates.problems import plain_error, plain_message
from karenina_gui.schemas.rubric.returned import in_python
from karenina_gui.schemas.template import TemplateProblem

PAUSE = 0.3
"""Pause in seconds after the last keystroke before the function is saved and checked."""
# A longer sample would slow down the sandboxed call without testing more of the function.
LONGEST_TEXT = 50_000


def draw_callable(form: TraitForm, playground: TraitPlayground, window: Window) -> None:
    OutcomeForm(form, ("boolean", "score", "literal"))
    place = ui.element("div").classes("trait-part")

    def replace_with_source() -> None:
        # The compiled function stays in the record until the source is saved.
        # The pickled form stays beside it until the source is kept.
        form.set("source", FUNCTION)
        place.clear()
        with place:
            FunctionForm(form, playground, window)

    with place:
        if form.values.get("source") is None and form.values.get("callable_code"):
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
    def __init__(self, form: TraitForm, playground: TraitPlayground, window: Window) -> None:
        self.form, self.playground, self.window = form, playground, window
        self.source = str(form.values.get("source") or "")
        self._task: asyncio.Task[None] | None = None
        self._problems: list[TemplateProblem] = []
        with form.section("Function", "receives the answer text and returns the result"):
            self.editor = FunctionEditor(self.source, self._on_edit)
            form.keep_in_browser("source", self.editor)
            self.state = ui.element("div").classes("template-state trait-code-state").props('role="status"')
            form.problems_below("source")
        with ui.element("div").classes("trait-try"), form.section("Try it"):
            self.sample = text_area("Sample answer", placeholder="Paste an answer to test the function")
            self.sample.on_value_change(self._try)
            self.found = ui.html("").props('role="status"')
        window.listen(window.services.benchmark_changed, self._on_change)
        self._settle_after(0)

    def _on_change(self, change: Change) -> None:
        """Check again after a change of trust: refused code may run now."""
        if change.benchmark_id == self.window.benchmark_id and change.kind == "replaced":
            self._settle_after(0)

    def _on_edit(self) -> None:
        self.source = self.editor.value or ""
        self.editor.show_problems([])
        self._settle_after(PAUSE)

    def _settle_after(self, pause: float) -> None:
        if self._task is not None:
            self._task.cancel()
        # No page context: the last edit must be saved even if the user leaves the page.
        # Without a place on the page: what was typed last is kept even if the page is left meanwhile.
        self._task = background_tasks.create(self._settle(pause), name="check a function")

    async def _settle(self, pause: float) -> None:
        await asyncio.sleep(pause)
        source = self.source
        if source != str(self.form.values.get("source") or ""):
            self.form.set("source", source)
        if self.editor.is_deleted:
            return
        problems = await run.io_bound(self.playground.check_function, source) if source.strip() else []
        if not self.editor.is_deleted and source == self.source:
            self._problems = problems or []
            self._show(self._problems)
            await self._try()

    def _show(self, problems: list[TemplateProblem]) -> None:
        self.editor.show_problems(problems)
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
            self.found.content = ""
            return
        trait = to_record("callable", self.form.values) | {"source": self.source}
        with busy_when_slow(self.found):
            tried = await run.io_bound(self.playground.try_function, trait, text)
        if tried is not None and not self.found.is_deleted:
            self.found.content = _outcome(tried, bool(trait.get("invert_result")))


def _outcome(tried: TriedFunction, inverted: bool) -> Html:
    if tried.problem:
        line = f" (line {tried.line})" if tried.line else ""
        return tag("div", f"{plain_error(tried.problem)}{line}", class_="field-error")
    if isinstance(tried.value, bool):
        return tag("div", tick(tried.value != inverted, yes="Yes for this text", no="No for this text"))
    return tag("div", "Returned a valid result: ", tag("code", in_python(tried.value)))
