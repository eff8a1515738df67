"""Index of all problems of a benchmark: the checklists of its questions and rubrics, kept current in the background."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from karenina_gui.authoring.benchmark_editor import BenchmarkEditor
from karenina_gui.authoring.changes import Change
from karenina_gui.authoring.checklist import CheckedTemplate, checklist
from karenina_gui.authoring.pacing import at_half_speed
from karenina_gui.errors import NotFoundError, SandboxError
from karenina_gui.events import Signal
from karenina_gui.formats.checkpoints.questions import template_in
from karenina_gui.schemas.benchmark import BenchmarkEntry
from karenina_gui.schemas.benchmark_summaries import QuestionFilter, QuestionSummary
from karenina_gui.schemas.review import CheckItem

log = logging.getLogger(__name__)

Severity = Literal["error", "warning", "note"]
Part = Literal["question", "template", "samples", "rubric", "workspace", "review"]
PARTS: tuple[Part, ...] = ("question", "template", "samples", "rubric", "workspace", "review")
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
TraitCheck = Callable[[Mapping[str, Any], Mapping[str, str]], list[CheckItem]]
"""Check of a rubric: (rubric as it is stored, {name of a trait of the other rubric: its owner})."""

CHUNK = 50
"""Questions that are read together."""
NEWS = 1.0
"""Seconds between reports of progress."""
SETTLED = 0.3
"""Seconds after a change until it is looked at, so that a burst of them is looked at once."""


@dataclass(frozen=True, slots=True)
class BenchmarkProblem:
    """One problem of a question, or of the benchmark itself."""

    number: int | None
    """Number of the question; None: the benchmark itself."""
    position: int
    """Place of the question in the benchmark, from 1; 0: the benchmark itself."""
    title: str
    """Beginning of the question."""
    item: CheckItem

    @property
    def severity(self) -> Severity:
        return "error" if self.item.state == "missing" else "note" if self.item.minor else "warning"

    @property
    def part(self) -> Part:
        part: Any = "samples" if self.item.anchor == "samples" else self.item.tab
        return part  # type: ignore[no-any-return]

    @property
    def order(self) -> tuple[int, int, str, str]:
        """Key of the order in which problems are listed and visited."""
        return self.position, PARTS.index(self.part), self.item.anchor, self.item.text


@dataclass(frozen=True)
class ProblemReport:
    """The problems that are known, in order."""

    problems: Sequence[BenchmarkProblem] = ()
    checked: int = 0
    """Number of questions that were checked as they are now."""
    total: int = 0
    """Number of questions; 0 also before they were counted."""
    complete: bool = False


@dataclass(slots=True)
class _Checked:
    """State of one question when it was last checked."""

    seen: tuple[Any, ...]
    """Everything that its problems follow from, apart from files."""
    items: tuple[CheckItem, ...]
    template: CheckedTemplate | None
    source: tuple[Any, ...]
    """Everything that `template` follows from."""
    has_files: bool


@dataclass
class _Indexed:
    """Index of one benchmark."""

    checked: dict[int, _Checked] = field(default_factory=dict)
    rows: dict[int, QuestionSummary] = field(default_factory=dict)
    """Questions in order."""
    own: tuple[CheckItem, ...] = ()
    """Problems of the benchmark's own rubric."""
    stale: set[int] | None = None
    """Questions to look at; None: all."""
    queued: bool = False
    report: ProblemReport = field(default_factory=ProblemReport)
    """As it was put together last, which takes too long for each question about it."""


@dataclass(frozen=True)
class _Frame:
    """Facts of a benchmark that the problems of its questions depend on."""

    trusted: bool
    root: Path | None
    taken: Mapping[str, str]
    comments: Mapping[int, int]


