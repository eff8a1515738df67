"""Sentences about statistics, for review: one table for each decision, with one row for each case.

Placeholders as in `charts.sentences`.
"""

from __future__ import annotations

from typing import Literal

from karenina_gui.analysis.thresholds import (
    MIN_CLUSTERS_FOR_NORMAL,
    MIN_QUESTIONS_FOR_NORMAL,
    MIN_QUESTIONS_FOR_VARIANCE,
)

LOWER_IS_BETTER = " Lower is better."
APPROXIMATE_INTERVALS = {
    "few_questions": f" With fewer than {MIN_QUESTIONS_FOR_NORMAL} questions, the {{}} approximate.",
    "few_clusters": f" With fewer than {MIN_CLUSTERS_FOR_NORMAL} clusters, the {{}} approximate.",
    "near_end": " The {} approximate, because nearly all scores are at one end of the scale.",
}
"""Cautions about single intervals; the placeholder is `interval is` or `intervals are`."""

# One mean

EstimateCase = Literal["no_score", "mean", "trait_rate", "rate_of_answers", "rate"]
ESTIMATES: dict[EstimateCase, str] = {
    "no_score": "{name} has no {score} on any of {asked}.{reason}",
    "mean": "{name} has a mean “{trait}” score of {mean} on {on}{details}.{reason}{share}{approximate}",
    "trait_rate": "“{trait}” is yes for {name} in {mean} of answers to {on}{details}.{reason}{share}{approximate}",
    "rate_of_answers": "{name} has a pass rate of {mean} over {on}{details}.{reason}{share}{approximate}",
    "rate": "{name} passes {mean} of {on}{details}.{reason}{share}{approximate}",
}

# Difference of two arms, B minus A

DifferenceCase = Literal[
    "no_data",
    "same",
    "same_with_interval",
    "observed",
    "observed_with_interval",
    "significant",
    "not_significant",
]
DIFFERENCES: dict[DifferenceCase, str] = {
    "no_data": "No comparison: none of {asked} has scores for both {a} and {b}.",
    "same": "{a} and {b} have the same {measure} on {on}. These data allow no interval and no test.",
    "same_with_interval": "{a} and {b} have the same {measure} on {on} ({b} − {a}: {interval}).",
    "observed": (
        "{higher} has a higher {measure} than {lower} on {on}: {size}. These data allow no interval and no test."
    ),
    "observed_with_interval": ("{higher} has a higher {measure} than {lower} on {on}: {size} ({b} − {a}: {interval})."),
    "significant": "{first} has a significantly {higher} {measure} than {second} on {on}: {size}{details}.{better}",
    "not_significant": "No significant difference in {measure} between {a} and {b} on {on} ({b} − {a}: {details}).",
}
ONE_OF_SEVERAL = "{lead}: {b} vs. {a}, {size} in {measure} on {on}{details}.{better}"
"""One of several comparisons; `details` has the verdict."""

# Sample sizes

PlanCase = Literal["unknown", "detectable", "enough", "takes_more"]
PLANS: dict[PlanCase, str] = {
    "unknown": "The minimum detectable difference in {measure} between {a} and {b} on {on} is unknown.{reason}",
    "detectable": (
        "The minimum detectable difference in {measure} between {a} and {b} on {on} is {least} ({power}).{rule}"
    ),
    "enough": ("{on} {are} enough to detect a difference of {size} in {measure} between {a} and {b} ({power}).{rule}"),
    "takes_more": (
        "Detecting a difference of {size} in {measure} between {a} and {b} ({power}) takes {ways}.{reason}{rule}"
    ),
}
DEFAULT_VARIANCES = " This assumes a typical spread of scores, as there are too few questions."

# Variance components

ComponentsCase = Literal["unknown", "constant", "shares"]
COMPONENTS: dict[ComponentsCase, str] = {
    "unknown": "The sources of variance in {scores} on {on} cannot be estimated.{unknown}",
    "constant": "On {on}, {scores} do not vary, apart from mean differences between configurations.{unknown}",
    "shares": "Sources of variance in {scores} on {on}: {shares}. {remedy}{rough}{unknown}",
}
ROUGH_SHARES = f" With fewer than {MIN_QUESTIONS_FOR_VARIANCE} questions, these shares are rough estimates."
PARTS = {
    "question": "between questions",
    "interaction": "from questions that suit one configuration better",
    "answer": "between answers to the same question",
    "judge": "between judgments of the same answer",
}
NOT_SEPARABLE = "{part} and between answers to the same question (not separable)"
"""Name of the question component if it includes the answers, because each was answered once."""
REMEDIES = {
    "question": "More questions make the result more precise; more replicates hardly help.",
    "interaction": "More questions make comparisons more precise; more replicates hardly help.",
    "answer": "More replicates of each question make the result more precise.",
    "judge": "A clearer rubric, a better judge, or more judgments of each answer make the result more precise.",
}
PART_REMEDIES = {
    "question": "Its effect on the result shrinks with more questions, not with more replicates.",
    "interaction": "Its effect on comparisons shrinks with more questions, not with more replicates.",
    "answer": "Its effect on the result shrinks with more replicates of each question, and with more questions.",
    "judge": "Its effect shrinks with a clearer rubric, a better judge, or more judgments of each answer.",
}
"""Advice on a single component, however large."""
PART_UNTOLD = (
    "Its effect on the result shrinks with more questions. These data do not show the effect of more replicates."
)
ALONE = "More questions make the result more precise; one question says nothing about others."
UNTOLD = (
    "More questions make the result more precise; the effect of more replicates cannot be estimated from these data."
)
