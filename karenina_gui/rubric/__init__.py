"""Trait evaluators: one file a trait type, one row in the table of `evaluators.py`.

    regex.py          a pattern is searched                          in the sandbox
    callable.py       a function of the author's looks               in the sandbox
    llm.py            yes or no, a score, one of several classes     by the judge
    llm_template.py   a form with fields                             by the judge
    deep_judgment.py  the same as llm.py, on quoted passages         by the judge
    metric.py         what is mentioned, counted                     by the judge
    agentic.py        whatever an agent can find out                 by the judge, in a stage of its own

`RubricTask` is what they work on, `Terms` under which settings, `TraitScores` what they give back.
"""

from karenina_gui.rubric.evaluators import (
    EVALUATORS,
    TraitEvaluator,
    evaluate,
    judge_calls,
    register,
)
from karenina_gui.rubric.scales import scales
from karenina_gui.rubric.scores import TraitScores
from karenina_gui.rubric.task import RubricTask
from karenina_gui.rubric.terms import Terms

__all__ = [
    "EVALUATORS",
    "RubricTask",
    "Terms",
    "TraitEvaluator",
    "TraitScores",
    "evaluate",
    "judge_calls",
    "register",
    "scales",
]
