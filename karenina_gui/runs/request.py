"""Run request as plain data. Importing it does not load the engine, which many windows never need."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from karenina_gui.runs.expansion import Job, expand
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.benchmark_summaries import LocalBenchmarkState
from karenina_gui.schemas.effective_models import Place, effective_models
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.model_labels import labels
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
    def judges(self) -> list[ModelConfig]:
        return _with_labels(self.config.parsing_models)

    @cached_property
    def questions(self) -> dict[str, Question]:
        return {entry.id: entry.question for entry in self.document.entries}

    def answering_model(self, job: Job) -> ModelConfig:
        """The job's model under its label, with the settings of its condition."""
        return self._asked[job.answering, job.condition]

    @cached_property
    def _asked(self) -> dict[Place, ModelConfig]:
        return effective_models(self.config)

    def task(self, job: Job) -> VerificationTask:
        from karenina_gui.pipeline.verify_job import VerificationTask

        return VerificationTask(
            question=self.questions[job.question_id],
            rubric=self.document.rubric,
            config=self.config,
            answering_model=self.answering_model(job),
            parsing_model=None if job.judge is None else self.judges[job.judge],
            replicate=job.replicate,
            condition=None if job.condition is None else self.config.conditions[job.condition],
            judge_replicate=job.judge_replicate,
            run_name=self.name,
            workspace_root=self.here.workspace_root,
            trusted=self.here.trusted,
        )


def _with_labels(models: Sequence[ModelConfig]) -> list[ModelConfig]:
    return [
        model if model.id == label else model.model_copy(update={"id": label})
        for model, label in zip(models, labels(models), strict=True)
    ]
