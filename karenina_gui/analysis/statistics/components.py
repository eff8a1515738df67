"""Is it the questions, the answers or the judge? The variance of single scores, split into its parts.

The model of a score is y = arm + question + question × arm + answer + judge, all but the arm random. Its variances are
estimated by the moment (ANOVA) method: each sum of squares is set equal to what is expected of it (Searle, Casella &
McCulloch 1992, Variance Components, ch. 5). It needs no iteration, so that 10,000 jobs take milliseconds where REML
takes minutes; with equal numbers everywhere and no negative estimate it is the same as REML.

From the bottom upwards, a level being the group of the one below:

- judgments of one answer. Judges that are systematically stricter or milder than others are set apart by least squares
  (Henderson's method 3), so that what they share does not count as noise of the single judgment;
- answers of one question and arm, weighted by their judgments (coefficients of Satterthwaite 1946 and Gower 1962);
- questions and arms, from the unweighted means of their answers, so that each question counts the same; missing pairs
  of question and arm by Henderson's method 3 again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from karenina_gui.analysis.estimate import Components
from karenina_gui.analysis.scores import Floats, Integers, Scores

PARTS = ("question", "interaction", "answer", "judge")
NO_SCORES = "No job has a score."


def variance_components(scores: Scores) -> Components:
    """The variance of one judgment of one answer to one question, without what the arms differ by on average.

    In squared units of the metric. A negative estimate is reported as 0: the data show no variance of that part. What
    cannot be told apart counts as part of the next one above it: the judge as part of `answer`, `answer` as part of
    `interaction`, `interaction` as part of `question`; `why` says so.

    The judge part is, with one judge, what its repeats of one answer vary by; with several judges, systematic
    differences between them count as well.
    """
    raw = moment_estimates(scores)
    rounding = 1e-12 * float(np.nanmax(scores.value**2)) if scores.scored else 0.0
    question, interaction, answer, judge = (
        None if part is None else part if part > rounding else 0.0
        for part in (raw.question, raw.interaction, raw.answer, raw.judge)
    )
    return replace(raw, question=question, interaction=interaction, answer=answer, judge=judge)


def moment_estimates(scores: Scores) -> Components:
    """The same, unbiased: where a part is small, its estimate may be below 0."""
    if not scores.scored:
        return Components(None, None, None, None, why=dict.fromkeys(PARTS, NO_SCORES))
    judgments = _Judgments.of(scores)
    answers = _Answers.of(judgments)
    cells = _Cells.of(answers)
    found = (cells.question, cells.interaction, answers.variance, judgments.variance)
    why = _why(dict(zip(PARTS, found, strict=True)), several=len(np.unique(cells.arm)) > 1)
    return Components(*found, n=cells.questions, why=why)


def reliability(components: Components, replicates: int) -> float | None:
    """Of the mean of so many replicates, each judged once, as a measure of a question in one arm: 0 to 1.

    The share of its variance that would come again: ICC(1,k) by components, (Q + QA) / (Q + QA + (R + J) / k). None:
    the parts are not known, or nothing varies.
    """
    if components.question is None or components.answer is None or replicates < 1:
        return None
    lasting = components.question + (components.interaction or 0.0)
    total = lasting + (components.answer + (components.judge or 0.0)) / replicates
    return lasting / total if total > 0 else None


@dataclass(frozen=True)
class _Judgments:
    """Those with a score, by answer."""

    answer: Integers
    """Place of the answer among those that have any score."""
    key: Integers
    """Of each answer: (question × arms + arm) × `widest` + replicate."""
    value: Floats
    """Without the systematic differences between judges."""
    variance: float | None
    noise: float
    """Of one judgment, apart from systematic differences; 0 where it cannot be told from the answers."""
    arms: int
    widest: int

    @classmethod
    def of(cls, scores: Scores) -> _Judgments:
        has = np.flatnonzero(~np.isnan(scores.value))
        arms, widest = len(scores.arms), int(scores.replicate.max()) + 1
        cell = scores.question[has] * arms + scores.arm[has]
        key, answer = np.unique(cell * widest + scores.replicate[has], return_inverse=True)
        value, free = scores.value[has], len(has) - len(key)
        if not free:
            return cls(answer, key, value, None, 0.0, arms, widest)
        names = [judgment.judge or "" for judgment in scores.judgments]
        judges, judge = np.unique(names, return_inverse=True)
        table = _Crossed.of(value, answer, judge[scores.judgment[has]], len(judges))
        if table.degrees < 1:  # one answer, each judge once: judges and their noise cannot be told apart
            noise = float((table.centred**2).sum()) / free
            return cls(answer, key, value, noise, noise, arms, widest)
        noise = float((table.residual**2).sum()) / table.degrees
        judges_apart = float((table.centred**2).sum()) - free * noise
        systematic = judges_apart / table.weight if table.weight > 0 else 0.0
        level = value - table.effects[judge[scores.judgment[has]]]
        return cls(answer, key, level, noise + systematic, noise, arms, widest)


@dataclass(frozen=True)
class _Answers:
    """By cell, a pair of question and arm."""

    cell: Integers
    """Place of the cell among those that have any score."""
    key: Integers
    """Of each cell: question × arms + arm."""
    mean: Floats
    variance: float | None
    noise: Floats
    """Variance of each answer's mean about the mean of its cell, so far as it is told apart."""
    arms: int

    @classmethod
    def of(cls, below: _Judgments) -> _Answers:
        number = np.bincount(below.answer)
        mean = np.bincount(below.answer, weights=below.value) / number
        key, cell = np.unique(below.key // below.widest, return_inverse=True)
        noise, free = below.noise / number, len(mean) - len(key)
        if not free:
            return cls(cell, key, mean, None, noise, below.arms)
        size = np.bincount(cell, weights=number)
        middle = np.bincount(cell, weights=number * mean) / size
        squares = float((number * (mean - middle[cell]) ** 2).sum())
        weight = float((number - number**2 / size[cell]).sum())
        variance = (squares - free * below.noise) / weight
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
    """Values by group and column, some pairs missing: what is left without the groups, and without the columns too."""

    centred: Floats
    """Without the means of the groups."""
    residual: Floats
    """Also without the effects of the columns."""
    free: Floats
    """Of each value: the share of its own variance that is left in the residuals."""
    effects: Floats
    """Of the columns, least squares; they sum to 0 where any group links them."""
    weight: float
    """How often the variance between columns stands in the sum of squares of `centred`."""

    @property
    def degrees(self) -> int:
        return round(float(self.free.sum()))

    @classmethod
    def of(cls, values: Floats, group: Integers, column: Integers, columns: int) -> _Crossed:
        number = np.bincount(group)
        centred = values - (np.bincount(group, weights=values) / number)[group]
        share = np.bincount(group * columns + column, minlength=len(number) * columns).reshape(-1, columns)
        design = np.eye(columns)[column] - (share / number[:, None])[group]
        inverse = np.linalg.pinv(design.T @ design, hermitian=True)
        effects = inverse @ (design.T @ centred)
        free = 1 - 1 / number[group] - ((design @ inverse) * design).sum(axis=1)
        return cls(centred, centred - design @ effects, free, effects, float((design**2).sum()))


def _why(parts: dict[str, float | None], *, several: bool) -> dict[str, str]:
    """{part: why it is None, and where what it adds is counted}."""
    reasons = {
        "question": "Fewer than two questions have scores.",
        "interaction": "No two configurations share at least two scored questions." if several
        else "There is only one configuration.",
        "answer": "No question has two scored answers by one configuration.",
        "judge": "No answer was judged more than once.",
    }  # fmt: skip
    names = {
        "interaction": "Variance by configuration", "answer": "Variance between answers",
        "judge": "Variance between judgments",
    }  # fmt: skip
    homes = {"question": "questions", "interaction": "question × configuration", "answer": "answers"}
    said: dict[str, str] = {}
    above: list[str] = []
    for part, value in parts.items():
        if value is None:
            home = f" {names[part]} counts as part of {homes[above[-1]]}." if above else ""
            said[part] = reasons[part] + home
        else:
            above.append(part)
    return said
