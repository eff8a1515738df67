"""Questions as rows of the list, and the filter in an address."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest

from karenina_gui.gui.pages.questions.rows import ListFilter, row, rows
from karenina_gui.schemas.benchmark_summaries import QuestionSummary


def summary(*, has_template: bool = True, template_valid: bool | None = None) -> QuestionSummary:
    return QuestionSummary(
        number=7, id="q", position=0, text="Why?", keywords=("a", "b"), finished=False, has_template=has_template,
        template_valid=template_valid, has_rubric=False, revision=1, updated_at="2026-01-01T00:00:00",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("has_template", "valid", "state"),
    [(False, None, "none"), (True, None, "unchecked"), (True, True, "ok"), (True, False, "problem")],
)
def test_a_template_is_ready_broken_unchecked_or_missing(has_template: bool, valid: bool | None, state: str) -> None:
    assert row(summary(has_template=has_template, template_valid=valid))["template"] == state


def test_places_are_counted_from_one_without_holes_and_keywords_are_one_text() -> None:
    first, second = rows([summary(), summary()])
    assert (first["place"], second["place"]) == (1, 2)
    assert (first["number"], first["keywords"], first["tags"]) == (7, "a, b", ["a", "b"])


@pytest.mark.parametrize(
    "wanted",
    [
        ListFilter(),
        ListFilter(text="5% & more=#/", finished="no", keyword="α/β"),
        ListFilter(finished="yes"),
        ListFilter(finished="duplicates"),
        ListFilter(template="problems"),
    ],
)
def test_a_filter_survives_its_address(wanted: ListFilter) -> None:
    assert "/" not in wanted.to_query()
    assert ListFilter.from_query(dict(parse_qsl(wanted.to_query()))) == wanted


def test_what_no_filter_knows_is_ignored() -> None:
    assert (
        ListFilter.from_query({"finished": "perhaps", "template": "odd", "colour": "red", "text": None}) == ListFilter()
    )
