"""Outages of a provider cost a run time, and nothing else."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import pytest

from karenina_gui.adapters.factory import AdapterFactory
from karenina_gui.adapters.keys import KeyRing
from karenina_gui.adapters.outages import MOST_WAITING, Outages
from karenina_gui.adapters.patience import Patience
from karenina_gui.runs.executor import open_tools
from karenina_gui.runs.request import RunRequest
from karenina_gui.runs.result_collection import collect_results
from karenina_gui.runs.service import RunOrder, RunService
from karenina_gui.sandbox import Sandbox
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.retry import RetryBudget, RetryPolicy
from karenina_gui.schemas.verification_config import VerificationConfig
from karenina_gui.store.library import Library
from tests.claude_code_twin import ClaudeCodeTwin, Turn
from tests.examples import cases
from tests.runs.conftest import benchmark
from tests.twin import Asked, Call, Reply, Twin

WAIT = 30
"""Time limit of a test, in seconds."""
MINUTE = 0.1
"""Seconds of the test that stand for one minute."""
QUICK = RetryPolicy(
    **{
        category: RetryBudget(max_attempts=attempts, backoff_min=MINUTE / 60, backoff_max=MINUTE / 2)
        for category, attempts in (("connection", 3), ("timeout", 3), ("rate_limit", 5), ("server_error", 2))
    }
)
# On a busy machine, the second call of two may come after many probes of the first.
PATIENCE = Patience(first_pause=MINUTE / 30, max_pause=2 * MINUTE, account_pause=5 * MINUTE, max_lone_probes=1000)
GOOD = Reply(text="It is 42.")
JUDGED = """
class Answer(BaseAnswer):
    value: int = Field(description="The number")

    def verify(self):
        return self.value == 42
