"""Builds the example that ships, its questions and its recorded exchanges:  python -m tests.example.build"""

from __future__ import annotations

from pathlib import Path

from karenina_gui import Benchmark, VerificationConfig
from karenina_gui.adapters.open import Adapters
from karenina_gui.adapters.recording import Recorder
from karenina_gui.example import BENCHMARK, RECORDING, run_configuration
from karenina_gui.formats.checkpoint import save_checkpoint
from karenina_gui.runs.verification import RunRequest, open_tools, run_jobs
from karenina_gui.sandbox import Sandbox
from tests.example import questions, sample_models

LABEL = "sample recording"
WRITTEN = "2026-11-21T12:00:00"
"""One date for everything, so that building twice gives the same file."""


def build(checkpoint: Path, recording: Path) -> None:
    """Writes both files."""
    benchmark = example_benchmark()
    save_checkpoint(benchmark.document, checkpoint)
    record(benchmark, recording)


def example_benchmark() -> Benchmark:
    benchmark = Benchmark.create(questions.NAME, questions.DESCRIPTION, creator="karenina_gui contributors")
    benchmark.document.date_created = benchmark.document.date_modified = WRITTEN
    dates = {"date_created": WRITTEN, "date_modified": WRITTEN}
    for question in questions.questions().values():
        benchmark.add_question(question.model_copy(update=dates))
    benchmark.add_question(questions.unfinished().model_copy(update=dates), finished=False)
    benchmark.set_global_rubric(questions.global_rubric())
    return benchmark


def record(benchmark: Benchmark, path: Path) -> None:
    """Records every run that the example can be asked for: with and without checks, once and repeated."""
    sample_models.register({question.id: name for name, question in questions.questions().items()})
    path.unlink(missing_ok=True)
    recorder = Recorder(path, label=LABEL)
    ids = [entry.id for entry in benchmark.document.entries if entry.finished]
    with Adapters(recorder=recorder) as adapters, Sandbox() as sandbox:
        for config in variants():
            run_jobs(RunRequest(benchmark.document, config, ids, trusted=True), open_tools(adapters, sandbox, config))


def variants() -> list[VerificationConfig]:
    whole = run_configuration(sample_models.INTERFACE)
    return [
        whole.model_copy(update={"replicate_count": count, "abstention_enabled": check, "sufficiency_enabled": check})
        for count in (1, 3)
        for check in (True, False)
    ]


if __name__ == "__main__":
    build(BENCHMARK, RECORDING)
    print(f"Wrote {BENCHMARK.name} and {RECORDING.name}.")
