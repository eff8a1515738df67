"""Results as a table: upstream's columns in its order, then our own.

The columns of the benchmark's traits (`rubric_<name>`) stand between upstream's, in the order of their names.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any

from karenina_gui.formats.results.column_meanings import TRAIT
from karenina_gui.formats.results.run_info import RunInfo, package_version
from karenina_gui.schemas.outcome import outcome_of
from karenina_gui.schemas.result import TRAIT_KINDS, ResultRubric, ResultTemplate, VerificationResult
from karenina_gui.schemas.result_evidence import ResultDeepJudgment, ResultDeepJudgmentRubric

Column = Callable[[VerificationResult, RunInfo], Any]

CHECKS = ("abstention", "sufficiency")
CHECK_PARTS = ("check_performed", "detected", "override_applied", "reasoning")
"""The metadata fields of each check before an answer is read."""
FILES_CHANGED = "workspace_files_changed"
"""Number of files that an agent left changed; empty if there was no workspace."""
CONDITION = "condition"
"""Name of the condition under which the model was asked; empty if the run had none."""
JUDGMENT = "judge_replicate"
"""Number of the judgment among those of the answer; empty if there is one."""
CUT_COLUMN = "cut_cells"
"""Last column of a workbook: names of the columns that were cut in this row."""

_NO_TEMPLATE, _NO_RUBRIC = ResultTemplate(), ResultRubric()
_NO_DEEP_JUDGMENT, _NO_DEEP_RUBRIC = ResultDeepJudgment(deep_judgment_mode=""), ResultDeepJudgmentRubric()
"""Parts that a result lacks, with their defaults."""
_NOTHING = (None, "", 0, False, "{}", "[]", "disabled")


class ResultTable:
    """Results as a table: `columns`, and then `rows`.

    Traits that belong to the whole benchmark are known only when every result was seen. So the cells wait on the disk,
    and no more than one result is in memory.
    """

    def __init__(self, results: Iterable[VerificationResult], run: RunInfo, waiting: IO[bytes]) -> None:
        self._waiting = waiting
        traits = set(run.rubric.names if run.rubric else ())
        self.count = 0
        used: set[str] = set()
        for result in results:
            traits |= _global_traits(result)
            cells = [column(result, run) for column in _FIXED.values()]
            self._waiting.write(json.dumps([cells, trait_scores(result)]).encode() + b"\n")
            self.count += 1
            used.update(name for name, cell in zip(_FIXED, cells, strict=True) if cell not in _NOTHING)
        self.idle = {*_DETAILS, FILES_CHANGED, CONDITION, JUDGMENT} - used
        """Columns that say nothing in any row and are not missed."""
        self._traits = sorted(traits)
        self.columns = _columns(self._traits)

    def rows(self) -> Iterator[list[Any]]:
        """Cells as texts, numbers, booleans or None, in the order of `columns`."""
        # Written above, read here: the file stands at its end.
        self._waiting.seek(0)
        for line in self._waiting:
            cells, scores = json.loads(line)
            yield _row(cells, scores, self._traits)


def table_lines(results: Iterable[VerificationResult], run: RunInfo) -> Iterator[list[Any]]:
    """The columns, then the rows, as soon as they are read if the traits are known before."""
    if run.traits is None:
        with result_table(results, run) as table:
            yield table.columns
            yield from table.rows()
        return
    traits = sorted(run.traits | set(run.rubric.names if run.rubric else ()))
    yield _columns(traits)
    for result in results:
        yield _row([column(result, run) for column in _FIXED.values()], trait_scores(result), traits)


def _columns(traits: list[str]) -> list[str]:
    return [*_IDENTITY, *(TRAIT + name for name in traits), OTHER_TRAITS, *_RUN, *_DETAILS, *_OWN]


def _row(cells: list[Any], scores: dict[str, Any], traits: list[str]) -> list[Any]:
    lead = len(_IDENTITY)
    own = [_of_trait(scores, name) for name in traits]
    return [*cells[:lead], *own, _json(_others(scores, traits)), *cells[lead:]]


@contextmanager
def result_table(results: Iterable[VerificationResult], run: RunInfo) -> Iterator[ResultTable]:
    """The results as a table, for as long as the block lasts."""
    with tempfile.TemporaryFile() as waiting:
        yield ResultTable(results, run, waiting)


def _global_traits(result: VerificationResult) -> set[str]:
    """Traits of the result that belong to the whole benchmark."""
    provenance = (result.rubric.trait_provenance if result.rubric else None) or {}
    return {name for name, origin in provenance.items() if origin == "global"}


def trait_scores(result: VerificationResult) -> dict[str, Any]:
    """{trait: score} over all trait types; a template trait's fields stand as `trait.field`."""
    kinds = result.rubric.scores_by_kind.values() if result.rubric else ()
    return {trait: score for scores in kinds for trait, score in scores.items()}


