"""Resuming of runs: remaining jobs, effect of a resume, and buttons."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any

from nicegui import background_tasks, run, ui

from karenina_gui.errors import KareninaError, NotFoundError
from karenina_gui.gui.kit.consent import with_consent
from karenina_gui.gui.kit.dialogs import dialog, dialog_actions
from karenina_gui.gui.kit.elements import button
from karenina_gui.gui.kit.html import Html, join_html, link, tag
from karenina_gui.gui.pages.runs.changes_view import changes_summary, changes_view
from karenina_gui.gui.pages.runs.run_text import STATUSES
from karenina_gui.gui.session.window import Window
from karenina_gui.runs.benchmark_changes import BenchmarkChanges
from karenina_gui.runs.problems.models import lacking_keys
from karenina_gui.runs.reconnection import SettingToday
from karenina_gui.runs.resume import RemainingJobs
from karenina_gui.schemas.outcome import RetryClass
from karenina_gui.schemas.run_summaries import RunSummary
from karenina_gui.text import quantity

CLASSES: dict[RetryClass, str] = {
    "calls": "failed call",
    "replies": "parse error",
    "faults": "internal error",
    "traits": "incomplete result",
}
"""Singular nouns."""
LISTED = 3
"""Maximum number of interrupted runs above the list of runs."""
NAMES = {
    "endpoint_base_url": "base URL",
    "anthropic_base_url": "base URL",
    "api_key_env": "API key variable",
    "request_timeout": "call timeout (s)",
    "agent_timeout": "time limit (s)",
    "retry_policy": "retries",
    "mcp_http_timeout": "connection timeout (s)",
    "mcp_sse_read_timeout": "tool call timeout (s)",
    "mcp_servers": "MCP server URL",
    "model_provider": "provider",
    "model_name": "model name",
    "max_tokens": "max output tokens",
    "extra_kwargs": "additional parameters",
    "mcp_tool_filter": "allowed server tools",
    "mcp_tool_description_overrides": "tool description overrides",
    "agent_middleware": "limits (turns, tool calls, tokens)",
}
"""Names as in the form of a model."""
SHORT = 80
"""Maximum number of characters of a displayed value."""


class ResumePanel:
    """Section below a run's head about remaining jobs; visible after the run has ended."""

    def __init__(self, window: Window, begun: Callable[[], Any]) -> None:
        """`begun` is called when the run continues."""
        self._window = window
        self._begun = begun
        self._run: RunSummary | None = None
        self._remaining = RemainingJobs()
        self._retried: Mapping[RetryClass, int] = {}
        """Failures that this window retries; empty: none."""
        self._container = ui.element("section").classes("progress progress-left").props('aria-label="Remaining jobs"')
        self._container.set_visibility(False)

    def hide(self) -> None:
        """Hide the section while the run is in progress."""
        self._run = None
        self._container.set_visibility(False)
        self._container.clear()

    async def show(self, ended: RunSummary) -> None:
        """Compute the remaining jobs in a thread, which is slow for large runs, and show them."""
        self._run = ended
        result = await run.io_bound(self._load, ended.id)
        # The run may have been resumed or deleted meanwhile.
        if result is None or self._container.is_deleted or self._run is not ended:
            return
        remaining, changes = result
        if self._retried:
            self._window.notify(retry_outcome(self._retried, remaining))
        self._remaining, self._retried = remaining, {}
        self._container.clear()
        self._container.set_visibility(bool(remaining or ended.message or changes))
        with self._container, ui.element("div").classes("progress-left-row line"):
            ui.html(what_is_left(ended, remaining, changes)).classes("progress-left-words")
            if changes:
                button("Show changes", lambda: ChangesDialog(self._window, ended), icon="difference", look="quiet")
            if remaining and not ended.benchmark_deleted:
                self._button(remaining)
        with self._container:
            self._keys = ui.html("").props('role="status"')
        self._keys.set_visibility(False)

    def _load(self, run_id: int) -> tuple[RemainingJobs, BenchmarkChanges] | None:
        runs = self._window.services.runs
        try:
            return runs.remaining(run_id), runs.benchmark_changes(run_id)
        except KareninaError:
            return None  # deleted by another window

    def _button(self, remaining: RemainingJobs) -> None:
        if remaining.jobs:
            self._go_on = button("Resume", self._resume, icon="play_arrow", look="main")
            self._window.register_command("run.resume", self._resume)
        else:
            self._go_on = button(f"Retry {retry_text(remaining.by_class)}", self._resume, icon="refresh")
        if remaining.retries:
            self._window.register_command("run.retry", self._resume)
        if len(remaining.by_class) > 1 and not remaining.jobs:
            self._retry_menu(remaining)

    def _retry_menu(self, remaining: RemainingJobs) -> None:
        """Menu to retry only one kind of failure."""
        with button("", icon="arrow_drop_down", look="quiet").props('aria-label="Retry options"'), ui.menu():
            for kind, count in remaining.by_class.items():
                ui.menu_item(f"Retry only {retry_text({kind: count})}", partial(self._resume, (kind,)))

    async def _resume(self, classes: Collection[RetryClass] | None = None) -> None:
        if self._run is None or self._go_on.props.get("loading"):
            return
        self._go_on.props("loading")  # checking the models takes a moment
        if await resume(self._window, self._run.id, classes):
            failures = self._remaining.by_class if not self._remaining.jobs else {}
            self._retried = {kind: count for kind, count in failures.items() if classes is None or kind in classes}
            self._begun()
        elif not self._go_on.is_deleted:
            self._go_on.props(remove="loading")
            self._link_to_keys()

    def _link_to_keys(self) -> None:
        """Show links to enter missing keys."""
        services = self._window.services
        if self._run is not None:
            lacking = lacking_keys(services.library.runs.config(self._run.id), services.runs.models)
            links = [tag("div", link(f"/keys?enter={variable}", f"Enter {variable}")) for variable in lacking]
            self._keys.set_content(join_html(links))
            self._keys.set_visibility(bool(links))


