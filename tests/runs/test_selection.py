from __future__ import annotations

from typing import Any

import pytest

from karenina_gui.errors import InputError
from karenina_gui.runs.selection import (
    NO_TEMPLATE,
    NOT_FINISHED,
    TEMPLATE_INVALID,
    Selection,
    candidates_of,
    select,
)
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.rubric import AgenticRubricTrait, LLMRubricTrait, RegexRubricTrait, Rubric
from karenina_gui.schemas.verification_config import VerificationConfig
from tests.default_template import default_template


@pytest.fixture
def document() -> BenchmarkDocument:
    document = BenchmarkDocument(name="b")
    templates = {
        "ready": "class A",
        "draft": "class A",
        "bare": None,
        "generated": default_template("generated"),
        "bad": "x",
    }
    for name, template in templates.items():
        question = Question(question=name, raw_answer="", id=name, answer_template=template)
        document.add(question, finished=name != "draft")
    return document


def test_only_finished_questions_with_a_usable_template_run_and_the_others_have_a_reason(
    document: BenchmarkDocument,
) -> None:
    selection = select(candidates_of(document, {"bad"}), None, VerificationConfig())
    assert selection.chosen == ["ready"]
    assert selection.left_out == [
        ("draft", NOT_FINISHED), ("bare", NO_TEMPLATE), ("generated", NO_TEMPLATE), ("bad", TEMPLATE_INVALID),
    ]  # fmt: skip
    assert selection.reasons == {NOT_FINISHED: 1, NO_TEMPLATE: 2, TEMPLATE_INVALID: 1}


def test_a_rubric_needs_no_template(document: BenchmarkDocument) -> None:
    selection = select(candidates_of(document), None, VerificationConfig(evaluation_mode="rubric_only"))
    assert selection.chosen == ["ready", "bare", "generated", "bad"]


def test_only_what_was_asked_for_is_chosen_or_left_out(document: BenchmarkDocument) -> None:
    wanted = {"draft", "ready", "bare"}
    found = select(candidates_of(document), None, VerificationConfig(), wanted)
    assert found == Selection(["ready"], [("draft", NOT_FINISHED), ("bare", NO_TEMPLATE)])


@pytest.mark.parametrize(
    ("rubric", "problem"),
    [
        ({"regex_traits": [{"name": "cites", "pattern": "y"}]}, "both have a trait named “cites”. Rename one"),
        ({"llm_traits": [{"name": "cites", "kind": "boolean"}]}, "Two traits are named “cites”. Rename one"),
        ({"regex_traits": [{"name": "own"}]}, "regex_traits.0.pattern: missing"),
    ],
)
def test_traits_that_cannot_be_evaluated_are_told_with_their_question(
    document: BenchmarkDocument, rubric: dict[str, object], problem: str
) -> None:
    document.rubric = Rubric(regex_traits=[RegexRubricTrait(name="cites", pattern="x")])
    for name in ("ready", "draft"):
        document.entry(name).question.question_rubric = rubric
    selection = select(candidates_of(document), document.rubric, VerificationConfig())
    assert selection.chosen == ["ready", "bad"]
    (fault,) = selection.rubric_faults
    assert fault.startswith("The rubric of the question “ready” is invalid: ")
    assert problem in fault
    with pytest.raises(InputError, match="“ready”"):
        selection.refuse_rubric_faults()


@pytest.mark.parametrize(("strategy", "looks"), [("individual", 2), ("shared", 1)])
def test_investigations_come_on_top_of_the_calls_that_read_their_scores(
    document: BenchmarkDocument, strategy: str, looks: int
) -> None:
    agents = [AgenticRubricTrait(name=name, kind="boolean", higher_is_better=True) for name in ("clean", "quick")]
    document.rubric = Rubric(agentic_traits=agents)
    config = VerificationConfig.model_validate({"agentic_rubric_strategy": strategy, "evaluation_mode": "rubric_only"})
    selection = select(candidates_of(document), document.rubric, config)
    answers = len(selection.chosen)
    assert (selection.trait_calls, selection.investigations) == (2 * answers, looks * answers)


def test_calls_for_deeply_judged_traits_are_counted_question_by_question(document: BenchmarkDocument) -> None:
    document.rubric = Rubric(llm_traits=[LLMRubricTrait(name="clear", kind="boolean")])
    own = {"llm_traits": [{"name": "own", "kind": "boolean"}]}
    document.entry("bad").question.question_rubric = own
    table = {"global": {"own": {}}, "question_specific": {"ready": {"clear": {}}, "bad": {"own": {}}}}
    config = VerificationConfig(deep_judgment_rubric_mode="custom", deep_judgment_rubric_config=table)
    selection = select(candidates_of(document), document.rubric, config)
    assert selection.chosen == ["ready", "bad"]
    assert selection.trait_calls == 3 + (1 + 3)


@pytest.mark.parametrize(
    ("settings", "deep", "plain"),
    [
        ({}, ("clear", "own"), ()),
        ({"deep_judgment_rubric_mode": "use_checkpoint"}, ("clear", "own"), ()),
        ({"deep_judgment_rubric_mode": "off"}, (), ("clear", "own")),
        ({"deep_judgment_rubric_mode": "enable_all"}, ("clear", "other", "own"), ()),
        ({"deep_judgment_rubric_mode": "custom", "deep_judgment_rubric_config": {"global": {"other": {}}}},
         ("other",), ("clear", "own")),
        ({"rubric_trait_names": ["other"]}, (), ()),
    ],
)  # fmt: skip
def test_traits_that_ask_for_evidence_get_it_unless_the_run_has_it_otherwise(
    document: BenchmarkDocument, settings: dict[str, Any], deep: tuple[str, ...], plain: tuple[str, ...]
) -> None:
    asking = {"kind": "boolean", "deep_judgment_enabled": True}
    document.rubric = Rubric.model_validate(
        {"llm_traits": [{"name": "clear", **asking}, {"name": "other", "kind": "boolean"}]}
    )
    document.entry("bad").question.question_rubric = {"llm_traits": [{"name": "own", **asking}]}
    selection = select(candidates_of(document), document.rubric, VerificationConfig.model_validate(settings))
    assert (selection.deep_traits, selection.plain_traits) == (deep, plain)
