"""Test benches of many templates, with and without a second process."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Any

import pytest

from karenina_gui.authoring import benchmark_editor, many_benches
from karenina_gui.authoring.benchmark_editor import BenchmarkEditor
from karenina_gui.authoring.many_benches import BenchTask, SecondProcess, in_turns
from karenina_gui.schemas.benchmark import BenchmarkDocument, BenchmarkEntry
from karenina_gui.schemas.question import Question
from karenina_gui.schemas.sample_answer import SampleAnswer, TemplateTest, with_samples
from karenina_gui.store.library import Library

DATA = """class Answer(BaseAnswer):
    drug: str = VerifiedField(description="The drug.", ground_truth="aspirin", verify_with=ExactMatch())
"""
TEMPLATES = {
    "data": DATA,
    "a pattern": """class Answer(BaseAnswer):
    code: str = VerifiedField(description="The code.", ground_truth="A10", verify_with=RegexMatch(pattern="A1.$"))
""",
    "a method": """class Answer(BaseAnswer):
    drug: str = Field(description="The drug.")

    def verify(self) -> bool:
        return True
""",
    "code": """import math
class Answer(BaseAnswer):
    dose: float = Field(description="The dose.")

    def verify(self) -> bool:
        return [math.floor(each) for each in [self.dose]] == [3]
""",
    "an error": "class Answer(BaseAnswer):\n    drug: str = VerifiedField(\n",
    "no template": "",
}


def question(kind: str, number: int) -> BenchmarkEntry:
    samples = [
        SampleAnswer(text="Aspirin.", values={"drug": "aspirin", "code": "A10", "dose": 3.5}),
        SampleAnswer(text="Heparin.", values={"drug": "heparin", "code": "B", "dose": 3.5}, passes=number % 2 == 1),
        SampleAnswer(text="Nobody has read this."),
    ]
    return BenchmarkEntry(
        question=Question(
            question=f"{kind} {number}?",
            raw_answer="aspirin",
            answer_template=TEMPLATES[kind],
            custom_metadata=with_samples(None, samples),
        ),
        finished=False,
    )


def columns(library: Library, benchmark: int) -> list[tuple[Any, ...]]:
    rows = library.questions.summaries(benchmark)
    return [(row.text, row.template_valid, row.samples_wrong, row.samples_unread, row.mutation) for row in rows]


def test_a_second_process_stores_what_one_alone_does(
    editor: BenchmarkEditor, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = [question(kind, number) for number in range(4) for kind in TEMPLATES]
    alone, shared = (
        library.benchmarks.create(BenchmarkDocument(name=name, entries=entries)) for name in ("alone", "shared")
    )
    assert editor.check_all(alone) == 4
    monkeypatch.setattr(benchmark_editor, "WORTH_A_PROCESS", 1)
    monkeypatch.setattr(benchmark_editor, "CHECKED_AT_ONCE", 2)
    monkeypatch.setattr(benchmark_editor, "processors", lambda: 2)
    assert editor.check_all(shared) == 4
    assert columns(library, shared) == columns(library, alone)
    assert {valid for _, valid, *_ in columns(library, alone)} == {True, False, None}
    assert {wrong for *_, wrong, _, _ in columns(library, alone)} >= {0, 1}


def test_the_second_process_tests_what_needs_no_sandbox() -> None:
    tasks = [BenchTask(question(kind, 0).question, from_file=False) for kind in TEMPLATES if kind != "no template"]
    with SecondProcess() as second:
        tests = second.test(tasks)
        assert tests[0] == TemplateTest(True, wrong=0, unread=1, mutation="fine")
        assert [test is not None for test in tests] == [True, False, False, False, True]
        assert tests[-1] is not None
        assert not tests[-1].valid


def test_a_process_that_does_not_answer_leaves_the_rest_to_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = [BenchTask(question("data", 1).question, from_file=False)]
    with SecondProcess() as second:
        assert second.test(tasks) == [TemplateTest(True, wrong=1, unread=1, mutation="fine")]
        monkeypatch.setattr(many_benches, "PATIENCE", 0.0)
        assert second.test(tasks * 2) == [None, None]
        monkeypatch.undo()
        assert second.test(tasks) == [None]
        assert second._process.pid is None


def test_each_batch_is_taken_once() -> None:
    taken: Counter[int] = Counter()

    def take(number: int) -> int:
        taken[number] += 1
        return number

    assert in_turns(range(500), take, take) == sum(range(500))
    assert in_turns([1, 2], take) == 3
    assert taken == Counter([*range(500), 1, 2])


def test_an_error_of_either_is_raised() -> None:
    for failing in ("here", "there"):
        failed = threading.Event()

        def fail(_: int, failed: threading.Event = failed) -> int:
            failed.set()
            raise ValueError("gone")

        def wait(_: int, failed: threading.Event = failed) -> int:
            assert failed.wait(30)
            return 1

        with pytest.raises(ValueError, match="gone"):
            in_turns(range(4), *((fail, wait) if failing == "here" else (wait, fail)))
