"""Import of runs from result files: match their questions with a benchmark and save their results."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from karenina_gui.errors import InputError
from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry
from karenina_gui.schemas.condition import Condition
from karenina_gui.schemas.job import Job, job_key
from karenina_gui.schemas.model_labels import labels
from karenina_gui.schemas.placeholder_ids import is_placeholder
from karenina_gui.schemas.question import Question, question_fingerprint
from karenina_gui.schemas.reproducibility import Reproducibility
from karenina_gui.schemas.result import ModelIdentity, VerificationResult
from karenina_gui.schemas.results_file import FoundResults, FoundRun, ResultQuestion, asked_alone, config_of
from karenina_gui.schemas.run_summaries import RunStatus, RunSummary
from karenina_gui.schemas.verification_config import MOST_REPLICATES, VerificationConfig
from karenina_gui.store.imported_runs import OpenedRun, QuestionMatch
from karenina_gui.store.library import Library
from karenina_gui.text import quantity

PORTION = 500
"""Results saved in one transaction."""


@dataclass(frozen=True, slots=True)
class MatchingBenchmark:
    """Benchmark that the results may belong to."""

    benchmark_id: int
    name: str
    matched: int
    """Number of the file's questions in this benchmark, by id and text or by text alone."""
    doubtful: int
    """Number of the file's questions whose id belongs to a question with another text here."""
    by: Literal["id", "text"]
    """Property by which most of them were matched."""


@dataclass(frozen=True)
class ImportPreview:
    """Preview of importing a file."""

    file: FoundResults
    belongings: list[MatchingBenchmark] = field(default_factory=list)
    """Benchmarks with at least one of the questions, best match first."""
    already: list[RunSummary] = field(default_factory=list)
    """Runs that already contain these results."""

    @property
    def candidates(self) -> list[MatchingBenchmark]:
        """Benchmarks with at least half of the questions, the largest number of them; empty: a new one is needed."""
        # Below half, the results more likely belong to a benchmark that is not in the library.
        enough = [match for match in self.belongings if match.matched * 2 >= len(self.file.questions)]
        return [match for match in enough if match.matched == enough[0].matched]

    @property
    def doubtful(self) -> list[MatchingBenchmark]:
        """Benchmarks with at least half of the questions only if texts are ignored; empty if there are candidates."""
        count = len(self.file.questions)
        return [] if self.candidates else [b for b in self.belongings if (b.matched + b.doubtful) * 2 >= count]


class ResultsImporter:
    """Importer of result files. `tell` is called with the id of each added or removed run."""

    def __init__(self, library: Library, tell: Callable[[int], None]) -> None:
        self._library = library
        self._tell = tell

    def outlook(self, file: FoundResults) -> ImportPreview:
        samples = [run.sample for run in file.runs if run.sample is not None]
        ids = dict.fromkeys(run_id for sample in samples for run_id in self._library.opened.alike(sample))
        return ImportPreview(file, self._belongings(file), [self._library.runs.summary(run_id) for run_id in ids])

    def open(
        self, file: FoundResults, results: Iterable[tuple[str, VerificationResult]], benchmark_id: int
    ) -> list[int]:
        """Save every run of the file and return their ids. All or none are saved.

        `results`: (name of the run in `found`, result), read one after the other. Raises `NotFoundError` for the
        benchmark, and any error of reading the file.
        """
        benchmark = self._library.benchmarks.summary(benchmark_id)
        questions = [question for question in self._library.opened.questions() if question.benchmark_id == benchmark.id]
        own_ids = _match(file.questions.values(), questions).own_ids
        writers: dict[str, _Writer] = {}
        try:
            for run in file.runs:
                writers[run.name] = _Writer(self._library, file, run, benchmark_id, own_ids)
            for name, result in results:
                writers[name].take(result)
            for writer in writers.values():
                writer.close(_missing(file))
        except BaseException:  # KeyboardInterrupt too: a partial run must not stay in the library
            for writer in writers.values():
                self._library.opened.drop(writer.run_id)
            raise
        for writer in writers.values():
            self._tell(writer.run_id)
        return [writer.run_id for writer in writers.values()]

    def discard(self, run_ids: Iterable[int]) -> None:
        """Delete runs that were just imported."""
        for run_id in run_ids:
            self._library.opened.drop(run_id)
            self._tell(run_id)

    def _belongings(self, file: FoundResults) -> list[MatchingBenchmark]:
        by_benchmark: dict[int, list[QuestionMatch]] = {}
        for question in self._library.opened.questions():
            by_benchmark.setdefault(question.benchmark_id, []).append(question)
        names = {summary.id: summary.name for summary in self._library.benchmarks.summaries()}
        belongings = []
        for benchmark_id, questions in by_benchmark.items():
            matches = _match(file.questions.values(), questions)
            if matches.own_ids and benchmark_id in names:
                by: Literal["id", "text"] = "id" if matches.same_ids * 2 >= len(matches.own_ids) else "text"
                certain = len(matches.own_ids) - matches.doubtful
                belongings.append(MatchingBenchmark(benchmark_id, names[benchmark_id], certain, matches.doubtful, by))
        return sorted(belongings, key=lambda match: (-match.matched, -match.doubtful, match.by))


