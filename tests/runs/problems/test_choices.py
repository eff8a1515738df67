"""Questions, models, and judges that a run lacks, or that do not fit each other, are found before it starts."""

from __future__ import annotations

from typing import Any

import pytest

from karenina_gui.runs.problems.cases import (
    DeletedModel,
    InvalidTemplates,
    MissingQuestions,
    NoAnsweringModel,
    NoJudge,
    NoJudgeForRefusals,
    NoTemplates,
    NothingFinished,
    NothingSelected,
    Obstacle,
    RepeatedReplays,
    ReplayedJudges,
    UnscoredTraits,
)
from karenina_gui.runs.problems.choices import deleted_models, doubts, obstacles
from karenina_gui.runs.selection import NO_TEMPLATE, NOT_FINISHED, TEMPLATE_INVALID, Selection
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.verification_config import VerificationConfig

LIVE = ModelConfig(id="ada", model_name="m", interface="openai_endpoint")
REPLAYED = ModelConfig(id="careful", model_name="m", interface="replay", recording="example")
CHOSEN = Selection(chosen=["a"])


def config(answering: ModelConfig | None = LIVE, judge: ModelConfig | None = LIVE, **fields: Any) -> VerificationConfig:
    return VerificationConfig(
        answering_models=[answering] if answering else [], parsing_models=[judge] if judge else [], **fields
    )


def test_a_run_with_questions_models_and_a_judge_lacks_nothing() -> None:
    assert obstacles(config(), CHOSEN, None, judged=1) == []


def test_everything_that_is_missing_is_found_at_once() -> None:
    found = obstacles(config(None, None), Selection(), [], judged=2)
    assert found == [NoAnsweringModel(), NothingSelected(), NoJudge(templates=2)]


@pytest.mark.parametrize(
    ("reasons", "obstacle"),
    [
        ([NOT_FINISHED, NOT_FINISHED], NothingFinished()),
        ([NOT_FINISHED, NO_TEMPLATE, TEMPLATE_INVALID], NoTemplates()),
        ([NOT_FINISHED, TEMPLATE_INVALID], InvalidTemplates()),
        ([], MissingQuestions()),
    ],
)
def test_the_reason_why_no_question_runs_is_found(reasons: list[str], obstacle: Obstacle) -> None:
    selection = Selection(left_out=[(str(at), reason) for at, reason in enumerate(reasons)])
    assert obstacles(config(), selection, None, judged=0) == [obstacle]


def test_a_judge_is_needed_by_templates_and_by_the_refusal_check() -> None:
    assert obstacles(config(judge=None), CHOSEN, None, judged=0) == []
    refusals = config(judge=None, abstention_enabled=True)
    assert obstacles(refusals, CHOSEN, None, judged=0) == [NoJudgeForRefusals()]
    assert obstacles(config(judge=None, evaluation_mode="rubric_only"), CHOSEN, None, judged=3) == []


def test_models_that_were_deleted_are_named_once() -> None:
    chosen = ["ada", "gone", "lost", "gone"]
    assert deleted_models(config(judge=REPLAYED), chosen) == [DeletedModel("gone"), DeletedModel("lost")]


def test_replayed_judges_know_only_recorded_answers() -> None:
    assert doubts(config(judge=REPLAYED), CHOSEN) == [ReplayedJudges(("careful",), models=("ada",))]
    assert doubts(config(REPLAYED, REPLAYED), CHOSEN) == []
    assert doubts(config(judge=REPLAYED), Selection()) == []


def test_replayed_judges_judge_once() -> None:
    assert doubts(config(REPLAYED, REPLAYED, judge_replicates=2), CHOSEN) == [RepeatedReplays(("careful",))]
    assert doubts(config(REPLAYED, LIVE, judge_replicates=2), CHOSEN) == []


def test_traits_want_a_judge() -> None:
    judged = Selection(chosen=["a"], trait_calls=1)
    assert doubts(config(judge=None), judged) == [UnscoredTraits()]
    assert doubts(config(), judged) == []
