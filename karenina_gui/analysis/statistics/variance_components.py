"""Variance components of single scores, by the method of moments (ANOVA).

Model: y = arm + question + question × arm + answer + judge; all effects but the arm are random. Each sum of squares is
set equal to its expectation (Searle, Casella & McCulloch 1992, Variance Components, ch. 5). The method needs no
iteration: 10,000 jobs take milliseconds where REML takes minutes. For balanced data without negative estimates it
equals REML.

Levels, bottom-up; each level groups the one below:

- Judgments of one answer. Least squares separates systematic differences between judges (Henderson's method 3), so that
  they do not count as noise of a single judgment.
- Answers of one question and arm, weighted by their judgments (coefficients of Satterthwaite 1946 and Gower 1962).
- Questions and arms, from unweighted means of answers, so that each question counts the same. Henderson's method 3
  handles missing question × arm pairs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from karenina_gui.analysis.estimate import VarianceComponents
from karenina_gui.analysis.scores import Floats, Integers, Scores

PARTS = ("question", "interaction", "answer", "judge")
NO_SCORES = "No job has a score."


def variance_components(scores: Scores) -> VarianceComponents:
    """Variance components of one judgment, in squared units of the metric, without the arm effect.

    Negative estimates are reported as 0. A component that the data cannot separate is None and counts as part of the
    next one above it: judge → answer → interaction → question; `why` gives the reason.

    With one judge, the judge component is the variance between repeated judgments. With several judges it includes
    systematic differences between judges.
    """
    raw = moment_estimates(scores)
    # Equal scores such as 0.1 leave squares of rounding errors, which must not count as variance.
    rounding = 1e-12 * float(np.nanmax(scores.value**2)) if scores.scored else 0.0
    question, interaction, answer, judge = (
        None if part is None else part if part > rounding else 0.0
        for part in (raw.question, raw.interaction, raw.answer, raw.judge)
    )
    return replace(raw, question=question, interaction=interaction, answer=answer, judge=judge)


def moment_estimates(scores: Scores) -> VarianceComponents:
    """Unbiased variance components. The estimate of a small component can be negative."""
    if not scores.scored:
        return VarianceComponents(None, None, None, None, why=dict.fromkeys(PARTS, NO_SCORES))
    judgments = _Judgments.of(scores)
    answers = _Answers.of(judgments)
    cells = _Cells.of(answers)
    variances = (cells.question, cells.interaction, answers.variance, judgments.variance)
    why = _why(dict(zip(PARTS, variances, strict=True)), several=len(np.unique(cells.arm)) > 1)
    return VarianceComponents(*variances, n=cells.questions, why=why)


def reliability(components: VarianceComponents, replicates: int) -> float | None:
    """Reliability of the mean of `replicates` answers, each judged once: ICC(1,k), from 0 to 1.

    ICC(1,k) = (Q + QA) / (Q + QA + (R + J) / k) with the components question, interaction, answer, judge and k =
    `replicates`. None: components are unknown, or nothing varies.
    """
    if components.question is None or components.answer is None or replicates < 1:
        return None
    lasting = components.question + (components.interaction or 0.0)
    total = lasting + (components.answer + (components.judge or 0.0)) / replicates
    return lasting / total if total > 0 else None


@dataclass(frozen=True)
class _Judgments:
    """Judgments with a score, grouped by answer."""

    answer: Integers
    """Index of the answer among answers with any score."""
    key: Integers
    """Key of each answer: (question × arms + arm) × `widest` + replicate."""
    value: Floats
    """Scores without systematic differences between judges."""
    variance: float | None
    noise: float
    """Variance of one judgment without systematic differences; 0 if not separable from the answers."""
    arms: int
    widest: int

    @classmethod
    def of(cls, scores: Scores) -> _Judgments:
        has = np.flatnonzero(~np.isnan(scores.value))
        arms, widest = len(scores.arms), int(scores.replicate.max()) + 1
        key, answer = np.unique(scores.cell[has] * widest + scores.replicate[has], return_inverse=True)
        value, df = scores.value[has], len(has) - len(key)
        if not df:
            return cls(answer, key, value, None, 0.0, arms, widest)
        names = [judgment.judge or "" for judgment in scores.judgments]
        judges, judge = np.unique(names, return_inverse=True)
        table = _Crossed.of(value, answer, judge[scores.judgment[has]], len(judges))
        if table.degrees < 1:
            noise = float((table.centred**2).sum()) / df
            return cls(answer, key, value, noise, noise, arms, widest)
        noise = float((table.residual**2).sum()) / table.degrees
        # E[SS between judgments] = df·σ²_noise + weight·σ²_judge, solved for σ²_judge.
        judges_apart = float((table.centred**2).sum()) - df * noise
        systematic = judges_apart / table.weight if table.weight > 0 else 0.0
        level = value - table.effects[judge[scores.judgment[has]]]
        return cls(answer, key, level, noise + systematic, noise, arms, widest)


@dataclass(frozen=True)
class _Answers:
    """Answers grouped by cell, a pair of question and arm."""

    cell: Integers
    """Index of the cell among cells with any score."""
    key: Integers
    """Key of each cell: question × arms + arm."""
    mean: Floats
    variance: float | None
    noise: Floats
    """Variance of each answer's mean around the mean of its cell, as far as it is separable."""
    arms: int

    @classmethod
    def of(cls, below: _Judgments) -> _Answers:
        number = np.bincount(below.answer)
        mean = np.bincount(below.answer, weights=below.value) / number
        key, cell = np.unique(below.key // below.widest, return_inverse=True)
        noise, df = below.noise / number, len(mean) - len(key)
        if not df:
            return cls(cell, key, mean, None, noise, below.arms)
        size = np.bincount(cell, weights=number)
        middle = np.bincount(cell, weights=number * mean) / size
        squares = float((number * (mean - middle[cell]) ** 2).sum())
        # Weighted by judgments: E[SS] = free·σ²_judgment + Σ(n_i - n_i² / n_cell)·σ²_answer.
        weight = float((number - number**2 / size[cell]).sum())
        variance = (squares - df * below.noise) / weight
        return cls(cell, key, mean, variance, noise + variance, below.arms)


@dataclass(frozen=True)
class _Cells:
    arm: Integers
    questions: int
    question: float | None
    interaction: float | None

    @classmethod
    def of(cls, below: _Answers) -> _Cells:
        question, arm = np.divmod(below.key, below.arms)
        number = np.bincount(below.cell)
        mean = np.bincount(below.cell, weights=below.mean) / number
        noise = np.bincount(below.cell, weights=below.noise) / number**2
        questions = len(np.unique(question))
        table = _Crossed.of(mean, np.unique(question, return_inverse=True)[1], arm, below.arms)
        interaction = None
        if table.degrees >= 1:
            interaction = (float((table.residual**2).sum()) - float(table.free @ noise)) / table.degrees
        size = np.bincount(arm, minlength=below.arms)[arm]
        free = len(mean) - len(np.unique(arm))
        if not free:
            return cls(arm, questions, None, interaction)
        middle = np.bincount(arm, weights=mean, minlength=below.arms)[arm] / size
        squares = float(((mean - middle) ** 2).sum()) - float((1 - 1 / size) @ noise)
        return cls(arm, questions, squares / free - (interaction or 0.0), interaction)


@dataclass(frozen=True)
class _Crossed:
    """Two-way table with missing pairs: residuals without group means, then also without column effects."""

    centred: Floats
    """Values minus the mean of their group."""
    residual: Floats
    """Values minus group means and column effects."""
    free: Floats
    """Share of each value's own variance that is left in the residuals (1 - leverage)."""
    effects: Floats
    """Least-squares column effects; they sum to 0 if groups connect the columns."""
    weight: float
    """Coefficient of the column variance in the expected sum of squares of `centred`."""

    @property
    def degrees(self) -> int:
        return round(float(self.free.sum()))

    @classmethod
    def of(cls, values: Floats, group: Integers, column: Integers, columns: int) -> _Crossed:
        number = np.bincount(group)
        # Groups are removed by centering and not as dummy columns: the matrix to invert stays columns × columns.
        centred = values - (np.bincount(group, weights=values) / number)[group]
        share = np.bincount(group * columns + column, minlength=len(number) * columns).reshape(-1, columns)
        design = np.eye(columns)[column] - (share / number[:, None])[group]
        # Columns without a common group leave the design singular, which the pseudo-inverse tolerates.
        inverse = np.linalg.pinv(design.T @ design, hermitian=True)
        effects = inverse @ (design.T @ centred)
        free = 1 - 1 / number[group] - ((design @ inverse) * design).sum(axis=1)
        return cls(centred, centred - design @ effects, free, effects, float((design**2).sum()))


def _why(parts: dict[str, float | None], *, several: bool) -> dict[str, str]:
    """Return {part: why it is None, and the part that includes its variance}."""
    reasons = {
        "question": "Fewer than two questions have scores.",
        "interaction": "No two configurations share at least two scored questions."
        if several
        else "There is only one configuration.",
        "answer": "No question has two scored answers by one configuration.",
        "judge": "No answer was judged more than once.",
    }
    names = {
        "interaction": "Variance of questions × configurations",
        "answer": "Variance between answers",
        "judge": "Variance between judgments",
    }
    homes = {
        "question": "variance between questions",
        "interaction": "variance of questions × configurations",
        "answer": "variance between answers",
    }
    explanations: dict[str, str] = {}
    above: list[str] = []
    for part, value in parts.items():
        if value is None:
            home = f" {names[part]} counts as {homes[above[-1]]}." if above else ""
            explanations[part] = reasons[part] + home
        else:
            above.append(part)
    return explanations