def questions_of(file: FoundResults, name: str) -> BenchmarkDocument:
    """A benchmark of the file's questions and traits. Questions are unfinished and have no templates."""
    entries = [
        BenchmarkEntry(
            question=Question(
                id=_text_id(question, file) or question.id,
                question=question.text if question.text.strip() else question.id,
                raw_answer=question.raw_answer or "",
                keywords=list(question.keywords),
            ),
            finished=False,
        )
        for question in file.questions.values()
    ]
    about = f"Questions from the results in {file.name}. The file has no templates."
    return BenchmarkDocument(name=name.strip() or file.name, description=about, entries=entries, rubric=file.rubric)


def _text_id(question: ResultQuestion, file: FoundResults) -> str | None:
    """MD5 id for a question with a placeholder id; None: it keeps its id."""
    own = question_fingerprint(question.text)
    return own if is_placeholder(question.id, question.text) and own not in file.questions else None


class _Writer:
    """Writer of one imported run."""

    def __init__(
        self, library: Library, file: FoundResults, run: FoundRun, benchmark_id: int, own_ids: Mapping[str, str]
    ) -> None:
        self._opened = library.opened
        self._run = run
        self._own_ids = own_ids
        config = VerificationConfig(
            answering_models=[config_of(model, file.temperatures) for model in run.answering.values()],
            parsing_models=[config_of(model, file.temperatures) for model in run.judges.values()],
            conditions=[_condition(name, file.reproducibility) for name in run.conditions],
            replicate_count=min(run.replicates, MOST_REPLICATES),  # the results keep the numbers of the file
            judge_replicates=min(run.judge_replicates, MOST_REPLICATES),
            evaluation_mode=run.evaluation_mode,
        )
        self._answering = dict(zip(run.answering, labels(config.answering_models), strict=True))
        self._judges = dict(zip(run.judges, labels(config.parsing_models), strict=True))
        self._keys: Counter[str] = Counter()
        self._waiting: list[tuple[Job, VerificationResult]] = []
        self._written = 0
        began = _timestamp(run.started)
        opened = OpenedRun(benchmark_id, run.name, config, run, file.name, began, file.reproducibility)
        self.run_id = self._opened.create(opened)

    def take(self, result: VerificationResult) -> None:
        meta = result.metadata
        question = self._own_ids.get(meta.question_id, meta.question_id)
        judge = None if meta.parsing is None else _label(meta.parsing, self._judges)
        answering = _label(asked_alone(meta.answering, result.condition), self._answering)
        parts = question, answering, judge, meta.replicate, result.condition, result.judge_replicate
        key = job_key(*parts)
        self._keys[key] += 1
        if self._keys[key] > 1:  # the file repeats the job without replicate numbers
            key += f"\t#{self._keys[key]}"
        self._waiting.append((Job(key, *parts), result))
        if len(self._waiting) >= PORTION:
            self._write()

    def close(self, missing: str) -> None:
        self._write()
        if not self._written:
            raise InputError(f"The run “{self._run.name}” no longer has results. Choose the file again.")
        whole = self._run.complete and self._written >= self._run.total and not missing
        status: RunStatus = "completed" if whole else "partial"
        message = None if whole else self._describe_gaps(missing)
        self._opened.finish(self.run_id, status, message, _timestamp(self._run.finished))

    def _write(self) -> None:
        if self._waiting:
            self._opened.add(self.run_id, self._written, self._waiting)
            self._written += len(self._waiting)
            self._waiting = []

    def _describe_gaps(self, missing: str) -> str:
        notes = []
        if self._written < self._run.total:
            notes.append(f"The file has {self._written:,} of {quantity(self._run.total, 'result')} of this run.")
        elif not self._run.complete:
            notes.append("The run was unfinished when this file was written.")
        return " ".join([*notes, *([missing] if missing else [])])


