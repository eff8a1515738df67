"""Status bar: benchmark, save state, ready questions, active runs, and the sandbox."""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

from nicegui import run, ui

from karenina_gui.gui.kit.clipboard import on_copied
from karenina_gui.gui.kit.dates import clock
from karenina_gui.gui.kit.download import export_line
from karenina_gui.gui.pages.problems.rows import ProblemFilter
from karenina_gui.gui.pages.problems.walk import ProblemWalk
from karenina_gui.gui.session.app_context import Confinement
from karenina_gui.gui.session.unsaved_edits import Edits, edits_here
from karenina_gui.gui.session.window import Window
from karenina_gui.runs.progress import RunProgressState
from karenina_gui.schemas.edits import WaitingEdit
from karenina_gui.store.drafts import INCOMPLETE
from karenina_gui.text import quantity

TRUSTED = (
    "This benchmark is trusted: its code runs unsandboxed where it needs full Python. You can change this in Benchmark "
    "details."
)

MOST_COUNTED = 2_000
"""Questions up to which problems are counted before somebody asks: each template runs with its expected values."""
BEFORE_PROBLEMS = 2.0
"""Seconds until the problems are counted, so that the first page is drawn before."""


class StatusBar:
    """Status bar in the footer of a window."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.walk = ProblemWalk(window)
        """Walk through the problems; the status bar shows the current one."""
        self._confinement: Confinement | None = None
        """None until the sandbox is checked."""
        self._shown_run: int | None = None
        """Run whose page is open; it is left out here."""
        self.benchmark = ui.link("", "#").classes("status-item status-strong")
        self.saved = ui.label().classes("status-item status-saved")
        ui.label().classes("status-item status-unsaved").props('role="status"')  # filled by `outbox.js`
        self.undecided = ui.link("", "#").classes("status-item status-warn")
        with ui.label().classes("status-item status-help").props('tabindex="0"') as self.ready:
            self.ready_words = ui.tooltip("")
        ProblemStatus(window, self.walk)
        self.running = ui.element("div").classes("status-item status-runs")
        export_line(lambda why: window.notify(f"Couldn’t export the file. {why}", "bad"))
        on_copied(self._notify_copied)
        ui.space()
        with ui.label("Checking sandbox…").classes("status-item status-help") as self.confinement:
            self.confinement_words = ui.tooltip("")
        self.confinement.props('tabindex="0"')
        window.listen(window.edit_saved, self.show_saved)
        window.listen(window.services.write_delay_changed, self.show_saved)
        self.edits = edits_here() or Edits()
        window.listen(self.edits.changed, self.show_saved)
        window.listen(window.benchmark_switched, self.show_benchmark)
        window.listen(window.benchmark_switched, self._show_trust)
        window.listen(window.services.changes_debounced, self._show_trust)
        window.listen(window.services.changes_debounced, self.show_benchmark)
        window.listen(window.services.changes_debounced, self.show_undecided)
        window.listen(window.services.undecided_changed, self._on_undecided)
        window.listen(window.services.run_changed, self.show_runs)
        window.listen(window.services.write_delay_changed, self.show_runs)
        window.listen(window.address_changed, self.follow)
        self.show_benchmark()
        self.show_saved()
        self.show_undecided()
        self.show_runs()
        ui.timer(0.1, self.show_confinement, once=True)

    def show_benchmark(self) -> None:
        benchmark = self.window.benchmark()
        number = self.window.benchmark_id
        self.benchmark.text = benchmark.name if benchmark else "No benchmark" if number is None else "Benchmark deleted"
        self.benchmark.props["href"] = "/benchmarks" if number is None else f"/benchmarks/{number}/questions"
        self.ready.text = f"{benchmark.ready:,} of {benchmark.questions:,} ready to run" if benchmark else ""
        left_out = benchmark.finished - benchmark.ready if benchmark else 0
        self.ready_words.text = (
            f"{quantity(left_out, 'finished question')} without a working template. Only rubric-only runs include them."
            if left_out
            else "Finished questions with a working template. Rubric-only runs don’t need one."
        )

    def _notify_copied(self, message: str | None) -> None:
        if message is None:
            self.window.notify("Not copied: the browser blocked it. Select the text and press Ctrl+C.", "bad")
        else:
            self.window.notify(message)

    def show_saved(self) -> None:
        """Show *Saved* only if every edit of this window is in the library."""
        edits, delay, at = self.edits, self.window.services.library.writes.delay, self.window.saved_at
        edits.note_delay(delay.cause if delay else None)
        if edits.delay is not None:
            waiting = f" {quantity(edits.pending, 'edit')} waiting." if edits.pending else ""
            self.saved.text = f"{edits.delay}{waiting}"
        elif edits.refused:
            self.saved.text = f"{quantity(edits.refused, 'edit')} not saved"
        elif edits.pending:
            self.saved.text = "Saving…"
        else:
            self.saved.text = f"Saved {clock(at)}" if at else "All changes saved"
        warns = delay is not None or bool(edits.refused)
        self.saved.classes(add="status-warn") if warns else self.saved.classes(remove="status-warn")

    def show_undecided(self) -> None:
        """Link to the latest of the user's edits that are in conflict, otherwise to an incomplete trait."""
        edits, traits = self.window.services.read_shared(self.window.services.library.drafts.all_waiting)
        waiting = [*edits.get(self.window.browser_id, ()), *traits]
        conflicts = [edit for edit in waiting if edit.field != INCOMPLETE]
        incomplete = "Incomplete trait" if waiting else ""
        self.undecided.text = f"{quantity(len(conflicts), 'conflict')} to resolve" if conflicts else incomplete
        self.undecided.set_visibility(bool(waiting))
        if waiting:
            self.undecided.props["href"] = _address((conflicts or waiting)[0])

    def show_runs(self, *_: object) -> None:
        runs = self.window.services.runs
        # The page of a run shows its progress itself, and its figures all belong to one moment.
        self.running.clear()
        with self.running:
            for run_id in [active_id for active_id in runs.active() if active_id != self._shown_run][:3]:
                progress = runs.progress(run_id)
                with ui.link(target=f"/runs/{run_id}").classes("status-run line gap-8"):
                    state = _state(progress, paused=self.window.services.library.writes.delay is not None)
                    ui.label(f"Run {run_id}: {progress.done:,} of {progress.total:,}{state}")
                    bar = ui.element("span").classes("status-bar").props('role="progressbar" aria-label="Run progress"')
                    percent = round(100 * progress.done / max(progress.total, 1))
                    bar.props(f'aria-valuenow="{percent}" aria-valuemin="0" aria-valuemax="100"')
                    with bar:
                        ui.element("span").style(f"width:{percent}%")
            if lost := runs.interrupted:
                target = f"/runs/{lost[0]}" if len(lost) == 1 else "/runs"
                ui.link(f"{quantity(len(lost), 'run')} interrupted", target).classes("status-item status-warn")

    def follow(self, address: str) -> None:
        on_run = re.fullmatch(r"/runs/(\d+)(?:/[a-z]+)?", urlsplit(address).path, re.ASCII)
        run_id = int(on_run[1]) if on_run else None
        if run_id != self._shown_run:
            self._shown_run = run_id
            self.show_runs()

    async def show_confinement(self) -> None:
        """Check the sandbox after the page is built, because the first check is slow."""
        self._confinement = await run.io_bound(self.window.services.confinement)
        self._show_trust()

    def _show_trust(self) -> None:
        confinement, number = self._confinement, self.window.benchmark_id
        if confinement is None:
            return
        trusted = (
            not confinement.confined
            and number is not None
            and self.window.services.read_shared(self.window.services.library.benchmarks.trusts, number)
        )
        state = "on" if confinement.confined else "off (trusted)" if trusted else "on (no full Python)"
        self.confinement.text = f"Template sandbox: {state}"
        self.confinement_words.text = TRUSTED if trusted else confinement.description
        self.confinement.classes(add="status-warn") if trusted else self.confinement.classes(remove="status-warn")

    def _on_undecided(self, person: str) -> None:
        """Follow decisions in any window of this user."""
        if person == self.window.browser_id:
            self.show_undecided()


