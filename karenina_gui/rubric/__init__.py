"""Trait evaluators: one file a trait type, one row in the table of `evaluators.py`.

    regex.py          a pattern is searched                          in the sandbox
    callable.py       a function of the author's looks               in the sandbox
    llm.py            yes or no, a score, one of several classes     by the judge
    llm_template.py   a form with fields                             by the judge
    deep_judgment.py  the same as llm.py, on quoted passages         by the judge
    metric.py         what is mentioned, counted                     by the judge
    agentic.py        whatever an agent can find out                 by the judge, in a stage of its own

`RubricTask` is what they work on, `Terms` under which settings, `TraitScores` what they give back.
The names are loaded when first used: who plans a run counts calls by the terms, and evaluates nothing.
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
    from karenina_gui.rubric.terms import Terms as Terms

_HOMES = {
    "EVALUATORS": "evaluators",
    "RubricTask": "task",
    "Terms": "terms",
    "TraitEvaluator": "evaluators",
    "TraitScores": "scores",
    "evaluate": "evaluators",
    "judge_calls": "evaluators",
    "register": "evaluators",
}

__all__ = [
    "EVALUATORS",
    "RubricTask",
    "Terms",
    "TraitEvaluator",
    "TraitScores",
    "evaluate",
    "judge_calls",
    "register",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
