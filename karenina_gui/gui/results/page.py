"""Page of one result: verdict, stages, comparison, and the conversation or an agent's panes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from nicegui import ui

from karenina_gui.errors import NotFoundError
from karenina_gui.gui.benchmarks.deleted_page import RUN_COMES_BACK, absence_note
from karenina_gui.gui.components.calibration_links import calibration_address
from karenina_gui.gui.components.elements import button, pane, splitter
from karenina_gui.gui.components.html import Html, icon, join_html, link, tag
from karenina_gui.gui.results import sections
from karenina_gui.gui.results.agent_result_view import evidence_view
from karenina_gui.gui.results.checks import checks
from karenina_gui.gui.results.conversation import final_label, sent_label
from karenina_gui.gui.results.evidence_markup import evidence
from karenina_gui.gui.results.investigations import agent_facts
from karenina_gui.gui.results.judged_text import ending
from karenina_gui.gui.results.justification_api import is_agentic
from karenina_gui.gui.results.keep_sample import can_keep, keep_sample
from karenina_gui.gui.results.query import ResultQuery
from karenina_gui.gui.results.stage_names import plain_reason
from karenina_gui.gui.results.trace_view import TraceView, TraceWords
from karenina_gui.gui.session.window import Window
from karenina_gui.schemas.calibration import CalibrationTarget
from karenina_gui.schemas.prices import Price
from karenina_gui.schemas.result_summaries import Neighbours, ResultFilter, ResultSummary, StoredResult
from karenina_gui.schemas.run_summaries import RunSummary

if TYPE_CHECKING:
    from karenina_gui.gui.session.page import PageRoute


@dataclass(frozen=True, slots=True)
class ResultView:
    """Result with the context of its run."""

    stored: StoredResult
    run: RunSummary
    neighbours: Neighbours
    """Neighbors in the table that the user came from."""
    relatives: Sequence[ResultSummary]
    """All results of the same question in the run."""
    query: ResultQuery
    prices: Mapping[str, Price]
    """Prices by model, as named in results."""
    question_number: int | None
    """None: the question is no longer in its benchmark."""
    version: str
    """Published version of the benchmark that the run asked; empty: nothing was published before."""

    @property
    def question_address(self) -> str | None:
        """Address of the question; None: it is no longer in its benchmark."""
        if self.question_number is None:
            return None
        return f"/benchmarks/{self.run.benchmark_id}/questions/{self.question_number}"


def draw(window: Window, route: PageRoute) -> None:
    """Draw `/runs/{r}/results/{id}`; the query is that of the table that the user came from."""
    view = look_up(window, route["r"], route["id"], ResultQuery.from_query(route.query))
    if not view.run.benchmark_deleted:
        window.enter(view.run.benchmark_id)
    absence_note(window, view.run.benchmark_id, RUN_COMES_BACK)
    result = view.stored.result
    with pane("Result"):
        _draw_bar(window, view)
        ui.html(
            join_html([sections.head(view.stored, view.run.judge_replicates, view.version), sections.strip(result)])
        ).classes("result-head")
        with splitter(window, "result", 52, limits=(25, 80)) as panes:
            with panes.before, pane("Verdict", classes="scroll") as scrolled:
                scrolled.props('tabindex="0"')
                ui.html(_report(view)).classes("full-width")
            with panes.after:
                _right(window, view)
        for command, target in (
            ("question.next", view.neighbours.next),
            ("question.previous", view.neighbours.previous),
        ):
            if target is not None:
                window.register_command(command, partial(ui.navigate.to, _address(view, target)))


def _right(window: Window, view: ResultView) -> None:
    result = view.stored.result
    address = f"/api/results/{view.stored.summary.id}"

    def answer() -> TraceView:
        return TraceView(
            f"{address}/conversation",
            empty=plain_reason(result.error or "") or "No trace: the model was not reached.",
            facts=agent_facts(result),
            ended=ending(result),
            labels=TraceWords(told=sent_label(result), last=final_label(result)),
        )

    if is_agentic(result):
        root = _root(window, view.run)
        evidence_view(result, address, answer, question_address=view.question_address, root=root)
    else:
        answer()


def _root(window: Window, run: RunSummary) -> Path | None:
    return None if run.benchmark_deleted else window.services.editor.workspaces.root(run.benchmark_id)


def look_up(window: Window, run_id: int, result_id: int, query: ResultQuery) -> ResultView:
    """Load a result with its context. Raises `NotFoundError` if it does not exist."""
    library = window.services.library
    stored = library.results.get(result_id)
    # The URL names the run too; with another run, links back would lead to the wrong table.
    if stored.summary.run_id != run_id:
        raise NotFoundError(f"Run {run_id} has no result {result_id}.")
    run = library.runs.summary(run_id)
    same_question = ResultFilter(question_id=stored.summary.question_id)
    return ResultView(
        stored,
        run,
        library.results.neighbours(run_id, result_id, query.filter, query.sort),
        library.results.page(run_id, same_question).rows,
        query,
        window.services.runs.prices.all(),
        _question_number(window, run, stored.summary.question_id),
        library.published.state_of_run(run).text,
    )


def _question_number(window: Window, run: RunSummary, question_id: str) -> int | None:
    try:
        return window.services.library.questions.number_of(run.benchmark_id, question_id)
    except NotFoundError:
        return None


def _calibrations(view: ResultView) -> dict[str, str]:
    """Addresses by trait at which its judge is compared with labels."""
    rubric, number = view.stored.result.rubric, view.question_number
    if rubric is None or number is None:
        return {}
    origins = rubric.trait_provenance or {}
    # Parts of a structured score have a dot in their names, and no calibration.
    names = [
        name for name in {**(rubric.llm_trait_scores or {}), **(rubric.regex_trait_scores or {})} if "." not in name
    ]

    def target(name: str) -> CalibrationTarget:
        is_own = origins.get(name) == "question_specific"
        return CalibrationTarget(view.run.benchmark_id, number if is_own else None, "trait", name)

    return {name: calibration_address(target(name)) for name in names}


def _draw_bar(window: Window, view: ResultView) -> None:
    with ui.element("div").classes("bar result-bar"):
        ui.html(_bar(view)).classes("result-links")
        if view.question_address and can_keep(view.stored):
            keep = partial(keep_sample, window, view.stored, view.run)
            button("Keep as sample", keep, icon="bookmark_add", look="quiet").tooltip(
                "Test the template of the question on this answer from now on (A)"
            )
            window.register_command("result.keep", keep)


def _bar(view: ResultView) -> Html:
    near = view.neighbours
    position = (
        f"{near.number:,} of {near.total:,}{' in this filter' if view.query.filtered else ''}" if near.number else ""
    )
    question = view.question_address
    parts = [
        link(view.query.after(f"/runs/{view.run.id}"), icon("arrow_back"), view.run.name, class_="result-action"),
        tag("span", position, class_="result-muted result-place"),
        _step(view, near.previous, "Previous", ("Previous result (K)", "No previous result"), "chevron_left"),
        _step(view, near.next, "Next", ("Next result (J)", "No next result"), "chevron_right"),
        _export(view),
        link(question, icon("edit"), "Open question", class_="result-action") if question else None,
    ]
    return join_html(parts)


def _export(view: ResultView) -> Html:
    address = f"/api/runs/{view.run.id}/results/{view.stored.summary.id}.json"
    title = "Export this result and its trace as JSON"
    return link(address, icon("download"), "Export", class_="result-action", download="", title=title)


def _step(view: ResultView, target: int | None, word: str, titles: tuple[str, str], glyph: str) -> Html:
    """Return a link to the previous or next result; `titles`: with and without one."""
    there, missing = titles
    if target is None:
        return tag("span", icon(glyph), word, class_="result-action result-off", title=missing)
    return link(_address(view, target), icon(glyph), word, class_="result-action", title=there)


def _address(view: ResultView, result_id: int) -> str:
    return view.query.after(f"/runs/{view.run.id}/results/{result_id}")


def _report(view: ResultView) -> Html:
    result = view.stored.result
    blocks = [
        (sections.problem_title(result), sections.problem(result)),
        ("Reference answer", sections.reference(result)),
        ("Answer", sections.answer(result)),
        ("Checks", checks(result)),
        ("Fields", sections.fields(result)),
        ("Quotes", evidence(result)),
        ("Patterns", sections.patterns(result)),
        ("Traits", sections.traits(result, _calibrations(view))),
        ("Same question in this run", sections.relatives(view.stored, view.relatives)),
        ("Tokens and cost", sections.tokens(result, view.prices)),
    ]
    return join_html(_block(name, content) for name, content in blocks if content is not None)


def _block(name: str, content: Html) -> Html:
    return tag("section", tag("h2", name, class_="result-heading"), content, class_="result-block", aria_label=name)
