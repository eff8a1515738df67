from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.ports import LLMRequest
from karenina_gui.errors import InputError
from karenina_gui.runs.selection import NOT_FINISHED, candidates_of, select
from karenina_gui.runs.service import RunOrder, RunService
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.result_summaries import ResultFilter
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store.library import Library
from tests.default_template import default_template

WAIT = 20
"""Time limit of a test, in seconds."""


@pytest.fixture
def benchmark_id(library: Library, document: BenchmarkDocument) -> int:
    document.entries[5].finished = False
    return library.benchmarks.create(document)


def order(benchmark_id: int, model: Any, **fields: object) -> RunOrder:
    config = VerificationConfig(answering_models=[model.config()], async_enabled=False)
    return RunOrder(benchmark_id, config, **fields)


def test_a_run_goes_on_in_the_background_and_keeps_every_result(
    service: RunService, benchmark_id: int, model: Any
) -> None:
    go_on, begun = threading.Event(), threading.Event()

    def wait_for_it(request: LLMRequest) -> str:
        begun.set()
        assert go_on.wait(WAIT)
        return "It is 42." if "3" not in request.messages[-1].text else "41"

    model.say = wait_for_it
    run = service.start(order(benchmark_id, model, name="first"))
    assert begun.wait(WAIT)
    assert (service.active(), service.library.runs.summary(run).status) == ([run], "running")
    assert len(service.library.runs.jobs_left(run)) == 5
    go_on.set()
    assert service.wait(run, WAIT)
    summary = service.library.runs.summary(run)
    assert (summary.status, summary.name, summary.outcomes) == ("completed", "first", {"passed": 4, "wrong": 1})
    assert (
        summary.sandbox_level
        == service.library.results.get(service.library.results.page(run).rows[0].id).result.sandbox_level
    )
    assert service.active() == []
    progress = service.progress(run)
    assert (progress.done, progress.outcomes["wrong"], progress.ended) == (5, 1, True)


def test_the_selection_says_what_is_left_out(service: RunService, benchmark_id: int, model: Any) -> None:
    assert service.selection(order(benchmark_id, model)).left_out == [("q5", NOT_FINISHED)]


def test_the_light_rows_lead_to_the_selection_that_the_document_leads_to(
    library: Library, service: RunService, benchmark_id: int, model: Any
) -> None:
    document = library.benchmarks.document(benchmark_id)
    first, second, third = document.entries[:3]
    for entry, changes in (
        (first, {"answer_template": None}),
        (second, {"answer_template": default_template("x")}),
        (third, {"question_rubric": {"regex_traits": [{"name": "brief"}]}}),
    ):
        library.questions.update(benchmark_id, library.questions.number_of(benchmark_id, entry.id), changes)
    document = library.benchmarks.document(benchmark_id)
    asked = order(benchmark_id, model)
    found = service.selection(asked)
    assert found == select(candidates_of(document), document.rubric, asked.config, asked.question_ids)
    assert (len(found.chosen), len(found.left_out), len(found.rubric_faults)) == (3, 3, 1)


