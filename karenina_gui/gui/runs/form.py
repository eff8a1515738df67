"""The Run page: what to run on the left, what that means on the right."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nicegui import app, background_tasks, run, ui

from karenina_gui import example
from karenina_gui.errors import KareninaError
from karenina_gui.gui.frame.window import Window
from karenina_gui.gui.parts.elements import bar, button, field, heading, key_values, note, pane, splitter, text_input
from karenina_gui.gui.parts.fetched_grid import FetchedGrid
from karenina_gui.gui.presets.run_bar import PresetBar
from karenina_gui.gui.presets.words import further
from karenina_gui.gui.runs.choice import MODES, SCOPES, RunChoice
from karenina_gui.gui.runs.model_choice import ModelChoice
from karenina_gui.gui.runs.plan import Plan, Planner
from karenina_gui.gui.runs.plan_view import drawn
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.config import VerificationConfig
from karenina_gui.schemas.summaries import QuestionFilter

if TYPE_CHECKING:
    from karenina_gui.gui.frame.pages import Place

PAUSE = 0.15
"""Seconds without a further choice before the plan is made anew."""
AT_ONCE = 20
"""Templates that are looked at before the page says how far it is."""


def draw(window: Window, place: Place) -> None:
    """`/benchmarks/{b}/run`; `?again=3` begins with the choices of run 3, `?preset=…` with those of a preset."""
    frame = window.studio.desk.frame(place["b"])
    again = place.query.get("again", "")
    choice = (
        RunChoice.of(window.studio.runs.runs.config(int(again)))
        if again.isdecimal()
        else first_choice(place["b"], frame, window.preferences.run_defaults)
    )
    form = RunForm(window, place["b"], choice)
    form.draw()
    if preset := place.query.get("preset"):
        form.presets.take(preset)


class RunForm:
    """Every choice changes `choice`; the plan follows."""

    def __init__(self, window: Window, benchmark_id: int, choice: RunChoice) -> None:
        self._window = window
        self._benchmark_id = benchmark_id
        self._frame = window.studio.desk.frame(benchmark_id)
        self._planner = Planner(window.studio.desk, window.studio.runs, benchmark_id)
        self.choice = choice
        self.presets = PresetBar(window, self._config, self._take)
        self._plan: Plan | None = None
        self._planning: asyncio.Task[None] | None = None

    def draw(self) -> None:
        with pane("Run a benchmark") as self._page:
            self._fill()

    def _take(self, choice: RunChoice) -> None:
        """Choose as a preset says; which questions run stays as it is."""
        before = self.choice
        self.choice = replace(choice, scope=before.scope, keywords=before.keywords, picked=before.picked)
        self._page.clear()
        with self._page:
            self._fill()

    def _fill(self) -> None:
        with bar():
            heading(f"Run “{self._frame.name}”", 1)
            ui.space()
            self.presets.draw()
        with splitter(self._window, "run-form", 60, limits=(40, 80)) as halves:
            with halves.before, pane("Choices", classes="scroll rf") as scrolled:
                scrolled.props('tabindex="0"')
                self._questions()
                self._who = ModelChoice(self._window, self.choice, self._set, self._stirred)
                self._who.draw()
                self._evaluation()
                self._options()
            with halves.after, pane("Plan", classes="rf-plan"):
                with ui.element("div").classes("scroll rf-plan-body"):
                    self._plan_view = ui.html("").props('role="status"').classes("full-width")
                    self._learning = ui.label().classes("hint")
                with ui.element("div").classes("rf-start"):
                    name = text_input("Name of the run", placeholder="Name of the run (optional)")
                    name.on_value_change(lambda e: self._set("name", e.value or ""))
                    self._start = button("Start run", self._begin, icon="play_arrow", look="main")
        self._replan()

    def _questions(self) -> None:
        with field("Questions"):
            ui.radio(dict(SCOPES), value=self.choice.scope, on_change=lambda e: self._scope(e.value)).props(
                'dense aria-label="Which questions"'
            ).classes("rf-radio")
            keywords = {
                name: f"{name} ({count})" for name, count in self._window.studio.desk.keywords(self._benchmark_id)
            }
            self._keywords = ui.select(
                keywords,
                multiple=True,
                value=[word for word in self.choice.keywords if word in keywords],
                on_change=lambda e: self._set("keywords", list(e.value)),
            )
            self._keywords.props('outlined dense use-chips options-dense aria-label="Keywords"').classes("inp rf-wide")
            self._picker = FetchedGrid(
                "pick",
                self._benchmark_id,
                self._picked(),
                label="Questions to pick",
                empty="No questions.",
                key="number",
            ).classes("rf-picker")
            self._picker.on("picked", lambda event: self._pick(event.args))
        self._show_scope()

    def _picked(self) -> list[int]:
        """Numbers of the questions that are picked."""
        picked = set(self.choice.picked)
        rows = self._window.studio.desk.questions(self._benchmark_id) if picked else []
        return [row.number for row in rows if row.id in picked]

    async def _pick(self, numbers: list[int]) -> None:
        wanted = QuestionFilter(numbers=tuple(numbers))
        rows = await run.io_bound(self._window.studio.desk.questions, self._benchmark_id, wanted)
        self._set("picked", [row.id for row in rows or []])

    def _scope(self, scope: Any) -> None:
        self._set("scope", scope)
        self._show_scope()

    def _show_scope(self) -> None:
        self._keywords.set_visibility(self.choice.scope == "keywords")
        self._picker.set_visibility(self.choice.scope == "picked")

    def _evaluation(self) -> None:
        with field("Replicates", "how often each model answers each question"):
            number = ui.number(value=self.choice.replicates, min=1, max=100, precision=0)
            number.on_value_change(lambda e: self._set("replicates", max(1, int(e.value or 1))))
            number.props('outlined dense aria-label="Replicates"').classes("inp rf-number")
        with field("What is checked"):
            modes = {mode: title for mode, (title, _) in MODES.items()}
            ui.radio(modes, value=self.choice.mode, on_change=lambda e: self._mode(e.value)).props(
                'inline dense aria-label="What is checked"'
            ).classes("rf-radio")
            self._mode_hint = ui.label().classes("hint")
            self._show_mode()

    def _mode(self, mode: Any) -> None:
        self._set("mode", mode)
        self._show_mode()

    def _show_mode(self) -> None:
        upgraded = self.choice.mode == "template_only" and self._frame.rubric and not self._frame.rubric.is_empty
        self._mode_hint.text = MODES[self.choice.mode][1] + (
            " This benchmark has a rubric, so its traits are rated too." if upgraded else ""
        )

    def _options(self) -> None:
        with ui.expansion("More options").classes("rf-more").props("dense"):
            with ui.element("div").classes("rf-pair"):
                with field("Jobs at the same time"):
                    self._number("workers", 1, 64, "Jobs at the same time")
                with field("Time limit of a call", "seconds"):
                    self._number("time_limit", 1, 3600, "Time limit of a call, in seconds")
            for name, text, hint in SWITCHES:
                with ui.element("div").classes("rf-switch"):
                    box = ui.checkbox(text, value=getattr(self.choice, name))
                    box.props("dense").on_value_change(lambda e, name=name: self._set(name, bool(e.value)))
                    ui.label(hint).classes("hint")
            self._further()

    def _further(self) -> None:
        """Settings that came with a preset or an earlier run, which have no control here."""
        if not self.choice.settings:
            return
        with ui.element("div").classes("group") as place:
            ui.label("Further settings, from the preset or the earlier run").classes("field-label")
            key_values(further(self.choice.settings))

            def forget() -> None:
                self._set("settings", {})
                place.delete()

            button("Use the usual ones instead", forget, icon="restart_alt", look="quiet")

    def _number(self, name: str, least: int, most: int, label: str) -> None:
        kind = type(getattr(self.choice, name))
        box = ui.number(value=getattr(self.choice, name), min=least, max=most)
        box.on_value_change(lambda e: self._set(name, kind(min(most, max(least, e.value or least)))))
        box.props(f'outlined dense aria-label="{label}"').classes("inp rf-number")

    def _set(self, name: str, value: Any) -> None:
        if getattr(self.choice, name) != value:
            setattr(self.choice, name, value)
            if name != "name":
                # Whoever goes to enter a key comes back to what was chosen.
                app.storage.user[memory_key(self._benchmark_id)] = self.choice.memory()
                self._stirred()

    def _stirred(self) -> None:
        """What is chosen, or what it leads to, has changed."""
        self.presets.look()
        self._replan()

    def _config(self) -> VerificationConfig:
        return self.choice.config(self._window.studio.runs.models.kept.all())

    def _replan(self) -> None:
        if self._planning is not None:
            self._planning.cancel()
        self._start.set_enabled(False)
        self._planning = background_tasks.create(self._make_plan())

    async def _make_plan(self) -> None:
        """First what is known at once, then, template by template, what judges will have to do."""
        await asyncio.sleep(PAUSE)
        plan = await self._show_plan()
        while plan is not None and plan.unknown:
            for start in range(0, len(plan.unknown), AT_ONCE):
                self._learning.text = f"Looking at the templates: {start:,} of {len(plan.unknown):,} …"
                await run.io_bound(self._planner.learn, plan.unknown[start : start + AT_ONCE])
                if self._learning.is_deleted:
                    return
            plan = await self._show_plan()
        if plan is not None:
            self._learning.text = ""

    async def _show_plan(self) -> Plan | None:
        plan = await run.io_bound(self._planner.plan, self.choice)
        if plan is None or self._plan_view.is_deleted:
            return None
        self._plan_view.set_content(drawn(plan, self._benchmark_id))
        self._plan = plan
        self._start.set_enabled(plan.ready)
        return plan

    async def _begin(self) -> None:
        plan, self._plan = self._plan, None  # a second click finds none
        if plan is None or not plan.ready:
            return
        if self._planning is not None:
            self._planning.cancel()
        self._start.props("loading")
        try:
            begun = (not plan.doubts or await _start_all_the_same(plan)) and await self._started(plan)
        finally:
            if not self._start.is_deleted:
                self._start.props(remove="loading")
        if not begun and not self._start.is_deleted:
            self._replan()

    async def _started(self, plan: Plan) -> bool:
        """Whether it has begun; if not, the window says why."""
        record = self._recording() if self.choice.record else None
        order = replace(plan.order, name=self.choice.name, record=record)
        app.storage.user[memory_key(self._benchmark_id)] = self.choice.memory()
        try:
            run_id = await run.io_bound(self._window.studio.runs.start, order)
        except KareninaError as error:
            self._window.tell(str(error), "bad")
            return False
        if record is not None:
            self._window.tell(f"Recording into {record}\nA model on the Models page can play it back.")
        ui.navigate.to(f"/runs/{run_id}")
        return True

    def _recording(self) -> Path:
        folder = self._window.studio.settings.data / "recordings"
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{datetime.now():%Y-%m-%d-%H%M%S}.json"


SWITCHES = (
    ("refusal_check", "Ask the judge whether the model refused", "One more call for each answer."),
    ("sufficiency_check", "Ask the judge whether the answer says enough", "One more call for each answer it reads."),
    (
        "full_trace_for_template",
        "Judge the whole conversation",
        "Otherwise only its final message is read into fields.",
    ),
    ("full_trace_for_rubric", "Rate traits on the whole conversation", "Otherwise only on its final message."),
    ("record", "Record every exchange with a model", "Into a file of the data folder, to be played back without cost."),
)
"""Choices that are on or off: name in `RunChoice`, text, what it means."""


async def _start_all_the_same(plan: Plan) -> bool:
    """Whether the person wants the run in spite of what is said against it."""
    with ui.dialog().props('aria-label="Start all the same?"') as dialog, ui.element("div").classes("dialog"):
        ui.label("Start all the same?").classes("dialog-title").props('role="heading" aria-level="2"')
        for doubt in plan.doubts:
            note(doubt, "warn")
        if plan.live:
            ui.label("The other models are really called, and their calls are paid for.").classes("hint")
        with ui.element("div").classes("dialog-actions"):
            button("Start all the same", lambda: dialog.submit(True))
            button("Choose again", lambda: dialog.submit(False), look="main")
    return bool(await dialog)


def memory_key(benchmark_id: int) -> str:
    """Where the choices of the last run are kept, for each benchmark of its own."""
    return f"run-choice:{benchmark_id}"


def first_choice(benchmark_id: int, frame: BenchmarkDocument, defaults: Mapping[str, Any]) -> RunChoice:
    """The choices of the last run; before there was one, the person's `defaults`; the example's own for the example."""
    kept = app.storage.user.get(memory_key(benchmark_id))
    if isinstance(kept, dict):
        return RunChoice.remembered(kept)
    return RunChoice.of(example.run_configuration()) if is_example(frame) else RunChoice.remembered(defaults)


def is_example(frame: BenchmarkDocument) -> bool:
    """Whether this benchmark began as the shipped example."""
    shipped = json.loads(example.BENCHMARK.read_text(encoding="utf-8"))["@id"]
    return bool(frame.source.get("@id") == shipped)
