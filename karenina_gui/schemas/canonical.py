"""One written form for equal content, and its SHA-256: by it a benchmark, a question or a rubric is known again.

The canonical form is JSON in UTF-8 with sorted keys and no spaces, of what a run asks and judges by. These are not in
it: dates, whether a question is marked as finished, what a file held that we only carry along (`source`), and fields
without content (null, an empty text or list). Questions and traits stay in their order.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.rubric import Rubric

_OF_THE_BENCHMARK = ("name", "description", "version", "creator", "custom_properties", "scenarios")
_DATES = {"date_created", "date_modified"}
SHORT = 12
"""Hexadecimal digits by which a single field is known again beside the whole digest of its question."""


def benchmark_hash(document: BenchmarkDocument) -> str:
    """Of the whole benchmark: what is said of it, its rubric, and all of its questions."""
    about = {name: getattr(document, name) for name in _OF_THE_BENCHMARK}
    questions = [question_content(entry.question) for entry in document.entries]
    return digest({**about, "rubric": rubric_content(document.rubric), "questions": questions})


def questions_hash(questions: Iterable[Question]) -> str:
    """Of these questions, whatever their order."""
    return digest([question_content(each) for each in sorted(questions, key=lambda each: each.id)])


def question_hash(question: Question) -> str:
    return digest(question_content(question))


def rubric_hash(rubric: Rubric | None) -> str | None:
    """None: there are no traits."""
    content = rubric_content(rubric)
    return digest(content) if content else None


def question_content(question: Question) -> dict[str, Any]:
    """{field: value} of what the question asks and is judged by."""
    return {name: value for name, value in question.model_dump(exclude=_DATES).items() if _says_something(value)}


def field_hashes(question: Question) -> dict[str, str]:
    """{field: the first digits of its SHA-256} of the fields with content, but for the id."""
    return {name: digest(value)[:SHORT] for name, value in question_content(question).items() if name != "id"}


def rubric_content(rubric: Rubric | None) -> dict[str, Any]:
    return {} if rubric is None or rubric.is_empty else trait_content(rubric.model_dump(mode="json"))


def trait_content(record: dict[str, Any]) -> dict[str, Any]:
    """The fields that say something, whatever record of a rubric it is."""
    return {name: value for name, value in record.items() if _says_something(value)}


def digest(value: Any) -> str:
    """SHA-256 of the canonical form, 64 hexadecimal digits."""
    written = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str)
    return hashlib.sha256(written.encode("utf-8", "surrogatepass")).hexdigest()


def _says_something(value: Any) -> bool:
    return value is not None and value != "" and value != [] and value != {}
