from __future__ import annotations

import threading

import pytest

from karenina_gui.runs.job_order import groups_in_order
from karenina_gui.runs.scheduler import JobScheduler
from karenina_gui.schemas.benchmark import BenchmarkDocument
from karenina_gui.schemas.job import expand
from karenina_gui.schemas.model_config import ModelConfig
from karenina_gui.schemas.verification_config import VerificationConfig


def turns(names: list[str], limits: int | dict[str, int] | None, questions: int = 2) -> JobScheduler:
    models = [ModelConfig(model_name=name, interface="openai_endpoint") for name in names]
    config = VerificationConfig(answering_models=models, answerer_concurrency_limits=limits)
    jobs = expand([f"q{number}" for number in range(questions)], config)
    return JobScheduler(groups_in_order(jobs, BenchmarkDocument(name="b"), "prefix_cache"), config)


def taken(turns: JobScheduler) -> str | None:
    with turns.next_jobs() as group:
        return group and f"{group[0].question_id} {group[0].answering}"


def test_groups_come_in_their_order_and_each_once() -> None:
    given = turns(["ada", "bob"], None)
    assert [taken(given) for _ in range(5)] == ["q0 ada", "q1 ada", "q0 bob", "q1 bob", None]


def test_a_full_model_is_passed_over_until_it_has_a_place_again() -> None:
    given = turns(["ada", "bob"], {"ada": 1})
    with given.next_jobs() as group:
        assert group
        assert group[0].answering == "ada"
        assert taken(given) == "q0 bob"
    assert taken(given) == "q1 ada"


def test_models_of_one_id_share_its_limit_and_whoever_waits_goes_on_when_a_place_is_free() -> None:
    given = turns(["gpt", "gpt"], 1, questions=1)
    waited: list[str | None] = []
    with given.next_jobs() as group:
        assert group
        waiting = threading.Thread(target=lambda: waited.append(taken(given)))
        waiting.start()
        waiting.join(0.1)
        assert waiting.is_alive()
    waiting.join(10)
    assert waited == ["q0 gpt #2"]


def test_a_limit_for_a_model_that_does_not_answer_is_told(caplog: pytest.LogCaptureFixture) -> None:
    turns(["ada"], {"adda": 1})
    assert "names 'adda', but the answering models are: ada" in caplog.text
