"""Questions, models, and judges that a run lacks, or that do not fit each other, are found before it starts."""

from __future__ import annotations

from typing import Any

import pytest

from karenina_gui.runs.problems.choices import NO_ANSWERING_MODEL, deleted_models, doubts, obstacles
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
    assert found == [
        NO_ANSWERING_MODEL,
        "Select keywords or questions to run.",
        "Select a judge: 2 templates need one.",
    ]


@pytest.mark.parametrize(
    ("reasons", "obstacle"),
    [
        ([NOT_FINISHED, NOT_FINISHED], "Only finished questions run."),
        ([NOT_FINISHED, NO_TEMPLATE, TEMPLATE_INVALID], "Finished questions have no answer template."),
        ([NOT_FINISHED, TEMPLATE_INVALID], "The templates of all finished questions have errors."),
        ([], "The selected questions no longer exist."),
    ],
)
def test_the_reason_why_no_question_runs_is_found(reasons: list[str], obstacle: str) -> None:
    selection = Selection(left_out=[(str(at), reason) for at, reason in enumerate(reasons)])
    (found,) = obstacles(config(), selection, None, judged=0)
    assert found.startswith(obstacle)


def test_a_judge_is_needed_by_templates_and_by_the_refusal_check() -> None:
    assert obstacles(config(judge=None), CHOSEN, None, judged=0) == []
    refusals = config(judge=None, abstention_enabled=True)
    assert obstacles(refusals, CHOSEN, None, judged=0) == ["Select a judge: the refusal check needs one."]
    assert obstacles(config(judge=None, evaluation_mode="rubric_only"), CHOSEN, None, judged=3) == []


def test_models_that_were_deleted_are_named_once() -> None:
    chosen = ["ada", "gone", "lost", "gone"]
    doubts = deleted_models(config(judge=REPLAYED), chosen)
    assert [doubt.partition(" is no longer on the Models page")[0] for doubt in doubts] == ["“gone”", "“lost”"]


def test_replayed_judges_know_only_recorded_answers() -> None:
    (doubt,) = doubts(config(judge=REPLAYED), CHOSEN)
    assert doubt.startswith("careful replays recorded judgments, so jobs with new answers from ada end in errors.")
    both = VerificationConfig(
        answering_models=[LIVE], parsing_models=[REPLAYED, REPLAYED.model_copy(update={"id": "b"})]
    )
    assert doubts(both, CHOSEN)[0].startswith("careful and b replay recorded judgments, so")
    assert doubts(config(REPLAYED, REPLAYED), CHOSEN) == []
    assert doubts(config(judge=REPLAYED), Selection()) == []


def test_replayed_judges_judge_once() -> None:
    (doubt,) = doubts(config(REPLAYED, REPLAYED, judge_replicates=2), CHOSEN)
    assert doubt.startswith("careful replays recorded judgments: jobs with more judgments than recorded end in errors.")
    assert doubts(config(REPLAYED, LIVE, judge_replicates=2), CHOSEN) == []


def test_traits_want_a_judge() -> None:
    judged = Selection(chosen=["a"], trait_calls=1)
    (doubt,) = doubts(config(judge=None), judged)
    assert doubt.startswith("Some traits need a judge, and none is selected")
    assert doubts(config(), judged) == []
    assert doubts(config(judge=None), judged, judged=3) == [], "an obstacle says so"
