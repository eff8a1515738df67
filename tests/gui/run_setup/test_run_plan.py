"""What the Run page says before a run is started."""

from __future__ import annotations

from pathlib import Path

import pytest

from karenina_gui.app import Application
from karenina_gui.gui.run_setup.condition_draft import with_and_without_prompt
from karenina_gui.gui.run_setup.draft import RunDraft
from karenina_gui.gui.run_setup.plan import Plan, left_out
from karenina_gui.gui.run_setup.plan_view import headline, plan_view
from karenina_gui.gui.run_setup.planner import Planner
from karenina_gui.gui.run_setup.published_questions import PublishedQuestions
from karenina_gui.runs.problems.cases import (
    DeletedModel,
    FaultyModel,
    IdenticalConditions,
    InvalidRubric,
    InvalidSetting,
    MissingRecording,
    NoAnsweringModel,
    NoJudge,
    NoKey,
    NoQuestions,
    NoSearchKey,
    NoTemplates,
    NothingFinished,
    NothingRunnable,
    NothingSelected,
    ReplayedJudges,
    Unavailable,
    UnrecordedChecks,
    UnrecordedTemplates,
    UnscoredTraits,
)
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.text import quantity
from tests.example.plain_run import plain_run
from tests.saved_models import save_model


@pytest.fixture
def choice() -> RunDraft:
    return RunDraft.of(plain_run())


def test_the_example_is_planned_to_the_last_call(planner: Planner, choice: RunDraft) -> None:
    plan = complete(planner, choice)
    assert (plan.jobs, plan.answers, plan.judged) == (72, 72, 10)
    assert plan.judge_calls == 2 * 3 * (10 + 12 + 6)
    assert plan.obstacles == []
    assert not plan.live


def test_a_question_that_is_left_out_is_named_with_its_reason(planner: Planner, choice: RunDraft) -> None:
    plan = complete(planner, choice)
    assert headline(plan) == "12 of 13 questions will run, 1 will be skipped."
    assert [(reason, len(ids)) for reason, ids in left_out(plan.selection).items()] == [("not_finished", 1)]


def test_a_keyword_chooses_among_the_finished_questions(planner: Planner, choice: RunDraft) -> None:
    choice.scope, choice.keywords = "keywords", ["oncology"]
    assert len(complete(planner, choice).selection.chosen) == 1


def test_a_picked_question_that_is_not_finished_is_left_out_like_any_other(
    application: Application, planner: Planner, choice: RunDraft
) -> None:
    rows = application.library.questions.summaries(1)
    (draft,) = (row.id for row in rows if not row.finished)
    choice.scope, choice.picked = "picked", [draft, *(row.id for row in rows if row.finished)][:3]
    plan = complete(planner, choice)
    assert headline(plan) == "2 of 3 questions will run, 1 will be skipped."
    assert dict(left_out(plan.selection)) == {"not_finished": [draft]}
    assert "1 skipped: not marked as finished" in str(plan_view(plan, 1))
    choice.picked = [draft]
    assert NothingFinished() in complete(planner, choice).obstacles


def test_a_judge_is_asked_for_only_where_a_template_needs_one(
    application: Application, planner: Planner, choice: RunDraft
) -> None:
    choice.judges = []
    choice.set("abstention_enabled", False)
    assert complete(planner, choice).obstacles == [NoJudge(templates=10)]
    choice.scope = "picked"
    choice.picked = [row.id for row in application.library.questions.summaries(1) if _asks(application, row.number)][:1]
    assert complete(planner, choice).obstacles == [NoJudge(templates=1)]
    choice.picked = [
        row.id for row in application.library.questions.summaries(1) if not _asks(application, row.number)
    ][:1]
    plan = complete(planner, choice)
    assert plan.obstacles == []
    assert plan.judge_calls == 0


