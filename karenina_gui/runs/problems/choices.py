"""Choices of questions, models, and judges that a run lacks, or that do not fit each other."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from karenina_gui.runs.selection import NO_TEMPLATE, NOT_FINISHED, TEMPLATE_INVALID, Selection
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.text import join_list, quantity, verb

NO_ANSWERING_MODEL = "Select at least one answering model."
NOTHING_RUNNABLE = "No questions can run. Mark a question with an answer template as finished first."
NO_QUESTIONS = "This benchmark has no questions yet. Add one first."


def obstacles(
    config: VerificationConfig, selection: Selection, question_ids: Collection[str] | None, judged: int
) -> list[str]:
    """List what is missing.

    `question_ids`: the requested questions (None: all). `judged`: number of selected templates that call a judge.
    """
    problems = []
    if not config.answering_models:
        problems.append(NO_ANSWERING_MODEL)
    if question_ids is not None and not question_ids:
        problems.append("Select keywords or questions to run.")
    elif not selection.chosen:
        problems.append(_nothing_chosen(selection))
    if needs_judge(config, judged) and not config.parsing_models:
        need = f"{quantity(judged, 'template')} {verb(judged, 'needs', 'need')}"
        problems.append(f"Select a judge: {need} one." if judged else "Select a judge: the refusal check needs one.")
    return problems


def needs_judge(config: VerificationConfig, judged: int) -> bool:
    """Check if the run cannot do without a judge; `judged`: see `obstacles`."""
    return config.abstention_enabled or (judged > 0 and config.evaluation_mode != "rubric_only")


def _nothing_chosen(selection: Selection) -> str:
    reasons = selection.reasons
    if set(reasons) == {NOT_FINISHED}:
        return "Only finished questions run. Mark one as finished first."
    if NO_TEMPLATE in reasons:
        return "Finished questions have no answer template. Add one first."
    if TEMPLATE_INVALID in reasons:
        return "The templates of all finished questions have errors. Fix one first."
    return "The selected questions no longer exist. Select others."


def deleted_models(config: VerificationConfig, chosen: Iterable[str]) -> list[str]:
    """List selected models that were deleted, and are therefore not in the configuration. `chosen`: names."""
    there = {model.id for model in (*config.answering_models, *config.parsing_models)}
    return [
        f"“{name}” is no longer on the Models page (deleted or renamed), so the run won’t use it."
        for name in dict.fromkeys(chosen)
        if name not in there
    ]


def doubts(config: VerificationConfig, selection: Selection, judged: int = 0) -> list[str]:
    """List judgments that will be missing; `judged`: as in `obstacles`, which reports a judge that the run needs."""
    answered = bool(selection.chosen and config.answering_models)
    judges = _names(config.parsing_models, replayed=True) if answered else []
    fresh = _names(config.answering_models, replayed=False)
    doubts = []
    replay = f"{join_list(judges)} {verb(len(judges), 'replays', 'replay')} recorded judgments"
    if judges and fresh:
        doubts.append(
            f"{replay}, so jobs with new answers from {join_list(fresh)} end in errors. Select a judge without a "
            "recording."
        )
    if selection.trait_calls and not config.parsing_models and not needs_judge(config, judged):
        doubts.append("Some traits need a judge, and none is selected: they get no score. Select a judge to rate them.")
    if judges and config.judge_replicates > 1:
        doubts.append(
            f"{replay}: jobs with more judgments than recorded end in errors. Select a judge without a recording, or "
            "set 1 judgment."
        )
    return doubts


def _names(models: Iterable[ModelConfig], *, replayed: bool) -> list[str]:
    return [str(model.id) for model in models if (model.interface == "replay") is replayed]
