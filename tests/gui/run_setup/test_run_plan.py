"""What the Run page says before a run is started."""

from __future__ import annotations

from pathlib import Path

import pytest

from karenina_gui.app import Application
from karenina_gui.gui.pages.run_setup.condition_draft import with_and_without_prompt
from karenina_gui.gui.pages.run_setup.draft import RunDraft
from karenina_gui.gui.pages.run_setup.plan import left_out
from karenina_gui.gui.pages.run_setup.plan_view import headline, plan_view
from karenina_gui.gui.pages.run_setup.planner import Planner
from karenina_gui.gui.pages.run_setup.published_questions import PublishedQuestions
from karenina_gui.runs.aids import EMBEDDING_COMMAND, embedding_installed
from karenina_gui.runs.problems.choices import NO_QUESTIONS, NOTHING_RUNNABLE
from karenina_gui.runs.problems.workspace_files import first_of
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.text import quantity
from tests.example.plain_run import plain_run
from tests.gui.run_pages import complete
from tests.saved_models import save_model

UNFINISHED = "Only finished questions run. Mark one as finished first."
UNSCORED = "Some traits need a judge, and none is selected: they get no score. Select a judge to rate them."


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
    assert headline(plan) == "12 of 13 questions will run."
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
    assert headline(plan) == "2 of 3 questions will run."
    assert dict(left_out(plan.selection)) == {"not_finished": [draft]}
    assert "1 skipped: not marked as finished" in str(plan_view(plan, 1))
    choice.picked = [draft]
    assert UNFINISHED in complete(planner, choice).obstacles


def test_a_judge_is_asked_for_only_where_a_template_needs_one(
    application: Application, planner: Planner, choice: RunDraft
) -> None:
    choice.judges = []
    choice.set("abstention_enabled", False)
    assert complete(planner, choice).obstacles == ["Select a judge: 10 templates need one."]
    choice.scope = "picked"
    choice.picked = [row.id for row in application.library.questions.summaries(1) if _asks(application, row.number)][:1]
    assert complete(planner, choice).obstacles == ["Select a judge: 1 template needs one."]
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
    (obstacle,) = plan.obstacles
    assert obstacle.startswith("claude: no API key. Enter ANTHROPIC_API_KEY on the API keys page")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a key")
    assert complete(planner, choice).obstacles == []


def test_a_model_that_is_gone_is_named_before_a_run_without_it(planner: Planner, choice: RunDraft) -> None:
    choice.models, choice.judges = [*choice.models, "gone"], [*choice.judges, "gone"]
    plan = complete(planner, choice)
    (doubt,) = plan.doubts
    assert doubt.startswith("“gone” is no longer on the Models page")


def test_conditions_that_send_the_same_requests_are_a_doubt(
    application: Application, planner: Planner, choice: RunDraft
) -> None:
    local = {"interface": "openai_endpoint", "model_name": "m", "endpoint_base_url": "http://127.0.0.1:9/v1"}
    for name, prompt in (("plain", None), ("told", "Be brief.")):
        model = ModelConfig.model_validate({"id": name, "system_prompt": prompt, **local})
        save_model(application, name, model)
    choice.models = ["plain", "told"]
    choice.conditions = with_and_without_prompt([application.library.models.all()["told"]])
    same = "“without system prompt” and “with system prompt” send the same requests to plain, so"
    assert any(doubt.startswith(same) for doubt in complete(planner, choice).doubts)
    choice.models = ["told"]
    assert not any("send the same requests" in doubt for doubt in complete(planner, choice).doubts)


def test_a_recording_that_is_gone_stands_in_the_way(
    application: Application, planner: Planner, choice: RunDraft, tmp_path: Path
) -> None:
    gone = ModelConfig(id="gone", model_name="m", interface="replay", recording=str(tmp_path / "none.json"))
    save_model(application, "gone", gone)
    choice.models = ["gone"]
    (obstacle,) = complete(planner, choice).obstacles
    assert obstacle.startswith("gone: ") and "none.json" in obstacle


def test_a_recording_without_these_answers_is_doubted_before_the_run(planner: Planner, choice: RunDraft) -> None:
    assert complete(planner, choice).doubts == []
    choice.models = ["sample-careful"]
    choice.set("replicate_count", 4)
    (doubt,) = complete(planner, choice).doubts
    assert doubt.startswith("sample-careful replays a recording that lacks 12 of 48 answers:")


def test_checks_that_the_judge_has_no_recorded_replies_for_are_doubted_before_the_run(
    planner: Planner, choice: RunDraft
) -> None:
    choice.set("abstention_enabled", True)  # recorded
    assert complete(planner, choice).doubts == []
    choice.set("deep_judgment_mode", "full")
    (doubt,) = complete(planner, choice).doubts
    assert doubt.startswith(
        "sample-judge has no recorded replies for quotes: jobs will skip it or end in errors. Turn it off"
    )
    choice.set("deep_judgment_mode", "reasoning_only")
    choice.set("deep_judgment_rubric_mode", "enable_all")
    (doubt,) = complete(planner, choice).doubts
    assert "for reasoning and quotes: jobs will skip them or end in errors. Turn them off" in doubt


