"""Resumption of a run: its remaining jobs, on the snapshot of its benchmark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.registry import AdapterRegistry
from karenina_gui.errors import ConsentError, InputError, PortError
from karenina_gui.runs.reconnection import SettingToday, reconnect, settings_today, unknown_today
from karenina_gui.runs.request import RunRequest
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.outcome import Outcome, RetryClass, outcome_of, traits_worth_another_try
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.run_summaries import RunSummary
from karenina_gui.store.library import Library
from karenina_gui.store.runs import JobLeft


@dataclass(frozen=True)
class RemainingJobs:
    """Jobs that resuming a run would execute; all 0: nothing is left, or it cannot be resumed."""

    jobs: int = 0
    """Jobs without a result."""
    again: int = 0
    """Jobs that failed because a service could not be reached (`calls`)."""
    replies: int = 0
    """Jobs that failed because a judge's reply could not be parsed (`replies`)."""
    faults: int = 0
    """Jobs that failed because of an internal error (`faults`)."""
    unscored: int = 0
    """Jobs with a verdict whose traits lack a score because of such a failure (`traits`)."""
    answers: int = 0
    """Saved answers of these jobs, which are reused."""
    settings: tuple[SettingToday, ...] = ()
    """Differences between the run's models and the saved models of today."""
    unknown: tuple[str, ...] = ()
    """Models of the run with a URL that are missing from the Models page."""

    @property
    def retries(self) -> int:
        """Jobs with a result that would be retried."""
        return sum(self.by_class.values())

    @property
    def by_class(self) -> dict[RetryClass, int]:
        """Retried jobs by class; classes without jobs are left out."""
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
    """Run that can be resumed."""

    summary: RunSummary
    request: RunRequest
    jobs_left: Sequence[JobLeft]
    answered: frozenset[str]
    """Keys of the saved answers."""

    def outcomes_that_stay(self) -> dict[Outcome, int]:
        """Outcomes of the jobs that are not retried."""
        tried = Counter(job.outcome for job in self.jobs_left)
        stay = {outcome: count - tried[outcome] for outcome, count in self.summary.outcomes.items()}
        return {outcome: count for outcome, count in stay.items() if count > 0}

    @property
    def tried(self) -> frozenset[str]:
        """Keys of the jobs with a result that are retried."""
        return frozenset(job.key for job in self.jobs_left if job.outcome is not None)

    def outcome_that_stands(self, job_key: str, result: VerificationResult) -> Outcome | None:
        """Outcome of the job's earlier result if that is kept; None: the new result replaces it.

        A verdict is never replaced by an error, nor by a verdict with fewer scored traits.
        """
        first = self._tried.get(job_key)
        if first is None:
            return None
        less = outcome_of(result) == "error" or traits_worth_another_try(result) > first.unscored_traits
        return first.outcome if less else None

    @cached_property
    def _tried(self) -> dict[str, JobLeft]:
        return {job.key: job for job in self.jobs_left if job.has_verdict}

    def refuse_unreachable(self, adapters: AdapterFactory) -> None:
        """Raise `InputError` for the first model without a key or consent, or with an unreadable recording."""
        for model in self._models_to_call():
            try:
                adapters.recording_label(model)
                answers_only = AdapterRegistry.require(model.interface).llm_factory is None
                adapters.agent(model) if answers_only else adapters.llm(model)
            except ConsentError:
                raise
            except (InputError, PortError) as error:
                raise InputError(f"The run can’t continue yet. {model.id}: {error}") from error

    def _models_to_call(self) -> Iterator[ModelConfig]:
        """Models that will be called. A model whose answers are all saved needs no key."""
        jobs = self.request.jobs
        uses = {(job.answering, job.condition) for job in jobs if job.answer_key not in self.answered}
        judges = {job.judge for job in jobs}
        # In the order of the configuration, so that the first error is always the same.
        yield from (model for key, model in self.request.answering_models.items() if key in uses)
        yield from (judge for label, judge in self.request.judges.items() if label in judges)


class UnfinishedRuns:
    def __init__(self, library: Library) -> None:
        self._library = library

    def remaining(self, run_id: int) -> RemainingJobs:
        """Jobs that resuming the run would execute. Raises `NotFoundError`."""
        jobs_left = self._library.runs.jobs_left(run_id)
        if not jobs_left or not self._library.snapshots.has(self._library.runs.summary(run_id).benchmark_hash):
            return RemainingJobs()
        saved, config = self._library.models.all(), self._library.runs.config(run_id)
        needed = {job.answer_key for job in jobs_left}
        counts = Counter(job.retry for job in jobs_left)
        return RemainingJobs(
            jobs=counts[None],
            again=counts["calls"],
            replies=counts["replies"],
            faults=counts["faults"],
            unscored=counts["traits"],
            answers=len(needed & self._library.answers.keys(run_id)),
            settings=tuple(settings_today(config, saved)),
            unknown=tuple(unknown_today(config, saved)),
        )

    def of(self, run_id: int, classes: Collection[RetryClass] | None = None) -> UnfinishedRun:
        """The run with its remaining jobs. `classes`: results to retry; None: all classes.

        Jobs without a result are always included. Raises `NotFoundError`, and `InputError` if nothing is left or the
        run cannot be resumed.
        """
        summary = self._library.runs.summary(run_id)
        if summary.benchmark_deleted:
            raise InputError(
                f"The benchmark “{summary.benchmark_name}” was deleted with its runs. Restore it to resume this run."
            )
        jobs_left = self._library.runs.jobs_left(run_id)
        if classes is not None:
            jobs_left = [job for job in jobs_left if job.retry is None or job.retry in classes]
        if not jobs_left:
            raise InputError("Nothing left to do: all jobs of this run have results.")
        document = self._library.snapshots.document(summary.benchmark_hash)
        config = reconnect(self._library.runs.config(run_id), self._library.models.all())
        questions = dict.fromkeys(job.question_id for job in jobs_left)
        keys = frozenset(job.key for job in jobs_left)
        here = self._library.benchmarks.on_this_computer(summary.benchmark_id)
        request = RunRequest(document, config, list(questions), name=summary.name, here=here, only=keys)
        # A changed format of job keys would execute jobs twice.
        if len(request.jobs) < len(keys):
            raise InputError("This run was created by another version and can’t be resumed. Start a new run.")
        return UnfinishedRun(summary, request, jobs_left, frozenset(self._library.answers.keys(run_id)))
