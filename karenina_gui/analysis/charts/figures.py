"""Figures shared by several charts. Those of a single chart are `FIGURES` in its module."""

from __future__ import annotations

from karenina_gui.analysis.thresholds import (
    MIN_QUESTIONS_FOR_NORMAL,
)
from karenina_gui.schemas.figure import NOT_SCORED, QUESTIONS_EQUAL, Figure

SCORE_INTERVAL = (
    "95% CI: Wilson score interval of the effective number of answers; Student’s t if the scale has no lowest or no "
    f"highest value. Approximate with fewer than {MIN_QUESTIONS_FOR_NORMAL} questions and near the ends of the scale."
)
MEAN = Figure(
    "chart-mean",
    "Mean of a configuration",
    "The pass rate, or the mean of the selected trait: the same figure as on the run’s page and in exports.",
    NOT_SCORED,
    QUESTIONS_EQUAL,
    SCORE_INTERVAL,
    ("Mean", "95% CI low", "95% CI high"),
)
QUESTIONS = Figure(
    "questions",
    "Questions (n)",
    "Questions with at least one scored answer.",
    "Questions without a score.",
    columns=("Questions", "Questions scored"),
)
JOBS_SCORED = Figure(
    "jobs-scored",
    "Jobs scored of planned",
    "Jobs (single judgments) with a score, of all planned to have one, and why the others have none.",
    "Questions without a template or without the trait.",
    columns=("Scored", "Planned"),
)
ANSWERS = Figure(
    "answers",
    "Answers scored of planned",
    "Answers with a score from at least one judgment, of all planned.",
    "Repeated judgments: an answer counts once.",
    columns=("Answers scored", "Answers planned", "Answers"),
)
GOOD = Figure(
    "good-answers",
    "Good answers",
    "Answers that passed, or reached the better end of the trait, in most of their judgments. A tie counts as not "
    "good.",
    NOT_SCORED,
    columns=("Good answers",),
)
FLIP = Figure(
    "flip",
    "Flip probability",
    "Probability that two answers to the question differ: 2c(n − c) / n(n − 1) for c good answers of n.",
    "Questions with fewer than two scored answers.",
    columns=("Flip probability",),
)
SPREAD = Figure(
    "answer-spread",
    "Standard deviation between answers",
    "Standard deviation of the answers to one question, each the mean of its judgments.",
    "Questions with fewer than two scored answers.",
    columns=("Standard deviation",),
)
SHARED = (MEAN, QUESTIONS, JOBS_SCORED, ANSWERS, GOOD, FLIP, SPREAD)