def _state(progress: RunProgressState, *, paused: bool) -> str:
    if progress.cancelling:
        return ", stopping"
    if paused or progress.held:
        return ", paused"
    return ", waiting for a model" if progress.outages else ""


def _address(edit: WaitingEdit) -> str:
    if edit.preset_id is not None:
        return f"/presets?id={quote(edit.preset_id, safe='')}"
    of_trait = edit.field.startswith("trait")
    if edit.number is None:
        return f"/benchmarks/{edit.benchmark_id}/{'rubric' if of_trait else 'details'}"
    if edit.field.startswith("file:"):
        return f"/benchmarks/{edit.benchmark_id}/questions/{edit.number}?tab=workspace"
    tab = "template" if edit.field == "answer_template" else "rubric" if of_trait else "question"
    return f"/benchmarks/{edit.benchmark_id}/questions/{edit.number}?tab={tab}"


class ProblemStatus:
    def __init__(self, window: Window, walk: ProblemWalk) -> None:
        self._window = window
        self.count = ui.button("Problems", color=None, on_click=self._toggle).props("flat dense no-caps")
        self.count.classes("status-item status-problems")
        self.message = ui.label().classes("status-item status-problem").props('role="status"')
        walk.announced.subscribe(self._say)
        window.listen(window.services.problems_changed, self._on_change)
        window.listen(window.benchmark_switched, self._on_switch)
        window.listen(window.problem_filter_changed, self.show)
        self.show()
        ui.timer(BEFORE_PROBLEMS, self._check, once=True)

    def _check(self) -> None:
        """Have the problems of the benchmark found, if nobody has asked for them yet and that takes seconds."""
        benchmark = self._window.benchmark()
        if benchmark is not None and benchmark.questions <= MOST_COUNTED:
            self._window.services.problems.report(benchmark.id)

    def show(self) -> None:
        benchmark_id = self._window.benchmark_id
        report = None if benchmark_id is None else self._window.services.problems.peek(benchmark_id)
        self.count.set_visibility(benchmark_id is not None)
        if report is None or not report.total:
            self.count.text = "Problems"
            return
        count = len(ProblemFilter.of(self._window.preferences).choose(report.problems))
        self.count.text = quantity(count, "problem") if count else "No errors or warnings"

    def _toggle(self) -> None:
        if (action := self._window.command_action("view.problems")) is not None:
            action()

    def _say(self, text: str) -> None:
        # Emptied first, so that a screen reader says the same sentence again.
        self.message.text = ""
        self.message.text = text

    def _on_switch(self) -> None:
        self.message.text = ""
        self._check()
        self.show()

    def _on_change(self, benchmark_id: int) -> None:
        if benchmark_id == self._window.benchmark_id:
            self.show()
