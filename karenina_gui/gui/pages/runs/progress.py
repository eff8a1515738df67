"""Head of a run's page: state, progress, outages of providers, and actions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial

from nicegui import ui

from karenina_gui.analysis.rates import OUTCOMES
from karenina_gui.errors import NotFoundError
from karenina_gui.gui.charts.chart_view import read_when_idle
from karenina_gui.gui.kit.dates import day_and_time
from karenina_gui.gui.kit.elements import button, focus_on, icon_button, toolbar
from karenina_gui.gui.kit.figure_links import figure_link
from karenina_gui.gui.kit.html import Html, icon, join_html, link, tag
from karenina_gui.gui.kit.verdicts import ENDINGS
from karenina_gui.gui.pages.benchmarks.deleted_page import on_presence
from karenina_gui.gui.pages.runs.deleted_runs import delete
from karenina_gui.gui.pages.runs.resume_panel import ResumePanel, mark_seen
from karenina_gui.gui.pages.runs.run_text import UNDER_WAY, status_of, where
from karenina_gui.gui.pages.runs.views import RunViews
from karenina_gui.gui.session.window import Window
from karenina_gui.runs.progress import JOBS_DONE, TIME_LEFT, TIME_SPENT, JobError, RunProgressState
from karenina_gui.schemas.outcome import Outcome
from karenina_gui.schemas.run_summaries import RunSummary
from karenina_gui.schemas.write_delay import WriteDelay
from karenina_gui.text import quantity, rough_duration

ERRORS_SHOWN = 5
JOBS_SHOWN = 2
"""Jobs of one worker that are described."""
HELD = "Paused. No calls until you continue."


class RunProgress:
    """Head that refreshes itself; the outcome counts change only together with the figures below (`show`)."""

    def __init__(
        self, window: Window, summary: RunSummary, views: RunViews, outcomes: Mapping[Outcome, int] | None = None
    ) -> None:
        """`outcomes`: counts of the results that the page shows; None: it shows none, and the head counts them."""
        self._window = window
        self._run = summary
        self._views = views
        self._counts_itself = outcomes is None
        self._outcomes = dict(outcomes or {})
        self._end: tuple[str, str | None, bool] | None = None
        """End of the run that the page describes; None: it is in progress."""
        self._deleting = False
        """True if this page deletes the run."""

    def draw(self) -> None:
        mark_seen(self._window, self._run.id)
        with toolbar() as head:
            head.classes("progress-head")
            self._title = ui.html(title(self._run)).classes("progress-title line shrinks gap-10 one-line")
            self._views.draw()
            self._pause = button("Pause", self._pause_run, icon="pause", look="quiet")
            self._continue = button("Continue", self._continue_run, icon="play_arrow")
            self._cancel = button("Stop run", self._stop, icon="stop")
            with button("Run again", self._open_run_form, icon="replay", look="quiet") as self._run_again:
                ui.tooltip("Opens New run with the settings of this run")
                if not self._run.benchmark_deleted:
                    self._window.register_command("run.again", self._open_run_form)
            self._delete_button = icon_button("delete_outline", "Delete run", self._delete)
        self._unread = ui.html("").classes("full-width").props('role="status"')
        with ui.element("section").classes("progress").props('aria-label="Progress"') as self._progress:
            with ui.element("div").classes("running-line flow"):
                self._line = ui.html("")
                self._spent = ui.html("").classes("result-muted")
            self._bar = ui.linear_progress(value=0, show_value=False, size="6px")
            self._bar.props('instant-feedback rounded aria-label="Jobs done"').classes("progress-bar")
            self._waiting = OutageList(self._window, self._run.id)
            self._workers = ui.html("").classes("full-width when-filled")
            self._errors = ui.html("").classes("full-width progress-errors when-filled")
        # The charts are often opened next; their library takes a while to load.
        read_when_idle()
        self._resume_panel = ResumePanel(self._window, self._refresh)
        self._while_going = ui.element("span").props("hidden")
        self._clock = ui.timer(1.0, self._show_time, active=False)
        self._refresh()
        # After the page is sent, because a large run takes a moment.
        ui.timer(0, self._show_left, once=True)
        self._window.listen(self._window.services.run_changed, self._on_progress)
        self._window.listen(self._window.services.write_delay_changed, self._refresh)
        on_presence(self._window, self._run.benchmark_id, lambda: self._on_progress(self._run.id))

    @property
    def is_deleted(self) -> bool:
        return self._title.is_deleted

    def show(self, outcomes: Mapping[Outcome, int], unread: str) -> None:
        """Show the counts of the figures. `unread`: note if most results had no text to judge."""
        self._unread.set_content(
            tag("div", icon("warning"), tag("div", unread), class_="note note-warn") if unread else ""
        )
        self._outcomes = dict(outcomes)
        with suppress(NotFoundError):  # a deletion is reported by `_on_progress`
            self._refresh()

    async def _on_progress(self, run_id: int) -> None:
        if run_id == self._run.id:
            before = self._run
            try:
                self._refresh()
            except NotFoundError:
                if not self._deleting:
                    self._window.notify(f"Run “{before.title}” was deleted.")
                ui.navigate.to("/runs")
                return
            await self._show_left()

    async def _show_left(self) -> None:
        """Show what is left, once for each end: a redraw may precede the event of the end."""
        run = self._run
        end = None if run.status in UNDER_WAY else (run.status, run.finished_at, run.benchmark_deleted)
        if end == self._end:
            return
        self._end = end
        if end is not None:
            await self._resume_panel.show(self._run)

    def _refresh(self) -> None:
        self._run = self._window.services.library.runs.summary(self._run.id)
        self._count()
        progress = self._window.services.runs.progress(self._run.id).as_of(self._outcomes)
        going = self._run.status in UNDER_WAY
        counted = replace(self._run, outcomes=self._outcomes, done=sum(self._outcomes.values()))
        self._title.set_content(title(counted, progress))
        stoppable = going and not self._run.origin  # with an origin: an import in progress
        self._register_cancel(stoppable)
        self._cancel.set_visibility(stoppable)
        self._cancel.set_enabled(not progress.cancelling)
        self._pause.set_visibility(stoppable and not progress.held and not progress.cancelling)
        self._continue.set_visibility(stoppable and progress.held and not progress.cancelling)
        self._waiting.show(progress)
        self._delete_button.set_visibility(not going and not self._run.benchmark_deleted)
        self._run_again.set_visibility(not self._run.benchmark_deleted)
        self._progress.set_visibility(going)
        if going:
            self._resume_panel.hide()
        self._bar.set_value(progress.done / max(1, progress.total))
        delay = self._window.services.library.writes.delay
        self._line.set_content(line(progress, delay) if going else "")
        self._spent.set_content(time_spent(progress))
        self._clock.active = going
        self._errors.set_content(errors(progress) if going else "")
        self._workers.set_content(workers(progress, self._window.services.runs.under_way.question_texts(self._run.id)))

    def _count(self) -> None:
        if self._counts_itself:
            self._outcomes = dict(outcomes_of(self._window, self._run)[0])

    def _show_time(self) -> None:
        """Refresh the elapsed time even during an outage, when no other event occurs."""
        with suppress(NotFoundError):  # a deletion is reported by `_on_progress`
            self._spent.set_content(time_spent(self._window.services.runs.progress(self._run.id)))

    def _register_cancel(self, going: bool) -> None:
        """Offer the Stop command once per start, because an offer lasts as long as its element."""
        offered = bool(self._while_going.default_slot.children)
        if going and not offered:
            with self._while_going:
                self._window.register_command("run.cancel", self._stop)
        elif offered and not going:
            self._while_going.clear()

    def _stop(self) -> None:
        self._window.services.runs.cancel(self._run.id)
        self._window.notify("Stopping… No new calls. Finished results are saved.")
        self._refresh()

    def _pause_run(self) -> None:
        self._window.services.runs.under_way.pause(self._run.id)
        self._refresh()
        focus_on(self._continue)  # the pressed button is hidden

    def _continue_run(self) -> None:
        self._window.services.runs.under_way.resume(self._run.id)
        self._refresh()
        focus_on(self._pause)

    def _open_run_form(self) -> None:
        ui.navigate.to(f"/benchmarks/{self._run.benchmark_id}/run?again={self._run.id}")

    async def _delete(self) -> None:
        self._deleting = True
        self._deleting = await delete(self._window, self._run.id, self._run.title)


def outcomes_of(window: Window, run: RunSummary) -> tuple[Mapping[Outcome, int], int | None]:
    """Counts until the figures are computed, and the greatest result id; ended runs have the counts stored."""
    if run.status not in UNDER_WAY:
        return run.outcomes, None
    return window.services.library.results.tally(run.id)


def title(run: RunSummary, progress: RunProgressState | None = None) -> Html:
    """HTML of name and state."""
    status = status_of(run, progress)
    look = f"run-status run-status-{status.css_class or run.status} one-line small strong"
    state = tag("span", icon(status.icon), status.title, class_=look, title=status.meaning)
    return join_html([tag("h1", run.title, title=run.title), state])


def facts(run: RunSummary, version: str) -> Html:
    """HTML of benchmark, date, and size. `version`: the published version that ran."""
    sample = tag("span", run.recording_label, class_="chip chip-plain", title="Replies were replayed from a recording")
    parts = (
        link(f"/benchmarks/{run.benchmark_id}/questions", run.benchmark_name),
        *([link(f"/benchmarks/{run.benchmark_id}/versions", version)] if version else []),
        day_and_time(run.created_at),
        *([] if run.status in UNDER_WAY else [_jobs(run)]),  # the progress line shows them
        *(
            [f"{quantity(len(run.conditions), 'condition')}: {', '.join(run.conditions)}"]
            if len(run.conditions) > 1
            else []
        ),
        *([f"condition {run.conditions[0]}"] if len(run.conditions) == 1 else []),
        *([f"{quantity(run.judge_replicates, 'judgment')} per answer"] if run.judge_replicates > 1 else []),
    )
    return tag(
        "p",
        *joined_by(" · ", parts),
        " ",
        sample if run.recording_label else None,
        tag("span", f"Imported from {run.origin}", class_="chip chip-plain") if run.origin else None,
        class_="run-facts result-muted",
    )


def _jobs(run: RunSummary) -> str:
    return quantity(run.total, "job") if run.done == run.total else f"{run.done:,} of {quantity(run.total, 'job')}"


def joined_by(separator: str, parts: tuple[str, ...]) -> list[str]:
    return [piece for part in parts for piece in (separator, part)][1:]


def line(progress: RunProgressState, delay: WriteDelay | None = None) -> Html:
    """HTML of the progress line; `delay`: the reason why no results can be saved.

    `24 of 72 · Passed 15 · Wrong 6 · Error 3 · about 40 s left`
    """
    state = "Stopping…" if progress.cancelling else _time_left(progress)
    paused = f"Paused: {delay.cause}. The run continues automatically." if delay else None
    if progress.held and not progress.cancelling:
        paused = HELD
    return tag(
        "div",
        figure_link(JOBS_DONE, tag("b", f"{progress.done:,} of {progress.total:,}", class_="running-big")),
        *(tag("span", figure_link(OUTCOMES, text)) for text in _counts(progress)),
        tag("span", paused, class_="strong text-warn") if paused else None,
        tag("span", state, class_="result-muted") if state and not paused else None,
        class_="running-line flow",
        role="status",
    )


def _time_left(progress: RunProgressState) -> Html | None:
    if progress.seconds_left is None or progress.outages:
        return None
    return figure_link(TIME_LEFT, f"about {rough_duration(progress.seconds_left)} left")


def time_spent(progress: RunProgressState) -> Html:
    """HTML of the elapsed time and the cost."""
    # Apart from the progress line: a live region is read aloud whenever it changes.
    return figure_link(TIME_SPENT, f"{rough_duration(progress.seconds)} elapsed")


def _counts(progress: RunProgressState) -> Iterator[str]:
    """Counts by outcome, with the titles of the figures below."""
    for outcome, number in ((outcome, progress.outcomes.get(outcome, 0)) for outcome in ENDINGS):
        if number or (outcome == "passed" and not progress.outcomes.get("unscored")):
            yield f"{ENDINGS[outcome].title} {number:,}"
    if progress.again:
        yield f"{progress.again:,} of these to retry"


def errors(progress: RunProgressState) -> Html:
    """HTML of recent errors; equal messages appear once with their count."""
    alike: dict[str, list[JobError]] = {}
    for error in progress.errors:
        alike.setdefault(error.message, []).append(error)
    notes = (
        tag(
            "div",
            icon("error"),
            tag(
                "div",
                tag("b", f"{len(same):,} × {message}" if len(same) > 1 else message),
                tag("div", f"{'last: ' if len(same) > 1 else ''}{_which(same[0])}", class_="result-muted"),
            ),
            class_="note note-bad",
        )
        for message, same in list(alike.items())[:ERRORS_SHOWN]
    )
    return join_html(notes)


def workers(progress: RunProgressState, texts: Mapping[str, str]) -> Html:
    """HTML of the cluster's workers with their jobs; empty: the run has none. `texts`: question texts by id."""
    rows = []
    for worker in progress.workers:
        jobs = [active for active in progress.under_way if active.job.key in worker.jobs]
        now = [
            f"{where(active.stage, active.turn)}: {texts.get(active.job.question_id, active.job.question_id)[:80]}"
            for active in jobs[:JOBS_SHOWN]
        ]
        more = [f"{len(jobs) - JOBS_SHOWN:,} more"] if len(jobs) > JOBS_SHOWN else []
        rows.append(
            tag(
                "div",
                icon("dns"),
                tag("b", worker.name),
                tag("span", worker.address, class_="result-muted mono") if worker.name != worker.address else None,
                tag("span", quantity(len(jobs), "job")),
                tag("span", " · ".join([*now, *more]), class_="result-muted one-line"),
                class_="run-worker small",
                role="listitem",
            )
        )
    return tag("div", *rows, class_="run-workers", role="list", aria_label="Workers") if rows else join_html([])


