"""Recorded answers from files, matched to the questions of a benchmark (interface `manual`).

    JSON         {question id or text: answer}, or a list of records
    JSON Lines   one record a line
    CSV, XLSX    one record a row
    results      exports of results in any format

An answer is a text, a message list (see `traces.provider_formats`), or in JSON a list of them, one per replicate.
Records that name the same question are its replicates, in the order of the file, or in the places that the replicate
column gives them: those keep their numbers also where another one is missing or refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from karenina_gui.errors import FileFormatError, InputError
from karenina_gui.formats.json_text import parse, read_json
from karenina_gui.formats.results.results_reader import SavedResults, holds_results
from karenina_gui.formats.tables.column_names import (
    ANSWER_COLUMNS,
    MODEL_COLUMNS,
    QUESTION_COLUMNS,
    REPLICATE_COLUMNS,
    TEXT_COLUMNS,
    plain_name,
)
from karenina_gui.formats.tables.rows import BadCell, RefusedRow, Row, Table, Unit
from karenina_gui.formats.tables.sheet_cells import LONGEST
from karenina_gui.formats.tables.table_reader import TableFile
from karenina_gui.schemas.question import Question, question_fingerprint
from karenina_gui.schemas.result import ModelIdentity, VerificationResult
from karenina_gui.text import quote_list
from karenina_gui.traces.provider_formats import is_conversation, replicates, to_messages

MOST_REPLICATES = 10_000
ANSWERED_BY = "answering_model"
RESULT_COLUMNS = ("question_id", "question_text", ANSWERED_BY, "replicate", "response")
"""Columns of answers from exported results."""


class Replicates:
    """Collects answers one by one; those with numbers go to their places, the others keep the order of the file."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._answers: dict[str, list[tuple[int | None, int, Any]]] = {}
        self._first: int | None = None
        """The lowest number in the file, also of records that are refused afterwards; None: there are no numbers."""

    def note(self, number: int | None) -> None:
        """Note the number of a record, whatever becomes of the record."""
        if number is not None:
            self._first = number if self._first is None else min(self._first, number)

    def add(self, question: str, replicate: int | None, row: int, answer: Any) -> None:
        """Add an answer.

        Raises `InputError` if the place is taken, or only some answers to the question have one.
        """
        earlier = self._answers.setdefault(question, [])
        for taken, where, _ in earlier:
            # Mixed, they cannot be put in order: an answer without a number might be any of the replicates.
            if (taken is None) != (replicate is None):
                with_number, without = (where, row) if replicate is None else (row, where)
                raise InputError(
                    f"this question has a numbered answer in {self._unit} {with_number} but an unnumbered one in "
                    f"{self._unit} {without}; number all of them, or none"
                )
            if replicate is not None and taken == replicate:
                raise InputError(f"replicate {replicate} of this question is already in {self._unit} {where}")
        earlier.append((replicate, row, answer))

    def answers(self) -> dict[str, Any]:
        """{question: answer, or a list with one for each replicate, None where there is none}"""
        return {question: self._in_places(answers) for question, answers in self._answers.items() if answers}

    def _in_places(self, answers: list[tuple[int | None, int, Any]]) -> Any:
        numbered = {number: answer for number, _, answer in answers if number is not None}
        if numbered:
            # Some files count from 0, some from 1: the lowest number of the file is the first replicate.
            ordered = [numbered.get(number) for number in range(self._first or 0, max(numbered) + 1)]
        else:
            ordered = [answer for _, _, answer in answers]
        return ordered[0] if len(ordered) == 1 else ordered


@dataclass(frozen=True)
class TraceColumns:
    """Columns of a record with the question and the answer."""

    question: str
    """Question id or question text."""
    answer: str
    """May lead into JSON objects with dots: `responses.gpt-4o`."""
    replicate: str | None = None
    """Numbers of the replicates, from 1 or from 0; None: the order of the file."""
    text: str | None = None
    """Question text next to an id in `question`, which must agree; None: the file has one or the other."""
    model: str | None = None
    """Names of the models that answered; None: all answers are of one model."""


@dataclass
class RecordedFile:
    """The usable answers of a file, and the refused ones.

    In a JSON object, entries are counted like rows.
    """

    answers: dict[str, Any] = field(default_factory=dict)
    """{question id or text: text | message list | list of them, one per replicate}; None where one is missing"""
    refused: list[RefusedRow] = field(default_factory=list)
    unit: Unit = "row"
    texts: dict[str, str] = field(default_factory=dict)
    """{key of `answers`: text of its question}, if the file has ids and texts."""
    others: Counter[str] = field(default_factory=Counter)
    """{model: number of its answers}, left out because they are of other models."""


