"""Results as CSV: upstream's columns in its order, then our own.

The columns of the benchmark's traits (`rubric_<name>`) stand between upstream's, in the order of their names.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from karenina_gui.formats.atomic_file import write_atomically
from karenina_gui.formats.run_info import RunInfo, package_version
from karenina_gui.schemas.outcome import outcome_of
from karenina_gui.schemas.result import (
    ResultDeepJudgment,
    ResultDeepJudgmentRubric,
    ResultRubric,
    ResultTemplate,
    VerificationResult,
)

Column = Callable[[VerificationResult, RunInfo], Any]

_SCORES = ("llm", "regex", "callable", "metric", "agentic")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")


def export_results_csv(results: Iterable[VerificationResult], path: str | Path, *, run: RunInfo) -> Path:
    """Write the results as a table, completely or not at all; returns the path. Errors: `FileFormatError`."""
    return write_atomically(Path(path), results_csv_bytes(results, run=run))


def results_csv_bytes(results: Iterable[VerificationResult], *, run: RunInfo) -> bytes:
    """The table's content, for a download (UTF-8)."""
    results = list(results)
    traits = global_trait_names(results, run)
    columns = _columns(traits)
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([safe_cell(name) for name in columns])
    for result in results:
        writer.writerow([safe_cell(_cell(column(result, run))) for column in columns.values()])
    return text.getvalue().encode("utf-8", "backslashreplace")


def safe_cell(text: str) -> str:
    """The text, with an apostrophe before it where a spreadsheet would take it for a formula; numbers stay."""
    return f"'{text}" if text.startswith(_FORMULA) and not _NUMBER.fullmatch(text) else text


def global_trait_names(results: Sequence[VerificationResult], run: RunInfo) -> list[str]:
    """Traits that hold for every question, sorted: those of the benchmark, and those that a result calls global."""
    names = set(run.rubric.names if run.rubric else ())
    for result in results:
        provenance = (result.rubric.trait_provenance if result.rubric else None) or {}
        names |= {name for name, origin in provenance.items() if origin == "global"}
    return sorted(names)


def trait_scores(result: VerificationResult) -> dict[str, Any]:
    """{trait: score} over all trait types; a template trait's fields stand as `trait.field`."""
    if result.rubric is None:
        return {}
    found: dict[str, Any] = {}
    for kind in _SCORES:
        found |= getattr(result.rubric, f"{kind}_trait_scores") or {}
    return found


def _columns(traits: list[str]) -> dict[str, Column]:
    return {
        **_IDENTITY,
        **{f"rubric_{name}": _trait(name) for name in traits},
        "question_specific_rubrics": lambda r, _: _json(_other_traits(r, traits)),
        **_RUN,
        **_DETAILS,
        **_OWN,
    }


def _template(result: VerificationResult) -> ResultTemplate:
    return result.template or ResultTemplate()


def _rubric(result: VerificationResult) -> ResultRubric:
    return result.rubric or ResultRubric()


def _excerpts(name: str) -> Column:
    def value(result: VerificationResult, _run: RunInfo) -> Any:
        section = result.deep_judgment or ResultDeepJudgment(deep_judgment_mode="")
        return _json_or_plain(getattr(section, name))

    return value


def _rubric_excerpts(name: str) -> Column:
    def value(result: VerificationResult, _run: RunInfo) -> Any:
        return _json_or_plain(getattr(result.deep_judgment_rubric or ResultDeepJudgmentRubric(), name))

    return value


def _trait(name: str) -> Column:
    def value(result: VerificationResult, _run: RunInfo) -> Any:
        scores = trait_scores(result)
        fields = {key.removeprefix(f"{name}."): v for key, v in scores.items() if key.startswith(f"{name}.")}
        return _json_or_plain(scores.get(name, fields or None))

    return value


def _other_traits(result: VerificationResult, traits: list[str]) -> dict[str, Any]:
    return {name: score for name, score in trait_scores(result).items() if name.split(".", 1)[0] not in traits}


def _reason(result: VerificationResult) -> str | None:
    failure = result.metadata.failure
    return result.error or (failure.reason if failure else None)


