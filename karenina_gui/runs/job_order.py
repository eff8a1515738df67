"""Order in which answers are generated. Results are listed in the fixed order of jobs regardless."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain
from operator import itemgetter

from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.job import Job

Group = list[Job]
"""Jobs that share one answer and differ in judge or judge replicate."""


def groups_in_order(jobs: Sequence[Job], document: BenchmarkDocument, ordering: str) -> list[Group]:
    """Groups of jobs in the order of execution (`VerificationConfig.task_ordering`)."""
    groups: dict[str, Group] = {}
    for job in jobs:
        groups.setdefault(job.answer_key, []).append(job)
    return _ORDERINGS[ordering](list(groups.values()), document)


def _by_template(groups: list[Group], document: BenchmarkDocument) -> list[Group]:
    """Group questions by template."""
    # The sandbox then reuses the process that serves a template.
    first_use: dict[str, int] = {}
    order: dict[str, int] = {}
    for entry in document.entries:
        order[entry.id] = first_use.setdefault(entry.question.answer_template or "", len(first_use))
    return sorted(groups, key=lambda group: order[group[0].question_id])


def _by_answering_model(groups: list[Group], _: BenchmarkDocument) -> list[Group]:
    """One answering model after another."""
    # Providers cache a shared prompt prefix for a few minutes.
    by_model: dict[tuple[str, str | None], list[Group]] = {}
    for group in groups:
        by_model.setdefault((group[0].answering, group[0].condition), []).append(group)
    return list(chain.from_iterable(by_model.values()))


def _models_in_turn(groups: list[Group], _: BenchmarkDocument) -> list[Group]:
    """Alternate between answering models, to spread calls over providers."""
    turns: Counter[str] = Counter()
    numbered = []
    for group in groups:
        turns[group[0].answering] += 1
        numbered.append((turns[group[0].answering], group))
    return [group for _, group in sorted(numbered, key=itemgetter(0))]


def _as_planned(groups: list[Group], _: BenchmarkDocument) -> list[Group]:
    return groups


def _shuffle(groups: list[Group], _: BenchmarkDocument) -> list[Group]:
    return random.sample(groups, len(groups))


_ORDERINGS: dict[str, Callable[[list[Group], BenchmarkDocument], list[Group]]] = {
    "auto": _by_template,
    "prefix_cache": _by_answering_model,
    "distribute_answerers": _models_in_turn,
    "generation_order": _as_planned,
    "random": _shuffle,
}
