"""What is worked on next: a job whose answer is there, else the first group whose answering model has a place free."""

from __future__ import annotations

import logging
import threading
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf

from karenina_gui.pipeline.generated_answer import Generation
from karenina_gui.runs.expansion import Job
from karenina_gui.runs.ordering import Group
from karenina_gui.schemas.config import VerificationConfig

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Judging:
    """A job whose answer another job has brought already."""

    job: Job
    answer: Generation


class Turns:
    """Hands out each group once, and what its worker offers to others. Thread-safe.

    A model of which as many groups are out as its limit allows is passed over, so that no worker waits for it while
    another model has work. Models of one id share one limit.
    """

    def __init__(self, groups: Sequence[Group], config: VerificationConfig) -> None:
        self._names = [str(model.id) for model in config.answering_models]
        self._limits = _limits(config)
        self._out: Counter[str] = Counter()
        self._offered: deque[Judging] = deque()
        self._left: dict[str, deque[tuple[int, Group]]] = {name: deque() for name in self._names}
        for place, group in enumerate(groups):
            self._left[self._name(group)].append((place, group))
        self._changed = threading.Condition()
        self._over = False

    @contextmanager
    def take(self) -> Iterator[Group | Judging | None]:
        """What comes next; a group is out until the block ends. None: nothing is left, and nobody may offer more.

        Waits while every model with work left is full.
        """
        with self._changed:
            while not self._offered and (name := self._ready()) is None and self._more_may_come():
                self._changed.wait()
            work: Group | Judging | None
            if self._over:
                work, name = None, None
            elif self._offered:
                work, name = self._offered.popleft(), None
            elif name is None:
                work = None
            else:
                _, work = self._left[name].popleft()
                self._out[name] += 1
        try:
            yield work
        finally:
            if name is not None:
                with self._changed:
                    self._out[name] -= 1
                    self._changed.notify_all()

    def offer(self, jobs: Sequence[Job], answer: Generation) -> None:
        """Jobs of a group that is out, to whoever is free: none of them needs to wait for another's judge."""
        with self._changed:
            self._offered.extend(Judging(job, answer) for job in jobs)
            self._changed.notify_all()

    def end(self) -> None:
        """Hand out nothing more."""
        with self._changed:
            self._over = True
            self._changed.notify_all()

    def _more_may_come(self) -> bool:
        return not self._over and (any(self._left.values()) or self._out.total() > 0)

    def _ready(self) -> str | None:
        """Of the models with work and a place free, the one whose next group comes first."""
        free = [name for name, left in self._left.items() if left and self._out[name] < self._limits.get(name, inf)]
        return min(free, key=lambda name: self._left[name][0][0], default=None)

    def _name(self, group: Group) -> str:
        return self._names[group[0].answering]


def _limits(config: VerificationConfig) -> dict[str, int]:
    """{model id: groups at the same time}; the others have no limit of their own."""
    limits, names = config.answerer_concurrency_limits, [str(model.id) for model in config.answering_models]
    if not isinstance(limits, dict):
        return {} if limits is None else dict.fromkeys(names, limits)
    for unknown in limits.keys() - set(names):
        log.warning(
            "answerer_concurrency_limits names %r, but the answering models are: %s.", unknown, ", ".join(names)
        )
    return limits
