"""Tabs below the template: its sample answers, a trial of it, its fields, and the input of the judge."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import background_tasks, run, ui

from karenina_gui.authoring.template_playground import TemplatePlayground
from karenina_gui.gui.kit.elements import button, text_area
from karenina_gui.gui.pages.templates.outline_view import fields_table, judge_view, patterns_table
from karenina_gui.gui.pages.templates.samples import SampleAnswers
from karenina_gui.gui.pages.templates.try_fields import TryField, fields_of, value_of
from karenina_gui.gui.pages.templates.value_controls import draw_values
from karenina_gui.gui.pages.templates.verdict_view import problem_view, verdict_view
from karenina_gui.gui.records.question_draft import QuestionDraft
from karenina_gui.schemas.sample_answer import SampleAnswer, SampleKind, SampleResult, sample_answers
from karenina_gui.schemas.template import TemplateOutline

PAUSE = 0.25
"""Pause in seconds after the last keystroke before the answer is verified."""

ENTER_VALUES = "Enter values: first those of a correct answer, then of a wrong one."
FAULTY = "Fix the problem above to see a verdict."
TO_DO = "Complete the template to try it."
PASTE_ANSWER = "Paste a correct answer first, then a wrong one."
ABOUT_JUDGE = "In a run, a judge extracts these values from the answer. Enter them here to test the template."


class TemplateTests:
    """Everything that shows what a template does. It opens on the samples if there are some."""

    def __init__(self, draft: QuestionDraft) -> None:
        self.draft = draft
        first = "samples" if sample_answers(draft.question) else "try"
        with ui.tabs().props('align="left" dense no-caps') as self._tabs:
            self._samples_tab = ui.tab("samples", "Sample answers")
            ui.tab("try", "Try it")
            ui.tab("fields", "Fields")
            ui.tab("judge", "Judge input")
        # keep_alive: values entered in the trial survive a change of tabs.
        with ui.tab_panels(self._tabs, value=first, animated=False, keep_alive=True):
            with ui.tab_panel("samples"), ui.element("div").classes("scroll below"):
                self.samples = SampleAnswers(draft, self._show_count)
            with ui.tab_panel("try"), ui.element("div").classes("scroll below"):
                self.try_it = TemplateTrial(draft.editor.templates(draft.benchmark_id), self._keep)
            with ui.tab_panel("fields"), ui.element("div").classes("scroll below").props('tabindex="0"'):
                self.fields = ui.html("")
            with ui.tab_panel("judge"), ui.element("div").classes("scroll below").props('tabindex="0"'):
                self.judge = ui.html("")

    def show(self, source: str, outline: TemplateOutline, leaks: list[str]) -> None:
        """Show a checked template; `leaks`: messages about text for the judge that gives values away."""
        self.fields.content = _declarations(outline)
        self.judge.content = judge_view(outline, leaks) if outline.valid else _UNKNOWN
        self.try_it.show(source, outline)
        self.samples.show(source, outline)

    def reveal_samples(self) -> None:
        """Show the sample answers, with the focus on the first that needs attention."""
        self._tabs.value = "samples"
        self.samples.reveal()

    def wait(self) -> None:
        """Mark verdicts as outdated while the template is checked."""
        self.try_it.wait()

    async def _keep(self, sample: SampleAnswer) -> None:
        """Keep an answer of the trial as a sample."""
        self._tabs.value = "samples"
        await self.samples.add(sample)

    def _show_count(self, results: list[SampleResult]) -> None:
        wrong = sum(result.state in ("unexpected", "error") for result in results)
        count = len(sample_answers(self.draft.question))
        title = f"Sample answers ({count})" if count else "Sample answers"
        self._samples_tab.props["label"] = title
        if wrong:
            self._samples_tab.props('alert="negative"')
        else:
            self._samples_tab.props(remove="alert")


def _declarations(outline: TemplateOutline) -> str:
    tables = [fields_table(outline), patterns_table(outline)] if outline.valid else []
    return "".join(table for table in tables if table) or _UNKNOWN


_UNKNOWN = '<p class="hint">Shown when the template has no errors.</p>'


class TemplateTrial:
    """Trial form. Entered values are kept by field name while the template is edited."""

    def __init__(self, templates: TemplatePlayground, keep: Callable[[SampleAnswer], Awaitable[None]]) -> None:
        """`keep` receives an answer that the user wants to keep as a sample."""
        self.templates = templates
        self._keep = keep
        self._passes: bool | None = None
        """Displayed verdict; None: not tried yet."""
        self.source = ""
        self.outline = TemplateOutline(valid=False)
        self.fields: list[TryField] = []
        self.entered: dict[str, str] = {}
        self._descriptions: dict[str, Callable[[str], None]] = {}
        """{field: function that replaces its description}"""
        self.answer = ""
        self._task: asyncio.Task[None] | None = None
        with ui.element("div").classes("try"):
            with ui.element("div").classes("try-form"):
                self.form = ui.element("div").classes("rows")
            with ui.element("div").classes("try-verdict").props('role="status" aria-live="polite"'):
                self.verdict = ui.html("")
                self._keep_button = button("Keep as sample", self._keep_sample, icon="bookmark_add")
                self._keep_button.set_visibility(False)

    def show(self, source: str, outline: TemplateOutline) -> None:
        """Show a checked template. If it is invalid, the form stays as it is; without a template there is none."""
        self.source, before = source, self._form_key()
        self.outline = outline
        if outline.valid:
            self.fields = fields_of(outline)
            # A redraw would take the focus from the control that the user types in.
            if self._form_key() != before or not self.form.default_slot.children:
                self._draw()
            else:
                for field in self.fields:
                    self._descriptions[field.name](field.description)
        elif not source.strip():
            self.fields = []
            self.form.clear()
        self._verify_soon()

    def wait(self) -> None:
        """Mark the verdict as outdated while the template is checked."""
        self.verdict.content = problem_view("Checking…", hint=True)

    def _form_key(self) -> tuple[Any, ...]:
        """Return the properties that the form depends on. The form is redrawn only if they change."""
        return (*((f.name, f.kind, f.choices) for f in self.fields), self._asks_for_answer(), self.outline.needs_judge)

    def _asks_for_answer(self) -> bool:
        return bool(self.outline.regex) or any(field.is_trace for field in self.outline.fields) or not self.fields

    def _draw(self) -> None:
        self.form.clear()
        with self.form:
            if self._asks_for_answer():
                ui.label("Answer").classes("field-label")
                control = text_area("Sample answer", self.answer, placeholder="Paste an answer here")
                control.props("debounce=150").on_value_change(lambda event: self._type_answer(event.value))
            if self.fields:
                with ui.element("div").classes("try-line line wraps gap-2"):
                    ui.label("Extracted values").classes("field-label")
                    with ui.element("div").classes("try-buttons"):
                        button("Use expected values", self._use_expected, look="quiet")
                        button("Clear", self._clear, look="quiet")
                ui.label(ABOUT_JUDGE).classes("hint")
                self._descriptions = draw_values(self.fields, self.entered, self._type)

    def _use_expected(self) -> None:
        self.entered |= {field.name: field.expected for field in self.fields}
        self._draw()
        self._verify_soon()

    def _clear(self) -> None:
        self.entered.clear()
        self._draw()
        self._verify_soon()

    def _type(self, name: str, text: str) -> None:
        self.entered[name] = text
        self._verify_soon()

    def _type_answer(self, text: str | None) -> None:
        self.answer = text or ""
        self._verify_soon()

    def _verify_soon(self) -> None:
        if self._task is not None:
            self._task.cancel()
        self._task = background_tasks.create(self._verify(), name="try a template", context=self.verdict)

    async def _verify(self) -> None:
        await asyncio.sleep(PAUSE)
        if self.verdict.is_deleted:
            return
        self._passes = None
        self.verdict.content = await self._outcome()
        self._keep_button.set_visibility(self._passes is not None)

    async def _keep_sample(self) -> None:
        """Keep the answer, with the verdict shown as the expected one."""
        values = self._entered_values() if self.outline.needs_judge else None
        passes = bool(self._passes)
        kind: SampleKind = "correct" if passes else "wrong"
        await self._keep(SampleAnswer(kind=kind, text=self.answer, passes=passes, values=values))

    async def _outcome(self) -> str:
        if not self.source.strip():
            return problem_view("Start a template above, then test it here.", hint=True)
        if not self.outline.valid:
            return problem_view(TO_DO if self.outline.unfinished else FAULTY, hint=True)
        try:
            values = self._entered_values() if self.outline.needs_judge else None
        except ValueError as error:
            return problem_view(str(error))
        entered = any(value is not None for value in (values or {}).values())
        if not entered and not self.answer.strip():
            return problem_view(ENTER_VALUES if self.fields else PASTE_ANSWER, hint=True)
        verdict = await run.io_bound(self.templates.try_answer, self.source, self.answer, values)
        if verdict is None:
            return ""
        self._passes = None if verdict.error else verdict.passed
        return verdict_view(verdict, self.outline)

    def _entered_values(self) -> dict[str, Any]:
        """Return {field: value}. Raises `ValueError` for the first text that does not fit its field."""
        return {field.name: value_of(field, self.entered.get(field.name)) for field in self.fields}
