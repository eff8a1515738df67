"""Where a click on a mark leads: to what it stands for, or its words say what opens."""

from __future__ import annotations

from typing import Any

from karenina_gui.analysis.charts.chart import Finding
from karenina_gui.analysis.charts.request import ChartRequest
from karenina_gui.gui.charts.charts import CHARTS
from karenina_gui.gui.charts.theme import LIGHT
from tests.analysis.charts.situations import Plan, material

KINDS = {kind.name: kind for kind in CHARTS}
RUN = material(Plan(questions=6, judges=("judge", "other")))
A = {"model": "model 0", "condition": "way 0"}


def of(name: str, trait: str | None = None) -> tuple[Finding, list[dict[str, Any]]]:
    finding = KINDS[name].find(*RUN.narrowed(ChartRequest(trait=trait)))
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
    assert not any("A click opens all" in words for words in traces[0]["hovertext"])


def test_a_mark_that_stands_for_fewer_than_it_opens_says_so() -> None:
    for name in ("distribution", "variance", "judges", "convergence"):
        finding, traces = of(name, "depth")
        trace = next(one for one in reversed(traces) if one.get("customdata"))
        told = str(trace.get("hovertext") or trace["text"])
        link = finding.links[_flat(trace["customdata"])[0]]
        assert "A click opens all results" in told
        assert link.get("trait") == (None if name == "convergence" else "depth")
        assert ("with “depth”" in told) == ("trait" in link)


def test_figures_of_yes_and_no_have_neither_mean_nor_median() -> None:
    assert all(arm.mean is None and arm.median is None for arm in of("distribution")[0].marks.arms)
    assert all(arm.median is not None for arm in of("distribution", "depth")[0].marks.arms)


def _flat(values: list[Any]) -> list[Any]:
    return [one for value in values for one in (value if isinstance(value, list) else [value])]