def _condition(name: str, record: Reproducibility | None) -> Condition:
    """The condition as recorded in the file; only its name if there is no record."""
    recorded = next((condition for condition in record.conditions if condition.name == name), None) if record else None
    return Condition(name=name) if recorded is None else Condition(**recorded.model_dump())


def _missing(file: FoundResults) -> str:
    if not file.faulty:
        return ""
    first = file.faults[0]
    return f"{quantity(file.faulty, 'unreadable result')} skipped; first: number {first.row}, {first.reason}."


@dataclass
class _Matches:
    """Questions of a file that a benchmark has."""

    own_ids: dict[str, str] = field(default_factory=dict)
    """{id in the file: id in the benchmark}"""
    same_ids: int = 0
    doubtful: int = 0
    """Number of those with an equal id and another text."""


def _match(questions: Iterable[ResultQuestion], candidates: Sequence[QuestionMatch]) -> _Matches:
    """Match questions by id and text, else by text, else by id alone."""
    texts = {candidate.id: _normalize_spaces(candidate.text) for candidate in candidates}
    ids = {text: question_id for question_id, text in reversed(texts.items()) if text}
    matches = _Matches()
    for question in questions:
        text = _normalize_spaces(question.text)
        certain = _is_certain(question, text, texts.get(question.id))
        own = ids.get(text)
        if certain or (own is None and question.id in texts):
            own = question.id
        if own is not None:
            matches.own_ids[question.id] = own
            matches.same_ids += own == question.id
            matches.doubtful += own == question.id and not certain
    return matches


def _is_certain(question: ResultQuestion, text: str, candidate_text: str | None) -> bool:
    """True if the candidate with the question's id is that question. `candidate_text`: None if there is none."""
    return candidate_text is not None and (candidate_text == text or _identifies(question))


def _identifies(question: ResultQuestion) -> bool:
    """True if no other question has its id by chance, as it could have `1`."""
    if not question.text.strip():
        return re.fullmatch(r"(urn:uuid:)?[0-9a-f]{32}", question.id.replace("-", "")) is not None
    # The question was edited since, and kept its id.
    return question.id == question_fingerprint(question.text)


def _normalize_spaces(text: str) -> str:
    """Text with single spaces between words, because spreadsheets change line ends."""
    return " ".join(text.split())


def _label(model: ModelIdentity, names: Mapping[str, str]) -> str:
    return names.get(model.canonical, model.label)


def _timestamp(seconds: float | None) -> str:
    moment = datetime.now(UTC) if seconds is None else datetime.fromtimestamp(seconds, UTC)
    return moment.isoformat(timespec="milliseconds")
