"""Run request as plain data. Importing it does not load the engine, which many windows never need."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.benchmark_summaries import LocalBenchmarkState
from karenina_gui.schemas.effective_models import effective_models
from karenina_gui.schemas.job import Job, expand
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.model_labels import by_label, labels
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.verification_config import VerificationConfig

if TYPE_CHECKING:
    from karenina_gui.pipeline.verify_job import VerificationTask


@dataclass(frozen=True)
class RunRequest:
    """Questions, configuration and permissions of a run."""

    document: BenchmarkDocument
    config: VerificationConfig
    question_ids: Sequence[str]
    """Ids of the chosen questions, in the order of the results (see `selection.select`)."""
    name: str | None = None
    here: LocalBenchmarkState = field(default_factory=LocalBenchmarkState)
    only: Collection[str] | None = None
    """Keys of the remaining jobs of a resumed run; None: all jobs."""

    @cached_property
    def jobs(self) -> list[Job]:
        jobs = expand(self.question_ids, self.config)
        return jobs if self.only is None else [job for job in jobs if job.key in self.only]

    @cached_property
    def judges(self) -> dict[str, ModelConfig]:
        """Judges by label, each under its label."""
        return {
            label: model if model.id == label else model.model_copy(update={"id": label})
            for label, model in by_label(self.config.parsing_models).items()
        }

    @cached_property
    def questions(self) -> dict[str, Question]:
        return {entry.id: entry.question for entry in self.document.entries}

    def answering_model(self, job: Job) -> ModelConfig:
        """The job's model under its label, with the settings of its condition."""
        return self.answering_models[job.answering, job.condition]

    @cached_property
    def answering_models(self) -> dict[tuple[str, str | None], ModelConfig]:
        """Answering models by label and name of the condition, in the order of the configuration."""
        conditions: list[str | None] = [condition.name for condition in self.config.conditions]
        keys = product(labels(self.config.answering_models), conditions or [None])
        return dict(zip(keys, effective_models(self.config).values(), strict=True))

    def counts_answer(self, job: Job) -> bool:
        """True if the job's result includes the tokens of the answer: the first of the jobs that share it."""
        return job.judge == next(iter(self.judges), None) and job.judge_replicate in (None, 1)

    def task(self, job: Job, question: Question | None = None) -> VerificationTask:
        """Input of a job. `question` None: the one of the document."""
        from karenina_gui.pipeline.verify_job import VerificationTask

        return VerificationTask(
            question=question or self.questions[job.question_id],
            rubric=self.document.rubric,
            config=self.config,
            answering_model=self.answering_model(job),
            parsing_model=None if job.judge is None else self.judges[job.judge],
            job=job,
            run_name=self.name,
            workspace_root=self.here.workspace_root,
            trusted=self.here.trusted,
        )
