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
    replayed = [judge for judge in config.parsing_models if judge.interface == "replay"]
    if config.evaluation_mode == "rubric_only" or all(each.interface != "replay" for each in config.answering_models):
        return []
    missing = {str(judge.id): tuple(_unrecorded(judge, catalog, tasks)) for judge in replayed}
    found: list[UnrecordedTemplates] = []
    for questions in dict.fromkeys(missing.values()):
        if questions:
            judges = tuple(name for name, own in missing.items() if own == questions)
            found.append(UnrecordedTemplates(judges, len(questions), questions[0]))
    return found


def _unrecorded(judge: ModelConfig, catalog: ModelCatalog, tasks: Sequence[Task]) -> list[str]:
    """Return the texts of the questions whose response schema the judge's recording does not have."""
    try:
        return [task.text for task in tasks if task.schema and not catalog.is_schema_recorded(judge, task.schema)]
    except InputError:
        return []  # unreadable, which `models.fault_of` reports
