"""What is left of a run that has ended, and how it goes on: the same jobs, on the benchmark as the run found it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from karenina_gui.adapters.open import Adapters
from karenina_gui.adapters.registry import AdapterRegistry
from karenina_gui.errors import InputError, PortError
from karenina_gui.runs.expansion import answer_key
from karenina_gui.runs.reconnection import SettingToday, reconnected, settings_today, unknown_today
from karenina_gui.runs.request import RunRequest
from karenina_gui.schemas.config import ModelConfig
from karenina_gui.schemas.outcome import Outcome, RetryClass, outcome_of, traits_worth_another_try
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.summaries import RunSummary
from karenina_gui.store.library import Library
from karenina_gui.store.runs import JobLeft


@dataclass(frozen=True)
class Remaining:
    """What resuming a run would do; all 0: there is nothing to do, or it cannot be resumed."""

    jobs: int = 0
    """Jobs without a result."""
    again: int = 0
    """Jobs whose result says only that something could not be reached (`calls`)."""
    replies: int = 0
    """Jobs whose result says only that the judge's reply could not be read."""
    faults: int = 0
    """Jobs whose result says only that something broke inside the application."""
    unscored: int = 0
    """Jobs with a verdict, but with traits that lack their score because of one of these (`traits`)."""
    answers: int = 0
    """Answers for these jobs that are there already and are not asked for again."""
    settings: tuple[SettingToday, ...] = ()
    """How its models differ today from those that the run has."""
    unknown: tuple[str, ...] = ()
    """Its models with an address that no longer have their names on the page Models, or never had."""

    @property
    def retries(self) -> int:
        """Jobs that have a result and are tried again."""
        return sum(self.by_class.values())

    @property
    def by_class(self) -> dict[RetryClass, int]:
        """The same by the class of their results; classes without any are left out."""
        counts: dict[RetryClass, int] = {
            "calls": self.again,
            "replies": self.replies,
            "faults": self.faults,
            "traits": self.unscored,
        }
        return {kind: count for kind, count in counts.items() if count}

    def __bool__(self) -> bool:
        return bool(self.jobs or self.retries)


@dataclass(frozen=True)
class UnfinishedRun:
    """A run that can go on."""

    summary: RunSummary
    request: RunRequest
    left: Sequence[JobLeft]
    answered: frozenset[str]
    """Keys of the answers that are kept."""

    def outcomes_that_stay(self) -> dict[Outcome, int]:
        """Outcomes of the jobs that are not done again."""
        tried = Counter(job.outcome for job in self.left)
        stay = {outcome: count - tried[outcome] for outcome, count in self.summary.outcomes.items()}
        return {outcome: count for outcome, count in stay.items() if count > 0}

    @property
    def tried(self) -> frozenset[str]:
        """Keys of the jobs that have a result and are done anew."""
        return frozenset(job.key for job in self.left if job.outcome is not None)

    def outcome_that_stands(self, job_key: str, result: VerificationResult) -> Outcome | None:
        """That of the result which the job has already, where its second try has brought less; None: the new one does.

        A verdict is not given up for an error, nor for one with fewer traits.
        """
        first = self._tried.get(job_key)
        if first is None:
            return None
        less = outcome_of(result) == "error" or traits_worth_another_try(result) > first.unscored_traits
        return first.outcome if less else None

    @cached_property
    def _tried(self) -> dict[str, JobLeft]:
        return {job.key: job for job in self.left if job.has_verdict}

    def refuse_unreachable(self, adapters: Adapters) -> None:
        """Errors: `InputError` for the first model without its key, or whose recording cannot be read."""
        for model in self._to_be_asked():
            try:
                adapters.recording_label(model)
                answers_only = AdapterRegistry.require(model.interface).llm_factory is None
                adapters.agent(model) if answers_only else adapters.llm(model)
            except (InputError, PortError) as error:
                raise InputError(f"The run cannot go on yet. {model.id}: {error}") from error

    def _to_be_asked(self) -> Iterator[ModelConfig]:
        """Models that have something to do: one whose answers are all there is not asked for its key."""
        jobs = self.request.jobs
        asked = {(job.answering, job.condition): job for job in jobs if job.answer_key not in self.answered}
        for _, job in sorted(asked.items(), key=lambda each: (each[0][0], each[0][1] or 0)):
            yield self.request.answering_model(job)
        for place, judge in enumerate(self.request.judges):
            if any(job.judge == place for job in jobs):
                yield judge


class UnfinishedRuns:
    def __init__(self, library: Library) -> None:
        self._library = library

    def remaining(self, run_id: int) -> Remaining:
        """Errors: `NotFoundError`."""
        left = self._library.runs.left(run_id)
        if not left or not self._library.snapshots.has(self._library.runs.summary(run_id).benchmark_hash):
            return Remaining()
        kept, config = self._library.models.all(), self._library.runs.config(run_id)
        needed = {answer_key(job.question_id, job.answering, job.replicate, job.condition) for job in left}
        counts = Counter(job.retry for job in left)
        return Remaining(
            jobs=counts[None],
            again=counts["calls"],
            replies=counts["replies"],
            faults=counts["faults"],
            unscored=counts["traits"],
            answers=len(needed & self._library.answers.keys(run_id)),
            settings=tuple(settings_today(config, kept)),
            unknown=tuple(unknown_today(config, kept)),
        )

    def of(self, run_id: int, classes: Collection[RetryClass] | None = None) -> UnfinishedRun:
        """`classes` of results that are tried again, beside the jobs without one; None: all.

        Errors: `NotFoundError`; `InputError` when nothing is left to do, or the run cannot go on.
        """
        summary = self._library.runs.summary(run_id)
        if summary.benchmark_deleted:
            raise InputError(
                f"The benchmark “{summary.benchmark_name}” is deleted, and this run with it. Restore the benchmark "
                "first, then the run can go on."
            )
        left = self._library.runs.left(run_id)
        if classes is not None:
            left = [job for job in left if job.retry is None or job.retry in classes]
        if not left:
            raise InputError("Nothing is left to do in this run: every job has its result.")
        document = self._library.snapshots.document(summary.benchmark_hash)
        config = reconnected(self._library.runs.config(run_id), self._library.models.all())
        questions = dict.fromkeys(job.question_id for job in left)
        keys = frozenset(job.key for job in left)
        here = self._library.benchmarks.on_this_computer(summary.benchmark_id)
        request = RunRequest(document, config, list(questions), name=summary.name, here=here, only=keys)
        if len(request.jobs) < len(keys):
            raise InputError("Another version of this program planned the run and named its jobs otherwise: run again.")
        return UnfinishedRun(summary, request, left, frozenset(self._library.answers.keys(run_id)))
