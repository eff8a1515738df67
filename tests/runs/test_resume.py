"""Resumption after a cancellation, a provider's failure, and a killed process."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.ports import LLMRequest
from karenina_gui.adapters.recording import load_recording
from karenina_gui.errors import InputError, ProviderError
from karenina_gui.runs.resume import RemainingJobs
from karenina_gui.runs.service import RunOrder, RunService
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.retry import RetryBudget, RetryPolicy
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store import tables
from karenina_gui.store.library import Library
from tests.examples import examples
from tests.template_texts import NUMBER
from tests.twin import Asked, Reply, Twin

WAIT = 20
"""Time limit of a test, in seconds."""

_NONE = RetryBudget(max_attempts=0)
AT_ONCE = RetryPolicy(connection=_NONE, timeout=_NONE, rate_limit=_NONE, server_error=_NONE)


@pytest.fixture
def benchmark_id(library: Library, document: BenchmarkDocument) -> int:
    return library.benchmarks.create(document)


def config(model: Any, judges: tuple[str, ...] = (), **fields: Any) -> VerificationConfig:
    return VerificationConfig(
        answering_models=[model.config()],
        parsing_models=[model.config(name) for name in judges],
        async_enabled=False,
        retry_policy=AT_ONCE,
        **fields,
    )


def question(request: LLMRequest) -> str:
    return request.messages[-1].text


def cancel_at(service: RunService, model: Any, order: RunOrder, call: int) -> int:
    """Start the run and cancel it during this call."""
    begun, go_on = threading.Event(), threading.Event()

    def pause(request: LLMRequest) -> str:
        if len(model.asked) == call:
            begun.set()
            assert go_on.wait(WAIT)
        return "It is 42."

    model.say = pause
    run = service.start(order)
    assert begun.wait(WAIT)
    service.cancel(run)
    go_on.set()
    assert service.wait(run, WAIT)
    model.say = lambda request: "It is 42."
    return run


def test_a_cancelled_run_does_what_is_left_and_asks_nothing_twice(
    service: RunService, benchmark_id: int, model: Any
) -> None:
    run = cancel_at(service, model, RunOrder(benchmark_id, config(model)), 3)
    done = service.library.runs.summary(run).done
    assert service.remaining(run).jobs == 6 - done
    service.resume(run)
    assert service.wait(run, WAIT)
    summary = service.library.runs.summary(run)
    assert (summary.status, summary.message, summary.outcomes) == ("completed", None, {"passed": 6})
    assert Counter(question(request) for request in model.asked) == {f"Text {n}?": 1 for n in range(6)}
    assert service.remaining(run) == RemainingJobs()


def test_the_time_of_a_result_is_that_of_its_answer_too_when_only_the_judge_is_asked_again(
    service: RunService, library: Library, document: BenchmarkDocument, model: Any
) -> None:
    for entry in document.entries:
        entry.question.answer_template = NUMBER
    benchmark_id = library.benchmarks.create(document)

    def say(request: LLMRequest) -> str:
        if request.purpose == "parsing":
            raise ProviderError("too many requests", category="rate_limit")
        time.sleep(0.5)
        return "It is 42."

    model.say = say
    run = service.start(RunOrder(benchmark_id, config(model, ("jim", "joe"))))
    assert service.wait(run, WAIT)
    model.say = lambda request: '{"number": 42}'
    service.resume(run)
    assert service.wait(run, WAIT)
    rows = service.library.results.page(run).rows
    assert {row.outcome for row in rows} == {"passed"}
    took = {judge: [row.seconds for row in rows if row.judge == judge] for judge in ("jim", "joe")}
    assert min(took["jim"]) >= 0.5  # the answer counts with the first of its judgments
    assert max(took["joe"]) < 0.5


def test_a_run_goes_on_with_the_questions_as_it_found_them(
    service: RunService, library: Library, benchmark_id: int, model: Any
) -> None:
    run = cancel_at(service, model, RunOrder(benchmark_id, config(model)), 3)
    q4, q5 = (library.questions.number_of(benchmark_id, each) for each in ("q4", "q5"))
    library.questions.update(benchmark_id, q5, {"question": "Quite another?"})
    library.questions.delete(benchmark_id, [q4])
    service.resume(run)
    assert service.wait(run, WAIT)
    assert {question(request) for request in model.asked} == {f"Text {n}?" for n in range(6)}
    assert [row.question_text for row in service.library.results.page(run).rows][4:] == ["Text 4?", "Text 5?"]


def test_a_failed_connection_is_not_taken_for_an_answer(service: RunService, benchmark_id: int, model: Any) -> None:
    def down(request: LLMRequest) -> str:
        if question(request) in ("Text 1?", "Text 4?"):
            raise ProviderError("nobody there", category="connection")
        return "It is 41." if question(request) == "Text 0?" else "It is 42."

    model.say = down
    run = service.start(RunOrder(benchmark_id, config(model)))
    assert service.wait(run, WAIT)
    before = {row.question_id: row.id for row in service.library.results.page(run).rows}
    assert service.library.runs.summary(run).outcomes == {"passed": 3, "wrong": 1, "error": 2}
    assert service.remaining(run) == RemainingJobs(again=2)
    model.asked.clear()
    model.say = lambda request: "It is 42."
    service.resume(run)
    assert service.wait(run, WAIT)
    assert sorted(question(request) for request in model.asked) == ["Text 1?", "Text 4?"]
    summary = service.library.runs.summary(run)
    assert (summary.status, summary.done, summary.outcomes) == ("completed", 6, {"passed": 5, "wrong": 1})
    assert {row.question_id: row.id for row in service.library.results.page(run).rows} == before


def test_an_answer_outlives_the_failure_of_its_judge(
    service: RunService, library: Library, document: BenchmarkDocument, model: Any
) -> None:
    for entry in document.entries:
        entry.question.answer_template = NUMBER
    benchmark_id = library.benchmarks.create(document)

    def say(request: LLMRequest) -> str:
        if request.purpose == "parsing":
            raise ProviderError("too many requests", category="rate_limit")
        return "It is 42."

    model.say = say
    run = service.start(RunOrder(benchmark_id, config(model, ("jim", "joe"), replicate_count=2)))
    assert service.wait(run, WAIT)
    assert service.remaining(run) == RemainingJobs(again=24, answers=12)
    model.asked.clear()
    model.say = lambda request: '{"number": 42}'
    service.resume(run)
    assert service.wait(run, WAIT)
    assert Counter(request.purpose for request in model.asked) == {"parsing": 24}
    assert service.library.runs.summary(run).outcomes == {"passed": 24}
    assert {result.template.raw_llm_response for result in service.library.results.each(run) if result.template} == {
        "It is 42."
    }


def test_a_resumed_run_counts_from_where_it_was(service: RunService, benchmark_id: int, model: Any) -> None:
    run = cancel_at(service, model, RunOrder(benchmark_id, config(model)), 3)
    done = service.library.runs.summary(run).done
    begun, go_on = threading.Event(), threading.Event()

    def pause(request: LLMRequest) -> str:
        begun.set()
        assert go_on.wait(WAIT)
        return "42"

    model.say = pause
    service.resume(run)
    assert begun.wait(WAIT)
    progress = service.progress(run)
    assert (progress.done, progress.before, progress.total, progress.ended) == (done, done, 6, False)
    assert service.active() == [run]
    go_on.set()
    assert service.wait(run, WAIT)


def test_two_windows_that_resume_at_once_start_it_once(
    service: RunService, library: Library, benchmark_id: int, model: Any
) -> None:
    run = cancel_at(service, model, RunOrder(benchmark_id, config(model)), 2)
    assert len(model.asked) == len(library.answers.keys(run)) == 2
    model.say = lambda request: time.sleep(0.1) or "42"  # type: ignore[func-returns-value]
    windows = [threading.Thread(target=service.resume, args=(run,)) for _ in range(8)]
    for window in windows:
        window.start()
    for window in windows:
        window.join(WAIT)
    assert service.wait(run, WAIT)
    assert service.library.runs.summary(run).outcomes == {"passed": 6}
    assert len(model.asked) == 6


def test_nothing_is_left_to_do_in_a_run_whose_jobs_all_have_results(
    service: RunService, benchmark_id: int, model: Any
) -> None:
    run = service.start(RunOrder(benchmark_id, config(model)))
    assert service.wait(run, WAIT)
    with pytest.raises(InputError, match="Nothing left to do"):
        service.resume(run)


def test_a_model_without_its_key_is_named_before_anything_is_done(service: RunService, benchmark_id: int) -> None:
    live = ModelConfig(
        id="gpt", model_name="gpt", interface="openai_endpoint", endpoint_base_url="https://example.invalid/v1"
    )
    run = service.start(RunOrder(benchmark_id, VerificationConfig(answering_models=[live])))
    assert service.wait(run, WAIT)
    assert service.remaining(run).again == 6
    with pytest.raises(InputError, match=r"can’t continue yet. gpt: .*OPENAI_API_KEY"):
        service.resume(run)
    assert service.library.runs.summary(run).status == "completed"


def test_a_recording_that_is_gone_is_named_before_anything_is_done(
    service: RunService, benchmark_id: int, model: Any, tmp_path: Path
) -> None:
    file = tmp_path / "kept.json"
    service.wait(service.start(RunOrder(benchmark_id, config(model), record=file)), WAIT)
    played = ModelConfig(id="again", model_name="ada", interface="replay", recording=str(file))
    mixed = VerificationConfig(answering_models=[model.config(), played], async_enabled=False)
    run = cancel_at(service, model, RunOrder(benchmark_id, mixed), len(model.asked) + 2)
    file.unlink()
    with pytest.raises(InputError, match="No recording at"):
        service.resume(run)


def test_a_recording_goes_on_with_its_run(service: RunService, benchmark_id: int, model: Any, tmp_path: Path) -> None:
    file = tmp_path / "kept.json"
    run = cancel_at(service, model, RunOrder(benchmark_id, config(model), record=file), 3)
    before = len(load_recording(file).exchanges)
    assert 0 < before < 6
    service.resume(run)
    assert service.wait(run, WAIT)
    assert len(load_recording(file).exchanges) == 6
    assert load_recording(file).label == service.library.runs.summary(run).name


def test_a_recording_that_cannot_go_on_is_named_and_the_run_stays_as_it_was(
    service: RunService, benchmark_id: int, model: Any, tmp_path: Path
) -> None:
    file = tmp_path / "kept.json"
    run = cancel_at(service, model, RunOrder(benchmark_id, config(model), record=file), 3)
    file.write_text("Minutes of the meeting", encoding="utf-8")
    left = service.remaining(run)
    with pytest.raises(InputError, match=r"kept\.json"):
        service.resume(run)
    assert (service.library.runs.summary(run).status, service.remaining(run)) == ("cancelled", left)
    assert file.read_text(encoding="utf-8") == "Minutes of the meeting"
    file.unlink()
    service.resume(run)
    assert service.wait(run, WAIT)
    assert service.library.runs.summary(run).status == "completed"


def test_the_time_of_a_run_is_the_sum_of_its_parts(
    service: RunService, library: Library, benchmark_id: int, model: Any
) -> None:
    run = cancel_at(service, model, RunOrder(benchmark_id, config(model)), 3)
    with library.runs._database.writing() as session:
        row = session.get_one(tables.RunRow, run)
        row.created_at, row.finished_at = "2026-01-05T10:00:00.000+00:00", "2026-01-05T10:01:00.000+00:00"
    assert service.progress(run).seconds == 60
    service.resume(run)
    assert 60 <= service.progress(run).seconds < 60 + WAIT
    assert service.wait(run, WAIT)
    assert 60 <= service.progress(run).seconds < 60 + WAIT
    with library.runs._database.writing() as session:  # as after a process that was killed, long ago
        session.get_one(tables.RunRow, run).finished_at = None
    assert 60 <= service.progress(run).seconds < 60 + WAIT


def test_a_run_that_another_process_works_on_is_left_alone_until_that_is_gone(
    service: RunService, library: Library, sandbox: Sandbox, benchmark_id: int, model: Any
) -> None:
    run = cancel_at(service, model, RunOrder(benchmark_id, config(model)), 2)
    script = f"""
