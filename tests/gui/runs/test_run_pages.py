"""Pages of runs without a browser: what they draw, and what the browser fetches from them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator

import pytest
from nicegui import ui
from nicegui.testing import User

from karenina_gui.analysis.rates import Summary, summarise
from karenina_gui.analysis.run_counting import count_run
from karenina_gui.app import Application, build
from karenina_gui.gui.kit.grid import Grid
from karenina_gui.gui.kit.verdicts import sentence
from karenina_gui.gui.pages.models import page as models
from karenina_gui.gui.pages.results import page as result_page
from karenina_gui.gui.pages.results.query import ResultQuery
from karenina_gui.gui.pages.results.table import ResultsTable
from karenina_gui.gui.pages.run_setup import form as run_form
from karenina_gui.gui.pages.run_setup.draft import RunDraft
from karenina_gui.gui.pages.runs import api as run_routes, list as runs_list, view as run_view
from karenina_gui.gui.pages.runs.overview import rate_text
from karenina_gui.gui.pages.runs.progress import errors
from karenina_gui.gui.session.page import PageRoute
from karenina_gui.gui.session.window import Window
from karenina_gui.runs.progress import JobError, RunProgressState
from karenina_gui.runs.service import RunOrder
from karenina_gui.schemas.outcome import Outcome
from karenina_gui.schemas.result import Failure
from karenina_gui.schemas.result_summaries import ResultFilter
from karenina_gui.settings import Settings
from tests.agentic_result import agentic_result, opened
from tests.example.plain_run import plain_run
from tests.gui.conftest import Start
from tests.saved_models import start_run
from tests.until import until

RUN = 1


@pytest.fixture(scope="module")
def application(started: Start) -> Iterator[Application]:
    """The example with one finished run."""
    with started() as application:
        run = start_run(application, RunOrder(1, plain_run(), name="First light"))
        assert application.runs.wait(run, 120)
        yield application


async def test_the_list_of_runs_has_each_with_its_rate(
    user: User, show: Callable[..., None], application: Application
) -> None:
    show(runs_list.draw, {})
    await user.open("/")
    (row,) = (await user.http_client.get("/api/runs")).json()
    outcomes = application.library.runs.summary(RUN).outcomes
    assert (row["name"], row["status"], row["done"]) == ("First light", "completed", 72)
    assert (row["passed"], row["judged"], row["errors"]) == (
        outcomes["passed"],
        72 - outcomes["error"],
        outcomes["error"],
    )
    assert row["recording_label"] == "sample recording"


async def test_without_runs_the_list_says_what_a_run_is(user: User, application: Application) -> None:
    @ui.page("/")
    def page() -> None:
        runs_list.draw(Window(application.services()), PageRoute({}, {"benchmark": "99"}))

    await user.open("/")
    await user.should_see("No runs yet")


async def test_rows_are_filtered_sorted_and_cut_on_the_server(
    user: User, show: Callable[..., None], application: Application
) -> None:
    show(run_view.draw, {"r": RUN})
    address = f"/api/runs/{RUN}/results"
    wrong = (await user.http_client.get(f"{address}?outcome=wrong")).json()
    assert wrong["total"] == application.library.runs.summary(RUN).outcomes["wrong"]
    slowest = (await user.http_client.get(f"{address}?sort=-seconds&start=0&end=5")).json()["rows"]
    times = [row["seconds"] for row in slowest]
    assert len(times) == 5
    assert times == sorted(times, reverse=True)
    assert (await user.http_client.get(f"{address}?start=70&end=100000000")).json()["rows"][-1]["position"] == 71


async def test_questions_by_model_come_a_part_at_a_time_in_the_order_that_is_asked_for(
    user: User, show: Callable[..., None]
) -> None:
    show(run_view.draw, {"r": RUN})
    address = f"/api/runs/{RUN}/matrix"
    first, rest = [
        (await user.http_client.get(f"{address}?start={start}&end={end}")).json() for start, end in ((0, 5), (5, 99))
    ]
    assert (len(first["rows"]), len(rest["rows"]), first["total"]) == (5, 7, 12)
    model = first["columns"][1]["answering"]
    order = json.dumps({"key": "share", "answering": model, "judge": first["columns"][1]["judge"], "descending": True})
    best = (await user.http_client.get(address, params={"order": order})).json()["rows"]
    shares = [cell["passed"] / cell["judged"] if cell["judged"] else -1 for cell in (row["cells"][1] for row in best)]
    assert shares == sorted(shares, reverse=True)
    assert (await user.http_client.get(f"{address}?order=nonsense&end=5")).json() == first


async def test_a_trait_narrows_the_results_to_those_on_which_it_is_true(
    user: User, show: Callable[..., None], application: Application
) -> None:
    show(run_view.draw, {"r": RUN})
    rates = summarise(count_run(application.library.results.table(RUN))).by_trait
    assert rates
    for trait, rate in rates.items():
        asked = {"trait": trait, "is": "yes"}
        found = (await user.http_client.get(f"/api/runs/{RUN}/results", params=asked)).json()
        assert found["total"] == rate.passed
        assert all(row["traits"][trait] is True for row in found["rows"])


async def test_a_trait_narrows_to_one_answer_and_what_has_none_where_an_address_asks_for_that(
    user: User, show: Callable[..., None], application: Application
) -> None:
    trait, rate = next(iter(summarise(count_run(application.library.results.table(RUN))).by_trait.items()))
    asked = {"trait": trait, "is": "no-or-none"}
    show(run_view.draw, {"r": RUN}, **asked)
    await user.open("/")

    def traits() -> ui.select:
        (select,) = [each for each in user.find(ui.select).elements if each.props["aria-label"] == "Trait"]
        return select

    await until(lambda: (trait, True, False) in traits().options)
    select = traits()
    assert select.options[select.value] == f"{trait}: no or no score"
    found = (await user.http_client.get(f"/api/runs/{RUN}/results", params=asked)).json()
    assert found["total"] == found["all"] - rate.passed
    assert any(trait not in row["traits"] for row in found["rows"])
    await user.should_see(f"Trait: {trait}: no or no score", kind=ui.button)
    select.value = (trait, True, False)
    assert select.options[select.value] == f"{trait}: yes"
    await user.should_see(f"Trait: {trait}: yes", kind=ui.button)
    user.find(f"Trait: {trait}: yes").click()
    assert select.value == (None, None, False)
    await user.should_not_see(f"Trait: {trait}", kind=ui.button)


async def test_results_are_grouped_by_the_field_that_failed(
    user: User, show: Callable[..., None], application: Application
) -> None:
    show(run_view.draw, {"r": RUN}, group="field", field="irreversible", outcome="wrong")
    await user.open("/")
    await user.should_see('aria-current="true"')
    groups = application.library.results.groups(RUN, ResultFilter(failed_field="irreversible"), "failed_field")
    sizes = {group.value: group.results for group in groups}
    assert len(sizes) > 3 and sorted(sizes.values(), reverse=True) == list(sizes.values())
    for name, size in sizes.items():
        found = (await user.http_client.get(f"/api/runs/{RUN}/results?field={name}")).json()
        assert found["total"] == size
        assert all(name in row["why"] for row in found["rows"] if row["outcome"] == "wrong")


async def test_results_are_grouped_by_question_in_the_order_of_the_run(
    user: User, show: Callable[..., None], application: Application
) -> None:
    groups = application.library.results.groups(RUN, ResultFilter(answering="sample-hasty"), "question_id")
    rows = application.library.results.page(RUN, ResultFilter(answering="sample-hasty")).rows
    assert [group.title for group in groups] == list(dict.fromkeys(row.question_text for row in rows))
    assert sum(group.results for group in groups) == len(rows)
    assert sum(group.passed for group in groups) == sum(row.outcome == "passed" for row in rows)
    show(run_view.draw, {"r": RUN}, group="question", outcome="wrong")
    await user.open("/")
    await user.should_see(f"?question={groups[0].value}&amp;outcome=wrong&amp;group=question")


async def test_every_row_that_did_not_pass_says_why(user: User, show: Callable[..., None]) -> None:
    show(run_view.draw, {"r": RUN})
    found = (await user.http_client.get(f"/api/runs/{RUN}/results?outcome=wrong,error,abstained")).json()
    assert found["total"] < found["all"] == 72
    assert all(row["why"] for row in found["rows"])
    assert any(row["why"] == "irreversible = no, expected yes." for row in found["rows"])


async def test_the_reason_of_a_row_names_signs_that_nobody_would_see(
    user: User, tmp_path_factory: pytest.TempPathFactory
) -> None:
    turned = agentic_result()
    assert turned.template
    turned.template.parsed_llm_response = {"word": "red\u202edne\u200b"}
    turned.template.parsed_gt_response, turned.template.field_results = {"word": "blue"}, {"word": False}
    application = build(Settings(data=tmp_path_factory.mktemp("data")))
    try:
        run = opened(application, tmp_path_factory.mktemp("file"), [turned])
        run_routes.register(application.services())
        (row,) = (await user.http_client.get(f"/api/runs/{run}/results")).json()["rows"]
        assert row["why"] == "word = “redU+202EdneU+200B”, expected “blue”."
    finally:
        application.close()


async def test_a_run_in_which_most_jobs_had_no_text_to_judge_says_so_at_its_head(
    user: User, show: Callable[..., None], application: Application, tmp_path_factory: pytest.TempPathFactory
) -> None:
    failed = agentic_result(trace_extraction_error="Last message in trace is not an AI message")
    failed.metadata.failure = Failure(category="content", group="content", stage="ParseTemplate", reason="No answer")
    others = [failed.model_copy(deep=True) for _ in range(2)]
    for number, each in enumerate(others):
        each.metadata.question_id = str(number)
    passed = agentic_result()
    assert passed.template
    passed.template.verify_result, passed.metadata.question_id = True, "passed"
    run = opened(application, tmp_path_factory.mktemp("file"), [failed, passed, *others])
    show(run_view.draw, {"r": run})
    await user.open("/")
    await user.should_see("3 of 4 results failed without a text to judge. The trace does not end")
    assert application.library.results.unread(run) == {"Last message in trace is not an AI message": 3}
    assert application.library.results.unread(RUN) == {}


async def test_a_csv_export_holds_exactly_what_the_filter_shows(
    user: User, show: Callable[..., None], application: Application
) -> None:
    show(run_view.draw, {"r": RUN})
    reply = await user.http_client.get(f"/api/runs/{RUN}/export.csv?outcome=wrong&model=sample-hasty")
    assert "First-light-filtered.csv" in reply.headers["content-disposition"]
    wanted = ResultFilter(outcomes=("wrong",), answering="sample-hasty")
    expected = [result.metadata.question_id for result in application.library.results.each(RUN, wanted)]
    assert [row["question_id"] for row in csv.DictReader(io.StringIO(reply.text))] == expected


@pytest.mark.parametrize(
    "path", ["/api/runs/99/export.json", f"/api/runs/{RUN}/export.exe", "/api/results/9999/conversation"]
)
async def test_what_is_not_there_is_not_found(user: User, show: Callable[..., None], path: str) -> None:
    show(runs_list.draw, {})
    assert (await user.http_client.get(path)).status_code == 404


async def test_a_result_page_shows_verdict_stages_and_fields(
    user: User, show: Callable[..., None], application: Application
) -> None:
    wrong = application.library.results.page(RUN, ResultFilter(outcomes=("wrong",)))
    show(result_page.draw, {"r": RUN, "id": wrong.rows[0].id}, outcome="wrong")
    await user.open("/")
    await user.should_see(sentence(application.library.results.get(wrong.rows[0].id).result))
    await user.should_see(f"1 of {wrong.total} in this filter")
    await user.should_see("EmbeddingCheck")


@pytest.mark.parametrize(
    ("outcome", "address"),
    [("wrong", "questions/1?tab=template&amp;at=field%3Airreversible"), ("passed", "questions/1")],
)
async def test_the_question_of_a_failed_result_opens_at_the_field_that_failed(
    user: User, show: Callable[..., None], application: Application, outcome: Outcome, address: str
) -> None:
    (row, *_) = application.library.results.page(RUN, ResultFilter(outcomes=(outcome,))).rows
    show(result_page.draw, {"r": RUN, "id": row.id})
    await user.open("/")
    await user.should_see(f'href="/benchmarks/1/{address}"')


async def test_a_run_page_shows_its_rates(user: User, show: Callable[..., None], application: Application) -> None:
    show(run_view.draw, {"r": RUN})
    await user.open("/")
    for rate in summarise(count_run(application.library.results.table(RUN))).by_model.values():
        await user.should_see(rate_text(rate))
    await user.should_see("First light")


async def test_the_example_is_offered_with_its_sample_models_chosen(user: User, show: Callable[..., None]) -> None:
    show(run_form.draw, {"b": 1})
    await user.open("/")
    await user.should_see("12 of 13 questions will run.")
    await user.should_see("All replies come from recordings")
    ticked = {box.text for box in user.find(ui.checkbox).elements if box.value}
    assert {"sample-careful", "sample-hasty", "sample-judge", "sample-strict-judge"} <= ticked


async def test_whoever_picks_questions_reads_which_of_them_a_run_leaves_out(
    user: User, show: Callable[..., None]
) -> None:
    show(run_form.draw, {"b": 1})
    await user.open("/")
    left_out = "Unfinished questions are skipped."
    await user.should_not_see(left_out)
    (scope,) = (each for each in user.find(ui.radio).elements if each.props["aria-label"] == "Question selection")
    scope.value = "picked"
    await user.should_see(left_out)


async def test_the_example_of_agents_has_models_of_its_own(user: User, show: Callable[..., None]) -> None:
    show(run_form.draw, {"b": 2})
    await user.open("/")
    await user.should_see("1 question will run.")
    await user.should_see("12 investigations by judging agents")
    ticked = {box.text for box in user.find(ui.checkbox).elements if box.value}
    assert ticked >= {"sample-agent", "sample-agent-hasty", "sample-investigator"}
    assert ticked.isdisjoint({"sample-careful", "sample-judge"})


async def test_choices_of_a_former_run_come_back(user: User, show: Callable[..., None]) -> None:
    show(run_form.draw, {"b": 1}, again=str(RUN))
    await user.open("/")
    assert 3 in {number.value for number in user.find(ui.number).elements}
    assert {"finished", "template_and_rubric"} <= {mode.value for mode in user.find(ui.radio).elements}


async def test_a_recording_that_is_taken_out_is_told_at_its_field_and_not_kept(
    user: User, show: Callable[..., None], application: Application
) -> None:
    show(models.draw, {}, name="sample-careful")
    await user.open("/")
    (recording,) = [box for box in user.find(ui.input).elements if box.value == "example"]
    recording.set_value("")
    await user.should_see("Enter the path of a recording")
    assert application.library.models.all()["sample-careful"].recording == "example"


def test_equal_errors_of_a_run_stand_once_with_their_number() -> None:
    one, other = (JobError("q", "Which?", "ada", None, message) for message in ("too many requests", "no key"))
    drawn = errors(RunProgressState(total=9, errors=(one, other, one, one)))
    assert "3 × too many requests" in drawn
    assert "no key" in drawn
    assert drawn.count("note-bad") == 2


def test_choices_come_back_from_a_memory_with_lists_of_its_own() -> None:
    class Remembered(list[str]):
        pass

    choice = RunDraft.from_memory(
        {"models": Remembered(["a"]), "judges": "b", "record": 1, "settings": {"replicate_count": 8}}
    )
    assert (choice.models, choice.judges, choice.record, choice.value("replicate_count")) == (["a"], [], False, 8)


@pytest.mark.parametrize(("summary", "words"), [(Summary(), "No results yet"), (None, "match these filters")])
async def test_a_run_without_results_does_not_blame_the_filters(
    user: User, application: Application, summary: Summary | None, words: str
) -> None:
    run = application.library.runs.summary(RUN)
    found = summarise(count_run(application.library.results.table(RUN))) if summary is None else summary

    @ui.page("/")
    def page() -> None:
        preferences = Window(application.services()).preferences
        ResultsTable(run, ResultQuery(), found, application.library.results, preferences).draw()

    await user.open("/")
    (grid,) = user.find(Grid).elements
    assert words in str(grid.props)
