"""Which group of jobs is worked on next: the first in the order whose answering model has a place free."""

from __future__ import annotations

import logging
import threading
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import inf

from karenina_gui.runs.ordering import Group
from karenina_gui.schemas.config import VerificationConfig

log = logging.getLogger(__name__)


class Turns:
    """Hands out each group once. Thread-safe.

    A model of which as many groups are out as its limit allows is passed over, so that no worker waits for it while
    another model has work. Models of one id share one limit.
    """

    def __init__(self, groups: Sequence[Group], config: VerificationConfig) -> None:
        self._names = [str(model.id) for model in config.answering_models]
        self._limits = _limits(config)
        self._out: Counter[str] = Counter()
        self._left: dict[str, deque[tuple[int, Group]]] = {name: deque() for name in self._names}
        for place, group in enumerate(groups):
            self._left[self._name(group)].append((place, group))
        self._changed = threading.Condition()

    @contextmanager
    def take(self) -> Iterator[Group | None]:
        """The next group, which is out until the block ends; None: nothing is left.

        Waits while every model with work left is full.
        """
        with self._changed:
            while (name := self._ready()) is None and any(self._left.values()):
                self._changed.wait()
            if name is None:
                group = None
            else:
                _, group = self._left[name].popleft()
                self._out[name] += 1
        try:
            yield group
        finally:
            if name is not None:
                with self._changed:
                    self._out[name] -= 1
                    self._changed.notify_all()

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
