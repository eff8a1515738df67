"""A run with one result and without a model, so that results refer to a question."""

from __future__ import annotations

from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.job import Job
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.result import ModelIdentity, ResultMetadata, ResultTemplate, VerificationResult
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store.library import Library
from karenina_gui.store.runs import RunPlan
from karenina_gui.store.snapshots import Snapshot


def answer(library: Library, benchmark: int, question_id: str) -> int:
    """Run one question of a benchmark; returns the run's id."""
    document = library.benchmarks.document(benchmark)
    run = library.runs.create(plan_of(document, benchmark, question_id))
    library.runs.record(run, job_of(question_id).key, result_of(document, question_id))
    library.runs.finish(run, "completed")
    return run


def plan_of(document: BenchmarkDocument, benchmark: int, question_id: str) -> RunPlan:
    recorded = ModelConfig(id="ada", interface="manual", manual_traces={question_id: "42"})
    config = VerificationConfig(answering_models=[recorded])
    snapshot = Snapshot.of(document)
    return RunPlan(benchmark, "r", config, [job_of(question_id)], "s", snapshot.hash, snapshot)


def job_of(question_id: str) -> Job:
    return Job(f"{question_id}\tada\t", question_id, "ada", None, None)


def result_of(document: BenchmarkDocument, question_id: str) -> VerificationResult:
    metadata = ResultMetadata(
        question_id=question_id,
        template_id="t",
        question_text=document.entry(question_id).question.question,
        answering=ModelIdentity(interface="manual", model_name="ada"),
        execution_time=0.1,
    )
    return VerificationResult(metadata=metadata, template=ResultTemplate(verify_result=True))
