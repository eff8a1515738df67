"""One row of a JSON file becomes a result: today's rows, those of older versions, and their unknown parts."""

from __future__ import annotations

from typing import Any

import orjson
from pydantic import ValidationError

from karenina_gui.formats.json_text import without_secrets
from karenina_gui.formats.model_names import identity_named
from karenina_gui.schemas.condition import Condition
from karenina_gui.schemas.problems import first_problem
from karenina_gui.schemas.result import GROUP_OF, ResultMetadata, VerificationResult
from karenina_gui.text.surrogates import without_surrogates

UPSTREAM_CATEGORY = {
    "authentication": "unexpected_error",
    "rejected": "unexpected_error",
    "recording": "unexpected_error",
    "cancelled": "unexpected_error",
    "tools_unused": "unexpected_error",
    "tools_failed": "unexpected_error",
    "refusal": "abstention",
}
"""Our categories that upstream's reader would refuse: the nearest of its own.

Ours stands beside, at the root.
"""

UNKNOWN_METADATA = "unknown_metadata"
"""Place in a result for everything that a file has inside `metadata` and nobody here knows."""

MOST_REPLICATES = 100_000
LONGEST_SECONDS = 1e9
"""Thirty years: no job took as long."""

_SECTIONS = ("template", "rubric", "deep_judgment", "deep_judgment_rubric")
_OF_THE_FILE = ("row_index", "success", "failure_category")
"""Fields that a shape adds to each row; they follow from the row."""
_OF_THE_PROGRAM = frozenset({"usage_metadata", "agent_metrics", "answering_mcp_servers"})
"""Fields of ours in which no author names anything."""
_FIELDS = frozenset(ResultMetadata.model_fields)


def read_row(row: Any) -> VerificationResult:
    """The result in a row.

    Raises `ValueError`, which says what is wrong with it, in plain words.
    """
    if not isinstance(row, dict):
        raise ValueError("it is not an object")
    # Before the row becomes a modern one, which leaves this name out.
    own = row.get("failure_category")
    row = _whole(row)
    try:
        result = VerificationResult.model_validate(_modern(row))
    except ValidationError as fault:
        raise ValueError(first_problem(fault)) from fault
    _check_identity(result)
    result.condition = _condition(result.condition)
    if not abs(result.metadata.execution_time) < LONGEST_SECONDS:
        raise ValueError("metadata.execution_time: must be a number of seconds")
    _restore_failure(result, own)
    return result


def _check_identity(result: VerificationResult) -> None:
    """Raise `ValueError` if the question or a number of repetitions cannot be."""
    if not result.metadata.question_id:
        raise ValueError("metadata.question_id: must not be empty")
    # A huge number would make every table and chart of the run as long.
    if (result.metadata.replicate or 0) > MOST_REPLICATES:
        raise ValueError(f"metadata.replicate: must be at most {MOST_REPLICATES:,}")
    if result.judge_replicate is not None and not 0 < result.judge_replicate <= MOST_REPLICATES:
        raise ValueError(f"judge_replicate: must be between 1 and {MOST_REPLICATES:,}")


def _restore_failure(result: VerificationResult, own: Any) -> None:
    """Put back the category `own`, for which `dump_result` wrote upstream's nearest, and what follows from it."""
    failure = result.metadata.failure
    if failure is None:
        return
    if own in UPSTREAM_CATEGORY:
        result.metadata.failure = failure.model_copy(update={"category": own, "group": GROUP_OF[own]})
    if "completed_without_errors" not in result.model_fields_set:
        result.completed_without_errors = failure.group not in ("retry", "system")


def _condition(name: str | None) -> str | None:
    """The name of a condition as a run can have it.

    Raises `ValueError` if no run can.
    """
    if name is None or not name.strip():
        return None
    try:
        return Condition(name=name).name
    except ValidationError as fault:
        raise ValueError(f"condition: {first_problem(fault)}") from fault


def _whole(row: dict[str, Any]) -> dict[str, Any]:
    """The row without halves of surrogate pairs.

    Writing the row is a fast test for the usual case without any.
    """
    try:
        orjson.dumps(row)
    except orjson.JSONEncodeError as fault:
        if "Recursion limit" in str(fault):
            raise ValueError("it is nested too deeply") from fault
        return without_surrogates(row)
    return row


