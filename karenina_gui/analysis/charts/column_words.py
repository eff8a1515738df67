"""Explanations of the columns of chart tables that hold names and words. Figures have their own (`FIGURES`)."""

from __future__ import annotations

COLUMN_WORDS: dict[str, str] = {
    "Question": "Text of the question.",
    "Model": "Answering model, which was evaluated.",
    "Condition": "Condition under which the model answered. A dash: the run has none.",
    "Metric": "Pass rate, or the trait that was analyzed.",
    "Method": "Statistical method of the interval. The glossary explains each.",
    "Compared with": "Configuration whose mean is subtracted.",
    "Each replicate": "Outcome of each answer, or its score where that is a number, in the order of the replicates.",
    "Kind": (
        "Consistent: the same each time, or with a small standard deviation; good or bad: in the better or the worse "
        "half of the scale. All others are flaky."
    ),
    "Recommendation": "Step that would make the result most precise.",
    "Remark": "Reason why a figure is missing or needs care.",
    "Score": "Score, class, or outcome that was counted.",
    "Pareto-optimal by cost": "Yes: no other configuration is as good for less.",
    "Pareto-optimal by tokens": "Yes: no other configuration is as good with fewer tokens. Costs are 0 or unknown.",
    "Pareto-optimal by time": "Yes: no other configuration is as good in less time.",
    "Judges": "Judges whose ratings of the same answers were compared.",
    "Scale": "Nominal: classes without an order. Ordinal: grades. Interval: numbers with equal steps.",
    "Kappa type": "Cohen’s kappa is for two judgments of an answer, Fleiss’ kappa for more.",
}