def _which(error: JobError) -> str:
    replicate = f", replicate {error.replicate}" if error.replicate else ""
    return f"{error.answering}{replicate}: {error.question_text[:120]}"


class OutageList:
    """One line per unreachable model with a retry button and a countdown."""

    def __init__(self, window: Window, run_id: int) -> None:
        self._window = window
        self._run_id = run_id
        self._outages: object = ()
        self._whens: dict[object, ui.html] = {}
        self._tries: dict[object, ui.button] = {}
        self._container = ui.element("div").classes("progress-errors when-filled").props('role="status"')
        self._clock = ui.timer(1.0, self._count_down, active=False)

    def show(self, progress: RunProgressState) -> None:
        outages = [(outage.key, outage.why) for outage in progress.outages]
        # A rebuilt line would be read aloud again, and its button would lose the focus.
        if outages != self._outages:
            self._outages = outages
            self._draw(progress)
        for outage in progress.outages:
            reached = outage.reached or not outage.is_model
            then = outage_text(outage.seconds, account=outage.account, reached=reached, held=progress.held)
            self._whens[outage.key].set_content(then)
            self._tries[outage.key].set_visibility(not progress.held)
        self._clock.active = bool(outages)

    def _draw(self, progress: RunProgressState) -> None:
        self._container.clear()
        self._whens, self._tries = {}, {}
        with self._container:
            for outage in progress.outages:
                with ui.element("div").classes("note note-warn note-action"):
                    ui.html(join_html([icon("pause_circle")]))
                    with ui.element("div").classes("note-text"):
                        ui.html(tag("b", f"Waiting for {outage.model}: {outage.why}"))
                        self._whens[outage.key] = ui.html("").classes("result-muted")
                    self._tries[outage.key] = button(
                        "Retry now",
                        partial(self._window.services.runs.under_way.try_now, self._run_id, outage.key),
                        look="quiet",
                    )

    def _count_down(self) -> None:
        self.show(self._window.services.runs.progress(self._run_id))


def outage_text(seconds: float | None, *, account: bool, reached: bool, held: bool) -> Html:
    """Describe the next step and the user's options for an outage."""
    then = "Retrying now." if seconds is None else f"Next retry in about {rough_duration(seconds)}."
    if held:
        then = "No retries until you continue."
    if not account:
        models = link("/models", "Models page")
        mistyped = [" Wrong base URL? Stop the run, correct it on the ", models, ", and resume."]
        waits = "" if held else "Its jobs continue automatically. "
        return join_html([waits, then, *([] if reached else mistyped)])
    keys = link("/keys", "API keys page")
    return join_html(["Enter another key on the ", keys, ", or top up the account; its jobs then continue. ", then])
