"""Fields of a question and of a benchmark that a comparison shows, and the edit that takes one over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry
from karenina_gui.schemas.default_template import is_default_template
from karenina_gui.schemas.question import PREVIOUS_IDS
from karenina_gui.schemas.sample_answer import SAMPLE_ANSWERS

QUESTION_FIELDS = (
    *("question", "id", "raw_answer", "answer_template", "keywords", "answer_notes", "author", "sources"),
    *("question_rubric", "workspace_path", "few_shot_examples", "sample_answers", "custom_metadata", "finished"),
)
BENCHMARK_FIELDS = ("name", "description", "version", "creator", "rubric", "custom_properties", "scenarios")
_APART = (SAMPLE_ANSWERS, PREVIOUS_IDS)
"""Metadata that is not compared as a field: samples have a row of their own, and this library keeps earlier ids."""


def question_values(entry: BenchmarkEntry) -> dict[str, Any]:
    """{field: value} of the fields with content."""
    question = entry.question
    metadata = question.custom_metadata or {}
    values: dict[str, Any] = {
        **{name: getattr(question, name, None) for name in QUESTION_FIELDS},
        "sample_answers": metadata.get(SAMPLE_ANSWERS),
        "custom_metadata": {name: value for name, value in metadata.items() if name not in _APART},
        "finished": entry.finished,
    }
    values["question_rubric"] = _traits(question.question_rubric)
    # Files need a template for each question; the generated one stands for none.
    if is_default_template(question.answer_template):
        values["answer_template"] = None
    return {name: value for name, value in values.items() if _has_content(value)}


def benchmark_values(document: BenchmarkDocument) -> dict[str, Any]:
    """{field: value} of the benchmark’s own fields with content."""
    values = {name: getattr(document, name) for name in BENCHMARK_FIELDS}
    values["rubric"] = _traits(document.rubric.model_dump(mode="json") if document.rubric else None)
    return {name: value for name, value in values.items() if _has_content(value)}


def question_edit(here: BenchmarkEntry, there: BenchmarkEntry, names: Iterable[str]) -> dict[str, Any]:
    """Edit of the question here that takes over these fields; its other fields stay."""
    chosen = set(names)
    edit = {name: getattr(there.question, name) for name in chosen - {"finished", "sample_answers", "custom_metadata"}}
    if "finished" in chosen:
        edit["finished"] = there.finished
    if chosen & {"sample_answers", "custom_metadata"}:
        edit["custom_metadata"] = _metadata(here, there, chosen)
    return edit


def same(one: Any, other: Any) -> bool:
    """Check that two values of a field are equal. Classes of a trait are scored by their order."""
    return bool(one == other) and _class_orders(one) == _class_orders(other)


def _traits(rubric: Mapping[str, Any] | None) -> dict[str, Any]:
    """Traits by type, without the types that have none."""
    return {kind: traits for kind, traits in (rubric or {}).items() if _has_content(traits)}


def _metadata(here: BenchmarkEntry, there: BenchmarkEntry, chosen: set[str]) -> dict[str, Any] | None:
    ours, theirs = (entry.question.custom_metadata or {} for entry in (here, there))
    rest = theirs if "custom_metadata" in chosen else ours
    samples = theirs if "sample_answers" in chosen else ours
    merged = {name: value for name, value in rest.items() if name not in _APART}
    if _has_content(samples.get(SAMPLE_ANSWERS)):
        merged[SAMPLE_ANSWERS] = samples[SAMPLE_ANSWERS]
    if PREVIOUS_IDS in ours:
        merged[PREVIOUS_IDS] = ours[PREVIOUS_IDS]
    return merged or None


def _class_orders(value: Any) -> list[list[str]]:
    if isinstance(value, Mapping):
        own = [list(value["classes"])] if isinstance(value.get("classes"), Mapping) else []
        return [*own, *(order for inner in value.values() for order in _class_orders(inner))]
    return [order for inner in value for order in _class_orders(inner)] if isinstance(value, list) else []


def _has_content(value: Any) -> bool:
    # An unfinished mark and a missing one are the same.
    return value is not False and value is not None and value != "" and value != [] and value != {}
