"""One row of a table becomes a result, as far as tables go: everything that a table lacks stays None."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from karenina_gui.formats.json_text import parse
from karenina_gui.formats.model_names import identity_named
from karenina_gui.formats.results.column_meanings import TRAIT
from karenina_gui.formats.results.json_codec import read_row
from karenina_gui.formats.results.table_writer import (
    CHECK_PARTS,
    CHECKS,
    CONDITION,
    CUT_COLUMN,
    JUDGMENT,
    OTHER_TRAITS,
)
from karenina_gui.formats.tables.sheet_cells import LONGEST
from karenina_gui.schemas.result import GROUP_OF, TRAIT_KINDS, UNTYPED_SCORES, VerificationResult

Cells = Mapping[str, str]
"""{column: text}; an empty text is an empty cell."""

FIGURES = frozenset({"precision", "recall", "f1", "specificity", "accuracy"})
"""Figures in which metric traits are scored."""

CUT_AT_LIMIT = f"Excel’s limit of {LONGEST:,} characters cut these columns"
"""Beginning of the warning in a result whose texts are incomplete."""

NEEDED = ("question_id", "answering_model")


def result_of_cells(cells: Cells) -> VerificationResult:
    """The result that a row of a table holds.

    Raises `ValueError`, which says which cell cannot be read, and why.
    """
    for column in NEEDED:
        if not cells.get(column, "").strip():
            raise ValueError(f"column “{column}” is empty")
    cut = _cut_columns(cells)
    # The beginning of a text can be read, that of JSON cannot.
    cells = {name: text for name, text in cells.items() if name not in cut or name in _TEXTS}
    row: dict[str, Any] = {"metadata": _metadata(cells), "template": _template(cells), **_deep_judgment(cells)}
    if rubric := _rubric(cells):
        row["rubric"] = rubric
    row |= _read(cells, _ROOT)
    row["failure_category"] = cells.get("failure_category")
    if cells.get("error") and _is_broken(row):
        row["error"] = cells["error"]
    if cut:
        row["metadata"]["warnings"] = [f"{CUT_AT_LIMIT}: {', '.join(cut)}."]
    return read_row(row)


def _cut_columns(cells: Cells) -> list[str]:
    """Columns whose text was cut at Excel's limit: as our workbooks list them, else by their length."""
    if CUT_COLUMN in cells:
        return [name.strip() for name in cells[CUT_COLUMN].split(",") if name.strip()]
    return [name for name, text in cells.items() if len(text) == LONGEST]


def _is_broken(row: dict[str, Any]) -> bool:
    """Check if the column `error` says more than the failure.

    A failure that the answer itself caused is told by its category; the text in this column repeats its reason.
    """
    failure = row["metadata"]["failure"]
    if failure is None:
        return True
    # Tables of upstream have no such column: there the group of the failure tells.
    return not row.get("completed_without_errors", failure["group"] not in ("retry", "system"))


def _template(cells: Cells) -> dict[str, Any]:
    template = _read(cells, _TEMPLATE)
    _say_the_verdict(template)
    return template


def _deep_judgment(cells: Cells) -> dict[str, Any]:
    """The sections of deep judgment; their columns are in every table, so only those that say something."""
    excerpts, ratings = _read(cells, _EXCERPTS), _read(cells, _RUBRIC)
    sections = {}
    if excerpts.get("deep_judgment_mode") or excerpts.get("extracted_excerpts"):
        sections["deep_judgment"] = excerpts
    if ratings.get("deep_judgment_rubric_performed"):
        sections["deep_judgment_rubric"] = ratings
    return sections


def _metadata(cells: Cells) -> dict[str, Any]:
    judge = cells.get("parsing_model", "").strip()
    return {
        "template_id": "",
        **_read(cells, _METADATA),
        "answering": identity_named(cells["answering_model"].strip(), cells.get(CONDITION)).model_dump(),
        "parsing": identity_named(judge).model_dump() if judge and judge != "None" else None,
        "failure": _failure(cells),
    }


def _failure(cells: Cells) -> dict[str, Any] | None:
    category = cells.get("failure_category", "").strip()
    if not category:
        return None
    reason = cells.get("failure_reason") or cells.get("error") or ""
    return {
        "category": category,
        "group": GROUP_OF.get(category),
        "stage": cells.get("failure_stage", ""),
        "reason": reason[:500],
        "details": _maybe_json(cells.get("failure_details_json", "")),
    }