class InterruptedRuns:
    """List of runs whose application ended, each with a Resume button, above the list of runs."""

    def __init__(self, window: Window, benchmark_id: int | None) -> None:
        self._window = window
        self._benchmark_id = benchmark_id
        self._listed: list[int] = []
        self._container = ui.element("div").classes("run-list-left when-filled")
        self.show()

    def show(self) -> None:
        """Redraw if the interrupted runs have changed."""
        every = self._window.services.library.runs.all(self._benchmark_id)
        lost = [summary for summary in every if summary.status == "interrupted" and summary.done < summary.total]
        if [summary.id for summary in lost] == self._listed:
            return
        self._listed = [summary.id for summary in lost]
        self._container.clear()
        with self._container:
            for summary in lost[:LISTED]:
                self._line(summary)

    def _line(self, lost: RunSummary) -> None:
        with ui.element("div").classes("note note-warn note-action"):
            ui.icon(STATUSES["interrupted"].icon)
            done = f" was interrupted after {lost.done:,} of {quantity(lost.total, 'job')}."
            ui.html(join_html([link(f"/runs/{lost.id}", lost.title), done])).classes("note-text")
            go_on = button("Resume", lambda: self._resume(lost.id), icon="play_arrow")
            go_on.props["aria-label"] = f"Resume {lost.title}"

    async def _resume(self, run_id: int) -> None:
        if await resume(self._window, run_id):
            self.show()


async def resume(window: Window, run_id: int, classes: Collection[RetryClass] | None = None) -> bool:
    """Resume a run; return False after showing the error. `classes`: see `RunService.resume`."""
    try:
        runs = window.services.runs
        await with_consent(runs.consents.agree, runs.resume, run_id, classes)
    except KareninaError as error:
        window.notify(str(error), "bad")
        return False
    return True


def find_interrupted(window: Window) -> None:
    """Find runs of ended processes in the background; events report them."""
    looking = window.write(window.services.runs.look_for_lost)
    background_tasks.create(looking, name="look for lost runs")


def mark_seen(window: Window, run_id: int | None = None) -> None:
    """Remove the notice about a lost run (None: all) from the status bars, because this page shows it."""
    if window.services.runs.interrupted:
        window.services.runs.forget_interrupted(run_id)
        window.services.run_changed.emit(run_id or 0)


def retry_text(counts: Mapping[RetryClass, int]) -> str:
    """Describe the target of a retry: `1 failed call`, `12 parse errors`."""
    return quantity(sum(counts.values()), CLASSES[next(iter(counts))] if len(counts) == 1 else "result")


def retry_outcome(retried: Mapping[RetryClass, int], remaining: RemainingJobs) -> str:
    """`2 of 3 retried results failed again.`, since a run that fails the same way looks as before."""
    tried, failed_again = sum(retried.values()), sum(remaining.by_class.get(kind, 0) for kind in retried)
    if not failed_again:
        return "The retry succeeded." if tried == 1 else f"All {tried:,} retries succeeded."
    return "The retry failed again." if tried == 1 else f"{failed_again:,} of {tried:,} retries failed again."


