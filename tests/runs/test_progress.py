from __future__ import annotations

import time

import pytest

from karenina_gui.runs.progress import ProgressBoard
from karenina_gui.schemas.job import Job
from karenina_gui.schemas.result import Failure, ModelIdentity, ResultMetadata, ResultTemplate, VerificationResult
from tests.until import comes

JOB = Job("q\tada\trep2", "q", "ada", None, 2)


def result(passed: bool | None) -> VerificationResult:
    metadata = ResultMetadata(
        question_id="q",
        template_id="t",
        question_text="How many?",
        answering=ModelIdentity(interface="i", model_name="ada"),
    )
    if passed is None:
        metadata.failure = Failure(category="rate_limit", stage="GenerateAnswer", reason="too many requests")
    return VerificationResult(
        metadata=metadata, template=ResultTemplate(verify_result=passed), completed_without_errors=passed is not None
    )


def test_every_outcome_is_counted_and_errors_are_told() -> None:
    board = ProgressBoard(total=10, workers=2)
    for passed in (True, False, None, True):
        board.count(JOB, result(passed))
    progress = board.snapshot()
    assert (progress.done, progress.running) == (4, 2)
    assert progress.outcomes == {"passed": 2, "wrong": 1, "error": 1}
    (error,) = progress.errors
    assert (error.question_text, error.answering, error.replicate, error.message) == (
        "How many?",
        "ada",
        2,
        "too many requests",
    )


def test_nothing_is_said_of_the_time_left_before_enough_is_known() -> None:
    board = ProgressBoard(total=10, workers=1)
    board.count(JOB, result(True))
    assert board.snapshot().seconds_left is None
    for _ in range(4):
        board.count(JOB, result(True))
    board._started -= 10  # five jobs in ten seconds: five more take ten
    left = board.snapshot().seconds_left
    assert left is not None
    assert 9 < left < 11


def test_the_time_left_ends_with_the_run() -> None:
    board = ProgressBoard(total=4, workers=1)
    for _ in range(4):
        board.count(JOB, result(True))
    board._started -= 10
    assert board.snapshot().seconds_left is None
    board.end()
    assert board.snapshot().ended


def test_a_window_that_fails_does_not_stop_the_run(caplog: pytest.LogCaptureFixture) -> None:
    board = ProgressBoard(total=2, workers=1)
    told: list[int] = []
    board.changed.subscribe(lambda: 1 // 0)
    board.changed.subscribe(lambda: told.append(1))
    board.count(JOB, result(True))
    assert told == [1]
    assert "ZeroDivisionError" in caplog.text


def test_a_burst_is_told_a_few_times_and_the_end_always() -> None:
    board = ProgressBoard(total=2000, workers=2)
    seen: list[int] = []
    unsubscribe = board.changed.subscribe(lambda: seen.append(board.snapshot().done))
    started = time.monotonic()
    for _ in range(1000):
        board.count(JOB, result(True))
    assert comes(lambda: seen[-1] == 1000)  # the last change of a burst is told, too
    board.end()
    assert len(seen) <= 3 + (time.monotonic() - started) / 0.2
    unsubscribe()
    told = len(seen)
    board.end()
    assert len(seen) == told
