"""A file of results, whatever its shape.

The shape is told by the content, and the file is looked through before anything of it is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from pydantic import ValidationError

from karenina_gui.errors import FileFormatError
from karenina_gui.formats.json_text import without_secrets
from karenina_gui.formats.reader_process import read_apart
from karenina_gui.formats.results.json_reader import JsonResults, ReadRow
from karenina_gui.formats.results.run_info import RECORD
from karenina_gui.formats.results.table_reader import TableResults
from karenina_gui.formats.results.table_row_reader import CUT_AT_LIMIT
from karenina_gui.formats.tables.sheet_cells import LONGEST
from karenina_gui.schemas.outcome import outcome_of
from karenina_gui.schemas.reproducibility import Reproducibility
from karenina_gui.schemas.result import VerificationResult
from karenina_gui.schemas.results_file import (
    TABLES,
    FileShape,
    FoundResults,
    FoundRun,
    ResultQuestion,
    RowFault,
    asked_alone,
)
from karenina_gui.schemas.rubric import Rubric
from karenina_gui.text import quantity, verb

FAULTS_KEPT = 200
MOST_FAULTS = 10_000
"""Unreadable results of a file that is read to its end."""
ROWS_TRIED = 20
"""Number of rows that are tried in a file that may hold results."""
PLAUSIBLE = 946_684_800.0
"""Begin of the year 2000, in seconds since 1970: what is earlier was never a time."""
LATEST = 2.0**36
"""Some two thousand years later."""


class Source(Protocol):
    shape: FileShape
    head: dict[str, Any]

    def rows(self) -> Iterator[ReadRow]: ...


class SavedResults:
    """Reads the file anew for each call, one result in memory at a time."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.name = self.path.name

    def look(self) -> FoundResults:
        """Look through the file and sum up its results.

        Raises `FileFormatError` for a file that holds no results that can be read.
        """
        return read_apart(_look, self.path)

    def each(self) -> Iterator[tuple[str, VerificationResult]]:
        """(name of its run, result), in the order of the file, without those that cannot be read."""
        for row in self.rows():
            if row.result is not None:
                yield _run_name(row, self.path.stem), row.result

    def rows(self) -> Iterator[ReadRow]:
        """Everything that the file lists, also results that cannot be read.

        Raises `FileFormatError` if the file holds no results.
        """
        return self.rows_of(self.source())

    def rows_of(self, source: Source) -> Iterator[ReadRow]:
        """The rows; a result that comes twice is a fault the second time.

        Two judgments of one answer may have one id: that of upstream does not tell them apart.
        """
        first: dict[tuple[str | None, str, int | None], int] = {}
        for row in source.rows():
            number = row.result.metadata.result_id if row.result else ""
            if row.result is not None and number:
                before = first.setdefault((row.run, number, row.result.judge_replicate), row.number)
                if before != row.number:
                    row = ReadRow(row.number, row.run, None, f"it duplicates result {before} (id {number})")
            yield row

    def source(self) -> Source:
        try:
            with self.path.open("rb") as file:
                beginning = file.read(4096)
        except OSError as fault:
            raise FileFormatError(
                f"{self.name} cannot be read: {fault.strerror or fault}.", path=str(self.path)
            ) from fault
        # Windows programs put this mark before UTF-8, and JSON may begin with spaces.
        sign = beginning.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
        if not sign:
            raise FileFormatError(f"{self.name} is empty.", path=str(self.path))
        # An .xlsx file is a ZIP archive.
        if beginning.startswith(b"PK\x03\x04"):
            return TableResults(self.path, workbook=True)
        return JsonResults(self.path) if sign in (b"{", b"[") else TableResults(self.path)


def _look(path: Path) -> FoundResults:
    saved = SavedResults(path)
    source = saved.source()
    survey = _Survey(path.stem)
    faults = 0
    for row in saved.rows_of(source):
        survey.add(row)
        if row.result is None and (faults := faults + 1) > MOST_FAULTS:
            raise FileFormatError(f"{saved.name} has more than {MOST_FAULTS:,} unreadable results.", path=str(path))
    summary = survey.sum_up(saved.name, source)
    if not summary.results:
        raise FileFormatError(
            f"{saved.name} contains no readable results.{_first_fault(summary.faults)}", path=str(path)
        )
    return summary


