"""Speed of *Test all templates*: `python tests/benchmarks/template_tests_at_scale.py [QUESTIONS] [ROUNDS]`.

Tests templates that are data, with four sample answers each: all at once with a second process, as the application
does; all at once in one process, and of this time the benches alone, that is, samples and wrong values without the
check of the template and storage; one question at a time; and the sample answers alone, with templates that must be
read. All in turns, and the second process is started anew each time. Shows questions and trials per second, and the
ratios. A trial is one answer, a sample or made up, that a template judges.
"""

from __future__ import annotations

import gc
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from karenina_gui.app import Application, build  # noqa: E402
from karenina_gui.authoring import benchmark_editor, many_benches  # noqa: E402
from karenina_gui.authoring.bench import SamplePlan  # noqa: E402
from karenina_gui.authoring.mutations import plan_mutations  # noqa: E402
from karenina_gui.gui.shell.serving import ALLOCATIONS  # noqa: E402
from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry  # noqa: E402
from karenina_gui.schemas.question import Question  # noqa: E402
from karenina_gui.schemas.sample_answer import SampleAnswer, sample_answers, with_samples  # noqa: E402
from karenina_gui.schemas.template import TemplateOutline  # noqa: E402
from karenina_gui.settings import Settings  # noqa: E402

TEMPLATE = '''class Answer(BaseAnswer):
    """The dose of the trial."""

    drug: str = VerifiedField(
        description="Name of the drug, as the answer gives it.",
        ground_truth="compound {number}",
        verify_with=ExactMatch(),
    )
    dose: float = VerifiedField(
        description="Dose in mg.", ground_truth={number}.5, verify_with=NumericTolerance(tolerance=0.1)
    )
'''
BY_HAND = 200
"""Questions that are tested one by one for the comparison."""

UNPARSED = 2_000
"""Questions whose sample answers alone are run: more than the sandbox keeps parsed."""


def main(questions: int, rounds: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        application = build(Settings(data=Path(folder)))
        try:
            editor, library = application.editor, application.library
            document = BenchmarkDocument(name="doses", entries=[entry(number) for number in range(questions)])
            benchmark = library.benchmarks.create(document)
            every = [row.number for row in library.questions.summaries(benchmark)]
            numbers = every[:BY_HAND]
            unparsed = [each.question for each in library.questions.entries(benchmark, every[:UNPARSED]).values()]
            question = library.questions.entry(benchmark, numbers[0]).question
            outline = editor.templates(benchmark).check(question.answer_template or "")
            samples = len(SamplePlan(outline, sample_answers(question)).answers)
            trials = samples + len(plan_mutations(outline).answers)
            together, apart, single, alone = [], [], [], []
            benches: list[float] = []
            gc.freeze()  # as the served application does
            gc.set_threshold(ALLOCATIONS)
            for _ in range(rounds):
                together.append(seconds(lambda: editor.check_all(benchmark, again=True)) / questions)
                with one_process() as spent:
                    apart.append(seconds(lambda: editor.check_all(benchmark, again=True)) / questions)
                benches.append(sum(spent) / len(spent))
                alone.append(seconds(lambda: run_all_samples(application, unparsed, outline)) / len(unparsed))
                single.append(seconds(lambda: [editor.check_question(benchmark, n) for n in numbers]) / len(numbers))
        finally:
            application.close()
    rate = 1 / median(together)
    print(f"all at once      {rate:8.0f} questions/s   {rate * samples:8.0f} samples/s   {rate * trials:8.0f} trials/s")
    for name, times in (
        ("in one process", apart),
        ("one by one", single),
        ("benches alone", benches),
        ("samples alone", alone),
    ):
        print(f"{name:16} {1 / median(times):8.0f} questions/s   ×{median(times) / median(together):.1f} the time")


@contextmanager
def one_process() -> Iterator[list[float]]:
    """Test without a second process; gives the seconds of each bench."""
    usual, bench, spent = benchmark_editor.WORTH_A_PROCESS, many_benches.run_bench, []

    def timed_bench(*given: Any) -> Any:
        started = time.perf_counter()
        try:
            return bench(*given)
        finally:
            spent.append(time.perf_counter() - started)

    benchmark_editor.WORTH_A_PROCESS, many_benches.run_bench = sys.maxsize, timed_bench
    try:
        yield spent
    finally:
        benchmark_editor.WORTH_A_PROCESS, many_benches.run_bench = usual, bench


def run_all_samples(application: Application, questions: Sequence[Question], outline: TemplateOutline) -> None:
    for question in questions:
        answers = SamplePlan(outline, sample_answers(question)).answers
        brief = [answer.model_copy(update={"brief": True}) for answer in answers]
        application.sandbox.verify(question.answer_template or "", brief)


def entry(number: int) -> BenchmarkEntry:
    values = {"drug": f"compound {number}", "dose": number + 0.5}
    samples = [
        SampleAnswer(kind="correct", text=f"{number}.5 mg of compound {number}", values=values),
        SampleAnswer(kind="wrong", text="2 g of aspirin", passes=False, values={"drug": "aspirin", "dose": 2000.0}),
        SampleAnswer(kind="partial", text=f"compound {number}", passes=False, values={**values, "dose": None}),
        SampleAnswer(kind="refusal", text="I cannot say.", passes=False, values={"drug": None, "dose": None}),
    ]
    question = Question(
        question=f"Which drug, and how much of it, did trial {number} give?",
        raw_answer=f"{number}.5 mg of compound {number}",
        answer_template=TEMPLATE.replace("{number}", str(number)),
        custom_metadata=with_samples(None, samples),
    )
    return BenchmarkEntry(question=question, finished=False)


def seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000, int(sys.argv[2]) if len(sys.argv) > 2 else 3)
