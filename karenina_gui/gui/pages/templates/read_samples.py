"""Dialog in which a judge reads sample answers, and its progress."""

from __future__ import annotations

from functools import partial

from nicegui import run, ui

from karenina_gui.errors import InputError
from karenina_gui.gui.kit.dialogs import dialog, dialog_actions
from karenina_gui.gui.kit.elements import button, field, note, select
from karenina_gui.gui.session.window import Window
from karenina_gui.runs.sample_reading import SampleReading
from karenina_gui.schemas.model_config import PLAYED_BACK
from karenina_gui.schemas.sample_answer import SampleToRead
from karenina_gui.text import quantity, verb

ABOUT = (
    "A judge extracts the values of each answer, exactly as in a run. Later edits of the template are tested on these "
    "values, without a model."
)


class ReadSamples:
    """Dialog about the sample answers of some questions; its reading goes on when it is closed."""

    def __init__(self, window: Window, benchmark_id: int, items: list[SampleToRead]) -> None:
        self._window, self._benchmark_id, self._items = window, benchmark_id, items
        self._is_over = False
        runs = window.services.runs
        self._models = {
            name: model
            for name, model in window.services.library.models.all().items()
            if runs.models.can_judge(model) and runs.models.is_asked(model)
        }
        with dialog("Read sample answers", classes="dialog-narrow") as self._dialog:
            self._sheet = ui.element("div").classes("rows")
            reading = runs.sample_readings.last(benchmark_id)
            with self._sheet:
                self._draw_progress(reading) if reading is not None and not reading.over else self._draw_choice()

    def _draw_choice(self) -> None:
        if not self._items:
            ui.label("Nothing to read: all sample answers have values, or there are none.").classes("hint")
            with dialog_actions():
                button("Close", self._dialog.close)
            return
        questions = len({item.number for item in self._items})
        where = "" if questions == 1 else f" of {quantity(questions, 'question')}"
        count = len(self._items)
        ui.label(f"{quantity(count, 'answer')}{where} {verb(count, 'has', 'have')} no extracted values yet.")
        ui.label(ABOUT).classes("hint")
        if not self._models:
            note("No model can judge yet. Add one on the Models page.", "warn")
        with field("Judge"):
            preferred = self._window.preferences.samples_judge
            # Models that replay a recording only know the answers that were recorded.
            live = [name for name, model in self._models.items() if model.interface not in PLAYED_BACK]
            first = preferred if preferred in self._models else next(iter([*live, *self._models]), None)
            self._judge = select("Judge", list(self._models), first, searchable=True)
        self._problem = ui.element("div")
        with dialog_actions():
            button("Cancel", self._dialog.close, look="quiet")
            start = button(f"Read {quantity(count, 'answer')}", self._start, look="main")
            start.set_enabled(bool(self._models))

    async def _start(self) -> None:
        name = str(self._judge.value)
        self._window.preferences.samples_judge = name
        services = self._window.services
        editor = services.editor
        try:
            reading = services.runs.sample_readings.start(
                self._benchmark_id,
                self._items,
                self._models[name],
                lambda item, values: editor.samples.keep_extraction(self._benchmark_id, item, values, name),
                trusted=services.library.benchmarks.trusts(self._benchmark_id),
            )
        except InputError as error:
            with self._problem:
                note(str(error), "bad")
            return
        self._sheet.clear()
        with self._sheet:
            self._draw_progress(reading)

    def _draw_progress(self, reading: SampleReading) -> None:
        self._line = ui.label().props('role="status"')
        self._bar = ui.linear_progress(show_value=False).props('instant-feedback aria-label="Progress"')
        self._bar.classes("reading-bar")
        self._failures = ui.element("div").classes("rows")
        with dialog_actions():
            self._stop = button("Stop", reading.cancel, look="quiet")
            button("Close", self._dialog.close)
        show = partial(self._show, reading)
        ui.timer(0.2, show)

    def _show(self, reading: SampleReading) -> None:
        if self._dialog.is_deleted or self._is_over:
            return
        # Read before the figures below, so that the last ones are shown.
        self._is_over = reading.over
        total = len(reading.items)
        self._bar.value = reading.done / total
        self._line.text = reading_text(reading)
        self._stop.set_visibility(not reading.over)
        if reading.over and reading.problems:
            self._failures.clear()
            with self._failures:
                for reason in sorted(set(reading.problems.values())):
                    note(reason, "bad")


def reading_text(reading: SampleReading) -> str:
    """Progress or result of a reading in one sentence."""
    total, failed = len(reading.items), len(reading.problems)
    if not reading.over:
        return f"{reading.judge.id or reading.judge.model_name} has read {reading.done} of {total}…"
    read = f"Read {quantity(reading.done - failed, 'answer')}"
    read += f", {failed} failed" if failed else ""
    return f"{read}, stopped before the others." if reading.cancelled and reading.done < total else f"{read}."


async def open_read_samples(window: Window, benchmark_id: int, numbers: list[int] | None) -> None:
    """Open the dialog about these questions; None: all of the benchmark."""
    items = await run.io_bound(window.services.editor.samples.to_read, benchmark_id, numbers)
    if items is not None:
        ReadSamples(window, benchmark_id, items)