@dataclass
class MatchedTraces:
    """Recorded answers by question id, ready for `ModelConfig.manual_traces`."""

    traces: dict[str, Any] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    """Keys of the file that are no question of the benchmark."""
    missing: list[str] = field(default_factory=list)
    """Ids of questions without a recorded answer."""
    repeated: list[str] = field(default_factory=list)
    """Keys of the file whose question another key has answered."""
    doubtful: list[str] = field(default_factory=list)
    """Keys of the file that are ids of questions with other texts."""

    def add(self, key: str, question_ids: Sequence[str], answer: Any) -> bool:
        """Give the answer to those of its questions that have none; False if there are no such questions."""
        free = [question_id for question_id in question_ids if question_id not in self.traces]
        if question_ids and not free:
            self.repeated.append(key)
        self.traces |= dict.fromkeys(free, answer)
        return bool(free)

    def settle(self, doubtful: Mapping[str, Sequence[str]], answers: Mapping[str, Any]) -> None:
        """Decide about ids whose questions have other texts. `doubtful`: {key of the file: ids}."""
        if len(doubtful) > len(self.traces):
            self.doubtful = list(doubtful)
            return
        for key, question_ids in doubtful.items():
            for question_id in question_ids:
                self.traces.setdefault(question_id, answers[key])


def read_traces(path: str | Path, columns: TraceColumns | None = None, model: str | None = None) -> RecordedFile:
    """Read the recorded answers of the file; without `columns`, they are found by their usual names.

    `model`: the model whose answers are read, as `models_of` names it. None: all answers, which must be of one model.
    Raises `FileFormatError` for an unreadable file or unknown columns. A record that cannot be used is refused alone.
    """
    path = Path(path)
    recorded = answers_by_question(path)
    return traces_of(answer_table(path), columns, path, model) if recorded is None else recorded


def answer_table(path: Path) -> Table:
    """Records of a file that is not one JSON object. Raises `FileFormatError`."""
    return results_table(path) or TableFile(path).table()


def answers_by_question(path: Path) -> RecordedFile | None:
    """Answers of a JSON file that is one object with a name for each question; None: the file is a table."""
    if path.suffix.lower() != ".json" or holds_results(path):
        return None
    data = read_json(path)
    return _from_object(data) if isinstance(data, dict) and not _wraps_records(data) else None


def results_table(path: Path) -> Table | None:
    """Answers of exported results, one record each; None: the file has no results.

    Several judgments of an answer are one record.
    """
    if not holds_results(path):
        return None
    table = Table(list(RESULT_COLUMNS), [], unit="entry")
    judged: dict[tuple[str, str, int | None], tuple[str, int | None]] = {}
    models: dict[str, ModelIdentity] = {}
    for row in SavedResults(path).rows():
        if row.result is None:
            table.refused.append(RefusedRow(row.number, row.fault))
            continue
        meta = row.result.metadata
        model = meta.answering.canonical
        models[model] = meta.answering
        judgment = (meta.parsing.canonical if meta.parsing else "", row.result.judge_replicate)
        if judged.setdefault((meta.question_id, model, meta.replicate), judgment) == judgment:
            values = (meta.question_id, meta.question_text, model, meta.replicate, _answer_of(row.result))
            table.rows.append(Row(row.number, dict(zip(RESULT_COLUMNS, values, strict=True))))
    labels = Counter(identity.label for identity in models.values())
    for record in table.rows:
        identity = models[record.values[ANSWERED_BY]]
        record.values[ANSWERED_BY] = identity.label if labels[identity.label] == 1 else identity.display
    return table


def _answer_of(result: VerificationResult) -> Any:
    """Answer of a result: its messages if they are more than a text, else the text; None: there is none."""
    failure, template = result.metadata.failure, result.template
    # The beginning of an answer whose call failed is not an answer.
    if template is None or (result.error is not None and failure is not None and failure.stage == "GenerateAnswer"):
        return None
    return template.trace_messages if len(template.trace_messages) > 1 else template.raw_llm_response


def traces_of(table: Table, columns: TraceColumns | None, path: Path, model: str | None = None) -> RecordedFile:
    """Read the recorded answers of a table.

    `model`: see `read_traces`. Raises `FileFormatError` for columns that are not there, or not found.
    """
    return _from_table(table, columns or default_columns(table, path), path, model)


