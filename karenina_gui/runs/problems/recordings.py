"""Recorded judges without a reply that fits the templates and the options as they are now.

A judge's whole request contains the answer, which is unknown before the run. Its response schema contains the fields
and their descriptions, so a recording without that schema cannot have the reply. Nor can one that was made without a
check.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from karenina_gui.adapters.ports import Purpose
from karenina_gui.errors import InputError
from karenina_gui.runs.models import ModelCatalog
from karenina_gui.runs.problems.workspace_files import Task, first_of
from karenina_gui.schemas.call_purposes import PURPOSE_TITLES
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.text import join_list, quantity, verb


def doubts(config: VerificationConfig, catalog: ModelCatalog, tasks: Sequence[Task]) -> list[str]:
    """Judges whose recording was made with other templates or options. `tasks`: the selected questions in order."""
    # New answers have no recorded judgment at all, see `choices.doubts`.
    if not _with_recording(config.answering_models):
        return []
    return [*_without_templates(config, catalog, tasks), *_without_checks(config, catalog)]


def _without_templates(config: VerificationConfig, catalog: ModelCatalog, tasks: Sequence[Task]) -> Iterator[str]:
    if config.evaluation_mode == "rubric_only":
        return
    judges: dict[tuple[str, ...], list[str]] = {}
    for judge in _with_recording(config.parsing_models):
        if questions := tuple(_questions_without_schema(judge, catalog, tasks)):
            judges.setdefault(questions, []).append(str(judge.id))
    for texts, names in judges.items():
        count = len(texts)
        yield (
            f"{join_list(names)} {verb(len(names), 'has', 'have')} no recorded judgments for "
            f"{quantity(count, 'template')} as {verb(count, 'it is', 'they are')} now: jobs of "
            f"{verb(count, 'this question', 'these questions')} will end in errors. Undo edits of the fields, or "
            f"select another judge. {first_of(texts)}"
        )


def _without_checks(config: VerificationConfig, catalog: ModelCatalog) -> Iterator[str]:
    judges: dict[tuple[str, ...], list[str]] = {}
    for judge in _with_recording(config.parsing_models):
        try:
            lacking = [purpose for purpose in _checks(config) if not catalog.is_purpose_recorded(judge, purpose)]
        except InputError:
            continue  # unreadable, which `models.fault_of` reports
        if checks := tuple(PURPOSE_TITLES[purpose].lower() for purpose in lacking):
            judges.setdefault(checks, []).append(str(judge.id))
    for checks, names in judges.items():
        them = verb(len(checks), "it", "them")
        yield (
            f"{join_list(names)} {verb(len(names), 'has', 'have')} no recorded replies for {join_list(checks)}: jobs "
            f"will skip {them} or end in errors. Turn {them} off in the options, or select a judge without a recording."
        )


def _checks(config: VerificationConfig) -> Iterator[Purpose]:
    """Purposes of the calls that the options add to a run."""
    if config.abstention_enabled:
        yield "abstention_check"
    fields, traits = config.evaluation_mode != "rubric_only", config.evaluation_mode != "template_only"
    if fields and config.sufficiency_enabled:
        yield "sufficiency_check"
    if fields and config.deep_judgment_mode == "reasoning_only":
        yield "deep_judgment_reasoning"
    of_traits = traits and config.deep_judgment_rubric_mode in ("enable_all", "custom")
    if of_traits or (fields and config.deep_judgment_mode == "full"):
        yield "deep_judgment_excerpts"


def _with_recording(models: Sequence[ModelConfig]) -> list[ModelConfig]:
    return [model for model in models if model.interface == "replay"]


def _questions_without_schema(judge: ModelConfig, catalog: ModelCatalog, tasks: Sequence[Task]) -> list[str]:
    """Return the texts of the questions whose response schema the judge's recording does not have."""
    try:
        return [task.text for task in tasks if task.schema and not catalog.is_schema_recorded(judge, task.schema)]
    except InputError:
        return []  # unreadable, which `models.fault_of` reports