def dump_result(result: VerificationResult) -> dict[str, Any]:
    """One result as files have it; a category of ours becomes upstream's nearest, with ours as `failure_category`.

    NaN and Infinity, which JSON does not know, are null in it.
    """
    row = result.model_dump(mode="json")
    row["metadata"] |= row.pop(UNKNOWN_METADATA, None) or {}
    failure = row["metadata"]["failure"]
    if failure and failure["category"] in UPSTREAM_CATEGORY:
        own = failure["category"]
        nearest = UPSTREAM_CATEGORY[own]
        row["metadata"] = {**row["metadata"], "failure": {**failure, "category": nearest, "group": GROUP_OF[nearest]}}
        row["failure_category"] = own
    return row


def _modern(row: dict[str, Any]) -> dict[str, Any]:
    """The row as today's are, with nothing of it lost but keys of providers."""
    row = {name: _section(name, value) for name, value in row.items() if name not in _OF_THE_FILE}
    metadata = row.get("metadata")
    if not isinstance(metadata, dict):
        return row
    metadata = dict(without_secrets(metadata))
    _rename_old(row, metadata)
    if more := {name: metadata.pop(name) for name in list(metadata) if name not in _FIELDS}:
        row[UNKNOWN_METADATA] = more
    fields = VerificationResult.model_fields
    return {n: v if n in fields else without_secrets({n: v})[n] for n, v in row.items()} | {"metadata": metadata}


def _section(name: str, value: Any) -> Any:
    """A part of a row; if it is a section, without keys of providers."""
    return without_unknown_secrets(value, name) if name in _SECTIONS and isinstance(value, dict) else value


def _rename_old(row: dict[str, Any], metadata: dict[str, Any]) -> None:
    """Put facts of older versions where today's rows have them."""
    for name in ("error", "completed_without_errors"):  # until 2.1 these stood inside
        if name in metadata:
            row.setdefault(name, metadata.pop(name))
    # Older files have a model as one text.
    for old, new in (("answering_model", "answering"), ("parsing_model", "parsing")):
        if new not in metadata and isinstance(metadata.get(old), str):
            metadata[new] = identity_named(metadata.pop(old)).model_dump()
    for name in ("answering_replicate", "parsing_replicate"):
        if name in metadata and metadata.get("replicate") in (None, metadata[name]):
            metadata["replicate"] = metadata.pop(name)
    if "failure" not in metadata:
        metadata["failure"] = _failure_of(row)


def without_unknown_secrets(section: dict[str, Any], name: str) -> dict[str, Any]:
    """The section without keys of providers.

    A name such as `api_key` that an author gave inside a field of ours is no key; a part that nobody here knows may
    hold one.
    """
    annotation = VerificationResult.model_fields[name].annotation
    fields = next(kind for kind in getattr(annotation, "__args__", ()) if hasattr(kind, "model_fields")).model_fields
    authors = fields.keys() - _OF_THE_PROGRAM
    return {key: value if key in authors else without_secrets({key: value})[key] for key, value in section.items()}


def _failure_of(row: dict[str, Any]) -> dict[str, Any] | None:
    """The reason why a row of an older version is no pass, if its template says so.

    None: the template does not say it, or the row is a pass.
    """
    template = row.get("template")
    if not isinstance(template, dict) or row.get("completed_without_errors") is False:
        return None
    for check, category, stage, otherwise in _OLD_FAILURES:
        if template.get(check) is True and template.get("verify_result") is not True:
            reason = template.get(f"{category}_reasoning") or otherwise
            group = GROUP_OF[category]
            return {"category": category, "stage": stage, "reason": str(reason)[:500], "group": group}
    return None


_OLD_FAILURES = (
    ("abstention_override_applied", "abstention", "AbstentionCheck", "The model declined to answer."),
    ("sufficiency_override_applied", "sufficiency", "SufficiencyCheck", "The answer contains too little to judge."),
    ("recursion_limit_reached", "recursion_limit", "RecursionLimitAutoFail", "The model reached its turn limit."),
)
