"""Thresholds of statistics and charts, with their unit in their name and their source."""

from __future__ import annotations

# Levels

CONFIDENCE_LEVEL = 0.95
"""Confidence level of every interval. Convention of the field (Miller 2024, arXiv:2411.00640)."""
SIGNIFICANCE_LEVEL = 0.05
"""p up to which a test outside the main comparison is significant: 1 - `CONFIDENCE_LEVEL`."""
PLANNED_POWER = 0.8
"""Power of plans (Cohen 1988, Statistical Power Analysis)."""

# Questions, clusters and answers

MIN_QUESTIONS_FOR_NORMAL = 30
"""Questions below which intervals based on the central limit theorem can be too narrow (Bowyer et al. 2025,
arXiv:2503.01747)."""
MIN_CLUSTERS_FOR_NORMAL = 20
"""Clusters below which the clustered standard error can be too small (Cameron & Miller 2015, J Hum Resour 50:317)."""
MIN_QUESTIONS_FOR_DIFFERENCE = 10
"""Questions below which a difference is only a hint. Our choice: with 5 or fewer, no permutation test can reach .05."""
MIN_QUESTIONS_FOR_VARIANCE = 10
"""Questions below which variances, and plans from them, are only a hint. Our choice: with 10 questions, the 95%
interval of a standard deviation still reaches from 0.7 to 1.8 times the estimate."""
MIN_QUESTIONS_FOR_BOOTSTRAP = 10
"""Questions below which the bootstrap gives no interval. For two it would be their range. Our choice."""
MIN_QUESTIONS_FOR_ACCURATE_BOOTSTRAP = 100
"""Questions from which the bootstrap of skewed figures is no longer called approximate
(`tests/benchmarks/coverage.py`)."""
MAX_QUESTIONS_FOR_BOOTSTRAP = 1000
"""Questions above which the t interval replaces the bootstrap: faster, with equal coverage
(`tests/benchmarks/coverage.py`)."""
MIN_ANSWERS_FOR_CONSISTENCY = 10
"""Answers to a question below which a rare failure mostly stays unseen: 0.9⁶ > 0.5, and 0.9¹⁰ is a third."""
MIN_ANSWERS_FOR_SPREAD = 5
"""Answers to a question below which rare variation can go unseen. Our choice."""
MIN_SCORES_FOR_DISTRIBUTION = 10
"""Scores of an arm below which bars are no distribution. Our choice."""
MIN_EARLIER_RESULTS = 3
"""Earlier results of a model below which its prompts are counted for a forecast. Our choice."""

# Comparisons

MAX_COMPARISONS_FOR_HOLM = 10
"""Comparisons above which the false discovery rate is controlled at 5% (Benjamini & Hochberg 1995).

Up to this number it is the family-wise error rate (Holm 1979), which would have little power for more comparisons.
"""
MAX_ARMS_FOR_ALL_PAIRS = 6
"""Arms above which not every pair is compared. Users do not read more than 15 pairs."""

# Shares and coefficients

BOUNDARY_SHARE_OF_SCALE = 0.1
"""Share of the scale at each end in which the interval of a mean is approximate. Our choice."""
MAX_CONSISTENT_SHARE_OF_SCALE = 0.25
"""Standard deviation of answers, as a share of the scale, above which a question is flaky. Our choice: half of the
greatest possible with many answers. Not for yes/no metrics."""
MIN_REDUCTION_SHARE_WORTH_COST = 0.15
"""Reduction of an interval by unlimited replicates, as a share, from which they are worth their cost. Our choice."""
MIN_SAVING_SHARE = 0.05
"""Saving, as a share of the cost, below which two costs are about the same. Our choice."""
MIN_PASS_GAP_SHARE = 0.1
"""Gap between pass@k and pass^k, as a share of questions, from which it is explained. Our choice."""
MIN_ALPHA_RELIABLE = 0.8
"""Krippendorff's alpha from which data are reliable (Krippendorff 2004, Content Analysis)."""
MIN_ALPHA_TENTATIVE = 0.667
"""Krippendorff's alpha from which tentative conclusions are possible (Krippendorff 2004, Content Analysis)."""
MIN_AGREEMENT_SHARE_HIGH = 0.9
"""Raw agreement that is high although alpha can be low by prevalence (Feinstein & Cicchetti 1990). Our choice."""
MAX_ALPHA_LOW_BY_PREVALENCE = 0.5
"""Krippendorff's alpha below which it is called low despite high raw agreement (ibid.). Our choice."""

