"""Figures that several charts share; those of one chart alone stand in its module, as `FIGURES`."""

from __future__ import annotations

from karenina_gui.schemas.figure import NOT_SCORED, QUESTIONS_EQUAL, Figure

SCORE_INTERVAL = (
    "95%: Wilson’s, of as many answers as would, each for itself, make a mean as sure as this over its questions; "
    "Student’s t where the scale has no two ends. Approximate below 30 questions and near the ends of the scale."
)
MEAN = Figure(
    "chart-mean",
    "Mean of a model and condition",
    "The pass rate, or the mean of the trait that is chosen: the same figure as on the page of the run and in exports.",
    NOT_SCORED,
    QUESTIONS_EQUAL,
    SCORE_INTERVAL,
    ("Mean", "Interval from", "Interval to"),
)
QUESTIONS = Figure(
    "questions", "Questions (n)", "Questions of which an answer has a score.", "Questions without any score.",
    columns=("Questions", "Questions scored"),
)  # fmt: skip
JOBS_SCORED = Figure(
    "jobs-scored",
    "Jobs scored, of planned",
    "Jobs (single judgments) with a score, of all that were planned to have one, and why the others have none.",
    "Questions without a template, or without the trait.",
    columns=("Scored", "Planned"),
)
ANSWERS = Figure(
    "answers",
    "Answers scored, of planned",
    "Answers with a score of at least one judgment, of all that were planned.",
    "Judgments: however many there are, the answer counts once.",
    columns=("Answers scored", "Answers planned", "Answers"),
)
GOOD = Figure(
    "good-answers",
    "Good answers",
    "Answers that passed, or came out at the better end of the trait, by most of their judgments; of as many on both "
    "sides the worse counts.",
    NOT_SCORED,
    columns=("Good answers",),
)
FLIP = Figure(
    "flip",
    "Flip probability",
    "How likely two different answers to the question come out differently: 2c(n - c) / n(n - 1) for c good ones of n.",
    "Questions with fewer than two scored answers.",
    columns=("Flip probability",),
)
SPREAD = Figure(
    "answer-spread",
    "Standard deviation between answers",
    "Of the answers to one question (n - 1), each the mean of its judgments.",
    "Questions with fewer than two scored answers.",
    columns=("Standard deviation",),
)
SHARED = (MEAN, QUESTIONS, JOBS_SCORED, ANSWERS, GOOD, FLIP, SPREAD)
