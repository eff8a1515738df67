"""What stands against a plan, and what is doubtful about it, in sentences."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from karenina_gui.gui.models.fields import shown
from karenina_gui.gui.runs.condition_differences import differences
from karenina_gui.gui.runs.condition_draft import SETTINGS
from karenina_gui.gui.runs.plan import Plan
from karenina_gui.runs.recorded import Unrecorded
from karenina_gui.runs.selection import NO_TEMPLATE, NOT_FINISHED, TEMPLATE_INVALID, Selection
from karenina_gui.schemas.config import VerificationConfig


def missing(plan: Plan) -> list[str]:
    """What has to be written or chosen before it can start."""
    if not plan.questions:
        return ["Write a question first: this benchmark has none yet."]
    sentences = []
    if not plan.config.answering_models:
        sentences.append("Choose at least one answering model.")
    if plan.order.question_ids is not None and not plan.order.question_ids:
        sentences.append("Choose the keywords or the questions that shall run.")
    elif not plan.selection.chosen:
        sentences.append(_nothing_chosen(plan.selection))
    if plan.needs_judge and not plan.config.parsing_models:
        asking = {0: "The refusal check asks", 1: "1 of the chosen templates asks"}
        what = asking.get(plan.judged, f"{plan.judged:,} of the chosen templates ask")
        sentences.append(f"Choose a judge: {what} one to read the answers.")
    return sentences


def doubts(plan: Plan, unrecorded: Sequence[Unrecorded]) -> list[str]:
    """What its models will not do as they are chosen. `unrecorded`: those whose recordings lack answers."""
    return [
        *map(_lack, unrecorded),
        *_unheard(plan),
        *_unrated(plan),
        *_judged_once(plan),
        *_without_effect(plan.config),
        *_identical(plan.config),
    ]


def gone(chosen: Iterable[str], there: Container[str]) -> list[str]:
    """A sentence for each model that was chosen, by its name, and that nobody can choose any more."""
    return [
        f"“{name}” is not on the page Models (deleted or renamed): the run does without it."
        for name in dict.fromkeys(chosen)
        if name not in there
    ]


def _nothing_chosen(selection: Selection) -> str:
    reasons = selection.reasons
    if set(reasons) == {NOT_FINISHED}:
        return "Mark a question as finished first: only finished questions run."
    if NO_TEMPLATE in reasons:
        return "Give a finished question an answer template first: without one, nothing can be checked."
    if TEMPLATE_INVALID in reasons:
        return "Correct the answer template of a finished question first: each of them has an error."
    return "None of the chosen questions is there any more. Choose others."


def _lack(model: Unrecorded) -> str:
    return (
        f"{model.model} plays back a recording, which has no answer to {model.missing:,} of the {model.asked:,} things "
        "it would be asked: those jobs end in an error. A question, the system prompt, an addition to it or the number "
        "of replicates differs from the recording."
    )


def _unheard(plan: Plan) -> list[str]:
    """Judges that play back a recording beside answers that nobody has recorded with them."""
    fresh = [str(model.id) for model in plan.config.answering_models if model.interface != "replay"]
    judges = [str(judge.id) for judge in plan.config.parsing_models if judge.interface == "replay"]
    if not fresh or not judges or not plan.answers:
        return []
    sentence = (
        f"{', '.join(judges)} plays back a recording and cannot read answers that are not in it, as those of "
        f"{', '.join(fresh)}: these jobs end in an error where a judge is asked. Choose a judge that is really called."
    )
    return [sentence]


def _unrated(plan: Plan) -> list[str]:
    """Traits that ask a judge where there is none."""
    if plan.config.parsing_models or not plan.selection.trait_calls:
        return []
    sentence = (
        "Traits of the chosen questions ask a judge, and none is chosen: they get no score. Choose a judge to have "
        "them rated."
    )
    return [sentence]


def _judged_once(plan: Plan) -> list[str]:
    """Judges that play back a recording and are to judge each answer several times."""
    judges = [str(judge.id) for judge in plan.config.parsing_models if judge.interface == "replay"]
    if plan.config.judge_replicates == 1 or not judges or not plan.answers:
        return []
    sentence = (
        f"{', '.join(judges)} plays back a recording: unless each answer was judged as often when it was recorded, "
        "these jobs end in an error where a judge is asked. Choose a judge that is really called, or 1 judgment."
    )
    return [sentence]


def _without_effect(config: VerificationConfig) -> list[str]:
    """Settings of conditions of which the interface of a model makes no use."""
    found = []
    for model in config.answering_models:
        for condition in config.conditions if model.interface not in ("manual", "replay") else ():
            unused = [name for name in condition.settings.given if name not in shown(model.interface)]
            if unused:
                titles = ", ".join(SETTINGS[name].title.lower() for name in unused)
                found.append(
                    f"{model.id} cannot be told the {titles} that the condition “{condition.name}” sets: its interface "
                    "makes no use of it."
                )
    return found


def _identical(config: VerificationConfig) -> list[str]:
    """Conditions under which a model gets the same requests as under an earlier one."""
    found = []
    for at, condition in enumerate(config.conditions):
        same: dict[str, list[str]] = {}
        for model in config.answering_models:
            earlier = (each for each in config.conditions[:at] if not differences(each, condition, [model]))
            if model.interface != "manual" and (first := next(earlier, None)):
                same.setdefault(first.name, []).append(str(model.id))
        found += [
            f"“{first}” and “{condition.name}” send the same requests to {', '.join(models)}: only chance makes their "
            "results differ. Change the system prompt, tools, or settings of one of them."
            for first, models in same.items()
        ]
    return found
