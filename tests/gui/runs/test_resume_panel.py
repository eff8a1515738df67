"""What a window says of runs that can go on, and the buttons and commands for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from nicegui import ui
from nicegui.testing import User

from karenina_gui.app import Application, build
from karenina_gui.gui.pages.runs import list as runs_list, view as run_view
from karenina_gui.gui.pages.runs.progress import time_spent
from karenina_gui.gui.pages.runs.resume_panel import retry_outcome, what_is_left
from karenina_gui.gui.session.page import PageRoute
from karenina_gui.gui.session.window import Window
from karenina_gui.gui.shell.status import StatusBar
from karenina_gui.runs.benchmark_changes import BenchmarkChanges, Change, QuestionChange
from karenina_gui.runs.progress import RunProgressState
from karenina_gui.runs.resume import RemainingJobs
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.job import Job, expand
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.settings import Settings
from karenina_gui.store.library import Library
from karenina_gui.store.runs import RunPlan
from karenina_gui.store.snapshots import Snapshot
from tests.template_texts import FORTY_TWO

JOBS = 6


@pytest.fixture
def application(tmp_path: Path) -> Iterator[Application]:
    """A run of six jobs whose process was lost before the first of them was done."""
    document = BenchmarkDocument(name="forty-two")
    for number in range(JOBS):
        question = Question(question=f"Text {number}?", raw_answer="42", id=f"q{number}", answer_template=FORTY_TWO)
        document.add(question)
    ids = [entry.id for entry in document.entries]
    recorded = ModelConfig(id="ada", interface="manual", manual_traces=dict.fromkeys(ids, "42"))
    config = VerificationConfig(answering_models=[recorded])
    jobs = [Job(job.key, job.question_id, "ada", None, None) for job in expand(ids, config)]
    snapshot = Snapshot.of(document)
    with Library.open(tmp_path) as library:
        benchmark = library.benchmarks.create(document)
        library.runs.create(RunPlan(benchmark, "First light", config, jobs, "none", snapshot.hash, snapshot))
    application = build(Settings(data=tmp_path))
    yield application
    application.close()


async def test_an_interrupted_run_says_what_is_left_and_goes_on(user: User, application: Application) -> None:
    windows: list[Window] = []

    @ui.page("/")
    def page() -> None:
        windows.append(Window(application.services()))
        StatusBar(windows[0])
        run_view.draw(windows[0], PageRoute({"r": 1}, {}))

    assert application.runs.interrupted == [1]
    await user.open("/")
    assert application.runs.interrupted == []
    await user.should_see("6 of 6 jobs left.")
    assert windows[0].command_action("run.resume") is not None
    assert windows[0].command_action("run.retry") is None
    user.find("Resume").click()
    await user.should_not_see("jobs left.")
    assert application.runs.wait(1, 120)
    summary = application.library.runs.summary(1)
    assert (summary.status, summary.done) == ("completed", JOBS)


async def test_the_list_names_interrupted_runs_and_resumes_them(user: User, application: Application) -> None:
    @ui.page("/")
    def page() -> None:
        runs_list.draw(Window(application.services()), PageRoute({}, {}))

    await user.open("/")
    await user.should_see("was interrupted")
    user.find("Resume").click()
    await user.should_not_see("was interrupted")
    assert application.runs.wait(1, 120)


async def test_the_status_bar_leads_to_a_run_that_was_lost(user: User, application: Application) -> None:
    @ui.page("/")
    def page() -> None:
        StatusBar(Window(application.services()))

    await user.open("/")
    (link,) = user.find("1 run interrupted").elements
    assert link.props["href"] == "/runs/1"


def test_what_resuming_will_do_is_said_in_numbers(application: Application) -> None:
    lost = application.library.runs.summary(1)
    words = what_is_left(lost, RemainingJobs(jobs=4, again=2, answers=1), BenchmarkChanges())
    assert (
        "4 of 6 jobs left. 2 failed calls: a model or MCP server was unreachable, rejected the call, or had "
        "no valid key. Will be retried." in words
    )
    assert "1 saved answer will be reused." in words


def test_of_a_completed_run_only_the_failed_calls_are_left(application: Application) -> None:
    done = application.library.runs.summary(1)
    kinds: list[Change] = ["edited", "edited", "added"]
    changes = BenchmarkChanges(tuple(QuestionChange(f"q{n}", "?", kind) for n, kind in enumerate(kinds)), rubric=True)
    words = what_is_left(done, RemainingJobs(again=1), changes)
    assert "1 failed call: a model or MCP server was unreachable, rejected the call, or had no valid key." in words
    assert "2 questions edited, 1 added, and rubric edited" in words


def test_jobs_that_lack_traits_are_counted_apart_from_those_without_a_verdict(application: Application) -> None:
    done = application.library.runs.summary(1)
    words = what_is_left(done, RemainingJobs(again=2, unscored=1, answers=1), BenchmarkChanges())
    assert "2 failed calls: a model or MCP server was unreachable, rejected the call, or had no valid key." in words
    assert "1 job with a verdict, but no usable judge reply for traits." in words
    words = what_is_left(done, RemainingJobs(jobs=1, unscored=3), BenchmarkChanges())
    assert "3 jobs with a verdict, but no usable judge reply for traits. Will be retried." in words


def test_the_time_of_a_run_is_that_of_all_its_parts() -> None:
    assert "5 s elapsed" in time_spent(RunProgressState(total=9, done=4, before=3, seconds=5))


def test_a_retry_says_how_it_ended() -> None:
    failed = RemainingJobs(replies=1)
    assert retry_outcome({"replies": 1}, failed) == "The retry failed again."
    assert retry_outcome({"replies": 1}, RemainingJobs()) == "The retry succeeded."
    assert retry_outcome({"replies": 1, "calls": 2}, failed) == "1 of 3 retries failed again."
    assert retry_outcome({"calls": 3}, failed) == "All 3 retries succeeded."
