"""Tests of the query string of a chart."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest

from karenina_gui.analysis.charts.chart_request import ChartRequest
from karenina_gui.gui.charts.charts import CHARTS
from karenina_gui.gui.charts.query import OF_RESULTS, WITHIN, ChartQuery
from karenina_gui.gui.pages.results.query import ResultQuery

REQUEST = ChartRequest(
    trait="cites: a & b?", errors_as_failures=True, answering=("a,b", "100% c", "d"), condition=("with, docs",),
    judge="j", keyword="früh", question_id="q/1", against="a · with, docs", clustered=True, within=2.5,
)  # fmt: skip


def test_what_is_shown_survives_the_way_through_an_address() -> None:
    query = ChartQuery(CHARTS[-1], REQUEST, table=True)
    assert ChartQuery.from_query(dict(parse_qsl(str(query)))) == query


@pytest.mark.parametrize(
    "address",
    [
        {},
        {"chart": "pie"},
        {"errors": "1"},
        {"view": "sound"},
        {"x": "y"},
        *({"within": text} for text in ("five", "0", "-3", "nan", "inf", "1e999", "1e-99", "2,5")),
    ],
)
def test_what_an_address_says_wrongly_is_left_out(address: dict[str, str]) -> None:
    assert ChartQuery.from_query(address) == ChartQuery()


def test_the_page_itself_follows_all_that_its_address_can_say() -> None:
    of_results = tuple((name, "1") for name in OF_RESULTS)
    query = ChartQuery(CHARTS[0], REQUEST, table=True, of_results=of_results)
    assert {name for name, _ in parse_qsl(str(query))} == set(WITHIN)


def test_the_way_to_the_results_and_back_keeps_chart_and_filters() -> None:
    table = {"text": "final = no", "outcome": "wrong,error", "sort": "-seconds", "trait": "clear", "is": "no"}
    query = ChartQuery.from_query(dict(parse_qsl(str(ChartQuery(CHARTS[-1], REQUEST, table=True)))) | table)
    led = query.as_results()
    assert (led.filter.text, led.filter.outcomes, led.filter.judge) == ("final = no", ("wrong", "error"), "j")
    assert (led.filter.condition, led.filter.answering, led.sort.descending) == ("with, docs", None, True)
    assert ChartQuery.from_results(led) == query
    assert ChartQuery.from_results(led.with_changes(answering="100% a,b")).request.answering == ("100% a,b",)


def test_a_mark_leads_to_its_results_among_those_that_the_filter_shows() -> None:
    query = ChartQuery(request=ChartRequest(answering=("gpt",), condition=("a", "b"), keyword="dose"))
    led = ResultQuery.from_query(dict(parse_qsl(query.results({"condition": "b", "question": "q1"})))).filter
    assert (led.answering, led.condition, led.keyword, led.question_id) == ("gpt", "b", "dose", "q1")


def test_clearing_keeps_the_metric_and_how_it_is_looked_at() -> None:
    cleared = ChartQuery(CHARTS[-1], REQUEST).without_filters()
    assert cleared.request == ChartRequest(
        trait="cites: a & b?", errors_as_failures=True, against="a · with, docs", clustered=True, within=2.5
    )
    assert not cleared.filtered
