"""Sentences of charts, for review: one table for each decision, with one row for each case.

Placeholders in braces are numbers and names, formatted by the module that decides the case. A placeholder for a further
sentence or a parenthesis comes with its space, so that it can be empty.
"""

from __future__ import annotations

from typing import Literal

from karenina_gui.analysis.thresholds import (
    MAX_MARKS_DRAWN,
    MAX_METRICS_DRAWN,
    MAX_QUESTIONS_DRAWN,
    MIN_ALPHA_RELIABLE,
    MIN_ALPHA_TENTATIVE,
    MIN_CLUSTERS_FOR_NORMAL,
    MIN_QUESTIONS_FOR_ACCURATE_BOOTSTRAP,
    MIN_QUESTIONS_FOR_DIFFERENCE,
    MIN_QUESTIONS_FOR_NORMAL,
    MIN_QUESTIONS_FOR_VARIANCE,
)

# Shared

NO_SCORE = "No result has a score yet."
APPROXIMATE = (
    f"The intervals are approximate, because there are fewer than {MIN_QUESTIONS_FOR_NORMAL} questions or nearly all "
    "scores are at one end of the scale."
)
"""Caution about several intervals together."""
SPLIT_JUDGMENTS = "{answers} had conflicting judgments. The majority counts, and a tie counts as the worse result."
Doubt = Literal["unproven", "reversed", "missing"]
DOUBTS: dict[Doubt, str] = {
    "unproven": "a paired test finds no significant difference ({p})",
    "reversed": "a paired test on the shared questions finds the opposite ({p})",
    "missing": "these data allow no paired test",
}
UNCERTAIN_ORDER = " The order{by} is uncertain, because {doubt}."

# Scores by configuration (`arms`)

ArmsCase = Literal["no_score", "single", "only_scored", "equal", "ranked"]
ARMS: dict[ArmsCase, str] = {
    "no_score": f"Not available: {NO_SCORE}",
    "single": "{estimate}",
    "only_scored": "{estimate} No other configuration has a score.",
    "equal": "{names} have the same {measure} on {on}: {mean}{intervals}.",
    "ranked": "{top} {measure} on {on}: {first}{tied}, {first_mean}. {bottom}: {last}{last_tied}, {last_mean}.{order}",
}
FEW_CLUSTERS = f"With fewer than {MIN_CLUSTERS_FOR_NORMAL} clusters, the intervals are approximate."

# Paired differences (`comparison`)

ComparisonCase = Literal["single", "only_known", "several", "by_factor"]
COMPARISONS: dict[ComparisonCase, str] = {
    "single": "{told}",
    "only_known": "{number} {told}",
    "several": "{number} {told}{remedy}",
    "by_factor": "{number} {first}{caution} {second}{other_caution}",
}
LEADS = {
    "largest": "Largest difference",
    "all_zero": "For example",
    "factor": "Difference between {changed}",
    "largest_of_factor": "Largest difference between {changed}",
}
SIGNIFICANT_PAIRS = {
    "none": "None of {every} {comparisons} is significant ({correction}-corrected).",
    "some": "{shown} of {every} {comparisons} {are} significant ({correction}-corrected).",
}
ONE_CONFIGURATION = "There is only one configuration. Run a second model or condition to compare it with."
SEVERAL_COMPARISONS = (
    "Each interval is for one comparison and not corrected for the number of comparisons. The largest of several "
    "differences is likely to shrink when it is measured again."
)
STRICTER_TEST = (
    "{names}: not significant, although the 95% CI excludes 0. The test is stricter than the interval: it is corrected "
    "for all comparisons, and with few questions it assumes no normal distribution."
)
FALSE_DISCOVERIES = (
    "With this many comparisons, up to 5% of the significant ones may be false positives (false discovery rate)."
)
EXCLUDED = "Excluded, because scored in only one of the two: {numbers}."
DOUBTED_BY_RANKS = "{names}: the Wilcoxon test does not confirm this; a few questions may dominate."
FEW_QUESTIONS = f"With fewer than {MIN_QUESTIONS_FOR_DIFFERENCE} questions, a difference is only a hint ({{names}})."
PLANNED_BY_DEFAULTS = (
    f"Below {MIN_QUESTIONS_FOR_VARIANCE} questions, minimum detectable differences assume a typical spread."
)