def what_is_left(ended: RunSummary, remaining: RemainingJobs, changes: BenchmarkChanges) -> Html:
    """HTML of the reason for the end, the effect of a resume, and changes of the benchmark."""
    models = " ".join([*setting_sentences(remaining.settings), *missing_models(remaining.unknown)]) if remaining else ""
    lines = [
        tag("div", ended.message) if ended.message else None,
        tag("div", " ".join(_sentences(ended, remaining))) if remaining else None,
        tag("div", models, class_="result-muted") if models else None,
        tag("div", changes_summary(changes), class_="result-muted") if changes else None,
    ]
    return join_html(lines)


def _sentences(ended: RunSummary, remaining: RemainingJobs) -> list[str]:
    retried = " Will be retried." if remaining.jobs else ""
    counted = (
        (remaining.jobs, f"{remaining.jobs:,} of {quantity(ended.total, 'job')} left."),
        (
            remaining.again,
            (
                f"{quantity(remaining.again, 'failed call')}: a model or MCP server was unreachable, rejected "
                f"the call, or had no valid key.{retried}"
            ),
        ),
        (
            remaining.replies,
            f"{quantity(remaining.replies, 'parse error')}: no verdict could be read from a judge’s reply.{retried}",
        ),
        (remaining.faults, f"{quantity(remaining.faults, 'job')} ended in an internal error.{retried}"),
        (
            remaining.unscored,
            f"{quantity(remaining.unscored, 'job')} with a verdict, but no usable judge reply for traits.{retried}",
        ),
        (remaining.answers, f"{quantity(remaining.answers, 'saved answer')} will be reused."),
    )
    return [sentence for number, sentence in counted if number]


def setting_sentences(settings: Sequence[SettingToday]) -> list[str]:
    """List the differences as sentences."""
    return [_sentence(setting) for setting in settings]


def missing_models(names: Sequence[str]) -> list[str]:
    """List models that are no longer on the Models page."""
    return [
        f"“{name}” is no longer on the Models page (deleted or renamed): the run keeps its original base URL."
        for name in names
    ]


def _sentence(setting: SettingToday) -> str:
    name = NAMES.get(setting.name, setting.name.replace("_", " "))
    today, before = _value(setting.today), _value(setting.run)
    if today is None or before is None:
        return f"{setting.model}, {name}: {'as on the Models page' if setting.taken else 'as in this run'}."
    if setting.taken:
        return f"{setting.model}, {name}: {today}, as on the Models page (was {before})."
    return f"{setting.model}, {name}: {before}, as in this run (Models page: {today})."


def _value(value: Any) -> str | None:
    """Format a value; None if it is too long or structured."""
    if value is None:
        return "none"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, str | int):
        return text if len(text := str(value)) <= SHORT and "\n" not in text else None
    return None


class ChangesDialog:
    """Dialog with changes, which opens immediately and compares again, because the benchmark may have changed since."""

    def __init__(self, window: Window, summary: RunSummary) -> None:
        self._window = window
        self._run = summary
        with dialog("Benchmark changes", classes="sent-dialog") as made:
            with (
                ui.element("div")
                .classes("sent-list wide card")
                .props('tabindex="0" role="region" aria-label="Changes"')
            ):
                self._view = ui.html(tag("p", "Loading…", class_="hint")).classes("full-width")
            with dialog_actions():
                address = f"/benchmarks/{summary.benchmark_id}/versions/compare?with=run:{summary.id}"
                # An imported run holds hashes of its benchmark alone.
                if window.services.library.snapshots.has(summary.benchmark_hash):
                    button("Compare and apply…", lambda: ui.navigate.to(address), icon="difference")
                button("Close", made.close)
            ui.timer(0, self._show, once=True)

    async def _show(self) -> None:
        content = await run.io_bound(self._content)
        if content is not None and not self._view.is_deleted:
            self._view.set_content(content)

    def _content(self) -> Html:
        benchmark = self._run.benchmark_id
        try:
            changes = self._window.services.runs.benchmark_changes(self._run.id)
        except KareninaError as error:
            return tag("div", str(error), class_="note note-bad", role="alert")
        if not changes:
            return tag("p", "The benchmark hasn’t changed since this run.", class_="hint")
        view = changes_view(changes, self._address, f"/benchmarks/{benchmark}/rubric")
        return join_html([tag("p", changes_summary(changes)), view])

    def _address(self, question_id: str) -> str | None:
        benchmark = self._run.benchmark_id
        try:
            number = self._window.services.library.questions.number_of(benchmark, question_id)
        except NotFoundError:
            return None
        return f"/benchmarks/{benchmark}/questions/{number}"
