"""Does a long run slow down or grow? `python tests/benchmarks/many_jobs.py [JOBS]` (default: 100,000).

A thousand questions with a template each and recorded answers, in replicates, run and stored as the application does
it. Prints, for each tenth of the run: jobs per second, their ratio to the first tenth's, processor time for a job, and
the memory of the process with its growth since the first tenth.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from karenina_gui.app import Application, build  # noqa: E402
from karenina_gui.runs.service import RunOrder  # noqa: E402
from karenina_gui.schemas.model_config import ModelConfig  # noqa: E402
from karenina_gui.schemas.verification_config import VerificationConfig  # noqa: E402
from karenina_gui.settings import Settings  # noqa: E402

QUESTIONS = 1000
PARTS = 10
TEMPLATE = """
class Answer(BaseAnswer):
    def ground_truth(self):
        self.regex = {{"dose": {{"pattern": "[0-9]+ mg", "expected": "{number} mg", "match_type": "exact"}}}}
"""


def main() -> None:
    jobs = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as folder:
        application = build(Settings(data=Path(folder)))
        try:
            measure(application, jobs)
        finally:
            application.close()


def measure(application: Application, jobs: int) -> None:
    editor, runs = application.editor, application.runs
    benchmark = editor.create_benchmark("measured")
    traces = {}
    for number in range(QUESTIONS):
        question = editor.add_question(benchmark, f"Which dose is given in case {number}?", f"{number} mg")
        changes = {"answer_template": TEMPLATE.format(number=number), "finished": True}
        editor.edit(benchmark, question.summary.number, changes)
        traces[question.entry.id] = f"In this case {number} mg are given."
    model = ModelConfig(id="recorded", interface="manual", manual_traces=traces)
    config = VerificationConfig(answering_models=[model], replicate_count=jobs // QUESTIONS)
    started = time.perf_counter()
    run = runs.start(RunOrder(benchmark, config))
    print(f"started after {time.perf_counter() - started:.1f} s")
    print(f"{'jobs':>8}{'per second':>12}{'ratio':>7}{'CPU ms':>8}{'MB':>7}{'grown':>7}")
    marks = [(0, time.perf_counter(), time.process_time(), 0.0)]
    rates: list[float] = []
    while len(marks) <= PARTS:
        over = runs.wait(run, 0.2)
        done = sum(runs.library.runs.summary(run).outcomes.values())
        if over or done >= len(marks) * jobs // PARTS:
            before, mark = marks[-1], (done, time.perf_counter(), time.process_time(), memory())
            if mark[0] > before[0]:
                rates.append((mark[0] - before[0]) / (mark[1] - before[1]))
                cpu = (mark[2] - before[2]) / (mark[0] - before[0]) * 1000
                grown = mark[3] - (marks[1][3] if len(marks) > 1 else mark[3])
                print(f"{done:>8}{rates[-1]:>12.0f}{rates[-1] / rates[0]:>7.2f}{cpu:>8.2f}{mark[3]:>7.0f}{grown:>7.0f}")
            marks.append(mark)
        if over:
            break
    print(f"threads at the end: {threading.active_count()}")


def memory() -> float:
    pages = int(Path(f"/proc/{os.getpid()}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


if __name__ == "__main__":
    main()
