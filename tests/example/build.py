"""Builds the example that ships, its questions and its recorded exchanges:  python -m tests.example.build"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Collection, Sequence
from pathlib import Path

from karenina_gui import Benchmark, VerificationConfig
from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.recording import Recorder
from karenina_gui.example import BENCHMARK, RECORDING, agents, run_configuration
from karenina_gui.formats.checkpoints.checkpoint import save_checkpoint
from karenina_gui.runs.executor import open_tools
from karenina_gui.runs.request import RunRequest
from karenina_gui.runs.result_collection import collect_results
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.benchmark_summaries import LocalBenchmarkState
from tests.example import agent_task, calibration, drafts, questions, sample_agents, sample_models
from tests.example.samples import sampled

LABEL = "sample recording"
WRITTEN = "2026-11-21T12:00:00"
"""One date for everything, so that building twice gives the same file."""
AGENTS_WRITTEN = "2026-11-22T12:00:00"
"""Another for the other example: the ID of a file is made of it."""
DATES = {"date_created": WRITTEN, "date_modified": WRITTEN}


def build(checkpoint: Path, recording: Path, sandbox: Sandbox) -> None:
    """Writes both files of the first example."""
    save_checkpoint(example_benchmark().document, checkpoint)
    record_example(recording, sandbox)


def record_example(recording: Path, sandbox: Sandbox, only: Collection[str] | None = None) -> None:
    """Records the first example; `only`: these questions, by their short names; None: all."""
    names = {question.id: name for name, question in questions.questions().items()}
    sample_models.register(names)
    benchmark = example_benchmark()
    ids = [question_id for question_id, name in names.items() if only is None or name in only]
    record(benchmark, variants(), recording, sandbox, ids)
    with AdapterFactory(recorder=Recorder(recording)) as adapters:
        drafts.record_drafts(adapters, sample_models.INTERFACE, sandbox)
        calibration.record_judgments(adapters, sample_models.INTERFACE, sandbox, only)
    one_a_line(recording)


def build_agents(checkpoint: Path, recording: Path, sandbox: Sandbox) -> None:
    """Writes both files of the example of an agent task."""
    benchmark = agents_benchmark()
    save_checkpoint(benchmark.document, checkpoint)
    sample_agents.register()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(shutil.copytree(agents.WORKSPACES, Path(folder) / "workspaces"))
        ids = [entry.id for entry in benchmark.document.entries]
        record(benchmark, agent_variants(), recording, sandbox, ids, root)


def example_benchmark() -> Benchmark:
    benchmark = _begun(questions.NAME, questions.DESCRIPTION)
    for name, question in questions.questions().items():
        benchmark.add_question(sampled(name, question).model_copy(update=DATES))
    benchmark.add_question(questions.unfinished().model_copy(update=DATES), finished=False)
    benchmark.set_global_rubric(questions.global_rubric())
    return benchmark


def agents_benchmark() -> Benchmark:
    benchmark = _begun(agent_task.NAME, agent_task.DESCRIPTION, AGENTS_WRITTEN)
    benchmark.add_question(sampled("agents", agent_task.question()).model_copy(update=DATES))
    benchmark.set_global_rubric(agent_task.rubric())
    return benchmark


def record(
    benchmark: Benchmark,
    configurations: Sequence[VerificationConfig],
    path: Path,
    sandbox: Sandbox,
    ids: Sequence[str],
    root: Path | None = None,
) -> None:
    """Records every run that the example can be asked for."""
    path.unlink(missing_ok=True)
    recorder = Recorder(path, label=LABEL)
    with AdapterFactory(recorder=recorder) as adapters:
        for config in configurations:
            request = RunRequest(benchmark.document, config, ids, here=LocalBenchmarkState(root, trusted=True))
            collect_results(request, open_tools(adapters, sandbox, config))


def variants() -> list[VerificationConfig]:
    """Under each condition once and repeated, with and without a check; with all checks for the plain models alone.

    Recorded as models that are set so from the beginning: under their plain names every run finds what they said.
    """
    whole = run_configuration(sample_models.INTERFACE)
    under = [
        whole.model_copy(
            update={"conditions": [], "answering_models": list(map(each.apply_to, whole.answering_models))}
        )
        for each in whole.conditions
    ]
    checked = under[0].model_copy(update={"parsing_models": whole.parsing_models[:1], "sufficiency_enabled": True})
    unchecked = [each.model_copy(update={"abstention_enabled": False}) for each in under]
    return [
        each.model_copy(update={"replicate_count": count}) for count in (1, 3) for each in (*under, *unchecked, checked)
    ]


def one_a_line(recording: Path) -> None:
    """The same recording with a line for each exchange, which takes a fifth less and shows what has changed."""
    content = json.loads(recording.read_text(encoding="utf-8"))
    lines = ",\n".join(json.dumps(each, ensure_ascii=False) for each in content.pop("exchanges"))
    head = json.dumps(content, ensure_ascii=False).removesuffix("}")
    recording.write_text(f'{head}, "exchanges": [\n{lines}\n]}}\n', encoding="utf-8")


def agent_variants() -> list[VerificationConfig]:
    """Once and repeated, with one investigation for both traits and one for each."""
    whole = agents.run_configuration(sample_agents.INTERFACE)
    changes = [{}, {"replicate_count": 1}, {"agentic_rubric_strategy": "individual"}]
    return [whole.model_copy(update=change) for change in changes]


def _begun(name: str, description: str, written: str = WRITTEN) -> Benchmark:
    benchmark = Benchmark.create(name, description, creator="karenina_gui contributors")
    benchmark.document.date_created = benchmark.document.date_modified = written
    return benchmark


if __name__ == "__main__":
    with Sandbox() as cells:
        build(BENCHMARK, RECORDING, cells)
        build_agents(agents.BENCHMARK, agents.RECORDING, cells)
    print(f"Wrote {', '.join(path.name for path in (BENCHMARK, RECORDING, agents.BENCHMARK, agents.RECORDING))}.")