"""
BAD_KEY = "sk-revoked-0123456789"
GOOD_KEY = "sk-valid-9876543210"


@pytest.fixture
def keys() -> KeyRing:
    return KeyRing({"TWIN_KEY": BAD_KEY})


@pytest.fixture
def patience() -> Patience:
    return PATIENCE


@pytest.fixture
def service(library: Library, sandbox: Sandbox, keys: KeyRing, patience: Patience) -> Iterator[RunService]:
    service = RunService(library, sandbox, lambda recorder: AdapterFactory(keys, recorder), patience)
    yield service
    service.close()


gives_up_alone = pytest.mark.parametrize("patience", [replace(PATIENCE, max_lone_probes=8)])


def at(twin: Twin, name: str = "m", **settings: Any) -> ModelConfig:
    return ModelConfig(model_name=name, interface="openai_endpoint", endpoint_base_url=twin.address, **settings)


def start(service: RunService, library: Library, count: int, *models: ModelConfig, **settings: Any) -> int:
    given = {"retry_policy": QUICK, "async_max_workers": 4, **settings}
    config = VerificationConfig(answering_models=list(models), **given)
    return service.start(RunOrder(library.benchmarks.create(benchmark(count)), config))


def until(holds: Callable[[], object]) -> None:
    deadline = time.monotonic() + WAIT
    while not holds():
        assert time.monotonic() < deadline, "It did not happen."
        time.sleep(0.01)


@pytest.mark.parametrize("workers", cases([4], [1]))
def test_ten_minutes_away_then_overloaded_then_busy_and_every_job_is_scored(
    service: RunService, library: Library, workers: int
) -> None:
    chance = random.Random(7)
    with Twin(lambda asked: GOOD) as twin:
        run = start(service, library, 100, at(twin), async_max_workers=workers)
        until(lambda: service.progress(run).done >= 20)
        twin.leave()
        until(lambda: any("No server responds at" in each.why for each in service.progress(run).outages))
        time.sleep(10 * MINUTE)
        assert service.progress(run).done < 100
        twin.script = lambda asked: Reply(status=529, message="Overloaded")
        twin.come_back()
        time.sleep(2 * MINUTE)
        twin.script = lambda asked: Reply(status=429, message="Slow down") if chance.random() < 0.15 else GOOD
        assert service.wait(run, WAIT)
    summary = service.library.runs.summary(run)
    assert (summary.status, summary.outcomes) == ("completed", {"passed": 100})


@pytest.mark.parametrize(
    "reply",
    [
        Reply(status=500, message="Something broke"),
        Reply(status=503, message="Maintenance"),
        Reply(status=529, message="Overloaded"),
        Reply(status=402, message="Payment required"),
        Reply(status=429, message="insufficient_quota"),
        Reply(status=400, message="Your credit balance is too low to access the API"),
        Reply(hangs=True),
    ],
    ids=["500", "503", "529", "402", "quota", "balance", "time-out"],
)
@pytest.mark.parametrize("workers", cases([4], [1]))
def test_every_kind_of_outage_is_waited_for_from_the_first_call_on(
    service: RunService, library: Library, reply: Reply, workers: int
) -> None:
    with Twin(lambda asked: reply) as twin:
        run = start(service, library, 12, at(twin, request_timeout=0.1), async_max_workers=workers)
        until(lambda: service.progress(run).outages)
        time.sleep(2 * MINUTE)
        assert (service.progress(run).done, len(service.progress(run).outages)) == (0, 1)
        twin.script = lambda asked: GOOD
        service.under_way.resume(run)
        assert service.wait(run, WAIT)
    assert service.library.runs.summary(run).outcomes == {"passed": 12}


def test_a_revoked_key_is_waited_for_until_another_is_entered(
    service: RunService, library: Library, keys: KeyRing
) -> None:
    good = {BAD_KEY}

    def say(asked: Asked) -> Reply:
        return GOOD if asked.key in good else Reply(status=401, message="Invalid API key")

    with Twin(say) as twin:
        run = start(service, library, 40, at(twin, api_key_env="TWIN_KEY"))
        until(lambda: service.progress(run).done >= 4)
        good.clear()
        until(lambda: service.progress(run).outages)
        (outage,) = service.progress(run).outages
        assert outage.account
        assert "TWIN_KEY" in outage.why
        good.add(GOOD_KEY)
        keys.enter("TWIN_KEY", GOOD_KEY)
        assert service.wait(run, WAIT)
    assert service.library.runs.summary(run).outcomes == {"passed": 40}


def test_other_models_go_on_though_all_workers_have_met_the_outage(service: RunService, library: Library) -> None:
    def say(asked: Asked) -> Reply:
        return Reply(status=500, message="Something broke") if asked.model == "away" else GOOD

    with Twin(say) as twin:
        run = start(service, library, 30, at(twin, "away"), at(twin, "there"), task_ordering="prefix_cache",
                    async_max_workers=2)  # fmt: skip
        until(lambda: service.progress(run).done == 30)
        assert [outage.model for outage in service.progress(run).outages] == ["away"]
        twin.script = lambda asked: GOOD
        assert service.wait(run, WAIT)
    assert service.library.runs.summary(run).outcomes == {"passed": 60}


@gives_up_alone
@pytest.mark.parametrize(
    ("place", "workers", "status"),
    cases(
        [(0, 1, 403), (0, 3, 500), (11, 1, 500), (11, 3, 403)],
        [(0, 1, 500), (0, 3, 403), (7, 1, 403), (7, 3, 500), (11, 1, 403), (11, 3, 500)],
    ),
)
def test_a_question_that_breaks_its_provider_stops_no_other(
    service: RunService, library: Library, place: int, workers: int, status: int
) -> None:
    def say(asked: Asked) -> Reply:
        return Reply(status=status, message="Not this") if asked.text == f"Text {place}?" else GOOD

    with Twin(say) as twin:
        run = start(service, library, 12, at(twin), async_max_workers=workers)
        assert service.wait(run, WAIT)
    assert service.library.runs.summary(run).outcomes == {"passed": 11, "error": 1}


@gives_up_alone
def test_a_single_question_that_breaks_its_provider_is_given_up_in_the_end(
    service: RunService, library: Library
) -> None:
    with Twin(lambda asked: Reply(status=500, message="Too long")) as twin:
        run = start(service, library, 1, at(twin))
        assert service.wait(run, WAIT)
    assert service.library.runs.summary(run).outcomes == {"error": 1}


@pytest.mark.parametrize("workers", cases([4], [1]))
def test_a_provider_that_stays_too_busy_is_waited_for(service: RunService, library: Library, workers: int) -> None:
    with Twin(lambda asked: Reply(status=429, message="Slow down")) as twin:
        run = start(service, library, 12, at(twin), async_max_workers=workers)
        until(lambda: service.progress(run).outages)
        twin.script = lambda asked: GOOD
        assert service.wait(run, WAIT)
    assert service.library.runs.summary(run).outcomes == {"passed": 12}


@pytest.mark.parametrize("workers", [1, 4])
def test_while_a_judge_is_away_answers_come_in_and_none_is_asked_for_twice(
    service: RunService, library: Library, workers: int
) -> None:
    away = True

    def say(asked: Asked) -> Reply:
        if asked.model == "judge":
            return Reply(status=503, message="Maintenance") if away else Reply(data={"value": 42})
        return GOOD

    document = benchmark(30)
    for entry in document.entries:
        entry.question.answer_template = JUDGED
    with Twin(say) as twin:
        config = VerificationConfig(
            answering_models=[at(twin)], parsing_models=[at(twin, "judge")], retry_policy=QUICK,
            async_max_workers=workers,
        )  # fmt: skip
        run = service.start(RunOrder(library.benchmarks.create(document), config))
        until(lambda: sum(asked.model == "m" for asked in twin.requests) >= MOST_WAITING)
        assert service.progress(run).done == 0
        away = False
        service.under_way.resume(run)
        assert service.wait(run, WAIT)
        assert sum(asked.model == "m" for asked in twin.requests) == 30
    assert service.library.runs.summary(run).outcomes == {"passed": 30}


def test_the_time_of_a_result_is_that_of_its_work(service: RunService, library: Library) -> None:
    away = True

    def say(asked: Asked) -> Reply:
        if away:
            return Reply(status=503, message="Maintenance")
        return Reply(data={"value": 42}) if asked.model == "judge" else GOOD

    document = benchmark(1)
    document.entries[0].question.answer_template = JUDGED
    with Twin(say) as twin:
        config = VerificationConfig(
            answering_models=[at(twin)], parsing_models=[at(twin, "judge")], retry_policy=QUICK
        )  # fmt: skip
        run = service.start(RunOrder(library.benchmarks.create(document), config))
        until(lambda: service.progress(run).outages)
        time.sleep(1.2)
        service.under_way.pause(run)
        away = False
        time.sleep(0.3)
        service.under_way.resume(run)
        assert service.wait(run, WAIT)
    (row,) = service.library.results.page(run).rows
    result = service.library.results.get(row.id).result
    assert result.passed and result.metadata.execution_time < 1.2
    assert sum(stage.seconds or 0 for stage in result.stages) < 1.2


def test_while_a_model_is_away_single_calls_try_with_growing_pauses(service: RunService, library: Library) -> None:
    moments: list[float] = []

    def say(_asked: Asked) -> Reply:
        moments.append(time.monotonic())
        return Reply(status=503, message="Maintenance")

    with Twin(say) as twin:
        run = start(service, library, 50, at(twin))
        until(lambda: service.progress(run).outages)
        time.sleep(8 * MINUTE)
        asked = len(moments)
        service.cancel(run)
        assert service.wait(run, 2)
    assert asked < 25
    assert moments[-1] - moments[-2] > MINUTE


def test_retry_after_is_heeded(service: RunService, library: Library) -> None:
    with Twin(lambda asked: Reply(status=503, message="Later", headers={"retry-after": "100"})) as twin:
        run = start(service, library, 5, at(twin))
        until(lambda: service.progress(run).outages)
        (outage,) = service.progress(run).outages
        assert outage.seconds is not None
        assert 90 < outage.seconds <= 100
        twin.script = lambda asked: GOOD
        service.under_way.try_now(run, outage.key)
        assert service.wait(run, WAIT)
    assert service.library.runs.summary(run).outcomes == {"passed": 5}


def test_a_run_is_paused_by_hand_and_goes_on(service: RunService, library: Library) -> None:
    with Twin(lambda asked: Reply(text="42", delay=0.02)) as twin:
        run = start(service, library, 60, at(twin))
        until(lambda: service.progress(run).done >= 5)
        service.under_way.pause(run)
        assert service.progress(run).held
        time.sleep(0.3)  # calls under way end
        asked, done = len(twin.requests), service.progress(run).done
        time.sleep(0.3)
        assert (len(twin.requests), service.progress(run).done) == (asked, done)
        assert done < 60
        service.under_way.resume(run)
        assert service.wait(run, WAIT)
    assert service.library.runs.summary(run).outcomes == {"passed": 60}


def test_a_paused_run_is_cancelled_at_once(service: RunService, library: Library) -> None:
    with Twin(lambda asked: Reply(text="42", delay=0.02)) as twin:
        run = start(service, library, 60, at(twin))
        until(lambda: service.progress(run).done >= 5)
        service.under_way.pause(run)
        service.cancel(run)
        assert service.wait(run, 2)
    assert service.library.runs.summary(run).status == "cancelled"


def test_what_is_waited_for_in_vain_ends_as_errors_at_once(sandbox: Sandbox) -> None:
    with Twin(lambda asked: Reply(status=500, message="Something broke") if asked.number > 3 else GOOD) as twin:
        config = VerificationConfig(answering_models=[at(twin)], retry_policy=QUICK)
        outages = Outages(Patience(first_pause=MINUTE / 30, max_pause=MINUTE, max_outage=3 * MINUTE))
        results = run_with(benchmark(40), config, sandbox, outages)
        asked = len(twin.requests)
    assert [result.passed for result in results].count(True) == 3
    failed = [result for result in results if result.passed is None]
    assert len(failed) == 37
    assert all("gave up after" in str(result.error) for result in failed)
    assert asked < 40


def test_a_key_that_never_worked_is_told_at_once_where_nobody_can_enter_another(sandbox: Sandbox) -> None:
    with Twin(lambda asked: Reply(status=401, message="Invalid API key")) as twin:
        config = VerificationConfig(answering_models=[at(twin)], retry_policy=QUICK)
        results = run_with(benchmark(4), config, sandbox, Outages(Patience(waits_for_untested_keys=False)))
    assert len(twin.requests) == 4
    assert all("rejected the key" in str(result.error) for result in results)


def test_the_time_of_a_run_ends_its_waiting(sandbox: Sandbox) -> None:
    with Twin(lambda asked: Reply(status=500, message="Something broke")) as twin:
        config = VerificationConfig(answering_models=[at(twin)], retry_policy=QUICK, batch_timeout_seconds=0.5)
        assert run_with(benchmark(4), config, sandbox, Outages(PATIENCE)) == []


def test_an_agent_does_not_lose_its_time_while_its_model_is_away(
    service: RunService, library: Library, tmp_path: Any
) -> None:
    def say(asked: Asked) -> Reply:
        if not asked.results:
            return Reply(calls=[Call("list_files")])
        return Reply(status=503, message="Maintenance") if away else GOOD

    away = True
    with Twin(say) as twin:
        run = start(service, library, 2, at(twin, workspace_tools=["list_files"], agent_timeout=1.0))
        until(lambda: service.progress(run).outages)
        time.sleep(1.2)
        away = False
        assert service.wait(run, WAIT)
    rows = [service.library.results.get(row.id).result for row in service.library.results.page(run).rows]
    assert max(row.metadata.execution_time for row in rows) < 1.2
    assert [(row.error, row.template and row.template.response_timeout_partial) for row in rows] == [(None, False)] * 2


@pytest.mark.thorough
@pytest.mark.skipif(find_spec("claude_agent_sdk") is None, reason="needs the extra 'agent'")
def test_claude_code_waits_before_its_first_turn(service: RunService, library: Library) -> None:
    away = True
    with ClaudeCodeTwin(lambda asked: Turn(status=401, message="Invalid") if away else Turn("It is 42.")) as twin:
        model = ModelConfig(model_name="m", interface="claude_agent_sdk", anthropic_base_url=twin.address,
                            api_key_env="TWIN_KEY")  # fmt: skip
        run = start(service, library, 2, model, async_max_workers=1)
        until(lambda: service.progress(run).outages)
        away = False
        assert service.wait(run, 2 * WAIT)
    assert service.library.runs.summary(run).outcomes == {"passed": 2}


def run_with(document: BenchmarkDocument, config: VerificationConfig, sandbox: Sandbox, outages: Outages) -> list[Any]:
    request = RunRequest(document, config, [entry.id for entry in document.entries])
    done = threading.Event()
    with AdapterFactory(environment={}) as adapters:
        tools = open_tools(adapters, sandbox, config, done.is_set, outages)
        return list(collect_results(request, tools, cancelled=done.is_set, outages=outages).values())
