"""Metric traits: a judge sorts the statements of an answer into lists, whose lengths give the metrics.

The metrics are those of a confusion matrix (Fawcett, "An introduction to ROC analysis", Pattern Recognition Letters 27,
2006; F1: van Rijsbergen, "Information Retrieval", 1979).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from karenina_gui.adapters.ports import ParsedReply
from karenina_gui.rubric.prompts import counting_messages
from karenina_gui.rubric.scores import TraitScores
from karenina_gui.rubric.task import NoReply, RubricTask
from karenina_gui.schemas.rubric import MetricRubricTrait
from karenina_gui.text.canonical import canonical

Lists = dict[str, list[str]]


def evaluate_metric(traits: Sequence[MetricRubricTrait], task: RubricTask) -> TraitScores:
    """Scores for `metric_trait_scores`, as {trait: {metric: 0 to 1}}, for the requested metrics.

    Also sets `metric_trait_confusion_lists`, as {trait: {tp, fn, fp, and tn in full_matrix mode}}.
    """
    scores = TraitScores()
    for trait in traits:
        reply = task.ask(counting_messages(task, trait), CountingForm(names_of(trait)))
        if isinstance(reply, NoReply):
            scores.miss([trait.name], reply.why, reply.category)
            continue
        lists: Lists = {name: _entries(reply[name], trait.repeated_extraction) for name in names_of(trait)}
        scores.put("metric_trait_scores", trait.name, figures(lists, trait.metrics))
        scores.put("metric_trait_confusion_lists", trait.name, lists)
    return scores


def figures(lists: Mapping[str, Sequence[str]], metrics: Sequence[str]) -> dict[str, float]:
    """Values by metric, 0 to 1; 0 if the denominator is 0."""
    counts = _Counts(*(len(lists.get(name, ())) for name in ("tp", "fn", "fp", "tn")))
    return {name: METRICS[name](counts) for name in metrics}


def names_of(trait: MetricRubricTrait) -> tuple[str, ...]:
    """Lists requested from the judge and saved."""
    return ("tp", "fn", "fp", "tn") if trait.evaluation_mode == "full_matrix" else ("tp", "fn", "fp")


@dataclass(frozen=True)
class _Counts:
    tp: int
    fn: int
    fp: int
    tn: int


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


METRICS: dict[str, Callable[[_Counts], float]] = {
    "precision": lambda n: _share(n.tp, n.tp + n.fp),
    "recall": lambda n: _share(n.tp, n.tp + n.fn),
    "specificity": lambda n: _share(n.tn, n.tn + n.fp),
    "accuracy": lambda n: _share(n.tp + n.tn, n.tp + n.tn + n.fp + n.fn),
    "f1": lambda n: _share(2 * n.tp, 2 * n.tp + n.fp + n.fn),
}
"""Metrics of a confusion matrix.

precision = tp / (tp + fp), recall = tp / (tp + fn), specificity = tn / (tn + fp), accuracy = (tp + tn) / (tp + tn + fp
+ fn), f1 = 2 tp / (2 tp + fp + fn), the harmonic mean of precision and recall.
"""


@dataclass(frozen=True)
class CountingForm:
    """`ParseTarget` of required lists. A missing list is an error, because it is not the same as an empty one."""

    names: tuple[str, ...]

    @property
    def json_schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "title": "Lists",
            "properties": {name: {"type": "array", "items": {"type": "string"}} for name in self.names},
            "required": list(self.names),
            "additionalProperties": False,
        }

    def check(self, data: dict[str, Any]) -> ParsedReply:
        bad = [name for name in self.names if not _is_list_of_texts(data.get(name))]
        errors = tuple(f"'{name}' must be a list of texts; it may be empty." for name in bad)
        return ParsedReply(values={name: data.get(name) for name in self.names}, errors=errors)


def _is_list_of_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(entry, str) for entry in value)


def _entries(texts: Sequence[str], once: bool) -> list[str]:
    """Entries without blank ones. `once`: repeated ones count once, ignoring case and surrounding whitespace."""
    entries = [text.strip() for text in texts if text.strip()]
    # In reverse order, the first spelling of a repeated entry is the one that stays.
    return list({canonical(text).casefold(): text for text in reversed(entries)}.values())[::-1] if once else entries
