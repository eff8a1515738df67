"""Tabs below the template: its sample answers, a trial of it, its fields, and the input of the judge."""

from __future__ import annotations

from nicegui import ui

from karenina_gui.gui.binding.question_draft import QuestionDraft
from karenina_gui.gui.templates.outline_view import fields_table, judge_view, patterns_table
from karenina_gui.gui.templates.samples import SampleAnswers
from karenina_gui.gui.templates.try_it import TemplateTrial
from karenina_gui.schemas.sample_answer import SampleAnswer, SampleResult, sample_answers
from karenina_gui.schemas.template import TemplateOutline


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