def trait_kinds(result: VerificationResult) -> dict[str, str]:
    """{trait: type}, if the type is known."""
    kinds = result.rubric.scores_by_kind.items() if result.rubric else ()
    return {trait: kind for kind, scores in kinds if kind in TRAIT_KINDS for trait in scores}


def _template(result: VerificationResult) -> ResultTemplate:
    return result.template or _NO_TEMPLATE


def _rubric(result: VerificationResult) -> ResultRubric:
    return result.rubric or _NO_RUBRIC


def _excerpts(name: str) -> Column:
    def value(result: VerificationResult, _run: RunInfo) -> Any:
        return _json_or_plain(getattr(result.deep_judgment or _NO_DEEP_JUDGMENT, name))

    return value


def _of_template(name: str) -> Column:
    return lambda result, _run: getattr(_template(result), name)


def _rubric_excerpts(name: str) -> Column:
    def value(result: VerificationResult, _run: RunInfo) -> Any:
        return _json_or_plain(getattr(result.deep_judgment_rubric or _NO_DEEP_RUBRIC, name))

    return value


def _of_trait(scores: dict[str, Any], name: str) -> Any:
    # A template trait has no score of its own, but one for each of its fields.
    fields = {key.removeprefix(f"{name}."): v for key, v in scores.items() if key.startswith(f"{name}.")}
    return _json_or_plain(scores.get(name, fields or None))


def _others(scores: dict[str, Any], traits: list[str]) -> dict[str, Any]:
    # The part before the dot is the trait, also of a template trait's field.
    return {name: score for name, score in scores.items() if name.split(".", 1)[0] not in traits}


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
            "deep_judgment_mode",
            "deep_judgment_performed",
            "extracted_excerpts",
            "attribute_reasoning",
            "deep_judgment_stages_completed",
            "deep_judgment_model_calls",
            "deep_judgment_excerpt_retry_count",
            "attributes_without_excerpts",
            "deep_judgment_search_enabled",
            "hallucination_risk_assessment",
        )
    },
    **{
        name: _rubric_excerpts(name)
        for name in (
            "deep_judgment_rubric_performed",
            "extracted_rubric_excerpts",
            "rubric_trait_reasoning",
            "deep_judgment_rubric_scores",
            "standard_rubric_scores",
            "trait_metadata",
            "traits_without_valid_excerpts",
            "rubric_hallucination_risk_assessment",
            "total_deep_judgment_model_calls",
            "total_traits_evaluated",
            "total_excerpt_retries",
        )
    },
    "metric_trait_confusion_lists": lambda r, _: _json(_rubric(r).metric_trait_confusion_lists),
    "metric_trait_metrics": lambda r, _: _json(_rubric(r).metric_trait_scores),
    "usage_metadata": lambda r, _: _json(_template(r).usage_metadata),
    "agent_metrics": lambda r, _: _json(_template(r).agent_metrics),
}

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
    "extractions": lambda r, _: _json(r.extractions),
    "template_id": lambda r, _: r.metadata.template_id,
    "trait_kinds": lambda r, _: _json(trait_kinds(r) or None),
    "trait_labels": lambda r, _: _json(_rubric(r).llm_trait_labels),
    "trait_scales": lambda r, _: _json(_rubric(r).model_dump(include={"trait_scales"}).get("trait_scales")),
    "caveats": lambda r, _: _json(r.metadata.caveats or None),
    "field_results": lambda r, _: _json(_template(r).field_results),
    "field_scores": lambda r, _: _json(_template(r).field_scores),
    "composition_strategy": lambda r, _: _template(r).composition_strategy,
    **{f"{check}_{part}": _of_template(f"{check}_{part}") for check in CHECKS for part in CHECK_PARTS},
    FILES_CHANGED: lambda r, _: len(r.workspace.changes) if r.workspace else None,
    CONDITION: lambda r, _: r.condition,
    JUDGMENT: lambda r, _: r.judge_replicate,
}

_FIXED = _IDENTITY | _RUN | _DETAILS | _OWN
OTHER_TRAITS = "question_specific_rubrics"
"""Column of all traits without one of their own."""


_ENCODER = json.JSONEncoder(ensure_ascii=False)
"""Made once: `json.dumps` makes one for each of the millions of cells."""


def _json(value: Any) -> str | None:
    return None if value is None else _ENCODER.encode(value)


def _json_or_plain(value: Any) -> Any:
    return _json(value) if isinstance(value, dict | list) else value