_IDENTITY: dict[str, Column] = {
    "question_id": lambda r, _: r.metadata.question_id,
    "success": lambda r, _: r.metadata.failure is None and r.completed_without_errors,
    "error": lambda r, _: _reason(r),
    "question_text": lambda r, _: r.metadata.question_text,
    "raw_llm_response": lambda r, _: _template(r).raw_llm_response,
    "parsed_gt_response": lambda r, _: _json(_template(r).parsed_gt_response),
    "parsed_llm_response": lambda r, _: _json(_template(r).parsed_llm_response),
    "template_verification_performed": lambda r, _: _template(r).template_verification_performed,
    "verify_result": lambda r, _: _json(_template(r).verify_result),
    "verify_granular_result": lambda r, _: _json(_template(r).verify_granular_result),
    "rubric_evaluation_performed": lambda r, _: _rubric(r).rubric_evaluation_performed,
    "keywords": lambda r, _: _json(r.metadata.keywords),
}

_RUN: dict[str, Column] = {
    "answering_model": lambda r, _: r.metadata.answering.display,
    "parsing_model": lambda r, _: r.metadata.parsing.display if r.metadata.parsing else None,
    "replicate": lambda r, _: r.metadata.replicate,
    "execution_time": lambda r, _: r.metadata.execution_time,
    "timestamp": lambda r, _: r.metadata.timestamp,
    "answering_system_prompt": lambda r, _: r.metadata.answering_system_prompt,
    "parsing_system_prompt": lambda r, _: r.metadata.parsing_system_prompt,
    "run_name": lambda r, run: r.metadata.run_name or run.run_name,
    "export_timestamp": lambda _, run: run.export_timestamp,
    "karenina_version": lambda *_: package_version(),
    "job_id": lambda _, run: run.job_id,
}

_DETAILS: dict[str, Column] = {
    "embedding_check_performed": lambda r, _: _template(r).embedding_check_performed,
    "embedding_similarity_score": lambda r, _: _template(r).embedding_similarity_score,
    "embedding_override_applied": lambda r, _: _template(r).embedding_override_applied,
    "embedding_model_used": lambda r, _: _template(r).embedding_model_used,
    "answering_mcp_servers": lambda r, _: _json(_template(r).answering_mcp_servers),
    **{
        name: _excerpts(name)
        for name in (
            "deep_judgment_mode", "deep_judgment_performed", "extracted_excerpts", "attribute_reasoning",
            "deep_judgment_stages_completed", "deep_judgment_model_calls", "deep_judgment_excerpt_retry_count",
            "attributes_without_excerpts", "deep_judgment_search_enabled", "hallucination_risk_assessment",
        )
    },
    **{
        name: _rubric_excerpts(name)
        for name in (
            "deep_judgment_rubric_performed", "extracted_rubric_excerpts", "rubric_trait_reasoning",
            "deep_judgment_rubric_scores", "standard_rubric_scores", "trait_metadata", "traits_without_valid_excerpts",
            "rubric_hallucination_risk_assessment", "total_deep_judgment_model_calls", "total_traits_evaluated",
            "total_excerpt_retries",
        )
    },
    "metric_trait_confusion_lists": lambda r, _: _json(_rubric(r).metric_trait_confusion_lists),
    "metric_trait_metrics": lambda r, _: _json(_rubric(r).metric_trait_scores),
    "usage_metadata": lambda r, _: _json(_template(r).usage_metadata),
    "agent_metrics": lambda r, _: _json(_template(r).agent_metrics),
}  # fmt: skip

_OWN: dict[str, Column] = {
    "outcome": lambda r, _: outcome_of(r),
    "completed_without_errors": lambda r, _: r.completed_without_errors,
    "failure_category": lambda r, _: r.metadata.failure.category if r.metadata.failure else None,
    "failure_stage": lambda r, _: r.metadata.failure.stage if r.metadata.failure else None,
    "failure_reason": lambda r, _: r.metadata.failure.reason if r.metadata.failure else None,
    "raw_answer": lambda r, _: r.metadata.raw_answer,
    "result_id": lambda r, _: r.metadata.result_id,
    "sandbox_level": lambda r, _: r.sandbox_level,
    "recording_label": lambda r, _: r.recording_label,
}


def _cell(value: Any) -> str:
    return "" if value is None else str(value)


def _json(value: Any) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False)


def _json_or_plain(value: Any) -> Any:
    return _json(value) if isinstance(value, dict | list) else value