# Kinds of scores

MAX_GRADES = 20
"""Distinct integer scores up to which they are ordered grades. Our choice."""
MAX_BARS_BY_SCORE = 12
"""Distinct scores up to which each has a bar of its own; also the number of ranges for more. Our choice: legibility."""
MAX_RATINGS_CROSSED = 12
"""Distinct ratings up to which a confusion matrix is drawn. Our choice: legibility."""
MAX_RATINGS_WITH_INTERVAL = 20
"""Distinct ratings up to which agreement has an interval. The jackknife needs memory for clusters × ratings²."""
MAX_RATINGS_COUNTED = 50
"""Distinct ratings up to which agreement is computed from counts, with memory for units × ratings²."""

# Computation

MAX_DIFFERENCES_ENUMERATED = 17
"""Differences up to which a permutation test enumerates all 2ⁿ sign patterns: at most 131,072 sums."""
MAX_ADDITIONS_COUNTED = 50_000_000
"""Additions up to which the distribution of a sum of integers is counted. Our choice: a fraction of a second."""
MAX_VALUES_RESAMPLED_AT_ONCE = 4_000_000
"""Values that the bootstrap holds in memory at once: 32 MB."""
RESAMPLES = 9999
"""Random draws of a permutation test or bootstrap (Davison & Hinkley 1997: B + 1 is a round number)."""
RESAMPLES_OF_MANY_INTERVALS = 2499
"""Bootstrap resamples in charts with several intervals per arm (`tests/benchmarks/coverage.py`)."""

# Forecast

MIN_MARGIN_SHARE_OF_FORECAST = 0.1
"""Minimum margin of a forecast, as a share of the mean of earlier results. Our choice."""
STANDARD_ERRORS_OF_FORECAST = 1.96
"""Standard errors on each side of the mean of earlier results: 95% of a normal distribution."""
CHARACTERS_PER_TOKEN = (3, 5)
"""Least and most characters of a token of English text. Rules of thumb of providers name about 4."""
OUTPUT_TOKENS_OF_ANSWER = (50, 1500)
"""Least and most output tokens of an answer without earlier results. Our choice."""
INPUT_TOKENS_OF_JUDGE = (300, 1200)
"""Least and most input tokens of a judge for instructions and schema, besides question and answer. Our choice."""
OUTPUT_TOKENS_OF_JUDGE = (30, 400)
"""Least and most output tokens of a judge's reply. Our choice."""

# Reported and drawn

MAX_REPORTED_NUMBER = 1_000_000
"""Questions or replicates above which a number is not reported, because no run reaches it."""
MAX_REPLICATES_PREDICTED = 20
"""Replicates up to which the predicted narrowing of an interval is drawn."""
MAX_JUDGE_PAIRS = 15
"""Pairs of judges that are looked at one by one."""
MAX_MARKS_DRAWN = 800
"""Marks of questions in one figure."""
MAX_QUESTIONS_DRAWN = 40
"""Rows of questions in one figure. More are illegible."""
MAX_METRICS_DRAWN = 30
"""Bars of metrics in one figure."""
MAX_REPLICATE_COLUMNS_DRAWN = 36
"""Columns up to which each replicate has its own in the heat map."""
MAX_TIES_NAMED = 2
"""Others as flaky as the flakiest question up to which it is named."""
