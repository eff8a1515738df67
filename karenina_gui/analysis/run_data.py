"""Data of a run for its charts, and filtering by request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from karenina_gui.analysis.charts import distribution, judges
from karenina_gui.analysis.charts.chart import ChartTable, Finding
from karenina_gui.analysis.charts.chart_request import ChartData, ChartRequest, Find
from karenina_gui.analysis.charts.finding_factory import empty_finding
from karenina_gui.analysis.keyword_clusters import clusters_of
from karenina_gui.analysis.metrics import VERDICT, Metric, metrics_of
from karenina_gui.schemas.result import TraitScale
from karenina_gui.text import quantity, verb

if TYPE_CHECKING:
    from karenina_gui.analysis.scores import Flags, Scores
    from karenina_gui.schemas.job_table import Codes, Floats, JobTable


MOST_SCORES = 1_000_000
"""Scores of all metrics that are cached; a million take 16 to 60 MB."""
NO_JOB = "No jobs match these filters."


@dataclass(frozen=True)
class Choices:
    """Available filter values, in the order of the run."""

    metrics: tuple[Metric, ...] = ()
    answering: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    """Keywords that some but not all questions have, in alphabetical order."""
    arms: tuple[tuple[str, str | None], ...] = ()
    """(answering model, condition) of each arm."""
    clusters: int = 0
    """Number of clusters by shared keywords; equal to `questions` if none are shared."""
    questions: int = 0
    """Number of questions with results."""


@dataclass(frozen=True)
class ChartResult:
    """Chart with the available filter values."""

    finding: Finding
    choices: Choices


@dataclass(frozen=True)
class RunData:
    """Snapshot of all jobs of a run."""

    table: JobTable
    scales: Mapping[str, TraitScale] = field(default_factory=dict)
    """By trait."""
    dollars: Floats | None = None
    """US dollars of each job's result, NaN: unknown; None: unknown for all."""

    @cached_property
    def metrics(self) -> tuple[Metric, ...]:
        return tuple(metrics_of(self.table, self.scales))

    def metric(self, trait: str | None) -> Metric:
        """Return the metric of a trait; the first metric if the run does not have it."""
        first = next(iter(self.metrics), VERDICT)
        return next((metric for metric in self.metrics if metric.trait == trait), first)

    @cached_property
    def choices(self) -> Choices:
        table = self.table
        counts = Counter(word for of_question in table.keywords.values() for word in set(of_question))
        return Choices(
            self.metrics,
            _distinct([arm.answering for arm in table.arms]),
            _distinct([arm.condition for arm in table.arms]),
            _distinct([judgment.judge for judgment in table.judgments]),
            keywords=tuple(sorted(word for word, number in counts.items() if number < len(table.keywords))),
            arms=table.arms,
            clusters=len(set(clusters_of(table.keywords).values())),
            questions=len(table.keywords),
        )

    def filter(self, request: ChartRequest) -> tuple[Scores, ChartData]:
        """Return the scores and data of the jobs that pass the filters."""
        selected, table = self._matches(request), self.table

        def filter_jobs(metric: Metric) -> Scores:
            whole = self._scores(metric)
            return whole if selected.all() else whole.select(selected[whole.row])

        def with_errors(part: Scores) -> Scores:
            return part.with_errors_as_failures() if request.errors_as_failures else part

        without_errors = filter_jobs(self.metric(request.trait))
        scores = with_errors(without_errors)
        costs = self._costs
        # Views, not copies, of the columns of the whole run.
        rows = slice(None) if len(scores) == len(table) else scores.row
        data = ChartData(
            texts=table.texts,
            keywords=table.keywords,
            others=int(selected.sum()) - len(scores),
            failed=scores.scored - without_errors.scored,
            outcome=table.outcome[rows],
            seconds=costs["seconds"][rows],
            tokens=costs["tokens"][rows],
            answer_tokens=costs["answer_tokens"][rows],
            dollars=costs["dollars"][rows],
            places={arm: index for index, arm in enumerate(table.arms)},
            metrics=self.metrics,
            request=request,
            # Loaded on demand: most charts read one metric only.
            scores=lambda metric: with_errors(filter_jobs(metric)),
        )
        return scores, data

    @cached_property
    def _costs(self) -> dict[str, Floats]:
        """Cost of each job's answer including all its judgments; NaN: unknown for at least one of them."""
        import numpy as np

        table = self.table
        widest = int(table.replicate.max(initial=0)) + 1
        cell = table.question.astype(np.int64) * max(1, len(table.arms)) + table.arm
        _, answer = np.unique(cell * widest + table.replicate, return_inverse=True)
        dollars = np.full(len(table), np.nan) if self.dollars is None else self.dollars
        # A sum with NaN is NaN.
        spent: dict[str, Floats] = {
            name: np.bincount(answer, weights=column)[answer].astype(float) if len(table) else column
            for name, column in (("seconds", table.seconds), ("tokens", table.tokens), ("dollars", dollars))
        }
        # Only the first judgment records the tokens of the answer. A filter by judge must not drop them.
        recorded = np.flatnonzero(~np.isnan(table.answer_tokens))[::-1]
        first = np.full(len(answer), np.nan)
        first[answer[recorded]] = table.answer_tokens[recorded]
        return spent | {"answer_tokens": first[answer]}

    def _matches(self, request: ChartRequest) -> Flags:
        import numpy as np

        table, selected = self.table, np.ones(len(self.table), dtype=bool)
        keyword, judge, question = request.keyword, request.judge, request.question_id
        filters: list[tuple[bool, Codes, list[bool]]] = [
            (bool(request.answering), table.arm, [arm.answering in request.answering for arm in table.arms]),
            (bool(request.condition), table.arm, [arm.condition in request.condition for arm in table.arms]),
            (judge is not None, table.judgment, [judgment.judge == judge for judgment in table.judgments]),
            (question is not None, table.question, [name == question for name in table.questions]),
            (
                keyword is not None,
                table.question,
                [keyword in table.keywords.get(name, ()) for name in table.questions],
            ),
        ]
        for applies, codes, allowed in filters:
            if applies and len(table):
                selected &= np.array(allowed, dtype=bool)[codes]
        return selected

    def _scores(self, metric: Metric) -> Scores:
        cache = self._scores_by_metric
        if metric not in cache:
            from karenina_gui.analysis.scores import Scores

            while cache and (len(cache) + 1) * len(self.table) > MOST_SCORES:
                cache.popitem()
            cache[metric] = Scores.of(self.table, metric)
        return cache[metric]

    @cached_property
    def _scores_by_metric(self) -> dict[Metric, Scores]:
        return {}