def models_of(table: Table, column: str | None) -> Counter[str]:
    """{model: number of its records}, in the order of the file; empty without a column."""
    return Counter(_model(row, column) for row in table.rows) if column else Counter()


def guess_trace_columns(headers: Sequence[str]) -> dict[str, str]:
    """{field of `TraceColumns`: column}, for the columns whose names say what they hold."""
    names = {plain_name(header): header for header in reversed(headers)}
    usual = {
        "question": QUESTION_COLUMNS,
        "answer": ANSWER_COLUMNS,
        "replicate": REPLICATE_COLUMNS,
        "text": TEXT_COLUMNS,
        "model": MODEL_COLUMNS,
    }
    guessed = {
        field: column
        for field, spellings in usual.items()
        if (column := next((names[spelling] for spelling in spellings if spelling in names), None)) is not None
    }
    if guessed.get("text") == guessed.get("question"):
        guessed.pop("text", None)
    return guessed


def match_traces(recorded: RecordedFile, questions: Iterable[Question], *, by_id: bool = False) -> MatchedTraces:
    """Find each answer's question: by id, by id without `urn:uuid:`, by the text, or by the text's fingerprint.

    If the file has ids and texts, both must agree, unless most of them do: then the others were edited. Else the text
    decides. `by_id`: ignore the texts.
    """
    questions = list(questions)
    ids = _ids_by_key(questions)
    texts = {question.id: question.question.split() for question in questions}
    matched = MatchedTraces()
    doubtful: dict[str, list[str]] = {}
    for key, answer in recorded.answers.items():
        text = "" if by_id else recorded.texts.get(key, "")
        own, contradicted = _find_questions(key, text, ids, texts)
        if not own and not contradicted:
            matched.unknown.append(key)
        elif not matched.add(key, own, answer) and contradicted:
            doubtful[key] = contradicted
    matched.settle(doubtful, recorded.answers)
    matched.missing = [question.id for question in questions if question.id not in matched.traces]
    return matched


def _find_questions(
    key: str, text: str, ids: Mapping[str, list[str]], texts: Mapping[str, list[str]]
) -> tuple[list[str], list[str]]:
    """Ids of the questions that a key or the text beside it names, and ids that the key names against its text.

    `texts`: {question id: parts of its text between spaces}.
    """
    by_key, by_text = _ids_of(key, ids), _ids_of(text, ids) if text else []
    if by_key and text and text.split() != texts[by_key[0]] and question_fingerprint(text) != by_key[0]:
        return by_text, by_key
    return by_key or by_text, []


def _ids_of(key: str, ids: Mapping[str, list[str]]) -> list[str]:
    # Spreadsheets change line ends.
    spellings = (key, key.removeprefix("urn:uuid:"), key.strip(), " ".join(key.split()))
    return next((ids[spelling] for spelling in spellings if spelling in ids), [])


def _ids_by_key(questions: list[Question]) -> dict[str, list[str]]:
    """{key for a question in a file: ids}.

    Ids go before texts, because two questions may share a text.
    """
    by_text: dict[str, list[str]] = {}
    for question in questions:
        text = question.question
        for key in dict.fromkeys((text, text.strip(), " ".join(text.split()), question_fingerprint(text))):
            by_text.setdefault(key, []).append(question.id)
    by_id = {question.id.removeprefix("urn:uuid:"): [question.id] for question in questions}
    # The later one wins: an id as it stands, then one without its prefix, then texts.
    return by_text | by_id | {question.id: [question.id] for question in questions}


def _wraps_records(data: dict[str, Any]) -> bool:
    """Check if the object stands around one list of records, instead of naming questions."""
    lists = [value for value in data.values() if isinstance(value, list) and value and isinstance(value[0], dict)]
    return len(lists) == 1 and any(plain_name(name) in QUESTION_COLUMNS for name in lists[0][0])


def _from_object(data: dict[str, Any]) -> RecordedFile:
    recorded = RecordedFile(unit="entry")
    for number, (key, value) in enumerate(data.items(), 1):
        try:
            recorded.answers[key] = _check(value)
        except InputError as fault:
            recorded.refused.append(RefusedRow(number, f"the answer to “{key[:60]}” cannot be read: {fault}"))
    return recorded


