"""Cost of comparing and merging 10,000 questions: `python tests/benchmarks/comparison_at_scale.py [QUESTIONS]`.

Processor time of each step as a multiple of loading the benchmark from the library, since each comparison loads it.
A tenth of the questions is edited, a hundredth is deleted, and another hundredth has a corrected text with a new id.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from karenina_gui.app import Application, build  # noqa: E402
from karenina_gui.authoring.comparison.differences import compare  # noqa: E402
from karenina_gui.authoring.comparison.merging import everything  # noqa: E402
from karenina_gui.formats.checkpoints.checkpoint import load_checkpoint, save_checkpoint  # noqa: E402
from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry  # noqa: E402
from karenina_gui.schemas.question import Question, question_fingerprint  # noqa: E402
from karenina_gui.settings import Settings  # noqa: E402

T = TypeVar("T")
TEMPLATE = """class Answer(BaseAnswer):
    dose_mg: float = VerifiedField(
        description="The dose in milligrams.", ground_truth={dose}, verify_with=NumericTolerance(tolerance=1)
    )
"""


def main(questions: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        application = build(Settings(data=Path(folder) / "data"))
        try:
            measure(application, Path(folder), questions)
        finally:
            application.close()


def measure(application: Application, folder: Path, questions: int) -> None:
    editor = application.editor
    benchmark = editor.files.add_benchmark(
        BenchmarkDocument(name="Doses", entries=[entry(n) for n in range(questions)])
    )
    path = editor.files.export_benchmark(benchmark, folder / "doses.jsonld")
    save_checkpoint(edited(load_checkpoint(path)), path)
    here, loading = timed(lambda: editor.library.benchmarks.document(benchmark))
    there = load_checkpoint(path)
    print(f"{questions:,} questions; loading the benchmark: {loading:.2f} s of processor time")
    report("compare two versions in memory", timed(lambda: compare(here, there))[1], loading)
    report("compare three versions in memory", timed(lambda: compare(here, there, here))[1], loading)
    address, reading = timed(lambda: editor.comparisons.add_file(path))
    report("read the file", reading, loading)
    found, opening = timed(lambda: editor.comparisons.open(benchmark, address))
    report("open the comparison with a common ancestor", opening, loading)
    report("compare again after an edit", timed(lambda: editor.comparisons.again(found))[1], loading)
    counts = ", ".join(f"{count:,} {kind}" for kind, count in found.differences.counts.items())
    _, taking = timed(lambda: editor.comparisons.apply(found, everything(found.differences)))
    report(f"apply all differences ({counts})", taking, loading)
    report("publish a version", timed(lambda: editor.publishing.publish(benchmark))[1], loading)
    editor.links.write(benchmark, str(folder / "linked.jsonld"))
    save_checkpoint(here, folder / "linked.jsonld")
    report("look at the changed linked file", timed(lambda: editor.links.look(benchmark))[1], loading)


def entry(number: int) -> BenchmarkEntry:
    text = f"Question {number}: which loading dose reaches {number % 97} mg/L in a volume of {number} L?"
    template = TEMPLATE.replace("{dose}", str(number))
    return BenchmarkEntry(question=Question(question=text, raw_answer=f"{number} mg", answer_template=template))


def edited(document: BenchmarkDocument) -> BenchmarkDocument:
    kept = [each for number, each in enumerate(document.entries) if number % 100 != 7]
    for number, each in enumerate(kept):
        if number % 10 == 0:
            each.question.keywords = ["edited"]
        if number % 100 == 5:
            each.question.question = f"{each.question.question} Answer in mg."
            each.question.id = question_fingerprint(each.question.question)
    return document.model_copy(update={"entries": kept})


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """Outcome and seconds of processor time, also of other threads."""
    started = time.process_time()
    return work(), time.process_time() - started


def report(title: str, seconds: float, loading: float) -> None:
    print(f"{title:<75} {seconds:6.2f} s   {seconds / loading:5.1f} × loading")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
