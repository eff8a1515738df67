"""Run page: choices on the left, the plan on the right."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nicegui import background_tasks, run, ui

from karenina_gui.authoring.changes import Change
from karenina_gui.authoring.trait_catalog import TraitCatalog
from karenina_gui.errors import KareninaError, NotFoundError
from karenina_gui.gui.kit.dialogs import dialog, dialog_actions
from karenina_gui.gui.kit.elements import (
    button,
    field,
    heading,
    note,
    pane,
    select,
    sent_while_typing,
    splitter,
    text_input,
    toolbar,
)
from karenina_gui.gui.kit.grid import Grid
from karenina_gui.gui.kit.html import tag
from karenina_gui.gui.kit.routing import navigate_if_present, redraw
from karenina_gui.gui.pages.benchmarks.deleted_page import on_presence
from karenina_gui.gui.pages.run_setup.condition_draft import ConditionDraft
from karenina_gui.gui.pages.run_setup.condition_list import ConditionList
from karenina_gui.gui.pages.run_setup.draft import SCOPES, RunDraft
from karenina_gui.gui.pages.run_setup.draft_memory import ChoiceMemory, first_choice, restore_condition, saved_choices
from karenina_gui.gui.pages.run_setup.model_choice import ModelChoice
from karenina_gui.gui.pages.run_setup.option import SettingContext
from karenina_gui.gui.pages.run_setup.option_controls import OptionContext
from karenina_gui.gui.pages.run_setup.plan import Plan
from karenina_gui.gui.pages.run_setup.plan_view import plan_view
from karenina_gui.gui.pages.run_setup.planner import Planner
from karenina_gui.gui.pages.run_setup.preset_bar import NOT_TAKEN, PresetBar
from karenina_gui.gui.pages.run_setup.published_questions import PublishedQuestions
from karenina_gui.gui.pages.run_setup.request_preview import RequestPreviewDialog
from karenina_gui.gui.pages.run_setup.settings_choice import SettingsChoice
from karenina_gui.gui.session.app_context import ChoiceChange
from karenina_gui.gui.session.window import Window
from karenina_gui.private_folders import RECORDINGS
from karenina_gui.schemas.benchmark_summaries import QuestionFilter
from karenina_gui.schemas.published_version import PublishedVersion
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.text import quantity

if TYPE_CHECKING:
    from karenina_gui.gui.session.page import PageRoute

log = logging.getLogger(__name__)

PAUSE = 0.15
"""Seconds without a change until the plan is recomputed."""
AT_ONCE = 20
"""Number of templates per step of the progress display."""
PLAN_FAILED = (
    "The run could not be planned because of an internal error, which the server’s log describes. "
    "Change a choice to try again."
)


def draw(window: Window, route: PageRoute) -> None:
    """Draw `/benchmarks/{b}/run`; `?again=3` starts with the choices of run 3, `?preset=…` with a preset's.

    `?version=3` runs a published version.
    """
    frame = window.services.library.benchmarks.frame(route["b"])
    again = route.query.get("again", "")
    choice = (
        RunDraft.of(window.services.library.runs.config(int(again)))
        if again.isdecimal()
        else first_choice(window, route["b"], frame, window.preferences.run_defaults)
    )
    if choice.confine():
        window.notify(f"The earlier run allowed unsandboxed commands. {NOT_TAKEN}")
    version_id = route.query.get("version", "")
    if version_id.isdecimal():
        _draw_version(window, choice, _version_of(window, route["b"], int(version_id)))
        return
    form = RunForm(window, route["b"], choice, again=int(again) if again.isdecimal() else None)
    form.draw()
    if preset := route.query.get("preset"):
        ui.timer(
            0, lambda: form.presets.apply_preset(preset), once=True
        )  # asynchronous, because it may wait for a write


def _version_of(window: Window, benchmark_id: int, version_id: int) -> PublishedVersion:
    version = window.services.library.published.get(version_id)
    if version.benchmark_id != benchmark_id:
        raise NotFoundError("This version belongs to another benchmark.")
    return version


def _draw_version(window: Window, choice: RunDraft, version: PublishedVersion) -> None:
    """Draw the form of a published version once that is read, which takes a second if it is large."""
    questions = PublishedQuestions(window.services.library, version)
    container = ui.element("div").classes("pane")

    async def load() -> None:
        # Both are read once and kept; on first use they would block the window.
        await run.io_bound(lambda: (questions.rows, questions.has_agentic_traits))
        if not container.is_deleted:
            with container:
                RunForm(window, version.benchmark_id, choice, version=questions).draw()

    ui.timer(0, load, once=True)


class RunForm:
    """Form for a new run; changes update `choice` and the plan."""

    def __init__(
        self,
        window: Window,
        benchmark_id: int,
        choice: RunDraft,
        *,
        again: int | None = None,
        version: PublishedQuestions | None = None,
    ) -> None:
        """`again`: id of the run whose choices these are; None: the last ones. `version`: runs in its place."""
        self._window = window
        self._benchmark_id = benchmark_id
        self._frame = window.services.library.benchmarks.frame(benchmark_id)
        self._version = version
        self._planner = Planner(window.services, benchmark_id, self._version)
        self.choice = choice
        self._again = again
        self._memory = ChoiceMemory(window, benchmark_id, self._draw_again)
        self.presets = PresetBar(window, self._config, self._apply_preset, lambda: self._planner.refusals(self.choice))
        self._opened: set[str] = set()
        """Names of the expanded option groups."""
        self._plan: Plan | None = None
        self._tried = False
        """True if the user wanted to start a run that cannot start."""
        self._planning: asyncio.Task[None] | None = None
        self._round = 0
        """Counter of changes; computations for an earlier value stop."""

    def draw(self) -> None:
        with pane("New run") as self._page:
            self._fill()
        on_presence(self._window, self._benchmark_id, self._replan)
        self._window.listen(self._window.services.choices_changed, self._follow)
        self._window.listen(self._window.services.benchmark_changed, self._on_change)

    def _follow(self, news: ChoiceChange) -> None:
        """Show choices from another window of the user."""
        # Otherwise the next change here would overwrite them.
        if (news.benchmark_id, news.browser_id) != (self._benchmark_id, self._window.browser_id) or self._memory.dirty:
            return
        if self._again is not None and not self._memory.used:
            return  # shows the choices of an earlier run until the first change
        stored = saved_choices(self._window, [self._benchmark_id]).get(self._benchmark_id)
        if stored is not None and stored.to_memory() != self._saved_part(self.choice):
            self.choice = stored
            self._draw_again()

    @staticmethod
    def _saved_part(choice: RunDraft) -> dict[str, Any]:
        return RunDraft.from_memory(choice.to_memory()).to_memory()

    def _apply_preset(self, choice: RunDraft) -> None:
        """Apply a preset's choices; questions, recording, and name stay."""
        if self._window.services.library.benchmarks.get_deleted(self._benchmark_id):
            self._window.notify("This benchmark was deleted. Restore it first.", "bad")
            return
        before = self.choice
        unchanged = {name: getattr(before, name) for name in ("scope", "keywords", "picked", "record", "name")}
        self.choice = replace(choice, **unchanged)
        self._draw_again()
        self._memory.write()

    def _draw_again(self) -> None:
        self._page.clear()
        with self._page:
            self._fill()

    def _fill(self) -> None:
        self._memory.begin(self.choice)
        with toolbar():
            version = f" {self._version.version.label}" if self._version else ""
            heading(f"New run: {self._frame.name}{version}", 1)
            ui.space()
            self.presets.draw()
        with splitter(self._window, "run-form", 60, limits=(40, 80)) as halves:
            with halves.before, pane("Choices", classes="scroll run-form") as scrolled:
                scrolled.props('tabindex="0"')
                self._choices()
            with halves.after, pane("Plan", classes="run-form-plan"):
                with ui.element("div").classes("scroll run-form-plan-body"):
                    self._plan_view = ui.html("").props('role="status"').classes("full-width")
                    self._learning = ui.label().classes("hint")
                    self._sent = button("Preview requests…", self._show_sent, icon="visibility", look="quiet")
                with ui.element("div").classes("run-form-start line gap-10"):
                    name = text_input("Run name", self.choice.name, placeholder="Run name (optional)")
                    sent_while_typing(name).on_value_change(lambda e: self._set_choice("name", e.value or ""))
                    self._memory.keep_in_browser("run.name", name)
                    self._start = button("Start run", self._begin, icon="play_arrow", look="main")
        self._replan()

    def _choices(self) -> None:
        if self._version is None:
            QuestionChoice(self._window, self._benchmark_id, self.choice, self._set_choice).draw()
            offer_version(self._window, self._again)
        else:
            self._tell_version(self._version.version)
        ModelChoice(self._window, self._benchmark_id, self.choice, self._set_choice, self._refresh).draw()
        self._conditions = ConditionList(
            self._window, self.choice, self._memory, self._on_option_changed, self._restore_apart
        )
        self._conditions.draw()
        library, here = self._window.services.library, self._benchmark_id
        choosing = OptionContext(
            self.choice,
            self._memory,
            self._on_option_changed,
            self._traits(),
            self._llm_traits,
            self._window.services.settings.cluster,
            pools=lambda: library.questions.example_pools(here),
        )
        self._settings = SettingsChoice(self._window, choosing, self._setting_context, self._opened)
        self._settings.draw()

    def _tell_version(self, version: PublishedVersion) -> None:
        """Say what runs, in place of the choice of questions."""
        with field("Questions"):
            finished = quantity(version.finished, "finished question")
            ui.label(f"Runs the {finished} of {version.label}, as published. Later edits don’t matter.").classes("hint")
            start = f"/benchmarks/{self._benchmark_id}/run"
            button("Run current state", lambda: ui.navigate.to(start), look="quiet")

    def _traits(self) -> list[str]:
        """Names of all traits of the benchmark and its questions."""
        if self._version is not None:
            return self._version.trait_names
        everywhere = self._frame.rubric.names if self._frame.rubric else []
        return [*everywhere, *TraitCatalog(self._window.services.editor).taken_names(self._benchmark_id, None)]

    def _llm_traits(self) -> dict[str, list[str]]:
        """{LLM trait: ids of its questions; empty: all questions}."""
        questions: dict[str, list[str]] = {trait: [] for trait in self._global_llm_traits()}
        for question_id, rubric in self._question_rubrics():
            for trait in rubric.get("llm_traits") or ():
                if isinstance(trait.get("kind"), str) and question_id:
                    questions.setdefault(str(trait.get("name") or ""), []).append(question_id)
        return questions

    def _global_llm_traits(self) -> list[str]:
        rubric = self._version.document.rubric if self._version is not None else self._frame.rubric
        return [trait.name for trait in rubric.llm_traits if isinstance(trait.kind, str)] if rubric else []

    def _question_rubrics(self) -> list[tuple[str, dict[str, Any]]]:
        """(id, saved rubric) of each question with its own traits."""
        if self._version is not None:
            return self._version.question_rubrics
        rubrics = self._window.services.library.questions.rubrics(self._benchmark_id)
        return [(summary.id, rubric) for summary, rubric in rubrics]

    def _set_choice(self, name: str, value: Any) -> None:
        if getattr(self.choice, name) != value:
            setattr(self.choice, name, value)
            self._memory.write()
            if name != "name":
                self._refresh()

    def _on_option_changed(self) -> None:
        self._memory.write()
        self._refresh()

    async def _restore_apart(self, at: int, condition: ConditionDraft) -> None:
        """Restore a condition after the page was left, into the saved choices."""
        await restore_condition(self._window, self._benchmark_id, at, condition)
        redraw(f"/benchmarks/{self._benchmark_id}/run")

    def _refresh(self) -> None:
        """Refresh everything that depends on the choices."""
        self._settings.refresh()
        self._conditions.refresh()
        self.presets.refresh()
        self._replan()

    def _setting_context(self) -> SettingContext:
        try:
            return self._planner.setting_context(self.choice)
        except NotFoundError:  # deleted: the head of the page says so
            return SettingContext(self.choice)

    def _config(self) -> VerificationConfig:
        return self.choice.config(self._window.services.library.models.all())

    def _on_change(self, change: Change) -> None:
        """Plan again after an edit of the benchmark; the old plan stays until the new one is complete."""
        if change.benchmark_id == self._benchmark_id:
            self._plan_again()

    def _replan(self) -> None:
        # The plan on the page is outdated: it must not be started or previewed.
        self._start.set_enabled(False)
        self._sent.set_enabled(False)
        self._plan_again()

    def _plan_again(self) -> None:
        if self._planning is not None:
            self._planning.cancel()
        self._planning = background_tasks.create(self._make_plan())
        # Canceling does not stop the thread that computes a plan: it polls this counter.
        self._round += 1

    async def _make_plan(self) -> None:
        # Each check of a template runs its code in the sandbox, which takes a moment.
        await asyncio.sleep(PAUSE)
        try:
            await self._plan_in_steps()
        except Exception:  # would end this task alone, and the page would wait for a plan that nobody makes
            log.exception("A run of benchmark %s could not be planned", self._benchmark_id)
            if not self._learning.is_deleted:
                self._learning.text = PLAN_FAILED

    async def _plan_in_steps(self) -> None:
        """Show what is known at once, then check templates step by step for calls of judges."""
        plan = await self._show_plan()
        while plan is not None and plan.unknown:
            for start in range(0, len(plan.unknown), AT_ONCE):
                self._learning.text = f"Checking templates: {start:,} of {len(plan.unknown):,}…"
                await run.io_bound(self._planner.learn, plan.unknown[start : start + AT_ONCE])
                if self._learning.is_deleted:
                    return
            plan = await self._show_plan()
        if plan is not None:
            self._learning.text = ""

    async def _show_plan(self) -> Plan | None:
        here = self._round
        try:
            plan = await run.io_bound(self._planner.plan, self.choice, lambda: self._round != here)
        except NotFoundError as error:  # deleted: the head of the page says so
            self._plan_view.set_content(tag("p", str(error)))
            return None
        if plan is None or self._plan_view.is_deleted:
            return None
        self._plan = plan
        self._draw_plan(plan)
        # Whoever presses it learns what is missing.
        self._start.set_enabled(plan.ready or bool(plan.obstacles))
        self._sent.set_enabled(bool(plan.selection.chosen and plan.config.answering_models))
        return plan

    def _draw_plan(self, plan: Plan) -> None:
        self._tried = self._tried and bool(plan.obstacles)
        self._plan_view.set_content(plan_view(plan, self._benchmark_id, tried=self._tried))

    def _show_sent(self) -> None:
        if self._plan is not None:
            with self._page:
                RequestPreviewDialog(self._window.services.runs, self._plan)

    async def _begin(self) -> None:
        plan, self._plan = self._plan, None  # so that a second click finds no plan
        if plan is None:
            return
        if not plan.ready:
            self._plan, self._tried = plan, bool(plan.obstacles)
            self._draw_plan(plan)
            return
        if self._planning is not None:
            self._planning.cancel()
        self._start.props("loading")
        try:
            begun = (not plan.doubts or await confirm_start(plan)) and await self._start_run(plan)
        finally:
            if not self._start.is_deleted:
                self._start.props(remove="loading")
        if not begun and not self._start.is_deleted:
            self._replan()

    async def _start_run(self, plan: Plan) -> bool:
        """Start the run; return False after showing the error."""
        record = self._recording() if self.choice.record else None
        order = replace(plan.order, name=self.choice.name, record=record)
        runs = self._window.services.runs
        try:
            # The dialog about the plan's doubts has listed them.
            await run.io_bound(runs.consents.agree, [unagreed.access for unagreed in plan.unagreed])
            run_id = await run.io_bound(runs.start, order)
        except KareninaError as error:
            self._window.notify(str(error), "bad")
            return False
        if record is not None:
            self._window.notify(f"Recording to {record}.\nReplay it with a model on the Models page.")
        # The next run needs a name of its own.
        self.choice.name = ""
        self._memory.write()
        navigate_if_present(self._page, f"/runs/{run_id}")
        return True

    def _recording(self) -> Path:
        folder = self._window.services.settings.data / RECORDINGS
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{datetime.now():%Y-%m-%d-%H%M%S}.json"


