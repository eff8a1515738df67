"""What the charts of one run are made of, and the part of it that a person has asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from karenina_gui.analysis.charts import distribution, judges
from karenina_gui.analysis.charts.chart import Finding, Table
from karenina_gui.analysis.charts.found import nothing
from karenina_gui.analysis.charts.request import ChartData, ChartRequest, Find
from karenina_gui.analysis.clusters import clusters_of
from karenina_gui.analysis.metrics import VERDICT, Metric, metrics_of
from karenina_gui.schemas.job_table import JobTable
from karenina_gui.schemas.result import TraitScale
from karenina_gui.text import quantity, verb

if TYPE_CHECKING:
    from karenina_gui.analysis.scores import Flags, Scores


NO_ORDER = (
    "The classes of “{trait}” have no order, so they have no mean. See “Score distribution” and “Judge agreement”."
)
NO_JUDGMENT = "Errors do not count as failures here, because judges can only agree on what they judged."
NO_JOB = "No jobs match these filters."


@dataclass(frozen=True)
class Choices:
    """What can be asked for: each in the order of the run."""

    metrics: tuple[Metric, ...] = ()
    answering: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    """Those that some questions have and others have not, in alphabetical order."""
    arms: tuple[tuple[str, str | None], ...] = ()
    """Answering model and condition of each."""
    clusters: int = 0
    """Into which questions that share a keyword fall; as many as there are questions: none share any."""
    questions: int = 0
    """With results."""


@dataclass(frozen=True)
class Found:
    """A chart, and what else can be asked for."""

    finding: Finding
    choices: Choices


@dataclass(frozen=True)
class Material:
    """All jobs of a run as they were at one moment."""

    table: JobTable
    scales: Mapping[str, TraitScale] = field(default_factory=dict)
    """By trait."""
    dollars: Mapping[int, float] = field(default_factory=dict)
    """{result id: what it cost}, of results whose cost is known."""

    @cached_property
    def metrics(self) -> tuple[Metric, ...]:
        return tuple(metrics_of(self.table, self.scales))

    def metric(self, trait: str | None) -> Metric:
        """The one that is meant; the first that there is where the run does not have it."""
        first = next(iter(self.metrics), VERDICT)
        return next((metric for metric in self.metrics if metric.trait == trait), first)

    @cached_property
    def choices(self) -> Choices:
        table = self.table
        words = Counter(word for of_question in table.keywords.values() for word in set(of_question))
        return Choices(
            self.metrics, _different(table.answering), _different(table.condition), _different(table.judge),
            keywords=tuple(sorted(word for word, number in words.items() if number < len(table.keywords))),
            arms=tuple(dict.fromkeys(zip(table.answering, table.condition, strict=True))),
            clusters=len(set(clusters_of(table.keywords).values())), questions=len(table.keywords),
        )  # fmt: skip

    def narrowed(self, request: ChartRequest) -> tuple[Scores, ChartData]:
        """The jobs that are meant with their scores, and what else is known of them."""
        from karenina_gui.analysis.scores import Arm

        wanted, table = self._wanted(request), self.table

        def as_they_are(metric: Metric) -> Scores:
            whole = self._scores(metric)
            return whole if wanted.all() else whole.only(wanted[whole.row])

        def counted(part: Scores) -> Scores:
            return part.with_errors_as_failures() if request.errors_as_failures else part

        own = as_they_are(self.metric(request.trait))
        meant = counted(own)
        rows = meant.row.tolist()

        def column(values: Sequence[Any]) -> list[Any]:
            return [values[at] for at in rows]

        arms = dict.fromkeys(zip(table.answering, table.condition, strict=True))
        data = ChartData(
            texts=table.texts,
            keywords=table.keywords,
            others=int(wanted.sum()) - len(rows),
            failed=meant.scored - own.scored,
            outcome=column(table.outcome),
            seconds=column(self._spent["seconds"]),
            tokens=column(self._spent["tokens"]),
            answer_tokens=column(self._spent["answer_tokens"]),
            dollars=column(self._spent["dollars"]),
            places={Arm(*arm): place for place, arm in enumerate(arms)},
            metrics=self.metrics,
            request=request,
            scores=lambda metric: counted(as_they_are(metric)),
        )
        return meant, data

    @cached_property
    def _spent(self) -> dict[str, list[float | None]]:
        """What each job's answer has taken with all its judgments; None: that is not known of each of them.

        Only the first judgment of an answer counts what the answer itself has taken: a filter by judge must not make
        it free.
        """
        table = self.table
        dollars = [None if number is None else self.dollars.get(number) for number in table.result_id]
        answers = [*zip(table.question_id, table.answering, table.condition, table.replicate, strict=True)]
        spent: dict[str, list[float | None]] = {
            name: _in_all(answers, column)
            for name, column in (("seconds", table.seconds), ("tokens", table.tokens), ("dollars", dollars))
        }
        return spent | {"answer_tokens": _of_first(answers, table.answer_tokens)}

    def _wanted(self, request: ChartRequest) -> Flags:
        import numpy as np

        table, wanted = self.table, np.ones(len(self.table), dtype=bool)
        among: list[tuple[Sequence[Any], Sequence[Any]]] = [
            (table.answering, request.answering),
            (table.condition, request.condition),
            (table.judge, (request.judge,) if request.judge is not None else ()),
            (table.question_id, (request.question_id,) if request.question_id is not None else ()),
        ]
        if request.keyword is not None:
            named = [question for question, words in table.keywords.items() if request.keyword in words]
            among.append((table.question_id, named or (None,)))
        for column, values in among:
            if values:
                meant = frozenset(values)
                wanted &= np.fromiter((value in meant for value in column), dtype=bool, count=len(wanted))
        return wanted

    def _scores(self, metric: Metric) -> Scores:
        known = self._known
        if metric not in known:
            from karenina_gui.analysis.scores import Scores

            known[metric] = Scores.of(self.table, metric)
        return known[metric]

    @cached_property
    def _known(self) -> dict[Metric, Scores]:
        return {}


def found(material: Material, find: Find, request: ChartRequest) -> Found:
    """Where no job passes the filter, or the chart would rank or average classes that have no order, no chart is asked.

    An error is not a judgment: where judges are compared, it never counts as a rating on which they agree.
    """
    of_judges = find is judges.find
    scores, data = material.narrowed(replace(request, errors_as_failures=False) if of_judges else request)
    if not scores.planned:
        finding = Finding(scores.metric, NO_JOB, Table(()), 0, 0, nothing=NO_JOB)
        return Found(finding, material.choices)
    if not scores.metric.has_order and find not in (distribution.find, judges.find):
        return Found(nothing(scores, NO_ORDER.format(trait=scores.metric.title), Table(())), material.choices)
    finding = find(scores, data)
    if of_judges and request.errors_as_failures and scores.lacking:
        finding = replace(finding, cautions=(*finding.cautions, NO_JUDGMENT))
    elif data.failed:
        finding = replace(finding, cautions=(_as_worst(data.failed), *finding.cautions))
    return Found(finding, material.choices)


def _as_worst(number: int) -> str:
    count = verb(number, "counts", "count")
    return f"{quantity(number, 'job')} that ended without a score {count} as the worst possible score."


def _in_all(groups: Sequence[Any], values: Sequence[float | None]) -> list[float | None]:
    """The sum over the group of each; None: a value is lacking."""
    sums: dict[Any, float | None] = {}
    for group, value in zip(groups, values, strict=True):
        before = sums.get(group, 0.0)
        sums[group] = None if before is None or value is None else before + value
    return [sums[group] for group in groups]


def _of_first(groups: Sequence[Any], values: Sequence[float | None]) -> list[float | None]:
    """For each element, the first known value of its group; None: no element of the group has one."""
    known: dict[Any, float] = {}
    for group, value in zip(groups, values, strict=False):
        if value is not None:
            known.setdefault(group, value)
    return [known.get(group) for group in groups]


def _different(column: Sequence[str | None]) -> tuple[str, ...]:
    return tuple(name for name in dict.fromkeys(column) if name is not None)
