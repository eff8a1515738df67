"""A run that is going: what works on it, how far it is, and whether somebody wants it to end."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from functools import cached_property

from karenina_gui.adapters.outages import Outages
from karenina_gui.adapters.recording import Recorder
from karenina_gui.runs.progress import ProgressBoard
from karenina_gui.runs.resumption import UnfinishedRun
from karenina_gui.runs.verification import RunRequest

BENCHMARK_DELETED = "Cancelled because its benchmark was deleted."


@dataclass
class ActiveRun:
    benchmark_id: int
    request: RunRequest
    recorder: Recorder | None
    board: ProgressBoard
    resumed: UnfinishedRun | None = None
    """As it was when it was taken up again; None: it is begun here."""
    cancelled: threading.Event = field(default_factory=threading.Event)
    why_cancelled: str = ""
    closing: bool = False
    outages: Outages = field(default_factory=Outages)
    """Models that the run waits for, without end: whoever looks at it can act, or cancel it."""
    thread: threading.Thread | None = None

    @cached_property
    def question_texts(self) -> dict[str, str]:
        return {key: question.question for key, question in self.request.questions.items()}

    def cancel(self, why: str) -> None:
        """The first reason counts."""
        self.why_cancelled = self.why_cancelled or why
        self.cancelled.set()
        self.board.cancelling()

    def goes_on_for(self, benchmark_id: int) -> bool:
        return self.benchmark_id == benchmark_id and not self.cancelled.is_set()
