"""Recorded judges without a reply that fits the templates as they are now.

A judge's whole request contains the answer, which is unknown before the run. Its response schema contains the fields
and their descriptions, so a recording without that schema cannot have the reply.
"""

from __future__ import annotations

from collections.abc import Sequence

from karenina_gui.errors import InputError
from karenina_gui.runs.models import ModelCatalog
from karenina_gui.runs.problems.cases import UnrecordedTemplates
from karenina_gui.runs.problems.workspace_files import Task
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.verification_config import VerificationConfig


def doubts(config: VerificationConfig, catalog: ModelCatalog, tasks: Sequence[Task]) -> list[UnrecordedTemplates]:
    """List judges whose recording was made with other templates; `tasks`: the selected questions in order."""
    # New answers have no recorded judgment at all, see `choices.doubts`.
    if config.evaluation_mode == "rubric_only" or not _with_recording(config.answering_models):
        return []
    judges: dict[tuple[str, ...], list[str]] = {}
    for judge in _with_recording(config.parsing_models):
        if questions := tuple(_questions_without_schema(judge, catalog, tasks)):
            judges.setdefault(questions, []).append(str(judge.id))
    return [UnrecordedTemplates(tuple(names), len(texts), texts[0]) for texts, names in judges.items()]


def _with_recording(models: Sequence[ModelConfig]) -> list[ModelConfig]:
    return [model for model in models if model.interface == "replay"]


def _questions_without_schema(judge: ModelConfig, catalog: ModelCatalog, tasks: Sequence[Task]) -> list[str]:
    """Return the texts of the questions whose response schema the judge's recording does not have."""
    try:
        return [task.text for task in tasks if task.schema and not catalog.is_schema_recorded(judge, task.schema)]
    except InputError:
        return []  # unreadable, which `models.fault_of` reports