# Mean and margin by number of replicates (`convergence`)

CONVERGENCE = (
    "{label} has a {measure} of {mean} ({level} CI {interval}) on {questions} with {replicates}: a margin of error of "
    "{margin}{choice}."
)
ChoiceCase = Literal["alone", "needs_most", "widest", "widest_of_known"]
CHOICES: dict[ChoiceCase, str] = {
    "alone": "",
    "needs_most": ", the one that needs the most questions",
    "widest": ", the largest of all configurations",
    "widest_of_known": ", the largest of all configurations with a CI",
}
OutlookCase = Literal[
    "reached",
    "takes_either",
    "takes_questions",
    "takes_questions_uncertain",
    "takes_questions_unknown",
    "unknown",
    "not_separable",
    "no_effect",
    "little_effect",
    "uncertain_effect",
    "worth_cost",
]
OUTLOOKS: dict[OutlookCase, str] = {
    "reached": "This meets the target of {target}.",
    "takes_either": (
        "For a margin of {target}, you need {replicates} of each of these questions, or {questions} with the same "
        "number of replicates."
    ),
    "takes_questions": (
        "For a margin of {target}, you need {questions} with the same number of replicates. No number of replicates of "
        "these questions is enough."
    ),
    "takes_questions_uncertain": (
        "For a margin of {target}, you need {questions} with the same number of replicates. These data do not show "
        "whether any number of replicates would be enough."
    ),
    "takes_questions_unknown": (
        "For a margin of {target}, you need {questions} with the same number of replicates. The effect of more "
        "replicates cannot be estimated from these data."
    ),
    "unknown": "The effect of more replicates cannot be estimated from these data.",
    "not_separable": (
        "More questions or more replicates reduce it. These data do not show by how much, because answers to the same "
        "question vary as much as answers to different ones."
    ),
    "no_effect": "Unlimited replicates would hardly reduce it; only more questions do.",
    "little_effect": "Unlimited replicates would reduce it to {limit}; only more questions reduce it much.",
    "uncertain_effect": (
        "More questions reduce it. Unlimited replicates would reduce it to {limit}, so these data do not show whether "
        "more replicates are worth their cost."
    ),
    "worth_cost": (
        "Unlimited replicates would reduce it to {limit} ({less} less): more replicates are worth their cost, and so "
        "are more questions."
    ),
}
"""The first five with a target, the others without."""
ONE_REPLICATE = "There is only one replicate. Run at least two to see whether more would change the result."
NO_INTERVAL = "No mean has an interval: there are too few questions, or they do not differ."
NEED_IS_HINT = (
    f"With fewer than {MIN_QUESTIONS_FOR_VARIANCE} questions, the numbers needed are only a hint ({{names}})."
)
NO_LIMIT_SHOWN = (
    "The margin with unlimited replicates is not shown where questions do not differ more than their answers ({names})."
)
ADDED_LATER = "Points to the left leave out questions without an answer in the first replicates ({names})."

# Questions by configuration (`heatmap`)

HeatCase = Literal["not_run", "extreme", "once", "steady", "flaky"]
HEAT: dict[HeatCase, str] = {
    "not_run": f"{NO_SCORE} {{planned}} {{are}} planned.",
    "extreme": "{end} mean “{trait}” score of {basis}: {value}, for {question}{more}.",
    "once": "{start}: {counts}. Flaky questions are unknown, as no question has two scored answers.",
    "steady": "{start}: {counts}.",
    "flaky": "{start}: {counts}.{flakiest}",
}
FIRST_QUESTIONS = f"The figure shows the first {MAX_QUESTIONS_DRAWN} questions; the table has {{others:,}} more."
HEAT_COUNTS = {
    "always": "{n:,} always {word}",
    "never": "{n:,} never {word}",
    "mixed": "{n:,} {word} in some configurations only",
    "unscored": "{n:,} without a score",
    "steady": "0 flaky ({each})",
    "flaky": "{n:,} flaky{where} ({share}, {each})",
}
FLAKIEST = {"one": " Flakiest: {question}.", "tied": " Flakiest, tied: {questions}."}

