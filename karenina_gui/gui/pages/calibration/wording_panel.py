"""Draft of another wording: judged again on the labeled answers, compared, and saved over the trait on request."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from nicegui import run, ui

from karenina_gui.analysis.costs import dollars
from karenina_gui.analysis.thresholds import CHARACTERS_PER_TOKEN, OUTPUT_TOKENS_OF_JUDGE
from karenina_gui.authoring.calibration.targets import OpenTarget
from karenina_gui.errors import InputError
from karenina_gui.example import recorded_wording
from karenina_gui.gui.kit.elements import button, field, heading, note, text_area
from karenina_gui.gui.kit.html import Html, join_html, link, tag
from karenina_gui.gui.kit.quoting import aria_label
from karenina_gui.gui.pages.calibration.labeling import wording_title
from karenina_gui.gui.pages.prices.price_text import PAGE, in_dollars, model_in_words
from karenina_gui.gui.pages.rubric.regex_form import INVERTED
from karenina_gui.gui.session.window import Window
from karenina_gui.runs.calibration_judging import AnswerToJudge, CalibrationJudging, JudgingOrder
from karenina_gui.schemas.calibration import Calibration, Wording
from karenina_gui.schemas.model_config import PLAYED_BACK, ModelConfig
from karenina_gui.schemas.prices import ModelTokens, Price
from karenina_gui.schemas.rubric import RegexRubricTrait
from karenina_gui.text import quantity

INSTRUCTIONS = 1_500
"""Characters of a judge's instructions, about: it has others for traits than for templates."""


class WordingPanel:
    """Editor of the draft, with *Judge again* and *Use this wording*."""

    def __init__(self, window: Window, opened: OpenTarget, calibration: Calibration, judged: Callable[[], Any]) -> None:
        """`judged`: called after new values were saved."""
        self._window, self._opened, self._calibration = window, opened, calibration
        self._editor = window.services.editor.calibrations
        self._judged = judged
        self._classes: dict[str, ui.textarea] = {}
        runs = window.services.runs
        self._models = {
            name: model
            for name, model in window.services.library.models.all().items()
            if runs.models.can_judge(model) and runs.models.is_asked(model)
        }
        with ui.element("div").classes("group"):
            heading("Try another wording")
            ui.label("A draft. Nothing changes until you use it.").classes("hint")
            self._draw_texts(opened.wording)
            if not opened.is_pattern:
                self._draw_judge()
            self._problem = ui.element("div")
            with ui.element("div").classes("label-ways"):
                again = "Match again" if opened.is_pattern else "Judge again"
                self._again = button(again, self._judge, look="main", icon="replay")
                self._use = button("Use this wording", self._use_draft, icon="check")
            self._again.set_enabled(opened.is_pattern or bool(self._models))
            self._progress = ui.element("div").classes("rows")
        if (judging := runs.calibration_judgings.last(calibration.id)) is not None and not judging.over:
            self._show_progress(judging)

    @property
    def draft(self) -> Wording:
        """The wording as it is typed."""
        classes = {name: str(control.value or "") for name, control in self._classes.items()}
        return Wording(description=str(self._text.value or ""), classes=classes)

    def load(self, wording: Wording) -> None:
        """Put a wording into the draft."""
        self._text.value = wording.description
        for name, control in self._classes.items():
            control.value = wording.classes.get(name, "")

    def _draw_texts(self, wording: Wording) -> None:
        title = wording_title(self._opened)
        with field(title):
            self._text = text_area(title, wording.description)
            self._text.on_value_change(self._show_forecast)
            if isinstance(self._opened.trait, RegexRubricTrait) and self._opened.trait.invert_result:
                ui.label(INVERTED).classes("hint")
        for name, about in wording.classes.items():
            with field(name, "applies when"):
                self._classes[name] = text_area(f"{name} applies when", about)

    def _draw_judge(self) -> None:
        if not self._models:
            note("No model can judge yet. Add one on the Models page.", "warn")
        with field("Judge"):
            self._model = ui.select(list(self._models), value=self._first_model(), on_change=self._show_forecast)
            self._model.props(f"outlined dense options-dense {aria_label('Judge')}").classes("input")
        self._forecast = ui.html("").classes("draft-forecast")
        self._recorded = button("Insert recorded wording", self._insert_recorded, look="quiet", icon="input")
        self._recorded.classes("label-recorded").tooltip(
            "This judge replays a recording. It has replies only for the current wording and this one."
        )
        self._show_forecast()

    def _first_model(self) -> str | None:
        """The judge that read these answers before, else the one of sample answers, else a live one."""
        sets = self._window.services.library.calibrations.judgments(self._calibration.id)
        # The one that was asked last, else the first of the runs, whose agreement is shown first.
        order = [*reversed([judgment_set for judgment_set in sets if judgment_set.source == "asked"]), *sets]
        judges = [judgment_set.judge for judgment_set in order if judgment_set.judge in self._models]
        last = self._window.preferences.samples_judge
        live = [name for name, model in self._models.items() if model.interface not in PLAYED_BACK]
        return next(iter([*judges, *([last] if last in self._models else []), *live, *self._models]), None)

    def _choice(self) -> tuple[str, ModelConfig] | None:
        name = None if self._opened.is_pattern else self._model.value
        return (str(name), self._models[str(name)]) if name in self._models else None

    def _show_forecast(self) -> None:
        if self._opened.is_pattern or (chosen := self._choice()) is None:
            return
        length = len(self.draft.model_dump_json())
        lengths = [length + len(answer.text) + len(answer.question) for answer in self._calibration.answers]
        self._forecast.content = judging_forecast(chosen[1], lengths, self._window.services.runs.prices.all())
        self._recorded.set_visibility(recorded_wording(chosen[1], self._opened.target.name) is not None)

    def _insert_recorded(self) -> None:
        chosen = self._choice()
        if chosen and (text := recorded_wording(chosen[1], self._opened.target.name)):
            self._text.value = text

    async def _judge(self) -> None:
        """Let the judge read the answers under the draft."""
        self._problem.clear()
        try:
            if self._opened.is_pattern:
                await run.io_bound(self._editor.match, self._calibration, self._opened, self.draft)
                self._judged()
                return
            self._show_progress(await self._start())
        except InputError as error:
            self._show_problem(str(error))

    async def _start(self) -> CalibrationJudging:
        chosen = self._choice()
        if chosen is None:
            raise InputError("Choose a judge.")
        name, model = chosen
        opened, wording = self._opened, self.draft
        answers = await run.io_bound(self._editor.to_judge, self._calibration, opened, wording) or []
        items = [AnswerToJudge(answer.key, answer.text, question, rubric) for answer, question, rubric in answers]
        services, benchmark = self._window.services, opened.target.benchmark_id
        trusted = services.library.benchmarks.trusts(benchmark)
        order = JudgingOrder(
            self._calibration.id, opened.target.name, opened.scale, wording, model, name, trusted=trusted
        )
        self._window.preferences.samples_judge = name
        keep = self._editor.keep
        return services.runs.calibration_judgings.start(order, items, lambda judged: keep(order.calibration_id, judged))

    def _show_progress(self, judging: CalibrationJudging) -> None:
        self._again.set_enabled(False)
        self._progress.clear()
        with self._progress:
            line = ui.label().props('role="status"')
            bar = ui.linear_progress(show_value=False).props('instant-feedback aria-label="Progress"')
            bar.classes("reading-bar")
            stop = button("Stop", judging.cancel, look="quiet")
        is_over = False

        def show() -> None:
            nonlocal is_over
            if is_over or line.is_deleted:
                return
            # Read before the figures below, so that the last ones are shown.
            is_over = judging.over
            total = max(1, len(judging.items))
            bar.value = judging.done / total
            line.text = progress_text(judging)
            stop.set_visibility(not is_over)
            if is_over:
                self._end(judging)

        with self._progress:
            ui.timer(0.2, show)

    def _end(self, judging: CalibrationJudging) -> None:
        self._again.set_enabled(True)
        reasons = dict.fromkeys(judging.problems.values())
        if not judging.values:
            for reason in reasons:
                self._show_problem(reason)
            return
        self._judged()

    async def _use_draft(self) -> None:
        """Save the draft as the wording of the trait or field."""
        self._problem.clear()
        target, before = self._opened.target, self._opened.wording
        try:
            await self._window.write(self._editor.use_wording, target, self.draft)
        except InputError as error:
            self._show_problem(str(error))
            return
        self._window.note_saved()

        undo = partial(self._window.write, self._editor.use_wording, target, before)
        self._window.notify(f"“{target.name}” has the new wording.", "good", undo=undo)

    def _show_problem(self, message: str) -> None:
        with self._problem:
            note(message, "bad")


