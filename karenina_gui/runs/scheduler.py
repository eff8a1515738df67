"""Job scheduler. Prefers jobs whose answer exists; else the next group whose model is below its limit."""

from __future__ import annotations

import logging
import threading
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf

from karenina_gui.adapters.outages import ModelKey, Outages, model_key
from karenina_gui.pipeline.generated_answer import Generation
from karenina_gui.runs.job_order import Group
from karenina_gui.schemas.job import Job
from karenina_gui.schemas.model_labels import by_label
from karenina_gui.schemas.verification_config import VerificationConfig

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class JudgmentTask:
    """Job whose answer another job has already produced."""

    job: Job
    answer: Generation


class JobScheduler:
    """Scheduler that hands out each group once, and judging jobs to any free worker. Thread-safe.

    A model that is at its concurrency limit or unavailable (`outages`) is skipped, so that no worker waits while
    another model has work. Models with the same id share one limit.
    """

    def __init__(self, groups: Sequence[Group], config: VerificationConfig, outages: Outages | None = None) -> None:
        self._outages = outages or Outages()
        answering = by_label(config.answering_models)
        self._answering = {label: model_key(model) for label, model in answering.items()}
        self._judges = {label: model_key(model) for label, model in by_label(config.parsing_models).items()}
        self._names = {label: str(model.id) for label, model in answering.items()}
        self._limits = _limits(config)
        self._out: Counter[str] = Counter()
        self._offered: deque[JudgmentTask] = deque()
        self._waiting: dict[str, deque[tuple[int, Group]]] = {name: deque() for name in self._names.values()}
        for index, group in enumerate(groups):
            self._waiting[self._model_name(group)].append((index, group))
        self._changed = threading.Condition()
        self._over = False

    @contextmanager
    def next_jobs(self) -> Iterator[Group | JudgmentTask | None]:
        """Yield the next group or judging job. A group counts as active until the block ends.

        Waits while every model with work is at its limit or unavailable. None: all work is handed out.
        """
        with self._changed:
            while (
                (judging := self._next_judging()) is None
                and (name := self._next_model()) is None
                and self._more_may_come()
            ):
                self._changed.wait()
            work: Group | JudgmentTask | None = None
            if self._over:
                name = None
            elif judging is not None:
                self._offered.remove(judging)
                self._note_call(self._judge_key(judging.job))
                work, name = judging, None
            elif name is not None:
                _, work = self._waiting[name].popleft()
                self._out[name] += 1
                self._note_call(self._answering[work[0].answering])
        try:
            yield work
        finally:
            if name is not None:
                with self._changed:
                    self._out[name] -= 1
                    self._changed.notify_all()

    def add_judgments(self, jobs: Sequence[Job], answer: Generation) -> None:
        """Offer jobs of an active group to other workers, so that judges of one answer run in parallel."""
        with self._changed:
            self._offered.extend(JudgmentTask(job, answer) for job in jobs)
            self._changed.notify_all()

    def look_again(self) -> None:
        """Wake waiting workers, because the availability of a model has changed."""
        with self._changed:
            self._changed.notify_all()

    def end(self) -> None:
        """Hand out no more work."""
        with self._changed:
            self._over = True
            self._changed.notify_all()

    def _more_may_come(self) -> bool:
        more = self._offered or any(self._waiting.values()) or self._out.total() > 0
        return not self._over and bool(more)

    def _next_judging(self) -> JudgmentTask | None:
        """First offered job whose judge can be called."""
        return next((task for task in self._offered if self._can_start(self._judge_key(task.job))), None)

    def _next_model(self) -> str | None:
        """Model with work below its limit whose next group comes first in the run."""
        free = [name for name, groups in self._waiting.items() if groups and self._is_free(name, groups[0][1])]
        return min(free, key=lambda name: self._waiting[name][0][0], default=None)

    def _is_free(self, name: str, group: Group) -> bool:
        if self._out[name] >= self._limits.get(name, inf) or not self._can_start(self._answering[group[0].answering]):
            return False
        # An answer whose judge is unavailable would only wait in memory.
        judge = self._judge_key(group[0])
        return judge is None or self._outages.has_room(judge)

    def _judge_key(self, job: Job) -> ModelKey | None:
        return None if job.judge is None else self._judges[job.judge]

    def _can_start(self, key: ModelKey | None) -> bool:
        """True if a call may start. Without a model, only a pause of the run or an absent cluster forbids it."""
        return not self._outages.starts_nothing if key is None else self._outages.takes_more(key)

    def _note_call(self, key: ModelKey | None) -> None:
        if key is not None:
            self._outages.note_start(key)

    def _model_name(self, group: Group) -> str:
        return self._names[group[0].answering]


def _limits(config: VerificationConfig) -> dict[str, int]:
    """Maximum concurrent groups by model id. Models that are missing have no limit."""
    limits, names = config.answerer_concurrency_limits, [str(model.id) for model in config.answering_models]
    if not isinstance(limits, dict):
        return {} if limits is None else dict.fromkeys(names, limits)
    for unknown in limits.keys() - set(names):
        log.warning(
            "answerer_concurrency_limits names %r, but the answering models are: %s.", unknown, ", ".join(names)
        )
    return limits