def _from_table(table: Table, columns: TraceColumns, path: Path, model: str | None) -> RecordedFile:
    _check_columns(table, columns, path)
    models = models_of(table, columns.model)
    if model is None and len(models) > 1:
        raise FileFormatError(
            f"{path.name} has answers of several models in the column “{columns.model}”: {quote_list(models)}. "
            "Choose one of them.",
            path=str(path),
        )
    recorded = RecordedFile(refused=list(table.refused), unit=table.unit)
    recorded.others = Counter({name: count for name, count in models.items() if model not in (None, name)})
    numbered = Replicates(table.unit)
    for row in table.rows:
        if columns.model is not None and _model(row, columns.model) in recorded.others:
            continue
        try:
            _add_row(row, columns, numbered, recorded)
        except InputError as fault:
            recorded.refused.append(RefusedRow(row.number, str(fault)))
    recorded.answers = numbered.answers()
    recorded.refused.sort(key=lambda refused: refused.row)
    return recorded


def _add_row(row: Row, columns: TraceColumns, numbered: Replicates, recorded: RecordedFile) -> None:
    number = _replicate(row, columns)
    # Before the answer is read: a refused one still keeps the place of its number.
    numbered.note(number)
    key = _key(row, columns.question)
    numbered.add(key, number, row.number, _answer(row, columns.answer))
    if columns.text is not None and (text := row.value(columns.text)):
        recorded.texts.setdefault(key, str(text))


def _check_columns(table: Table, columns: TraceColumns, path: Path) -> None:
    headers = set(table.headers)
    answer = columns.answer if columns.answer in headers else columns.answer.split(".", 1)[0]
    for column in (columns.question, answer, columns.replicate, columns.text, columns.model):
        if column is not None and column not in headers:
            listed = ", ".join(f"“{header}”" for header in table.headers)
            raise FileFormatError(f"{path.name} has no column “{column}”. Its columns are: {listed}.", path=str(path))


def _check(value: Any) -> Any:
    answers = [answer for answer in replicates(value) if answer is not None]
    for answer in answers or [None]:
        to_messages(answer)
    return value


def _key(row: Row, column: str) -> str:
    value = _readable(row, column)
    if value is None or not str(value).strip():
        raise InputError(f"column “{column}” is empty: no question text")
    return str(value)


def _answer(row: Row, column: str) -> Any:
    """The record's answer; a text that is JSON of a conversation counts as the conversation."""
    value = _readable(row, column)
    if isinstance(value, str) and value.lstrip().startswith(("[", "{")):
        try:
            decoded = parse(value)
        except (ValueError, RecursionError):
            # A text in brackets is an answer like any other.
            decoded = None
        value = decoded if is_conversation(decoded) else value
    if value is None or value == "":
        raise InputError(f"column “{column}” has no answer")
    if isinstance(value, str) and len(value) == LONGEST:
        raise InputError(f"the answer has {LONGEST:,} characters, Excel’s limit for a cell, so it was probably cut")
    to_messages(value)
    return value


def _replicate(row: Row, columns: TraceColumns) -> int | None:
    """The number of the record among the answers to its question; None if it has none."""
    value = None if columns.replicate is None else _readable(row, columns.replicate)
    if value is None or value == "":
        return None
    try:
        # Spreadsheets and JSON may write 1 as 1.0.
        number = float(value)
        if number.is_integer() and 0 <= number < MOST_REPLICATES:
            return int(number)
    except (TypeError, ValueError, OverflowError):
        pass
    raise InputError(
        f"column “{columns.replicate}” must contain a replicate number such as 1 or 2, not “{str(value)[:40]}”"
    )


def _model(row: Row, column: str) -> str:
    """The model of the record; empty if it names none."""
    value = row.value(column)
    return "" if value is None or isinstance(value, BadCell) else str(value).strip()


def _readable(row: Row, column: str) -> Any:
    value = row.value(column)
    if isinstance(value, BadCell):
        raise InputError(value.reason)
    return value


def default_columns(table: Table, path: Path) -> TraceColumns:
    """The columns that hold question and answer by their names.

    Raises `FileFormatError` if the names do not say enough.
    """
    guessed = guess_trace_columns(table.headers)
    if not {"question", "answer"} <= guessed.keys():
        listed = ", ".join(f"“{header}”" for header in table.headers)
        raise FileFormatError(
            f"{path.name} doesn’t say which columns contain the question and the recorded answer. "
            f"Name them, for example 'question_id' and 'response'. Its columns are: {listed}.",
            path=str(path),
        )
    return TraceColumns(**guessed)
