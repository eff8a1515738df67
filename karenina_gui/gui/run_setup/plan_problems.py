"""Problems and doubts of a plan as sentences."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from karenina_gui.gui.models.fields import visible_fields
from karenina_gui.gui.run_setup.condition_differences import differences
from karenina_gui.gui.run_setup.condition_draft import SETTINGS
from karenina_gui.gui.run_setup.plan import Plan
from karenina_gui.runs.recording_coverage import MissingRecording
from karenina_gui.runs.selection import NO_TEMPLATE, NOT_FINISHED, TEMPLATE_INVALID, Selection
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.text import join_list, quantity, verb


def missing(plan: Plan) -> list[str]:
    """List missing questions, models, or traits."""
    if not plan.questions:
        return ["This benchmark has no questions yet. Add one first."]
    sentences = []
    if not plan.config.answering_models:
        sentences.append("Select at least one answering model.")
    if plan.order.question_ids is not None and not plan.order.question_ids:
        sentences.append("Select keywords or questions to run.")
    elif not plan.selection.chosen:
        sentences.append(_nothing_chosen(plan.selection))
    if plan.needs_judge and not plan.config.parsing_models:
        templates = f"{quantity(plan.judged, 'template')} {verb(plan.judged, 'needs', 'need')} one"
        sentences.append(f"Select a judge: {templates if plan.judged else 'the refusal check needs one'}.")
    return sentences


def doubts(plan: Plan, unrecorded: Sequence[MissingRecording]) -> list[str]:
    """List limits of the selected models. `unrecorded`: replayed models whose recordings lack answers."""
    return [
        *map(_recording_gap, unrecorded),
        *_replayed_judges(plan),
        *_unrated_traits(plan),
        *_repeated_judgments(plan),
        *_without_effect(plan.config),
        *_identical(plan.config),
    ]


def missing_models(chosen: Iterable[str], there: Container[str]) -> list[str]:
    """Warn about selected models that were deleted."""
    return [
        f"“{name}” is no longer on the Models page (deleted or renamed), so the run won’t use it."
        for name in dict.fromkeys(chosen)
        if name not in there
    ]


def _nothing_chosen(selection: Selection) -> str:
    reasons = selection.reasons
    if set(reasons) == {NOT_FINISHED}:
        return "Only finished questions run. Mark one as finished first."
    if NO_TEMPLATE in reasons:
        return "Finished questions have no answer template. Add one first."
    if TEMPLATE_INVALID in reasons:
        return "The templates of all finished questions have errors. Fix one first."
    return "The selected questions no longer exist. Select others."


def _recording_gap(model: MissingRecording) -> str:
    return (
        f"{model.model} replays a recording that lacks {model.missing:,} of {quantity(model.asked, 'answer')}: those "
        "jobs will end in errors. The questions, prompts, or number of replicates differ from the recording."
    )


def _replayed_judges(plan: Plan) -> list[str]:
    """Warn about replayed judges of answers that were not recorded with them."""
    fresh = [str(model.id) for model in plan.config.answering_models if model.interface != "replay"]
    judges = [str(judge.id) for judge in plan.config.parsing_models if judge.interface == "replay"]
    if not fresh or not judges or not plan.answers:
        return []
    sentence = (
        f"{join_list(judges)} {verb(len(judges), 'replays', 'replay')} recorded judgments, so jobs with new answers "
        f"from {join_list(fresh)} end in errors. Select a judge without a recording."
    )
    return [sentence]


def _unrated_traits(plan: Plan) -> list[str]:
    """Warn about traits that need a judge if there is none."""
    if plan.config.parsing_models or not plan.selection.trait_calls:
        return []
    sentence = "Some traits need a judge, and none is selected: they get no score. Select a judge to rate them."
    return [sentence]


def _repeated_judgments(plan: Plan) -> list[str]:
    """Warn about replayed judges that would have to judge each answer repeatedly."""
    judges = [str(judge.id) for judge in plan.config.parsing_models if judge.interface == "replay"]
    if plan.config.judge_replicates == 1 or not judges or not plan.answers:
        return []
    sentence = (
        f"{join_list(judges)} {verb(len(judges), 'replays', 'replay')} recorded judgments: jobs with more judgments "
        "than recorded end in errors. Select a judge without a recording, or set 1 judgment."
    )
    return [sentence]


def _without_effect(config: VerificationConfig) -> list[str]:
    """Warn about condition settings that a model's interface ignores."""
    found = []
    for model in config.answering_models:
        for condition in config.conditions if model.interface not in ("manual", "replay") else ():
            unused = [name for name in condition.settings.given if name not in visible_fields(model.interface)]
            if unused:
                titles = join_list([f"“{SETTINGS[name].title}”" for name in unused])
                found.append(
                    f"{model.id} ignores {titles} of the condition “{condition.name}”: its interface can’t set it."
                )
    return found


def _identical(config: VerificationConfig) -> list[str]:
    """Warn about conditions under which a model receives the same requests."""
    found = []
    for at, condition in enumerate(config.conditions):
        same: dict[str, list[str]] = {}
        for model in config.answering_models:
            earlier = (each for each in config.conditions[:at] if not differences(each, condition, [model]))
            # Models with recorded answers send no requests.
            if model.interface != "manual" and (first := next(earlier, None)):
                same.setdefault(first.name, []).append(str(model.id))
        found += [
            f"“{first}” and “{condition.name}” send the same requests to {join_list(models)}, so results will only "
            "differ at random. Change the system prompt, tools, or settings of one of them."
            for first, models in same.items()
        ]
    return found