import sys
from pathlib import Path
from karenina_gui.store.library import Library
library = Library.open(Path({str(library._database._engine.url.database)!r}).parent)
library.runs.reopen(library.runs.summary({run}))
library.runs.start({run})
print("mine", flush=True)
sys.stdin.read()
"""
    other = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert other.stdout is not None
    assert other.stdout.readline() == b"mine\n"
    service.look_for_lost()
    assert service.library.runs.summary(run).status == "running"
    with pytest.raises(InputError, match="another copy of this application"):
        service.resume(run)
    other.kill()  # nobody has asked how it ended: it is in the table of processes still
    until = time.monotonic() + WAIT
    while service.library.runs.summary(run).status == "running" and time.monotonic() < until:
        service.look_for_lost()
    assert service.library.runs.summary(run).status == "interrupted"
    service.resume(run)
    assert service.wait(run, WAIT)
    assert service.library.runs.summary(run).outcomes == {"passed": 6}
    other.communicate()


QUESTIONS, WORKERS = 15, 4
ANSWERS = QUESTIONS * 2
JOBS = ANSWERS * 2
WORK = """
import sys
from pathlib import Path
from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.runs.service import RunService
from karenina_gui.sandbox import Sandbox
from karenina_gui.store.library import Library
with Library.open(Path(sys.argv[1])) as library, Sandbox(slots=1) as sandbox:
    service = RunService(library, sandbox, lambda recorder: AdapterFactory(environment={}, recorder=recorder))
    service.resume(int(sys.argv[2]))
    service.wait(int(sys.argv[2]))
