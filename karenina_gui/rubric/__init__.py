"""Trait evaluators, listed in the table of `evaluators.py`.

    evaluators.py     pattern search, function of the author         in the sandbox
    llm.py            boolean, score or class                        by the judge
    llm_template.py   structured score with several fields           by the judge
    deep_judgment.py  as `llm.py`, with quotes and reasoning         by the judge
    metric.py         precision and recall of statements             by the judge
    agentic.py        investigation by an agent                      by the judge, in a stage of its own

`RubricTask` is their input, `TraitSettings` the settings, `TraitScores` the output. Names are imported on first use,
because planning a run needs only the settings, and no evaluator.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from karenina_gui.rubric.evaluators import (
        EVALUATORS as EVALUATORS,
        TraitEvaluator as TraitEvaluator,
        evaluate as evaluate,
        judge_calls as judge_calls,
        register as register,
    )
    from karenina_gui.rubric.scores import TraitScores as TraitScores
    from karenina_gui.rubric.task import RubricTask as RubricTask
    from karenina_gui.rubric.trait_settings import TraitSettings as TraitSettings

_HOMES = {
    "EVALUATORS": "evaluators",
    "RubricTask": "task",
    "TraitSettings": "trait_settings",
    "TraitEvaluator": "evaluators",
    "TraitScores": "scores",
    "evaluate": "evaluators",
    "judge_calls": "evaluators",
    "register": "evaluators",
}

__all__ = [
    "EVALUATORS",
    "RubricTask",
    "TraitEvaluator",
    "TraitScores",
    "TraitSettings",
    "evaluate",
    "judge_calls",
    "register",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
