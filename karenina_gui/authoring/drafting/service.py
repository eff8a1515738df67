"""Drafts in the background: batches of questions, their progress, and what the author makes of the proposals.

A draft never changes a question by itself.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

from karenina_gui.adapters.ports import Cancelled, LLMPort, LLMRequest
from karenina_gui.authoring.benchmark_editor import BenchmarkEditor
from karenina_gui.authoring.drafting.drafter import DraftTask, draft, template_task, trait_task
from karenina_gui.authoring.drafting.prompts import about_benchmark, about_question
from karenina_gui.errors import InputError, NotFoundError, PortError, RunCancelled
from karenina_gui.events import Signal
from karenina_gui.schemas.edits import Saved
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.model_draft import DraftKind, Proposal, ProposalState
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.rubric import Rubric
from karenina_gui.store.proposals import DraftOrigin

log = logging.getLogger(__name__)

CONCURRENT = 4
"""Drafts that are written at the same time."""
QUESTIONS_SHOWN = 20
"""Questions of a benchmark that a model reads before it suggests traits."""


class DraftCalls(Protocol):
    """Models of one batch, with limits, retries, and cancellation built in."""

    def llm(self, model: ModelConfig) -> LLMPort: ...

    def recording_label(self, model: ModelConfig) -> str | None: ...

    def end_calls(self) -> None: ...


OpenCalls = Callable[[Cancelled], AbstractContextManager[DraftCalls]]


@dataclass(frozen=True)
class DraftOrder:
    """Drafts as ordered by an author."""

    benchmark_id: int
    kind: DraftKind
    numbers: tuple[int | None, ...]
    """Numbers of the questions; None among them: the benchmark, for traits."""
    model: ModelConfig
    instructions: str


@dataclass(frozen=True)
class DraftProgress:
    """Progress of the drafts of a benchmark."""

    total: int
    done: int
    faulty: int
    """Drafts with a fault among those that are done."""
    running: bool
    message: str = ""
    """Reason for an early end; empty if the batch ended normally."""


@dataclass
class _Batch:
    order: DraftOrder
    cancelled: threading.Event = field(default_factory=threading.Event)
    waiting: set[int | None] = field(default_factory=set)
    faulty: int = 0
    message: str = ""
    thread: threading.Thread | None = None
    end_calls: Callable[[], None] | None = None

    @property
    def done(self) -> int:
        return len(self.order.numbers) - len(self.waiting)


class Drafting:
    """Starts, stops, and settles drafts. Thread-safe. Batches do not depend on any window."""

    def __init__(self, editor: BenchmarkEditor, open_calls: OpenCalls) -> None:
        self._editor = editor
        self._library = editor.library
        self._open_calls = open_calls
        self._lock = threading.Lock()
        self._batches: list[_Batch] = []
        self.changed: Signal[[int]] = Signal()
        """Drafts of the benchmark of this id progressed, ended, or were settled. Emitted on any thread."""

    # Batches

    def start(self, order: DraftOrder) -> None:
        """Draft in the background. Raises `InputError` if there is nothing to do, or one of them is being drafted."""
        if not order.numbers:
            raise InputError("Select at least one question.")
        if not order.instructions.strip():
            raise InputError("Write instructions for the model, or reset them to the default.")
        batch = _Batch(order, waiting=set(order.numbers))
        with self._lock:
            if self._numbers_in_work(order.benchmark_id, order.kind) & batch.waiting:
                raise InputError("A model is drafting this already. Wait for it, or stop it.")
            ended = [
                batch for batch in self._batches if batch.order.benchmark_id == order.benchmark_id and not batch.thread
            ]
            self._batches = [batch for batch in self._batches if batch not in ended] + [batch]
            batch.thread = threading.Thread(target=self._work, args=(batch,), name="drafts", daemon=True)
        batch.thread.start()
        self.changed.emit(order.benchmark_id)

    def cancel(self, benchmark_id: int) -> None:
        """Stop all drafts of a benchmark. Those that are written stay."""
        with self._lock:
            batches = [batch for batch in self._batches_of(benchmark_id) if batch.thread is not None]
        for batch in batches:
            batch.message = "Stopped by you."
            self._stop(batch)

    def progress(self, benchmark_id: int, kind: DraftKind) -> DraftProgress | None:
        """Progress of the running drafts of a benchmark, or of the last ones; None: none since the start."""
        with self._lock:
            batches = [batch for batch in self._batches_of(benchmark_id) if batch.order.kind == kind]
            return _sum(batches) if batches else None

    def is_drafting(self, benchmark_id: int, number: int | None, kind: DraftKind) -> bool:
        """True if a model is asked, or will be, for a draft about this question."""
        with self._lock:
            return number in self._numbers_in_work(benchmark_id, kind)

    def close(self) -> None:
        """Stop all drafts and wait for them."""
        self.changed.clear()
        with self._lock:
            threads = [(batch, batch.thread) for batch in self._batches if batch.thread]
        for batch, _ in threads:
            self._stop(batch)
        for _, thread in threads:
            thread.join()

    # Proposals

    def accept(self, proposal_id: int, *, to_edit: bool = False) -> Saved:
        """Make a drafted template the question's own, as an ordinary edit.

        `to_edit`: also one with a fault, which the author corrects. Raises `InputError`.
        """
        proposal = self._library.proposals.get(proposal_id)
        if proposal.number is None or not proposal.draft.last.source:
            raise InputError("This draft has no template.")
        if proposal.draft.fault is not None and not to_edit:
            raise InputError("Only a template without a problem can be accepted. Edit it instead.")
        changes = {"answer_template": proposal.draft.last.source}
        saved = self._editor.edit(proposal.benchmark_id, proposal.number, changes)
        assert isinstance(saved, Saved)
        self.settle(proposal_id, "accepted")
        return saved

    def settle(self, proposal_id: int, state: ProposalState) -> Proposal:
        """Mark a proposal as accepted or refused, or open it again. Raises `NotFoundError`."""
        proposal = self._library.proposals.set_state(proposal_id, state)
        self.changed.emit(proposal.benchmark_id)
        return proposal

    # Prompts

    def subject(self, kind: DraftKind, benchmark_id: int, number: int | None) -> str:
        """User message of a draft. Raises `NotFoundError`."""
        if kind == "template":
            assert number is not None
            return about_question(self._question(benchmark_id, number))
        frame = self._library.benchmarks.frame(benchmark_id)
        if number is None:
            rows = self._library.questions.summaries(benchmark_id)[:QUESTIONS_SHOWN]
            questions = [row.text for row in rows]
        else:
            questions = [self._question(benchmark_id, number).question]
        return about_benchmark(frame.name, frame.description, questions, self._taken_names(benchmark_id, number))

    def is_outdated(self, proposal: Proposal) -> bool:
        """True if what the model was shown was edited since. Raises `NotFoundError`."""
        return proposal.subject != self.subject(proposal.kind, proposal.benchmark_id, proposal.number)

    def first_request(self, order: DraftOrder) -> LLMRequest:
        """The first request of these drafts. Raises `NotFoundError`."""
        return self._task(order, order.numbers[0]).first_request

    def _question(self, benchmark_id: int, number: int) -> Question:
        return self._library.questions.entry(benchmark_id, number).question

    def _taken_names(self, benchmark_id: int, number: int | None) -> list[str]:
        """Names of the traits that a suggestion must not repeat."""
        rubrics = [self._library.benchmarks.frame(benchmark_id).rubric]
        if number is not None and (own := self._question(benchmark_id, number).question_rubric):
            rubrics.append(Rubric.model_validate(own))
        return [trait.name for rubric in rubrics if rubric is not None for trait in rubric.traits]

    # On the threads of a batch

    def _work(self, batch: _Batch) -> None:
        try:
            with self._open_calls(batch.cancelled.is_set) as calls:
                batch.end_calls = calls.end_calls
                self._draft_all(batch, calls)
        except (InputError, PortError) as error:
            batch.message = str(error)
        except Exception:
            log.exception("Drafts of benchmark %s ended early", batch.order.benchmark_id)
            batch.message = (
                "Drafting stopped because of an internal error. Details are in the terminal in which the application "
                "was started."
            )
        finally:
            with self._lock:
                batch.thread = None
                batch.end_calls = None
            self.changed.emit(batch.order.benchmark_id)

    def _draft_all(self, batch: _Batch, calls: DraftCalls) -> None:
        llm, label = calls.llm(batch.order.model), calls.recording_label(batch.order.model)
        with ThreadPoolExecutor(CONCURRENT, "draft") as threads:
            futures = [threads.submit(self._draft_one, batch, number, llm, label) for number in batch.order.numbers]
        for future in futures:
            future.result()

    def _draft_one(self, batch: _Batch, number: int | None, llm: LLMPort, label: str | None) -> None:
        order = batch.order
        if batch.cancelled.is_set():
            return
        try:
            task = self._task(order, number)
            written = draft(task, llm)
            model = f"{order.model.interface}:{order.model.model_name}"
            origin = DraftOrigin(order.benchmark_id, number, order.kind, model, order.instructions, task.subject, label)
            self._library.proposals.add(origin, written)
        except RunCancelled:
            return
        except NotFoundError:  # the question was deleted meanwhile
            pass
        else:
            batch.faulty += written.fault is not None
        with self._lock:
            batch.waiting.discard(number)
        self.changed.emit(order.benchmark_id)

    def _task(self, order: DraftOrder, number: int | None) -> DraftTask:
        if order.kind == "template":
            assert number is not None
            playground = self._editor.templates(order.benchmark_id)
            return template_task(self._question(order.benchmark_id, number), order.instructions, playground)
        taken = {name.lower() for name in self._taken_names(order.benchmark_id, number)}
        return trait_task(self.subject(order.kind, order.benchmark_id, number), order.instructions, taken)

    def _numbers_in_work(self, benchmark_id: int, kind: DraftKind) -> set[int | None]:
        batches = [batch for batch in self._batches_of(benchmark_id) if batch.thread is not None]
        return {number for batch in batches if batch.order.kind == kind for number in batch.waiting}

    def _batches_of(self, benchmark_id: int) -> list[_Batch]:
        return [batch for batch in self._batches if batch.order.benchmark_id == benchmark_id]

    def _stop(self, batch: _Batch) -> None:
        batch.cancelled.set()
        if (end_calls := batch.end_calls) is not None:
            end_calls()


def _sum(batches: Sequence[_Batch]) -> DraftProgress:
    messages = [batch.message for batch in batches if batch.message]
    return DraftProgress(
        total=sum(len(batch.order.numbers) for batch in batches),
        done=sum(batch.done for batch in batches),
        faulty=sum(batch.faulty for batch in batches),
        running=any(batch.thread is not None for batch in batches),
        message=messages[-1] if messages else "",
    )