async def confirm_start(plan: Plan) -> bool:
    """Ask for consent to the plan's doubts."""
    with dialog("Start anyway?") as question:
        for doubt in plan.doubts:
            note(doubt, "warn")
        if plan.live:
            ui.label("Models without a recording are called, and their providers may charge for it.").classes("hint")
        with dialog_actions():
            button("Start run", lambda: question.submit(True))
            button("Back", lambda: question.submit(False), look="main")
    return bool(await question)


def offer_version(window: Window, run_id: int | None) -> None:
    """Say that run `run_id` asked a published version, which may differ from the current state. None: no such run."""
    if run_id is None:
        return
    library = window.services.library
    earlier = library.runs.summary(run_id)
    version = library.published.state_of_run(earlier).same
    if version is None:
        return
    address = f"/benchmarks/{earlier.benchmark_id}/run?again={run_id}&version={version.id}"
    with ui.element("div"):
        ui.label(f"The earlier run used {version.label}. This one uses the current state.").classes("hint")
        button(f"Run v{version.number} instead", lambda: ui.navigate.to(address), look="quiet")


class QuestionChoice:
    """Choice of questions; `changed` receives a field of `RunDraft` and its new value."""

    def __init__(self, window: Window, benchmark_id: int, choice: RunDraft, changed: Callable[[str, Any], Any]) -> None:
        self._questions = window.services.library.questions
        self._benchmark_id = benchmark_id
        self._choice = choice
        self._changed = changed

    def draw(self) -> None:
        with field("Questions"):
            ui.radio(dict(SCOPES), value=self._choice.scope, on_change=lambda e: self._scope(e.value)).props(
                'dense aria-label="Question selection"'
            ).classes("run-form-radio")
            keywords = {name: f"{name} ({count})" for name, count in self._questions.keywords(self._benchmark_id)}
            chosen = [word for word in self._choice.keywords if word in keywords]
            self._keywords = select("Keywords", keywords, chosen, multiple=True).classes("wide")
            self._keywords.on_value_change(lambda e: self._changed("keywords", list(e.value)))
            self._picker = Grid("run_tables", label="Questions to select", empty="No questions", key="number")
            self._picker.classes("run-form-picker wide box")
            self._picker.attach(self._benchmark_id, self._selected_numbers(), function="pick")
            self._picker.on("chosen", lambda event: self._pick(event.args))
            self._skipped = ui.label("Unfinished questions are skipped.").classes("hint")
        self._show_scope()

    def _selected_numbers(self) -> list[int]:
        """Numbers of the selected questions."""
        picked = set(self._choice.picked)
        rows = self._questions.summaries(self._benchmark_id) if picked else []
        return [row.number for row in rows if row.id in picked]

    async def _pick(self, numbers: list[int]) -> None:
        chosen = QuestionFilter(numbers=tuple(numbers))
        rows = await run.io_bound(self._questions.summaries, self._benchmark_id, chosen)
        self._changed("picked", [row.id for row in rows or []])

    def _scope(self, scope: Any) -> None:
        self._changed("scope", scope)
        self._show_scope()

    def _show_scope(self) -> None:
        self._keywords.set_visibility(self._choice.scope == "keywords")
        for element in (self._picker, self._skipped):
            element.set_visibility(self._choice.scope == "picked")