# Distribution of scores (`distribution`)

DistributionCase = Literal["verdicts", "by_arm", "one_mean", "equal_means", "range_of_means"]
DISTRIBUTIONS: dict[DistributionCase, str] = {
    "verdicts": "{most}.",
    "by_arm": "{most}, from {least} ({first}) to {greatest} ({last}).",
    "one_mean": "{most}. {first} has a mean of {low}.",
    "equal_means": "{most}. {every} configurations have a mean of {low}.",
    "range_of_means": "{most}. Means range from {low} ({first}) to {high} ({last}).",
}
MOST_FREQUENT = {
    "one": "Most frequent {name}: {labels}, {count:,} of {scores}",
    "tied": "Most frequent {name}: {labels}, each {count:,} of {scores}",
}
TOO_FEW_SCORES = "{scores} {are} too few to show a distribution."

# pass@k and pass^k (`pass_curves`)

PassCase = Literal["single", "only_compared", "tied", "highest"]
PASS_SUMMARIES: dict[PassCase, str] = {
    "single": "{told}",
    "only_compared": (
        "{told} The other configurations are not compared, because most of their questions have only one answer."
    ),
    "tied": "{told} No configuration has a higher pass^{k}{scope}.",
    "highest": "{told} Its pass^{k} is the highest of all configurations{scope}.{order}",
}
PASS_RATES = {
    "verdict": (
        "{label} passes {least} of {on} at least once in {attempts} (pass@{k}{ever_ends}) and {most} every time "
        "(pass^{k}{always_ends}).{gap}"
    ),
    "trait": (
        "“{trait}” is {good} for {label} on {least} of {on} at least once in {attempts} (pass@{k}{ever_ends}) and on "
        "{most} every time (pass^{k}{always_ends}).{gap}"
    ),
}
PASS_GAP = " The gap is questions that it can answer, but not every time."
PASS_SCOPE = " among those with two or more answers to most questions"
PASS_UNLIKE_RATE = "Therefore pass@1 differs from the pass rate, which counts every judgment instead of the majority."
NOT_BINARY = "This score is not yes or no. Choose the pass rate, or a yes/no trait."
NO_REPEATED_ANSWER = (
    "No question has two scored answers. Run at least two replicates to see which questions always pass."
)
FEWER_QUESTIONS = "Points to the right are based on fewer questions, as not all have that many answers ({numbers})."

# Agreement of judges (`judges`)

SAME_RATING = "{label}, {scores}: same rating for {share} of {answers}{questions}"
ALPHA = "{start}, Krippendorff’s alpha {alpha:.2f}{interval}. {conclusion}"
AgreementCase = Literal["no_alpha", "full", "no_interval", "reliable", "tentative", "unclear", "unreliable"]
CONCLUSIONS: dict[AgreementCase, str] = {
    "no_alpha": "",
    "full": "The judgments agree on every answer.",
    "no_interval": "These data allow no interval, so the agreement is uncertain.",
    "reliable": f"Reliable: the CI is at or above {MIN_ALPHA_RELIABLE:g}.",
    "tentative": f"Good enough for tentative conclusions: the CI is at or above {MIN_ALPHA_TENTATIVE:g}.",
    "unclear": f"Unclear: the CI includes {MIN_ALPHA_TENTATIVE:g}, the minimum even for tentative conclusions.",
    "unreliable": (
        f"Not reliable: the CI is below {MIN_ALPHA_TENTATIVE:g}. Make the rubric clearer, or choose a better judge."
    ),
}
DIRECTIONS = {
    "verdict": "Where they differ, {high} passes what {low} fails in {n:,} of {answers}.",
    "trait": "Where they differ, {high} rates higher than {low} in {n:,} of {answers}.",
}
ICC = (
    "Of the variance of single judgments{some}, {share} lies between answers and the rest between judgments of the "
    "same answer (ICC for absolute agreement {icc:.2f}{interval})."
)
OTHER_SHARES = (
    "“Sources of variance” estimates the judge’s share together with questions and configurations, so it differs "
    "slightly from that of the ICC."
)
ONE_JUDGMENT = "No answer was judged more than once. Add a second judge, or run several judgments of each answer."
SYSTEMATIC_DIFFERENCE = (
    "{label}: systematic difference (exact sign test over {questions}, p = {p:.2g}). {direction} Results depend on the "
    "choice of judge."
)
APPROXIMATE_AGREEMENT = f"The intervals are approximate: fewer than {MIN_QUESTIONS_FOR_NORMAL} questions."
LOW_BY_PREVALENCE = "Alpha and kappa are low although the judges mostly agree: nearly all ratings are the same."