def test_a_template_edited_since_its_judgments_were_recorded_is_doubted_before_the_run(
    application: Application, planner: Planner, choice: RunDraft
) -> None:
    editor, rows = application.editor, application.library.questions.summaries(1)
    first, second = [row.number for row in rows if _asks(application, row.number)][:2]
    question = editor.question(1, first).entry.question
    templates = {number: str(editor.question(1, number).entry.question.answer_template) for number in (first, second)}

    def add_words(number: int) -> None:
        outline = editor.check_template(1, number, templates[number])
        described = next(field.description for field in outline.fields if not field.is_trace)
        edited = templates[number].replace(described, f"{described} In one word.")
        editor.edit(1, number, {"answer_template": edited})

    add_words(first)
    (doubt,) = complete(planner, choice).doubts
    assert doubt == (
        "sample-judge has no recorded judgments for 1 template as it is now: jobs of this question will end in errors. "
        f"Undo edits of the fields, or select another judge. {first_of([question.question])}"
    )
    add_words(second)
    (doubt,) = complete(planner, choice).doubts
    assert "no recorded judgments for 2 templates as they are now: jobs of these questions will end" in doubt
    assert " First: “" in doubt
    choice.set("evaluation_mode", "rubric_only")
    assert complete(planner, choice).doubts == []
    choice.set("evaluation_mode", None)
    for number, template in templates.items():
        editor.edit(1, number, {"answer_template": template})
    assert complete(planner, choice).doubts == []


def test_what_is_missing_first_is_said_in_one_sentence(application: Application, choice: RunDraft) -> None:
    benchmark = application.editor.create_benchmark("Empty")
    planner = Planner(application.services(), benchmark)
    assert complete(planner, choice).obstacles == [NO_QUESTIONS]
    untitled = application.editor.add_question(benchmark, "", "").summary.number
    assert complete(planner, choice).obstacles == [NOTHING_RUNNABLE]
    application.editor.delete_questions(benchmark, [untitled])
    question = application.editor.add_question(benchmark, "Why?", "Because.").summary.number
    assert UNFINISHED in complete(planner, choice).obstacles
    application.editor.set_finished(benchmark, [question], True)
    assert "Finished questions have no answer template. Add one first." in complete(planner, choice).obstacles


def test_traits_of_a_single_question_make_the_run_rate_traits(application: Application, choice: RunDraft) -> None:
    benchmark = application.editor.create_benchmark("Traits of one question")
    first, _ = (application.editor.add_question(benchmark, text, "").summary.number for text in ("Why?", "How?"))
    planner = Planner(application.services(), benchmark)
    assert not planner.setting_context(choice).rated
    application.editor.edit(benchmark, first, {"question_rubric": {"regex_traits": [{"name": "a", "pattern": "a"}]}})
    assert planner.setting_context(choice).rated


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
    (obstacle,) = plan.obstacles
    assert obstacle.startswith("The rubric of the question “Why?” is invalid: ")
    assert "brief" in obstacle


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
    assert UNSCORED not in plan.doubts
    choice.judges = []
    plan = complete(planner, choice)
    assert plan.judge_calls == 0
    assert UNSCORED in plan.doubts
    assert "no selected template or trait needs one" not in plan_view(plan, benchmark)
    choice.set("rubric_trait_names", ["nothing"])
    plan = complete(planner, choice)
    assert UNSCORED not in plan.doubts


def test_the_calls_of_every_check_are_counted_before_the_run(planner: Planner, choice: RunDraft) -> None:
    choice.set("deep_judgment_mode", "full")
    choice.set("embedding_check_enabled", True)
    plan = complete(planner, choice)
    skipped = f"The embedding check will be skipped: its model isn’t installed. Install it with: {EMBEDDING_COMMAND}"
    assert (skipped in plan.doubts) is not embedding_installed()
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
    assert "replays a recording that lacks 36 of 36 answers" in missing


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


def _asks(application: Application, number: int) -> bool:
    outline = application.editor.check_question(1, number)
    return outline is not None and outline.needs_judge


def test_nothing_is_planned_from_a_number_that_is_refused(planner: Planner, choice: RunDraft) -> None:
    choice.refused = {"replicate_count": 1000}
    plan = planner.plan(choice)
    assert (plan.jobs, plan.ready) == (0, False)
    assert plan.obstacles == ["Replicates: A whole number from 1 to 100. Leave it empty for 3."]
    choice.refused, choice.settings["async_max_workers"] = {}, 1000
    (invalid,) = planner.plan(choice).obstacles
    assert invalid.startswith("Concurrency and recording, Concurrent jobs: ")


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
        assert any("web search. Enter TAVILY_API_KEY on the API keys page." in doubt for doubt in plan.doubts)
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
    assert "1 skipped: " in shown
