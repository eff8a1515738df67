"""Data sets of k-eval (JSON Lines), read into questions. Everything that is wrong is said at once, line by line."""

from __future__ import annotations

from hashlib import md5
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from karenina_gui.errors import FileFormatError
from karenina_gui.formats.json_text import parse
from karenina_gui.formats.k_eval.config_parts import Dataset
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.problems import first_problem
from karenina_gui.schemas.question import Question, question_fingerprint

DATASET_HASH = "dataset_sha256"
"""The property of a benchmark that says which data set it was opened from."""
MOST_FAULTS = 50
"""Lines of a data set that an error names one by one."""


def read_dataset(path: str | Path, dataset: Dataset) -> list[Question]:
    """The questions, in order; a text that comes again is a question of its own.

    Raises `FileFormatError`, which names every line that cannot be used.
    """
    path = Path(path)
    if path.exists() and not path.is_file():
        raise FileFormatError(f"The dataset {path.name} cannot be read: it is not a file.", path=str(path))
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as fault:
        why = "it is not UTF-8 text" if isinstance(fault, UnicodeDecodeError) else fault.strerror
        raise FileFormatError(f"The dataset {path.name} cannot be read: {why}.", path=str(path)) from None
    questions: list[Question] = []
    faults: list[tuple[int, str]] = []
    taken: set[str] = set()
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            questions.append(_question(line, dataset, len(questions) + len(faults), taken))
        except ValueError as fault:
            faults.append((number, str(fault)))
    if faults:
        raise FileFormatError(_faulty(path, faults), path=str(path), row=faults[0][0])
    if not questions:
        raise FileFormatError(f"The dataset {path.name} contains no questions.", path=str(path))
    return questions


def dataset_hash(benchmark: BenchmarkDocument) -> str:
    """SHA-256 of the data set that the benchmark was opened from; empty if it was opened from none."""
    return str(benchmark.custom_properties.get(DATASET_HASH) or "")


def _question(line: str, dataset: Dataset, position: int, taken: set[str]) -> Question:
    """The question in a line.

    Raises `ValueError` with the rest of a sentence.
    """
    try:
        record = parse(line)
    except (ValueError, RecursionError) as fault:
        raise ValueError("it is not valid JSON") from fault
    if not isinstance(record, dict):
        raise ValueError("it is not an object")
    texts = [_text(record, key) for key in (dataset.question_key, dataset.answer_key)]
    number = question_fingerprint(texts[0])
    if number in taken:
        # The place makes the id: the same file must give the same ids each time it is opened.
        number = md5(f"{position}\n{texts[0]}".encode(), usedforsecurity=False).hexdigest()
    taken.add(number)
    try:
        return Question(question=texts[0], raw_answer=texts[1], id=number)
    except ValidationError as fault:
        raise ValueError(first_problem(fault)) from fault


def _text(record: dict[str, Any], key: str) -> str:
    if key not in record:
        raise ValueError(f"it has no “{key}” (its names: {', '.join(map(str, record)) or 'none'})")
    value = record[key]
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"“{key}” is empty" if isinstance(value, str) else f"“{key}” is not text")
    return value


def _faulty(path: Path, faults: list[tuple[int, str]]) -> str:
    lines = [f"  line {number}: {why}" for number, why in faults[:MOST_FAULTS]]
    more = len(faults) - len(lines)
    lines += [f"  and {more:,} more"] if more > 0 else []
    return "\n".join([f"The dataset {path.name} cannot be used:", *lines])
