"""Results gathered by model, condition, question and repetition, as k-eval's files have them.

Each metric has a name of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import isfinite
from statistics import fmean, stdev
from typing import Any

from karenina_gui.schemas.condition import without_condition
from karenina_gui.schemas.outcome import JUDGED, Outcome, judged_count, outcome_of
from karenina_gui.schemas.result import ModelIdentity, ResultRubric, TraitScale, VerificationResult
from karenina_gui.schemas.rubric import Rubric
from karenina_gui.schemas.rubric.methodology import CLAIMS, METRICS

VERDICT = "passed"
"""Name of the metric for the verdict of the template."""
REASONING = "_reasoning"
"""Ending of the field of a form that gives the reason for another one."""


@dataclass(frozen=True)
class Scale:
    """Meaning of the scores of a metric."""

    binary: bool = False
    low: float | None = None
    high: float | None = None
    higher_is_better: bool | None = True
    judged: bool = False
    """True if a model gives them."""
    classes: tuple[str, ...] = ()


@dataclass
class KEvalAnswer:
    """One repetition, with all judgments of it."""

    number: int
    """0-based."""
    results: list[VerificationResult] = field(default_factory=list)
    scored: list[dict[str, float]] = field(default_factory=list)
    """{metric: score} of each judgment."""

    @property
    def first(self) -> VerificationResult:
        return self.results[0]

    def score(self, metric: str) -> float | None:
        """The mean of the judgments' scores; None if none of them has one."""
        values = [scores[metric] for scores in self.scored if metric in scores]
        if not values:
            return None
        return values[0] if len(values) == 1 else fmean(values)

    def texts(self, name: str) -> list[str]:
        """Texts that judges wrote in a field of a form."""
        return [text for result in self.results if isinstance(text := _judge_scores(result).get(name), str)]

    @property
    def claims(self) -> list[str]:
        lists = [
            value
            for result in self.results
            for name, value in _judge_scores(result).items()
            if name.endswith(f".{CLAIMS}")
        ]
        return [str(claim) for claims in lists if isinstance(claims, list) for claim in claims]


@dataclass
class Sample:
    """One question under one condition."""

    position: int
    """Index of the question among those of the run, from 0."""
    answers: dict[int, KEvalAnswer] = field(default_factory=dict)

    @property
    def first(self) -> VerificationResult:
        return self.in_order[0].first

    @property
    def in_order(self) -> list[KEvalAnswer]:
        return [self.answers[number] for number in sorted(self.answers)]

    def scores(self, metric: str) -> list[float]:
        return [score for answer in self.in_order if (score := answer.score(metric)) is not None]

    def mean(self, metric: str) -> float | None:
        return fmean(scores) if (scores := self.scores(metric)) else None

    def deviation(self, metric: str) -> float | None:
        """Standard deviation of the repetitions; None if there is no score at all.

        By k-eval's own convention 0.0 for one repetition.
        """
        scores = self.scores(metric)
        return stdev(scores) if len(scores) > 1 else 0.0 if scores else None


@dataclass
class KEvalArm:
    """A model under a condition."""

    model: ModelIdentity
    condition: str | None
    samples: dict[str, Sample] = field(default_factory=dict)
    """By question id."""


