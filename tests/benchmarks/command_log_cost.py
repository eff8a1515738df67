"""Cost of the command log: `python tests/benchmarks/command_log_cost.py [ROUNDS]`.

Edits one question, marks 10,000 questions as finished, deletes and imports them; in turn in a library that logs
commands and in one whose triggers are dropped. Shows processor time, the ratio of both, undo, and the size of the log.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry  # noqa: E402
from karenina_gui.schemas.question import Question  # noqa: E402
from karenina_gui.store import capture, database  # noqa: E402
from karenina_gui.store.library import FILE_NAME, Library  # noqa: E402

QUESTIONS, EDITS = 10_000, 100
TEMPLATE = "class Answer(BaseAnswer):\n" + "    x: int = VerifiedField(description='a number', ground_truth=1)\n" * 30
Figures = dict[str, list[float]]


def main(rounds: int) -> None:
    logged: Figures = defaultdict(list)
    bare: Figures = defaultdict(list)
    for number in range(rounds):
        for figures, logs in ((logged, True), (bare, False)) if number % 2 else ((bare, False), (logged, True)):
            with tempfile.TemporaryDirectory() as folder:
                measure(Path(folder), figures, logs=logs)
    for what in logged:
        line = f"{what:24} {median(logged[what]):9.1f}"
        if what in bare:
            before = median(bare[what])
            line += f"   without log {before:9.1f}   ×{median(logged[what]) / before:.2f}"
        print(line)


def measure(folder: Path, figures: Figures, *, logs: bool) -> None:
    prepare = database.prepare_capture
    if not logs:
        database.prepare_capture = without_triggers
    try:
        with Library.open(folder) as library:
            entries = [entry(number) for number in range(QUESTIONS)]
            document = BenchmarkDocument(name="b", entries=entries)
            benchmark = timed(figures, "import, ms", library.benchmarks.create, document)
            numbers = [row.number for row in library.questions.summaries(benchmark)]
            started = time.process_time()
            for number in numbers[:EDITS]:
                library.questions.update(benchmark, number, {"answer_template": TEMPLATE + "# edited"})
            figures["one edit, ms"].append((time.process_time() - started) * 1000 / EDITS)
            timed(figures, "finish all, ms", library.questions.set_finished, benchmark, numbers, True)
            timed(figures, "delete all, ms", library.questions.delete, benchmark, numbers)
            if logs:
                for what in ("undo of delete, ms", "undo of finish, ms"):
                    command = library.commands.next_undo(f"benchmark/{benchmark}", "")
                    assert command is not None
                    timed(figures, what, library.commands.undo, command.id)
        figures["file, MB"].append((folder / FILE_NAME).stat().st_size / 1e6)
    finally:
        database.prepare_capture = prepare


def timed(figures: Figures, what: str, command: Callable[..., Any], *values: Any) -> Any:
    started = time.process_time()
    outcome = command(*values)
    figures[what].append((time.process_time() - started) * 1000)
    return outcome


def entry(number: int) -> BenchmarkEntry:
    question = Question(question=f"Question {number}?", raw_answer="42 " * 20, answer_template=f"{TEMPLATE}# {number}")
    return BenchmarkEntry(question=question, finished=False)


def without_triggers(connection: Any) -> None:
    capture.prepare_capture(connection)
    for table in capture.LOGGED:
        for operation in ("insert", "update", "delete"):
            connection.execute(f"DROP TRIGGER temp.captured_{table}_{operation}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