def test_a_cancelled_run_makes_no_further_call_and_keeps_what_it_has(
    service: RunService, benchmark_id: int, model: Any
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def pause_at_the_third(request: LLMRequest) -> str:
        if len(model.asked) == 3:
            begun.set()
            assert go_on.wait(WAIT)
        return "42"

    model.say = pause_at_the_third
    run = service.start(order(benchmark_id, model))
    assert begun.wait(WAIT)
    service.cancel(run)
    assert service.progress(run).cancelling
    go_on.set()
    assert service.wait(run, WAIT)
    assert len(model.asked) == 3
    summary = service.library.runs.summary(run)
    assert summary.status == "cancelled"
    assert summary.done == service.library.results.page(run).total == 5 - len(service.library.runs.jobs_left(run))
    assert 2 <= summary.done <= 3


def test_whoever_watches_hears_of_the_end(service: RunService, benchmark_id: int, model: Any) -> None:
    heard: list[tuple[int, bool]] = []
    ended = threading.Event()

    def hear(run: int) -> None:
        heard.append((run, service.progress(run).ended))
        if heard[-1][1]:
            ended.set()

    service.changed.subscribe(hear)
    run = service.start(order(benchmark_id, model))
    assert ended.wait(WAIT)
    assert heard[-1] == (run, True)


def test_nothing_to_run_is_said_before_anything_is_planned(service: RunService, benchmark_id: int, model: Any) -> None:
    with pytest.raises(InputError, match="answering model"):
        service.start(RunOrder(benchmark_id, VerificationConfig()))
    with pytest.raises(InputError, match="No questions can run"):
        service.start(order(benchmark_id, model, question_ids={"q5"}))
    assert service.library.runs.all() == []


def test_a_rubric_that_cannot_be_used_is_said_before_anything_is_planned(
    service: RunService, library: Library, document: BenchmarkDocument, model: Any
) -> None:
    document.entries[1].question.question_rubric = {"regex_traits": [{"name": "cites"}]}
    with pytest.raises(InputError, match=r"“Text 1\?”.*pattern"):
        service.start(order(library.benchmarks.create(document), model))
    assert service.library.runs.all() == []


def test_two_models_of_one_id_are_named_apart_wherever_a_run_is_shown(
    service: RunService, benchmark_id: int, model: Any
) -> None:
    twins = VerificationConfig(answering_models=[model.config(), model.config()])
    run = service.start(RunOrder(benchmark_id, twins))
    assert service.wait(run, WAIT)
    assert service.library.runs.summary(run).answering == ("ada", "ada #2")
    assert service.library.results.page(run, ResultFilter(answering="ada #2")).total == 5


def test_a_missing_key_ends_every_job_with_the_name_of_its_variable(service: RunService, benchmark_id: int) -> None:
    live = ModelConfig(model_name="gpt", interface="openai_endpoint", endpoint_base_url="https://example.invalid/v1")
    run = service.start(RunOrder(benchmark_id, VerificationConfig(answering_models=[live])))
    assert service.wait(run, WAIT)
    page = service.library.results.page(run, ResultFilter(category="authentication"))
    assert page.total == 5
    assert "OPENAI_API_KEY" in (page.rows[0].error or "")


def test_a_run_that_is_recorded_plays_back_without_its_model(
    service: RunService, benchmark_id: int, model: Any, tmp_path: Path
) -> None:
    file = tmp_path / "kept.json"
    first = service.start(order(benchmark_id, model, record=file))
    assert service.wait(first, WAIT)
    calls = len(model.asked)
    assert len(json.loads(file.read_text())["exchanges"]) == calls == 5
    replay = ModelConfig(id="again", model_name="ada", interface="replay", recording=str(file))
    second = service.start(RunOrder(benchmark_id, VerificationConfig(answering_models=[replay])))
    assert service.wait(second, WAIT)
    assert len(model.asked) == calls
    summary = service.library.runs.summary(second)
    assert summary.outcomes == {"passed": 5}
    assert summary.recording_label == service.library.runs.summary(first).name


def test_two_runs_go_at_the_same_time(service: RunService, benchmark_id: int, model: Any) -> None:
    together = threading.Barrier(2)

    def meet(request: LLMRequest) -> str:
        together.wait(WAIT)
        return "42"

    model.say = meet
    runs = [service.start(order(benchmark_id, model)) for _ in range(2)]
    assert all(service.wait(run, WAIT) for run in runs)
    assert [service.library.runs.summary(run).outcomes for run in runs] == [{"passed": 5}] * 2


def test_closing_the_application_interrupts_and_loses_nothing(
    library: Library, sandbox: Sandbox, benchmark_id: int, model: Any
) -> None:
    service = RunService(library, sandbox, lambda recorder: AdapterFactory(environment={}, recorder=recorder))
    begun, go_on = threading.Event(), threading.Event()

    def pause(request: LLMRequest) -> str:
        begun.set()
        assert go_on.wait(WAIT)
        return "42"

    model.say = pause
    run = service.start(order(benchmark_id, model))
    assert begun.wait(WAIT)
    closing = threading.Thread(target=service.close)
    closing.start()
    go_on.set()
    closing.join(WAIT)
    assert library.runs.summary(run).status == "interrupted"
    assert len(model.asked) == 1


def test_a_run_whose_process_was_killed_is_found_interrupted_with_its_results(tmp_path: Path) -> None:
    script = f"""
import os, signal
from pathlib import Path
from typing import Any
from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.runs.service import RunOrder, RunService
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.schemas.question import Question
from karenina_gui.sandbox import Sandbox
from karenina_gui.store.library import Library

template = '''
class Answer(BaseAnswer):
    def ground_truth(self):
        self.regex = {{"n": {{"pattern": "[0-9]+", "expected": "42", "match_type": "exact"}}}}
'''
library = Library.open(Path({str(tmp_path)!r}))
document = BenchmarkDocument(name="b")
for n in range(40):
    document.add(Question(question=f"Text {{n}}", raw_answer="42", id=f"q{{n}}", answer_template=template))
traces = {{f"q{{n}}": "42" for n in range(40)}}
config = VerificationConfig(
    answering_models=[ModelConfig(id="m", interface="manual", manual_traces=traces)], async_enabled=False
)
service = RunService(library, Sandbox(slots=1), lambda recorder: AdapterFactory(recorder=recorder))
original = library.runs.record
kept = 0
def record(*args):
    global kept
    original(*args)
    kept += 1
    if kept == 10:
        os.kill(os.getpid(), signal.SIGKILL)
library.runs.record = record
service.wait(service.start(RunOrder(library.benchmarks.create(document), config)))
"""
    subprocess.run([sys.executable, "-c", script], check=False, timeout=60)
    with Library.open(tmp_path) as library:
        assert library.runs.mark_interrupted() == [1]
        summary = library.runs.summary(1)
        assert (summary.status, summary.done, library.results.page(1).total) == ("interrupted", 10, 10)
        assert len(library.runs.jobs_left(1)) == 30