def progress_text(judging: CalibrationJudging) -> str:
    """Progress or result in one sentence."""
    total, failed = len(judging.items), len(judging.problems)
    name = judging.order.judge_name
    if not judging.over:
        return f"{name} has judged {judging.done} of {total}…"
    judged = f"Judged {quantity(judging.done - failed, 'answer')}"
    judged += f", {failed} without a value" if failed else ""
    return f"{judged}, stopped before the others." if judging.cancelled and judging.done < total else f"{judged}."


def judging_forecast(model: ModelConfig, lengths: Sequence[int], prices: Mapping[str, Price]) -> Html:
    """HTML of the forecast of one call for each text of these lengths."""
    if model.interface in PLAYED_BACK:
        none = tag("p", "An answer or a wording that was not recorded gets no value.", class_="hint")
        return join_html([tag("p", "Replays recorded replies: no model is called, at no cost."), none])
    calls = quantity(len(lengths), "call")
    name = f"{model.interface}:{model.model_name}"
    read = sum(lengths) + INSTRUCTIONS * len(lengths)
    least, most = CHARACTERS_PER_TOKEN
    ends = [(read / most, OUTPUT_TOKENS_OF_JUDGE[0]), (read / least, OUTPUT_TOKENS_OF_JUDGE[1])]
    tokens = [ModelTokens(name, round(into), round(out * len(lengths))) for into, out in ends]
    low, high = (dollars(usage, prices.get(name)) for usage in tokens)
    total = " to ".join(f"{int(float(f'{usage.input + usage.output:.1e}')):,}" for usage in tokens)
    if low is None or high is None:
        unpriced = tag("p", f"No price for {model_in_words(name)}. ", link(PAGE, "Enter prices"), class_="hint")
        return join_html([tag("p", tag("b", f"{calls}, {total} tokens"), " · cost unknown"), unpriced])
    return tag("p", tag("b", f"{calls}, {total} tokens"), f" · {in_dollars(low)} to {in_dollars(high)}")
