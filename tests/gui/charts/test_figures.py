"""Tests of figures: information that is visible without hovering."""

from __future__ import annotations

from math import radians, sin
from typing import Any

import pytest

from karenina_gui.analysis.charts.chart_request import ChartRequest
from karenina_gui.analysis.charts.variance import PARTS
from karenina_gui.analysis.run_data import RunData, compute_chart
from karenina_gui.gui.charts.charts import CHARTS
from karenina_gui.gui.charts.head import picture
from karenina_gui.gui.charts.heatmap import ROOM
from karenina_gui.gui.charts.plot_elements import SIGN, label
from karenina_gui.gui.charts.theme import DARK, LIGHT, Theme, ink_on
from tests.simulated_run import SCALES, Simulation

KINDS = {chart.name: chart for chart in CHARTS}
RUN = RunData(Simulation(questions=12, conditions=6, failures=0.5).table(), SCALES)


def drawn(name: str) -> tuple[str, dict[str, Any]]:
    """Return the sentence of a chart and its figure."""
    finding = compute_chart(RUN, KINDS[name].find, ChartRequest()).finding
    return finding.sentence, KINDS[name].figure(finding, LIGHT)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_hints_are_as_legible_as_the_rest_of_the_figure(theme: Theme) -> None:
    hint = theme.layout()["hoverlabel"]
    assert (hint["bgcolor"], hint["font"]["color"]) == (theme.background, theme.text)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_symbols_and_percentages_are_legible_on_their_colors(theme: Theme) -> None:
    every = {*theme.colours[: len(PARTS)], *(look.colour for look in theme.outcomes.values())}
    assert min(contrast(ink_on(colour), colour) for colour in every) > 4.5


def test_outcomes_are_written_in_the_ink_of_their_cells() -> None:
    few = RunData(Simulation(questions=12, models=1, conditions=2).table(), SCALES)
    finding = compute_chart(few, KINDS["heatmap"].find, ChartRequest()).finding
    texts = KINDS["heatmap"].figure(finding, DARK)["data"][0]["text"]
    assert '<b style="color:#000000">✓</b>' in {text for row in texts for text in row}


