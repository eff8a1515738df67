"""Summary of a run from its row."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, cast

from karenina_gui.schemas.model_config import PLAYED_BACK
from karenina_gui.schemas.model_labels import labels
from karenina_gui.schemas.outcome import Outcome
from karenina_gui.schemas.reproducibility import Reproducibility
from karenina_gui.schemas.run_summaries import RunStatus, RunSummary
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store import tables


def run_summary(run: tables.RunRow, benchmark_name: str, benchmark_deleted_at: str | None) -> RunSummary:
    assert run.id is not None
    config = VerificationConfig.model_validate(run.config)
    return RunSummary(
        id=run.id,
        name=run.name,
        benchmark_id=run.benchmark_id,
        benchmark_name=benchmark_name,
        status=cast(RunStatus, run.status),
        total=run.total,
        done=run.done,
        outcomes=cast(dict[Outcome, int], run.outcomes),
        answering=tuple(labels(config.answering_models)),
        judges=tuple(labels(config.parsing_models)),
        replicates=config.replicate_count,
        evaluation_mode=config.evaluation_mode,
        sandbox_level=run.sandbox_level,
        recording_label=_recording_label(run.recording_label, config),
        benchmark_hash=run.benchmark_hash,
        message=run.message,
        created_at=run.created_at,
        finished_at=run.finished_at,
        seconds=seconds_worked(run),
        origin=run.origin,
        conditions=tuple(condition.name for condition in config.conditions),
        judge_replicates=config.judge_replicates,
        benchmark_deleted=benchmark_deleted_at is not None,
    )


def stored_record(record: Reproducibility | None) -> dict[str, Any] | None:
    """JSON of a run's reproducibility record."""
    return None if record is None else record.model_dump(mode="json")


def seconds_worked(run: tables.RunRow) -> float:
    """Seconds worked in all sessions of a run. A session without a known end lasts until its last result."""
    begun = run.begun_at or run.created_at
    end = run.finished_at or max(begun, run.heard_at or begun)
    return run.worked_before + max(0.0, (_parse_time(end) - _parse_time(begun)).total_seconds())


def _parse_time(text: str) -> datetime:
    """Parse a time; one without a zone counts as UTC."""
    # Imported files may record times without a zone. Both ends of a run then lack it, so the difference is right.
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _recording_label(label: str | None, config: VerificationConfig) -> str | None:
    """Label of the recording, with the names of its models if other models of the run were called live."""
    models = [*config.answering_models, *config.parsing_models]
    played = [str(model.id) for model in models if model.interface == "replay"]
    if not label or not played or all(model.interface in PLAYED_BACK for model in models):
        return label
    return f"{label} of {', '.join(dict.fromkeys(played))}"