class ProblemIndex:
    """Finds problems in one thread of its own; safe to use from any thread.

    A benchmark is indexed once somebody asks for its problems. Then only what was edited is checked again. Tests of
    templates are not its work: their stored results arrive as edits.
    """

    def __init__(self, editor: BenchmarkEditor, check_traits: TraitCheck) -> None:
        self._editor, self._check_traits = editor, check_traits
        self.changed: Signal[[int]] = Signal()
        """Problems were found or are gone; emitted in the index's thread with the id of the benchmark."""
        self._lock = threading.Lock()
        self._indexed: dict[int, _Indexed] = {}
        self._worker = ThreadPoolExecutor(1, "problems")
        self._closed = threading.Event()
        editor.changed.subscribe(self._note_change)

    def report(self, benchmark_id: int) -> ProblemReport:
        """Return what is known, and begin to check what is not."""
        with self._lock:
            index = self._indexed.get(benchmark_id)
            if index is None:
                index = self._indexed[benchmark_id] = _Indexed()
                self._queue(benchmark_id, index)
            return index.report

    def peek(self, benchmark_id: int) -> ProblemReport | None:
        """Return what is known; None: nobody has asked for the problems of this benchmark yet."""
        with self._lock:
            index = self._indexed.get(benchmark_id)
            return None if index is None else index.report

    def close(self) -> None:
        """Stop checking."""
        self._closed.set()
        self._worker.shutdown(cancel_futures=True)

    def _note_change(self, change: Change) -> None:
        with self._lock:
            index = self._indexed.get(change.benchmark_id)
            if index is None:
                return
            if change.of_presence and change.kind == "removed":
                del self._indexed[change.benchmark_id]
                return
            index.report = replace(index.report, complete=False)
            if change.number is None or change.kind != "edited":
                index.stale = None
            elif index.stale is not None:
                index.stale.add(change.number)
            self._queue(change.benchmark_id, index)

    def _queue(self, benchmark_id: int, index: _Indexed) -> None:
        if not index.queued and not self._closed.is_set():
            index.queued = True
            self._worker.submit(self._refresh, benchmark_id, index)

    def _refresh(self, benchmark_id: int, index: _Indexed) -> None:
        try:
            if index.rows:
                self._closed.wait(SETTLED)
            self._check(benchmark_id, index)
        except NotFoundError:
            return  # the benchmark was deleted meanwhile
        except Exception as error:
            with self._lock:
                index.stale = None  # the next look is at all of them; unchanged ones cost nothing
            if not self._closed.is_set() or not isinstance(error, SandboxError):
                log.exception("The problems of benchmark %s could not be found", benchmark_id)

    def _check(self, benchmark_id: int, index: _Indexed) -> None:
        # First, so that a change from here on is looked at in another round.
        with self._lock:
            stale, index.stale, index.queued = index.stale, set(), False
        frame = self._look_around(benchmark_id, index)
        # Looking at a single question must not cost a look at all.
        question_filter = None if stale is None else QuestionFilter(numbers=tuple(stale))
        rows = {row.number: row for row in self._editor.library.questions.summaries(benchmark_id, question_filter)}
        with self._lock:
            index.rows = rows if stale is None else {**index.rows, **rows}
            for number in index.checked.keys() - index.rows.keys():
                del index.checked[number]
        changed = [row for row in rows.values() if _is_outdated(index.checked.get(row.number), _facts(row, frame))]
        self._check_questions(benchmark_id, index, changed, frame)
        self._publish(benchmark_id, index, complete=True)

    def _look_around(self, benchmark_id: int, index: _Indexed) -> _Frame:
        library = self._editor.library
        here, rubric = library.benchmarks.on_this_computer(benchmark_id), library.benchmarks.frame(benchmark_id).rubric
        own = rubric.model_dump(mode="json", exclude_defaults=True) if rubric else {}
        index.own = tuple(self._check_traits(own, {}))
        taken = dict.fromkeys(rubric.names if rubric else (), "the benchmark")
        return _Frame(here.trusted, here.workspace_root, taken, library.comments.open_counts(benchmark_id))

    def _check_questions(
        self, benchmark_id: int, index: _Indexed, changed: Sequence[QuestionSummary], frame: _Frame
    ) -> None:
        reported = time.monotonic()
        for row, entry in at_half_speed(self._read(benchmark_id, changed), self._closed):
            checked = self._check_question(index.checked.get(row.number), row, entry, frame)
            with self._lock:
                index.checked[row.number] = checked
            if time.monotonic() - reported > NEWS:
                reported = time.monotonic()
                self._publish(benchmark_id, index, complete=False)

    def _read(
        self, benchmark_id: int, rows: Sequence[QuestionSummary]
    ) -> Iterator[tuple[QuestionSummary, BenchmarkEntry]]:
        for start in range(0, len(rows), CHUNK):
            chunk = rows[start : start + CHUNK]
            entries = self._editor.library.questions.entries(benchmark_id, [row.number for row in chunk])
            yield from ((row, entries[row.number]) for row in chunk if row.number in entries)

    def _check_question(
        self, earlier: _Checked | None, row: QuestionSummary, entry: BenchmarkEntry, frame: _Frame
    ) -> _Checked:
        question, text = entry.question, entry.question.answer_template
        source = (text, text == template_in(entry.source), frame.trusted)
        if earlier is not None and earlier.source == source:
            template = earlier.template
        else:
            outline = self._editor.check_entry(entry, trusted=frame.trusted)
            template = None if outline is None else CheckedTemplate.of(text or "", outline)
        comments = frame.comments.get(row.number, 0)
        items = [
            *checklist(question, row, template, root=frame.root, open_comments=comments),
            *self._check_traits(question.question_rubric or {}, frame.taken),
            *_review_items(row),
        ]
        open_items = tuple(item for item in items if item.state != "done")
        return _Checked(_facts(row, frame), open_items, template, source, bool(question.workspace_path))

    def _publish(self, benchmark_id: int, index: _Indexed, *, complete: bool) -> None:
        with self._lock:
            index.report = _put_together(index, complete=complete and not index.queued)
        self.changed.emit(benchmark_id)


def _facts(row: QuestionSummary, frame: _Frame) -> tuple[Any, ...]:
    return row, frame.comments.get(row.number, 0), frame.trusted, frame.root, tuple(frame.taken)


def _is_outdated(earlier: _Checked | None, seen: tuple[Any, ...]) -> bool:
    # Folders come and go unnoticed, and looking at one costs little.
    return earlier is None or earlier.has_files or earlier.seen != seen


def _review_items(row: QuestionSummary) -> Iterator[CheckItem]:
    if row.returned_at:
        yield CheckItem("advice", "Returned to its author.", "review")
    if row.changed_since_review:
        yield CheckItem("advice", "Changed since it was finished. Review it again.", "review")


def _put_together(index: _Indexed, *, complete: bool) -> ProblemReport:
    problems = [BenchmarkProblem(None, 0, "", item) for item in index.own]
    for position, (number, row) in enumerate(index.rows.items(), start=1):
        if (checked := index.checked.get(number)) is not None:
            problems += [BenchmarkProblem(number, position, row.text, item) for item in checked.items]
    problems.sort(key=lambda problem: problem.order)
    return ProblemReport(problems, len(index.checked), len(index.rows), complete)
