"""What a run was made of and what has changed since, as its page shows it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from nicegui import ui
from nicegui.testing import User

from karenina_gui.app import Application, build
from karenina_gui.gui.kit.record_text import record_text
from karenina_gui.gui.pages.runs import api as run_routes, record_page, view as run_view
from karenina_gui.gui.pages.runs.changes_view import MOST, changes_summary, changes_view
from karenina_gui.gui.pages.runs.record_view import record_view
from karenina_gui.gui.session.page import PageRoute
from karenina_gui.gui.session.window import Window
from karenina_gui.runs.benchmark_changes import BenchmarkChanges, QuestionChange, TraitChange
from karenina_gui.runs.reproducibility import record_of
from karenina_gui.runs.request import RunRequest
from karenina_gui.runs.service import RunOrder
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.condition import Condition
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.reproducibility import Reproducibility
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.settings import Settings
from karenina_gui.store.library import Library
from tests.runs.test_tools_in_runs import TEMPLATE
from tests.saved_models import start_run

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def application(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    """One finished run, whose question was edited afterwards."""
    folder = tmp_path_factory.mktemp("data")
    document = BenchmarkDocument(name="forty-two")
    document.add(Question(question="What is 6 x 7?", raw_answer="It is 42.", id="q", answer_template=TEMPLATE))
    with Library.open(folder) as library:
        benchmark = library.benchmarks.create(document)
    application = build(Settings(data=folder))
    recorded = ModelConfig(id="ada", interface="manual", manual_traces={"q": "42"})
    run = start_run(
        application, RunOrder(benchmark, VerificationConfig(answering_models=[recorded]), name="First light")
    )
    assert application.runs.wait(run, 120)
    application.services().editor.edit(
        benchmark, application.library.questions.number_of(benchmark, "q"), {"raw_answer": "It is 43."}
    )
    yield application
    application.close()


@pytest.fixture
def shown(user: User, application: Application) -> User:
    services = application.services()
    run_routes.register(services)

    @ui.page("/")
    def page() -> None:
        run_view.draw(Window(services), PageRoute({"r": 1}, {}))

    return user


async def test_a_run_has_a_view_of_what_it_was_made_of(shown: User, application: Application) -> None:
    @ui.page("/record")
    def page() -> None:
        record_page.draw(Window(application.services()), PageRoute({"r": 1}, {"outcome": "wrong"}))

    await shown.open("/")
    await shown.should_see('href="/runs/1/record"')
    await shown.open("/record")
    await shown.should_see("Save as JSON")
    await shown.should_see("SHA-256")
    await shown.should_see('href="/runs/1/results?outcome=wrong"')
    (view,) = [each for each in shown.find(kind=ui.html).elements if "SHA-256" in each.content]
    assert "forty-two 0.1.0" in view.content
    assert "The benchmark has changed since this run: 1 question edited." in view.content


async def test_what_changed_is_shown_with_both_versions_and_a_link(shown: User) -> None:
    await shown.open("/")
    await shown.should_see("Show changes")
    shown.find("Show changes").click()
    await shown.should_see("When it ran")
    (view,) = [each for each in shown.find(kind=ui.html).elements if "When it ran" in each.content]
    assert "It is <mark>43</mark>." in view.content
    assert 'href="/benchmarks/1/questions/' in view.content
    assert "<summary>Reference answer</summary>" in view.content


async def test_the_record_is_fetched_as_a_file_under_the_name_of_its_run(shown: User, application: Application) -> None:
    await shown.open("/")
    answer = await shown.http_client.get("/api/runs/1/reproducibility.json")
    assert "First-light-reproducibility.json" in answer.headers["content-disposition"]
    assert Reproducibility.model_validate(answer.json()) == application.library.runs.reproducibility(1)
    assert (await shown.http_client.get("/api/runs/99/reproducibility.json")).status_code == 404


def record(**settings: Any) -> Reproducibility:
    document = BenchmarkDocument(name=HOSTILE)
    document.add(Question(question="Why?", raw_answer="42"))
    model = ModelConfig(
        id="ada", model_name="ada-1", interface="openai_endpoint", extra_kwargs={"seed": 7, "top_p": 0.5}
    )
    config = VerificationConfig(answering_models=[model], **settings)
    return record_of(RunRequest(document, config, [document.entries[0].id]), "2026-01-01T00:00:00+00:00", "seccomp")


@pytest.mark.parametrize(
    ("level", "trusted", "shown"),
    [
        ("seccomp", True, "seccomp"),
        ("none", True, "off (trusted): full Python ran unsandboxed"),
        ("none", False, "on: full Python was refused"),
        ("", False, "unknown"),
    ],
)
def test_a_record_tells_whether_full_python_ran_in_a_sandbox(level: str, trusted: bool, shown: str) -> None:
    of_run = record().model_copy(update={"sandbox_level": level, "trusted": trusted})
    assert f"Template sandbox</td><td>{shown}</td>" in record_view(of_run, "", {})


def test_a_record_is_shown_with_its_models_conditions_and_unusual_settings() -> None:
    conditions = [Condition(name="bare"), Condition(name="told", system_prompt="Be brief.", require_mcp_tool_use=True)]
    shown = record_view(
        record(
            conditions=conditions,
            replicate_count=3,
            evaluation_mode="template_and_rubric",
            abstention_enabled=True,
        ),
        "The benchmark hasn’t changed since this run.",
        {"openai_endpoint": "OpenAI or a compatible server"},
    )
    assert HOSTILE not in shown
    assert "OpenAI or a compatible server: ada-1" in shown
    assert "(baseline)" in shown
    assert ">Condition</th>" in shown
    assert "an MCP tool call" in shown
    assert "Be brief." in shown
    settings = shown.partition("Run settings")[2].partition("<details")[0]
    rows = (("Replicates", "3"), ("Evaluation mode", "Template and rubric"), ("Check for refusals", "yes"))
    for title, value in rows:
        assert f"{title}</td><td>{value}</td>" in settings
    assert "1 of 1" in shown
    assert "Other settings of ada · told" in shown
    assert json.dumps({"seed": 7, "top_p": 0.5}, indent=2).splitlines()[1].strip() in shown.replace("&quot;", '"')
    assert "Not controlled" not in shown
    assert "Best effort" in shown


def test_a_change_that_is_known_by_hashes_names_fields_and_shows_no_versions() -> None:
    question = Question(question=HOSTILE, raw_answer="42", id="q")
    changed = QuestionChange("q", HOSTILE, "edited", ("raw_answer", "answer_template"), None, question)
    changes = BenchmarkChanges((changed,), (TraitChange("cites", "deleted"),), rubric=True, by_hashes=True)
    shown = changes_view(changes, lambda key: f"/questions/{key}", "/details")
    assert HOSTILE not in shown
    assert "Reference answer, Template" in shown
    assert "<details>" not in shown
    assert "Trait “cites”" in shown
    assert 'href="/questions/q"' in shown
    assert changes_summary(changes).startswith(
        "This benchmark differs from the one that ran: 1 question edited and rubric"
    )


def test_of_many_changes_the_first_are_listed_and_the_rest_is_counted() -> None:
    many = tuple(QuestionChange(f"q{number}", "?", "added") for number in range(MOST + 7))
    assert "and 7 more questions" in changes_view(BenchmarkChanges(many), lambda _: None, "/details")


def test_records_of_a_question_are_written_line_by_line() -> None:
    assert record_text(["a", "b"]) == "a\nb"
    assert record_text({"llm_traits": [{"name": "cites", "kind": "boolean", "classes": None}], "regex_traits": []}) == (
        "Judged by a model:\n- Name: cites\n  Result: Yes or no"
    )
    assert record_text(None) == ""
