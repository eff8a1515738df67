"""The Python API."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

from karenina_gui import (
    BaseAnswer,
    Benchmark,
    ModelConfig,
    NumericExact,
    Question,
    RegexRubricTrait,
    VerificationConfig,
    VerifiedField,
)
from karenina_gui.errors import DuplicateQuestionError, InputError, NotFoundError, RubricError
from tests.twin import Reply, Twin

SAYS_42 = """
class Answer(BaseAnswer):
    says_42: bool = VerifiedField(description="t", ground_truth=True, verify_with=TraceRegex(pattern=r"\\b42\\b"))
"""


def recorded(traces: dict[str, Any], name: str = "recorded") -> ModelConfig:
    return ModelConfig(id=name, interface="manual", manual_traces=traces)


def test_the_example_of_the_public_face_runs_as_documented() -> None:
    benchmark = Benchmark.create("arithmetic")
    qid = benchmark.add_question("What is 6 x 7?", raw_answer="42", answer_template=SAYS_42)
    config = VerificationConfig(
        answering_models=[recorded({qid: ["It is 42.", "41"]})], parsing_models=[], replicate_count=2
    )
    results = benchmark.run_verification(config)
    assert [
        (r.template.verify_result, r.metadata.replicate, r.metadata.answering.model_name) for r in results if r.template
    ] == [(True, 1, "recorded"), (False, 2, "recorded")]


def test_results_come_in_a_stable_order_whatever_finishes_first() -> None:
    benchmark = Benchmark.create("arithmetic")
    ids = [benchmark.add_question(f"What is {i} + 0?", str(i), SAYS_42) for i in range(12)]
    models = [recorded(dict.fromkeys(ids, "42"), name) for name in ("a", "b")]
    config = VerificationConfig(answering_models=models, replicate_count=2, async_max_workers=8, task_ordering="random")
    order = [(r.metadata.question_id, r.metadata.answering.label, r.metadata.replicate)
             for r in benchmark.run_verification(config)]  # fmt: skip
    assert order == [(qid, name, rep) for qid in ids for name in ("a", "b") for rep in (1, 2)]


def test_one_bad_template_does_not_stop_the_others() -> None:
    benchmark = Benchmark.create("arithmetic")
    good = benchmark.add_question("good?", "42", SAYS_42)
    bad = benchmark.add_question("bad?", "42", "class Answer(BaseAnswer:\n    pass")
    config = VerificationConfig(answering_models=[recorded({good: "42", bad: "42"})])
    first, second = benchmark.run_verification(config)
    assert first.passed is True
    assert second.passed is None
    assert second.error


def test_only_finished_questions_run_and_an_empty_run_says_why(caplog: pytest.LogCaptureFixture) -> None:
    benchmark = Benchmark.create("arithmetic")
    qid = benchmark.add_question("What is 6 x 7?", "42", SAYS_42, finished=False)
    config = VerificationConfig(answering_models=[recorded({qid: "42"})])
    with caplog.at_level(logging.WARNING):
        assert benchmark.run_verification(config) == []
    assert "not marked as finished" in caplog.text
    benchmark.mark_finished(qid)
    assert len(benchmark.run_verification(config)) == 1


def test_the_wait_for_a_provider_that_is_down_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    benchmark = Benchmark.create("waits")
    benchmark.add_question("What is 6 x 7?", "42", SAYS_42, finished=True)
    with Twin(lambda asked: Reply(status=503, message="Maintenance until noon")) as twin:
        away = ModelConfig(
            id="away",
            interface="openai_endpoint",
            model_name="m",
            endpoint_base_url=twin.address,
            endpoint_api_key="none",
        )
        at_once = {"server_error": {"max_attempts": 2, "backoff_min": 0, "backoff_max": 0}}
        config = VerificationConfig(answering_models=[away], provider_wait_seconds=0.5, retry_policy=at_once)
        benchmark.run_verification(config)
    first = next(each.getMessage() for each in caplog.records if each.getMessage().startswith("Waiting"))
    assert first.startswith("Waiting for away for at most 0.5 s (provider_wait_seconds): ")
    assert "Maintenance until noon" in first


def test_a_question_keeps_its_content_address_however_it_is_added() -> None:
    benchmark = Benchmark.create("ids")
    md5 = "cb0b4aaf80c43c9973aefeda1bd72890"
    assert benchmark.add_question("What is the capital of France?", "Paris") == md5
    with pytest.raises(DuplicateQuestionError, match="already contains"):
        benchmark.add_question(Question(question="What is the capital of France?", raw_answer="Paris"))
    assert benchmark.add_question("What is the capital of France?", "Paris", question_id="typo-fixed") == "typo-fixed"


def test_a_question_object_keeps_its_template_rubric_and_everything_else() -> None:
    question = Question(
        question="q",
        raw_answer="a",
        keywords=["k"],
        answer_template=SAYS_42,
        question_rubric={"regex_traits": [{"name": "cites", "pattern": "x"}]},
        workspace_path="task",
        few_shot_examples=[{"question": "x", "answer": "y"}],
    )
    benchmark = Benchmark.create("whole")
    assert benchmark.get_question(benchmark.add_question(question)) == question


def test_a_template_may_be_given_as_a_class() -> None:
    class Answer(BaseAnswer):
        value: int = VerifiedField(description="The number", ground_truth=42, verify_with=NumericExact())

    benchmark = Benchmark.create("classes")
    source = benchmark.get_question(benchmark.add_question("q", "42", Answer)).answer_template
    assert source is not None
    assert source.startswith("class Answer(BaseAnswer):")


def test_a_benchmark_survives_saving_and_loading(tmp_path: Path) -> None:
    benchmark = Benchmark.create("arithmetic", description="Numbers")
    qid = benchmark.add_question("What is 6 x 7?", "42", SAYS_42, keywords=["mult"], finished=False)
    benchmark.add_global_rubric_trait(RegexRubricTrait(name="cites", pattern=r"\[\d+\]"))
    benchmark.add_question_rubric_trait(qid, RegexRubricTrait(name="own", pattern="x"))
    again = Benchmark.load(benchmark.save(tmp_path / "arithmetic"))
    assert again.get_question(qid) == benchmark.get_question(qid)
    assert again.rubric == benchmark.rubric
    assert not again.is_finished(qid)
    assert not again.trusted


def test_wrong_calls_say_what_is_missing() -> None:
    benchmark = Benchmark.create("b")
    with pytest.raises(InputError, match="reference answer"):
        benchmark.add_question("q")  # type: ignore[call-overload]
    with pytest.raises(InputError, match="answering_models"):
        benchmark.run_verification(VerificationConfig())
    with pytest.raises(NotFoundError, match="nope"):
        benchmark.run_verification(VerificationConfig(answering_models=[recorded({})]), question_ids=["nope"])


def test_a_cancelled_run_makes_no_further_call() -> None:
    benchmark = Benchmark.create("arithmetic")
    ids = [benchmark.add_question(f"q{i}", "42", SAYS_42) for i in range(20)]
    done: list[str] = []
    config = VerificationConfig(answering_models=[recorded(dict.fromkeys(ids, "42"))], async_enabled=False)
    results = benchmark.run_verification(
        config, on_result=lambda job, _: done.append(job.question_id), cancelled=lambda: len(done) >= 3
    )
    assert len(results) == len(done) == 3


def test_jobs_without_time_left_come_back_as_errors_in_their_place() -> None:
    benchmark = Benchmark.create("arithmetic")
    ids = [benchmark.add_question(f"q{i}", "42", SAYS_42) for i in range(4)]
    config = VerificationConfig(answering_models=[recorded(dict.fromkeys(ids, "42"))], batch_timeout_seconds=1e-9)
    told: list[str] = []
    results = benchmark.run_verification(config, on_result=lambda job, _: told.append(job.question_id))
    assert [result.metadata.question_id for result in results] == ids == told
    assert [result.passed for result in results] == [None] * 4
    assert "batch_timeout_seconds" in (results[0].error or "")


def test_traits_of_one_name_stop_a_run_before_its_first_call() -> None:
    benchmark = Benchmark.create("arithmetic")
    qid = benchmark.add_question("What is 6 x 7?", "42", SAYS_42)
    benchmark.add_question_rubric_trait(qid, RegexRubricTrait(name="cites", pattern="x"))
    benchmark.add_global_rubric_trait(RegexRubricTrait(name="cites", pattern="y"))
    done: list[object] = []
    with pytest.raises(RubricError, match=r"“What is 6 x 7\?”.* named “cites”"):
        benchmark.run_verification(
            VerificationConfig(answering_models=[recorded({qid: "42"})]), on_result=lambda *both: done.append(both)
        )
    assert done == []


def test_a_run_without_a_key_ends_before_its_first_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    benchmark = Benchmark.create("arithmetic")
    qid = benchmark.add_question("What is 6 x 7?", raw_answer="42", answer_template=SAYS_42)
    keyless = ModelConfig(id="claude", interface="claude_tool", model_name="claude-sonnet-5-5")
    config = VerificationConfig(answering_models=[recorded({qid: ["It is 42."]}), keyless], parsing_models=[])
    with pytest.raises(InputError) as raised:
        benchmark.run_verification(config)
    assert str(raised.value) == "Missing API keys. Set these environment variables: ANTHROPIC_API_KEY (for claude)."


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"question": "q", "raw_answer": "a", "template": 42}, "template"),
        ({"question": "q", "raw_answer": "a", "answer_template": 42}, "this is a int"),
        ({"question": {"question": "q"}, "raw_answer": "a"}, "this is a dict"),
        ({"question": "q", "raw_answer": "a", "question_id": " "}, "question_id is empty"),
        ({"question": "q", "raw_answer": "a", "question_id": 7}, "id"),
        ({"question": "", "raw_answer": "a"}, "question"),
        ({"question": "q", "raw_answer": 42}, "raw_answer"),
        ({"question": Question(question="q", raw_answer="a"), "keywords": "k"}, "keywords"),
        ({"question": Question(question="q", raw_answer="a"), "colour": "red"}, "colour"),
    ],
)
def test_what_no_question_can_be_made_of_is_refused_by_name(arguments: dict[str, Any], problem: str) -> None:
    benchmark = Benchmark.create("b")
    with pytest.raises(InputError, match=problem):
        benchmark.add_question(**arguments)
    assert len(benchmark) == 0


def test_tags_are_keywords_for_a_question_object_too() -> None:
    benchmark = Benchmark.create("b")
    qid = benchmark.add_question(Question(question="q", raw_answer="a"), tags=["k"])  # type: ignore[call-overload]
    assert benchmark.get_question(qid).keywords == ["k"]


def test_ids_in_one_text_are_no_list_of_ids() -> None:
    benchmark = Benchmark.create("b")
    qid = benchmark.add_question("q", "42", SAYS_42)
    config = VerificationConfig(answering_models=[recorded({qid: "42"})])
    with pytest.raises(InputError, match="should be a list of ids"):
        benchmark.run_verification(config, question_ids=qid)


def test_what_is_no_trait_is_refused() -> None:
    with pytest.raises(InputError, match="this is a dict"):
        Benchmark.create("b").add_global_rubric_trait({"name": "cites"})  # type: ignore[arg-type]
