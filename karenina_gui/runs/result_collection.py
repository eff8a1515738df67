"""Results of a run in memory, for callers that do not save them."""

from __future__ import annotations

from karenina_gui.adapters.call_policy import never
from karenina_gui.adapters.outages import Outages
from karenina_gui.adapters.ports import Cancelled
from karenina_gui.pipeline.verify_job import PipelineTools
from karenina_gui.runs.executor import OnResult, RunControl, Verifier, run_jobs
from karenina_gui.runs.request import RunRequest
from karenina_gui.schemas.job import Job
from karenina_gui.schemas.result import VerificationResult


def collect_results(
    request: RunRequest,
    tools: PipelineTools,
    *,
    on_result: OnResult | None = None,
    cancelled: Cancelled = never,
    outages: Outages | None = None,
    elsewhere: Verifier | None = None,
) -> dict[Job, VerificationResult]:
    """Run the jobs and return their results by job, in the jobs' fixed order. Unfinished jobs are missing.

    Parameters and errors are those of `run_jobs`. `on_result` is also called with each result as it arrives.
    """
    results: dict[Job, VerificationResult] = {}

    def keep(job: Job, result: VerificationResult) -> None:
        results[job] = result
        if on_result is not None:
            on_result(job, result)

    run_jobs(request, tools, keep, control=RunControl(cancelled, outages, elsewhere=elsewhere))
    return {job: results[job] for job in request.jobs if job in results}
