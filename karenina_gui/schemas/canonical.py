"""Canonical form of content and its SHA-256, by which benchmarks, questions and rubrics are recognized.

The canonical form is JSON in UTF-8 with sorted keys and no spaces, of everything that a run asks and judges by. It
leaves out dates, the finished mark, sample answers, preserved file content (`source`), and fields without content
(null, an empty text or list). Questions and traits keep their order.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.rubric import Rubric
from karenina_gui.schemas.sample_answer import SAMPLE_ANSWERS

_OF_THE_BENCHMARK = ("name", "description", "version", "creator", "custom_properties", "scenarios")
_DATES = {"date_created", "date_modified"}
SHORT = 12
"""Number of hexadecimal digits that identify a single field next to the whole digest of its question."""


def benchmark_hash(document: BenchmarkDocument) -> str:
    """Hash of the whole benchmark: its metadata, rubric and questions."""
    about = {name: getattr(document, name) for name in _OF_THE_BENCHMARK}
    questions = [question_content(entry.question) for entry in document.entries]
    return digest({**about, "rubric": rubric_content(document.rubric), "questions": questions})


def questions_hash(questions: Iterable[Question]) -> str:
    """Hash of these questions, independent of their order."""
    return digest([question_content(question) for question in sorted(questions, key=lambda question: question.id)])


def question_hash(question: Question) -> str:
    return digest(question_content(question))


def rubric_hash(rubric: Rubric | None) -> str | None:
    """Hash of the rubric; None if it has no traits."""
    content = rubric_content(rubric)
    return digest(content) if content else None


def question_content(question: Question) -> dict[str, Any]:
    """{field: value} of everything that the question asks and is judged by."""
    # Empty fields are left out, so that a field that a later version adds changes no hash.
    fields = question.model_dump(exclude=_DATES)
    if metadata := fields["custom_metadata"]:
        fields["custom_metadata"] = {name: value for name, value in metadata.items() if name != SAMPLE_ANSWERS}
    return {name: value for name, value in fields.items() if _has_content(value)}


def field_hashes(question: Question) -> dict[str, str]:
    """{field: first digits of its SHA-256} of the fields with content, without the id."""
    return {name: digest(value)[:SHORT] for name, value in question_content(question).items() if name != "id"}


def rubric_content(rubric: Rubric | None) -> dict[str, Any]:
    return {} if rubric is None or rubric.is_empty else trait_content(rubric.model_dump(mode="json"))


def trait_content(record: dict[str, Any]) -> dict[str, Any]:
    """Fields with content of any record of a rubric."""
    return {name: value for name, value in record.items() if _has_content(value)}


def digest(value: Any) -> str:
    """SHA-256 of the canonical form, 64 hexadecimal digits."""
    # Saved in runs and files: a change of this form would make every benchmark look modified.
    written = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str)
    return hashlib.sha256(written.encode("utf-8", "surrogatepass")).hexdigest()


def _has_content(value: Any) -> bool:
    return value is not None and value != "" and value != [] and value != {}
