"""Results of jobs that failed outside the pipeline, so that the run loses no job."""

from __future__ import annotations

import logging
from datetime import datetime

from karenina_gui.pipeline.finalization import identity
from karenina_gui.pipeline.verify_job import VerificationTask
from karenina_gui.schemas.result import (
    GROUP_OF,
    Failure,
    FailureCategory,
    ResultMetadata,
    StageRecord,
    VerificationResult,
    make_result_id,
)
from karenina_gui.schemas.template_identity import template_id
from karenina_gui.text.truncation import shortened_reason

log = logging.getLogger(__name__)

STAGE = "Run"
"""Stage name in results of failures outside the pipeline."""


def unexpected_result(task: VerificationTask, error: Exception, seconds: float) -> VerificationResult:
    """Result of a job that raised an unexpected error after `seconds`. The traceback is logged."""
    log.error("A job broke at the question %s", task.question.id, exc_info=error)
    reason = f"Internal error: {type(error).__name__}: {error}"
    return _minimal_result(task, "unexpected_error", reason, seconds)


def out_of_time_result(task: VerificationTask, limit: float) -> VerificationResult:
    """Result of a job that was not started within the time limit of its run, in seconds."""
    reason = f"The run time limit ({limit:g} s, batch_timeout_seconds) was reached before this job started."
    return _minimal_result(task, "cancelled", reason, 0.0)


def cluster_away_result(task: VerificationTask, reason: str) -> VerificationResult:
    """Result of a job for which no cluster was there as long as the run waits."""
    return _minimal_result(task, "connection", reason, 0.0)


def _minimal_result(
    task: VerificationTask, category: FailureCategory, reason: str, seconds: float
) -> VerificationResult:
    # Only the required fields, because computing any other may be what failed.
    answering, parsing = identity(task.answering_model), identity(task.parsing_model) if task.parsing_model else None
    timestamp = datetime.now().strftime("%Y-%m-%d %H:%M:%S")
    metadata = ResultMetadata(
        question_id=task.question.id,
        template_id=template_id(task.question.answer_template or ""),
        failure=Failure(category=category, stage=STAGE, reason=shortened_reason(reason), group=GROUP_OF[category]),
        question_text=task.question.question,
        answering=answering,
        parsing=parsing,
        execution_time=seconds,
        timestamp=timestamp,
        result_id=make_result_id(
            answering=answering,
            parsing=parsing,
            question_id=task.question.id,
            replicate=task.job.replicate,
            timestamp=timestamp,
            judge_replicate=task.job.judge_replicate,
        ),
        run_name=task.run_name,
        replicate=task.job.replicate,
        evaluation_mode=task.config.evaluation_mode,
    )
    fields = {"condition": task.job.condition, "judge_replicate": task.job.judge_replicate}
    stages = [StageRecord(name=STAGE, status="failed", reason=shortened_reason(reason), seconds=seconds)]
    return VerificationResult(metadata=metadata, error=reason, completed_without_errors=False, stages=stages, **fields)