def _say_the_verdict(template: dict[str, Any]) -> None:
    """Fill in a verdict that the table does not state.

    Upstream's table leaves the cell empty if the verdict is false, as it does if there is none. A comparison that took
    place has a verdict, so there an empty cell means false.
    """
    compared = template.get("template_verification_performed")
    if compared and "verify_result" not in template:
        template["verify_result"] = False
    if compared is None and "parsed_llm_response" in template and "verify_result" in template:
        template["template_verification_performed"] = True


def _rubric(cells: Cells) -> dict[str, Any]:
    """Scores by type if the table tells the types; metrics are known by their figures."""
    kinds, own, others = _value(cells, "trait_kinds"), _own_columns(cells), _value(cells, OTHER_TRAITS)
    scores = {trait: score for trait, column in own.items() if (score := _score(cells[column])) is not None}
    if not (isinstance(others, dict) and isinstance(kinds, dict)):
        raise ValueError(f"column “{OTHER_TRAITS}” is not an object")
    rubric: dict[str, Any] = _read(cells, _RUBRIC_FACTS)
    for column, name in (("trait_labels", "llm_trait_labels"), ("trait_scales", "trait_scales")):
        if value := _value(cells, column):
            rubric[name] = value
    for trait, score in _spread({**scores, **others}, kinds).items():
        rubric.setdefault(_place_of(kinds.get(trait), score), {})[trait] = score
    # Without columns of their own, nothing tells traits of the benchmark from those of a question.
    if own and (scores or others):
        rubric["trait_provenance"] = dict.fromkeys(scores, "global") | dict.fromkeys(others, "question_specific")
    return _if_performed(rubric)


def _value(cells: Cells, column: str) -> Any:
    """The value of a cell in JSON; an empty object if the cell is empty."""
    return _read(cells, {column: _json}).get(column) or {}


def _own_columns(cells: Cells) -> dict[str, str]:
    """{trait: its own column}"""
    return {name.removeprefix(TRAIT): name for name in cells if name.startswith(TRAIT) and name not in _NO_TRAIT}


def _if_performed(rubric: dict[str, Any]) -> dict[str, Any]:
    """The rubric; an empty one if nothing in it tells that it was evaluated."""
    if not rubric.keys().isdisjoint({"metric_trait_scores", "trait_provenance", UNTYPED_SCORES}):
        rubric.setdefault("rubric_evaluation_performed", True)
    return rubric if rubric.get("rubric_evaluation_performed") or "agentic_trait_scores" in rubric else {}


def _place_of(kind: str | None, score: Any) -> str:
    """Field of a rubric for the scores of a trait."""
    kind = kind or ("metric" if _is_metric(score) else None)
    return f"{kind}_trait_scores" if kind in TRAIT_KINDS else UNTYPED_SCORES


def _spread(scores: dict[str, Any], kinds: dict[str, str]) -> dict[str, Any]:
    """Scores of a template trait, which share a column, under a name for each field again."""
    spread: dict[str, Any] = {}
    for trait, score in scores.items():
        fields = {f"{trait}.{name}": value for name, value in score.items()} if isinstance(score, dict) else {}
        spread |= fields if trait not in kinds and any(name in kinds for name in fields) else {trait: score}
    return spread


def _is_metric(score: Any) -> bool:
    return isinstance(score, dict) and bool(score) and score.keys() <= FIGURES


def _score(text: str) -> Any:
    """The value of a trait's cell: yes or no, a number, or figures; upstream writes the latter as Python does."""
    if not text.strip():
        return None
    # In this order: `int` before `float`, so that a whole number stays one; literals only, so that nothing is executed.
    for read in (_yes_or_no, int, float, json.loads, ast.literal_eval):
        try:
            return read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return text


Reader = Callable[[str], Any]


def _read(cells: Cells, columns: Mapping[str, Reader]) -> dict[str, Any]:
    """{column: value} of the cells that are not empty."""
    values = {}
    for column, read in columns.items():
        text = cells.get(column, "")
        # Upstream writes N/A where a value is missing; in a column of texts it may be an answer.
        if not text.strip() or (text == "N/A" and read is not str):
            continue
        try:
            values[column] = read(text)
        except (ValueError, RecursionError) as fault:
            expected = _EXPECTED.get(read, "a value")
            raise ValueError(f"column “{column}” contains “{text[:40]}”, which is not {expected}") from fault
    return values


