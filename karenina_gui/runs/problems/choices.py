"""Choices of questions, models, and judges that a run lacks, or that do not fit each other."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from karenina_gui.runs.problems.cases import (
    DeletedModel,
    Doubt,
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
from karenina_gui.runs.selection import NO_TEMPLATE, NOT_FINISHED, TEMPLATE_INVALID, Selection
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.verification_config import VerificationConfig


def obstacles(
    config: VerificationConfig, selection: Selection, question_ids: Collection[str] | None, judged: int
) -> list[Obstacle]:
    """List what is missing.

    `question_ids`: the requested questions (None: all). `judged`: number of selected templates that call a judge.
    """
    found: list[Obstacle] = []
    if not config.answering_models:
        found.append(NoAnsweringModel())
    if question_ids is not None and not question_ids:
        found.append(NothingSelected())
    elif not selection.chosen:
        found.append(_nothing_chosen(selection))
    if needs_judge(config, judged) and not config.parsing_models:
        found.append(NoJudge(judged) if judged else NoJudgeForRefusals())
    return found


def needs_judge(config: VerificationConfig, judged: int) -> bool:
    """Check if the run cannot do without a judge; `judged`: see `obstacles`."""
    return config.abstention_enabled or (judged > 0 and config.evaluation_mode != "rubric_only")


def _nothing_chosen(selection: Selection) -> Obstacle:
    reasons = selection.reasons
    if set(reasons) == {NOT_FINISHED}:
        return NothingFinished()
    if NO_TEMPLATE in reasons:
        return NoTemplates()
    return InvalidTemplates() if TEMPLATE_INVALID in reasons else MissingQuestions()


def deleted_models(config: VerificationConfig, chosen: Iterable[str]) -> list[DeletedModel]:
    """List selected models that were deleted, and are therefore not in the configuration. `chosen`: names."""
    there = {model.id for model in (*config.answering_models, *config.parsing_models)}
    return [DeletedModel(name) for name in dict.fromkeys(chosen) if name not in there]


def doubts(config: VerificationConfig, selection: Selection) -> list[Doubt]:
    """List judgments that will be missing."""
    answered = bool(selection.chosen and config.answering_models)
    judges = _names(config.parsing_models, replayed=True) if answered else ()
    fresh = _names(config.answering_models, replayed=False)
    found: list[Doubt] = []
    if judges and fresh:
        found.append(ReplayedJudges(judges, fresh))
    if selection.trait_calls and not config.parsing_models:
        found.append(UnscoredTraits())
    if judges and config.judge_replicates > 1:
        found.append(RepeatedReplays(judges))
    return found


def _names(models: Iterable[ModelConfig], *, replayed: bool) -> tuple[str, ...]:
    return tuple(str(model.id) for model in models if (model.interface == "replay") is replayed)
