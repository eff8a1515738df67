"""What is asked of a chart, and what it gets beside the scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from karenina_gui.analysis.charts.chart import Finding
from karenina_gui.analysis.metrics import Metric
from karenina_gui.schemas.outcome import Outcome

if TYPE_CHECKING:
    from karenina_gui.analysis.scores import Arm, Scores


EACH_OTHER = "each-other"
"""Instead of one arm: every pair of them."""
MOST_PAIRED = 6
"""Arms up to which every pair is compared: more pairs than 15 nobody reads."""


@dataclass(frozen=True, slots=True)
class ChartRequest:
    """Which metric of which jobs; the default is the first metric of all jobs."""

    trait: str | None = None
    """Of the metric; None: the verdict, or the first metric that there is where nothing was judged."""
    errors_as_failures: bool = False
    """Whether what has no score counts as the worst one."""
    answering: tuple[str, ...] = ()
    """Answering models; empty: all."""
    condition: tuple[str, ...] = ()
    """Names of conditions; empty: all."""
    judge: str | None = None
    """None: all of them."""
    keyword: str | None = None
    question_id: str | None = None
    against: str | None = None
    """What a comparison compares with: an arm by its label, or `EACH_OTHER`. None: conditions with the first one of the
    same model, models with the first one under the same condition."""
    within: float | None = None
    """Half width that the interval of a mean shall have, as its axis shows it: in points of 100 for rates; above 0.
    None: nothing is wanted."""
    clustered: bool = False
    """Whether questions that share a keyword are one cluster, where means are told."""


@dataclass(frozen=True)
class ChartData:
    """What the charts know of the jobs beside their scores. Columns have one entry for each job, in the order of
    `Scores`.
    """

    texts: Mapping[str, str] = field(default_factory=dict)
    """{question id: its text, first 200 characters}, of questions with results."""
    keywords: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """{question id: its keywords}."""
    others: int = 0
    """Jobs that pass the same filters and were never to have a score of this metric."""
    failed: int = 0
    """Jobs that ended without a score and count as the worst one, because that was asked."""
    outcome: Sequence[Outcome | None] = ()
    """None: the job has not run."""
    seconds: Sequence[float | None] = ()
    """That the job's answer took with all its judgments, those too that a filter leaves out. None: not all have run."""
    tokens: Sequence[float | None] = ()
    """The same in tokens. None: a provider gave no figure."""
    answer_tokens: Sequence[float | None] = ()
    """Tokens of the job's answer, without its judgments. None: its provider gave no figure."""
    dollars: Sequence[float | None] = ()
    """The same in US dollars. None: not known, because a model has no price or a provider gave no figure."""
    places: Mapping[Arm, int] = field(default_factory=dict)
    """Of each arm among all of the run, by which it is told apart: a filter changes neither colour nor symbol."""
    metrics: tuple[Metric, ...] = ()
    """All that the run has, for a chart that looks at several."""
    request: ChartRequest = field(default_factory=ChartRequest)
    """What is asked for; the scores are narrowed by it already."""
    scores: Callable[[Metric], Scores] | None = None
    """The same jobs with another metric, errors counted in the same way; None: there is no other."""

    def text(self, question_id: str) -> str:
        """Of a question; its id where nobody has told its text."""
        return self.texts.get(question_id) or question_id


Find = Callable[["Scores", ChartData], Finding]
"""Computes one chart: a function of a module, so that another process finds it by its name."""