def test_a_missing_key_names_its_variable(
    application: Application, planner: Planner, choice: RunDraft, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    save_model(application, "claude", ModelConfig(id="claude", model_name="c", interface="claude_tool"))
    choice.models = ["claude"]
    plan = complete(planner, choice)
    assert plan.live
    assert plan.obstacles == [FaultyModel("claude", NoKey("ANTHROPIC_API_KEY"))]
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a key")
    assert complete(planner, choice).obstacles == []


def test_a_model_that_is_gone_is_named_before_a_run_without_it(planner: Planner, choice: RunDraft) -> None:
    choice.models, choice.judges = [*choice.models, "gone"], [*choice.judges, "gone"]
    plan = complete(planner, choice)
    assert plan.doubts == [DeletedModel("gone")]


def test_conditions_that_send_the_same_requests_are_a_doubt(
    application: Application, planner: Planner, choice: RunDraft
) -> None:
    local = {"interface": "openai_endpoint", "model_name": "m", "endpoint_base_url": "http://127.0.0.1:9/v1"}
    for name, prompt in (("plain", None), ("told", "Be brief.")):
        model = ModelConfig.model_validate({"id": name, "system_prompt": prompt, **local})
        save_model(application, name, model)
    choice.models = ["plain", "told"]
    choice.conditions = with_and_without_prompt([application.library.models.all()["told"]])
    same = IdenticalConditions("without system prompt", "with system prompt", models=("plain",))
    assert same in complete(planner, choice).doubts
    choice.models = ["told"]
    assert same not in complete(planner, choice).doubts


def test_a_recording_that_is_gone_stands_in_the_way(
    application: Application, planner: Planner, choice: RunDraft, tmp_path: Path
) -> None:
    gone = ModelConfig(id="gone", model_name="m", interface="replay", recording=str(tmp_path / "none.json"))
    save_model(application, "gone", gone)
    choice.models = ["gone"]
    (obstacle,) = complete(planner, choice).obstacles
    assert isinstance(obstacle, FaultyModel)
    assert isinstance(obstacle.fault, Unavailable)
    assert "none.json" in obstacle.fault.message


def test_nothing_chosen_cannot_start(planner: Planner) -> None:
    plan = complete(planner, RunDraft(scope="picked"))
    assert plan.obstacles[:2] == [NoAnsweringModel(), NothingSelected()]


def test_a_recording_without_these_answers_is_doubted_before_the_run(planner: Planner, choice: RunDraft) -> None:
    assert complete(planner, choice).doubts == []
    choice.models = ["sample-careful"]
    choice.set("replicate_count", 4)
    assert complete(planner, choice).doubts == [MissingRecording("sample-careful", missing=12, asked=48)]


def test_checks_that_the_judge_has_no_recorded_replies_for_are_doubted_before_the_run(
    planner: Planner, choice: RunDraft
) -> None:
    choice.set("abstention_enabled", True)  # recorded
    assert complete(planner, choice).doubts == []
    choice.set("deep_judgment_mode", "full")
    assert complete(planner, choice).doubts == [UnrecordedChecks(("sample-judge",), ("quotes",))]
    choice.set("deep_judgment_mode", "reasoning_only")
    assert complete(planner, choice).doubts == [UnrecordedChecks(("sample-judge",), ("reasoning",))]


def test_a_template_edited_since_its_judgments_were_recorded_is_doubted_before_the_run(
    application: Application, planner: Planner, choice: RunDraft
) -> None:
    number = next(row.number for row in application.library.questions.summaries(1) if _asks(application, row.number))
    question = application.editor.question(1, number).entry.question
    template = str(question.answer_template)
    outline = application.editor.check_template(1, number, template)
    described = next(field.description for field in outline.fields if not field.is_trace)
    edited = template.replace(described, f"{described} In one word.")
    application.editor.edit(1, number, {"answer_template": edited})
    (doubt,) = complete(planner, choice).doubts
    assert doubt == UnrecordedTemplates(("sample-judge",), 1, question.question)
    choice.set("evaluation_mode", "rubric_only")
    assert complete(planner, choice).doubts == []
    choice.set("evaluation_mode", None)
    application.editor.edit(1, number, {"answer_template": template})
    assert complete(planner, choice).doubts == []


def test_a_recorded_judge_of_a_live_model_is_doubted(
    application: Application, planner: Planner, choice: RunDraft
) -> None:
    local = ModelConfig(id="l", model_name="m", interface="openai_endpoint", endpoint_base_url="http://localhost:1/v1")
    save_model(application, "local", local)
    choice.models = ["local"]
    plan = complete(planner, choice)
    assert plan.obstacles == []
    assert plan.doubts == [ReplayedJudges(("sample-judge",), models=("local",))]


def test_what_is_missing_first_is_said_in_one_sentence(application: Application, choice: RunDraft) -> None:
    benchmark = application.editor.create_benchmark("Empty")
    planner = Planner(application.services(), benchmark)
    assert complete(planner, choice).obstacles == [NoQuestions()]
    untitled = application.editor.add_question(benchmark, "", "").summary.number
    assert complete(planner, choice).obstacles == [NothingRunnable()]
    application.editor.delete_questions(benchmark, [untitled])
    question = application.editor.add_question(benchmark, "Why?", "Because.").summary.number
    assert NothingFinished() in complete(planner, choice).obstacles
    application.editor.set_finished(benchmark, [question], True)
    assert NoTemplates() in complete(planner, choice).obstacles


def test_a_rubric_that_cannot_be_used_stands_in_the_way(application: Application, choice: RunDraft) -> None:
    benchmark = application.editor.create_benchmark("Twice the same trait")
    trait = {"name": "brief", "pattern": "x"}
    question = application.editor.add_question(benchmark, "Why?", "Because.").summary.number
    application.editor.edit_benchmark(benchmark, {"rubric": {"regex_traits": [trait]}})
    application.editor.edit(
        benchmark, question, {"question_rubric": {"regex_traits": [trait]}, "answer_template": "class Answer: pass"}
    )
    application.editor.set_finished(benchmark, [question], True)
    choice.set("evaluation_mode", "rubric_only")
    plan = complete(Planner(application.services(), benchmark), choice)
    (obstacle,) = (each for each in plan.obstacles if isinstance(each, InvalidRubric))
    assert obstacle.question == "Why?"
    assert "brief" in obstacle.message


def test_traits_that_ask_a_judge_are_counted_and_missed_without_one(application: Application, choice: RunDraft) -> None:
    benchmark = application.editor.create_benchmark("Judged traits")
    judged = {"name": "clear", "kind": "boolean"}
    names = {"name": "names", "metrics": ["f1"], "tp_instructions": ["BCL2"]}
    own = {"llm_traits": [{"name": "informed", "kind": "boolean", "include_ground_truth": True}]}
    questions = [
        application.editor.add_question(benchmark, text, "Because.").summary.number for text in ("Why?", "How?")
    ]
    application.editor.edit_benchmark(benchmark, {"rubric": {"llm_traits": [judged], "metric_traits": [names]}})
    application.editor.edit(benchmark, questions[0], {"question_rubric": own})
    application.editor.set_finished(benchmark, questions, True)
    choice.set("evaluation_mode", "rubric_only")
    choice.set("abstention_enabled", False)
    planner = Planner(application.services(), benchmark)
    plan = complete(planner, choice)
    assert plan.judge_calls == (3 + 2) * plan.jobs // 2
    assert UnscoredTraits() not in plan.doubts
    choice.judges = []
    plan = complete(planner, choice)
    assert plan.judge_calls == 0
    assert UnscoredTraits() in plan.doubts
    assert "no selected template or trait needs one" not in plan_view(plan, benchmark)
    choice.set("rubric_trait_names", ["nothing"])
    plan = complete(planner, choice)
    assert UnscoredTraits() not in plan.doubts


def test_the_calls_of_every_check_are_counted_before_the_run(planner: Planner, choice: RunDraft) -> None:
    choice.set("deep_judgment_mode", "full")
    choice.set("embedding_check_enabled", True)
    plan = complete(planner, choice)
    read = 2 * 3 * 10
    assert plan.calls_by_purpose == {
        "refusal": 72,
        "extraction": read * 5,
        "embedding": read,
        "traits": 36,
    }
    assert plan.judge_calls == 72 + read * 6 + 36
    assert f"up to {plan.judge_calls:,} judge calls" in plan_view(plan, 1)
    choice.set("evaluation_mode", "rubric_only")
    assert complete(planner, choice).calls_by_purpose == {"refusal": 72, "traits": 36}


def test_investigations_are_told_beside_the_calls(planner: Planner, choice: RunDraft) -> None:
    assert "investigation" not in plan_view(complete(planner, choice), 1)
    choice.set("agentic_parsing", True)
    plan = complete(planner, choice)
    assert plan.calls_by_purpose["extraction"] == plan.investigations == 60
    assert "Plus up to 60 investigations by judging agents" in plan_view(plan, 1)
    choice.set("evaluation_mode", "rubric_only")
    assert complete(planner, choice).investigations == 0


def test_examples_before_a_question_are_missed_in_a_recording_without_them(planner: Planner, choice: RunDraft) -> None:
    choice.set("few_shot_config.global_examples", [{"question": "Which?", "answer": "BCL2"}])
    assert complete(planner, choice).doubts == []
    choice.set("few_shot_config.source", "global")
    (missing, *_) = complete(planner, choice).doubts
    assert isinstance(missing, MissingRecording)
    assert (missing.missing, missing.asked) == (36, 36)


def test_numbers_are_counted_in_words() -> None:
    assert [quantity(n, w) for n, w in ((1, "job"), (1600, "job"), (2, "reply"))] == [
        "1 job",
        "1,600 jobs",
        "2 replies",
    ]


def test_a_plan_is_there_at_once_and_says_what_it_does_not_know_yet(planner: Planner, choice: RunDraft) -> None:
    plan = planner.plan(choice)
    assert plan.jobs == 72
    assert len(plan.unknown) == 12
    planner.learn(plan.unknown)
    assert planner.plan(choice).unknown == []


def test_a_run_can_start_before_every_judge_call_is_counted_if_there_is_a_judge_and_no_template_is_unchecked(
    application: Application, choice: RunDraft
) -> None:
    benchmark = application.editor.create_benchmark("Never looked at")
    template = application.editor.question(
        1, application.library.questions.summaries(1)[0].number
    ).entry.question.answer_template
    question = application.editor.add_question(benchmark, "Why?", "Because.").summary.number
    application.editor.edit(benchmark, question, {"answer_template": template})
    application.editor.set_finished(benchmark, [question], True)
    assert not Planner(application.services(), benchmark).plan(choice).ready
    application.editor.check_all(benchmark)
    fresh = Planner(application.services(), benchmark)
    plan = fresh.plan(choice)
    assert (plan.unknown, plan.ready) == ([application.library.questions.summaries(benchmark)[0].id], True)
    choice.judges = []
    assert not fresh.plan(choice).ready


def complete(planner: Planner, choice: RunDraft) -> Plan:
    planner.learn(planner.plan(choice).unknown)
    return planner.plan(choice)


def _asks(application: Application, number: int) -> bool:
    outline = application.editor.check_question(1, number)
    return outline is not None and outline.needs_judge


def test_nothing_is_planned_from_a_number_that_is_refused(planner: Planner, choice: RunDraft) -> None:
    choice.refused = {"replicate_count": 1000}
    plan = planner.plan(choice)
    assert (plan.jobs, plan.ready) == (0, False)
    assert plan.obstacles == [InvalidSetting("Replicates", "A whole number from 1 to 100. Leave it empty for 3.")]
    choice.refused, choice.settings["async_max_workers"] = {}, 1000
    (invalid,) = planner.plan(choice).obstacles
    assert isinstance(invalid, InvalidSetting)
    assert invalid.title == "Concurrency and recording, Concurrent jobs"


def test_a_plan_that_nobody_waits_for_any_more_is_given_up(planner: Planner, choice: RunDraft) -> None:
    choice.set("replicate_count", 100)
    asked: list[int] = []
    planner.plan(choice, lambda: bool(asked.append(1)) or len(asked) >= 3)
    assert len(asked) <= 4  # once more for the second model


def test_a_search_for_the_passages_of_a_trait_wants_its_key_before_the_run(
    application: Application, planner: Planner, choice: RunDraft, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TAVILY_API_KEY", raising=False)
    searched = {"name": "informed", "kind": "boolean", "deep_judgment_search_enabled": True}
    question = application.library.questions.summaries(1)[0].number
    application.editor.edit(1, question, {"question_rubric": {"llm_traits": [searched]}})
    try:
        assert planner.plan(choice).lacking_keys == []
        choice.set("deep_judgment_rubric_mode", "enable_all")
        plan = planner.plan(choice)
        assert plan.lacking_keys == ["TAVILY_API_KEY"]
        assert NoSearchKey("TAVILY_API_KEY") in plan.doubts
        choice.set("deep_judgment_rubric_global_excerpts", False)
        assert planner.plan(choice).lacking_keys == []  # without passages, there is nothing to look up
    finally:
        application.editor.edit(1, question, {"question_rubric": None})


def test_the_plan_says_which_traits_are_judged_deeply_and_which_ask_for_it_in_vain(
    application: Application, planner: Planner, choice: RunDraft
) -> None:
    question = application.library.questions.summaries(1)[0].number
    before = planner.plan(choice)
    assert not planner.setting_context(choice).deep_traits and "evidence" not in str(plan_view(before, 1))
    asking = {"name": "informed", "kind": "boolean", "deep_judgment_enabled": True}
    application.editor.edit(1, question, {"question_rubric": {"llm_traits": [asking]}})
    try:
        assert planner.setting_context(choice).deep_traits
        planner.learn(planner.plan(choice).unknown)
        plan = planner.plan(choice)
        assert "Deep judgment for “informed”." in str(plan_view(plan, 1))
        choice.set("deep_judgment_rubric_mode", "off")
        off = planner.plan(choice)
        assert "No deep judgment for “informed”, because of this run’s “Deep judgment for traits” setting." in str(
            plan_view(off, 1)
        )
        assert off.judge_calls < plan.judge_calls
    finally:
        application.editor.edit(1, question, {"question_rubric": None})


def test_a_published_version_keeps_its_traits(application: Application) -> None:
    rows = application.library.questions.summaries(1)
    version = application.editor.publishing.publish(1, "traits")
    names = PublishedQuestions(application.library, version).trait_names
    saved = application.library.questions.rubrics(1)
    assert names
    assert saved
    for row in rows:
        application.editor.edit(1, row.number, {"question_rubric": None})
    published = PublishedQuestions(application.library, version)
    assert published.trait_names == names
    assert published.question_rubrics == [(summary.id, rubric) for summary, rubric in saved]


def test_a_published_version_is_planned_as_it_was_published(application: Application, choice: RunDraft) -> None:
    services = application.services()
    before = complete(Planner(services, 1), choice)
    version = application.editor.publishing.publish(1, "pilot")
    rows = application.library.questions.summaries(1)
    application.editor.delete_questions(1, [row.number for row in rows[:6]])
    application.editor.set_finished(1, [row.number for row in rows[6:]], False)
    # The choice of questions is about those of today.
    choice.scope, choice.picked = "picked", []
    plan = complete(Planner(services, 1, PublishedQuestions(application.library, version)), choice)
    assert (plan.jobs, plan.judge_calls) == (before.jobs, before.judge_calls)
    assert (plan.order.version, plan.obstacles) == (version.id, [])
    assert not Planner(services, 1).plan(choice).selection.chosen
    shown = str(plan_view(plan, 1))
    assert "1 will be skipped" in shown