"""


def test_a_run_killed_again_and_again_ends_with_every_job_done_once_and_no_kept_answer_paid_twice(
    tmp_path: Path,
) -> None:
    """Check after a kill that saved answers are never requested again and that results are unchanged.

    All other requests were in flight: at most one for each worker.
    """
    chance = random.Random(60)
    with Twin(answer_or_read) as twin:
        run = plan_large_run(tmp_path, twin.address)
        kills = (chance.randrange(4, 25), chance.randrange(30, 45), chance.randrange(50, 65))
        for kill_at in (*kills[: examples(1, 3)], None):
            asked_before = count(twin)
            with Library.open(tmp_path) as library:
                kept_before = library.answers.keys(run)
                left_before = len(library.runs.jobs_left(run))
                results_before = results(library, run)
            worker = subprocess.Popen([sys.executable, "-c", WORK, str(tmp_path), str(run)])
            if kill_at is not None:
                wait_for(lambda at=kill_at: len(twin.requests) >= at, worker)
                worker.kill()
            worker.wait(60)
            time.sleep(0.1)  # what was on its way to the twin has arrived
            asked = count(twin) - asked_before
            with Library.open(tmp_path) as library:
                library.runs.mark_interrupted()
                kept = library.answers.keys(run)
                after = results(library, run)
                status, left = library.runs.summary(run).status, len(library.runs.jobs_left(run))
            assert {position: after[position] for position in results_before} == results_before
            new = len(kept - kept_before) if kill_at else ANSWERS - len(kept_before)
            assert 0 <= asked["ada"] - new <= (WORKERS if kill_at else 0)
            assert 0 <= asked["judge"] - (left_before - left) <= (WORKERS if kill_at else 0)
            assert status == ("interrupted" if kill_at else "completed")
        assert sorted(after) == list(range(JOBS))
        assert kept == set()  # nobody needs them any more
        assert sum(tokens for tokens, _ in after.values()) == 18 * (ANSWERS + JOBS)


def answer_or_read(asked: Asked) -> Reply:
    return Reply(data={"number": 42}, delay=0.02) if asked.schema else Reply(text="It is 42.", delay=0.02)


def count(twin: Twin) -> Counter[str]:
    return Counter("judge" if asked.schema else "ada" for asked in twin.requests)


def results(library: Library, run: int) -> dict[int, tuple[int, str]]:
    """Tokens and identity of each result, by position of the job."""
    return {
        row.position: (row.tokens or 0, library.results.get(row.id).result.metadata.timestamp)
        for row in library.results.page(run).rows
    }


def plan_large_run(folder: Path, address: str) -> int:
    """A run of 60 jobs that was stopped right after its start."""
    from tests.runs.conftest import benchmark

    document = benchmark(QUESTIONS)
    for entry in document.entries:
        entry.question.answer_template = NUMBER
    models = [
        ModelConfig(id=name, model_name=name, interface="openai_endpoint", endpoint_base_url=f"{address}/v1")
        for name in ("ada", "jim", "joe")
    ]
    wanted = VerificationConfig(
        answering_models=models[:1],
        parsing_models=models[1:],
        replicate_count=2,
        async_max_workers=WORKERS,
        retry_policy=AT_ONCE,
    )
    with Library.open(folder) as library, Sandbox(slots=1) as sandbox:
        service = RunService(library, sandbox, lambda recorder: AdapterFactory(environment={}, recorder=recorder))
        run = service.start(RunOrder(library.benchmarks.create(document), wanted))
        service.close()
    return run


def wait_for(condition: Any, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 60
    while not condition():
        assert process.poll() is None, "the process ended too early"
        assert time.monotonic() < until
        time.sleep(0.005)