# Mean against cost (`cost`)

CostCase = Literal["single", "no_better_end", "undominated", "best_and_cheapest", "trade_off"]
COSTS: dict[CostCase, str] = {
    "single": "{label} has a {measure} of {told}.",
    "no_better_end": "{lowest}: {label}, {measure} {told}. {highest}: {other}, {measure} {other_told}.{order}",
    "undominated": "No configuration has a better {measure} or {lower} than {label}: {told}.{better}{order}",
    "best_and_cheapest": "{best} {measure} and {also_lowest}: {label}, {told}.{order}",
    "trade_off": "{best} {measure}: {label}, {told}. {lowest}: {other}, {other_told}{saving}.{order}",
}
NO_COST = "The cost of the answers is unknown: there are no prices, tokens, or times."
Unit = Literal["dollars", "tokens", "seconds"]
UNITS: tuple[Unit, ...] = ("dollars", "tokens", "seconds")

UNKNOWN_COSTS: dict[Unit, str] = {
    "dollars": "The cost of some answers is unknown",
    "tokens": "The tokens of some answers are unknown",
    "seconds": "The time of some answers is unknown",
}
NoDollars = Literal["played_back", "some_unpriced", "none_priced"]
NO_DOLLARS: dict[NoDollars, str] = {
    "played_back": "Costs are 0, because replies were replayed from a recording.",
    "some_unpriced": "Costs in dollars are unknown for some configurations: enter the prices of their models.",
    "none_priced": "Costs in dollars are unknown: enter the prices of the models.",
}
COSTS_OF_ALL_JUDGES = "Costs include all judgments of an answer, also those by other judges."
NARROW_COST_INTERVALS = (
    f"Cost intervals may be too narrow with fewer than {MIN_QUESTIONS_FOR_ACCURATE_BOOTSTRAP} questions."
)

# Standard deviations (`standard_deviations`)

ONE_ANSWER_HAS_NO_SPREAD = "One answer to one question has no standard deviation."
SpreadCase = Literal["no_score", "one_answer", "one_question", "all_equal", "equal_means", "one_answer_each", "all"]
SPREADS: dict[SpreadCase, str] = {
    "no_score": f"Not available: {NO_SCORE}",
    "one_answer": "One answer to one question has no standard deviation, neither within nor between questions.",
    "one_question": (
        "For {label}, answers to its one question have a standard deviation of {within} ({measure}). One question has "
        "no standard deviation between questions."
    ),
    "all_equal": "For {label}, all {scores} on {on} are the same; other questions may differ.{others}",
    "equal_means": (
        "For {label}, the means of {on} are equal, so there is no standard error. The {measure} has a standard "
        "deviation of {within} within questions.{others}"
    ),
    "one_answer_each": (
        "For {label}, the {measure} on {on} has a standard deviation of {between} between questions and a standard "
        "error of {error}. With one answer per question, there is no standard deviation within questions.{others}"
    ),
    "all": (
        "For {label}, the {measure} on {on} has a standard deviation of {within} within questions and {between} "
        "between questions, and a standard error of {error}.{others}"
    ),
}
OTHER_CONFIGURATIONS = " The table lists the other configurations."
SPREAD_CAUTIONS = {
    "unknown_within": "With one answer per question, the standard deviation within questions is unknown, not 0.",
    "zero_within": (
        "A standard deviation of 0 within questions means that answers to the same question all had the same score."
    ),
    "zero_between": (
        "A standard deviation of 0 between questions means that these have the same mean; other questions may differ."
    ),
}