def _yes_or_no(text: str) -> bool:
    word = text.strip().lower()
    if word not in ("true", "false"):
        raise ValueError(text)
    return word == "true"


def _whole(text: str) -> int:
    number = float(text)
    if not number.is_integer():
        raise ValueError(text)
    return int(number)


def _json(text: str) -> Any:
    return parse(text)


def _word_list(text: str) -> list[str]:
    """Words of a JSON list, or of a text with commas or semicolons between them."""
    if text.lstrip().startswith("["):
        return [str(word) for word in parse(text)]
    return [word.strip() for word in re.split("[,;]", text) if word.strip()]


def _maybe_json(text: str) -> str | None:
    """A text in JSON, else the text as it stands; None if there is none."""
    if not text.strip():
        return None
    try:
        value = parse(text)
    except ValueError:
        return text
    return value if isinstance(value, str) else text


_EXPECTED: dict[Reader, str] = {
    _yes_or_no: "true or false",
    _whole: "a whole number",
    float: "a number",
    _json: "JSON",
    _word_list: "a list of words",
}

_METADATA: dict[str, Reader] = {
    "question_id": str,
    "question_text": str,
    "template_id": str,
    "raw_answer": str,
    "keywords": _word_list,
    "caveats": _word_list,
    "replicate": _whole,
    "execution_time": float,
    "timestamp": str,
    "answering_system_prompt": str,
    "parsing_system_prompt": str,
    "run_name": str,
    "result_id": str,
}

_TEMPLATE: dict[str, Reader] = {
    "raw_llm_response": str,
    "parsed_gt_response": _json,
    "parsed_llm_response": _json,
    "template_verification_performed": _yes_or_no,
    "verify_result": _yes_or_no,
    "verify_granular_result": _json,
    "embedding_check_performed": _yes_or_no,
    "embedding_similarity_score": float,
    "embedding_override_applied": _yes_or_no,
    "embedding_model_used": str,
    "answering_mcp_servers": _json,
    "usage_metadata": _json,
    "agent_metrics": _json,
    "field_results": _json,
    "field_scores": _json,
    "composition_strategy": str,
    **{f"{check}_{part}": str if part == "reasoning" else _yes_or_no for check in CHECKS for part in CHECK_PARTS},
}

_EXCERPTS: dict[str, Reader] = {
    "deep_judgment_mode": str,
    "deep_judgment_performed": _yes_or_no,
    "extracted_excerpts": _json,
    "attribute_reasoning": _json,
    "deep_judgment_stages_completed": _json,
    "deep_judgment_model_calls": _whole,
    "deep_judgment_excerpt_retry_count": _whole,
    "attributes_without_excerpts": _json,
    "deep_judgment_search_enabled": _yes_or_no,
    "hallucination_risk_assessment": _json,
}

_RUBRIC: dict[str, Reader] = {
    "deep_judgment_rubric_performed": _yes_or_no,
    "extracted_rubric_excerpts": _json,
    "rubric_trait_reasoning": _json,
    "deep_judgment_rubric_scores": _json,
    "standard_rubric_scores": _json,
    "trait_metadata": _json,
    "traits_without_valid_excerpts": _json,
    "rubric_hallucination_risk_assessment": _json,
    "total_deep_judgment_model_calls": _whole,
    "total_traits_evaluated": _whole,
    "total_excerpt_retries": _whole,
}

_RUBRIC_FACTS: dict[str, Reader] = {"rubric_evaluation_performed": _yes_or_no, "metric_trait_confusion_lists": _json}
_NO_TRAIT = {"rubric_summary", *_RUBRIC_FACTS, *_RUBRIC}

_ROOT: dict[str, Reader] = {
    "completed_without_errors": _yes_or_no,
    "sandbox_level": str,
    "recording_label": str,
    "extractions": _json,
    CONDITION: str,
    JUDGMENT: _whole,
}

_TEXTS = {name for columns in (_METADATA, _TEMPLATE, _ROOT) for name, read in columns.items() if read is str}
