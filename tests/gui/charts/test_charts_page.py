"""Tests of the charts page without a browser: texts, effect of choices, and the CSV file."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import plotly.graph_objects as go
import pytest
from nicegui import ui
from nicegui.testing import User, UserInteraction
from starlette.requests import Request

from karenina_gui.analysis.charts.chart import Finding
from karenina_gui.analysis.run_data import ChartResult
from karenina_gui.app import Application
from karenina_gui.gui.charts import api
from karenina_gui.gui.charts.chart_view import ChartView
from karenina_gui.gui.charts.charts import CHARTS, ChartKind
from karenina_gui.gui.charts.filters import ChartFilters
from karenina_gui.gui.charts.head import picture
from karenina_gui.gui.charts.query import ChartQuery
from karenina_gui.gui.charts.source import ChartSource
from karenina_gui.gui.charts.table_file import format_cell
from karenina_gui.gui.charts.theme import DARK, LIGHT
from karenina_gui.gui.pages.runs import charts_view as charts
from karenina_gui.gui.session.page import PageRoute
from karenina_gui.gui.session.toasts import Toasts
from karenina_gui.gui.session.window import Window
from karenina_gui.runs.service import RunOrder
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.verification_config import VerificationConfig
from tests.example.plain_run import plain_run
from tests.gui.conftest import Start
from tests.saved_models import start_run
from tests.until import until

RUN = 1
SAYS_300 = """
class Answer(BaseAnswer):
    def ground_truth(self):
        self.regex = {"dose": {"pattern": "[0-9]+ mg", "expected": "300 mg", "match_type": "contains"}}