# Questions by quality and variation (`reliability`)

ReliabilityCase = Literal["unbounded", "rate", "scores"]
RELIABILITY: dict[ReliabilityCase, str] = {
    "unbounded": (
        "“{scores}” scores of answers to the same question have a standard deviation of {deviation} (pooled over "
        "{basis}, {often}). Without a range of scores, no question is called consistent or flaky.{most_variation}"
    ),
    "rate": (
        "{start} ({often}): {counts}. Two answers to the same question differ with a probability of "
        "{probability}.{most_variation}"
    ),
    "scores": (
        "{start} ({often}): {counts}. Answers to the same question have a standard deviation of "
        "{deviation}.{most_variation}"
    ),
}
RELIABILITY_COUNTS = {"verdict": "{n:,} {name}", "trait": "{n:,} {name} ({meaning})"}
MOST_VARIATION = " Most variation: {question}{where}{others}."
NO_REPEATED_PAIR = "No question has two scored answers by one configuration. Run at least two replicates."
SAMPLED_MARKS = (
    f"The figure shows {MAX_MARKS_DRAWN} of {{number:,}} marks, sampled by kind. Counts and table include all."
)
CONSISTENT_BY_CHANCE = (
    "With {answers}, a question that passes 90% of the time still looks consistent in {share} of cases."
)

# Answers to each question (`replicate_strip`)

StripCase = Literal["no_variation", "no_variation_by_majority", "rate", "scores"]
STRIPS: dict[StripCase, str] = {
    "no_variation": "No variation in {scores} between answers to the same question ({basis}, {often}).",
    "no_variation_by_majority": (
        "No variation in {scores} between answers to the same question ({basis}, {often}, by majority of judgments)."
    ),
    "rate": "{changing:,} of {basis} ({share}) {have} answers with different {scores} ({often}).{most_variation}",
    "scores": (
        "{scores} of answers to the same question have a standard deviation of {deviation} (pooled over {basis}, "
        "{often}).{most_variation}"
    ),
}
VariationCase = Literal["one", "some", "all"]
MOST_VARYING: dict[VariationCase, str] = {
    "one": " Most variation: {question} ({answers}).",
    "some": " The {ties:,} that vary most are tied.",
    "all": "",
}
VARYING_ANSWERS = {"rate": "{good} of {n} {word}", "scores": "{low} to {high} in {n} answers"}
NO_REPEATED_QUESTION = "No question has two scored answers. Run at least two replicates to see how answers vary."
FIRST_STRIPS = "The figure shows the {shown} that vary most; the table has all {every:,}."
RARE_VARIATION = "With so few answers per question ({often}), rare variation may go unseen."
SPLIT_MEANS = (
    "{answers} had conflicting judgments; their marks are means. In the summary, the majority counts, and a tie counts "
    "as the worse result."
)

# Sources of variance (`variance`)

VarianceCase = Literal["unordered", "unavailable", "components", "components_and_reliability"]
VARIANCES: dict[VarianceCase, str] = {
    "unordered": "Not available: the classes of “{title}” have no order, so they have no variance.",
    "unavailable": "Not available for {scores}: {why}",
    "components": "{told}",
    "components_and_reliability": "{told} {reliability}.",
}
ALL_SCORES_EQUAL = "All scores of {questions} are the same."
NO_VARIANCE = "The scores do not vary."
FIRST_METRICS = f"The figure shows {MAX_METRICS_DRAWN} metrics; the table has all {{every}}."
