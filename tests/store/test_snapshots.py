from __future__ import annotations

from pathlib import Path

import pytest

from karenina_gui.errors import NotFoundError
from karenina_gui.formats.checkpoints.checkpoint import load_checkpoint
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store.library import Library
from karenina_gui.store.runs import RunPlan
from karenina_gui.store.snapshots import Snapshot


def document(text: str = "What is 6 x 7?") -> BenchmarkDocument:
    made = BenchmarkDocument(name="b", date_created="2026-01-01", date_modified="2026-01-01", source={"ß": [1, None]})
    question = Question(question=text, raw_answer="42", date_created="2026-01-01", date_modified="2026-01-01")
    made.add(question, finished=False)
    return made


def begin(library: Library, found: BenchmarkDocument) -> int:
    snapshot = Snapshot.of(found)
    benchmark = library.benchmarks.create(found)
    plan = RunPlan(benchmark, "r", VerificationConfig(), [], "none", snapshot.hash, snapshot)
    run = library.runs.create(plan)
    library.runs.finish(run, "completed")
    return run


def test_a_benchmark_comes_back_as_the_run_found_it(library: Library) -> None:
    run = begin(library, document())
    assert library.snapshots.document(library.runs.summary(run).benchmark_hash) == document()


def test_real_benchmarks_come_back_whole(library: Library, shared: Path) -> None:
    for path in sorted((shared / "checkpoints").glob("*.jsonld")):
        found = load_checkpoint(path)
        begin(library, found)
        assert library.snapshots.document(Snapshot.of(found).hash) == found, path.name


def test_equal_benchmarks_are_kept_once_and_until_the_last_run_is_gone(library: Library) -> None:
    first, second, other = (begin(library, document(text)) for text in ("a?", "a?", "b?"))
    kept = Snapshot.of(document("a?")).hash
    library.runs.erase(first)
    assert library.snapshots.has(kept)
    library.runs.erase(second)
    assert not library.snapshots.has(kept)
    with pytest.raises(NotFoundError, match="wasn’t saved"):
        library.snapshots.document(kept)
    assert library.snapshots.document(library.runs.summary(other).benchmark_hash) == document("b?")


def test_a_plan_that_cannot_be_written_leaves_no_snapshot(library: Library) -> None:
    snapshot = Snapshot.of(document())
    nowhere = RunPlan(99, "r", VerificationConfig(), [], "none", snapshot.hash, snapshot)
    with pytest.raises(Exception, match="FOREIGN KEY"):
        library.runs.create(nowhere)
    assert not library.snapshots.has(snapshot.hash)
