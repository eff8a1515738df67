"""Sample answers of a question in the editor, each with the verdict of its template."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from nicegui import background_tasks, run, ui

from karenina_gui.authoring.bench import run_samples
from karenina_gui.gui.kit.elements import button, focus_on, menu_item
from karenina_gui.gui.pages.templates.read_samples import open_read_samples
from karenina_gui.gui.pages.templates.sample_edits import SampleEdits
from karenina_gui.gui.pages.templates.sample_row import KIND_TITLES, SampleRow
from karenina_gui.gui.pages.templates.try_fields import TryField, fields_of, value_of
from karenina_gui.gui.records.question_draft import QuestionDraft
from karenina_gui.schemas.sample_answer import PASSING_KINDS, SampleAnswer, SampleKind, SampleResult
from karenina_gui.schemas.template import TemplateOutline
from karenina_gui.text import quantity

PAUSE = 0.1
"""Pause in seconds before the samples are tested after an edit."""

ABOUT = "Sample answers test the template on each edit, without a model: correct ones should pass, wrong ones fail."
REFUSAL = "I’m sorry, but I can’t answer this question."


class SampleAnswers:
    """List of sample answers; one of them is open at a time."""

    def __init__(self, draft: QuestionDraft, on_tested: Callable[[list[SampleResult]], None]) -> None:
        """`on_tested` receives the results after each test."""
        self.draft = draft
        self.edits = SampleEdits(draft)
        self.templates = draft.editor.templates(draft.benchmark_id)
        self.source, self.outline = "", TemplateOutline(valid=False)
        self.fields: list[TryField] = []
        self.rows: dict[str, SampleRow] = {}
        """Rows by id of their sample, in order."""
        self.open: str | None = None
        """Id of the sample whose row is open."""
        self._on_tested = on_tested
        self._task: asyncio.Task[None] | None = None
        self._is_sought = False
        """True if the first sample that needs attention is to be opened after the next test."""
        with ui.element("div").classes("line wide gap-8"):
            self.summary = ui.label().classes("small strong").props('role="status"')
            ui.space()
            self._read = button("Read with judge", self._read_samples, icon="visibility", look="quiet")
            self._add = self._draw_add()
        self.list = ui.element("div").classes("when-filled stack wide").props('role="list" aria-label="Sample answers"')
        with ui.element("div").classes("sample-start stack gap-8") as self.start:
            ui.label(ABOUT).classes("hint")
            self._starters = button("Add starter samples", self._add_starters, icon="playlist_add")
            self._starters.set_enabled(False)
            self._starters.tooltip("The reference answer, a refusal, and an empty answer")
        self._read.set_visibility(False)
        draft.listen(lambda _: self.refresh(), "saved", "elsewhere")
        self.refresh()

    def show(self, source: str, outline: TemplateOutline) -> None:
        """Test the samples on a checked template."""
        before = self.fields
        self.source, self.outline = source, outline
        # Without fields, the starters would have no values.
        self._starters.set_enabled(outline.valid)
        if outline.valid:
            self.fields = fields_of(outline)
        if self.fields != before and self.open in self.rows:
            self.rows[self.open].redraw()
        self._test_soon()

    def reveal(self) -> None:
        """Move the focus to the first sample with a wrong verdict or without one, once they are tested."""
        self._is_sought = True
        self._test_soon()

    def refresh(self) -> None:
        """Show the samples as they are stored, and test them."""
        samples = self.edits.samples
        self.start.set_visibility(not samples)
        # Rows are drawn anew only if there are others, since that would take the focus from what is typed in.
        if [sample.id for sample in samples] != list(self.rows):
            self._draw(samples)
        else:
            for sample in samples:
                self.rows[sample.id].show(sample)
        self._test_soon()

    async def add(self, *samples: SampleAnswer) -> None:
        """Add samples, and open the last one."""
        if await self.edits.add(*samples):
            self.toggle(samples[-1].id)
            self.rows[samples[-1].id].focus()

    def toggle(self, sample_id: str) -> None:
        """Open the row of a sample, or close it."""
        last, self.open = self.open, None if self.open == sample_id else sample_id
        for row_id in (last, self.open):
            if row_id in self.rows:
                self.rows[row_id].redraw()

    async def remove(self, sample: SampleAnswer) -> None:
        index = list(self.rows).index(sample.id)
        if await self.edits.remove(sample.id):
            self.draft.window.notify(
                "Sample answer deleted.",
                undo=lambda: background_tasks.create(self.edits.insert(index, sample), name="bring a sample back"),
            )

    def values_by_hand(self, texts: dict[str, str]) -> dict[str, Any]:
        """Values as entered, by field. Raises `ValueError` for the first text that does not fit its field."""
        return {field.name: value_of(field, texts.get(field.name)) for field in self.fields}

    def _draw_add(self) -> ui.button:
        with (
            button("Add", icon="add", look="quiet").props('aria-haspopup="menu"') as add,
            ui.menu().props('auto-close role="menu" aria-label="Kind of answer"').classes("menu"),
        ):
            for kind, title in KIND_TITLES.items():
                menu_item(title, partial(self._add_new, kind))
        return add

    async def _add_new(self, kind: SampleKind) -> None:
        await self.add(self._new(kind))

    def _new(self, kind: SampleKind) -> SampleAnswer:
        """Create a sample with everything that its kind determines."""
        passes = kind in PASSING_KINDS
        match kind:
            case "correct":
                text = self.draft.question.raw_answer
                values = self.values_by_hand({field.name: field.expected for field in self.fields}) or None
            case "refusal" | "empty":
                text = REFUSAL if kind == "refusal" else ""
                values = self.values_by_hand({}) or None
            case _:
                text, values = "", None
        return SampleAnswer(kind=kind, text=text, passes=passes, values=values)

    async def _add_starters(self) -> None:
        usual: tuple[SampleKind, ...] = ("correct", "refusal", "empty")
        await self.edits.add(*map(self._new, usual))

    def _draw(self, samples: list[SampleAnswer]) -> None:
        self.list.clear()
        self.rows = {}
        with self.list:
            for sample in samples:
                self.rows[sample.id] = SampleRow(self, sample)
        if self.open not in self.rows:
            self.open = None

    def _test_soon(self) -> None:
        if self._task is not None:
            self._task.cancel()
        self._task = background_tasks.create(self._test(), name="test a template", context=self.list)

    async def _test(self) -> None:
        await asyncio.sleep(PAUSE)
        samples, results = self.edits.samples, []
        if samples and self.source.strip() and self.outline.valid:
            # None while the application closes.
            results = await run.io_bound(run_samples, self.templates, self.source, self.outline, samples) or []
        if self.list.is_deleted:
            return
        by_id = {result.sample.id: result for result in results}
        for sample_id, row in self.rows.items():
            row.show_result(by_id.get(sample_id))
        self.summary.text = _summary(samples, results, valid=self.outline.valid)
        self._read.set_visibility(any(result.state == "unread" for result in results))
        self._on_tested(results)
        self._open_sought(results)

    def _open_sought(self, results: list[SampleResult]) -> None:
        """Open the first sample that needs attention; without samples, the focus goes to the button that adds one."""
        # A template that is still being checked has no results; they come later.
        if not self._is_sought or (self.rows and not results):
            return
        self._is_sought = False
        sample_id = next(
            (result.sample.id for result in results if result.state != "as_expected"), next(iter(self.rows), None)
        )
        if sample_id is None:
            focus_on(self._add)
            return
        if self.open != sample_id:
            self.toggle(sample_id)
        self.rows[sample_id].focus()

    async def _read_samples(self) -> None:
        draft = self.draft
        await open_read_samples(draft.window, draft.benchmark_id, [draft.number])


def _summary(samples: list[SampleAnswer], results: list[SampleResult], *, valid: bool) -> str:
    if not samples:
        return ""
    if not results:
        return "Tested when the template works." if not valid else "Tested when there is a template."
    states = Counter(result.state for result in results)
    wrong = states["unexpected"] + states["error"]
    parts = [f"{states['as_expected']} of {len(results)} as expected"]
    parts += [quantity(wrong, "wrong verdict")] if wrong else []
    parts += [f"{states['unread']} not read yet"] if states["unread"] else []
    return ", ".join(parts) + "."
