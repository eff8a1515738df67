"""Data of a run for its charts, and filtering by request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from karenina_gui.analysis.charts import distribution, judges
from karenina_gui.analysis.charts.chart import ChartTable, Finding
from karenina_gui.analysis.charts.chart_request import ChartData, ChartRequest, Find
from karenina_gui.analysis.charts.finding_factory import empty_finding
from karenina_gui.analysis.keyword_clusters import clusters_of
from karenina_gui.analysis.metrics import VERDICT, Metric, metrics_of
from karenina_gui.schemas.job_table import JobTable
from karenina_gui.schemas.result import TraitScale
from karenina_gui.text import quantity, verb

if TYPE_CHECKING:
    from karenina_gui.analysis.scores import Flags, Scores


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
    dollars: Mapping[int, float] = field(default_factory=dict)
    """{result id: US dollars}, for results with a known cost."""

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
            _distinct(table.answering),
            _distinct(table.condition),
            _distinct(table.judge),
            keywords=tuple(sorted(word for word, number in counts.items() if number < len(table.keywords))),
            arms=tuple(dict.fromkeys(zip(table.answering, table.condition, strict=True))),
            clusters=len(set(clusters_of(table.keywords).values())),
            questions=len(table.keywords),
        )

    def filter(self, request: ChartRequest) -> tuple[Scores, ChartData]:
        """Return the scores and data of the jobs that pass the filters."""
        from karenina_gui.analysis.scores import Arm

        selected, table = self._matches(request), self.table

        def filter_jobs(metric: Metric) -> Scores:
            whole = self._scores(metric)
            return whole if selected.all() else whole.select(selected[whole.row])

        def with_errors(part: Scores) -> Scores:
            return part.with_errors_as_failures() if request.errors_as_failures else part

        without_errors = filter_jobs(self.metric(request.trait))
        scores = with_errors(without_errors)
        rows = scores.row.tolist()

        def column(values: Sequence[Any]) -> list[Any]:
            return [values[at] for at in rows]

        arms = dict.fromkeys(zip(table.answering, table.condition, strict=True))
        data = ChartData(
            texts=table.texts,
            keywords=table.keywords,
            others=int(selected.sum()) - len(rows),
            failed=scores.scored - without_errors.scored,
            outcome=column(table.outcome),
            seconds=column(self._costs["seconds"]),
            tokens=column(self._costs["tokens"]),
            answer_tokens=column(self._costs["answer_tokens"]),
            dollars=column(self._costs["dollars"]),
            places={Arm(*arm): index for index, arm in enumerate(arms)},
            metrics=self.metrics,
            request=request,
            # Loaded on demand: most charts read one metric only.
            scores=lambda metric: with_errors(filter_jobs(metric)),
        )
        return scores, data

    @cached_property
    def _costs(self) -> dict[str, list[float | None]]:
        """Cost of each job's answer including all its judgments; None: unknown for at least one of them."""
        table = self.table
        dollars = [None if number is None else self.dollars.get(number) for number in table.result_id]
        answers = [*zip(table.question_id, table.answering, table.condition, table.replicate, strict=True)]
        spent: dict[str, list[float | None]] = {
            name: _group_totals(answers, column)
            for name, column in (("seconds", table.seconds), ("tokens", table.tokens), ("dollars", dollars))
        }
        # Only the first judgment records the tokens of the answer. A filter by judge must not drop them.
        return spent | {"answer_tokens": _first_of_group(answers, table.answer_tokens)}

    def _matches(self, request: ChartRequest) -> Flags:
        import numpy as np

        table, selected = self.table, np.ones(len(self.table), dtype=bool)
        filters: list[tuple[Sequence[Any], Sequence[Any]]] = [
            (table.answering, request.answering),
            (table.condition, request.condition),
            (table.judge, (request.judge,) if request.judge is not None else ()),
            (table.question_id, (request.question_id,) if request.question_id is not None else ()),
        ]
        if request.keyword is not None:
            with_keyword = [question for question, keywords in table.keywords.items() if request.keyword in keywords]
            filters.append((table.question_id, with_keyword or (None,)))
        for column, values in filters:
            if values:
                allowed = frozenset(values)
                selected &= np.fromiter((value in allowed for value in column), dtype=bool, count=len(selected))
        return selected

    def _scores(self, metric: Metric) -> Scores:
        cache = self._scores_by_metric
        if metric not in cache:
            from karenina_gui.analysis.scores import Scores

            cache[metric] = Scores.of(self.table, metric)
        return cache[metric]

    @cached_property
    def _scores_by_metric(self) -> dict[Metric, Scores]:
        return {}


def compute_chart(material: RunData, find: Find, request: ChartRequest) -> ChartResult:
    """Compute a chart, or explain why it has no data for this request."""
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
    finding = find(scores, data)
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


def _group_totals(groups: Sequence[Any], values: Sequence[float | None]) -> list[float | None]:
    """Return for each element the sum over its group; None: a value of the group is missing."""
    sums: dict[Any, float | None] = {}
    for group, value in zip(groups, values, strict=True):
        before = sums.get(group, 0.0)
        sums[group] = None if before is None or value is None else before + value
    return [sums[group] for group in groups]


def _first_of_group(groups: Sequence[Any], values: Sequence[float | None]) -> list[float | None]:
    """For each element, the first known value of its group; None: no element of the group has one."""
    values_by_group: dict[Any, float] = {}
    for group, value in zip(groups, values, strict=False):
        if value is not None:
            values_by_group.setdefault(group, value)
    return [values_by_group.get(group) for group in groups]


def _distinct(column: Sequence[str | None]) -> tuple[str, ...]:
    return tuple(name for name in dict.fromkeys(column) if name is not None)
