"""Tests of the query string of the results table."""

from __future__ import annotations

import pytest

from karenina_gui.gui.pages.results.query import ResultQuery
from karenina_gui.schemas.result_summaries import ResultFilter, ResultSort


@pytest.mark.parametrize("or_none", [False, True])
@pytest.mark.parametrize("yes", [False, True])
def test_a_filter_and_its_order_survive_the_way_through_an_address(yes: bool, or_none: bool) -> None:
    from starlette.datastructures import QueryParams

    query = ResultQuery(
        ResultFilter(
            text="BCL-2 & co?",
            outcomes=("wrong", "error"),
            answering="a/b",
            condition="with docs, and graph",
            replicate=2,
            keyword="früh",
            category="timeout",
            trait="cites: a & b?",
            trait_is=yes,
            trait_or_none=or_none,
        ),
        ResultSort("seconds", descending=True),
    )
    assert ResultQuery.from_query(QueryParams(str(query))) == query


@pytest.mark.parametrize(
    "address",
    [
        {},
        {"outcome": "great"},
        {"replicate": "two"},
        {"sort": "payload"},
        {"reason": "'; DROP"},
        {"x": "1"},
        {"is": "yes"},
        {"is": "no-or-none"},
        {"replicate": "9" * 5000},
    ],
)
def test_what_an_address_says_wrongly_shows_the_whole_table(address: dict[str, str]) -> None:
    assert ResultQuery.from_query(address) == ResultQuery()


def test_the_whole_table_has_a_plain_address() -> None:
    assert ResultQuery().after("/runs/3") == "/runs/3"
    assert not ResultQuery().filtered


def test_changing_the_filter_keeps_the_order() -> None:
    query = ResultQuery(sort=ResultSort("question")).with_changes(answering="m")
    assert query.after("/runs/3") == "/runs/3?model=m&sort=question"
    assert query.filtered