@dataclass
class KEvalAggregate:
    arms: list[KEvalArm] = field(default_factory=list)
    scales: dict[str, Scale] = field(default_factory=dict)
    """{metric, as results name it: its scale}"""

    @classmethod
    def of(cls, results: Iterable[VerificationResult], rubric: Rubric | None = None) -> KEvalAggregate:
        """Gather results, which `rubric` has judged.

        A metric of the methodology is there even if no answer has a score.
        """
        gathered, arms = cls(), dict[tuple[str, str | None], KEvalArm]()
        places: dict[str, int] = {}
        outcomes: Counter[Outcome] = Counter()
        for result in results:
            meta = result.metadata
            outcomes[outcome_of(result)] += 1
            model = meta.answering
            # The label of a model ends with its condition; without it, all conditions of a model get one label.
            label = without_condition(model.label, result.condition)
            arm = arms.setdefault((label, result.condition), KEvalArm(model, result.condition))
            position = places.setdefault(meta.question_id, len(places))
            sample = arm.samples.setdefault(meta.question_id, Sample(position))
            # Results count from 1, k-eval from 0.
            number = (meta.replicate or 1) - 1
            answer, scores = sample.answers.setdefault(number, KEvalAnswer(number)), dict(_scores(result))
            answer.results.append(result)
            answer.scored.append(scores)
            for metric in scores:
                if metric not in gathered.scales:
                    gathered.scales[metric] = _scale(metric, result)
        for metric, scale in _expected_metrics(rubric):
            gathered.scales.setdefault(metric, scale)
        gathered.arms = list(arms.values())
        if not judged_count(outcomes):  # no template was asked: refusals alone would be a rate of 0%
            gathered.scales.pop(VERDICT, None)
        return gathered

    @property
    def models(self) -> dict[str, list[KEvalArm]]:
        """{label of the model: its arms}"""
        arms_by_model: dict[str, list[KEvalArm]] = {}
        for arm in self.arms:
            arms_by_model.setdefault(without_condition(arm.model.label, arm.condition), []).append(arm)
        return arms_by_model

    @property
    def names(self) -> dict[str, str]:
        """{metric: its name in a file}; those of the methodology go by the field alone, as k-eval has them."""
        short = [metric.rpartition(".")[2] for metric in self.scales]
        return {
            metric: name if name in METRICS and short.count(name) == 1 else metric
            for metric, name in zip(self.scales, short, strict=True)
        }


def _expected_metrics(rubric: Rubric | None) -> Iterator[tuple[str, Scale]]:
    """Metrics of the methodology that a form of the rubric asks for."""
    for trait in rubric.llm_traits if rubric else ():
        fields = trait.kind["schema"].get("properties", {}) if isinstance(trait.kind, dict) else {}
        for name in METRICS:
            if (schema := fields.get(name)) is not None:
                low, high, better = (schema.get(key) for key in ("minimum", "maximum", "higher_is_better"))
                yield f"{trait.name}.{name}", Scale(low=low, high=high, higher_is_better=better, judged=True)


def _judge_scores(result: VerificationResult) -> Mapping[str, Any]:
    return (result.rubric and result.rubric.llm_trait_scores) or {}


def _scores(result: VerificationResult) -> Iterator[tuple[str, float]]:
    """(metric, score) of everything that has a score."""
    outcome = outcome_of(result)
    if outcome in JUDGED:
        yield VERDICT, float(outcome == "passed")
    rubric = result.rubric
    if rubric is None:
        return
    outside = set(rubric.out_of_scale)
    for name, score in rubric.single_scores.items():
        if name not in outside and isinstance(score, bool | int | float) and isfinite(score):
            # Adding 0 makes 1 and 0 of true and false.
            yield name, score + 0
    yield from rubric.metric_figures.items()


def has_scores(result: VerificationResult) -> bool:
    """Check if a summary says something of the result, apart from its verdict (see `judged` for that)."""
    return any(metric != VERDICT for metric, _ in _scores(result))


def _scale(metric: str, result: VerificationResult) -> Scale:
    if metric == VERDICT and outcome_of(result) in JUDGED:
        return Scale(binary=True, low=0, high=1)
    rubric = result.rubric
    assert rubric is not None
    scale = _known_scale(metric, rubric)
    if metric in rubric.metric_figures:
        return Scale(low=0, high=1, higher_is_better=scale.higher_is_better if scale else None, judged=True)
    judged = any(metric in rubric.scores_by_kind.get(kind, {}) for kind in ("llm", "agentic"))
    return _scale_of(rubric.single_scores.get(metric), scale, judged)


def _known_scale(metric: str, rubric: ResultRubric) -> TraitScale | None:
    """The scale of a trait, or that of the field of its form; None if the result does not have it."""
    trait, _, field_name = metric.partition(".")
    scale = (rubric.trait_scales or {}).get(trait)
    return (scale.fields or {}).get(field_name, scale) if scale else None


def _scale_of(value: Any, scale: TraitScale | None, judged: bool) -> Scale:
    """The scale of a trait that is no metric trait, told by a score of it."""
    better = scale.higher_is_better if scale else None
    if isinstance(value, bool):
        return Scale(binary=True, low=0, high=1, higher_is_better=better, judged=judged)
    if scale is None:
        return Scale(higher_is_better=better, judged=judged)
    if scale.classes:
        highest = len(scale.classes) - 1
        return Scale(low=0, high=highest, higher_is_better=better, judged=judged, classes=tuple(scale.classes))
    return Scale(low=scale.min_score, high=scale.max_score, higher_is_better=better, judged=judged)
