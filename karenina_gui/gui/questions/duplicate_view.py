"""Two questions side by side, with the words that differ."""

from __future__ import annotations

from dataclasses import dataclass

from karenina_gui.authoring.benchmark_editor import OpenQuestion
from karenina_gui.authoring.duplicates import DuplicatePair
from karenina_gui.gui.components.diff_view import diff_head, diff_section
from karenina_gui.gui.components.html import Html, tag
from karenina_gui.gui.questions.question_results import results_html
from karenina_gui.gui.questions.rows import TEMPLATE_WORDS, template_state
from karenina_gui.schemas.result_summaries import QuestionResults
from karenina_gui.schemas.sample_answer import sample_answers
from karenina_gui.text import percent


@dataclass(frozen=True)
class PairSide:
    """One question of a pair."""

    position: int
    """Place in the benchmark, from 1."""
    question: OpenQuestion
    results: QuestionResults


def pair_html(left: PairSide, right: PairSide) -> Html:
    """Table of everything by which an author decides which of two questions stays."""
    one, other = left.question.entry.question, right.question.entry.question
    texts = [
        ("Question", one.question, other.question, None),
        ("Reference answer", one.raw_answer, other.raw_answer, None),
        ("State", _state(left), _state(right), None),
        ("Notes", one.answer_notes or "", other.answer_notes or "", None),
        ("Keywords", ", ".join(one.keywords), ", ".join(other.keywords), None),
        ("Sample answers", _samples(left), _samples(right), None),
        ("Template", _code(left), _code(right), "duplicate-code"),
    ]
    sections = [diff_section(title, a, b, look=look) for title, a, b, look in texts if a or b]
    id_row = _plain("ID", *(side.question.entry.id for side in (left, right)))
    titles = (f"Left: question {left.position:,}", f"Right: question {right.position:,}")
    return tag("table", diff_head(titles), *sections, id_row, _results(left, right), class_="versions duplicate-table")


def kind_text(pair: DuplicatePair) -> str:
    """Label of a pair by how much of it is the same."""
    if pair.kind == "exact":
        return "Same text"
    if pair.kind == "wording":
        return f"Same wording, except for {pair.difference}"
    # Order is not compared, and “A inhibits B” and “B inhibits A” would read as equal.
    return "Same words in another order" if pair.similarity == 1 else f"{percent(pair.similarity)} similar"


def _state(side: PairSide) -> str:
    summary = side.question.summary
    finished = "Finished" if summary.finished else "Unfinished"
    return f"{finished}, template: {TEMPLATE_WORDS[template_state(summary)]}"


def _code(side: PairSide) -> str:
    # Without the line break at its end, which would be an empty line of the table.
    return (side.question.entry.question.answer_template or "").rstrip()


def _samples(side: PairSide) -> str:
    return "\n".join(
        f"{'Passes' if sample.passes else 'Fails'}: {' '.join(sample.text.split())}"
        for sample in sample_answers(side.question.entry.question)
    )


def _results(left: PairSide, right: PairSide) -> Html | None:
    """Runs with results of either question; None if no run has any."""
    if not (left.question.results or right.question.results):
        return None
    lists = (results_html(side.results, side.question.entry.id) for side in (left, right))
    return _plain("Results", *(runs or tag("span", "None", class_="hint") for runs in lists))


def _plain(title: str, left: str, right: str) -> Html:
    """Section whose difference is not marked."""
    head = tag("tr", tag("th", title, colspan="2", scope="rowgroup"))
    return tag("tbody", head, tag("tr", tag("td", left), tag("td", right)))
