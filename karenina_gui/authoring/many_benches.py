"""Test benches of many templates at once, on two processors where the computer has them.

A test takes more than half a millisecond of Python, and two threads of one process would take turns. A second process
tests every other batch. It runs nothing of an author's: templates that need a sandbox are left to this process.
"""

from __future__ import annotations

import gc
import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Self, TypeVar

from karenina_gui.authoring.bench import run_bench
from karenina_gui.authoring.template_playground import TemplatePlayground
from karenina_gui.formats.checkpoints.questions import template_in
from karenina_gui.python_process import PythonProcess, answer_requests
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.benchmark import BenchmarkEntry
from karenina_gui.schemas.default_template import is_default_template
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.sample_answer import TemplateTest
from karenina_gui.schemas.template import TemplateOutline

WORTH_A_PROCESS = 2_000
"""Number of templates from which a second process saves more time than its start takes, a quarter of a second."""
AHEAD = 3
"""Batches of the second process at a time: while it tests one, the next is read, and the last is stored."""
ALLOCATIONS = 20_000
"""Number of new objects after which the second process collects garbage; at Python's default of 700, collections take a
twelfth of its time."""
PATIENCE = 120.0
"""Seconds in which a batch must be tested; a process that takes longer is not asked again."""

Batch = TypeVar("Batch")


@dataclass(frozen=True)
class BenchTask:
    """A question whose template is to be tested."""

    question: Question
    from_file: bool
    """True if the template is unchanged since it was read from a file, see `TemplatePlayground.check`."""


def bench_task(entry: BenchmarkEntry) -> BenchTask | None:
    """Task for a question as it was read; None: it has no template."""
    source = entry.question.answer_template
    # The template that every new question gets checks nothing, so it counts as none.
    if is_default_template(source):
        return None
    return BenchTask(entry.question, source == template_in(entry.source))


def check_template(playground: TemplatePlayground, task: BenchTask) -> TemplateOutline:
    """Check the template of a question."""
    return playground.check(task.question.answer_template or "", from_file=task.from_file)


def check_and_test(playground: TemplatePlayground, task: BenchTask) -> tuple[TemplateOutline, TemplateTest]:
    """Check the template of a question, and test it on its samples and on wrong values."""
    outline = check_template(playground, task)
    return outline, run_bench(playground, task.question, outline)


def run_benches(
    playground: TemplatePlayground, tasks: Sequence[BenchTask], *, data_only: bool = False
) -> list[TemplateTest | None]:
    """Check and test one template per task, in order.

    `data_only`: leave out those that need a sandbox; their tests are None.
    """
    # One step at a time for all that are data: the code of a step then stays in the cache of the processor, which saves
    # a sixth of the time. A sandboxed template is tested while the process that checked it is still there.
    data = [playground.needs_no_process(task.question.answer_template or "") for task in tasks]
    outlines = [check_template(playground, task) if each else None for task, each in zip(tasks, data, strict=True)]
    tests: list[TemplateTest | None] = []
    for task, outline in zip(tasks, outlines, strict=True):
        if outline is not None:
            tests.append(run_bench(playground, task.question, outline))
        else:
            tests.append(None if data_only else check_and_test(playground, task)[1])
    return tests


@dataclass
class SecondProcess:
    """Tests templates in another process; use it as a context manager. Thread-safe: one batch at a time."""

    _process: PythonProcess = field(default_factory=lambda: PythonProcess(f"{__name__}:serve"))
    _failed: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.end()

    def test(self, tasks: Sequence[BenchTask]) -> list[TemplateTest | None]:
        """Test one template per task, in order. None: this process has to test it."""
        with self._lock:
            if not self._failed:
                try:
                    tests: list[TemplateTest | None] = self._process.ask(list(tasks), PATIENCE)
                    return tests
                except (OSError, EOFError):  # a timeout is an `OSError`
                    self._failed = True
        return [None] * len(tasks)


def serve() -> None:
    """Test batches until the pipe closes."""
    gc.freeze()
    gc.set_threshold(ALLOCATIONS)
    with Sandbox() as sandbox:
        answer_requests(partial(run_benches, TemplatePlayground(sandbox), data_only=True))


def in_turns(
    batches: Sequence[Batch], here: Callable[[Batch], int], there: Callable[[Batch], int] | None = None
) -> int:
    """Count over all batches. Each goes to whichever function is free; `there` has `AHEAD` threads of its own.

    `there` None: `here` takes all.
    """
    left = deque(batches)

    def count_until_empty(work: Callable[[Batch], int]) -> int:
        found = 0
        while left:
            try:
                batch = left.popleft()
            except IndexError:  # the other thread took the last one
                break
            found += work(batch)
        return found

    if there is None:
        return count_until_empty(here)
    with ThreadPoolExecutor(AHEAD) as threads:
        others = [threads.submit(count_until_empty, there) for _ in range(AHEAD)]
        return count_until_empty(here) + sum(other.result() for other in others)


def processors() -> int:
    """Number of processors that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)  # where the system has it
    return len(affinity(0)) if affinity else os.cpu_count() or 1