def compute_chart(material: RunData, find: Find, request: ChartRequest, most_rows: int | None = None) -> ChartResult:
    """Compute a chart, or explain why it has no data for this request. `most_rows`: see `ChartData`."""
    # An error is not a judgment: judges must not appear to agree on it.
    of_judges = find is judges.find
    scores, data = material.filter(replace(request, errors_as_failures=False) if of_judges else request)
    if not scores.planned:
        finding = Finding(scores.metric, NO_JOB, ChartTable(()), 0, 0, empty_reason=NO_JOB)
        return ChartResult(finding, material.choices)
    if not scores.metric.has_order and find not in (distribution.find, judges.find):
        reason = (
            f"The classes of “{scores.metric.title}” have no order, so they have no mean. See “Score distribution” and "
            "“Judge agreement”."
        )
        return ChartResult(empty_finding(scores, reason, ChartTable(())), material.choices)
    finding = find(scores, replace(data, most_rows=most_rows))
    if of_judges and request.errors_as_failures and scores.lacking:
        caution = "Errors do not count as failures here, because judges can only agree on what they judged."
        finding = replace(finding, cautions=(*finding.cautions, caution))
    elif data.failed:
        cautions = (_errors_caution(data.failed), *finding.cautions)
        finding = replace(finding, failed=data.failed, cautions=cautions)
    return ChartResult(finding, material.choices)


def _errors_caution(number: int) -> str:
    count = verb(number, "counts", "count")
    return f"{quantity(number, 'job')} that ended without a score {count} as the worst possible score."


def _distinct(column: Sequence[str | None]) -> tuple[str, ...]:
    return tuple(name for name in dict.fromkeys(column) if name is not None)
