"""Pane with the differences of one question, or of the benchmark itself, each with a button that applies it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from nicegui import ui

from karenina_gui.authoring.comparison.differences import ComparedQuestion, FieldDifference
from karenina_gui.authoring.comparison.fields import question_values
from karenina_gui.authoring.comparison.merging import Choice
from karenina_gui.authoring.comparison.service import BenchmarkComparison
from karenina_gui.errors import NotFoundError
from karenina_gui.gui.comparison.field_view import FIELD_TITLES, MAKERS, entry_view, field_view
from karenina_gui.gui.comparison.question_filter import QuestionFilterBar
from karenina_gui.gui.components.elements import button, chip, heading, scrolling, toolbar
from karenina_gui.gui.components.quoting import aria_label
from karenina_gui.gui.session.window import Window

Apply = Callable[[Choice, str], Awaitable[None]]
"""Takes differences over and then shows this message."""


class DifferenceView:
    """Draws the pane into the current element."""

    def __init__(self, window: Window, comparison: BenchmarkComparison, apply: Apply) -> None:
        self._window, self._comparison, self._apply = window, comparison, apply
        self._titles = ("This benchmark", comparison.other.heading)

    def draw(self, question: ComparedQuestion) -> None:
        """Draw the differences of a question."""
        whole = Choice({question.key: None})
        with toolbar("Question"):
            ui.label(QuestionFilterBar.difference_text(question)).classes("hint")
            ui.space()
            if question.here is not None:
                button("Open question", partial(self._open, question.key), look="quiet")
            if question.kind == "changed":
                button("Apply all fields", partial(self._apply, whole, "Applied the question."), look="main")
            elif question.kind == "there":
                button("Add question", partial(self._apply, whole, "Added the question."), icon="add", look="main")
            elif question.kind == "here":
                button("Delete here", partial(self._apply, whole, "Deleted the question."), icon="delete")
        with scrolling("Differences"), ui.element("div").classes("history-detail"):
            heading(" ".join(question.text.split()))
            for field in question.fields:
                self._field(field, Choice({question.key: frozenset({field.name})}))
            self._whole_entry(question)

    def draw_details(self) -> None:
        """Draw the differences of the benchmark’s own fields."""
        details = self._comparison.differences.details
        every = Choice(details=frozenset(detail.name for detail in details))
        with toolbar("Benchmark details"):
            ui.space()
            if details:
                button("Apply all fields", partial(self._apply, every, "Applied the details."), look="main")
        with scrolling("Differences"), ui.element("div").classes("history-detail"):
            heading("Benchmark details")
            for detail in details:
                self._field(detail, Choice(details=frozenset({detail.name})))

    def _field(self, field: FieldDifference, choice: Choice) -> None:
        title = FIELD_TITLES[field.name]
        with ui.element("section").props(aria_label(title)).classes("compared-section shrinks grid gap-4"):
            with ui.element("div").classes("line wraps gap-8"):
                ui.label(title).classes("field-label")
                if field.maker is not None:
                    chip(MAKERS[field.maker], "warn" if field.maker == "both" else "plain")
                ui.space()
                applies = button("Apply", partial(self._apply, choice, f"Applied: {title.lower()}."))
                applies.props(aria_label(f"Apply {title.lower()}"))
            ui.html(field_view(field, self._titles), sanitize=False).classes("compared-values")

    def _whole_entry(self, question: ComparedQuestion) -> None:
        if question.kind == "changed":
            return
        entry = question.there or question.here
        assert entry is not None
        title = self._titles[1] if question.kind == "there" else self._titles[0]
        ui.html(entry_view(question_values(entry), title), sanitize=False).classes("full-width")

    def _open(self, question_id: str) -> None:
        benchmark = self._comparison.benchmark_id
        try:
            number = self._window.services.library.questions.number_of(benchmark, question_id)
        except NotFoundError as error:
            self._window.notify(str(error), "bad")
            return
        ui.navigate.to(f"/benchmarks/{benchmark}/questions/{number}")