def holds_results(path: Path) -> bool:
    """Check if one of the first results of the file can be read; other tables and lists hold none."""
    try:
        return any(row.result is not None for row in islice(SavedResults(path).rows(), ROWS_TRIED))
    except FileFormatError:
        return False


def _run_name(row: ReadRow, otherwise: str) -> str:
    named = row.run if row.run is not None else row.result.metadata.run_name if row.result else None
    return named or otherwise


class _Survey:
    """Adds up the rows of a file, run by run."""

    def __init__(self, stem: str) -> None:
        self._stem = stem
        self._runs: dict[str, FoundRun] = {}
        self._judges: dict[str, _Judges] = {}
        self._faults: list[RowFault] = []
        self._faulty = 0
        self._breaks_off = False
        self._untyped = self._undecided = False
        self._cut = 0
        self._jobs: set[tuple[object, ...]] = set()
        self._repeated = 0

    def add(self, row: ReadRow) -> None:
        if row.result is None:
            self._faulty += 1
            self._breaks_off = self._breaks_off or row.breaks_off
            # The others are only counted: in a file of another kind every row may be a fault.
            if len(self._faults) < FAULTS_KEPT:
                self._faults.append(RowFault(row.number, row.fault))
            return
        name = _run_name(row, self._stem)
        run = self._runs.setdefault(name, FoundRun(name))
        self._count(run, row.result)

    def _count(self, run: FoundRun, result: VerificationResult) -> None:
        for note in (_note_models, _note_question, _note_time, _note_repetitions, _note_origin):
            note(run, result)
        outcome = outcome_of(result)
        run.outcomes[outcome] += 1
        run.results += 1
        self._judges.setdefault(run.name, _Judges()).note(result)
        self._untyped |= bool(result.rubric and result.rubric.untyped_scores)
        meta = result.metadata
        judge = meta.parsing.canonical if meta.parsing else None
        job = (run.name, meta.question_id, meta.answering.canonical, result.condition, judge, meta.replicate)
        self._repeated += (*job, result.judge_replicate) in self._jobs
        self._jobs.add((*job, result.judge_replicate))
        self._cut += any(warning.startswith(CUT_AT_LIMIT) for warning in result.metadata.warnings)
        self._undecided |= bool(outcome == "unscored" and result.error)

    def sum_up(self, name: str, source: Source) -> FoundResults:
        for run in self._runs.values():
            judges = self._judges[run.name]
            if judges.rubric:
                run.evaluation_mode = "template_and_rubric" if judges.template else "rubric_only"
            run.total = run.results
            run.complete = not self._breaks_off
        metadata = _dict(source.head.get("metadata"))
        if len(self._runs) == 1 and source.shape in ("export", "legacy"):
            _apply_summary(next(iter(self._runs.values())), _dict(metadata.get("job_summary")), self._faulty)
        results = FoundResults(name, source.shape, list(self._runs.values()), self._faults, self._faulty)
        results.rubric = _rubric(_dict(source.head.get("shared_data")).get("rubric_definition"))
        results.temperatures = _temperatures(_dict(metadata.get("verification_config")))
        results.reproducibility = _record(metadata) if len(self._runs) == 1 else None
        results.notes = list(self._notes(source))
        return results

    def _notes(self, source: Source) -> Iterator[str]:
        if source.shape in TABLES:
            yield "Tables contain the answers, but not their traces and steps."
        if self._repeated:
            repeat = f"{quantity(self._repeated, 'result')} {verb(self._repeated, 'repeats', 'repeat')}"
            yield f"{repeat} the question, model, judge, and replicate of an earlier one. Each of them counts."
        if self._cut:
            has = f"{quantity(self._cut, 'result')} {verb(self._cut, 'has', 'have')}"
            yield f"{has} texts that were cut at Excel’s limit of {LONGEST:,} characters per cell."
        if self._untyped:
            yield "The table doesn’t name the types of its traits, so the traits are shown without a type."
        if self._undecided:
            yield (
                "The table doesn’t say why some answers have no verdict (not answered, auto-failed, or an error). "
                "They are shown as “No verdict”, with the table’s reason."
            )
        if source.head.get("scenario_results") or source.head.get("scenario_outcomes"):
            yield "Scenario outcomes in the file are not shown."