"""
ARMS, COMPARISON, HEATMAP = (
    next(chart for chart in CHARTS if chart.name == name) for name in ("arms", "comparison", "heatmap")
)


@pytest.fixture(scope="module")
def application(started: Start) -> Iterator[Application]:
    """The example application with one finished run."""
    with started() as application:
        run = start_run(application, RunOrder(1, plain_run(), name="First light"))
        application.worker.warm_up()
        assert application.runs.wait(run, 120)
        yield application


@pytest.fixture
def show(user: User, application: Application) -> Callable[..., list[Window]]:
    """Return a function that opens the page and returns its windows."""
    services = application.services()
    api.register(services)

    def show(**query: str) -> list[Window]:
        opened: list[Window] = []

        @ui.page("/")
        def page() -> None:
            opened.append(Window(services))
            opened[0].toasts = Toasts()
            charts.draw(opened[0], PageRoute({"r": RUN}, query))

        return opened

    return show


def found(application: Application, kind: ChartKind) -> Finding:
    answer = ChartSource(application.services(), RUN).ask(ChartQuery(kind))
    assert isinstance(answer, ChartResult), answer
    return answer.finding


async def test_the_question_stands_above_its_sentence_and_figure(user: User, show: Callable[..., list[Window]]) -> None:
    show()
    await user.open("/")
    await user.should_see(ARMS.title)
    await user.should_see("Highest pass rate on 12 questions: sample-careful, 97%")
    await user.should_see("71 of 72 jobs scored · 1 parse error")
    (view,) = user.find(ChartView).elements
    assert view.props["figure"]["data"]
    assert "sample-careful" in view.props["label"]


async def test_a_filter_counts_only_what_it_leaves(user: User, show: Callable[..., list[Window]]) -> None:
    show(model="sample-hasty", errors="fail")
    await user.open("/")
    await user.should_see("sample-hasty has a pass rate of")
    await user.should_see("35 of 36 jobs scored · 1 counted as a failure")
    user.find("Clear filters").click()
    await user.should_see("71 of 72 jobs scored · 1 counted as a failure")


async def test_filters_of_the_results_that_charts_ignore_are_named(
    user: User, show: Callable[..., list[Window]]
) -> None:
    show(model="sample-hasty", outcome="passed", text="renal", sort="time")
    await user.open("/")
    await user.should_see("Charts ignore the results’ filter by search and outcome.")


async def test_a_list_that_is_open_stays_and_keeps_what_is_ticked_when_an_answer_comes(
    user: User, show: Callable[..., list[Window]]
) -> None:
    await asked_for(HEATMAP, user, show)
    models = selected(user, "Models")
    UserInteraction(user, {models}, None).trigger("popupShow")
    models.value = ["sample-hasty"]
    (view,) = user.find(ChartView).elements
    await until(lambda: HEATMAP.title in view.props["label"])
    assert selected(user, "Models") is models
    assert models.value == ["sample-hasty"]
    UserInteraction(user, {models}, None).trigger("popupHide")
    await user.should_see("35 of 36 jobs scored")
    assert models.props["display-value"] == "sample-hasty"


async def test_a_filter_is_of_the_chart_that_was_chosen_last_though_its_answer_is_still_to_come(
    user: User, show: Callable[..., list[Window]]
) -> None:
    await asked_for(COMPARISON, user, show)
    (switch,) = user.find(kind=ui.switch, content="Count errors as failures").elements
    switch.value = True
    await user.should_see("71 of 72 jobs scored · 1 counted as a failure")
    (view,) = user.find(ChartView).elements
    assert COMPARISON.title in view.props["label"]


async def test_a_filter_leaves_the_table_a_table(user: User, show: Callable[..., list[Window]]) -> None:
    show()
    await user.open("/")
    await user.should_see("71 of 72 jobs scored")
    (turn,) = user.find(ui.toggle).elements
    turn.value = True
    (switch,) = user.find(kind=ui.switch, content="Count errors as failures").elements
    switch.value = True
    await user.should_see("71 of 72 jobs scored · 1 counted as a failure")
    assert turn.value is True


async def asked_for(chart: ChartKind, user: User, show: Callable[..., list[Window]]) -> None:
    """Return a page that has shown its first chart and whose URL has just changed to another."""
    opened = show()
    await user.open("/")
    await user.should_see("71 of 72 jobs scored")
    opened[0].address_changed.emit(f"/runs/{RUN}/charts?chart={chart.name}")


def selected(user: User, title: str) -> ui.select:
    (select,) = [each for each in user.find(ui.select).elements if each.props["aria-label"] == title]
    return select


async def test_only_controls_that_change_something_are_there(user: User, show: Callable[..., list[Window]]) -> None:
    show(chart=ARMS.name)
    await user.open("/")
    await user.should_see("71 of 72 jobs scored")
    labels = {select.props["aria-label"] for select in user.find(ui.select).elements}
    assert labels == {"Metric", "Models", "Keyword"}
    await user.should_see("Count errors as failures")
    await user.should_see("Cluster by keyword")


async def test_what_everything_is_compared_with_is_chosen_on_the_page(
    user: User, show: Callable[..., list[Window]]
) -> None:
    show(chart="comparison")
    await user.open("/")
    await user.should_see("71 of 72 jobs scored")
    await user.should_not_see("Cluster by keyword")
    select = selected(user, "Compare with")
    assert select.options == {None: "vs. sample-careful", "sample-hasty": "vs. sample-hasty"}
    (view,) = user.find(ChartView).elements

    def axis() -> str:
        return str(view.props["figure"]["layout"]["xaxis"]["title"]["text"])

    assert "(vs. sample-careful)" in axis()
    select.value = "sample-hasty"
    await until(lambda: "(vs. sample-hasty)" in axis())


@pytest.mark.parametrize("against", ["each-other", "nobody"])
async def test_what_cannot_be_compared_is_not_shown_as_chosen(
    user: User, show: Callable[..., list[Window]], against: str
) -> None:
    show(chart="comparison", against=against)
    await user.open("/")
    await user.should_see("71 of 72 jobs scored")
    select = selected(user, "Compare with")
    assert (select.value, select.options[None]) == (None, "vs. sample-careful")
    assert against not in select.options
    (view,) = user.find(ChartView).elements
    assert "(vs. sample-careful)" in str(view.props["figure"]["layout"]["xaxis"]["title"]["text"])


async def test_how_sure_a_mean_shall_be_is_asked_beside_the_filters_of_its_chart_alone(
    user: User, show: Callable[..., list[Window]]
) -> None:
    show(chart="convergence", within="5")
    await user.open("/")
    await user.should_see("For a margin of 5 percentage points, you need about")
    (field,) = user.find(ui.input).elements
    assert (field.value, field.props["suffix"]) == ("5", "points")
    user.find(ui.input).clear().type("2.5")
    await user.should_see("For a margin of 5 percentage points, you need about")  # not with each digit
    user.find(ui.input).trigger("keydown.enter")
    await user.should_see("For a margin of 2.5 percentage points, you need about")
    (view,) = user.find(ChartView).elements
    assert view.props["figure"]["layout"]["shapes"][0]["y0"] == 2.5
    assert user.find(ui.input).elements == {field}  # it keeps the focus
    for refused, why in (("-1", "Enter a margin from 0.0001"), ("5,500", "Use a decimal point and no commas")):
        user.find(ui.input).clear().type(refused).trigger("blur")
        await user.should_see(why)
        assert (field.value, "error" in field.props) == (refused, True)
    await user.should_see("For a margin of 2.5 percentage points, you need about")
    user.find(ui.input).clear().trigger("blur")
    await user.should_not_see("percentage points, you need about")
    assert (field.value, "error" in field.props) == ("", False)
    user.find(ui.input).type("5").trigger("blur")
    await user.should_see("For a margin of 5 percentage points, you need about")
    selected(user, "Metric").value = "clarity"
    await user.should_not_see("percentage points, you need about")
    assert {(each.value, each.props["suffix"]) for each in user.find(ui.input).elements} == {("", "")}


async def test_other_charts_do_not_ask_how_sure_a_mean_shall_be(user: User, show: Callable[..., list[Window]]) -> None:
    show(chart="arms", within="5")
    await user.open("/")
    await user.should_see("71 of 72 jobs scored")
    await user.should_not_see(ui.input)


async def test_the_file_follows_the_choices_of_a_chart(user: User, show: Callable[..., list[Window]]) -> None:
    show()
    await user.open("/")
    turned = await user.http_client.get(f"/api/runs/{RUN}/charts.csv?chart=comparison&against=sample-hasty")
    (row,) = csv.DictReader(io.StringIO(turned.text))
    assert (row["Model"], row["Compared with"], row["Filter"]) == ("sample-careful", "sample-hasty", "")
    clustered = await user.http_client.get(f"/api/runs/{RUN}/charts.csv?chart=arms&clusters=keyword")
    rows = [*csv.DictReader(io.StringIO(clustered.text))]
    assert all(row["Method"].endswith("by cluster") for row in rows)
    assert int(rows[0]["Clusters"]) < int(rows[0]["Questions"])


async def test_the_table_has_the_same_figures_and_leads_to_the_results(
    user: User, show: Callable[..., list[Window]]
) -> None:
    show(view="table")
    await user.open("/")
    await user.should_see("/runs/1/results?model=sample-hasty")
    await user.should_see("<caption>")


async def test_a_click_on_a_mark_leads_to_the_results_behind_it(user: User, show: Callable[..., list[Window]]) -> None:
    @ui.page("/runs/{run}/results")
    def results(run: int, request: Request) -> None:
        ui.label(f"Results of {run}: {request.url.query}")

    show(keyword="dosing")
    await user.open("/")
    await user.should_see("jobs scored")
    user.find(ChartView).trigger("chosen", 1)
    await user.should_see("Results of 1: keyword=dosing&model=sample-hasty&chart=")


async def test_the_figure_comes_again_in_the_colours_of_a_dark_window(
    user: User, show: Callable[..., list[Window]]
) -> None:
    show()
    await user.open("/")
    await user.should_see("71 of 72 jobs scored")
    (view,) = user.find(ChartView).elements
    assert view.props["figure"]["layout"]["paper_bgcolor"] == LIGHT.background
    user.find(ChartView).trigger("themed", True)
    assert view.props["figure"]["layout"]["paper_bgcolor"] == DARK.background


async def test_a_chart_follows_a_run_that_is_going(user: User, application: Application) -> None:
    services, editor = application.services(), application.editor
    benchmark = editor.create_benchmark("Two")
    questions = [editor.add_question(benchmark, f"Which dose, {n}?", "300 mg") for n in range(2)]
    for question in questions:
        editor.edit(benchmark, question.summary.number, {"answer_template": SAYS_300, "finished": True})
    traces = {question.entry.id: "300 mg" for question in questions}
    recorded = ModelConfig(id="recorded", interface="manual", manual_traces=traces)
    order = RunOrder(benchmark, VerificationConfig(answering_models=[recorded]))

    @ui.page("/")
    def page() -> None:
        services.connect()
        charts.draw(Window(services), PageRoute({"r": start_run(application, order)}, {}))

    await user.open("/")
    await user.should_see("2 of 2 jobs scored")
    await user.should_see("recorded passes 100% of 2 questions")


async def test_what_cannot_be_computed_is_said_with_a_way_to_try_again(
    user: User, show: Callable[..., list[Window]], monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = replace(ARMS, find=len)  # type: ignore[arg-type]
    monkeypatch.setattr(ChartQuery, "from_query", classmethod(lambda cls, query: ChartQuery(broken)))
    show()
    await user.open("/")
    await user.should_see("Couldn’t compute this chart: TypeError")
    await user.should_see("Try again")


async def test_the_file_has_the_figures_with_metric_filter_and_coverage(
    user: User, show: Callable[..., list[Window]]
) -> None:
    show()
    answer = await user.http_client.get("/api/runs/1/charts.csv?chart=arms&model=sample-hasty,sample-careful")
    assert answer.status_code == 200
    assert (
        'filename="First-light-Scores-by-configuration-Pass-rate-filtered-n71.csv"'
        in answer.headers["content-disposition"]
    )
    careful, hasty = csv.DictReader(io.StringIO(answer.text))
    assert (careful["Model"], hasty["Model"]) == ("sample-careful", "sample-hasty")
    assert float(careful["Mean"]) == pytest.approx(0.9722, abs=1e-4)
    assert (careful["Metric"], careful["Filter"]) == ("Pass rate", "model sample-hasty, sample-careful")
    assert careful["Coverage"] == "71 of 72 jobs scored · 1 parse error"
    assert (await user.http_client.get("/api/runs/99/charts.csv")).status_code == 404


async def test_the_file_of_several_metrics_says_which_one_is_selected(
    user: User, show: Callable[..., list[Window]]
) -> None:
    show()
    answer = await user.http_client.get("/api/runs/1/charts.csv?chart=variance")
    titles = next(csv.reader(io.StringIO(answer.text)))
    assert len(titles) == len(set(titles))
    assert titles[-5:] == ["Run", "Chart", "Selected metric", "Filter", "Coverage of the selected metric"]


@pytest.mark.parametrize("kind", CHARTS, ids=lambda kind: kind.name)
def test_every_figure_is_one_of_plotly_in_light_dark_and_print(application: Application, kind: ChartKind) -> None:
    finding = found(application, kind)
    if finding.marks is None:
        pytest.skip(finding.empty_reason)
    drawn = [kind.figure(finding, LIGHT), kind.figure(finding, DARK), picture(kind, finding, "First light")]
    for figure in drawn:
        go.Figure(figure)  # it refuses what plotly does not know
    places = {place for trace in drawn[0]["data"] for place in flat(trace.get("customdata", ())) if place is not None}
    assert places <= set(range(len(finding.links)))


def flat(values: Any) -> Iterator[Any]:
    for value in values:
        if isinstance(value, list | tuple):
            yield from flat(value)
        else:
            yield value


async def test_the_filters_keep_their_place_until_the_first_answer(user: User) -> None:
    places: list[ui.element] = []

    @ui.page("/")
    def page() -> None:
        with ui.element("div") as place:
            ChartFilters(lambda **_: None, lambda: None, lambda *_: None)
        places.append(place)

    await user.open("/")
    (bar,) = places[0].default_slot.children
    assert bar.visible and not any(each.visible for each in bar.default_slot.children)


@pytest.mark.parametrize(
    ("cell", "said"), [(None, "–"), (0.5, "0.5"), (-0.0001, "0"), (1234.5678, "1,234.568"), (1200, "1,200"), ("x", "x")]
)
def test_a_figure_has_three_decimals_at_most(cell: Any, said: str) -> None:
    assert format_cell(cell) == said


@pytest.mark.parametrize(
    ("cell", "form", "said"),
    [
        (-47.2222, "points", "−47.2"),
        (-0.04, "points", "0"),
        (-0.4722, None, "−0.472"),
        (-2, None, "−2"),
        (1.0, "p", "1.00"),
        (0.27, "p", "0.27"),
        (0.00390625, "p", "0.0039"),
        (0.00001, "p", "< 0.001"),
        (None, "p", "–"),
        (0.9444, "percent", "94.4%"),
        (0, "percent", "0.0%"),
        (0.2036, "spread", "20.4"),
        ("identical", "p", "identical"),
    ],
)
def test_the_table_writes_rates_points_and_p_as_the_figure_does(cell: Any, form: Any, said: str) -> None:
    assert format_cell(cell, form) == said
