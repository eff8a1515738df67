"""Request of a chart, and its data besides the scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from karenina_gui.analysis.charts.chart import Finding
from karenina_gui.analysis.metrics import Metric

if TYPE_CHECKING:
    from karenina_gui.analysis.scores import Arm, Scores
    from karenina_gui.schemas.job_table import Codes, Floats


EACH_OTHER = "each-other"
"""Value of `ChartRequest.against` for comparing every pair of arms."""


@dataclass(frozen=True, slots=True)
class ChartRequest:
    """Metric and filters of a chart; the default is the first metric of all jobs."""

    trait: str | None = None
    """Trait of the metric; None: the verdict, or the first metric if there are no verdicts."""
    errors_as_failures: bool = False
    """True: count jobs without a score as the worst score."""
    answering: tuple[str, ...] = ()
    """Answering models; empty: all."""
    condition: tuple[str, ...] = ()
    """Names of conditions; empty: all."""
    judge: str | None = None
    """Name of the judge; None: all."""
    keyword: str | None = None
    question_id: str | None = None
    against: str | None = None
    """Baseline: label of an arm, or `EACH_OTHER`.

    None: compare conditions with the first of the same model, and models with the first under the same condition.
    """
    within: float | None = None
    """Target half width of the interval of a mean, above 0, in the unit of the axis (percentage points for rates).

    None: no target.
    """
    clustered: bool = False
    """True: intervals of means are clustered by shared keywords."""


@dataclass(frozen=True)
class ChartData:
    """Data of the jobs besides their scores. Columns have one entry per job, in the order of `Scores`."""

    texts: Mapping[str, str] = field(default_factory=dict)
    """{question id: text}, first 200 characters, of questions with results."""
    keywords: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """{question id: its keywords}."""
    others: int = 0
    """Jobs that pass the filters but were never to have a score of this metric."""
    failed: int = 0
    """Jobs without a score that count as the worst score on request."""
    outcome: Codes | None = None
    """Index in `OUTCOMES`; -1: the job has not run. None: unknown for all, as in the columns below."""
    seconds: Floats | None = None
    """Seconds of the job's answer with all judgments, including filtered ones. NaN: not all have run."""
    tokens: Floats | None = None
    """Tokens, likewise. NaN: not reported by a provider."""
    answer_tokens: Floats | None = None
    """Tokens of the job's answer without its judgments. NaN: not reported."""
    dollars: Floats | None = None
    """US dollars, likewise. NaN: a model has no price, or tokens were not reported."""
    places: Mapping[Arm, int] = field(default_factory=dict)
    """Index of each arm among all arms of the run. Colors and symbols depend on it, so that filters do not change them.
    """
    metrics: tuple[Metric, ...] = ()
    """All metrics of the run, for charts over several."""
    request: ChartRequest = field(default_factory=ChartRequest)
    """The request, already applied to the scores."""
    most_rows: int | None = None
    """Number of rows that a table with one for each question and arm may have; None: all."""
    scores: Callable[[Metric], Scores] | None = None
    """Returns the same jobs with another metric, with errors counted in the same way; None: not available."""

    def text(self, question_id: str) -> str:
        """Return the text of a question, or its id if the text is unknown."""
        return self.texts.get(question_id) or question_id


Find = Callable[["Scores", ChartData], Finding]
"""Computes one chart: a function of a module, so that another process finds it by its name."""
