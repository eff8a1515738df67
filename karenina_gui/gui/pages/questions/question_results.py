"""Links to the results of a question, run by run."""

from __future__ import annotations

from karenina_gui.gui.kit.html import Html, join_html, link, tag
from karenina_gui.gui.pages.results.query import ResultQuery
from karenina_gui.schemas.result_summaries import QuestionResults, ResultFilter, RunOfQuestion
from karenina_gui.schemas.run_name import title_of
from karenina_gui.text import quantity

MOST_RUNS = 3
"""Runs that are listed at once; the others unfold."""


def results_html(results: QuestionResults, question_id: str) -> Html:
    """List of the runs with results that refer to this id, each a link to them; empty if no run has any."""
    lines = [_line(run, question_id) for run in results.runs]
    if results.deleted:
        lines.append(tag("li", f"{quantity(results.deleted, 'result')} in deleted runs"))
    first, more = lines[:MOST_RUNS], lines[MOST_RUNS:]
    if not first:
        return Html("")
    # One more line takes less room than the words that would announce it.
    if len(more) == 1:
        first, more = lines, []
    rest = tag("details", tag("summary", f"and {quantity(len(more), 'more run')}"), tag("ul", *more)) if more else None
    return tag("div", tag("ul", *first), rest, class_="question-results")


def _line(run: RunOfQuestion, question_id: str) -> Html:
    address = ResultQuery(ResultFilter(question_id=question_id)).after(f"/runs/{run.run_id}/results")
    return tag("li", join_html([link(address, title_of(run.run_id, run.name)), f": {quantity(run.results, 'result')}"]))
