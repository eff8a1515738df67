"""Results as JSON, in upstream's shape 2.2, and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from karenina_gui.errors import FileFormatError
from karenina_gui.formats.atomic_file import write_atomically
from karenina_gui.formats.json_text import read_json, to_json_bytes
from karenina_gui.formats.run_info import RunInfo, package_version
from karenina_gui.schemas.problems import first_problem
from karenina_gui.schemas.result import GROUP_OF, VerificationResult
from karenina_gui.schemas.rubric import Rubric

FORMAT_VERSION = "2.2"

UPSTREAM_CATEGORY = {
    "authentication": "unexpected_error",
    "rejected": "unexpected_error",
    "recording": "unexpected_error",
    "cancelled": "unexpected_error",
    "refusal": "abstention",
}
"""Our categories that upstream's reader would refuse: the nearest of its own. Ours stands beside, at the root."""


def export_results_json(results: Iterable[VerificationResult], path: str | Path, *, run: RunInfo) -> Path:
    """Write the results, completely or not at all; returns the path. Errors: `FileFormatError`."""
    return write_atomically(Path(path), results_json_bytes(results, run=run))


def results_json_bytes(results: Iterable[VerificationResult], *, run: RunInfo) -> bytes:
    """The file's content, for a download: one result a line, and never a key."""
    rows = [dump_result(result) for result in results]
    head = {
        "format_version": FORMAT_VERSION,
        "metadata": {
            "export_timestamp": run.export_timestamp,
            "karenina_version": package_version(),
            "job_id": run.job_id,
            "verification_config": run.verification_config,
            "job_summary": _summary(rows, run),
        },
        "shared_data": {"rubric_definition": (run.rubric or Rubric()).model_dump(mode="json")},
    }
    opening = to_json_bytes(head, indent=None).removesuffix(b"}")
    lines = b",\n".join(to_json_bytes(row, indent=None) for row in rows)
    return opening + b',"results":[\n' + lines + b"\n]}\n"


def load_results_json(path: str | Path) -> list[VerificationResult]:
    """The results in a file of shape 2.2, or in a plain list. Errors: `FileFormatError` that names the result."""
    path = Path(path)
    data = read_json(path)
    rows = data.get("results") if isinstance(data, dict) else data
    if not isinstance(rows, list):
        raise FileFormatError(f"{path.name} is not a file of results: it has no list named 'results'.", path=str(path))
    return [_read(row, number, path) for number, row in enumerate(rows, 1)]


def dump_result(result: VerificationResult) -> dict[str, Any]:
    """One result as files have it; a category of ours becomes upstream's nearest, with ours as `failure_category`.

    NaN and Infinity, which JSON does not know, are null in it.
    """
    row = result.model_dump(mode="json")
    failure = row["metadata"]["failure"]
    if failure and failure["category"] in UPSTREAM_CATEGORY:
        own = failure["category"]
        nearest = UPSTREAM_CATEGORY[own]
        row["metadata"] = {**row["metadata"], "failure": {**failure, "category": nearest, "group": GROUP_OF[nearest]}}
        row["failure_category"] = own
    return row


def _read(row: Any, number: int, path: Path) -> VerificationResult:
    try:
        result = VerificationResult.model_validate(row)
    except ValidationError as fault:
        message = f"Result {number} of {path.name} cannot be read: {first_problem(fault)}."
        raise FileFormatError(message, path=str(path), row=number) from fault
    own = row.get("failure_category")
    failure = result.metadata.failure
    if failure is not None and own in UPSTREAM_CATEGORY:
        result.metadata.failure = failure.model_copy(update={"category": own, "group": GROUP_OF[own]})
    if "completed_without_errors" not in row and failure is not None:
        result.completed_without_errors = failure.group not in ("retry", "system")
    return result


def _summary(rows: Sequence[dict[str, Any]], run: RunInfo) -> dict[str, Any]:
    passed = sum(row["metadata"]["failure"] is None and row["completed_without_errors"] for row in rows)
    total = len(rows) if run.total is None else run.total
    return {
        "total_questions": total,
        "successful_count": passed,
        "failed_count": len(rows) - passed,
        "start_time": run.started,
        "end_time": run.finished,
        "total_duration": None if run.finished is None else run.finished - run.started,
        "is_complete": run.finished is not None and len(rows) >= total,
    }