@dataclass
class _Judges:
    """Judges of at least one answer of a run."""

    template: bool = False
    rubric: bool = False

    def note(self, result: VerificationResult) -> None:
        template, rubric = result.template, result.rubric
        self.template |= bool(template and (template.template_verification_performed or template.verify_result))
        self.rubric |= bool(rubric and (rubric.rubric_evaluation_performed or rubric.agentic_trait_scores))


def _note_models(run: FoundRun, result: VerificationResult) -> None:
    model = asked_alone(result.metadata.answering, result.condition)
    run.answering.setdefault(model.canonical, model)
    if result.condition is not None and result.condition not in run.conditions:
        run.conditions.append(result.condition)
    if (judge := result.metadata.parsing) is not None:
        run.judges.setdefault(judge.canonical, judge)


def _note_time(run: FoundRun, result: VerificationResult) -> None:
    if (time := _local_time(result.metadata.timestamp)) is not None:
        run.started = min(time, run.started or time)
        run.finished = max(time + max(0.0, result.metadata.execution_time), run.finished or time)


def _note_repetitions(run: FoundRun, result: VerificationResult) -> None:
    run.judge_replicates = max(run.judge_replicates, result.judge_replicate or 1)
    run.replicates = max(run.replicates, result.metadata.replicate or 1)


def _note_origin(run: FoundRun, result: VerificationResult) -> None:
    run.sandbox_level = run.sandbox_level or result.sandbox_level or ""
    run.recording_label = run.recording_label or result.recording_label
    # One result by which to find the run again, if it is in the library already.
    meta = result.metadata
    run.sample = run.sample or (meta.question_id, meta.question_text, meta.answering.display, meta.timestamp)


def _note_question(run: FoundRun, result: VerificationResult) -> None:
    meta = result.metadata
    earlier = run.questions.get(meta.question_id)
    if earlier is None or (earlier.raw_answer is None and meta.raw_answer is not None):
        run.questions[meta.question_id] = ResultQuestion(
            meta.question_id, meta.question_text, meta.raw_answer, tuple(meta.keywords or ())
        )


def _apply_summary(run: FoundRun, summary: dict[str, Any], faulty: int) -> None:
    """Take over from the file's head facts of the run as a whole."""
    total = summary.get("total_questions")
    # Only a larger number is believed: it tells of jobs that have no result in the file.
    if isinstance(total, int) and run.results + faulty < total < 2**31:
        run.total = total
    if summary.get("is_complete") is False:
        run.complete = False
    for name, key in (("started", "start_time"), ("finished", "end_time")):
        time = summary.get(key)
        if isinstance(time, int | float) and PLAUSIBLE < time < LATEST:
            setattr(run, name, float(time))


def _rubric(definition: Any) -> Rubric | None:
    try:
        rubric = Rubric.model_validate(definition)
    except ValidationError:
        return None
    return None if rubric.is_empty else rubric


def _record(metadata: dict[str, Any]) -> Reproducibility | None:
    try:
        return Reproducibility.model_validate(without_secrets(metadata[RECORD])) if RECORD in metadata else None
    except ValidationError:
        return None


def _temperatures(config: dict[str, Any]) -> dict[tuple[str, str], float | None]:
    models = [*_list(config.get("answering_models")), *_list(config.get("parsing_models"))]
    return {
        (str(model.get("interface")), str(model.get("name"))): model["temperature"]
        for model in models
        if isinstance(model, dict)
        and isinstance(model.get("temperature"), int | float)
        and 0 <= model["temperature"] <= 2
    }


def _local_time(timestamp: str) -> float | None:
    try:
        time = datetime.fromisoformat(timestamp).timestamp()
    except (ValueError, OverflowError, OSError):
        return None
    return time if PLAUSIBLE < time < LATEST else None


def _first_fault(faults: Sequence[RowFault]) -> str:
    """A sentence about the first result, with a space before it; empty: there are no results at all."""
    if not faults:
        return ""
    number, reason = faults[0].row, faults[0].reason
    field = reason.removesuffix(": missing")
    return (
        f" Result {number}: {reason}."
        if field == reason
        else f" Result {number} lacks the entry “{field}” of results files."
    )


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
