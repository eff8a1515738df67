"""Tests of the links of marks: to the results of the mark, or with a hint of what opens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from karenina_gui.analysis.charts.chart import Finding
from karenina_gui.analysis.charts.chart_request import ChartRequest
from karenina_gui.analysis.run_data import RunData
from karenina_gui.gui.charts.charts import CHARTS
from karenina_gui.gui.charts.theme import LIGHT
from karenina_gui.gui.pages.results.query import ResultQuery
from tests.analysis.charts.situations import Plan, material
from tests.job_tables import COLUMNS, columns

KINDS = {kind.name: kind for kind in CHARTS}
RUN = material(Plan(questions=6, judges=("judge", "other")))
A = {"model": "model 0", "condition": "way 0"}


def of(name: str, trait: str | None = None) -> tuple[Finding, list[dict[str, Any]]]:
    finding = KINDS[name].find(*RUN.filter(ChartRequest(trait=trait)))
    return finding, KINDS[name].figure(finding, LIGHT)["data"]


def test_the_mean_of_a_replicate_leads_to_that_replicate() -> None:
    finding, traces = of("arms")
    dots, mean = traces[:2]
    assert [finding.links[at] for at in dots["customdata"]] == [A | {"replicate": str(n)} for n in (1, 2, 3)]
    assert [finding.links[at] for at in mean["customdata"]] == [A]


def test_a_cell_of_a_replicate_leads_to_its_answer_alone() -> None:
    finding, traces = of("heatmap")
    for arm, trace in enumerate(traces[:2]):
        for row, places in zip(finding.marks.rows, trace["customdata"], strict=True):
            links = [finding.links[place] for place in places]
            assert [link["replicate"] for link in links] == ["1", "2", "3"]
            assert {(link["question"], link["condition"]) for link in links} == {(row.question_id, f"way {arm}")}


def test_a_bar_of_yes_or_no_leads_to_these_and_one_of_the_verdict_to_its_outcomes() -> None:
    finding, traces = of("distribution", "hedges")
    asked = [finding.links[at] for at in traces[0]["customdata"]]
    assert asked == [A | {"trait": "hedges", "is": word} for word in ("no", "yes")]
    finding, traces = of("distribution")
    outcomes = [set(finding.links[at]["outcome"].split(",")) for at in traces[0]["customdata"]]
    assert outcomes[1] == {"passed"} and "wrong" in outcomes[0] and "passed" not in outcomes[0]
    assert not any("Click to open all" in words for words in traces[0]["hovertext"])


def test_a_mark_that_stands_for_fewer_than_it_opens_says_so() -> None:
    for name in ("distribution", "variance", "judges", "convergence"):
        finding, traces = of(name, "depth")
        trace = next(one for one in reversed(traces) if one.get("customdata"))
        told = str(trace.get("hovertext") or trace["text"])
        link = finding.links[_flat(trace["customdata"])[0]]
        assert "Click to open all results" in told
        assert link.get("trait") == "depth"
        assert ("with “depth”" in told) == ("trait" in link)


BROKEN = material(Plan(questions=8, failed=0.3))
SPARSE = material(Plan(questions=9, failed=0.3, partly=True))


@pytest.mark.parametrize("trait", [None, "hedges"])
@pytest.mark.parametrize("errors", [False, True])
def test_a_bar_leads_to_as_many_results_as_it_counts(trait: str | None, errors: bool) -> None:
    request = ChartRequest(trait=trait, errors_as_failures=errors)
    finding = KINDS["distribution"].find(*BROKEN.filter(request))
    counts = [count for arm in finding.marks.arms for count in arm.counts]
    for count, link, exact in zip(counts, finding.links, finding.marks.exact, strict=True):
        assert exact and count == _led(BROKEN, link) > 0


def test_a_bar_whose_errors_cannot_be_told_from_what_was_never_asked_says_that_it_opens_all() -> None:
    request = ChartRequest(trait="hedges", errors_as_failures=True)
    table = SPARSE.table
    asked = {question: frozenset({"hedges"} if int(question[1:]) % 3 == 0 else ()) for question in table.texts}
    sparse = RunData(replace(table, requested=asked), SPARSE.scales)
    finding = KINDS["distribution"].find(*sparse.filter(request))
    assert finding.marks.exact == (True, False) * 2  # hedging is the worse end


@pytest.mark.parametrize("name", ["variance", "judges"])
@pytest.mark.parametrize("trait", [None, "depth"])
def test_each_row_of_the_table_leads_to_the_results_behind_it(name: str, trait: str | None) -> None:
    run = material(Plan(questions=6, judges=("judge", "other"), judgments=2, failed=0.2))
    finding = KINDS[name].find(*run.filter(ChartRequest(trait=trait)))
    assert len(finding.table.links) == len(finding.table.rows) > 2
    for row, link in zip(finding.table.rows, finding.table.links, strict=True):
        metric = run.metric(None if row[0] == "Pass rate" else str(row[0]) if name == "variance" else trait)
        assert link.get("trait") == metric.trait
        alone = str(row[0]).removesuffix(", repeated judgments")
        assert link.get("judge") == (alone if alone != row[0] else None)
        of_judge = ChartRequest(trait=metric.trait, judge=link.get("judge"))
        assert _led(run, link) == run.filter(of_judge)[0].scored


def test_a_group_of_judgments_leads_where_its_row_does() -> None:
    finding, (alphas, same, confusion) = of("judges", "depth")
    assert finding.links == finding.table.links
    assert alphas["customdata"] == same["customdata"] == list(range(len(finding.table.rows)))
    assert {*_flat(confusion["customdata"])} == {0}


@pytest.mark.parametrize("trait", ["depth", "hedges"])
def test_a_mean_leads_to_the_results_that_have_its_score(trait: str) -> None:
    finding = KINDS["arms"].find(*BROKEN.filter(ChartRequest(trait=trait)))
    scored = finding.table.columns.index("Scored")
    rows = list(zip(finding.table.rows, finding.table.links, strict=True))
    assert [row[scored] for row, _ in rows] == [_led(BROKEN, link) for _, link in rows]
    assert finding.lacking and all(link["trait"] == trait for _, link in rows)
    worst = KINDS["arms"].find(*BROKEN.filter(ChartRequest(trait=trait, errors_as_failures=True)))
    assert all("trait" not in link for link in worst.table.links)


def _led(run: RunData, link: Mapping[str, str]) -> int:
    """Return the results that the table shows behind a link."""
    values = columns(run.table)
    rows = [{name: values[name][at] for name in COLUMNS} for at in range(len(run.table))]
    return sum(row["result_id"] is not None and _fits(row, link) for row in rows)


def _fits(row: Mapping[str, Any], link: Mapping[str, str]) -> bool:
    wanted = ResultQuery.from_query(link).filter
    score = None if wanted.trait is None else row["traits"].get(wanted.trait)
    return (
        wanted.answering in (None, row["answering"])
        and wanted.condition in (None, row["condition"])
        and wanted.judge in (None, row["judge"])
        and (not wanted.outcomes or row["outcome"] in wanted.outcomes)
        and (wanted.trait is None or score is not None or wanted.trait_or_none)
        and (wanted.trait_is is None or score is None or score is wanted.trait_is)
    )


def test_figures_of_yes_and_no_have_neither_mean_nor_median() -> None:
    assert all(arm.mean is None and arm.median is None for arm in of("distribution")[0].marks.arms)
    assert all(arm.median is not None for arm in of("distribution", "depth")[0].marks.arms)


def _flat(values: list[Any]) -> list[Any]:
    return [one for value in values for one in (value if isinstance(value, list) else [value])]
