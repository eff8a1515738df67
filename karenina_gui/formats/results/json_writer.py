"""Results as JSON, in upstream's shape 2.2."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable
from typing import IO, Any

from karenina_gui.formats.json_text import to_json_bytes
from karenina_gui.formats.results.json_codec import dump_result
from karenina_gui.formats.results.run_info import ALL_RESULTS, DATASET, RECORD, VERSION, RunInfo, package_version
from karenina_gui.schemas.outcome import outcome_of
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.rubric import Rubric

FORMAT_VERSION = "2.2"


def write_results_json(results: Iterable[VerificationResult], file: IO[bytes], *, run: RunInfo) -> None:
    """Write one result a line, one in memory at a time, and never a key."""
    if run.counts is not None:
        _write_head(file, run, *run.counts)
        _write_rows(results, file)
    else:
        # The head of the file counts the results, so they wait on the disk.
        with tempfile.TemporaryFile() as waiting:
            counts = _write_rows(results, waiting)
            _write_head(file, run, *counts)
            waiting.seek(0)
            shutil.copyfileobj(waiting, file, 1 << 20)
    file.write(b"\n]}\n")


def _write_rows(results: Iterable[VerificationResult], file: IO[bytes]) -> tuple[int, int]:
    """Write the results; returns their number, and that of those without a failure."""
    count = passed = 0
    for result in results:
        file.write((b",\n" if count else b"") + to_json_bytes(dump_result(result), indent=None))
        count += 1
        passed += outcome_of(result) != "error" and result.metadata.failure is None
    return count, passed


def _write_head(file: IO[bytes], run: RunInfo, count: int, passed: int) -> None:
    file.write(to_json_bytes(_head(run, count, passed), indent=None).removesuffix(b"}") + b',"results":[\n')


def _head(run: RunInfo, count: int, passed: int) -> dict[str, Any]:
    total = count if run.total is None else run.total
    return {
        "format_version": FORMAT_VERSION,
        **({"results_shown": run.selection} if run.selection != ALL_RESULTS else {}),
        "metadata": {
            "export_timestamp": run.export_timestamp,
            "karenina_version": package_version(),
            "job_id": run.job_id,
            "verification_config": run.verification_config,
            "job_summary": {
                "total_questions": total,
                "successful_count": passed,
                "failed_count": count - passed,
                "start_time": run.started,
                "end_time": run.finished,
                "total_duration": None if run.finished is None else run.finished - run.started,
                "is_complete": run.finished is not None and count >= total,
            },
            **({DATASET: run.dataset_hash} if run.dataset_hash else {}),
            **({VERSION: run.published_version} if run.published_version else {}),
            **({RECORD: run.reproducibility.model_dump(mode="json")} if run.reproducibility else {}),
        },
        "shared_data": {"rubric_definition": (run.rubric or Rubric()).model_dump(mode="json")},
    }