def test_percentages_of_variance_stand_on_the_plain_color_of_their_part() -> None:
    layout = drawn("variance")[1]["layout"]
    assert layout["annotations"]
    assert all(each["bgcolor"] in LIGHT.colours and "%" in each["text"] for each in layout["annotations"])


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of WCAG 2.2."""
    darker, lighter = sorted(map(luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_each_mean_stands_beside_the_number_of_its_questions() -> None:
    names = drawn("arms")[1]["layout"]["yaxis"]["ticktext"]
    assert len(names) == 12
    assert all("n = " in name and name.endswith(("questions", "question")) for name in names)


def test_the_means_say_what_their_bars_and_dots_are() -> None:
    title = str(drawn("arms")[1]["layout"]["xaxis"]["title"])
    assert "Large mark: mean over questions · bar: 95% CI · small dots: replicate means" in title
    once = RunData(Simulation(questions=12, replicates=1).table(), SCALES)
    figure = KINDS["arms"].figure(compute_chart(once, KINDS["arms"].find, ChartRequest()).finding, LIGHT)
    assert "small dots" not in str(figure["layout"]["xaxis"]["title"])


def test_a_single_comparison_says_on_either_side_which_of_the_two_is_better() -> None:
    two = RunData(Simulation(questions=12, models=1, conditions=2).table(), SCALES)
    figure = KINDS["comparison"].figure(compute_chart(two, KINDS["comparison"].find, ChartRequest()).finding, LIGHT)
    sides = [each["text"] for each in figure["layout"]["annotations"]]
    assert sides == ["← alder · baseline better", "alder · with tools better →"]


def test_a_name_is_not_broken_at_its_hyphens() -> None:
    assert label("one sentence against baseline (sample-careful)", 40) == (
        "one sentence against baseline<br>(sample-careful)"
    )
    assert label("sample-hasty vs. sample-careful (one sentence)") == (
        "sample-hasty vs. sample-careful<br>(one\N{NO-BREAK SPACE}sentence)"
    )
    assert label("claude-sonnet-4-5-20250929 · with tools", 20) == "claude-sonnet-4-5-20<br>250929 · with tools"


def test_names_of_many_columns_lean_into_the_figure_so_that_the_last_is_not_cut() -> None:
    assert drawn("heatmap")[1]["layout"]["xaxis"]["tickangle"] > 0


def test_names_above_columns_do_not_run_into_each_other_and_are_whole() -> None:
    six = RunData(Simulation(questions=12, models=1, conditions=6).table(), SCALES)
    layout = KINDS["heatmap"].figure(compute_chart(six, KINDS["heatmap"].find, ChartRequest()).finding, LIGHT)["layout"]
    names, margin = layout["xaxis"]["ticktext"], layout["margin"]
    room = (ROOM - margin["l"] - margin["r"]) / len(names)
    assert layout["xaxis"]["tickangle"] == 0
    assert all(len(line) * SIGN <= room for name in names for line in name.split("<br>"))
    assert not any(line.startswith("·") for name in names for line in name.split("<br>"))
    assert [name.replace("<br>", " ").replace("\N{NO-BREAK SPACE}", " ") for name in names][:3] == [
        "alder · baseline",
        "alder · with tools",
        "alder · with sources",
    ]


def test_names_of_questions_are_longer_where_there_is_room() -> None:
    layout = drawn("heatmap")[1]["layout"]
    assert all(name.endswith("…") for name in layout["yaxis"]["ticktext"])
    assert layout["meta"]["from"] > ROOM
    assert all(name.endswith("?") for name in layout["meta"]["yaxis"]["ticktext"])


def test_a_picture_has_room_for_names_that_lean() -> None:
    finding = compute_chart(RUN, KINDS["heatmap"].find, ChartRequest()).finding
    figure, page = KINDS["heatmap"].figure(finding, LIGHT), picture(KINDS["heatmap"], finding, "A run")
    words = page["layout"]["title"]["text"].count("<br>") * 22 + 20
    longest = max(map(len, figure["layout"]["xaxis"]["ticktext"]))
    assert page["layout"]["margin"]["t"] - words >= longest * SIGN * sin(radians(35))


def test_a_question_that_is_flaky_somewhere_is_not_called_flaky_everywhere() -> None:
    assert "flaky in at least one configuration" in drawn("heatmap")[0]


def test_what_chance_may_hide_is_not_said_to_be_invisible() -> None:
    assert (
        "below minimum detectable difference (80% power)" in drawn("comparison")[1]["layout"]["xaxis"]["title"]["text"]
    )


def test_the_axis_of_differences_ends_where_there_can_be_none() -> None:
    """One question each, whose intervals would exceed the scale."""
    apart = RunData(Simulation(questions=2, replicates=1).table(), SCALES)
    finding = compute_chart(apart, KINDS["comparison"].find, ChartRequest()).finding
    low, high = KINDS["comparison"].figure(finding, LIGHT)["layout"]["xaxis"]["range"]
    assert (low, high) == (-102, 102)


def test_no_difference_stands_without_a_sign_on_the_axis() -> None:
    assert drawn("comparison")[1]["layout"]["xaxis"]["tickformat"] == "~g"


def test_many_arms_are_listed_beside_the_plot_and_few_above_it() -> None:
    few = RunData(Simulation(questions=12, models=1, conditions=2).table(), SCALES)
    for name in ("pass_curves", "convergence", "cost"):
        assert drawn(name)[1]["layout"]["legend"]["orientation"] == "v"
        finding = compute_chart(few, KINDS[name].find, ChartRequest()).finding
        assert KINDS[name].figure(finding, LIGHT)["layout"]["legend"]["orientation"] == "h"


def test_a_picture_has_its_heading_to_itself() -> None:
    twice = RunData(Simulation(questions=12, judge_replicates=2).table(), SCALES)
    finding = compute_chart(twice, KINDS["judges"].find, ChartRequest()).finding
    layout = picture(KINDS["judges"], finding, "A run")["layout"]
    heading = layout["title"]["text"].count("<br>") * 22 + 20
    assert layout["legend"]["yref"] == "container"
    assert (layout["title"]["y"] - layout["legend"]["y"]) * layout["height"] >= heading


@pytest.mark.parametrize("name", ["replicate_strip", "heatmap", "reliability"])
def test_a_page_gets_the_first_rows_of_a_long_table_and_all_marks(name: str) -> None:
    whole = compute_chart(RUN, KINDS[name].find, ChartRequest()).finding
    first = compute_chart(RUN, KINDS[name].find, ChartRequest(), 3).finding
    assert (first.table.rows, first.table.total) == (whole.table.rows[:3], len(whole.table.rows))
    assert first.marks == whole.marks
    assert first.links[:3] == whole.links[:3]
