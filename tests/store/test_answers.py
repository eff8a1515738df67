from __future__ import annotations

import pytest

from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.job import Job
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store.library import Library
from karenina_gui.store.runs import RunPlan

JOB = Job("q1\tada", "q1", "ada", None, None)


@pytest.fixture
def run(library: Library) -> int:
    benchmark = library.benchmarks.create(BenchmarkDocument(name="b"))
    return library.runs.create(RunPlan(benchmark, "first", VerificationConfig(), [JOB], "seccomp", "abc"))


def test_an_answer_is_there_under_its_key_and_replaced_under_it(library: Library, run: int) -> None:
    assert library.answers.get(run, "q1\tada") is None
    library.answers.save(run, "q1\tada", {"text": "41"})
    library.answers.save(run, "q1\tada", {"text": "42, ß"})
    library.answers.save(run, "q2\tada", {"text": "?"})
    assert library.answers.get(run, "q1\tada") == {"text": "42, ß"}
    assert library.answers.keys(run) == {"q1\tada", "q2\tada"}


def test_an_answer_is_on_disk_when_it_is_kept(library: Library, run: int, tmp_path: object) -> None:
    library.answers.save(run, "q1\tada", {"text": "42"})
    with Library.open(tmp_path / "data") as other:  # type: ignore[operator]
        assert other.answers.get(run, "q1\tada") == {"text": "42"}


def test_answers_go_with_their_run(library: Library, run: int) -> None:
    library.answers.save(run, "q1\tada", {"text": "42"})
    library.runs.finish(run, "failed")
    assert library.answers.keys(run)
    library.runs.erase(run)
    assert library.answers.keys(run) == set()
